"""How the error profile is drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPen

from engine.graph.types import Array
from gui.fonts import font
from gui.format import SQNR_CAP_DB
from gui.paint import marker_path, with_alpha
from gui.plots.frame import Frame
from gui.plots.free_place import Drawn, along, freest
from gui.plots.kernel_layers import STRIP_HEIGHT
from gui.plots.layer import Layer
from gui.plots.panel import PlotBox
from gui.plots.shapes import boxes, fill_rects, halo_text, hatch, pen, polyline


class RequiredZone(Layer):
    """The ground below the required SQNR."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, -15)
        self.required: float | None = None

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint the zone."""
        if self.required is not None and self.required > frame.y0:
            top = max(frame.area.top(), frame.y(self.required))
            zone = QRectF(frame.area.left(), top, frame.area.width(), frame.area.bottom() - top)
            painter.fillRect(zone, with_alpha(self.theme.bad, 0.16 if self.theme.dark else 0.06))


class RequiredLine(Layer):
    """The required SQNR, with its value written on it."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 30)
        self.required: float | None = None
        self.label = ""
        self.drawn: tuple[Drawn, ...] = ()
        """What the label keeps clear of."""

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint the line and its label; the label keeps clear of the precision strip."""
        if self.required is None or not frame.y0 <= self.required <= frame.y1:
            return
        y = round(frame.y(self.required)) + 0.5
        painter.setPen(pen(self.theme.bad, 1, (4, 3)))
        painter.drawLine(QLineF(frame.area.left(), y, frame.area.right(), y))
        box = self.label_box(frame)
        at = QPointF(box.left(), box.center().y())
        halo_text(painter, at, self.label, self.theme.bad, self.theme.panel, font(10, 600))

    def label_box(self, frame: Frame) -> QRectF:
        """Where the label stands: below or above the line, where the least is drawn."""
        assert self.required is not None
        metrics = QFontMetricsF(font(10, 600))
        y, height = round(frame.y(self.required)), metrics.height()
        area = frame.area.adjusted(0, 0, 0, -STRIP_HEIGHT)
        places = along(area, metrics.horizontalAdvance(self.label), height, (y + 2, y - 2 - height))
        return freest(places or [QRectF(area.left() + 5, area.top(), 1, height)], self.drawn, frame)


class StaleRegion(Layer):
    """What is being computed again: hatched, and it says so."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 5)
        self.start: int | None = None
        self.label = ""

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint the region from the first stale kernel to the end."""
        if self.start is None:
            return
        left = max(frame.area.left(), round(frame.x(self.start - 0.5)) + 0.5)
        region = QRectF(left, frame.area.top(), frame.area.right() - left, frame.area.height() - STRIP_HEIGHT)
        if region.width() <= 0:
            return
        hatch(painter, [region], with_alpha(self.theme.faint, 0.30), 8)
        painter.setPen(pen(self.theme.ghost, 1, (1.5, 2.5)))
        painter.drawLine(QLineF(left, region.top(), left, region.bottom()))
        if region.width() > 110:
            at = QPointF(left + 12, frame.area.top() + 11)
            halo_text(painter, at, self.label, self.theme.muted, self.theme.panel, font(10, 500))


class Markers(Layer):
    """Local errors: shape and colour of the kernel's precision."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 12, kept=True)
        self._values: Array = np.empty(0)
        self._families: tuple[str, ...] = ()

    def set(self, values: Array, families: Sequence[str]) -> None:
        """Values by kernel (NaN = none) and their precision families."""
        self._values, self._families = np.minimum(values, SQNR_CAP_DB), tuple(families)
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint one path per family."""
        first, last = max(0, int(frame.x0)), min(len(self._values), int(frame.x1) + 2)
        if frame.x_scale < 4:
            self._specks(painter, frame, first, last)
            return
        size = 6.5 if frame.x_scale >= 6 else 5.0
        paths: dict[str, QPainterPath] = {}
        for i in range(first, last):
            value = float(self._values[i])
            if np.isfinite(value):
                path = paths.setdefault(self._families[i], QPainterPath())
                path.addPath(marker_path(self._families[i], frame.point(i, value), size))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for name, path in paths.items():
            path.setFillRule(Qt.FillRule.WindingFill)
            painter.fillPath(path, self.theme.precision(name).main)

    def _specks(self, painter: QPainter, frame: Frame, first: int, last: int) -> None:
        """Small squares, where there is no room for shapes."""
        index = np.arange(first, last)
        values = self._values[first:last]
        names = np.array(self._families[first:last])
        xs, ys = np.round(frame.xs(index)) - 1, np.round(frame.ys(values)) - 1
        for name in np.unique(names):
            mine = (names == name) & np.isfinite(values)
            fill_rects(painter, boxes(xs[mine], ys[mine], 3, 3), self.theme.precision(str(name)).main)


class Lines(Layer):
    """Accumulated error: the current plan in ink, its stale part and the previous plan as ghosts."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 15, kept=True)
        self._now: Array = np.empty(0)
        self._before: Array = np.empty(0)
        self._stale: int | None = None
        self.show_before = False
        """Draw the previous plan as if it were the current one."""

    def set(self, now: Array, before: Array, stale: int | None) -> None:
        """Values by kernel (NaN = none); from `stale` on, `now` belongs to an older plan."""
        self._now, self._before = np.minimum(now, SQNR_CAP_DB), np.minimum(before, SQNR_CAP_DB)
        self._stale = stale
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint the lines."""
        ghost, ink = pen(self.theme.ghost, 1.4, (4, 3)), pen(self.theme.ink, 1.8)
        if self._before.size:
            self._line(painter, frame, self._before, ghost)
        if self._stale is None:
            self._line(painter, frame, self._now, ink)
            return
        fresh = np.arange(len(self._now)) < self._stale
        self._line(painter, frame, self._now, pen(self.theme.ghost, 1.2))
        self._line(painter, frame, np.where(fresh, self._now, np.nan), ink)

    def _line(self, painter: QPainter, frame: Frame, values: Array, line: QPen) -> None:
        known = np.flatnonzero(~np.isnan(values))
        inside = known[(known >= frame.x0 - 1.5) & (known <= frame.x1 + 1.5)]
        if inside.size == 1:
            painter.setPen(line)
            painter.drawPoint(frame.point(float(inside[0]), float(values[inside[0]])))
        elif inside.size:
            polyline(painter, frame.xs(inside), frame.ys(values[inside]), line)


class CurrentRing(Layer):
    """A ring on the accumulated error of the current kernel."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 35)
        self._at: tuple[float, float] | None = None

    def set(self, index: int | None, value: float) -> None:
        """Kernel and its accumulated SQNR."""
        known = index is not None and not np.isnan(value)
        self._at = (float(index), min(value, SQNR_CAP_DB)) if known and index is not None else None
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint the ring."""
        if self._at is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen(self.theme.ink, 1.6))
        painter.setBrush(self.theme.panel)
        painter.drawEllipse(frame.point(*self._at), 4.2, 4.2)
