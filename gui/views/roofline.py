"""Roofline: what each kernel reaches, under what memory and compute allow it."""

from __future__ import annotations

from math import log10
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from engine.session.changes import What
from gui import format as fmt
from gui.bridge import hub
from gui.plots.axis import LogAxis
from gui.plots.caption import Caption, Key
from gui.plots.chart import Hit
from gui.plots.curve_layers import CurveGrid
from gui.plots.kernels import KernelColumns, kernel_columns
from gui.plots.panel import Panel
from gui.plots.table import Table
from gui.plots.view import ChartView
from gui.theme import Theme
from gui.views.layers_card import kernel_card
from gui.views.roofline_data import RooflineData, roofline_data, roofline_table
from gui.views.roofline_layers import Points, Roofs
from gui.views.words import bound_word
from gui.widgets.tip_card import TipContent, spoken

if TYPE_CHECKING:
    from engine.session import Session

REACH_PX = 14.0
"""How near the pointer must be to a point."""


class RooflineView(ChartView):
    """Both axes are logarithmic; a point under the slope waits for memory, one under a ceiling for compute."""

    WATCHES: ClassVar[frozenset[What]] = frozenset({What.PLAN, What.SIMULATION, What.DEVICE, What.SELECTION})

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self.data: RooflineData | None = None
        self.columns = KernelColumns()
        self.caption = Caption()
        self.chart.add_row(self.caption)
        self.panel = self.chart.add_panel(Panel(LogAxis("left", size=46), LogAxis("bottom", size=20)))
        self.roofs, self.points = Roofs(self.panel.box), Points(self.panel.box)
        self.panel.add(CurveGrid(self.panel), self.roofs, self.points)
        self.chart.hovered.connect(self._on_hover)
        self.chart.rested.connect(self._on_rest)
        self.chart.clicked.connect(self._on_click)
        self.chart.key_pressed.connect(self._on_key)
        self.retranslate()

    def title(self) -> str:
        """Title of the dock."""
        return self.tr("Roofline")

    def draw(self) -> None:
        """Draw the simulation of the session."""
        self.columns = kernel_columns(self.shown)
        data = self.data = roofline_data(self.shown)
        if self.session.network is None:
            self.show_no_model(self.tr("Open a model to see what bounds its kernels."))
            return
        if data is None:
            self.show_empty(self.tr("No kernel that multiplies has been simulated yet."))
            return
        self.show_page()
        x0, x1, y0, y1 = data.ranges()
        self.panel.set_x(x0, x1)
        self.panel.set_y(y0, y1)
        bandwidth = self.tr("DDR {rate}").format(rate=fmt.bandwidth(data.ddr_gb_s * 1e9))
        labels = [f"{roof.name}  {fmt.tops(roof.tops * 1e12)}" for roof in data.roofs]
        self.roofs.set(data, bandwidth, labels)
        self.points.set(data, [self.columns.families[int(k)] for k in data.kernels])
        there = [f for f in ("INT4", "INT8", "FP16", "FP32") if f in self.columns.families]
        self.caption.set(self.tr("TOPS by MAC per DDR byte"), [Key(family, "marker", family) for family in there])
        self.draw_selection()
        self.panel.redraw()

    def draw_selection(self) -> None:
        """Ring the current kernel and write its name."""
        index = self.columns.index.get(self.session.current or "")
        place = self._place(index)
        label = ""
        if place is not None and index is not None and self.data is not None:
            time = fmt.latency_us(float(self.data.latency_us[place]))
            label = f"{self.columns.short[index]}  {time}"
        self.points.set_current(place, label)

    def table(self) -> Table:
        """One row per point."""
        return roofline_table(self.data, self.columns) if self.data is not None else Table((), ())

    def echo(self, kernel_id: str) -> None:
        """Ring the kernel under the pointer of another view."""
        self.points.set_hovered(self._place(self.columns.index.get(kernel_id)))

    def describe(self, place: int) -> TipContent:
        """Where a point is, and why."""
        data, simulation = self.data, self.shown.figures.simulation
        assert data is not None
        assert simulation is not None
        index = int(data.kernels[place])
        tops, intensity = float(data.tops[place]), float(data.intensity[place])
        allowed = min(data.memory_roof(intensity), max(log10(roof.tops) for roof in data.roofs))
        rows = [
            (self.tr("reaches"), fmt.tops(10**tops * 1e12)),
            (self.tr("of the roof"), fmt.percent(10 ** (tops - allowed))),
            (self.tr("MAC per byte"), fmt.scientific(10**intensity, 2)),
            (self.tr("latency"), fmt.latency_us(float(data.latency_us[place]))),
            (self.tr("bound by"), bound_word(simulation.kernels[index].bound)),
        ]
        return kernel_card(self.shown, index, rows)

    def spoken(self) -> str:
        """The current kernel's card."""
        place = self._place(self.columns.index.get(self.session.current or "")) if self.chart.isVisible() else None
        return spoken(self.describe(place)) if place is not None else ""

    def _place(self, index: int | None) -> int | None:
        if self.data is None or index is None:
            return None
        found = (self.data.kernels == index).nonzero()[0]
        return int(found[0]) if found.size else None

    def _near(self, hit: Hit | None) -> int | None:
        if hit is None or self.data is None:
            return None
        frame = self.panel.box.frame()
        far = (frame.xs(self.data.intensity) - frame.x(hit.x)) ** 2 + (frame.ys(self.data.tops) - frame.y(hit.y)) ** 2
        place = int(far.argmin())
        return place if far[place] <= REACH_PX**2 else None

    def _on_hover(self, hit: Hit | None) -> None:
        place = self._near(hit)
        if place != self.points.hovered:
            self.card.hide()
            self.points.set_hovered(place)
            known = place is not None and self.data is not None
            hub.hover(self.columns.ids[int(self.data.kernels[place])] if known else None, self.who)  # type: ignore[union-attr]

    def _on_rest(self, hit: Hit) -> None:
        place = self._near(hit)
        if place is not None:
            self.card.show_at(self.describe(place), self.chart.mapToGlobal(hit.position.toPoint()))

    def _on_click(self, hit: Hit) -> None:
        place = self._near(hit)
        if place is not None and self.data is not None:
            kernel = self.columns.ids[int(self.data.kernels[place])]
            self.session.select((kernel,), kernel, who=self.who)

    def _on_key(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None or self.data is None:
            return
        here = self._place(self.columns.index.get(self.session.current or ""))
        place = 0 if here is None else min(max(here + step, 0), len(self.data.kernels) - 1)
        kernel = self.columns.ids[int(self.data.kernels[place])]
        self.session.select((kernel,), kernel, who=self.who)
        event.accept()
