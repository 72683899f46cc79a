"""A line of values over their positions: of several on one pixel the lowest and the highest."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QPainter

from engine.graph.types import Array
from gui.plots.frame import Frame
from gui.plots.layer import Layer
from gui.plots.panel import PlotBox
from gui.plots.shapes import pen, polyline, thin


class ValueLine(Layer):
    """Values over their positions; of several on one pixel the lowest and the highest."""

    def __init__(self, box: PlotBox, token: str, width: float, z: float) -> None:
        super().__init__(box, z)
        self._token, self._width = token, width
        self.xs: Array = np.empty(0)
        self.ys: Array = np.empty(0)

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint what is on show."""
        first, last = np.searchsorted(self.xs, (frame.x0, frame.x1))
        part = slice(max(0, int(first) - 1), int(last) + 1)
        xs, ys = self.xs[part], self.ys[part]
        known = np.isfinite(ys)
        if known.sum() < 2:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        xs, ys = thin(frame.xs(xs[known]), frame.ys(ys[known]))
        polyline(painter, xs, ys, pen(getattr(self.theme, self._token), self._width))
