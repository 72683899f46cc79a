"""Marks: the nibble mark, precision badges, plot markers, hatching, spinner."""

from __future__ import annotations

from functools import lru_cache
from math import cos, pi, sin

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen, QPixmap

from gui.fonts import font, text_width
from gui.paint.cache import draw_cached
from gui.theme import Theme

_EMPTY_OPACITY = 0.22
_FILLED = {"INT4": (2,), "INT8": (2, 3), "FP16": (0, 1, 2, 3)}
"""Cells of the 2 x 2 grid (row by row) that a family fills: one per four weight bits."""
BADGE_HEIGHT = 16.0


def nibble_size(cell: float = 3.0) -> float:
    """Edge of a nibble mark in px."""
    return 2 * cell + cell / 3


def nibble_mark(
    painter: QPainter,
    corner: QPointF,
    family: str,
    color: QColor,
    cell: float = 3.0,
    bits: int | None = None,
) -> None:
    """Draw the 2 x 2 nibble mark with its upper left corner at `corner`.

    One cell per four weight bits; 2 and 3 bits fill half a cell. Empty cells show at 22 %.
    """
    gap = cell / 3
    filled = _FILLED.get(family, ())
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(Qt.PenStyle.NoPen)
    faint = QColor(color)
    faint.setAlphaF(_EMPTY_OPACITY)
    for index in range(4):
        x = corner.x() + (index % 2) * (cell + gap)
        y = corner.y() + (index // 2) * (cell + gap)
        if index in filled and bits in (2, 3):
            painter.fillRect(QRectF(x, y, cell, cell), faint)
            painter.fillRect(QRectF(x, y + cell / 2, cell, cell / 2), color)
        else:
            painter.fillRect(QRectF(x, y, cell, cell), color if index in filled else faint)
    painter.restore()


def badge_width(label: str) -> float:
    """Width of a precision badge in px."""
    return 6 + nibble_size() + 4 + text_width(label, 10, 600) + 6


def badge(
    painter: QPainter,
    corner: QPointF,
    family: str,
    label: str,
    theme: Theme,
    *,
    height: float = BADGE_HEIGHT,
    width: float | None = None,
) -> QRectF:
    """Draw a precision badge (soft fill, border, nibble mark, label) and return its rectangle."""
    rect = QRectF(corner.x(), corner.y(), badge_width(label) if width is None else width, height)
    draw_cached(painter, rect, 0, (family, label, theme.name), lambda p, r: _badge(p, r, family, label, theme))
    return rect


def _badge(painter: QPainter, rect: QRectF, family: str, label: str, theme: Theme) -> None:
    colors = theme.precision(family)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colors.line, 1))
    painter.setBrush(colors.soft)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
    side = nibble_size()
    mark = QPointF(round(rect.x() + 6), round(rect.center().y() - side / 2))
    nibble_mark(painter, mark, family, colors.main)
    painter.setFont(font(10, 600))
    painter.setPen(colors.text)
    text = rect.adjusted(6 + side + 4, 0, -4, 0)
    painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, label)
    painter.restore()


def marker_path(family: str, center: QPointF, size: float) -> QPainterPath:
    """Plot marker of a family: triangle INT4, square INT8, circle FP16, diamond for all else."""
    x, y, half = center.x(), center.y(), size / 2
    path = QPainterPath()
    if family == "INT4":
        corners = [(x, y - half), (x + half, y + half * 0.8), (x - half, y + half * 0.8)]
    elif family == "INT8":
        path.addRect(QRectF(x - half * 0.85, y - half * 0.85, size * 0.85, size * 0.85))
        return path
    elif family == "FP16":
        path.addEllipse(center, half, half)
        return path
    else:
        corners = [(x, y - half), (x + half, y), (x, y + half), (x - half, y)]
    path.moveTo(*corners[0])
    for corner in corners[1:]:
        path.lineTo(*corner)
    path.closeSubpath()
    return path


def triangle_mark(painter: QPainter, center: QPointF, size: float, color: QColor, *, up: bool) -> None:
    """A small filled triangle: the direction of a change, or the previous plan on a gauge."""
    half = size / 2
    sign = -1 if up else 1
    path = QPainterPath(QPointF(center.x() - half, center.y() - sign * half * 0.8))
    path.lineTo(center.x() + half, center.y() - sign * half * 0.8)
    path.lineTo(center.x(), center.y() + sign * half * 0.8)
    path.closeSubpath()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillPath(path, color)
    painter.restore()


def dot(painter: QPainter, center: QPointF, radius: float, color: QColor) -> None:
    """A filled dot: a difference to the reference plan, an estimate."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawEllipse(center, radius, radius)
    painter.restore()


def hatch_brush(color: QColor, step: int = 6) -> QBrush:
    """Diagonal lines on a transparent ground, for stale and launch parts."""
    return QBrush(_hatch_tile(color.name(QColor.NameFormat.HexArgb), step))


def hatch(painter: QPainter, rect: QRectF, color: QColor, step: int = 6) -> None:
    """Fill a rectangle with diagonal lines."""
    painter.fillRect(rect, hatch_brush(color, step))


def spinner(painter: QPainter, rect: QRectF, color: QColor, turn: float) -> None:
    """A three-quarter ring, turned by `turn` in [0, 1)."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(color, max(1.4, rect.width() / 10))
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    inner = rect.adjusted(pen.widthF(), pen.widthF(), -pen.widthF(), -pen.widthF())
    painter.drawArc(inner, round((90 - turn * 360) * 16), -270 * 16)
    painter.restore()


def star_path(center: QPointF, radius: float) -> QPainterPath:
    """A four-point star."""
    path = QPainterPath()
    for index in range(8):
        reach = radius if index % 2 == 0 else radius * 0.36
        angle = index * pi / 4 - pi / 2
        point = QPointF(center.x() + reach * cos(angle), center.y() + reach * sin(angle))
        path.moveTo(point) if index == 0 else path.lineTo(point)
    path.closeSubpath()
    return path


@lru_cache(maxsize=64)
def _hatch_tile(argb: str, step: int) -> QPixmap:
    tile = QPixmap(step, step)
    tile.fill(Qt.GlobalColor.transparent)
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(argb), 1.2))
    for offset in (-step, 0, step):
        painter.drawLine(QPointF(offset - 1, step + 1), QPointF(offset + step + 1, -1))
    painter.end()
    return tile
