"""Where the pointer is over a list, and when it rests there: what a card needs to know."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QTimer, Signal
from PySide6.QtGui import QHelpEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView

REST_MS = 350


class Resting(QObject):
    """Watches the viewport of a list; tooltips of rows are left out, since the card says more."""

    entered = Signal(int)
    """Row under the pointer, -1 for none."""
    rested = Signal(int, QPoint)
    """Row under a pointer that has not moved for a while, and where it is on the screen."""
    moved = Signal()
    """The pointer has moved on, or a button or the wheel was used."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        self._at = QPoint(-1, -1)
        self._row = -1
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._rest.timeout.connect(self._on_rest)
        view.setMouseTracking(True)
        view.viewport().installEventFilter(self)

    def stop(self) -> None:
        """Wait no longer."""
        self._rest.stop()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Called by Qt for everything that happens to the viewport."""
        kind = event.type()
        if kind == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            self._move(event.position().toPoint())
        elif kind in (QEvent.Type.Leave, QEvent.Type.Hide):
            self._move(QPoint(-1, -1))
            self._rest.stop()
        elif kind in (QEvent.Type.Wheel, QEvent.Type.MouseButtonPress):
            self._rest.stop()
            self.moved.emit()
        return kind == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self._row_at(event.pos()) >= 0

    def _row_at(self, place: QPoint) -> int:
        return self._view.indexAt(place).row() if self._view.viewport().rect().contains(place) else -1

    def _move(self, place: QPoint) -> None:
        if place == self._at:
            return
        self._at = place
        self._rest.start()
        self.moved.emit()
        row = self._row_at(place)
        if row != self._row:
            self._row = row
            self.entered.emit(row)

    def _on_rest(self) -> None:
        row = self._row_at(self._at)
        if row >= 0 and self._view.isVisible():
            self.rested.emit(row, self._view.viewport().mapToGlobal(self._at))
