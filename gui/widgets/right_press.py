"""A right press beside the rows of a list opens its menu and leaves the selection as it is."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QAbstractItemView


class RightPress(QObject):
    """Keeps such presses from a list, which would clear its selection; one on a row chooses it as before."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        view.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Called by Qt."""
        if not isinstance(event, QMouseEvent) or event.type() not in (
            QEvent.Type.MouseButtonPress,
            QEvent.Type.MouseButtonDblClick,
        ):
            return False
        beside = event.button() == Qt.MouseButton.RightButton and watched is self._view.viewport()
        return beside and not self._view.indexAt(event.position().toPoint()).isValid()
