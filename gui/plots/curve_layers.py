"""Layers of plots over a continuous x: curves, horizontal limits, vertical marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPolygonF

from engine.graph.types import Array
from gui.fonts import font
from gui.paint import with_alpha
from gui.plots.frame import Frame
from gui.plots.free_place import Drawn, along, freest
from gui.plots.layer import Layer
from gui.plots.panel import Panel, PlotBox
from gui.plots.shapes import halo_text, pen, polyline, simplified, thin


@dataclass(frozen=True, eq=False, slots=True)
class Curve:
    """A line in a colour token; `filled` down to the bottom, `ghost` for the previous plan."""

    x: Array
    y: Array
    color: str = "ink"
    width: float = 1.8
    filled: bool = False
    ghost: bool = False


class Curves(Layer):
    """Lines, the first one lowest."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 10, kept=True)
        self._curves: tuple[Curve, ...] = ()

    def set(self, *curves: Curve) -> None:
        """The lines."""
        self._curves = curves
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint the lines."""
        for curve in self._curves:
            xs, ys = frame.xs(curve.x), frame.ys(curve.y)
            if curve.ghost:
                polyline(painter, xs, ys, pen(self.theme.ghost, 1.4, (4, 3)))
                continue
            color = getattr(self.theme, curve.color)
            if curve.filled:
                xs, ys = simplified(*thin(xs, ys))
                edge = [QPointF(x, y) for x, y in zip(xs, ys, strict=True)]
                base = frame.area.bottom()
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(with_alpha(self.theme.bar, 0.22))
                painter.drawPolygon(QPolygonF([QPointF(xs[0], base), *edge, QPointF(xs[-1], base)]))
            polyline(painter, xs, ys, pen(color, curve.width))


class Limits(Layer):
    """Dashed horizontal lines with one label."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 5)
        self._levels: tuple[float, ...] = ()
        self.label, self.color = "", "warn"
        self._drawn: tuple[Drawn, ...] = ()

    def set(self, levels: Sequence[float], label: str, curves: Sequence[Curve] = ()) -> None:
        """Values, what they are, and the curves that the label keeps clear of."""
        self._levels, self.label = tuple(levels), label
        self._drawn = tuple(Drawn(curve.x, curve.y) for curve in curves)
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint lines and label."""
        seen = [level for level in self._levels if frame.y0 <= level <= frame.y1]
        if not seen:
            return
        color = getattr(self.theme, self.color)
        painter.setPen(pen(color, 1, (2.5, 3)))
        for level in seen:
            y = round(frame.y(level)) + 0.5
            painter.drawLine(QLineF(frame.area.left(), y, frame.area.right(), y))
        box = self.label_box(frame)
        at = QPointF(box.left(), box.center().y())
        halo_text(painter, at, self.label, color, self.theme.panel, font(10, 600))

    def label_box(self, frame: Frame) -> QRectF:
        """Where the label stands: below the lowest or above the highest line or on top, where the least is drawn."""
        seen = [frame.y(level) for level in self._levels if frame.y0 <= level <= frame.y1]
        metrics = QFontMetricsF(font(10, 600))
        height = metrics.height()
        places = along(
            frame.area,
            metrics.horizontalAdvance(self.label),
            height,
            (max(seen) + 3, min(seen) - 3 - height, frame.area.top() + 1),
        )
        return freest(places or [QRectF(frame.area.left() + 5, frame.area.top(), 1, height)], self._drawn, frame)


class VerticalMark(Layer):
    """A dashed vertical line, with a label in one of the panels."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 20)
        self.at: float | None = None
        self.label = ""

    def set(self, x: float | None, label: str = "") -> None:
        """Where, and what happens there."""
        self.at, self.label = x, label
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint line and label."""
        if self.at is None or not frame.x0 <= self.at <= frame.x1:
            return
        x = round(frame.x(self.at)) + 0.5
        painter.setPen(pen(self.theme.muted, 1, (3, 3)))
        painter.drawLine(QLineF(x, frame.area.top(), x, frame.area.bottom()))
        if self.label:
            right = x < frame.area.center().x()
            at = QPointF(x + 6 if right else x - 6, frame.area.bottom() - 9)
            align = "left" if right else "right"
            halo_text(painter, at, self.label, self.theme.text2, self.theme.panel, font(10, 500), align=align)


class Crosshair(Layer):
    """A thin vertical line under the pointer."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 30)
        self._x: float | None = None

    def set(self, x: float | None) -> None:
        """Where; None takes it away."""
        if x != self._x:
            self._x = x
            self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint the line."""
        if self._x is not None:
            x = round(frame.x(self._x)) + 0.5
            painter.setPen(pen(self.theme.strong))
            painter.drawLine(QLineF(x, frame.area.top(), x, frame.area.bottom()))


class CurveGrid(Layer):
    """Horizontal lines at the ticks of the left axis, and vertical ones at those of `below`."""

    def __init__(self, panel: Panel, below: Panel | None = None) -> None:
        super().__init__(panel.box, -20)
        self._panel, self._below = panel, below

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint the lines."""
        area = frame.area
        painter.setPen(pen(self.theme.grid))
        rows = np.round(frame.ys(np.array(self._panel.left.positions(frame.y0, frame.y1, area.height())))) + 0.5
        painter.drawLines([QLineF(area.left(), y, area.right(), y) for y in rows])
        if self._below is not None:
            ticks = self._below.bottom.positions(frame.x0, frame.x1, area.width())
            painter.drawLines(
                [QLineF(round(frame.x(t)) + 0.5, area.top(), round(frame.x(t)) + 0.5, area.bottom()) for t in ticks]
            )
