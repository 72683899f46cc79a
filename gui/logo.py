"""The logo: four squares in the colours of the precisions."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap

from gui.theme import LIGHT, Theme


def paint_logo(painter: QPainter, corner: QPointF, cell: float, theme: Theme) -> None:
    """Draw the logo with its upper left corner at `corner`."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    step = cell + cell / 3.5
    colors = (theme.fp16.main, theme.fp16.line, theme.int4.main, theme.int8.main)
    for place, color in enumerate(colors):
        x, y = corner.x() + place % 2 * step, corner.y() + place // 2 * step
        painter.setBrush(color)
        painter.drawRoundedRect(QRectF(x, y, cell, cell), cell / 5, cell / 5)


def window_icon() -> QIcon:
    """The logo as the icon of a window, in the sizes that desktops ask for."""
    made = QIcon()
    for edge in (16, 32, 64):
        picture = QPixmap(edge, edge)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        cell = edge / 2.6
        margin = (edge - 2 * cell - cell / 3.5) / 2
        paint_logo(painter, QPointF(margin, margin), cell, LIGHT)
        painter.end()
        made.addPixmap(picture)
    return made
