"""The bars of the timeline: one item that culls, and fills a lane with one call per colour."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPolygonF

from gui.fonts import font
from gui.paint import with_alpha
from gui.plots.frame import Frame
from gui.plots.layer import Layer
from gui.plots.panel import PlotBox
from gui.plots.shapes import fill_rects, hatch, pen, plain_text
from gui.theme import PrecisionColors
from gui.views.timeline_data import LANES, LaneBars, TimelineData
from gui.views.timeline_ground import lane_box, rate_box

NAME_ROOM = 34.0
"""Free px that a name needs."""
TILE_ROOM = 4.0
_DENSE = 2500
_CENTER = Qt.AlignmentFlag.AlignCenter
Tones = Callable[[int], PrecisionColors]
"""Colours of a kernel by its position."""


class LaneBarsLayer(Layer):
    """All bars of all lanes."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 10)
        self._data: TimelineData | None = None
        self._tones: Tones | None = None
        self._names: Sequence[str] = ()
        self.painted = 0
        """Bars drawn by the last paint."""
        self.invocation_label = ""

    def set(self, data: TimelineData | None, tones: Tones, names: Sequence[str]) -> None:
        """Bars, the colours of their kernels and the short names of the kernels."""
        self._data, self._tones, self._names = data, tones, names
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint lane by lane."""
        self.painted = 0
        if self._data is None or self._tones is None:
            return
        for i, lane in enumerate(LANES):
            bars = self._data.lanes[lane]
            part = bars.visible(frame.x0, frame.x1)
            row = lane_box(frame.area, i)
            if lane == "Kernel":
                self._invocation(painter, frame, row)
                self._kernels(painter, frame, bars, part, row)
            else:
                self._units(painter, frame, bars, part, row.adjusted(0, 3, 0, -3), self._tones)

    def _invocation(self, painter: QPainter, frame: Frame, row: QRectF) -> None:
        """What a run costs before its first kernel."""
        assert self._data is not None
        end = min(self._data.invocation_us, float(self._data.start[0]))
        box = QRectF(frame.x(0.0), row.top() + 2, end * frame.x_scale, row.height() - 4) & frame.area
        if box.width() < 1:
            return
        hatch(painter, [box], self.theme.strong, 6)
        form = font(10, 500)
        wide = QFontMetricsF(form).horizontalAdvance(self.invocation_label) + 8
        if wide < box.width():
            plate = QRectF(box.center().x() - wide / 2, box.top(), wide, box.height())
            painter.fillRect(plate, self.theme.panel)
            plain_text(painter, plate, self.invocation_label, self.theme.muted, form, _CENTER)

    def _units(self, painter: QPainter, frame: Frame, bars: LaneBars, part: slice, row: QRectF, tones: Tones) -> None:
        left = np.round(frame.xs(bars.start[part]))
        right = np.maximum(np.round(frame.xs(bars.end[part])), left + 1)
        kernels, transfer, tiles = bars.kernel[part], bars.transfer[part], bars.tiles[part]
        chosen = distinct(left, right)
        groups: dict[int, tuple[QColor, list[QRectF]]] = {}
        gaps: list[QRectF] = []
        for j in chosen:
            colors = tones(int(kernels[j]))
            color = colors.line if transfer[j] else colors.main
            box = QRectF(left[j], row.top(), right[j] - left[j], row.height())
            groups.setdefault(color.rgb(), (color, []))[1].append(box)
            if tiles[j] > 1 and box.width() >= tiles[j] * TILE_ROOM:
                edges = left[j] + np.round(np.arange(1, tiles[j]) * box.width() / tiles[j])
                gaps += [
                    QRectF(x, row.top(), 1, row.height()) for x in edges if frame.area.left() <= x <= frame.area.right()
                ]
        for color, rects in groups.values():
            fill_rects(painter, rects, color)
        fill_rects(painter, gaps, self.theme.panel)
        self.painted += len(chosen)

    def _kernels(self, painter: QPainter, frame: Frame, bars: LaneBars, part: slice, row: QRectF) -> None:
        assert self._tones is not None
        left = np.round(frame.xs(bars.start[part]))
        right = np.maximum(np.round(frame.xs(bars.end[part])), left + 1)
        kernels, launch = bars.kernel[part], bars.launch[part]
        chosen = distinct(left, right)
        fills: dict[int, tuple[PrecisionColors, list[QRectF], list[QRectF]]] = {}
        texts: list[tuple[QRectF, int]] = []
        before: dict[int, QRectF] = {}
        for j in chosen:
            kernel = int(kernels[j])
            colors = self._tones(kernel)
            box = QRectF(left[j], row.top() + 2, right[j] - left[j], row.height() - 4)
            group = fills.setdefault(colors.main.rgb(), (colors, [], []))
            (group[2] if launch[j] else group[1]).append(box)
            if launch[j]:
                before[kernel] = box
            else:
                whole = box | before[kernel] if kernel in before and box.width() < NAME_ROOM else box
                texts.append((whole & QRectF(frame.area.left(), row.top(), frame.area.width(), row.height()), kernel))
        for colors, plain, launches in fills.values():
            both = plain + launches
            fill_rects(painter, both, colors.soft)
            if launches:
                hatch(painter, launches, with_alpha(colors.main, 0.75), 5)
            fill_rects(painter, [QRectF(b.left(), b.top(), b.width(), 2) for b in both], colors.main)
        fill_rects(
            painter,
            [QRectF(b.left(), b.top(), 1, b.height()) for _, p, q in fills.values() for b in p + q if b.width() > 3],
            self.theme.panel,
        )
        self.painted += len(chosen)
        self._write(painter, texts, frozenset(box.left() for box in before.values()))

    def _write(self, painter: QPainter, texts: list[tuple[QRectF, int]], hatched: frozenset[float]) -> None:
        """Names where there is room, else numbers, else nothing."""
        assert self._tones is not None
        form = font(10, 600)
        metrics = QFontMetricsF(form)
        for box, kernel in texts:
            room = box.width() - 8
            if room < 8:
                continue
            name = self._names[kernel] if room >= NAME_ROOM else ""
            if not name or metrics.horizontalAdvance(name) > room:
                name = (
                    metrics.elidedText(name, Qt.TextElideMode.ElideRight, room) if name and room >= 60 else str(kernel)
                )
            if metrics.horizontalAdvance(name) > room + 4:
                continue
            wide = metrics.horizontalAdvance(name) > room - 20 or box.left() in hatched
            inner = box.adjusted(0 if wide else 8, 2, 0, 0)
            flags = _CENTER if wide else Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
            if box.left() in hatched:
                plate = metrics.horizontalAdvance(name) + 6
                at = QRectF(box.center().x() - plate / 2, box.top() + 3, plate, box.height() - 4)
                painter.fillRect(at, self._tones(kernel).soft)
            plain_text(painter, inner, name, self._tones(kernel).text, form, flags)


class RateLayer(Layer):
    """Traffic on the memory port below the lanes."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 8)
        self._data: TimelineData | None = None

    def set(self, data: TimelineData | None) -> None:
        """The run."""
        self._data = data
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint an area under a stepped line; at most one step per pixel."""
        box = rate_box(frame.area)
        if box is None or self._data is None or not self._data.ddr.gb_s.size:
            return
        top = box.top() + 6
        painter.setPen(pen(self.theme.ghost, 1, (2, 3)))
        painter.drawLine(QLineF(box.left(), round(top) + 0.5, box.right(), round(top) + 0.5))
        painter.setPen(pen(self.theme.strong))
        painter.drawLine(QLineF(box.left(), round(box.bottom()) + 0.5, box.right(), round(box.bottom()) + 0.5))
        edges, rates = self._data.ddr.edges, self._data.ddr.gb_s
        pixels = np.arange(np.floor(box.left()), np.ceil(box.right()) + 1)
        cut = frame.x0 + (pixels - box.left()) / frame.x_scale
        moved = np.concatenate([[0.0], np.cumsum(np.diff(edges) * rates)])
        mean = np.diff(np.interp(cut, edges, moved)) / np.diff(cut)
        scale = (box.bottom() - top) / max(self._data.ddr_peak_gb_s, 1e-9)
        ys = box.bottom() - np.minimum(mean, self._data.ddr_peak_gb_s * 1.1) * scale
        line = [QPointF(x, y) for x, y in zip(pixels[:-1], ys, strict=True)]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(with_alpha(self.theme.bar, 0.28))
        painter.drawPolygon(QPolygonF([QPointF(line[0].x(), box.bottom()), *line, QPointF(line[-1].x(), box.bottom())]))
        painter.setPen(pen(self.theme.bar))
        painter.drawPolyline(QPolygonF(line))


def distinct(left: np.ndarray, right: np.ndarray) -> list[int]:
    """Positions to draw: all of them, or when there are far more than pixels only those that show."""
    count = len(left)
    if count <= _DENSE:
        return list(range(count))
    fresh = np.concatenate([[True], left[1:] != left[:-1]]) | (right - left > 1)
    return [int(i) for i in np.flatnonzero(fresh)]
