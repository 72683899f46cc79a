"""B over A, value by value: what a scale, a zero point or clipping does shows as steps, a shift or a flat end."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QPainter

from engine.graph.types import Array
from gui.fonts import font
from gui.paint.colour import with_alpha
from gui.plots.axis import PlainAxis
from gui.plots.caption import Caption
from gui.plots.chart import Chart
from gui.plots.curve_layers import CurveGrid
from gui.plots.frame import Frame
from gui.plots.layer import Layer
from gui.plots.panel import Panel, PlotBox
from gui.plots.picture import Picture, lookup
from gui.plots.shapes import halo_text, pen
from gui.theme import Theme

CELLS = 110
MOST_VALUES = 20_000


class _Equal(Layer):
    """The line on which both agree."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 10)

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint the diagonal and its name."""
        low, high = max(frame.x0, frame.y0), min(frame.x1, frame.y1)
        if high <= low:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen(self.theme.ghost, 1, (3, 3)))
        painter.drawLine(QLineF(frame.point(low, low), frame.point(high, high)))
        end = frame.point(high, high)
        at = QPointF(min(end.x(), frame.area.right()) - 6, max(end.y(), frame.area.top()) + 22)
        halo_text(painter, at, "B = A", self.theme.muted, self.theme.panel, font(10), align="right")


class _Saturated(Layer):
    """What a quantizer clips: the values of A beyond its ends, shaded, with their share."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 5)
        self.ends: tuple[float, float] | None = None
        self.words = ""

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint both sides as far as they are on show."""
        if self.ends is None:
            return
        area = frame.area
        low, high = (min(max(frame.x(end), area.left()), area.right()) for end in self.ends)
        shade = with_alpha(self.theme.warn, 0.12)
        painter.fillRect(QRectF(area.left(), area.top(), low - area.left(), area.height()), shade)
        painter.fillRect(QRectF(high, area.top(), area.right() - high, area.height()), shade)
        painter.setPen(pen(self.theme.warn, 1, (4, 3)))
        for x in (low, high):
            if area.left() < x < area.right():
                painter.drawLine(QLineF(round(x) + 0.5, area.top(), round(x) + 0.5, area.bottom()))
        if self.words:
            at = QPointF(area.left() + 6, area.top() + 10)
            halo_text(painter, at, self.words, self.theme.warn, self.theme.panel, font(10, 600))


class ScatterChart(Chart):
    """Density of the pairs (A, B); a darker cell holds more of them."""

    def __init__(self, theme: Theme) -> None:
        super().__init__("", theme)
        self.caption = Caption()
        self.add_row(self.caption)
        left, bottom = PlainAxis("left", gap=32, size=44), PlainAxis("bottom", gap=64, size=18)
        self.panel = self.add_panel(Panel(left, bottom))
        self.picture = Picture(self.panel)
        self.saturated = _Saturated(self.panel.box)
        self.panel.add(CurveGrid(self.panel, self.panel), _Equal(self.panel.box), self.saturated)
        self._counts: Array = np.zeros((1, 1))
        self._area = QRectF(0, 0, 1, 1)

    def show_pairs(
        self, a: Array, b: Array, title: str, *, ends: tuple[float, float] | None = None, words: str = ""
    ) -> None:
        """Values of a channel in both versions; beyond `ends` values are clipped, and `words` say how many."""
        self.saturated.ends, self.saturated.words = ends, words
        self.caption.set(title)
        step = max(1, len(a) // MOST_VALUES)
        a, b = a[::step], b[::step]
        known = np.isfinite(a) & np.isfinite(b)
        a, b = a[known], b[known]
        both = np.concatenate([a, b])
        low, high = (float(both.min()), float(both.max())) if both.size else (0.0, 1.0)
        pad = (high - low) * 0.04 or 0.5
        low, high = low - pad, high + pad
        edges = np.linspace(low, high, CELLS + 1)
        self._counts = np.histogram2d(b, a, (edges, edges))[0]
        self.panel.set_x(low, high)
        self.panel.set_y(low, high)
        self._area = QRectF(low, low, high - low, high - low)
        self._paint()
        self.panel.redraw()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        super().apply_theme(theme)
        if hasattr(self, "picture"):
            self._paint()

    def _paint(self) -> None:
        table = lookup(self.theme.cool)
        counts = self._counts
        share = np.log1p(counts) / max(np.log1p(counts.max()), 1e-9)
        picture = table[(90 + share * 165).astype(np.intp)]
        picture[counts == 0, 3] = 0
        self.picture.show_colors(picture, self._area)
