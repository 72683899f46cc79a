"""Keeps small pictures that tables draw again and again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPixmap
from PySide6.QtWidgets import QWidget

_MOST = 2000
_pictures: OrderedDict[Hashable, QPixmap] = OrderedDict()


def draw_cached(
    painter: QPainter, rect: QRectF, margin: int, key: Hashable, draw: Callable[[QPainter, QRectF], None]
) -> None:
    """Draw something that depends on `key` and the size of `rect` only, from memory if it was drawn before.

    On paper and in SVG files it is drawn afresh, as lines.

    Args:
        painter: Where to draw.
        rect: Where it stands; drawn at whole pixels.
        margin: Px that it may reach beyond `rect` (a focus ring).
        key: All that its look depends on, the theme included.
        draw: Draws it into a rectangle.
    """
    device = painter.device()
    if not isinstance(device, (QWidget, QPixmap, QImage)):
        draw(painter, rect)
        return
    scale = device.devicePixelRatioF()
    full = (key, rect.width(), rect.height(), scale)
    picture = _pictures.get(full)
    if picture is None:
        width, height = round(rect.width()) + 2 * margin, round(rect.height()) + 2 * margin
        picture = QPixmap(round(width * scale), round(height * scale))
        picture.setDevicePixelRatio(scale)
        picture.fill(Qt.GlobalColor.transparent)
        inner = QPainter(picture)
        draw(inner, QRectF(margin, margin, rect.width(), rect.height()))
        inner.end()
        _pictures[full] = picture
        if len(_pictures) > _MOST:
            _pictures.popitem(last=False)
    painter.drawPixmap(QPointF(round(rect.x()) - margin, round(rect.y()) - margin), picture)
