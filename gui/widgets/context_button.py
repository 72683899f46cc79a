"""A button of the context bar: icon, caption, value, detail, and a menu below."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QMenu, QSizePolicy, QWidget

from gui.fonts import font
from gui.icons import paint_icon
from gui.paint import dot
from gui.theme import theme_manager
from gui.widgets.popup import one_use_menu

HEIGHT = 44
_LEFT = 36
_RIGHT = 26


class ContextButton(QAbstractButton):
    """Two lines: what it is, and what is chosen. The detail folds away first when room is short, but for a warning."""

    def __init__(self, icon: str, fill: Callable[[QMenu], None] | None = None, parent: QWidget | None = None) -> None:
        """Without `fill` there is no menu: whoever makes it connects `clicked`."""
        super().__init__(parent)
        self._icon, self._fill = icon, fill
        self._caption = self._value = self._detail = self._short = ""
        self._dot = self._warn = self._folded = False
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)  # drawn anew when the pointer comes or goes
        self.setFixedHeight(HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        if fill is not None:
            self.clicked.connect(self.open_menu)
        theme_manager.changed.connect(self.update)

    def set_texts(
        self, caption: str, value: str, detail: str, *, dot: bool = False, warn: bool = False, short: str = ""
    ) -> None:
        """Show other words; `dot` marks unsaved edits, `warn` colours the detail; `short` of it stays in any case."""
        new = (caption, value, detail, dot, warn, short)
        if new == (self._caption, self._value, self._detail, self._dot, self._warn, self._short):
            return
        self._caption, self._value, self._detail, self._dot, self._warn, self._short = new
        self.setAccessibleName(f"{caption}: {value} {detail}")
        self.setToolTip(f"{value}  {detail}" if self._folded or self._cut() else "")
        self.updateGeometry()
        self.update()

    def set_folded(self, folded: bool) -> None:
        """Hide the detail."""
        if folded != self._folded:
            self._folded = folded
            self.updateGeometry()
            self.update()

    def full_width(self) -> int:
        """Width with its detail."""
        return self._width(self._detail)

    def sizeHint(self) -> QSize:
        """Room for the words, with limits."""
        return QSize(self._width(self.shown_detail), HEIGHT)

    @property
    def shown_detail(self) -> str:
        """What is read of the detail."""
        return self._short if self._folded else self._detail

    def open_menu(self) -> None:
        """Show the menu below."""
        if self._fill is None:
            return
        menu = one_use_menu(self)
        self._fill(menu)
        menu.popup(self.mapToGlobal(self.rect().bottomLeft()))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw both lines."""
        theme = theme_manager.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse() or self.isDown():
            painter.fillRect(self.rect().adjusted(0, 0, -1, -1), theme.hover)
        paint_icon(painter, self._icon, QRectF(12, 14, 16, 16), theme.text2)
        painter.setFont(font(11))
        painter.setPen(theme.muted)
        caption = QRectF(_LEFT, 5, self.width(), 15)
        painter.drawText(caption, Qt.AlignmentFlag.AlignVCenter, self._caption)
        if self._dot:
            x = _LEFT + QFontMetricsF(font(11)).horizontalAdvance(self._caption) + 8
            dot(painter, QPointF(x, 13), 2.5, theme.accent)
        face = font(12, 600)
        room = self.width() - _LEFT - _RIGHT
        detail = self.shown_detail
        tail = QFontMetricsF(font(11)).horizontalAdvance(detail) + 8 if detail else 0
        value = QFontMetricsF(face).elidedText(self._value, Qt.TextElideMode.ElideMiddle, max(40, room - tail))
        painter.setFont(face)
        painter.setPen(theme.text)
        painter.drawText(QRectF(_LEFT, 20, room, 18), Qt.AlignmentFlag.AlignVCenter, value)
        if detail:
            x = _LEFT + QFontMetricsF(face).horizontalAdvance(value) + 8
            painter.setFont(font(11))
            painter.setPen(theme.warn if self._warn else theme.text2)
            painter.drawText(QRectF(x, 20, self.width() - x, 18), Qt.AlignmentFlag.AlignVCenter, detail)
        if self._fill is not None:
            paint_icon(painter, "chevron-down", QRectF(self.width() - 21, 23, 12, 12), theme.muted)
        painter.fillRect(QRectF(self.width() - 1, 11, 1, HEIGHT - 22), theme.border)
        if self.hasFocus():
            painter.setPen(QPen(theme.accent, 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(2, 3, -4, -3), 4, 4)

    def _cut(self) -> bool:
        return QFontMetricsF(font(12, 600)).horizontalAdvance(self._value) > 230

    def _width(self, detail: str) -> int:
        value = min(230.0, QFontMetricsF(font(12, 600)).horizontalAdvance(self._value) + 1)
        tail = QFontMetricsF(font(11)).horizontalAdvance(detail) + 8 if detail else 0
        caption = QFontMetricsF(font(11)).horizontalAdvance(self._caption) + 14
        return round(_LEFT + max(value + tail, caption) + _RIGHT + 4)
