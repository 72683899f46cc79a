"""Esc belongs to the field that has the focus before it is the command of the same key."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget


class EscapeFirst(QObject):
    """Lets a widget get Esc as a key press while it has a use for it.

    The window's command "clear selection, filter, then job" has the same key, and Qt asks shortcuts first.
    """

    def __init__(self, widget: QWidget, wanted: Callable[[], bool] = lambda: True) -> None:
        """Watch a widget.

        Args:
            widget: who handles the key press.
            wanted: whether it has something to do with it now.
        """
        super().__init__(widget)
        self._wanted = wanted
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Accept the question whether the key is meant for the widget."""
        if event.type() == QEvent.Type.ShortcutOverride:
            assert isinstance(event, QKeyEvent)
            if event.key() == Qt.Key.Key_Escape and self._wanted():
                event.accept()
                return True
        return False
