"""The bar chart of the channels and the histogram of one of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath

from engine.graph.types import Array
from engine.numerics.comparison import Histogram, Levels
from gui import format as fmt
from gui.fonts import font
from gui.plots.axis import PlainAxis
from gui.plots.caption import Caption, Key
from gui.plots.chart import Chart, Hit
from gui.plots.curve_layers import CurveGrid
from gui.plots.frame import Frame
from gui.plots.layer import Layer
from gui.plots.navigation import Span
from gui.plots.panel import Panel, PlotBox
from gui.plots.shapes import fill_rects, halo_text, pen, plain_text
from gui.theme import Theme

OUTLIER = 2.0
"""A channel stands out when its error is this many times the median."""


class _ChannelBars(Layer):
    """A bar per channel; those that stand out are coloured, the chosen one carries its figure."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 10)
        self.values: Array = np.empty(0)
        self.limit = 0.0
        self.dead: Sequence[int] = ()
        self.chosen = 0
        self.label = self.limit_label = ""

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint bars (the tallest of each pixel when there are more than pixels), limit and label."""
        values, area = self.values, frame.area
        first, last = max(0, int(frame.x0)), min(len(values), int(np.ceil(frame.x1)))
        if last <= first:
            return
        plain: list[QRectF] = []
        high: list[QRectF] = []
        gap = 1.0 if frame.x_scale >= 3 else 0.0
        step = max(1, int(1 / max(frame.x_scale, 1e-9)))
        for c in range(first, last, step):
            value = float(values[c : c + step].max())
            left, right = round(frame.x(c)), round(frame.x(c + step))
            top = max(area.top(), frame.y(min(value, frame.y1)))
            box = QRectF(left, top, max(1.0, right - left - gap), area.bottom() - top)
            (high if value > self.limit else plain).append(box)
        fill_rects(painter, plain, self.theme.bar)
        fill_rects(painter, high, self.theme.warn)
        self._dead(painter, frame)
        plate = self._plate(frame)
        self._limit(painter, frame, plate)
        if plate is not None:
            self._chosen(painter, frame, plate)

    def _dead(self, painter: QPainter, frame: Frame) -> None:
        """A foot below channels that never move in B: their error alone does not tell."""
        feet = [
            QRectF(round(frame.x(c)), frame.area.bottom() - 4, max(2.0, frame.x_scale - 1), 4)
            for c in self.dead
            if frame.x0 <= c < frame.x1
        ]
        fill_rects(painter, feet, self.theme.bad)

    def _limit(self, painter: QPainter, frame: Frame, plate: QRectF | None) -> None:
        if not 0 < self.limit < frame.y1:
            return
        y = round(frame.y(self.limit)) + 0.5
        painter.setPen(pen(self.theme.muted, 1, (2, 2)))
        painter.drawLine(QLineF(frame.area.left(), y, frame.area.right(), y))
        wide = QFontMetricsF(font(10)).horizontalAdvance(self.limit_label) + 8
        place = QRectF(frame.area.right() - wide, y - 16, wide, 16)
        if plate is None or not plate.intersects(place):
            at = QPointF(frame.area.right() - 2, y - 8)
            halo_text(painter, at, self.limit_label, self.theme.muted, self.theme.panel, font(10), align="right")
            return
        at = QPointF(frame.area.left() + 2, y - 8)
        halo_text(painter, at, self.limit_label, self.theme.muted, self.theme.panel, font(10))

    def _plate(self, frame: Frame) -> QRectF | None:
        """Where the label of the chosen channel goes."""
        if not 0 <= self.chosen < len(self.values):
            return None
        value = float(self.values[self.chosen])
        top = max(frame.area.top(), frame.y(min(value, frame.y1)))
        left, right = round(frame.x(self.chosen)), round(frame.x(self.chosen + 1))
        width = max(2.0, right - left - 1.0)
        wide = QFontMetricsF(font(10, 600)).horizontalAdvance(self.label) + 12
        x = left + width + 5 if left + width + 5 + wide < frame.area.right() else left - 5 - wide
        y = min(max(frame.area.top(), top - 2), frame.area.bottom() - 16)  # a low bar's label stays inside, too
        return QRectF(x, y, wide, 16)

    def _chosen(self, painter: QPainter, frame: Frame, plate: QRectF) -> None:
        value = float(self.values[self.chosen])
        top = max(frame.area.top(), frame.y(min(value, frame.y1)))
        left, right = round(frame.x(self.chosen)), round(frame.x(self.chosen + 1))
        width = max(2.0, right - left - 1.0)
        painter.fillRect(QRectF(left, top, width, frame.area.bottom() - top), self.theme.bad)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        path = QPainterPath()
        path.addRoundedRect(plate, 3, 3)
        painter.fillPath(path, self.theme.ink)
        plain_text(painter, plate.adjusted(6, 0, 0, 0), self.label, self.theme.panel, font(10, 600))


class ChannelChart(Chart):
    """Relative error by channel; a click chooses a channel."""

    channel_chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__("", theme)
        self.caption = Caption()
        self.add_row(self.caption)
        left = PlainAxis("left", label=lambda value, step: "", size=1)
        bottom = PlainAxis("bottom", gap=60, label=lambda value, step: str(round(value)), least_step=1, size=18)
        self.panel = self.add_panel(Panel(left, bottom))
        self.bars = _ChannelBars(self.panel.box)
        self.panel.add(self.bars)
        self.shown = Span(0.0, 1.0, 1.0)
        self.navigate(self.shown, self.panel)
        self.clicked.connect(self._on_hit)
        self.dragged.connect(lambda _, hit: self._on_hit(hit))

    def show_channels(self, values: Array, title: str, dead: Sequence[int] = ()) -> None:
        """Relative errors; infinite ones reach the top. `dead` channels get a foot."""
        finite = values[np.isfinite(values)]
        top = float(finite.max()) if finite.size else 1.0
        self.caption.set(title)
        self.shown.set_limits(0.0, float(max(1, len(values))), float(min(8, max(1, len(values)))))
        self.panel.set_y(0.0, max(top * 1.22, 1e-9))
        self.bars.dead = dead
        self.bars.values = np.nan_to_num(values, posinf=top * 1.08)
        self.bars.limit = OUTLIER * float(np.median(finite)) if finite.size else 0.0
        self.bars.limit_label = fmt.percent(self.bars.limit)
        self.panel.redraw()

    def choose(self, channel: int, label: str) -> None:
        """Mark a channel."""
        self.bars.chosen, self.bars.label = channel, label
        self.shown.reveal(channel, channel + 1)
        self.bars.update()

    def _on_hit(self, hit: Hit) -> None:
        channel = int(hit.x)
        if 0 <= channel < len(self.bars.values) and channel != self.bars.chosen:
            self.channel_chosen.emit(channel)


BOTTOM = -0.3
"""The logarithmic axis begins at half a value, so that a single one can be seen."""


class _HistogramBars(Layer):
    """A as pale bars, B as a line of steps; B as stems when it has few levels."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 10)
        self.found: Histogram | None = None
        self.log = True
        self.levels: Levels | None = None
        self.stems: tuple[Array, Array] = (np.empty(0), np.empty(0))

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint counts and what the quantizer can give."""
        found = self.found
        if found is None:
            return
        xs = np.round(frame.xs(found.edges))
        base = frame.area.bottom()
        self._grid(painter, frame)
        heights = frame.ys(self._height(found.reference))
        bars = [
            QRectF(xs[i], heights[i], max(1.0, xs[i + 1] - xs[i] - 1), base - heights[i])
            for i in np.flatnonzero(found.reference > 0)
        ]
        fill_rects(painter, bars, self.theme.bar2)
        painter.setPen(pen(self.theme.accent, 1.6))
        if self.stems[0].size:
            self._stems(painter, frame)
            return
        tops = np.where(found.result > 0, frame.ys(self._height(found.result)), base)
        path = QPainterPath(QPointF(xs[0], base))
        for i, top in enumerate(tops):
            path.lineTo(xs[i], top)
            path.lineTo(xs[i + 1], top)
        path.lineTo(xs[-1], base)
        painter.strokePath(path, pen(self.theme.accent, 1.6))

    def _height(self, counts: Array) -> Array:
        found: Array = np.log10(np.maximum(counts, 1)) if self.log else np.asarray(counts, np.float64)
        return found

    def _grid(self, painter: QPainter, frame: Frame) -> None:
        """Levels as hairlines where they are 4 px apart, and both ends beyond which values are clipped."""
        levels, area = self.levels, frame.area
        if levels is None:
            return
        step = levels.scale * frame.x_scale
        if step >= 4:
            first = max(0, int((frame.x0 - levels.low) / levels.scale))
            last = min(levels.count - 1, int((frame.x1 - levels.low) / levels.scale) + 1)
            xs = [round(frame.x(levels.low + k * levels.scale)) + 0.5 for k in range(first, last + 1)]
            painter.setPen(pen(self.theme.grid))
            painter.drawLines([QLineF(x, area.top(), x, area.bottom()) for x in xs])
        painter.setPen(pen(self.theme.warn, 1, (4, 3)))
        for end in (levels.low, levels.high):
            if frame.x0 < end < frame.x1:
                x = round(frame.x(end)) + 0.5
                painter.drawLine(QLineF(x, area.top(), x, area.bottom()))

    def _stems(self, painter: QPainter, frame: Frame) -> None:
        values, counts = self.stems
        xs, ys = frame.xs(values), frame.ys(self._height(counts))
        painter.drawLines(
            [QLineF(round(x) + 0.5, frame.area.bottom(), round(x) + 0.5, y) for x, y in zip(xs, ys, strict=True)]
        )
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(self.theme.accent)
        for x, y in zip(xs, ys, strict=True):
            painter.drawEllipse(QPointF(round(x) + 0.5, y), 2.2, 2.2)


class HistogramChart(Chart):
    """Counts of A and B over their values, with the levels that a quantizer can give."""

    MOST_STEMS = 40

    def __init__(self, theme: Theme) -> None:
        super().__init__("", theme)
        self.caption = Caption()
        self.add_row(self.caption)
        left = PlainAxis("left", gap=22, label=self._count, least_step=1, size=34)
        bottom = PlainAxis("bottom", gap=64, size=18)
        self.panel = self.add_panel(Panel(left, bottom))
        self.bars = _HistogramBars(self.panel.box)
        self.panel.add(CurveGrid(self.panel, self.panel), self.bars)

    def _count(self, value: float, step: float) -> str:
        return _power(value, step) if self.bars.log else fmt.integer(round(value))

    def show_histogram(
        self,
        found: Histogram,
        values: Array,
        title: str,
        keys: tuple[str, str],
        note: str,
        *,
        levels: Levels | None = None,
        log: bool = True,
    ) -> None:
        """Counts, the values of B (for its levels), the words around them, and the quantizer that reads B."""
        self.bars.levels, self.bars.log = levels, log
        few = found.levels <= min(self.MOST_STEMS, len(values) // 4)
        finite = values[np.isfinite(values)]
        self.bars.found = found
        self.bars.stems = np.unique(finite, return_counts=True) if few else (np.empty(0), np.empty(0))
        edges = found.edges
        pad = (edges[-1] - edges[0]) * 0.03
        top = max(float(found.reference.max()), float(found.result.max()), 1.0)
        if few and self.bars.stems[1].size:
            top = max(top, float(self.bars.stems[1].max()))
        self.panel.set_x(float(edges[0] - pad), float(edges[-1] + pad))
        if log:
            self.panel.set_y(BOTTOM, float(np.log10(top)) * 1.06 + 0.05)
        else:
            self.panel.set_y(0.0, top * 1.06)
        self.caption.set(title, (Key(keys[0], "box", "bar2"), Key(keys[1], "line", "accent")), short="")
        self.setAccessibleDescription(note)
        self.panel.redraw()


def _power(value: float, step: float) -> str:
    whole = round(value)
    return f"{10**whole:,}".replace(",", fmt.NARROW) if whole < 4 else f"10{str(whole).translate(_UP)}"


_UP = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
