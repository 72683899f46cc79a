"""How the memory plot is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from engine.graph.types import Array
from engine.npu.results import Buffer
from gui.fonts import font
from gui.paint import nibble_mark, nibble_size, with_alpha
from gui.paint.colour import blend
from gui.plots.frame import Frame
from gui.plots.layer import Layer
from gui.plots.panel import PlotBox
from gui.plots.shapes import boxes, fill_rects, halo_text, hatch, pen, plain_text, polyline, steps
from gui.views.memory_data import MemoryData

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class Buffers(Layer):
    """A rectangle per buffer: address over the kernels in which it lives, in the colour of what writes it."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 10, kept=True)
        self._data: MemoryData | None = None
        self._groups: dict[tuple[str, bool], Array] = {}
        self._families: Sequence[str] = ()
        self._marked: frozenset[str] = frozenset()

    def set(self, data: MemoryData, families: Sequence[str]) -> None:
        """The plan and the precision family of each kernel."""
        self._data, self._families = data, families
        self._regroup()

    def mark(self, tensors: frozenset[str]) -> None:
        """Draw these full; all others stay a little paler."""
        if tensors != self._marked:
            self._marked = tensors
            self._regroup()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint the visible buffers, one call per colour."""
        if self._data is None:
            return
        buffers = self._data.buffers
        if not buffers:
            return
        gap = 1.0 if frame.x_scale >= 4 else 0.0
        first, last, offset, nbytes = np.array([(b.first, b.last, b.offset, b.nbytes) for b in buffers], float).T
        unit = self._data.unit[0]
        left, right = np.round(frame.xs(first - 0.5)), np.round(frame.xs(last + 0.5))
        top, bottom = np.round(frame.ys((offset + nbytes) / unit)), np.round(frame.ys(offset / unit))
        width = np.maximum(1.0, right - left - gap)
        height = np.maximum(1.0, bottom - top - np.where(bottom - top > 3, gap, 0.0))
        seen = (right >= frame.area.left()) & (left <= frame.area.right())
        for (family, marked), group in self._groups.items():
            mine = group[seen[group]]
            colors = self.theme.precision(family)
            color = colors.main if marked else blend(colors.line, colors.main, 0.5)
            fill_rects(painter, boxes(left[mine], top[mine], width[mine], height[mine]), color)
        spare = [i for i, b in enumerate(buffers) if b.kind == "workspace" and seen[i]]
        if spare:
            hatch(painter, boxes(left[spare], top[spare], width[spare], height[spare]), self.theme.panel, 5)

    def _regroup(self) -> None:
        """Buffers by what decides their colour."""
        groups: dict[tuple[str, bool], list[int]] = {}
        for i, buffer in enumerate(self._data.buffers if self._data is not None else ()):
            groups.setdefault((self._family(buffer), buffer.tensor in self._marked), []).append(i)
        self._groups = {key: np.array(members) for key, members in groups.items()}
        self.update()

    def _family(self, buffer: Buffer) -> str:
        writer = self._data.writer.get(buffer.tensor) if self._data is not None else None
        return self._families[writer] if writer is not None and writer < len(self._families) else ""


class MemoryLines(Layer):
    """Live set, peak, lower bound and budget."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 20, kept=True)
        self._data: MemoryData | None = None
        self.peak_label = self.bound_label = self.budget_label = ""

    def set(self, data: MemoryData) -> None:
        """The plan."""
        self._data = data
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint lines, then labels where they are free."""
        data = self._data
        if data is None:
            return
        unit = data.unit[0]
        edges = frame.xs(np.arange(len(data.live) + 1) - 0.5)
        polyline(painter, *steps(edges, frame.ys(data.live / unit)), pen(self.theme.ink, 1.2, (3, 2.5)))
        plan, area = data.plan, frame.area
        self._level(painter, frame, plan.peak_bytes / unit, self.theme.ink, ())
        if plan.lower_bound_bytes < plan.peak_bytes:
            self._level(painter, frame, plan.lower_bound_bytes / unit, self.theme.ghost, (2, 3))
        if data.budget is not None:
            self._level(painter, frame, data.budget / unit, self.theme.warn, (4, 3))
        taken: list[float] = []
        labels = [
            (plan.peak_bytes, self.peak_label, self.theme.text, -1),  # above the bars, where nothing is drawn
            (data.budget if data.budget is not None else -1, self.budget_label, self.theme.warn, -1),
            (plan.lower_bound_bytes if self.bound_label else -1, self.bound_label, self.theme.muted, 1),
        ]
        for level, text, color, side in labels:
            y = frame.y(level / unit)
            if level < 0 or not text or not area.top() <= y <= area.bottom():
                continue
            for way in (side, -side):
                at = y + way * 9
                if area.top() + 6 <= at <= area.bottom() - 8 and all(abs(at - other) >= 13 for other in taken):
                    taken.append(at)
                    point = QPointF(area.right() - 6, at)
                    halo_text(painter, point, text, color, self.theme.panel, font(10, 600), align="right")
                    break

    def _level(self, painter: QPainter, frame: Frame, level: float, color: QColor, dash: tuple[float, ...]) -> None:
        y = round(frame.y(level)) + 0.5
        if frame.area.top() <= y <= frame.area.bottom():
            painter.setPen(pen(color, 1, dash))
            painter.drawLine(QLineF(frame.area.left(), y, frame.area.right(), y))


@dataclass(frozen=True, slots=True)
class AliveRow:
    """One line of the list of live buffers."""

    family: str
    name: str
    size: str


class AliveList(Layer):
    """The buffers alive at a kernel, written where the plot has room."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 30, kept=True)
        self._data: MemoryData | None = None
        self._kernel = 0
        self.title = ""
        self.note = ""
        self.rows: list[AliveRow] = []

    def set(self, data: MemoryData, kernel: int) -> None:
        """The plan, and the kernel that the list is about."""
        self._data, self._kernel = data, kernel
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint title and rows into the largest free rectangle beside the kernel."""
        if self._data is None or not self.rows:
            return
        form, bold = font(11), font(11, 600)
        metrics, strong = QFontMetricsF(form), QFontMetricsF(bold)
        sizes = max(strong.horizontalAdvance(row.size) for row in self.rows)
        names = min(150.0, max(metrics.horizontalAdvance(row.name) for row in self.rows))
        width = max(names + sizes + 42, strong.horizontalAdvance(self.title) + 12)
        place = self._free(frame, width)
        if place is None:
            return
        rows = self.rows[: int((place.height() - 24) // 18)]
        if not rows:
            return
        plate = QRectF(place.left(), place.top(), width, 26 + 18 * len(rows))
        painter.fillRect(plate, with_alpha(self.theme.panel, 0.85))
        plain_text(painter, QRectF(plate.left() + 6, plate.top(), width, 20), self.title, self.theme.text, bold)
        for i, row in enumerate(rows):
            line = QRectF(plate.left() + 6, plate.top() + 22 + 18 * i, width - 12, 18)
            mark = QPointF(line.left(), round(line.center().y() - nibble_size() / 2))
            nibble_mark(painter, mark, row.family, self.theme.precision(row.family).main)
            name = metrics.elidedText(row.name, Qt.TextElideMode.ElideMiddle, names)
            plain_text(painter, line.adjusted(13, 0, 0, 0), name, self.theme.text2, form)
            plain_text(painter, line, row.size, self.theme.text, bold, _RIGHT)

    def _free(self, frame: Frame, width: float) -> QRectF | None:
        """Room above the buffers: the place nearest to the kernel where all rows fit, else the roomiest."""
        assert self._data is not None
        area, data = frame.area, self._data
        top = area.top() + 8
        peak = frame.y(data.plan.peak_bytes / data.unit[0])
        if peak < area.bottom():
            top = max(top, peak + 20)
        heights = data.height
        wanted = 30.0 + 18 * min(len(self.rows), 6)
        start = frame.x(self._kernel + 0.5) + 10
        places = np.arange(area.left() + 4, area.right() - width, 12.0)
        best: QRectF | None = None
        for left in sorted(places, key=lambda x: abs(x - start)):
            low = max(0, int(np.floor(frame.data_x(left))))
            high = min(len(heights), int(np.ceil(frame.data_x(left + width))) + 1)
            tallest = float(heights[low:high].max()) if high > low else 0.0
            room = frame.y(tallest / data.unit[0]) - 6 - top
            if room >= 62 and (best is None or room > best.height()):
                best = QRectF(left, top, width, room)
                if room >= wanted:
                    break
        return best


class BufferOutline(Layer):
    """An outline around the hovered buffer."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 25)
        self.buffer: Buffer | None = None
        self.unit = 1.0

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint the outline."""
        if self.buffer is not None:
            painter.setPen(pen(self.theme.ink, 1.4))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(buffer_rect(frame, self.buffer, 0.0, self.unit))


def buffer_rect(frame: Frame, buffer: Buffer, gap: float, unit: float) -> QRectF:
    """Pixels of a buffer; at least one in each direction."""
    left, right = round(frame.x(buffer.first - 0.5)), round(frame.x(buffer.last + 0.5))
    top, bottom = round(frame.y((buffer.offset + buffer.nbytes) / unit)), round(frame.y(buffer.offset / unit))
    width = max(1.0, right - left - gap)
    height = max(1.0, bottom - top - (gap if bottom - top > 3 else 0.0))
    return QRectF(left, top, width, height)
