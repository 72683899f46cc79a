"""Chips: small round buttons with a label, a count and perhaps a nibble mark. Checked means the filter is on."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from gui.fonts import font
from gui.paint import nibble_mark, nibble_size
from gui.theme import theme_manager


class Chip(QAbstractButton):
    """A checkable pill of 20 px."""

    def __init__(
        self,
        text: str = "",
        count: str = "",
        family: str = "",
        *,
        checkable: bool = True,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._count, self._family = count, family
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)  # drawn anew when the pointer comes or goes
        self.setText(text)
        self.setCheckable(checkable)
        self.setFixedHeight(20)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme_manager.changed.connect(self.update)

    def set_count(self, count: str) -> None:
        """Show another count."""
        if count != self._count:
            self._count = count
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        """Room for mark, label and count."""
        width = 20 + QFontMetricsF(font(11, 500)).horizontalAdvance(self.text())
        if self._family:
            width += nibble_size() + 5
        if self._count:
            width += 5 + QFontMetricsF(font(11)).horizontalAdvance(self._count)
        return QSize(round(width + 0.5), 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw pill, mark, label and count."""
        theme = theme_manager.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        on = self.isChecked()
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(theme.accent if on or self.hasFocus() else theme.border, 2 if self.hasFocus() else 1))
        painter.setBrush(theme.accent_soft if on else theme.hover if self.underMouse() else theme.raised)
        painter.drawRoundedRect(frame, 9.5, 9.5)
        x = 10.0
        if self._family:
            side = nibble_size()
            corner = QPointF(x, round(self.height() / 2 - side / 2))
            nibble_mark(painter, corner, self._family, theme.precision(self._family).main)
            x += side + 5
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.setFont(font(11, 500))
        painter.setPen(theme.text if self.isEnabled() else theme.faint)
        width = QFontMetricsF(font(11, 500)).horizontalAdvance(self.text())
        painter.drawText(QRectF(x, 0, width + 2, self.height()), middle, self.text())
        if self._count:
            painter.setFont(font(11))
            painter.setPen(theme.muted)
            painter.drawText(QRectF(x + width + 5, 0, self.width(), self.height()), middle, self._count)
