"""Jitter: a list of measured latencies, run by run and as a distribution, and what it says."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QMenu, QSizePolicy, QVBoxLayout, QWidget

from engine.graph.types import Array
from engine.interop.jitter import Jitter
from engine.session.changes import What
from gui import folders
from gui import format as fmt
from gui.fonts import font
from gui.i18n import text
from gui.plots.axis import PlainAxis
from gui.plots.caption import Caption, Key
from gui.plots.chart import Chart, Hit
from gui.plots.curve_layers import CurveGrid
from gui.plots.export import Exporter
from gui.plots.frame import Frame
from gui.plots.layer import Layer
from gui.plots.navigation import Span
from gui.plots.panel import Panel, PlotBox
from gui.plots.shapes import fill_rects, halo_text, pen
from gui.plots.table import Table
from gui.plots.value_line import ValueLine
from gui.plots.view import PlotView
from gui.theme import Theme
from gui.widgets.gaps import GapSplitter
from gui.widgets.icon_button import IconButton
from gui.widgets.popup import one_use_menu
from gui.widgets.scrolling import scrolling
from gui.widgets.themed import button, label

if TYPE_CHECKING:
    from engine.session import Session

SHOWN = (50, 95, 99)
"""Percentiles that are drawn as lines."""
BINS = 60
LABEL = 12.0
"""Px that labels of lines need between them."""
SIDE_BY_SIDE = 560
"""Px of the panel below which the distribution stands under the runs."""
LEAST = 128
"""Px below which no chart gets; the panel scrolls instead."""


_SCALES = {"µs": 1.0, "ms": 1e3}
"""µs in a unit of the charts."""


def _unit(found: Jitter) -> str:
    """The unit that the worst run has in the figures above the charts."""
    return "µs" if float(found.latencies_us.max()) < 1e3 else "ms"


class _Marks(Layer):
    """Outliers as rings, percentiles as dashed lines, the beginning of a drift as an upright one."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 20)
        self.found: Jitter | None = None

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint what is on show."""
        found, area = self.found, frame.area
        if found is None:
            return
        scale = _SCALES[_unit(found)]
        levels = [(round(frame.y(found.percentiles[percentile] / scale)) + 0.5, percentile) for percentile in SHOWN]
        levels = [level for level in levels if area.top() < level[0] < area.bottom()]
        for y, _ in levels:
            painter.setPen(pen(self.theme.ghost, 1, (4, 3)))
            painter.drawLine(QLineF(area.left(), y, area.right(), y))
        for y, words in percentile_labels(levels):
            at = QPointF(area.right() - 4, y - 7)
            halo_text(painter, at, words, self.theme.muted, self.theme.panel, font(10), align="right")
        if found.drift is not None and found.drift.starts:
            x = round(frame.x(found.drift.starts)) + 0.5
            painter.setPen(pen(self.theme.warn, 1, (4, 3)))
            painter.drawLine(QLineF(x, area.top(), x, area.bottom()))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen(self.theme.bad, 1.4))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for outlier in found.outliers:
            if frame.x0 <= outlier.run <= frame.x1:
                painter.drawEllipse(frame.point(outlier.run, outlier.latency_us / scale), 3.5, 3.5)


def percentile_labels(levels: list[tuple[float, int]]) -> list[tuple[float, str]]:
    """Where which words stand: lines that are closer than a line of text share one label, at the uppermost.

    Args:
        levels: y in px and percentile, from the lowest line up.
    """
    groups: list[list[tuple[float, int]]] = []
    for level in levels:
        if groups and groups[-1][0][0] - level[0] < LABEL:
            groups[-1].append(level)
        else:
            groups.append([level])
    return [(group[-1][0], ", ".join(f"p{percentile}" for _, percentile in group)) for group in groups]


def shown_end(values: Array) -> float:
    """Right end of the distribution: what few runs take longer would squeeze all others into one corner.

    Args:
        values: latencies [runs], any unit.
    """
    low, first, last = float(values.min()), *(float(v) for v in np.percentile(values, (1, 99)))
    return max(min(float(values.max()), 2 * last - first), low * 1.001)


def distribution(values: Array) -> tuple[Array, Array]:
    """How many runs took how long.

    Args:
        values: latencies [runs], any unit.

    Returns:
        Counts [bins], the last one with all that is beyond `shown_end`; edges [bins + 1] in the unit of the values.
    """
    low, high = float(values.min()), shown_end(values)
    counts, edges = np.histogram(np.minimum(values, high), BINS, (low, high))
    return counts, edges


class _Bars(Layer):
    """Counts of the distribution."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 10)
        self.edges: Array = np.zeros(1)
        self.counts: Array = np.zeros(0)

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint a bar per bin."""
        xs, ys = np.round(frame.xs(self.edges)), frame.ys(self.counts)
        base = frame.area.bottom()
        bars = [
            QRectF(xs[i], ys[i], max(1.0, xs[i + 1] - xs[i] - 1), base - ys[i]) for i in np.flatnonzero(self.counts)
        ]
        fill_rects(painter, bars, self.theme.bar)


class JitterView(PlotView):
    """Latencies by run, their distribution, and a sentence of advice for each thing that was found."""

    WATCHES: ClassVar[frozenset[What]] = frozenset({What.MEASURED})

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self.runs, self.bins = Chart("", theme), Chart("", theme)
        self.runs_caption, self.bins_caption = Caption(), Caption()
        self.runs.add_row(self.runs_caption)
        whole = PlainAxis("bottom", gap=64, label=lambda value, step: str(round(value)), least_step=1, size=18)
        self.run_panel = self.runs.add_panel(Panel(PlainAxis("left", gap=28, size=48), whole))
        self.line, self.marks = ValueLine(self.run_panel.box, "accent", 1.2, 10), _Marks(self.run_panel.box)
        self.run_panel.add(CurveGrid(self.run_panel, self.run_panel), self.line, self.marks)
        self.span = Span(0.0, 1.0, 1.0)
        self.runs.navigate(self.span, self.run_panel)
        self.runs.hovered.connect(self._on_hover)
        self.bins.add_row(self.bins_caption)
        counts = PlainAxis("left", gap=28, label=lambda value, step: str(round(value)), least_step=1, size=40)
        self.bin_panel = self.bins.add_panel(Panel(counts, PlainAxis("bottom", gap=64, size=18)))
        self.bars = _Bars(self.bin_panel.box)
        self.bin_panel.add(CurveGrid(self.bin_panel, self.bin_panel), self.bars)
        self.figures, self.advice = label("", "strong"), label("", "")
        self.figures.setWordWrap(True)
        self.advice.setWordWrap(True)
        self.advice.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.open_button = button("")
        self.open_button.clicked.connect(self.open_file)
        self.more = IconButton("more", token="muted")
        self.exporters = {
            self.runs: Exporter(self, self.runs, self.runs_table, self.runs.accessibleName, twin=self),
            self.bins: Exporter(self, self.bins, self.bins_table, self.bins.accessibleName, twin=self),
        }
        self.asked = self.runs
        """The chart whose figures the table has: the one that had the keys last, or was clicked."""
        self.more.clicked.connect(self._on_more)
        for chart in (self.runs, self.bins):
            chart.speaker = self.figures.text
            chart.menu_wanted.connect(partial(self._on_menu, chart))
            chart.keys_taken.connect(partial(self._on_used, chart))
        self.set_page(self._lay_out())
        self.retranslate()

    def _lay_out(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.figures.setContentsMargins(12, 6, 12, 2)
        self.advice.setContentsMargins(12, 0, 12, 2)
        column.addWidget(self.figures)
        column.addWidget(self.advice)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(12, 2, 12, 6)
        buttons.addWidget(self.open_button)
        buttons.addStretch()
        column.addLayout(buttons)
        for chart in (self.runs, self.bins):
            chart.setMinimumHeight(LEAST)
        self.charts = GapSplitter(Qt.Orientation.Horizontal, self.runs, self.bins)
        self.charts.setSizes([600, 400])
        self.charts.setMinimumHeight(LEAST)
        self.charts.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)  # what is left, no more
        column.addWidget(self.charts, 1)
        return scrolling(page)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Side by side where both can be read, else one below the other."""
        super().resizeEvent(event)
        across = self.width() >= SIDE_BY_SIDE
        wanted = Qt.Orientation.Horizontal if across else Qt.Orientation.Vertical
        if self.charts.orientation() is not wanted:
            self.charts.setOrientation(wanted)
            self.charts.setMinimumHeight(LEAST if across else 2 * LEAST + self.charts.handleWidth())
            self.charts.setSizes([600, 400])

    def title(self) -> str:
        """Title of the dock."""
        return self.tr("Jitter")

    def header_widgets(self) -> list[QWidget]:
        """More."""
        return [self.more]

    def retranslate(self) -> None:
        """The language has changed."""
        super().retranslate()
        self.open_button.setText(self.tr("Open latencies…"))
        self.more.set_tip(self.tr("Copy and export"))
        self.runs.setAccessibleName(self.tr("Latency by run"))
        self.bins.setAccessibleName(self.tr("Distribution of the latency"))

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        super().apply_theme(theme)
        self.runs.apply_theme(theme)
        self.bins.apply_theme(theme)

    def draw(self) -> None:
        """Show the latencies, or say what is missing."""
        found, path = self.session.measurements.jitter, self.session.measurements.jitter_path
        if found is None or path is None:
            self.set_subtitle("")
            self.show_empty(
                self.tr(
                    "No latencies yet. A list of some hundred tells what disturbs: one a line in µs, or a column or "
                    "key whose name has the unit, such as latency_ms."
                ),
                self.tr("Open latencies…"),
            )
            return
        self.show_page()
        self.set_subtitle(f"{path.name} · " + self.tr("%n inference(s)", "", len(found.latencies_us)))
        words = self.tr("median {median} · p95 {p95} · p99 {p99} · worst {worst}")
        self.figures.setText(
            words.format(
                median=fmt.run_latency(found.percentiles[50]),
                p95=fmt.run_latency(found.percentiles[95]),
                p99=fmt.run_latency(found.percentiles[99]),
                worst=fmt.run_latency(float(found.latencies_us.max())),
            )
        )
        self.advice.setText("\n".join(text(sentence) for sentence in found.advice))
        self._show_runs(found)
        self._show_bins(found)

    def _on_empty(self) -> None:
        self.open_file()

    def _show_runs(self, found: Jitter) -> None:
        unit, values = _unit(found), found.latencies_us / _SCALES[_unit(found)]
        count = len(values)
        self.line.xs, self.line.ys, self.marks.found = np.arange(count, dtype=float), values, found
        title = self.tr("Latency by run, {unit}").format(unit=unit)
        self.runs_caption.set(title, (Key(self.tr("outlier"), "ring", "bad"),))
        self.span.set_limits(0.0, float(max(1, count - 1)), float(min(16, max(1, count - 1))))
        low, high = float(values.min()), float(values.max())
        pad = (high - low) * 0.06 or 0.5
        self.run_panel.set_y(max(0.0, low - pad), high + pad)
        self.run_panel.redraw()

    def _show_bins(self, found: Jitter) -> None:
        unit, values = _unit(found), found.latencies_us / _SCALES[_unit(found)]
        counts, edges = distribution(values)
        low, high = float(edges[0]), float(edges[-1])
        self.bars.edges, self.bars.counts = edges, counts
        beyond = self.tr("last: ≥ {value}").format(value=fmt.fixed(edges[-2], 2)) if float(values.max()) > high else ""
        title = self.tr("Runs by latency, {unit}").format(unit=unit)
        self.bins_caption.set(title, (), beyond, plain=True)
        self.bin_panel.set_x(low, high)
        self.bin_panel.set_y(0.0, max(1.0, float(counts.max()) * 1.06))
        self.bin_panel.redraw()

    def _on_hover(self, hit: Hit | None) -> None:
        found = self.session.measurements.jitter
        tip = ""
        if hit is not None and found is not None and 0 <= round(hit.x) < len(found.latencies_us):
            run = round(hit.x)
            words = self.tr("run {run}: {time}")
            tip = words.format(run=run + 1, time=fmt.run_latency(float(found.latencies_us[run])))
        self.runs.setToolTip(tip)

    def open_file(self) -> None:
        """Ask for a list of latencies."""
        kinds = self.tr("Latencies") + " (*.txt *.csv *.json *.log);;" + self.tr("All files") + " (*)"
        chosen, _ = QFileDialog.getOpenFileName(self, self.tr("Open measured latencies"), folders.to_open(self), kinds)
        if chosen:
            folders.opened(self, Path(chosen))
            self.session.measurements.open_latencies(Path(chosen))

    def _on_used(self, chart: Chart) -> None:
        self.asked = chart

    def _on_more(self) -> None:
        self._menu(self.asked).popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))

    def _on_menu(self, chart: Chart, position: QPointF) -> None:
        self.asked = chart
        self._menu(chart).popup(chart.mapToGlobal(position.toPoint()))

    def _menu(self, chart: Chart) -> QMenu:
        menu = one_use_menu(self)
        menu.addSection(chart.accessibleName())
        self.exporters[chart].fill(menu)
        return menu

    def table(self) -> Table:
        """The figures of the chart in use."""
        return self.bins_table() if self.asked is self.bins else self.runs_table()

    def bins_table(self) -> Table:
        """One row per bar of the distribution; the last one has what is beyond, too."""
        found = self.session.measurements.jitter
        if found is None:
            return Table((), ())
        counts, edges = distribution(found.latencies_us)
        ends = (*(float(edge) for edge in edges[1:-1]), float(found.latencies_us.max()))
        rows = [(float(low), high, int(count)) for low, high, count in zip(edges[:-1], ends, counts, strict=True)]
        return Table(("from_us", "to_us", "runs"), rows)

    def runs_table(self) -> Table:
        """One row per run."""
        found = self.session.measurements.jitter
        if found is None:
            return Table((), ())
        away = {outlier.run for outlier in found.outliers}
        rows = [(i + 1, float(v), "outlier" if i in away else "") for i, v in enumerate(found.latencies_us)]
        return Table(("run", "latency_us", "state"), rows)
