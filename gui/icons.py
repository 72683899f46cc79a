"""Icons: one-colour SVG files, recoloured for the theme when they are drawn."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from engine.paths import resources

_SCALES = (1.0, 2.0)
"""Device pixel ratios that an icon carries pixmaps for; Qt scales the better one down in between."""


def icon(name: str, color: QColor, size: int = 16, *, disabled: QColor | None = None) -> QIcon:
    """An icon in one colour; `disabled` is used where it can't be clicked.

    Args:
        name: File name in resources/icons without its suffix.
        color: Stroke colour.
        size: Edge in px.
        disabled: Stroke colour of the disabled state, by default left to the style.
    """
    result = QIcon()
    for scale in _SCALES:
        result.addPixmap(pixmap(name, color, size, scale))
        if disabled is not None:
            result.addPixmap(pixmap(name, disabled, size, scale), QIcon.Mode.Disabled)
    return result


def pixmap(name: str, color: QColor, size: int = 16, scale: float = 1.0) -> QPixmap:
    """An icon as a pixmap of `size` px at a device pixel ratio."""
    return QPixmap(_pixmap(name, color.name(QColor.NameFormat.HexArgb), size, scale))


def paint_icon(painter: QPainter, name: str, rect: QRectF, color: QColor) -> None:
    """Draw an icon into a square of any painter; sharp at every scale, so for canvases and exports as well."""
    _renderer(name, color.name()).render(painter, rect)


@lru_cache(maxsize=512)
def _pixmap(name: str, argb: str, size: int, scale: float) -> QPixmap:
    edge = max(1, round(size * scale))
    result = QPixmap(QSize(edge, edge))
    result.fill(Qt.GlobalColor.transparent)
    painter = QPainter(result)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    color = QColor(argb)
    painter.setOpacity(color.alphaF())
    paint_icon(painter, name, QRectF(0, 0, edge, edge), color)
    painter.end()
    result.setDevicePixelRatio(scale)
    return result


@lru_cache(maxsize=512)
def _renderer(name: str, rgb: str) -> QSvgRenderer:
    text = (resources() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    return QSvgRenderer(QByteArray(text.replace("currentColor", rgb).encode()))
