"""How the Pareto plot is drawn: filled = measured, hollow = predicted, cross = breaks a budget, diamond = current."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPolygonF

from gui.fonts import font
from gui.paint.colour import with_alpha
from gui.plots.frame import Frame
from gui.plots.layer import Layer
from gui.plots.panel import PlotBox
from gui.plots.shapes import halo_text, pen
from gui.views.pareto_data import ParetoData, Point

RADIUS = 3.6


class Front(Layer):
    """The steps along the points that nothing beats."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 5)
        self._data: ParetoData | None = None

    def set(self, data: ParetoData) -> None:
        """Other points."""
        self._data = data
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint a stair: it never promises what lies between two plans."""
        if self._data is None:
            return
        places = [frame.point(x, y) for x, y in self._data.front()]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen(self.theme.accent, 1.6))
        for a, b in pairwise(places):
            corner = QPointF(b.x(), a.y())
            painter.drawLine(QLineF(a, corner))
            painter.drawLine(QLineF(corner, b))


class Limits(Layer):
    """Dashed lines of budgets that the axes show, and the ground where both are kept."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 2)
        self.across: tuple[float, str] | None = None
        self.up: tuple[float, str, bool] | None = None
        """Value, words, and whether more is better."""

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint lines and words."""
        area, theme = frame.area, self.theme
        if self.across is not None and self.up is not None:
            x, y = frame.x(self.across[0]), frame.y(self.up[0])
            top, bottom = (area.top(), y) if self.up[2] else (y, area.bottom())
            painter.fillRect(QRectF(QPointF(area.left(), top), QPointF(x, bottom)), with_alpha(theme.good, 0.08))
        painter.setPen(pen(theme.ink, 1, (4, 3)))
        if self.across is not None:
            x = frame.x(self.across[0])
            painter.drawLine(QLineF(x, area.top(), x, area.bottom()))
            halo_text(
                painter,
                QPointF(x - 4, area.bottom() - 6),
                self.across[1],
                theme.text2,
                theme.panel,
                font(10),
                align="right",
            )
        if self.up is not None:
            painter.setPen(pen(theme.ink, 1, (4, 3)))
            y = frame.y(self.up[0])
            painter.drawLine(QLineF(area.left(), y, area.right(), y))
            halo_text(
                painter, QPointF(area.right() - 4, y - 4), self.up[1], theme.text2, theme.panel, font(10), align="right"
            )


class Plans(Layer):
    """The points."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 10)
        self._data: ParetoData | None = None
        self._words: dict[int, str] = {}
        self.hovered: int | None = None
        self.keyed: int | None = None
        self.marked: int | None = None
        """The one that others are compared with."""

    def set(self, data: ParetoData, words: dict[int, str]) -> None:
        """Points, and what is written beside some of them."""
        self._data, self._words = data, words
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint all, those of the front last."""
        data = self._data
        if data is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for point in sorted(data.points, key=lambda p: ("front", "proposal", "now").index(p.kind)):
            self._point(painter, frame.point(*data.place(point)), point)
        for place, color, radius in (
            (self.marked, self.theme.warn, 9.0),
            (self.keyed, self.theme.accent, 8.0),
            (self.hovered, self.theme.ink, 7.5),
        ):
            if place is not None and place < len(data.points):
                painter.setPen(pen(color, 2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(frame.point(*data.place(data.points[place])), radius, radius)
        for place, words in self._words.items():
            at = frame.point(*data.place(data.points[place]))
            right = at.x() > frame.area.right() - 90
            at = QPointF(at.x() + (-10 if right else 10), at.y() + 4)
            halo_text(
                painter, at, words, self.theme.text, self.theme.panel, font(11, 600), align="right" if right else "left"
            )

    def _point(self, painter: QPainter, at: QPointF, point: Point) -> None:
        theme = self.theme
        if point.kind == "now":
            painter.setPen(pen(theme.panel, 1))
            painter.setBrush(theme.ink)
            side = 6.0
            corners = [at + QPointF(0, -side), at + QPointF(side, 0), at + QPointF(0, side), at + QPointF(-side, 0)]
            painter.drawPolygon(QPolygonF(corners))
            return
        color = theme.accent if point.kind == "proposal" else theme.bar
        radius = RADIUS + (1.2 if point.kind == "proposal" else 0.0)
        if point.breaks:
            painter.setPen(pen(color, 1.4))
            d = radius - 0.6
            painter.drawLine(QLineF(at.x() - d, at.y() - d, at.x() + d, at.y() + d))
            painter.drawLine(QLineF(at.x() - d, at.y() + d, at.x() + d, at.y() - d))
            if not point.measured:
                return
            painter.setBrush(color)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawEllipse(at, 1.8, 1.8)
            return
        painter.setPen(pen(color, 1.4))
        painter.setBrush(color if point.measured else theme.panel)
        painter.drawEllipse(at, radius, radius)
