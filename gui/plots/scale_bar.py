"""A caption with a colour bar: what a colour of a map stands for."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF, QLinearGradient, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gui.fonts import font
from gui.plots.caption import Caption
from gui.plots.shapes import plain_text
from gui.theme import Theme

WIDTH, HEIGHT = 188.0, 30.0


class ScaleCaption(Caption):
    """Title and keys as in a caption; at the right end the colour map of a token with values under it."""

    def __init__(self, token: str) -> None:
        super().__init__()
        self._token = token
        self._labels: tuple[tuple[float, str], ...] = ()
        self.setMinimumHeight(HEIGHT)
        self.setMaximumHeight(HEIGHT)

    def set_scale(self, labels: Sequence[tuple[float, str]]) -> None:
        """Values under the bar as (place in [0, 1], text)."""
        self._labels = tuple(labels)
        self.update()

    def content(self) -> QRectF:
        """Title and keys leave the bar its room."""
        area: QRectF = self.rect()
        return area.adjusted(0, 0, -(WIDTH + 18), -8)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Called by Qt."""
        super().paint(painter, option, widget)
        area = self.rect()
        bar = QRectF(area.right() - WIDTH, area.top() + 4, WIDTH, 8)
        painter.fillRect(bar, gradient(self.theme, self._token, bar))
        form = font(10)
        metrics = QFontMetricsF(form)
        for place, text in self._labels:
            width = metrics.horizontalAdvance(text)
            x = min(max(bar.left() + place * bar.width() - width / 2, bar.left()), bar.right() - width)
            plain_text(painter, QRectF(x, bar.bottom() + 1, width + 1, 13), text, self.theme.muted, form)


def gradient(theme: Theme, token: str, bar: QRectF) -> QLinearGradient:
    """A colour map of the theme from the left to the right end of a bar."""
    stops = getattr(theme, token)
    result = QLinearGradient(QPointF(bar.left(), 0), QPointF(bar.right(), 0))
    for i, color in enumerate(stops):
        result.setColorAt(i / (len(stops) - 1), color)
    return result
