"""Sensitivity: how much the output suffers when one kernel alone takes a scheme. A click on a cell applies it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

from engine.precision.notation import code
from engine.precision.scheme import Scheme
from engine.session.changes import What
from gui.bridge import hub
from gui.i18n import text
from gui.kernel_names import names_of
from gui.plots.axis import PlainAxis
from gui.plots.chart import Hit
from gui.plots.navigation import Span
from gui.plots.panel import Panel
from gui.plots.scale_bar import ScaleCaption
from gui.plots.table import Table
from gui.plots.view import ChartView
from gui.theme import Theme
from gui.views.price import Pricer
from gui.views.scheme_words import scheme_words
from gui.views.sensitivity_card import card_of
from gui.views.sensitivity_data import (
    Reasons,
    SensitivityMap,
    block_name,
    blocks,
    map_table,
    sensitivity_map,
    usual_prefix,
)
from gui.views.sensitivity_layers import BlockNames, CellCursors, CellImage, CellMarks, SchemeNames
from gui.views.sensitivity_scale import caption_of
from gui.views.sweep_controls import FilterInput, SweepControls
from gui.views.sweep_words import state_words
from gui.widgets.tip_card import TipContent, spoken

if TYPE_CHECKING:
    from engine.session import Session

GUTTER, FOOT = 158, 26
LEAST_COLUMNS = 6
Shift = Qt.KeyboardModifier.ShiftModifier
Cell = tuple[int, int]


class SensitivityView(ChartView):
    """Schemes as rows, kernels as columns; the plan is outlined. Arrows move a cursor, Enter applies its cell."""

    WATCHES: ClassVar[frozenset[What]] = frozenset(
        {What.SENSITIVITY, What.PLAN, What.DEVICE, What.DATA, What.SELECTION, What.JOBS}
    )

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self.data: SensitivityMap | None = None
        self.caption = ScaleCaption("heat")
        self.chart.add_row(self.caption)
        left = PlainAxis("left", label=lambda value, step: "", size=GUTTER)
        bottom = PlainAxis("bottom", label=lambda value, step: "", size=FOOT)
        self.panel = self.chart.add_panel(Panel(left, bottom))
        self.image = CellImage(self.panel)
        box = self.panel.box
        self.marks, self.schemes, self.blocks = CellMarks(box), SchemeNames(box, GUTTER), BlockNames(box)
        self.cursors = CellCursors(box)
        self.panel.add(self.cursors, self.marks, self.schemes, self.blocks)
        self.span = Span(0.0, 1.0, 1.0)
        self.chart.navigate(self.span, self.panel)
        self.controls = SweepControls(session, self)
        self.controls.changed.connect(lambda: self.mark_dirty(What.MODEL))
        self.filter = FilterInput(lambda: self.mark_dirty(What.MODEL))
        self.sorted_by: Scheme | None = None
        """Columns go from the worst kernel in this scheme to the best; None = execution order."""
        self.pricer = Pricer(session, "sensitivity price", self._on_price)
        self._pointer: QPoint | None = None
        self._reasons = Reasons()
        self.chart.hovered.connect(self._on_hover)
        self.chart.rested.connect(self._on_rest)
        self.chart.clicked.connect(self._on_click)
        self.chart.dragged.connect(self._on_drag)
        self.chart.drag_ended.connect(self._on_drag)
        self.chart.key_pressed.connect(self._on_key)
        self.setFocusProxy(self.chart)
        self.retranslate()

    # -- dock -------------------------------------------------------------------------------------------------------

    def title(self) -> str:
        """Title of the dock."""
        return self.tr("Sensitivity")

    def header_widgets(self) -> list[QWidget]:
        """Question, metric, filter, start or pause, more."""
        controls = self.controls
        return [controls.question, controls.metric, self.filter, controls.run, controls.stop, self.more]

    def retranslate(self) -> None:
        """The language has changed."""
        super().retranslate()
        self.controls.retranslate()
        self.filter.retranslate()

    def save_state(self) -> dict[str, object]:
        """The question, and the schemes that are swept."""
        return {"question": self.controls.question.current, "schemes": self.controls.scheme_names()}

    def restore_state(self, state: dict[str, object]) -> None:
        """Ask it again."""
        self.controls.choose(state.get("question"))
        self.controls.take_schemes(state.get("schemes"))
        self.mark_dirty(What.MODEL)

    def dispose(self) -> None:
        """Stop listening and asking."""
        self.pricer.stop()
        self.filter.stop()
        super().dispose()

    def on_empty_clicked(self) -> None:
        """Start the sweep that answers the question on show."""
        self.controls.toggle()

    # -- drawing ----------------------------------------------------------------------------------------------------

    def refresh(self, changes: frozenset[What]) -> None:
        """A job alone changes no cell, but may end the sweep."""
        if changes <= {What.JOBS}:
            self.controls.show_state()
            if self.data is not None:
                self._write_subtitle(self.data)
        else:
            super().refresh(changes)

    def draw(self) -> None:
        """Draw what is known."""
        session = self.session
        self.controls.show_state()
        kept = self.filter.kept(session)
        data = self.data = sensitivity_map(self.shown, self._reasons, self.controls.chosen, kept)
        if data is not None and self.sorted_by in data.schemes:
            order = data.worst_first(data.schemes.index(self.sorted_by))
            data = self.data = sensitivity_map(self.shown, self._reasons, self.controls.chosen, order)
        if data is None:
            self.set_subtitle("")
            if session.network is None:
                self.show_no_model(self.tr("Open a model to see which kernels are sensitive."))
            else:
                self.show_empty(self.tr("This model has no kernel whose precision can be set."))
            return
        self._write_subtitle(data)
        if not data.ids:
            self.show_empty(self.tr("No kernel passes the filter."))
            return
        if not data.known and not session.sweeping:
            self._show_nothing(data)
            return
        self.show_page()
        if self.isVisible():
            session.sweeps.confirm()
        heights = data.heights()
        rows, columns = data.shape
        self.span.set_limits(0.0, float(columns), float(min(LEAST_COLUMNS, columns)), self.model_hash)
        self.panel.set_y(0.0, float(rows))
        self.image.set(heights, data.refused, self.theme)
        self.marks.set(data, heights)
        self.cursors.rows = rows
        self.schemes.set(data, [scheme_words(s) for s in data.schemes], self.sorted_by)
        self._write_blocks(data)
        caption_of(self.caption, data, session.sweeps.out_is_current)
        self.draw_selection()
        self.panel.redraw()

    def _show_nothing(self, data: SensitivityMap) -> None:
        """Say what is missing, and offer the sweep that brings it."""
        sweeps = self.session.sweeps
        if data.question == "one-out":
            words = self.tr(
                "Not measured around this plan yet. Restore %n kernel(s) one at a time, all others as planned.", "",
                len(data.ids),
            )  # fmt: skip
            self.show_empty(words, self.tr("Start the sweep"))
        elif sweeps.why_no_estimate is not None:
            self.show_empty(text(sweeps.why_no_estimate), self.tr("Measure instead"))
        elif sweeps.metric is not None and sweeps.metric.value == "top1":
            words = self.tr("Changes of the best class can only be measured: %n kernel(s) one at a time.", "",
                            len(data.ids))  # fmt: skip
            self.show_empty(words, self.tr("Start the sweep"))
        elif sweeps.metric is not None and sweeps.metric.value == "own":
            words = self.tr("Your own metric can only be measured: %n kernel(s) one at a time.", "", len(data.ids))
            self.show_empty(words, self.tr("Start the sweep"))
        elif self.session.data is None:
            self.show_empty(self.tr("The sensitivity is estimated as soon as the data is there."))
        else:
            words = self.tr("Estimating %n kernel(s) in every scheme…", "", len(data.ids))
            self.show_empty(words, self.tr("Measure instead"))

    def draw_selection(self) -> None:
        """Mark the selected columns and bring the current kernel into sight."""
        if self.data is not None:
            chosen = set(self.session.selection)
            self.cursors.selected = tuple(c for c, kernel in enumerate(self.data.ids) if kernel in chosen)
            self.cursors.update()
        column = self._current_column()
        if column is not None:
            self.span.reveal(column, column + 1)

    def table(self) -> Table:
        """One row per measured cell."""
        return map_table(self.data) if self.data is not None else Table((), ())

    def fill_menu(self, menu: QMenu) -> None:
        """Schemes, sweeps, order, zoom."""
        self.controls.fill_menu(menu)
        menu.addAction(self.tr("Show the whole network"), self.span.fit)
        if self.data is not None:
            order = menu.addMenu(self.tr("Order of the kernels"))
            order.addAction(self.tr("As they run"), lambda: self.sort(None))
            for scheme in self.data.schemes:
                words = self.tr("Worst first in {scheme}").format(scheme=code(scheme))
                order.addAction(words, lambda scheme=scheme: self.sort(scheme))
        menu.addSeparator()

    def sort(self, scheme: Scheme | None) -> None:
        """Put the columns in the order of one scheme; the same again, or None, brings back the order of execution."""
        self.sorted_by = None if scheme == self.sorted_by else scheme
        self.mark_dirty(What.MODEL)

    def _write_subtitle(self, data: SensitivityMap) -> None:
        size = self.tr("{kernels} kernels × {schemes} schemes").format(kernels=len(data.ids), schemes=len(data.schemes))
        words = state_words(self.session)
        self.set_subtitle(f"{size} · {words}" if words else size)

    def _write_blocks(self, data: SensitivityMap) -> None:
        """Blocks below the columns; numbers where every kernel is a block of its own."""
        found = blocks(data.names)
        alone = len(found) == len(data.ids) or self.sorted_by in data.schemes
        usual = usual_prefix(data.names)
        word = self.tr("Block of {name}").format(name=usual.split(".")[-1]) if usual else self.tr("Block")
        self.schemes.block_word = self.tr("Kernel") if alone else word
        if alone:
            found = [(f"{number}", c, c) for c, number in enumerate(data.index)]
        long = data.names if alone else [data.names[first] for _, first, _ in found]
        short = names_of(self.session.network).of if self.session.network is not None else str
        words = [block_name(name, number, short(name)) for name, (number, _, _) in zip(long, found, strict=True)]
        self.blocks.set(found, words)

    # -- gestures ---------------------------------------------------------------------------------------------------

    def echo(self, kernel_id: str) -> None:
        """Outline the plan's cell of the kernel under the pointer of another view."""
        data = self.data
        column = data.ids.index(kernel_id) if data is not None and kernel_id in data.ids else None
        row = data.plan_rows[column] if data is not None and column is not None else None
        self.cursors.hovered = (row, column) if row is not None and column is not None else None
        self.cursors.update()

    def cell_at(self, hit: Hit | None) -> Cell | None:
        """Row and column under a hit."""
        if hit is None or self.data is None:
            return None
        row, column = len(self.data.schemes) - 1 - int(hit.y // 1), int(hit.x // 1)
        inside = 0 <= row < len(self.data.schemes) and 0 <= column < len(self.data.ids)
        return (row, column) if inside else None

    def apply(self, cell: Cell) -> None:
        """Give the kernel of a cell its scheme, with all others that are selected if it is one of them."""
        if self.data is not None:
            kernel = self.data.ids[cell[1]]
            together = self.session.selection if kernel in self.session.selection else (kernel,)
            self.session.select(together, kernel, who=self.who)
            self.session.set_scheme(together, self.data.schemes[cell[0]], who=self.who)

    def describe(self, cell: Cell) -> TipContent:
        """What is known of a cell, and what a click does."""
        assert self.data is not None
        return card_of(self.session, self.data, cell, self.pricer)

    def _on_hover(self, hit: Hit | None) -> None:
        cell = self.cell_at(hit)
        if cell != self.cursors.hovered:
            self.card.hide()
            self._pointer = None
            self.cursors.hovered = cell
            self.cursors.update()
            hub.hover(self.data.ids[cell[1]] if self.data is not None and cell is not None else None, self.who)

    def _on_rest(self, hit: Hit) -> None:
        cell = self.cell_at(hit)
        if cell is None or self.data is None:
            return
        self._pointer = self.chart.mapToGlobal(hit.position.toPoint())
        self.card.show_at(self.describe(cell), self._pointer)
        kernel, scheme = self.data.ids[cell[1]], self.data.schemes[cell[0]]
        if self.session.plan.scheme(kernel) != scheme:
            self.pricer.ask([self.session.plan.with_schemes({kernel: scheme})])

    def _on_price(self) -> None:
        if self.cursors.hovered is not None and self._pointer is not None and self.card.isVisible():
            self.card.show_at(self.describe(self.cursors.hovered), self._pointer)

    def _on_drag(self, start: Hit, now: Hit) -> None:
        """Select the kernels between both ends."""
        if self.data is None or not self.data.ids:
            return
        last = len(self.data.ids) - 1
        low, high = sorted(min(max(int(hit.x // 1), 0), last) for hit in (start, now))
        ids = self.data.ids[low : high + 1]
        if ids != self.session.selection:
            self.session.select(ids, ids[-1], who=self.who)
            self.draw_selection()

    def _on_click(self, hit: Hit) -> None:
        cell = self.cell_at(hit)
        if cell is None or self.data is None:
            return
        self.cursors.keyed = cell
        self.card.hide()
        if hit.modifiers & Shift:
            kernel = self.data.ids[cell[1]]
            self.session.select((kernel,), kernel, who=self.who)
        else:
            self.apply(cell)
        self.cursors.update()

    def _current_column(self) -> int | None:
        current = self.session.current
        return self.data.ids.index(current) if self.data is not None and current in self.data.ids else None

    def spoken(self) -> str:
        """The card of the cell under the cursor; before the first arrow, of the current kernel's cell in the plan."""
        data, cell = self.data, self.cursors.keyed
        if data is None or not self.chart.isVisible():
            return ""
        column = self._current_column()
        if cell is None and column is not None:
            row = data.plan_rows[column]
            cell = (row, column) if row is not None else None
        inside = cell is not None and cell[0] < len(data.schemes) and cell[1] < len(data.ids)
        return spoken(self.describe(cell)) if cell is not None and inside else ""

    def _show_keyed(self, cell: Cell) -> None:
        """The card of the cell that the arrows have come to, beside it: it says what no colour can."""
        assert self.data is not None
        at = self.panel.to_widget(cell[1] + 0.5, len(self.data.schemes) - cell[0] - 0.5)
        self.card.show_at(self.describe(cell), self.chart.mapToGlobal(QPoint(round(at.x()), round(at.y()))))

    def _on_key(self, event: QKeyEvent) -> None:
        data, keys = self.data, Qt.Key
        if data is None:
            return
        steps = {
            keys.Key_Left: (0, -1), keys.Key_Right: (0, 1), keys.Key_Up: (-1, 0), keys.Key_Down: (1, 0),
        }  # fmt: skip
        key = event.key()
        start = self._current_column() or 0
        cursor = self.cursors.keyed or (data.plan_rows[start] or 0, start)
        if key in steps:
            if self.cursors.keyed is not None:
                down, right = steps[keys(key)]
                row = min(max(cursor[0] + down, 0), len(data.schemes) - 1)
                cursor = row, min(max(cursor[1] + right, 0), len(data.ids) - 1)
            self.cursors.keyed = cursor
            self.span.reveal(cursor[1], cursor[1] + 1)
            self.cursors.update()
            self._show_keyed(cursor)
            self.announce()
        elif key in (keys.Key_Return, keys.Key_Enter, keys.Key_Space):
            if event.modifiers() & Shift or key == keys.Key_Space:
                self.session.select((data.ids[cursor[1]],), data.ids[cursor[1]], who=self.who)
            else:
                self.apply(cursor)
        elif key == keys.Key_F:
            self.span.fit()
        else:
            return
        event.accept()
