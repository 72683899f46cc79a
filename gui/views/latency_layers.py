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
from gui.plots.shapes import fill_rects, halo_text


class LatencyBarsLayer(Layer):
    """A bar per kernel: launch pale at its foot, the rest neutral; a tick where the previous plan was."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 10)
        self._total: Array = np.empty(0)
        self._launch: Array = np.empty(0)
        self._previous: Array = np.empty(0)

    def set(self, total: Array, launch: Array, previous: Array) -> None:
        """Microseconds by kernel; NaN = none."""
        self._total, self._launch, self._previous = total, launch, previous
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint the visible bars, one call per colour."""
        first, last = max(0, int(frame.x0)), min(len(self._total), int(frame.x1) + 2)
        gap = 2.0 if frame.x_scale >= 8 else 1.0 if frame.x_scale >= 4 else 0.0
        base = frame.area.bottom() - STRIP_HEIGHT - 2
        work: list[QRectF] = []
        launch: list[QRectF] = []
        better: list[QRectF] = []
        worse: list[QRectF] = []
        cut: list[tuple[int, float]] = []
        for i in range(first, last):
            total = float(self._total[i])
            if np.isnan(total):
                continue
            left, right = round(frame.x(i - 0.5)), round(frame.x(i + 0.5))
            width = max(1.0, right - left - gap)
            top, foot = frame.y(total), min(base, frame.y(float(self._launch[i])))
            work.append(QRectF(left, top, width, max(0.0, foot - top)))
            launch.append(QRectF(left, max(foot, top), width, max(0.0, base - max(foot, top))))
            if total > frame.y1:
                cut.append((i, total))
            old = float(self._previous[i])
            if not np.isnan(old) and abs(old - total) * frame.y_scale >= 1:
                tick = QRectF(left - 1, round(max(frame.y(old), frame.area.top())) - 1, width + 2, 2)
                (better if old > total else worse).append(tick)
        fill_rects(painter, work, self.theme.bar)
        fill_rects(painter, launch, self.theme.bar2)
        fill_rects(painter, better, self.theme.good)
        fill_rects(painter, worse, self.theme.warn)
        for i, total in cut:
            self._cut(painter, frame, i, total)

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
