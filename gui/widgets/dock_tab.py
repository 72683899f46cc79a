"""The title of a dock, in its own header and as a tab in the headers of its group."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from gui.accessible import Role
from gui.fonts import font
from gui.theme import theme_manager

if TYPE_CHECKING:
    from gui.docks import Dock

HEIGHT = 29
"""Px of a header."""


class DockTab(QAbstractButton):
    """The title of a dock; in a group it can be clicked and the one in front has an accent line."""

    chosen = Signal(object)
    spoken_role = Role.PageTab

    def __init__(self, dock: Dock, front: bool, alone: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self.dock, self._alone = dock, alone
        self._badge = ""
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)  # drawn anew when the pointer comes or goes
        self.front = front
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        if alone:
            self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        else:
            self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self.clicked.connect(lambda: self.chosen.emit(self.dock))
        theme_manager.changed.connect(self.update)
        self.refresh()

    def refresh(self) -> None:
        """Take title and count of the view; a view that nobody has seen yet has its name only."""
        count = getattr(self.dock.view, "badge", None)
        badge = str(count()) if count is not None else ""
        name = self.dock.name()
        if (self.text(), self._badge) != (name, badge):
            self.setText(name)
            self._badge = badge
            self.setAccessibleName(name)
            self.updateGeometry()
            self.update()

    def spoken_value(self) -> str:
        """Its count."""
        return self._badge

    def chosen_now(self) -> bool:
        """Whether its dock is in front."""
        return self.front

    def sizeHint(self) -> QSize:
        """Room for title and count."""
        width = QFontMetricsF(font(12, 600)).horizontalAdvance(self.text())
        if self._badge:
            width += 7 + self._badge_width()
        return QSize(ceil(width) + (0 if self._alone else 20), HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw title, count and line."""
        theme = theme_manager.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        strong = self.front or self._alone
        painter.setFont(font(12, 600 if strong else 500))
        painter.setPen(theme.text if strong else theme.text2 if self.underMouse() else theme.muted)
        left = 0.0 if self._alone else 10.0
        metrics = QFontMetricsF(painter.font())
        room = self.width() - left + 1 - (7 + self._badge_width() if self._badge else 0)
        words = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, room)
        width = metrics.horizontalAdvance(words)
        painter.drawText(QRectF(left, 0, width + 2, HEIGHT), Qt.AlignmentFlag.AlignVCenter, words)
        if self._badge:
            pill = QRectF(left + width + 6, (HEIGHT - 16) / 2, self._badge_width(), 16)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.warn_soft)
            painter.drawRoundedRect(pill, 8, 8)
            painter.setFont(font(10, 600))
            painter.setPen(theme.warn)
            painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, self._badge)
        if self.front and not self._alone:
            painter.fillRect(QRectF(10, HEIGHT - 2.5, self.width() - 20, 2.5), theme.accent)
        if self.hasFocus():
            painter.setPen(theme.accent)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(QPointF(2.5, 3.5), QPointF(self.width() - 2.5, HEIGHT - 4.5)), 4, 4)

    def _badge_width(self) -> float:
        return max(16.0, QFontMetricsF(font(10, 600)).horizontalAdvance(self._badge) + 10)
