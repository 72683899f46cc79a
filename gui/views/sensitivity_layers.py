"""How the sensitivity map is drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from engine.graph.types import Array
from engine.precision.scheme import Scheme, family, label
from gui.fonts import font
from gui.paint import map_color, nibble_mark, nibble_size, readable_on
from gui.plots.frame import Frame
from gui.plots.layer import Layer
from gui.plots.panel import Panel, PlotBox
from gui.plots.picture import LEVELS, Picture, lookup
from gui.plots.shapes import fill_rects, hatch, pen, plain_text
from gui.theme import Theme
from gui.views.sensitivity_data import SensitivityMap

_CENTER = Qt.AlignmentFlag.AlignCenter


class CellImage:
    """The cells as one picture: a colour per pixel, stretched over the map."""

    def __init__(self, panel: Panel) -> None:
        self._picture = Picture(panel)

    def set(self, heights: Array, blank: Array, theme: Theme) -> None:
        """Paint cells in [0, 1], [rows, columns]; `blank` cells, and unknown ones (NaN), take the ground's colour."""
        rows, columns = heights.shape
        table = lookup(theme.heat)
        steps = np.nan_to_num(heights * (LEVELS - 1), nan=0.0).round().astype(np.intp)
        picture = table[steps]
        picture[np.isnan(heights)] = theme.panel.getRgb()
        picture[np.isnan(heights) & blank] = theme.sunken.getRgb()
        self._picture.show_colors(picture[::-1], QRectF(0, 0, columns, rows))


class CellMarks(Layer):
    """Gaps between cells, crosses, dots of estimates, outlines of the plan."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 10, kept=True)
        self._data: SensitivityMap | None = None
        self._heights: Array = np.empty((0, 0))

    def set(self, data: SensitivityMap, heights: Array) -> None:
        """The map and the places of its cells on the colour scale."""
        self._data, self._heights = data, heights
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint all marks of the visible columns."""
        data = self._data
        if data is None:
            return
        first, last = max(0, int(frame.x0)), min(len(data.ids), int(np.ceil(frame.x1)))
        self._without(painter, frame, data, first, last)
        self._gaps(painter, frame, first, last)
        if frame.x_scale >= 5:
            self._crosses_and_dots(painter, frame, data, first, last)
        self._plan(painter, frame, data, first, last)

    def _without(self, painter: QPainter, frame: Frame, data: SensitivityMap, first: int, last: int) -> None:
        """Hatch cells of kernels that the estimate could not reach."""
        columns = [c for c in range(first, last) if data.ids[c] in data.blocked and data.question != "one-out"]
        rows = range(len(data.schemes))
        cells = [cell_rect(frame, len(rows), r, c) for c in columns for r in rows if data.cells[r][c] is None]
        if cells:
            hatch(painter, cells, self.theme.ghost)

    def _gaps(self, painter: QPainter, frame: Frame, first: int, last: int) -> None:
        area = frame.area
        rows = len(self._data.schemes) if self._data is not None else 1
        lines = [QRectF(area.left(), round(frame.y(rows - r - 1)) - 1, area.width(), 1) for r in range(rows)]
        if frame.x_scale >= 5:
            lines += [QRectF(round(frame.x(c + 1)) - 1, area.top(), 1, area.height()) for c in range(first, last)]
        fill_rects(painter, lines, self.theme.panel)

    def _crosses_and_dots(self, painter: QPainter, frame: Frame, data: SensitivityMap, first: int, last: int) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        crosses: dict[int, tuple[QColor, list[QLineF]]] = {}
        for r in range(len(data.schemes)):
            for c in range(first, last):
                cell = data.cells[r][c]
                if data.reasons[r][c] is None and (cell is None or cell.kind == "exact"):
                    continue
                center = cell_rect(frame, len(data.schemes), r, c).center()
                ink = self.theme.muted
                if cell is not None:
                    ink = readable_on(map_color(self.theme.heat, float(self._heights[r, c])))
                if data.reasons[r][c] is not None:
                    x, y, d = center.x(), center.y(), 2.8
                    lines = crosses.setdefault(ink.rgb(), (ink, []))[1]
                    lines += [QLineF(x - d, y - d, x + d, y + d), QLineF(x - d, y + d, x + d, y - d)]
                elif frame.x_scale >= 7:
                    painter.setPen(Qt.PenStyle.NoPen)
                    painter.setBrush(ink)
                    painter.drawEllipse(center, 1.2, 1.2)
        for ink, lines in crosses.values():
            painter.setPen(pen(ink, 1))
            painter.drawLines(lines)

    def _plan(self, painter: QPainter, frame: Frame, data: SensitivityMap, first: int, last: int) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        marks: dict[tuple[float, float, float, float], None] = {}
        for c in range(first, last):
            row = data.plan_rows[c]
            if row is None:
                continue
            box = cell_rect(frame, len(data.schemes), row, c)
            if box.width() >= 6:
                painter.setPen(pen(self.theme.ink, 2 if box.width() >= 12 else 1.4))
                painter.drawRoundedRect(box.adjusted(1, 1, 0, 0), 2, 2)
            else:  # thousands of kernels share the pixels
                marks[round(box.left()), box.center().y() - 2, max(1.0, box.width()), 4.0] = None
        fill_rects(painter, [QRectF(*mark) for mark in marks], self.theme.ink)


class CellCursors(Layer):
    """Outlines of the cell under the pointer and of the keyboard's."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 20, clipped=False)
        self.rows = 1
        self.selected: tuple[int, ...] = ()
        """Columns of selected kernels."""
        self.hovered: tuple[int, int] | None = None
        self.keyed: tuple[int, int] | None = None

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint the outlines."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        foot = frame.area.bottom()
        for column in self.selected:
            left, right = frame.x(column), frame.x(column + 1) - 1
            painter.fillRect(QRectF(left, foot, max(1.0, right - left), 3), self.theme.accent)
        painter.setPen(pen(self.theme.accent, 2))
        for cell in (self.keyed, self.hovered):
            if cell is not None:
                box = cell_rect(frame, self.rows, *cell)
                painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)


def cell_rect(frame: Frame, rows: int, row: int, column: int) -> QRectF:
    """Pixels of a cell without its gap; row 0 is the highest of `rows`."""
    left, right = round(frame.x(column)), round(frame.x(column + 1))
    top, bottom = round(frame.y(rows - row)), round(frame.y(rows - row - 1))
    gap = 1 if right - left >= 5 else 0
    return QRectF(left, top, right - left - gap, bottom - top - 1)


class SchemeNames(Layer):
    """The gutter: nibble mark, name and details of each scheme, the word before the blocks."""

    def __init__(self, box: PlotBox, gutter: float) -> None:
        super().__init__(box, 0, clipped=False, margin=gutter)
        self._gutter = gutter
        self._rows: tuple[tuple[str, str, str], ...] = ()
        self.block_word = ""

    def set(self, data: SensitivityMap, details: Sequence[str], sorted_by: Scheme | None = None) -> None:
        """The schemes and their details in the window's language, and which of them the columns are sorted by."""
        arrows = ["  ↓" if scheme == sorted_by else "" for scheme in data.schemes]
        rows = zip(data.schemes, details, arrows, strict=True)
        self._rows = tuple((family(s), label(s) + arrow, d) for s, d, arrow in rows)
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint one line per row, details only where they fit."""
        left, bold, small = frame.area.left() - self._gutter, font(11, 600), font(10)
        metrics, fine = QFontMetricsF(bold), QFontMetricsF(small)
        named = max((metrics.horizontalAdvance(text) for _, text, _ in self._rows), default=0.0) + 8
        rows = len(self._rows)
        for r, (name, text, details) in enumerate(self._rows):
            top, bottom = frame.y(rows - r), frame.y(rows - r - 1)
            middle = (top + bottom) / 2
            mark = QPointF(left + 2, round(middle - nibble_size() / 2))
            nibble_mark(painter, mark, name, self.theme.precision(name).main)
            box = QRectF(left + 15, middle - 8, self._gutter - 15, 16)
            plain_text(painter, box, text, self.theme.text, bold)
            start = left + 15 + named
            room = frame.area.left() - start - 4
            if fine.horizontalAdvance(details) <= room:
                plain_text(painter, QRectF(start, middle - 8, room, 16), details, self.theme.muted, small)
        foot = QRectF(left + 2, frame.area.bottom() + 5, self._gutter, 16)
        plain_text(painter, foot, self.block_word, self.theme.muted, font(11))


_OVERHANG, _APART = 10.0, 5.0
"""Px that a label may be wider than its block, and that stay free between two labels."""


class BlockNames(Layer):
    """Braces below the map: which columns belong to one block."""

    def __init__(self, box: PlotBox) -> None:
        super().__init__(box, 0, clipped=False, margin=24)
        self._blocks: Sequence[tuple[str, int, int]] = ()
        self._names: Sequence[str] = ()

    def set(self, found: Sequence[tuple[str, int, int]], names: Sequence[str]) -> None:
        """Label, first and last column of each block, and the names that take the place of labels that fit."""
        self._blocks, self._names = found, names
        self.update()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Paint lines and the labels that fit."""
        form = font(11)
        metrics = QFontMetricsF(form)
        top, area = frame.area.bottom() + 4, frame.area
        painter.setClipRect(QRectF(area.left(), top - 4, area.width(), 26))
        taken = area.left()
        for (text, first, last), name in zip(self._blocks, self._names, strict=True):
            left, right = frame.x(first), frame.x(last + 1) - 2
            if right < area.left() or left > area.right() or right - left < 3:
                continue
            painter.setPen(pen(self.theme.strong))
            painter.drawLine(QLineF(left, top + 0.5, right, top + 0.5))
            left, right = max(left, area.left()), min(right, area.right())
            if metrics.horizontalAdvance(name) <= right - left:
                text = name
            wide = metrics.horizontalAdvance(text)
            start = min(max((left + right - wide) / 2, area.left()), area.right() - wide)
            if wide <= right - left + _OVERHANG and start >= taken:
                plain_text(painter, QRectF(start, top + 2, wide + 1, 16), text, self.theme.muted, form, _CENTER)
                taken = start + wide + _APART
