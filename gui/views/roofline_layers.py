"""How the roofline is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, degrees, inf, log10

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath

from engine.graph.types import Array
from gui.fonts import font
from gui.paint import marker_path
from gui.plots.frame import Frame
from gui.plots.layer import Layer
from gui.plots.panel import PlotBox
from gui.plots.shapes import halo_text, pen, plain_text
from gui.views.roofline_data import RooflineData

_ABOVE, _LINE = 9.0, 13.0
"""Px from a ceiling to the middle of its name; px that a name needs."""


def label_heights(ceilings: Sequence[float]) -> list[float]:
    """Middle of each ceiling's name in px: above its line, or as far below the name above it that both can be read."""
    found = [0.0] * len(ceilings)
    lowest = -inf
    for place in sorted(range(len(ceilings)), key=ceilings.__getitem__):
        lowest = found[place] = max(ceilings[place] - _ABOVE, lowest + _LINE)
    return found


def clear_of_slope(places: Sequence[float], ceilings: Sequence[float], touching: Sequence[bool]) -> list[float]:
    """Names that would lie on the memory's slope go below their line, where there is room: the slope is further left.

    Args:
        places: middles of the names in px.
        ceilings: their lines in px.
        touching: which of the names reach the slope.
    """
    found = list(places)
    for i, (ceiling, touches) in enumerate(zip(ceilings, touching, strict=True)):
        below = ceiling + _ABOVE
        free = all(abs(below - other) >= _LINE for j, other in enumerate(found) if j != i)
        if touches and free and all(abs(below - c) >= _LINE / 2 for j, c in enumerate(ceilings) if j != i):
            found[i] = below
    return found


class Roofs(Layer):
    """The slope of the memory, and a ceiling per precision from where it meets the slope."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 5)
        self._data: RooflineData | None = None
        self._memory = ""
        self._labels: Sequence[str] = ()

    def set(self, data: RooflineData, memory: str, labels: Sequence[str]) -> None:
        """Data, the name of the memory and of each ceiling."""
        self._data, self._memory, self._labels = data, memory, labels
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint lines and their names."""
        data = self._data
        if data is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        highest = max(log10(roof.tops) for roof in data.roofs)
        end = data.ridge(10**highest)
        start = frame.point(frame.x0, data.memory_roof(frame.x0))
        painter.setPen(pen(self.theme.ink, 1.4))
        painter.drawLine(QLineF(start, frame.point(end, highest)))
        self._slope_name(painter, frame, data)
        heights = [frame.y(log10(roof.tops)) for roof in data.roofs]
        places = clear_of_slope(label_heights(heights), heights, self._touching(frame, data, label_heights(heights)))
        for roof, text, y, place in zip(data.roofs, self._labels, heights, places, strict=True):
            color = self.theme.precision(roof.family).main
            painter.setPen(pen(color, 1.6))
            painter.drawLine(QLineF(frame.x(data.ridge(roof.tops)), y, frame.area.right(), y))
            at = QPointF(frame.area.right() - 4, place)
            halo_text(painter, at, text, color, self.theme.panel, font(10, 600), align="right")

    def _touching(self, frame: Frame, data: RooflineData, places: Sequence[float]) -> list[bool]:
        """Which names reach the slope where they stand."""
        metrics = QFontMetricsF(font(10, 600))
        lefts = [frame.area.right() - 4 - metrics.horizontalAdvance(text) for text in self._labels]
        slopes = [frame.x(data.ridge(10 ** frame.data_y(place - _LINE / 2))) for place in places]
        return [left < slope + 4 for left, slope in zip(lefts, slopes, strict=True)]

    def _slope_name(self, painter: QPainter, frame: Frame, data: RooflineData) -> None:
        """The name runs along the slope, in its lower third."""
        x = frame.x0 + (data.ridge(min(r.tops for r in data.roofs)) - frame.x0) * 0.55
        at = frame.point(x, data.memory_roof(x))
        if not frame.area.contains(at):
            return
        form = font(10, 600)
        width = QFontMetricsF(form).horizontalAdvance(self._memory)
        painter.save()
        painter.translate(at)
        painter.rotate(-degrees(atan2(frame.y_scale, frame.x_scale)))
        plain_text(painter, QRectF(-width / 2, -17, width + 2, 14), self._memory, self.theme.text2, form)
        painter.restore()


class Points(Layer):
    """A marker per kernel; larger ones take longer."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 15)
        self._data: RooflineData | None = None
        self._families: Sequence[str] = ()
        self._label = ""
        self._current: int | None = None
        self.hovered: int | None = None

    def set(self, data: RooflineData, families: Sequence[str]) -> None:
        """Points and their precision families."""
        self._data, self._families = data, families
        self.update()

    def set_current(self, place: int | None, label: str) -> None:
        """The point of the current kernel and what stands beside it."""
        self._current, self._label = place, label
        self.update()

    def set_hovered(self, place: int | None) -> None:
        """The point under the pointer."""
        if place != self.hovered:
            self.hovered = place
            self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint one path per family, then ring and name."""
        data = self._data
        if data is None:
            return
        xs, ys = frame.xs(data.intensity), frame.ys(data.tops)
        sizes = self._sizes(data)
        paths: dict[str, QPainterPath] = {}
        for family, x, y, size in _distinct(self._families, xs, ys, sizes):
            paths.setdefault(family, QPainterPath()).addPath(marker_path(family, QPointF(x, y), size))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for family, path in paths.items():
            path.setFillRule(Qt.FillRule.WindingFill)
            painter.fillPath(path, self.theme.precision(family).main)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.hovered is not None and self.hovered < len(xs):
            painter.setPen(pen(self.theme.accent, 1.6))
            painter.drawEllipse(QPointF(xs[self.hovered], ys[self.hovered]), 8, 8)
        if self._current is not None and self._current < len(xs):
            at = QPointF(xs[self._current], ys[self._current])
            painter.setPen(pen(self.theme.ink, 1.8))
            painter.drawEllipse(at, 9, 9)
            left = at.x() > frame.area.center().x()
            place = QPointF(at.x() - 14 if left else at.x() + 14, at.y())
            align = "right" if left else "left"
            halo_text(painter, place, self._label, self.theme.text, self.theme.panel, font(10, 600), align=align)

    def _sizes(self, data: RooflineData) -> np.ndarray:
        share = np.sqrt(data.latency_us / max(float(data.latency_us.max()), 1e-9))
        return 5.5 + 7.0 * share


def _distinct(families: Sequence[str], xs: Array, ys: Array, sizes: Array) -> list[tuple[str, float, float, float]]:
    """Markers that can be told apart, to a quarter of a pixel: like layers of a network lie on each other."""
    quarters = ((np.round(4 * column) / 4).tolist() for column in (xs, ys, sizes))
    return list(dict.fromkeys(zip(families, *quarters, strict=True)))
