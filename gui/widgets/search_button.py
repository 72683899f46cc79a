"""What looks like a search field in the menu row and opens the palette."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from gui.fonts import font
from gui.icons import paint_icon
from gui.theme import theme_manager

KEYS = "Ctrl+Shift+P"


class SearchButton(QAbstractButton):
    """Icon, hint and key; the hint is cut where room ends."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)  # drawn anew when the pointer comes or goes
        self.setFixedHeight(23)
        self.setMinimumWidth(60)
        self.setMaximumWidth(266)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme_manager.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """As in the design: 266 px."""
        return QSize(266, 23)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw field, hint and key."""
        theme = theme_manager.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        focus = self.hasFocus()
        painter.setPen(QPen(theme.accent if focus else theme.border, 2 if focus else 1))
        painter.setBrush(theme.hover if self.underMouse() else theme.sunken)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        paint_icon(painter, "search", QRectF(8, 5, 13, 13), theme.muted)
        key_width = QFontMetricsF(font(10)).horizontalAdvance(KEYS) + 9
        right = self.width() - 5.0
        if self.width() > key_width + 70:
            box = QRectF(right - key_width, 4, key_width, 15)
            painter.setPen(QPen(theme.strong, 1))
            painter.setBrush(theme.panel)
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
            painter.setFont(font(10))
            painter.setPen(theme.text2)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, KEYS)
            right -= key_width + 6
        painter.setFont(font(11))
        painter.setPen(theme.muted)
        text = QFontMetricsF(font(11)).elidedText(self.text(), Qt.TextElideMode.ElideRight, right - 27)
        painter.drawText(QRectF(27, 0, right - 27, 23), Qt.AlignmentFlag.AlignVCenter, text)
