"""Painters of what several plots have: polylines, steps, hatching, bands, labels with a halo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import ceil

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from engine.graph.types import Array
from gui.paint import with_alpha
from gui.theme import Theme

_DENSE = 900
"""Points on show above which a line is thinned to its extremes per pixel and drawn without smoothing."""


def pen(color: QColor, width: float = 1.0, dash: Sequence[float] = ()) -> QPen:
    """A pen with flat ends; `dash` in px."""
    result = QPen(color, width)
    result.setCapStyle(Qt.PenCapStyle.FlatCap)
    result.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    if dash:
        result.setDashPattern([length / width for length in dash])
    return result


def thin(xs: Array, ys: Array) -> tuple[Array, Array]:
    """Keep the first, lowest, highest and last finite point of every pixel column: looks the same, draws fast."""
    if len(xs) <= _DENSE:
        return xs, ys
    column = np.floor(xs).astype(np.int64)
    starts = np.flatnonzero(np.diff(column, prepend=column[0] - 1))
    ends = np.append(starts[1:], len(xs)) - 1
    finite = np.nan_to_num(ys, nan=0.0)
    low = _first_of(finite, np.minimum.reduceat(finite, starts), starts)
    high = _first_of(finite, np.maximum.reduceat(finite, starts), starts)
    keep = np.unique(np.concatenate([starts, low, high, ends]))
    return xs[keep], ys[keep]


def _first_of(values: Array, wanted: Array, starts: Array) -> Array:
    """Where each stretch that begins at `starts` first holds its wanted value."""
    stretch = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(values))))
    hits = np.flatnonzero(values == wanted[stretch])
    return hits[np.flatnonzero(np.diff(stretch[hits], prepend=-1))]


def simplified(xs: Array, ys: Array, tolerance: float = 0.25) -> tuple[Array, Array]:
    """Leave out points that lie within `tolerance` px of the line through their neighbours (an opening cone)."""
    if len(xs) < 3:
        return xs, ys
    keep, start = [0], 0
    low, high = -np.inf, np.inf
    px, py = xs.tolist(), ys.tolist()
    for i in range(1, len(px)):
        across = px[i] - px[start]
        if across > 0:
            slope = (py[i] - py[start]) / across
            if low <= slope <= high:
                low = max(low, (py[i] - tolerance - py[start]) / across)
                high = min(high, (py[i] + tolerance - py[start]) / across)
                continue
            if i - 1 > start:
                start = i - 1
                keep.append(start)
            across = px[i] - px[start]
            if across > 0:
                low = (py[i] - tolerance - py[start]) / across
                high = (py[i] + tolerance - py[start]) / across
                continue
        start = i
        keep.append(i)
        low, high = -np.inf, np.inf
    if keep[-1] != len(px) - 1:
        keep.append(len(px) - 1)
    return xs[keep], ys[keep]


def polyline(painter: QPainter, xs: Array, ys: Array, line: QPen) -> None:
    """A line through pixel points; NaN breaks it."""
    xs, ys = thin(np.asarray(xs, float), np.asarray(ys, float))
    parts = [simplified(xs[a:b], ys[a:b]) for a, b in runs(np.isfinite(ys)) if b - a > 1]
    dense = sum(len(part[0]) for part in parts) > _DENSE
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, not dense)
    painter.setPen(pen(line.color()) if dense else line)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for across, down in parts:
        painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in zip(across, down, strict=True)]))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def runs(mask: Array) -> list[tuple[int, int]]:
    """Half-open index ranges where the mask holds."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def steps(xs: Array, ys: Array) -> tuple[Array, Array]:
    """Corners of a stepped line: value i holds from edge i to edge i + 1 (`xs` has one more entry)."""
    return np.repeat(xs, 2)[1:-1], np.repeat(ys, 2)


def hatch(painter: QPainter, rects: Sequence[QRectF], color: QColor, gap: float = 6.0, width: float = 1.0) -> None:
    """Parallel strokes over rectangles, as strokes (not as a tile), so that they stay sharp on paper.

    They are anchored to the origin: neighbouring areas join.
    """
    lines: list[QLineF] = []
    for rect in rects:
        left, right, top, bottom = rect.left(), rect.right(), rect.top(), rect.bottom()
        for mark in np.arange(ceil((left + top) / gap) * gap, right + bottom, gap).tolist():
            start, end = max(left, mark - bottom), min(right, mark - top)
            if end - start > 0.5:
                lines.append(QLineF(start, mark - start, end, mark - end))
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen(color, width))
    painter.drawLines(lines)
    painter.restore()


def band_color(theme: Theme) -> QColor:
    """Fill of a selection band."""
    return with_alpha(theme.accent, theme.band_alpha)


def halo_text(
    painter: QPainter, at: QPointF, text: str, color: QColor, ground: QColor, form: QFont, *, align: str = "left"
) -> QRectF:
    """Text on data: with a plate of ground under it. `at` is the left (or right, or middle) end of its centre line."""
    metrics = QFontMetricsF(form)
    width, height = metrics.horizontalAdvance(text), metrics.height()
    left = at.x() - {"left": 0.0, "right": width, "center": width / 2}[align]
    box = QRectF(left, at.y() - height / 2, width, height)
    painter.fillRect(box.adjusted(-2, 0, 2, -1), with_alpha(ground, 0.82))
    plain_text(painter, box, text, color, form)
    return box


def plain_text(
    painter: QPainter,
    box: QRectF,
    text: str,
    color: QColor,
    form: QFont,
    flags: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
) -> None:
    """One line of text in a box."""
    painter.setFont(form)
    painter.setPen(color)
    painter.drawText(box, int(flags | Qt.TextFlag.TextSingleLine), text)


def boxes(left: Array, top: Array | float, width: Array | float, height: Array | float) -> list[QRectF]:
    """Rectangles from arrays, equal ones once; single numbers stand for all.

    Thousands of kernels on hundreds of pixels share their places.
    """
    columns = np.broadcast_arrays(left, top, width, height)
    rows = dict.fromkeys(zip(*(column.tolist() for column in columns), strict=True))
    return [QRectF(*row) for row in rows]


def stretches(left: Array, right: Array) -> Iterator[tuple[float, float]]:
    """What intervals cover together: those that touch or lie over each other as one, from the left on.

    A translucent colour is laid on once then, however many kernels share a pixel.
    """
    if not len(left):
        return
    order = np.argsort(left)
    left, furthest = left[order], np.maximum.accumulate(right[order])
    starts = np.flatnonzero(np.r_[True, left[1:] > furthest[:-1] + 1e-6])
    for start, after in zip(starts, np.r_[starts[1:], len(left)], strict=True):
        yield float(left[start]), float(furthest[after - 1])


def fill_rects(painter: QPainter, rects: Iterable[QRectF], color: QColor | QBrush) -> None:
    """Many rectangles of one colour in one call."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QBrush(color))
    found = list(rects)
    if found:
        painter.drawRects(found)
