"""Work of the window's thread that would take too long in one go, done in slices between its other events."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, QTimer

SLICE_S = 0.003
"""How long a slice may take; the last step of it may take longer."""


class Slices(QObject):
    """Goes through an iterator; newer work takes the place of older."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._work: Iterator[object] | None = None
        self._done: Callable[[], None] = lambda: None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(1)
        self._timer.timeout.connect(self._slice)

    def start(self, work: Iterator[object], done: Callable[[], None] = lambda: None) -> None:
        """Do the first slice now and the others soon; `done` is called behind the last step."""
        self._timer.stop()
        self._work, self._done = work, done
        self._slice()

    def finish(self) -> None:
        """Do all that is left, now."""
        self._timer.stop()
        self._go_on(float("inf"))

    def stop(self) -> None:
        """Leave the rest undone."""
        self._timer.stop()
        self._work = None

    def _slice(self) -> None:
        self._go_on(time.monotonic() + SLICE_S)
        if self._work is not None:
            self._timer.start()

    def _go_on(self, end: float) -> None:
        while self._work is not None:
            if next(self._work, self) is self:
                self._work = None
                self._done()
            elif time.monotonic() >= end:
                return
