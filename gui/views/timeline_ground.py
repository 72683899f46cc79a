"""The ground of the timeline: rows, ruler, lane names, and the memory traffic below them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from gui.fonts import font
from gui.plots import ticks
from gui.plots.frame import Frame
from gui.plots.layer import Layer
from gui.plots.panel import PlotBox
from gui.plots.shapes import pen, plain_text
from gui.views.timeline_data import LANES

RULER = 22.0
"""Height of the row with the time labels."""


def lane_box(area: QRectF, lane: int) -> QRectF:
    """Row of a lane: as high as there is room for, within limits."""
    height = max(16.0, min(26.0, np.floor((area.height() - RULER) / len(LANES))))
    return QRectF(area.left(), area.top() + RULER + lane * height, area.width(), height)


def lane_at(area: QRectF, y: float) -> str | None:
    """The lane at a pixel row."""
    for i, lane in enumerate(LANES):
        row = lane_box(area, i)
        if row.top() <= y < row.bottom():
            return lane
    return None


def rate_box(area: QRectF) -> QRectF | None:
    """Room for the memory traffic below the lanes, if there is enough."""
    top = lane_box(area, len(LANES) - 1).bottom() + 6
    box = QRectF(area.left(), top, area.width(), area.bottom() - top - 2)
    return box if box.height() >= 44 else None


class LaneGround(Layer):
    """Row lines and ruler with time labels."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, -20)

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint what doesn't depend on the plan."""
        area = frame.area
        rows = _edges(area)
        painter.fillRect(QRectF(area.left(), area.top(), area.width(), RULER), self.theme.raised)
        painter.setPen(pen(self.theme.hair))
        painter.drawLines([QLineF(area.left(), y, area.right(), y) for y in rows])
        self._ruler(painter, frame, rows[-1])

    def _ruler(self, painter: QPainter, frame: Frame, bottom: float) -> None:
        area = frame.area
        step = ticks.step_for(frame.x1 - frame.x0, max(1, int(area.width() / 90)), (1, 2, 5, 10))
        form = font(11)
        metrics = QFontMetricsF(form)
        for value in ticks.ticks(frame.x0, frame.x1, step):
            x = round(frame.x(value)) + 0.5
            text = time_label(value, step)
            painter.setPen(pen(self.theme.grid))
            painter.drawLine(QLineF(x, area.top() + RULER, x, bottom))
            half = metrics.horizontalAdvance(text) / 2
            if x - half >= area.left() and x + half <= area.right():
                row = QRectF(x - half, area.top(), 2 * half + 1, RULER)
                plain_text(painter, row, text, self.theme.muted, form)


class LaneNames(Layer):
    """The gutter at the left of the lanes: their names and the axis of the memory traffic."""

    def __init__(self, box: PlotBox, gutter: float) -> None:
        super().__init__(box, 0, clipped=False, margin=gutter)
        self._gutter = gutter
        self.labels: Sequence[str] = LANES
        self.head, self.rate_label, self.rate_peak = "", "", 0.0

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint the names."""
        area = frame.area
        left = area.left() - self._gutter
        painter.fillRect(QRectF(left, area.top(), self._gutter, RULER), self.theme.raised)
        painter.setPen(pen(self.theme.hair))
        painter.drawLines([QLineF(left, y, area.left(), y) for y in _edges(area)])
        plain_text(painter, QRectF(left + 12, area.top(), 80, RULER), self.head, self.theme.muted, font(11))
        for i, name in enumerate(self.labels):
            row = lane_box(area, i)
            box = QRectF(left + 12, row.top(), self._gutter - 12, row.height())
            plain_text(painter, box, name, self.theme.text2, font(11, 500))
        rate = rate_box(area)
        if rate is not None:
            self._rate_axis(painter, rate, left)

    def _rate_axis(self, painter: QPainter, rate: QRectF, left: float) -> None:
        form = font(10)
        plain_text(painter, QRectF(left + 12, rate.top(), 60, 14), "DDR", self.theme.text2, font(11, 500))
        plain_text(painter, QRectF(left + 12, rate.top() + 15, 60, 13), self.rate_label, self.theme.muted, form)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for value, y in ((f"{self.rate_peak:.0f}", rate.top() + 6), ("0", rate.bottom())):
            box = QRectF(left, y - 8, self._gutter - 6, 14)
            plain_text(painter, box, value, self.theme.muted, form, right)


def _edges(area: QRectF) -> list[float]:
    """Pixel rows of the lines between the lanes."""
    return [round(y) + 0.5 for y in (area.top() + RULER, *(lane_box(area, i).bottom() for i in range(len(LANES))))]


def time_label(us: float, step: float) -> str:
    """A time on the ruler, in ms for steps of 10 us and more, else in us."""
    if step >= 10:
        return f"{us / 1e3:.{max(1, ticks.decimals(step / 1e3))}f}\u202fms"
    return f"{us:.{ticks.decimals(step)}f}\u202fµs"
