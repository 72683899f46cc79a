"""Views redraw one after the other, each in a frame of its own, so that input and timers get their turn in between."""

from __future__ import annotations

import time
from typing import ClassVar, Protocol

from PySide6.QtCore import QTimer

PAUSE_MS, CALM_PAUSE_MS = 8, 17
"""From one view to the next: a frame is painted about 5 ms after it was asked for. In front of views that answer no
edit a tick of the display's clock goes by as well, so that what they draw isn't added to what was drawn just before."""


class Drawn(Protocol):
    """What takes turns."""

    RANK: ClassVar[int]
    """Lower numbers go first."""

    def redraw(self) -> None:
        """Redraw what is due."""


class Turns:
    """Who waits to be redrawn. One for all views of the program's window thread."""

    def __init__(self) -> None:
        self._waiting: list[Drawn] = []
        self._timer: QTimer | None = None
        self._last = 0.0

    def take(self, view: Drawn) -> None:
        """Redraw a view: now if nobody was redrawn just before, else soon."""
        left = _pause(view) - 1000 * (time.monotonic() - self._last)
        if not self._waiting and left <= 0:
            self._draw(view)
            return
        if view not in self._waiting:
            self._waiting.append(view)
        self._start(left)

    def leave(self, view: Drawn) -> None:
        """A view wants no turn any more."""
        if view in self._waiting:
            self._waiting.remove(view)
        if not self._waiting and self._timer is not None:
            self._timer.stop()

    def _start(self, milliseconds: float) -> None:
        if self._timer is None:
            self._timer = QTimer()
            self._timer.setSingleShot(True)
            self._timer.timeout.connect(self._next)
        wait = max(0, round(milliseconds))
        if not self._timer.isActive() or self._timer.remainingTime() > wait:
            self._timer.start(wait)

    def _next(self) -> None:
        if self._waiting:
            view = min(self._waiting, key=lambda v: v.RANK)
            self._waiting.remove(view)
            self._draw(view)
        if self._waiting:
            self._start(min(map(_pause, self._waiting)))

    def _draw(self, view: Drawn) -> None:
        view.redraw()
        self._last = time.monotonic()


def _pause(view: Drawn) -> int:
    return PAUSE_MS if view.RANK < 2 else CALM_PAUSE_MS


turns = Turns()
"""The one of the process."""
