"""How the latency plot is drawn."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath

from engine.graph.types import Array
from gui import format as fmt
from gui.fonts import font
from gui.plots.frame import Frame
from gui.plots.kernel_layers import STRIP_HEIGHT
from gui.plots.layer import Layer
from gui.plots.panel import PlotBox
from gui.plots.shapes import boxes, fill_rects, halo_text

MOST_CUT = 24


class LatencyBarsLayer(Layer):
    """A bar per kernel: launch pale at its foot, the rest neutral; a tick where the previous plan was."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 10, kept=True)
        self._total: Array = np.empty(0)
        self._launch: Array = np.empty(0)
        self._previous: Array = np.empty(0)

    def set(self, total: Array, launch: Array, previous: Array) -> None:
        """Microseconds by kernel; NaN = none."""
        self._total, self._launch, self._previous = total, launch, previous
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint the visible bars, one call per colour; the longest of each pixel when there are more than pixels."""
        first, last = max(0, int(frame.x0)), min(len(self._total), int(frame.x1) + 2)
        index = first + np.flatnonzero(np.isfinite(self._total[first:last]))
        if frame.x_scale < 1:
            order = index[np.lexsort((-self._total[index], np.floor(frame.xs(index))))]
            index = np.sort(order[np.unique(np.floor(frame.xs(order)), return_index=True)[1]])
        gap = 2.0 if frame.x_scale >= 8 else 1.0 if frame.x_scale >= 4 else 0.0
        base = frame.area.bottom() - STRIP_HEIGHT - 2
        total, old = self._total[index], self._previous[index]
        left = np.round(frame.xs(index - 0.5))
        width = np.maximum(1.0, np.round(frame.xs(index + 0.5)) - left - gap)
        top = np.minimum(frame.ys(total), base)
        foot = np.maximum(np.minimum(base, frame.ys(self._launch[index])), top)
        fill_rects(painter, boxes(left, top, width, foot - top), self.theme.bar)
        fill_rects(painter, boxes(left, foot, width, base - foot), self.theme.bar2)
        with np.errstate(invalid="ignore"):
            moved = np.abs(old - total) * frame.y_scale >= 1
        tick = np.round(np.maximum(frame.ys(np.nan_to_num(old)), frame.area.top())) - 1
        for chosen, color in ((moved & (old > total), self.theme.good), (moved & (old < total), self.theme.warn)):
            fill_rects(painter, boxes(left[chosen] - 1, tick[chosen], width[chosen] + 2, 2), color)
        for i in index[total > frame.y1][:MOST_CUT].tolist():
            self._cut(painter, frame, i, float(self._total[i]))

    def _cut(self, painter: QPainter, frame: Frame, index: int, total: float) -> None:
        """Mark a bar that goes on above the plot and write how long it is."""
        x, top = frame.x(index), frame.area.top()
        half = max(4.0, min(8.0, frame.x_scale / 2 + 1))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        path = QPainterPath(QPointF(x - half, top + 8))
        path.lineTo(x, top + 1)
        path.lineTo(x + half, top + 8)
        path.closeSubpath()
        painter.fillRect(QRectF(x - half - 1, top, 2 * half + 2, 10), self.theme.panel)
        painter.fillPath(path, self.theme.bar)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        text = fmt.latency_us(total)
        width = QFontMetricsF(font(10, 600)).horizontalAdvance(text)
        left = x - half - width - 5 >= frame.area.left()
        at = QPointF(x - half - 5 if left else x + half + 5, top + 6)
        align = "right" if left else "left"
        halo_text(painter, at, text, self.theme.text2, self.theme.panel, font(10, 600), align=align)
