"""The precision switch: three segments, drawn the same in the table and as a widget."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPen

from gui.fonts import font
from gui.paint.cache import draw_cached
from gui.paint.marks import nibble_mark, nibble_size
from gui.theme import Theme

FAMILIES = ("INT4", "INT8", "FP16")
SWITCH_HEIGHT = 17.0


@dataclass(frozen=True, slots=True)
class SwitchLook:
    """What a switch shows."""

    chosen: str | None = None
    """Family of the chosen segment; None for a mixed selection."""
    label: str = ""
    """Name of an advanced scheme, written into its family's segment with a filled corner."""
    bits: int | None = None
    """Weight bits of the chosen scheme, for the half cells of 2 and 3 bits."""
    unsupported: frozenset[str] = frozenset()
    """Families the device has no kernel for: struck through, still to be chosen as a what-if."""
    focused: bool = False
    hovered: str | None = None
    locked: bool = False
    method: bool = False
    """Whether weights are rounded by a method of their own: a filled corner too."""


def switch_segments(rect: QRectF) -> tuple[QRectF, QRectF, QRectF]:
    """The three segments of a switch, left to right in the order of FAMILIES."""
    third = rect.width() / 3
    return tuple(QRectF(rect.x() + i * third, rect.y(), third, rect.height()) for i in range(3))  # type: ignore[return-value]


def switch_hit(rect: QRectF, point: QPointF) -> str | None:
    """The family under a point, or None outside."""
    for family, segment in zip(FAMILIES, switch_segments(rect), strict=True):
        if segment.contains(point):
            return family
    return None


def paint_switch(
    painter: QPainter, rect: QRectF, look: SwitchLook, theme: Theme, pixels: int = 10, radius: float = 4
) -> None:
    """Draw a switch into `rect` (about 144 x 17 px in a table row)."""
    draw_cached(
        painter, rect, 2, (look, theme.name, pixels, radius), lambda p, r: _switch(p, r, look, theme, pixels, radius)
    )


def _switch(painter: QPainter, rect: QRectF, look: SwitchLook, theme: Theme, pixels: int, radius: float) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.border, 1))
    painter.setBrush(theme.raised)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
    for family, segment in zip(FAMILIES, switch_segments(rect), strict=True):
        if family == look.chosen:
            _chosen(painter, segment, family, look, theme, pixels, radius)
        else:
            _other(painter, segment, family, look, theme, pixels)
    if look.focused:
        painter.setPen(QPen(theme.accent, 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(rect.adjusted(-1, -1, 1, 1), radius + 1, radius + 1)
    painter.restore()


def _chosen(
    painter: QPainter, segment: QRectF, family: str, look: SwitchLook, theme: Theme, pixels: int, radius: float
) -> None:
    colors = theme.precision(family)
    box = segment.adjusted(0.5, 0.5, -0.5, -0.5)
    painter.setPen(QPen(colors.main, 1))
    painter.setBrush(colors.soft)
    painter.drawRoundedRect(box, radius, radius)
    if look.method or (look.label and look.label != family):
        corner = QPainterPath(QPointF(box.right() - 6, box.top()))
        corner.lineTo(box.right() - radius / 2, box.top())
        corner.quadTo(box.right(), box.top(), box.right(), box.top() + radius / 2)
        corner.lineTo(box.right(), box.top() + 6)
        corner.closeSubpath()
        painter.fillPath(corner, colors.main)
    text = look.label or family
    face = font(pixels, 600)
    side = nibble_size()
    width = QFontMetricsF(face).horizontalAdvance(text)
    left = segment.x() + max(4.0, (segment.width() - side - 4 - width) / 2)
    mark = QPointF(round(left), round(segment.center().y() - side / 2))
    nibble_mark(painter, mark, family, colors.main, bits=look.bits)
    if family in look.unsupported:
        face.setStrikeOut(True)
    painter.setFont(face)
    painter.setPen(colors.text)
    area = QRectF(left + side + 4, segment.y(), width + 2, segment.height())
    painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)


def _other(painter: QPainter, segment: QRectF, family: str, look: SwitchLook, theme: Theme, pixels: int) -> None:
    unsupported = family in look.unsupported
    painter.setFont(font(pixels, 500, strike=unsupported))
    hovered = family == look.hovered and not look.locked
    if hovered:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.hover)
        painter.drawRoundedRect(segment.adjusted(1, 1, -1, -1), 3, 3)
    painter.setPen(theme.faint if unsupported or look.locked else theme.text2 if hovered else theme.muted)
    painter.drawText(segment, Qt.AlignmentFlag.AlignCenter, family)
