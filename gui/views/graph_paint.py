"""How cards, frames and edges of the Graph view are drawn: pure QPainter functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen

from gui.fonts import font
from gui.icons import paint_icon
from gui.paint import badge, badge_width, dot, hatch, map_color, readable_on, with_alpha
from gui.theme import Theme
from gui.views.fitting_ops import fitting_op, fitting_path
from gui.views.graph_arrange import Box, Point

CORNER = 4.0
ARROW = 4.0
STRIP_WIDTH, STRIP_HEIGHT = 190.0, 16.0
"""Px of the strip of worst values on a card of folded blocks."""


@dataclass(frozen=True, slots=True)
class Face:
    """What a card shows."""

    title: str
    detail: str
    """The operators of a kernel, or what folded blocks are."""
    latency: str = ""
    """Of a kernel; stands behind its operators."""
    value: str = ""
    height: float = float("nan")
    """Place on the colour scale; NaN leaves the card plain."""
    family: str = ""
    """Precision family; "" without a switch."""
    label: str = ""
    cpu: bool = False
    over: bool = False
    """Reaches the threshold."""
    stale: bool = False
    estimated: bool = False
    strip: tuple[float, ...] = ()
    """Of folded blocks: the worst place on the scale of each."""
    strip_families: tuple[str, ...] = ()
    """The lowest precision of each block, where the overlay is the precision."""
    first: str = ""
    last: str = ""
    """Numbers of the first and the last folded block."""
    ground: str = ""
    """"family" or "unit": the card takes the colour of its precision or of its unit instead of the scale."""


@dataclass(frozen=True, slots=True)
class State:
    """How a card stands out."""

    selected: bool = False
    current: bool = False
    hovered: bool = False
    found: bool = True
    """Whether the search finds it; the others are dimmed."""
    focus: bool = False


def rect_of(box: Box) -> QRectF:
    """A box as Qt takes it."""
    return QRectF(box.x, box.y, box.width, box.height)


def ground_of(face: Face, theme: Theme, token: str) -> QColor:
    """The colour that fills a card."""
    if face.ground == "family" and face.family:
        return theme.precision(face.family).soft
    if face.ground == "unit" and face.cpu:
        return theme.warn_soft
    if not isnan(face.height) and token:
        return map_color(getattr(theme, token), face.height)
    return theme.panel if not theme.dark else theme.raised


def paint_card(painter: QPainter, box: Box, face: Face, state: State, theme: Theme, token: str) -> None:
    """Draw a kernel's card or a card of folded blocks."""
    rect = rect_of(box).adjusted(0.5, 0.5, -0.5, -0.5)
    ground = ground_of(face, theme, token if not face.strip else "")
    painter.save()
    painter.setOpacity(1.0 if state.found else 0.28)
    if face.strip:
        _shadow_cards(painter, rect, theme)
    _outline(painter, rect, ground, face, state, theme)
    inside = rect.adjusted(10, 4, -8, -4)
    if face.strip:
        _paint_fold(painter, inside, face, theme, token)
    else:
        _paint_kernel(painter, inside, face, ground, theme)
    painter.restore()


def paint_small(painter: QPainter, box: Box, face: Face, state: State, theme: Theme, token: str) -> None:
    """Draw a card where nothing on it could be read."""
    color = ground_of(face, theme, token)
    rect = rect_of(box)
    painter.fillRect(rect, color if state.found else with_alpha(color, 0.28))
    painter.setPen(QPen(theme.accent if state.selected or state.current else theme.strong, 0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(rect)


def paint_frame(painter: QPainter, box: Box, title: str, detail: str, theme: Theme, plain: bool) -> None:
    """Draw the box around an unfolded block; its title folds it."""
    rect = rect_of(box).adjusted(0.5, 0.5, -0.5, -0.5)
    painter.setPen(QPen(theme.border, 1))
    painter.setBrush(with_alpha(theme.sunken, 0.5))
    painter.drawRoundedRect(rect, 8, 8)
    if plain:
        return
    area = frame_title(box)
    paint_icon(painter, "minus", QRectF(area.x(), area.center().y() - 6, 12, 12), theme.muted)
    painter.setFont(font(12, 600))
    painter.setPen(theme.text2)
    middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
    wide = QFontMetricsF(font(12, 600)).horizontalAdvance
    behind = QFontMetricsF(font(11)).horizontalAdvance(detail) + 28
    title = fitting_path(title, area.width() - behind, wide)
    width = wide(title)
    painter.drawText(area.adjusted(18, 0, 0, 0), middle, title)
    painter.setFont(font(11))
    painter.setPen(theme.muted)
    painter.drawText(area.adjusted(18 + width + 10, 0, 0, 0), middle, detail)


def frame_title(box: Box) -> QRectF:
    """Where the title of a frame stands."""
    return QRectF(box.x + 12, box.y + 6, box.width - 24, 20)


def strip_rect(box: Box) -> QRectF:
    """Where the strip of a card of folded blocks stands."""
    return QRectF(box.right - STRIP_WIDTH - 12, box.y + 9, STRIP_WIDTH, STRIP_HEIGHT)


def edge_path(points: Sequence[Point], residual: bool) -> QPainterPath:
    """The line of an edge: smooth between rows, with round corners in a lane."""
    path = QPainterPath(QPointF(*points[0]))
    if residual:
        (_, y0), (x, _), _, (x1, y1) = points
        radius = min(6.0, abs(y1 - y0) / 2)
        path.lineTo(x + radius, y0)
        path.quadTo(x, y0, x, y0 + radius)
        path.lineTo(x, y1 - radius)
        path.quadTo(x, y1, x + radius, y1)
        path.lineTo(x1, y1)
        return path
    for (xa, ya), (xb, yb) in pairwise(points):
        if xa == xb:
            path.lineTo(xb, yb)
        else:
            middle = (ya + yb) / 2
            path.cubicTo(QPointF(xa, middle), QPointF(xb, middle), QPointF(xb, yb))
    return path


def arrow_path(points: Sequence[Point], residual: bool) -> QPainterPath:
    """The head at the end of an edge."""
    x, y = points[-1]
    path = QPainterPath(QPointF(x, y))
    if residual:
        path.lineTo(x - 2 * ARROW, y - ARROW)
        path.lineTo(x - 2 * ARROW, y + ARROW)
    else:
        path.lineTo(x - ARROW, y - 1.6 * ARROW)
        path.lineTo(x + ARROW, y - 1.6 * ARROW)
    path.closeSubpath()
    return path


def _shadow_cards(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    painter.setPen(QPen(theme.border, 1))
    painter.setBrush(theme.sunken)
    for step in (8, 4):
        painter.drawRoundedRect(rect.translated(step, step), CORNER, CORNER)


def _outline(painter: QPainter, rect: QRectF, ground: QColor, face: Face, state: State, theme: Theme) -> None:
    border = theme.accent if state.hovered else theme.strong
    if face.over:
        border = theme.warn
    if face.ground == "family" and face.family and not state.hovered:
        border = theme.precision(face.family).line
    painter.setPen(QPen(border, 1.6 if face.over else 1))
    painter.setBrush(ground)
    painter.drawRoundedRect(rect, CORNER, CORNER)
    if face.cpu:
        hatch(painter, rect, with_alpha(theme.warn, 0.35))
    if state.selected or state.current:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.ink if state.current else theme.accent, 2))
        painter.drawRoundedRect(rect.adjusted(-2, -2, 2, 2), CORNER + 2, CORNER + 2)
    if state.focus:
        painter.setPen(QPen(theme.accent, 2))
        painter.drawRoundedRect(rect.adjusted(-5, -5, 5, 5), CORNER + 4, CORNER + 4)


def _paint_kernel(painter: QPainter, inside: QRectF, face: Face, ground: QColor, theme: Theme) -> None:
    colored = not isnan(face.height) or bool(face.ground and face.family)
    strong = readable_on(ground) if colored else theme.text
    soft = with_alpha(strong, 0.82) if colored else theme.muted
    right = badge_width(face.label) if face.family else 16.0 if face.cpu else 0.0
    left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    top, low = (
        QRectF(inside.x(), inside.y(), inside.width(), 15),
        QRectF(inside.x(), inside.y() + 14, inside.width(), 14),
    )
    _text(painter, top.adjusted(0, 0, -right - 4, 0), face.title, font(12, 600), strong, left)
    width = QFontMetricsF(font(11, 600)).horizontalAdvance(face.value) + (20 if face.over or face.estimated else 6)
    words = low.adjusted(0, 0, -width if face.value else 0, 0)
    _text(painter, words, fitting_op(face.detail, face.latency, int(words.width())), font(11), soft, left)
    if face.family:
        badge(painter, QPointF(inside.right() - right, inside.y() - 1), face.family, face.label, theme, height=15)
    elif face.cpu:
        paint_icon(painter, "fallback", QRectF(inside.right() - 14, inside.y(), 14, 14), theme.warn)
    if face.value:
        figure = ("≈" if face.stale else "") + face.value
        align = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        _text(painter, low, figure, font(11, 600, italic=face.stale), strong, align)
    mark = QPointF(inside.right() - width + 6, low.center().y())
    if face.value and face.over:
        paint_icon(painter, "triangle", QRectF(mark.x() - 5, mark.y() - 5, 10, 10), strong)
    elif face.value and face.estimated:
        dot(painter, mark, 1.8, strong)


def _paint_fold(painter: QPainter, inside: QRectF, face: Face, theme: Theme, token: str) -> None:
    left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    paint_icon(painter, "plus", QRectF(inside.x() - 2, inside.y() + 4, 12, 12), theme.muted)
    words = QRectF(inside.x() + 16, inside.y() + 2, inside.width() - STRIP_WIDTH - 24, 18)
    title = fitting_path(face.title, words.width(), QFontMetricsF(font(12, 600)).horizontalAdvance)
    _text(painter, words, title, font(12, 600), theme.text, left)
    _text(painter, words.translated(0, 18), face.detail, font(11), theme.muted, left)
    strip = QRectF(inside.right() - STRIP_WIDTH - 4, inside.y() + 5, STRIP_WIDTH, STRIP_HEIGHT)
    step = strip.width() / len(face.strip)
    for i, place in enumerate(face.strip):
        cell = QRectF(strip.x() + i * step, strip.y(), max(1.0, step - 1), strip.height())
        color = map_color(getattr(theme, token), place) if token and not isnan(place) else theme.bar2
        if face.strip_families and face.strip_families[i]:
            color = theme.precision(face.strip_families[i]).main
        painter.fillRect(cell, color)
    below = QRectF(strip.x(), strip.bottom() + 1, strip.width(), 14)
    _text(painter, below, face.first, font(10), theme.muted, left)
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    _text(painter, below, face.last, font(10), theme.muted, right)
    _text(painter, below, face.value, font(10), theme.muted, Qt.AlignmentFlag.AlignCenter)


def _text(painter: QPainter, rect: QRectF, text: str, form: QFont, color: QColor, align: Qt.AlignmentFlag) -> None:
    painter.setFont(form)
    painter.setPen(color)
    fitted = QFontMetricsF(painter.font()).elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
    painter.drawText(rect, align, fitted)
