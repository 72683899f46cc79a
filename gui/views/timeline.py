"""Timeline: what each unit of the NPU does when, over one run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from engine.session.changes import Change, What
from gui import folders, stored
from gui import format as fmt
from gui.bridge import hub
from gui.plots.axis import PlainAxis
from gui.plots.caption import Caption, Key
from gui.plots.chart import Hit
from gui.plots.kernels import KernelColumns, kernel_columns
from gui.plots.navigation import Span
from gui.plots.panel import Panel
from gui.plots.table import Table
from gui.plots.view import ChartView
from gui.theme import Theme
from gui.views.layers_card import kernel_card
from gui.views.timeline_colors import BOUNDS, Mode, bar_colors, bound_color
from gui.views.timeline_data import TimelineData, area_totals, timeline_data, timeline_table
from gui.views.timeline_ground import LaneGround, LaneNames, lane_at
from gui.views.timeline_layers import LaneBarsLayer, RateLayer, Tints
from gui.views.timeline_marks import Overview, OverviewWindow, TimeSelection
from gui.views.words import bound_word
from gui.widgets.escape import EscapeFirst
from gui.widgets.icon_button import IconButton
from gui.widgets.segmented import SegmentedControl
from gui.widgets.tip_card import TipContent, spoken

if TYPE_CHECKING:
    from engine.session import Session

GUTTER = 104
OVERVIEW = 34
LEAST_US = 2.0
Control, Shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


class TimelineView(ChartView):
    """W S zoom, A D pan, F goes to the current kernel and then shows all, comma and full stop step, a drag measures."""

    WATCHES: ClassVar[frozenset[What]] = frozenset({What.SELECTION, What.PLAN, What.SIMULATION, What.DEVICE})

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self.data: TimelineData | None = None
        self.columns = KernelColumns()
        self.chart.set_margins(0, 0, 0, 0)
        self.caption = Caption()
        self.chart.add_row(self.caption)
        self.whole = self.chart.add_panel(Panel(_gutter(), None), stretch=0)
        self.whole.fix_height(OVERVIEW)
        self.panel = self.chart.add_panel(Panel(_gutter(), None))
        self.span = Span(0.0, 1.0, 0.5)
        self.chart.navigate(self.span, self.panel)
        self.overview, self.window_frame = Overview(self.whole.box), OverviewWindow(self.whole.box, GUTTER)
        self.whole.add(self.overview, self.window_frame)
        box = self.panel.box
        self.ground, self.bars = LaneGround(box), LaneBarsLayer(box)
        self.rate, self.marks = RateLayer(box), TimeSelection(box)
        self.names = LaneNames(box, GUTTER)
        self.panel.add(self.ground, self.names, self.rate, self.bars, self.marks)
        self.colors = SegmentedControl([("precision", ""), ("bound", "")])
        self.colors.chosen.connect(lambda _: self.mark_dirty(What.MODEL))
        self.focus_button, self.fit_button = IconButton("target", token="muted"), IconButton("fit", token="muted")
        self.focus_button.clicked.connect(self.focus_current)
        self.fit_button.clicked.connect(self.span.fit)
        self.setFocusProxy(self.chart)
        self._connect()
        self.retranslate()

    def _connect(self) -> None:
        self.span.changed.connect(self._on_span)
        self.chart.hovered.connect(self._on_hover)
        self.chart.rested.connect(self._on_rest)
        self.chart.clicked.connect(self._on_click)
        self.chart.dragged.connect(self._on_drag)
        self.chart.drag_ended.connect(self._on_drag)
        self.chart.double_clicked.connect(lambda _: self.focus_current())
        self.chart.key_pressed.connect(self._on_key)
        EscapeFirst(self.chart, lambda: self.marks.area is not None)

    # -- dock -------------------------------------------------------------------------------------------------------

    def title(self) -> str:
        """Title of the dock."""
        return self.tr("Timeline")

    def header_widgets(self) -> list[QWidget]:
        """Colour choice, focus, fit, more."""
        return [self.colors, self.focus_button, self.fit_button, self.more]

    def retranslate(self) -> None:
        """The language has changed."""
        super().retranslate()
        self.colors.set_choices([("precision", self.tr("precision")), ("bound", self.tr("bound"))])
        self.colors.setAccessibleName(self.tr("Colour of the bars"))
        self.focus_button.set_tip(self.tr("Go to the current kernel (F)"))
        self.fit_button.set_tip(self.tr("Show the whole run (F, F)"))
        self.names.labels = (
            self.tr("Kernel"), self.tr("MTE2 in"), self.tr("MTE1 L1→L0"), "Cube", "Vector", self.tr("MTE3 out"), "CPU",
        )  # fmt: skip
        self.names.head = self.tr("Lane")
        self.names.rate_label = "GB/s"
        self.window_frame.label = self.tr("Whole run")

    def save_state(self) -> dict[str, object]:
        """Colour and the part of the run on show."""
        state: dict[str, object] = {"color": self.colors.current}
        if not self.span.is_fit:
            state["span"] = [self.span.low, self.span.high]
        return state

    def restore_state(self, state: dict[str, object]) -> None:
        """Set them again."""
        color = stored.choice(state.get("color"), ("precision", "bound"))
        if color is not None:
            self.colors.set_current(color)
        span = stored.interval(state.get("span"))
        if span is not None:
            self.span.ask(*span)
        self.mark_dirty(What.MODEL)

    # -- drawing ----------------------------------------------------------------------------------------------------

    def draw(self) -> None:
        """Draw the simulation of the session."""
        self.columns = kernel_columns(self.shown)
        data = self.data = timeline_data(self.shown)
        if data is None:
            self.set_subtitle("")
            if self.session.network is None:
                self.show_no_model(self.tr("Open a model to see its run."))
            else:
                self.show_empty(self.tr("The device is being simulated."))
            return
        self.show_page()
        self.span.set_limits(0.0, data.total_us, min(LEAST_US, data.total_us), self.model_hash)
        self.whole.set_x(0.0, data.total_us)
        self.names.rate_peak = data.ddr_peak_gb_s
        tints = self._tints(data)
        self.bars.set(data, tints, self.columns.short)
        overhead = fmt.latency_us(data.invocation_us)
        self.bars.invocation_label = self.tr("invocation {time}").format(time=overhead)
        self.overview.set(data, tints)
        self.rate.set(data)
        self._write_caption(data)
        self._measure_area()
        self._on_span()
        self._show_selection()
        self.panel.redraw()

    def draw_selection(self) -> None:
        """Move the outlines, and what is outside into sight."""
        self._show_selection()
        place = self._current()
        if self.data is not None and place is not None:
            self.span.reveal(*self.data.extent(place))

    def table(self) -> Table:
        """One row per bar."""
        return timeline_table(self.data, self.columns.names) if self.data is not None else Table((), ())

    def fill_menu(self, menu: QMenu) -> None:
        """Zoom."""
        menu.addAction(self.tr("Show the whole run"), self.span.fit)
        menu.addAction(self.tr("Go to the current kernel"), self.focus_current)
        if self.marks.area is not None:
            menu.addAction(self.tr("Clear the measured area"), self.clear_area)
        menu.addSeparator()
        menu.addAction(self.tr("Export for Perfetto…"), self.export_trace)

    def export_trace(self) -> None:
        """Ask for a file and write the run as a Chrome trace. The dialog doesn't stop the window."""
        dialog = QFileDialog(self, self.tr("Export for Perfetto"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(self.tr("Chrome traces (*.json)"))
        dialog.setDefaultSuffix("json")
        model = self.session.path
        dialog.selectFile(folders.to_save(self, f"{model.stem if model is not None else 'model'}.trace.json"))
        dialog.fileSelected.connect(lambda path: self.session.export("trace", Path(path)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _tints(self, data: TimelineData) -> Tints:
        """Colours by precision or by bound."""
        by_bound = self.colors.current == "bound"
        keys = [cost.bound for cost in data.costs] if by_bound else list(self.columns.families)
        names = sorted(set(keys))
        mode: Mode = "bound" if by_bound else "precision"
        palette = tuple(bar_colors(self.theme, name, mode) for name in names)
        return Tints(palette, np.array([names.index(key) for key in keys], np.intp))

    def _write_caption(self, data: TimelineData) -> None:
        bound = self.colors.current == "bound"
        present = {cost.bound for cost in data.costs}
        keys = [Key(bound_word(b), "box", bound_color(self.theme, b).name()) for b in BOUNDS if b in present]
        self.caption.set_shown(bound)
        self.caption.set(f"   {self.tr('bound by')}", keys)
        self.set_subtitle(self.tr("{latency} per run").format(latency=fmt.run_latency(data.run_us)))

    def _current(self) -> int | None:
        return self.data.index.get(self.session.current or "") if self.data is not None else None

    def _show_selection(self) -> None:
        data, marks = self.data, self.marks
        if data is None:
            return
        place = self._current()
        marks.selected = [data.extent(data.index[i]) for i in self.session.selection if i in data.index]
        marks.current = data.extent(place) if place is not None else None
        marks.update()

    def _on_span(self) -> None:
        self.window_frame.set_window(self.span.low, self.span.high)

    # -- gestures ---------------------------------------------------------------------------------------------------

    def echo(self, kernel_id: str) -> None:
        """Outline the kernel under the pointer of another view."""
        data = self.data
        known = data is not None and kernel_id in data.index
        self.marks.hovered = data.extent(data.index[kernel_id]) if data is not None and known else None
        self.marks.update()

    def focus_current(self) -> None:
        """Zoom to the current kernel and its neighbours; show the whole run when that is what is on show already."""
        place = self._current()
        if self.data is None:
            return
        low, high = self.data.extent(place) if place is not None else (self.span.first, self.span.last)
        margin = max(0.6 * (high - low), LEAST_US)
        wanted = max(self.span.first, low - margin), min(self.span.last, high + margin)
        there = abs(self.span.low - wanted[0]) + abs(self.span.high - wanted[1]) < 0.02 * (wanted[1] - wanted[0])
        if place is None or there:
            self.span.fit()
        else:
            self.span.show(*wanted)

    def changed_by_other(self, change: Change) -> None:
        """What was measured ends with its run."""
        if change.what is What.MODEL:
            self.clear_area()

    def clear_area(self) -> None:
        """Take the measured area away."""
        self.marks.area = None
        self.marks.update()

    def _kernel_of(self, hit: Hit | None) -> int | None:
        if hit is None or self.data is None or hit.panel is not self.panel:
            return None
        return self.data.kernel_at(hit.x)

    def _on_hover(self, hit: Hit | None) -> None:
        place = self._kernel_of(hit)
        data = self.data
        extent = data.extent(place) if data is not None and place is not None else None
        if extent != self.marks.hovered:
            self.card.hide()
            self.marks.hovered = extent
            self.marks.update()
            hub.hover(data.costs[place].kernel if data is not None and place is not None else None, self.who)

    def _on_rest(self, hit: Hit) -> None:
        place = self._kernel_of(hit)
        if place is not None:
            self.card.show_at(self.describe(place, hit), self.chart.mapToGlobal(hit.position.toPoint()))

    def spoken(self) -> str:
        """The current kernel's card."""
        place = self._current() if self.chart.isVisible() else None
        return spoken(self.describe(place)) if place is not None else ""

    def describe(self, place: int, hit: Hit | None = None) -> TipContent:
        """What the tooltip says about a kernel, and about the unit under the pointer."""
        assert self.data is not None
        cost = self.data.costs[place]
        rows = []
        lane = lane_at(self.panel.box.rect(), self.panel.box.frame().y(hit.y)) if hit is not None else None
        busy = {
            "MTE2": cost.mte2_us, "MTE1": cost.mte1_us, "Cube": cost.cube_us, "Vector": cost.vector_us,
            "MTE3": cost.mte3_us, "CPU": cost.cpu_us,
        }.get(lane or "")  # fmt: skip
        total = fmt.latency_us(cost.latency_us)
        if busy is not None and lane is not None:
            rows.append((lane, self.tr("{busy} of {total}").format(busy=fmt.latency_us(busy), total=total)))
        else:
            rows.append((self.tr("latency"), total))
        launch = self.tr("launch {time}").format(time=fmt.latency_us(cost.launch_us))
        rows.append((self.tr("starts"), f"{fmt.run_latency(cost.start_us)}, {launch}"))
        rows.append((self.tr("DDR"), f"{fmt.bytes_(cost.ddr_read_bytes)} ↓  {fmt.bytes_(cost.ddr_write_bytes)} ↑"))
        rows.append((self.tr("bound by"), bound_word(cost.bound)))
        return kernel_card(self.shown, place, rows)

    def _on_click(self, hit: Hit) -> None:
        if hit.panel is self.whole:
            self.span.show(hit.x - self.span.width / 2, hit.x + self.span.width / 2)
            return
        self.clear_area()
        place = self._kernel_of(hit)
        if place is None or self.data is None:
            return
        chosen, selection = self.data.costs[place].kernel, self.session.selection
        if hit.modifiers & Control:
            kept = tuple(i for i in selection if i != chosen)
            ids = kept if len(kept) < len(selection) else (*selection, chosen)
        elif hit.modifiers & Shift:
            ids = tuple(dict.fromkeys((*selection, chosen)))
        else:
            ids = (chosen,)
        self.session.select(ids, chosen if chosen in ids else None, who=self.who)

    def _on_drag(self, start: Hit, now: Hit) -> None:
        low, high = sorted((start.x, now.x))
        if start.panel is self.whole:
            self.span.show(low, high)
            return
        self.marks.area = max(low, self.span.low), min(high, self.span.high)
        self._measure_area()
        self.marks.update()

    def _measure_area(self) -> None:
        if self.data is None or self.marks.area is None:
            return
        totals = area_totals(self.data, *self.marks.area)
        kernels = self.tr("%n kernel(s)", "", totals.kernels)
        volume = fmt.bytes_(round(totals.ddr_bytes))
        busiest = sorted(totals.busy.items(), key=lambda entry: -entry[1])[:2]
        units = (f"{lane} {fmt.percent(share)}" for lane, share in busiest if share > 0)
        self.marks.area_label = (kernels, fmt.latency_us(totals.us), f"DDR {volume}", *units)

    def _on_key(self, event: QKeyEvent) -> None:
        keys = Qt.Key
        key = event.key()
        if self.data is None or event.modifiers() & (Control | Qt.KeyboardModifier.AltModifier):
            return
        steps = {keys.Key_Comma: -1, keys.Key_Left: -1, keys.Key_Period: 1, keys.Key_Right: 1}
        actions = {
            keys.Key_W: lambda: self.span.zoom(0.7),
            keys.Key_S: lambda: self.span.zoom(1 / 0.7),
            keys.Key_A: lambda: self.span.pan(-0.2),
            keys.Key_D: lambda: self.span.pan(0.2),
            keys.Key_F: self.focus_current,
        }
        if key in steps:
            self._step(steps[keys(key)])
        elif key in actions:
            actions[keys(key)]()
        elif key == keys.Key_Escape and self.marks.area is not None:
            self.clear_area()
        else:
            return
        event.accept()

    def _step(self, by: int) -> None:
        assert self.data is not None
        place = self._current()
        if place is None:
            place = self.data.kernel_at((self.span.low + self.span.high) / 2) or 0
        else:
            place = min(max(place + by, 0), len(self.data.costs) - 1)
        chosen = self.data.costs[place].kernel
        self.session.select((chosen,), chosen, who=self.who)
        self.span.reveal(*self.data.extent(place))


def _gutter() -> PlainAxis:
    return PlainAxis("left", label=lambda value, step: "", size=GUTTER)
