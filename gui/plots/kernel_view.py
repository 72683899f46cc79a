"""A chart view whose x axis is the kernel number: selection, hover, keys and zoom are the same in all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from engine.session.changes import What
from gui import stored
from gui.bridge import hub
from gui.plots.axis import Label, PlainAxis, number
from gui.plots.caption import Caption
from gui.plots.chart import Hit
from gui.plots.kernel_layers import Grid, HoverColumn, PrecisionStrip, SelectionBand
from gui.plots.kernels import KernelColumns, kernel_columns
from gui.plots.navigation import Span
from gui.plots.panel import Panel
from gui.plots.view import ChartView
from gui.theme import Theme
from gui.views.layers_card import kernel_card
from gui.widgets.tip_card import TipContent, spoken

if TYPE_CHECKING:
    from engine.session import Session

LEFT_WIDTH = 34
BOTTOM_HEIGHT = 20
LEAST_KERNELS = 6
Control, Shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


class KernelChartView(ChartView):
    """Click selects, Ctrl+click adds, Shift+click or a drag selects a stretch; arrows move; F fits."""

    def __init__(
        self,
        session: Session,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        left_label: Label = number,
        left_gap: int = 20,
    ) -> None:
        super().__init__(session, theme, parent)
        self.columns = KernelColumns()
        self.caption = Caption()
        self.chart.add_row(self.caption)
        left = PlainAxis("left", gap=left_gap, label=left_label, size=LEFT_WIDTH)
        bottom = PlainAxis("bottom", gap=48, label=lambda value, _: str(round(value)), least_step=1, size=BOTTOM_HEIGHT)
        self.panel = self.chart.add_panel(Panel(left, bottom))
        self.strip = PrecisionStrip(self.panel.box)
        self.band = SelectionBand(self.panel.box)
        self.hover = HoverColumn(self.panel.box)
        self.panel.add(Grid(self.panel), self.band, self.strip, self.hover)
        self.span = Span(-0.5, 0.5, 1)
        self.chart.navigate(self.span, self.panel)
        self.chart.hovered.connect(self._on_hover)
        self.chart.rested.connect(self._on_rest)
        self.chart.clicked.connect(self._on_click)
        self.chart.dragged.connect(self._on_drag)
        self.chart.drag_ended.connect(self._on_drag)
        self.chart.double_clicked.connect(lambda _: self.span.fit())
        self.chart.key_pressed.connect(self._on_key)

    # -- for subclasses ---------------------------------------------------------------------------------------------

    def describe(self, index: int) -> TipContent:
        """What the tooltip says about a kernel."""
        raise NotImplementedError

    def refresh_columns(self) -> None:
        """Read the kernels and the plan; call first in `draw`."""
        self.columns = kernel_columns(self.shown)
        self.strip.set(self.columns)
        count = len(self.columns)
        if count:
            self.span.set_limits(-0.5, count - 0.5, min(LEAST_KERNELS, count), self.model_hash)
        self.show_selection()

    def draw_selection(self) -> None:
        """Move the bands, and what is outside into sight."""
        self.show_selection()
        current = self.current_index
        if current is not None:
            self.span.reveal(current - 0.5, current + 0.5)

    def show_selection(self) -> None:
        """Draw the selection."""
        places = self.columns.index
        self.band.set((places[i] for i in self.session.selection if i in places), self.current_index)

    @property
    def current_index(self) -> int | None:
        """Index of the current kernel."""
        return self.columns.index.get(self.session.current or "")

    def save_state(self) -> dict[str, object]:
        """The part of the network on show."""
        return {} if self.span.is_fit else {"span": [self.span.low, self.span.high]}

    def restore_state(self, state: dict[str, object]) -> None:
        """Show that part again."""
        span = stored.interval(state.get("span"))
        if span is not None:
            self.span.ask(*span)
            self.mark_dirty(What.MODEL)

    def card_content(self, index: int, rows: list[tuple[str, str]]) -> TipContent:
        """The kernel's card with these rows of our own."""
        return kernel_card(self.shown, index, rows)

    def spoken(self) -> str:
        """The current kernel's card."""
        current = self.current_index
        there = current is not None and self.chart.isVisible() and current < len(self.columns)
        return spoken(self.describe(current)) if there and current is not None else ""

    # -- gestures ---------------------------------------------------------------------------------------------------

    def echo(self, kernel_id: str) -> None:
        """Outline the kernel under the pointer of another view."""
        self.hover.set(self.columns.index.get(kernel_id))

    def index_at(self, hit: Hit) -> int | None:
        """Kernel under a hit."""
        index = round(hit.x)
        return index if 0 <= index < len(self.columns) else None

    def _on_hover(self, hit: Hit | None) -> None:
        index = self.index_at(hit) if hit is not None else None
        if index != self.hover.index:
            self.card.hide()
        self.hover.set(index)
        hub.hover(self.columns.ids[index] if index is not None else None, self.who)

    def _on_rest(self, hit: Hit) -> None:
        index = self.index_at(hit)
        if index is not None:
            self.card.show_at(self.describe(index), self.chart.mapToGlobal(hit.position.toPoint()))

    def _on_click(self, hit: Hit) -> None:
        index = self.index_at(hit)
        if index is None:
            return
        ids, selection = self.columns.ids, self.session.selection
        if hit.modifiers & Control:
            kept = tuple(i for i in selection if i != ids[index])
            self._select(kept if len(kept) < len(selection) else (*selection, ids[index]), ids[index])
        elif hit.modifiers & Shift and self.current_index is not None:
            self._select_range(self.current_index, index, keep_current=True)
        else:
            self._select((ids[index],), ids[index])

    def _on_drag(self, start: Hit, now: Hit) -> None:
        last = len(self.columns) - 1
        if last >= 0:
            self._select_range(min(max(round(start.x), 0), last), min(max(round(now.x), 0), last))

    def _select_range(self, start: int, end: int, *, keep_current: bool = False) -> None:
        low, high = sorted((start, end))
        self._select(self.columns.ids[low : high + 1], self.columns.ids[start if keep_current else end])

    def _select(self, ids: tuple[str, ...], current: str) -> None:
        if ids != self.session.selection or current != self.session.current:
            self.session.select(ids, current if current in ids else (ids[-1] if ids else None), who=self.who)

    def _on_key(self, event: QKeyEvent) -> None:
        key, last = event.key(), len(self.columns) - 1
        keys = Qt.Key
        moves = {keys.Key_Left: -1, keys.Key_Right: 1, keys.Key_Comma: -1, keys.Key_Period: 1}
        if last < 0:
            return
        if key in moves or key in (keys.Key_Home, keys.Key_End):
            now = self.current_index
            if key in (keys.Key_Home, keys.Key_End):
                to = 0 if key == keys.Key_Home else last
            else:
                to = 0 if now is None else min(max(now + moves[keys(key)], 0), last)
            if event.modifiers() & Shift and now is not None:
                ids = dict.fromkeys((*self.session.selection, self.columns.ids[to]))
                self._select(tuple(ids), self.columns.ids[to])
            else:
                self._select((self.columns.ids[to],), self.columns.ids[to])
            event.accept()
        elif event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier):
            self._on_zoom_key(event)

    def _on_zoom_key(self, event: QKeyEvent) -> None:
        current = self.current_index
        around = float(current) if current is not None and self.span.low <= current <= self.span.high else None
        keys = Qt.Key
        actions = {
            keys.Key_W: lambda: self.span.zoom(0.7, around),
            keys.Key_Plus: lambda: self.span.zoom(0.7, around),
            keys.Key_S: lambda: self.span.zoom(1 / 0.7, around),
            keys.Key_Minus: lambda: self.span.zoom(1 / 0.7, around),
            keys.Key_A: lambda: self.span.pan(-0.2),
            keys.Key_D: lambda: self.span.pan(0.2),
            keys.Key_F: self.span.fit,
        }
        action = actions.get(keys(event.key()))
        if action is not None:
            action()
            event.accept()
