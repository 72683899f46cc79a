"""The mark on a view that still shows the plan before an edit."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.fonts import font
from gui.paint import hatch
from gui.theme import theme_manager

HEIGHT = 16
_BAND = 5
"""Height of the hatched line; the words stand in a tab below its right end."""


class BehindMark(QWidget):
    """A hatched line along the upper edge with "≈ before the edit". Only this strip is painted, not what it lies on."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    def show_on(self, parent: QWidget) -> None:
        """Lie along the upper edge of the view."""
        self.setGeometry(0, 0, parent.width(), HEIGHT)
        self.raise_()
        self.show()

    def words(self) -> str:
        """What it says."""
        return self.tr("≈ before the edit")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw line and tab."""
        theme, painter = theme_manager.theme, QPainter(self)
        face = font(10, 500, italic=True)
        width = QFontMetricsF(face).horizontalAdvance(self.words()) + 14
        line, tab = QRectF(0, 0, self.width(), _BAND), QRectF(self.width() - width, 0, width, HEIGHT)
        for place in (line, tab):
            painter.fillRect(place, theme.raised)
        hatch(painter, QRectF(0, 0, self.width() - width, _BAND), theme.muted)
        painter.setFont(face)
        painter.setPen(theme.text2)
        painter.drawText(tab, Qt.AlignmentFlag.AlignCenter, self.words())
