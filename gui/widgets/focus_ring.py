"""A ring around the list, slider or scrolled area that has the keyboard: the style draws none there.

And Enter presses the button that has it, as in dialogs: Qt leaves that to the desktop, and on X11 only Space does.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QDialog,
    QScrollArea,
    QSlider,
    QTabBar,
    QWidget,
)
from shiboken6 import isValid

from gui.theme import theme_manager

_RINGED = (QAbstractItemView, QScrollArea, QSlider, QTabBar)


class FocusRings(QObject):
    """Follows the keyboard through a window and its dialogs; at most one ring is on show."""

    def __init__(self, owner: QWidget) -> None:
        super().__init__(owner)
        self._owner = owner
        self._ring: _Ring | None = None
        self._button: QAbstractButton | None = None
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_focus)

    def stop(self) -> None:
        """The window closes."""
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.disconnect(self._on_focus)
        self._drop()
        self._watch(None)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter on a button is what Space is."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter) or event.isAutoRepeat():
            return False
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            if isValid(watched):  # a press may open a menu, and what that does may end the button
                QApplication.sendEvent(watched, QKeyEvent(kind, Qt.Key.Key_Space, Qt.KeyboardModifier.NoModifier))
        return True

    def _watch(self, now: QWidget | None) -> None:
        """Dialogs are left alone: they know which of their buttons Enter is for."""
        if self._button is not None and isValid(self._button):
            self._button.removeEventFilter(self)
        ours = isinstance(now, QAbstractButton) and not isinstance(now.window(), QDialog) and self._inside(now)
        self._button = now if ours and isinstance(now, QAbstractButton) else None
        if self._button is not None:
            self._button.installEventFilter(self)

    def _on_focus(self, _: QWidget | None, now: QWidget | None) -> None:
        self._drop()
        self._watch(now)
        by_mouse = QApplication.mouseButtons() != Qt.MouseButton.NoButton
        if now is not None and not by_mouse and self._wants(now):
            self._ring = _Ring(now)

    def _wants(self, widget: QWidget) -> bool:
        """Parts of this window that draw no ring themselves; a widget's `wants_ring` counts more than its kind."""
        if not getattr(widget, "wants_ring", isinstance(widget, _RINGED)):
            return False
        return self._inside(widget)

    def _inside(self, widget: QWidget) -> bool:
        up: QWidget | None = widget
        while up is not None and up is not self._owner:
            up = up.parentWidget()
        return up is self._owner

    def _drop(self) -> None:
        if self._ring is not None and isValid(self._ring):  # it goes with a list that is deleted
            self._ring.hide()
            self._ring.deleteLater()
        self._ring = None


class _Ring(QWidget):
    """Lies over a widget and lets the mouse through."""

    def __init__(self, holder: QWidget) -> None:
        super().__init__(holder)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        holder.installEventFilter(self)
        self.setGeometry(holder.rect())
        self.raise_()
        self.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay as large as what it lies over."""
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            self.setGeometry(watched.rect())
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the ring."""
        painter = QPainter(self)
        painter.setPen(QPen(theme_manager.theme.accent, 2))
        painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))
