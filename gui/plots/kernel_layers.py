"""Layers of plots whose x axis is the kernel number: grid, selection, hover, precision strip."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from engine.graph.types import Array
from gui.plots.frame import Frame
from gui.plots.kernels import KernelColumns
from gui.plots.layer import Layer
from gui.plots.panel import Panel, PlotBox
from gui.plots.shapes import band_color, boxes, fill_rects, pen, stretches
from gui.theme import Theme

STRIP_HEIGHT = 6.0


class Grid(Layer):
    """Horizontal lines at the ticks of the left axis; with `base`, a stronger line at the bottom."""

    def __init__(self, panel: Panel, *, base: bool = False) -> None:
        super().__init__(panel.box, -20)
        self._panel, self._base = panel, base

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint the lines between whole pixels, so that they are one pixel sharp."""
        area = frame.area
        painter.setPen(pen(self.theme.grid))
        rows = [round(frame.y(v)) + 0.5 for v in self._panel.left.positions(frame.y0, frame.y1, area.height())]
        painter.drawLines([QLineF(area.left(), y, area.right(), y) for y in rows])
        if self._base:
            painter.setPen(pen(self.theme.strong))
            y = area.bottom() - 0.5
            painter.drawLine(QLineF(area.left(), y, area.right(), y))


class SelectionBand(Layer):
    """Columns of the selected kernels; the current one a little stronger."""

    def __init__(self, box: PlotBox, z: float = -10) -> None:
        super().__init__(box, z)
        self._selected: tuple[int, ...] = ()
        self._current: int | None = None

    def set(self, selected: Iterable[int], current: int | None) -> None:
        """Indices of kernels."""
        self._selected, self._current = tuple(sorted(selected)), current
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint the bands."""
        fill_rects(painter, columns(frame, np.array(self._selected, float)), band_color(self.theme))
        if self._current is not None and len(self._selected) > 1:
            fill_rects(painter, [column(frame, self._current)], band_color(self.theme))


class HoverColumn(Layer):
    """A thin outline of the column under the pointer."""

    def __init__(self, box: PlotBox, z: float = 40) -> None:
        super().__init__(box, z)
        self.index: int | None = None

    def set(self, index: int | None) -> None:
        """Index of a kernel, or None."""
        if index != self.index:
            self.index = index
            self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint a line down the middle, or an outline when the column is wide."""
        if self.index is None:
            return
        painter.setPen(pen(self.theme.strong))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        box = column(frame, self.index)
        if box.width() >= 7:
            left, right = round(box.left()), round(box.right())
            painter.drawRect(QRectF(left + 0.5, frame.area.top() + 0.5, right - left - 1, frame.area.height() - 1))
        else:
            x = round(box.center().x()) + 0.5
            painter.drawLine(QLineF(x, frame.area.top(), x, frame.area.bottom()))


class PrecisionStrip(Layer):
    """A cell per kernel along the bottom edge, in the colour of its precision."""

    def __init__(self, box: PlotBox, z: float = 20) -> None:
        super().__init__(box, z, kept=True)
        self._columns = KernelColumns()

    def set(self, columns: KernelColumns) -> None:
        """The kernels."""
        self._columns = columns
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint the cells, one call per colour; neighbours of one colour run together when cells are tiny."""
        top = frame.area.bottom() - STRIP_HEIGHT
        painter.fillRect(QRectF(frame.area.left(), top - 1, frame.area.width(), STRIP_HEIGHT + 1), self.theme.panel)
        gap = 1.0 if frame.x_scale >= 5 else 0.0
        first, last = max(0, int(frame.x0)), min(len(self._columns), int(frame.x1) + 2)
        names = np.array(self._columns.families[first:last])
        starts = np.arange(first, last)
        if not gap:
            starts, names = starts[_begins(names)], names[_begins(names)]
        edges = np.round(frame.xs(np.append(starts, last) - 0.5))
        left, width = edges[:-1], np.maximum(1.0, np.diff(edges) - gap)
        for name in np.unique(names):
            mine = names == name
            color = strip_color(self.theme, str(name))
            fill_rects(painter, boxes(left[mine], top, width[mine], STRIP_HEIGHT), color)


def _begins(names: Array) -> Array:
    """Where another name than the one before begins."""
    return np.concatenate([[True], names[1:] != names[:-1]])[: len(names)]


def strip_color(theme: Theme, family: str) -> QColor:
    """Colour of a strip cell; kernels without a precision stay pale."""
    colors = theme.precision(family)
    return colors.main if colors is not theme.none else colors.line


def column(frame: Frame, index: int) -> QRectF:
    """The column of a kernel over the whole height."""
    return columns(frame, np.array([index], float))[0]


def columns(frame: Frame, indices: Array) -> list[QRectF]:
    """The columns of kernels over the whole height; neighbours are one rectangle."""
    width = max(3.0, frame.x_scale)
    left = frame.xs(indices - 0.5) + (frame.x_scale - width) / 2
    top, height = frame.area.top(), frame.area.height()
    return [QRectF(low, top, high - low, height) for low, high in stretches(left, left + width)]
