"""From data to pixels and back, for one plot area."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF

from engine.graph.types import Array


@dataclass(frozen=True, slots=True)
class Frame:
    """A plot area in pixels and the ranges that it shows. y grows upwards in data and downwards in pixels."""

    area: QRectF
    x0: float
    x1: float
    y0: float
    y1: float

    @property
    def x_scale(self) -> float:
        """Pixels per unit of x."""
        return self.area.width() / (self.x1 - self.x0)

    @property
    def y_scale(self) -> float:
        """Pixels per unit of y."""
        return self.area.height() / (self.y1 - self.y0)

    def x(self, value: float) -> float:
        """Pixel column of a value."""
        return self.area.left() + (value - self.x0) * self.x_scale

    def y(self, value: float) -> float:
        """Pixel row of a value."""
        return self.area.bottom() - (value - self.y0) * self.y_scale

    def xs(self, values: Array) -> Array:
        """Pixel columns of many values."""
        result: Array = self.area.left() + (np.asarray(values, float) - self.x0) * self.x_scale
        return result

    def ys(self, values: Array) -> Array:
        """Pixel rows of many values."""
        result: Array = self.area.bottom() - (np.asarray(values, float) - self.y0) * self.y_scale
        return result

    def point(self, x: float, y: float) -> QPointF:
        """Pixel position of a data point."""
        return QPointF(self.x(x), self.y(y))

    def data_x(self, pixel: float) -> float:
        """Value at a pixel column."""
        return self.x0 + (pixel - self.area.left()) / self.x_scale

    def data_y(self, pixel: float) -> float:
        """Value at a pixel row."""
        return self.y0 + (self.area.bottom() - pixel) / self.y_scale

    def rect(self, x0: float, x1: float, y0: float, y1: float) -> QRectF:
        """Pixel rectangle of a data rectangle."""
        left, right, top, bottom = self.x(x0), self.x(x1), self.y(y1), self.y(y0)
        return QRectF(left, top, right - left, bottom - top)
