"""A look at the plan before: as long as a key is held."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from gui.bridge import hub


class Peek(QObject):
    """Shows the plan before until P comes up."""

    def start(self) -> None:
        """P went down. Only from now until it comes up is every event looked at."""
        application = QApplication.instance()
        if application is not None and not hub.peek:
            application.installEventFilter(self)
            hub.set_peek(True)

    def end(self) -> None:
        """Show the plan in use again."""
        application = QApplication.instance()
        if application is not None:
            application.removeEventFilter(self)
        hub.set_peek(False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Wait for P to come up, or for the program to lose the keyboard."""
        kind = event.type()
        released = kind == QEvent.Type.KeyRelease and isinstance(event, QKeyEvent) and not event.isAutoRepeat()
        if (released and event.key() == Qt.Key.Key_P) or kind == QEvent.Type.ApplicationDeactivate:  # type: ignore[attr-defined]
            self.end()
        return False
