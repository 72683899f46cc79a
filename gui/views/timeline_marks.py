"""What is drawn over and above the timeline: the whole run in miniature, selected kernels, the dragged area."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from gui.fonts import font
from gui.paint import with_alpha
from gui.plots.frame import Frame
from gui.plots.layer import Layer
from gui.plots.panel import PlotBox
from gui.plots.shapes import band_color, boxes, fill_rects, pen, plain_text, stretches
from gui.views.timeline_data import LANES, LaneBars, TimelineData
from gui.views.timeline_ground import RULER, lane_box
from gui.views.timeline_layers import Tints, distinct

_CENTER = Qt.AlignmentFlag.AlignCenter
_LEAST = 2.0
"""Px that a kernel takes at least."""


class Overview(Layer):
    """The whole run in miniature: one row per lane."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 0, kept=True)
        self._data: TimelineData | None = None
        self._tints: Tints | None = None

    def set(self, data: TimelineData | None, tints: Tints) -> None:
        """Bars and the colours of their kernels."""
        self._data, self._tints = data, tints
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint the miniature."""
        area = frame.area
        if self._data is None or self._tints is None:
            return
        painter.fillRect(area, self.theme.sunken)
        rows = [lane for lane in LANES if lane != "Kernel"]
        pitch = (area.height() - 8) / len(rows)
        for i, lane in enumerate(rows):
            y = area.top() + 4 + i * pitch
            self._row(painter, frame, self._data.lanes[lane], QRectF(area.left(), y, area.width(), max(2.0, pitch - 1)))

    def _row(self, painter: QPainter, frame: Frame, bars: LaneBars, row: QRectF) -> None:
        assert self._tints is not None
        left = np.round(frame.xs(bars.start))
        right = np.maximum(np.round(frame.xs(bars.end)), left + 1)
        chosen = distinct(left, right)
        tint = self._tints.of[bars.kernel[chosen]]
        for i, colors in enumerate(self._tints.palette):
            mine = chosen[tint == i]
            fill_rects(painter, boxes(left[mine], row.top(), right[mine] - left[mine], row.height()), colors.main)


class OverviewWindow(Layer):
    """The part of the run that is on show, and the word beside the miniature."""

    def __init__(self, box: PlotBox, gutter: float) -> None:
        super().__init__(box, 5, clipped=False, margin=gutter)
        self._gutter = gutter
        self._window = (0.0, 1.0)
        self.label = ""

    def set_window(self, low: float, high: float) -> None:
        """The part on show in us."""
        self._window = (low, high)
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint the word, what is outside paler, and a frame around what is inside."""
        area = frame.area
        left = QRectF(area.left() - self._gutter + 12, area.top(), self._gutter - 12, area.height())
        plain_text(painter, left, self.label, self.theme.muted, font(11))
        low, high = self._window
        window = frame.rect(low, high, frame.y0, frame.y1).adjusted(0.5, 0.5, -0.5, -0.5)
        dim = with_alpha(self.theme.panel, 0.55)
        painter.fillRect(QRectF(area.left(), area.top(), window.left() - area.left(), area.height()), dim)
        painter.fillRect(QRectF(window.right(), area.top(), area.right() - window.right(), area.height()), dim)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen(self.theme.accent, 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(window.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)


class TimeSelection(Layer):
    """Outlines of the selected kernels, the hovered one, and the area that was dragged."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 30)
        self.selected: list[tuple[float, float]] = []
        self.current: tuple[float, float] | None = None
        self.hovered: tuple[float, float] | None = None
        self.area: tuple[float, float] | None = None
        self.area_label: tuple[str, ...] = ()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint the outlines over the lanes."""
        bottom = lane_box(frame.area, len(LANES) - 1).bottom()
        top = frame.area.top() + RULER
        times = np.array(self.selected, float).reshape(-1, 2)
        left = frame.xs(times[:, 0])
        height = frame.area.bottom() - top
        bands = stretches(left, np.maximum(frame.xs(times[:, 1]), left + _LEAST))
        fill_rects(painter, [QRectF(low, top, high - low, height) for low, high in bands], band_color(self.theme))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.hovered is not None:
            painter.setPen(pen(self.theme.strong))
            painter.drawRoundedRect(_stretch(frame, *self.hovered, top, bottom).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        if self.current is not None:
            painter.setPen(pen(self.theme.ink, 1.6))
            painter.drawRoundedRect(_stretch(frame, *self.current, top, bottom).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        if self.area is not None:
            self._area(painter, frame, *self.area)

    def _area(self, painter: QPainter, frame: Frame, low: float, high: float) -> None:
        box = _stretch(frame, low, high, frame.area.top(), frame.area.bottom())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.fillRect(box.adjusted(0, RULER, 0, 0), with_alpha(self.theme.accent, 0.10))
        painter.setPen(pen(self.theme.accent, 1, (3, 3)))
        for x in (round(box.left()) + 0.5, round(box.right()) - 0.5):
            painter.drawLine(QLineF(x, box.top() + RULER, x, box.bottom()))
        form = font(11, 600)
        metrics = QFontMetricsF(form)
        text = "   ".join(self.area_label)
        width = max(box.width(), metrics.horizontalAdvance(text) + 16)
        left = min(max(box.center().x() - width / 2, frame.area.left()), frame.area.right() - width)
        flag = QRectF(left, frame.area.top() + 2, width, RULER - 4)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.accent)
        painter.drawRoundedRect(flag, 3, 3)
        plain_text(painter, flag, text, self.theme.on_accent, form, _CENTER)


def _stretch(frame: Frame, low: float, high: float, top: float, bottom: float) -> QRectF:
    left, right = frame.x(low), frame.x(high)
    return QRectF(left, top, max(_LEAST, right - left), bottom - top)
