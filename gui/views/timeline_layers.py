"""The bars of the timeline: one item that culls, and fills a lane with one call per colour."""

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
from gui.plots.layer import Layer
from gui.plots.panel import PlotBox
from gui.plots.shapes import boxes, fill_rects, hatch, pen, plain_text
from gui.theme import PrecisionColors
from gui.views.timeline_data import LANES, LaneBars, TimelineData
from gui.views.timeline_ground import lane_box, rate_box

NAME_ROOM = 34.0
"""Free px that a name needs."""
TILE_ROOM = 4.0
_CENTER = Qt.AlignmentFlag.AlignCenter


@dataclass(frozen=True, eq=False, slots=True)
class Tints:
    """Colours of the kernels: a few of them, and which one each kernel has."""

    palette: tuple[PrecisionColors, ...]
    of: Array
    """Position in the palette by kernel."""


class LaneBarsLayer(Layer):
    """All bars of all lanes."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 10, kept=True)
        self._data: TimelineData | None = None
        self._tints: Tints | None = None
        self._names: Sequence[str] = ()
        self.painted = 0
        """Bars drawn by the last paint."""
        self.invocation_label = ""

    def set(self, data: TimelineData | None, tints: Tints, names: Sequence[str]) -> None:
        """Bars, the colours of their kernels and the short names of the kernels."""
        self._data, self._tints, self._names = data, tints, names
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint lane by lane."""
        self.painted = 0
        if self._data is None or self._tints is None:
            return
        for i, lane in enumerate(LANES):
            bars = self._data.lanes[lane]
            part = bars.visible(frame.x0, frame.x1)
            row = lane_box(frame.area, i)
            if lane == "Kernel":
                self._invocation(painter, frame, row)
                self._kernels(painter, frame, bars, part, row, self._tints)
            else:
                self._units(painter, frame, bars, part, row.adjusted(0, 3, 0, -3), self._tints)

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

    def _units(self, painter: QPainter, frame: Frame, bars: LaneBars, part: slice, row: QRectF, tints: Tints) -> None:
        left, right, chosen = _pixels(frame, bars, part)
        kernels, transfer, tiles = bars.kernel[part][chosen], bars.transfer[part][chosen], bars.tiles[part][chosen]
        width = right - left
        tint = tints.of[kernels]
        for i, colors in enumerate(tints.palette):
            for moving, color in ((True, colors.line), (False, colors.main)):
                mine = (tint == i) & (transfer == moving)
                fill_rects(painter, boxes(left[mine], row.top(), width[mine], row.height()), color)
        split = np.flatnonzero((tiles > 1) & (width >= tiles * TILE_ROOM))
        if split.size:
            edges = [left[j] + np.round(np.arange(1, tiles[j]) * width[j] / tiles[j]) for j in split]
            cuts = np.concatenate(edges)
            cuts = cuts[(cuts >= frame.area.left()) & (cuts <= frame.area.right())]
            fill_rects(painter, boxes(cuts, row.top(), 1, row.height()), self.theme.panel)
        self.painted += len(chosen)

    def _kernels(self, painter: QPainter, frame: Frame, bars: LaneBars, part: slice, row: QRectF, tints: Tints) -> None:
        left, right, chosen = _pixels(frame, bars, part)
        kernels, launch = bars.kernel[part][chosen], bars.launch[part][chosen]
        top, height, width = row.top() + 2, row.height() - 4, right - left
        tint = tints.of[kernels]
        for i, colors in enumerate(tints.palette):
            mine = tint == i
            fill_rects(painter, boxes(left[mine], top, width[mine], height), colors.soft)
            launches = mine & launch & (width >= 3)
            hatch(painter, boxes(left[launches], top, width[launches], height), with_alpha(colors.main, 0.75), 5)
            fill_rects(painter, boxes(left[mine], top, width[mine], 2), colors.main)
        wide = width > 3
        fill_rects(painter, boxes(left[wide], top, 1, height), self.theme.panel)
        self.painted += len(chosen)
        self._texts(painter, frame, row, left, right, kernels, launch, tints)

    def _texts(
        self,
        painter: QPainter,
        frame: Frame,
        row: QRectF,
        left: Array,
        right: Array,
        kernels: Array,
        launch: Array,
        tints: Tints,
    ) -> None:
        """A name goes into what follows the launch; over both where that is too narrow."""
        begins = dict(zip(kernels[launch].tolist(), left[launch].tolist(), strict=True))
        area = QRectF(frame.area.left(), row.top(), frame.area.width(), row.height())
        for start, end, kernel in zip(
            left[~launch].tolist(), right[~launch].tolist(), kernels[~launch].tolist(), strict=True
        ):
            over = end - start < NAME_ROOM and kernel in begins
            begin = begins[kernel] if over else start
            if end - begin >= 16:
                box = QRectF(begin, row.top() + 2, end - begin, row.height() - 4) & area
                self._write(painter, box, kernel, tints.palette[tints.of[kernel]], over=over)

    def _write(self, painter: QPainter, box: QRectF, kernel: int, colors: PrecisionColors, *, over: bool) -> None:
        """The name where there is room, else the number, else nothing; `over` hatching it gets a plate."""
        form = font(10, 600)
        metrics = QFontMetricsF(form)
        room = box.width() - 8
        name = self._names[kernel] if room >= NAME_ROOM else ""
        if not name or metrics.horizontalAdvance(name) > room:
            fits = name and room >= 60
            name = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room) if fits else str(kernel)
        width = metrics.horizontalAdvance(name)
        if width > room + 4:
            return
        centered = over or width > room - 20
        if over:
            plate = QRectF(box.center().x() - width / 2 - 3, box.top() + 3, width + 6, box.height() - 4)
            painter.fillRect(plate, colors.soft)
        flags = _CENTER if centered else Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        plain_text(painter, box.adjusted(0 if centered else 8, 2, 0, 0), name, colors.text, form, flags)


class RateLayer(Layer):
    """Traffic on the memory port below the lanes."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 8, kept=True)
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
        busy = ys < box.bottom() - 0.5
        columns = boxes(pixels[:-1][busy], ys[busy], 1, box.bottom() - ys[busy])
        fill_rects(painter, columns, with_alpha(self.theme.bar, 0.28))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen(self.theme.bar))
        painter.drawPolyline(QPolygonF([QPointF(*point) for point in np.stack([pixels[:-1], ys], -1).tolist()]))


def distinct(left: Array, right: Array) -> Array:
    """Positions to draw: the first of those that begin in one pixel, and all that are wider than one."""
    if len(left) < 2:
        return np.arange(len(left))
    fresh = np.concatenate([[True], left[1:] != left[:-1]]) | (right - left > 1)
    return np.flatnonzero(fresh)


def _pixels(frame: Frame, bars: LaneBars, part: slice) -> tuple[Array, Array, Array]:
    """Left and right edges of the bars that show, in whole pixels, and their positions in the part."""
    left = np.round(frame.xs(bars.start[part]))
    right = np.maximum(np.round(frame.xs(bars.end[part])), left + 1)
    chosen = distinct(left, right)
    return left[chosen], right[chosen], chosen
