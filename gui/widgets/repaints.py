"""Repaints that would hold the event loop up in one frame are spread over several: timers and keys get between.

Qt collects all that is to be painted into one frame. What asks here is given to Qt piece by piece, each with the
frame after the one before. What a piece shows is read when it is painted, so nobody sees figures that are older than
those of its turn.
"""

from __future__ import annotations

import time

from PySide6.QtCore import QRect, QTimer
from PySide6.QtGui import QRegion
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

FRAME_MS = 8
"""From one piece to the next: a frame is painted about 5 ms after it was asked for."""


class Repaints:
    """What waits to be painted. One for all widgets of the program's window thread."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[int, int], tuple[QWidget, QRegion, float]] = {}
        self._timer: QTimer | None = None
        self._last = 0.0

    def ask(self, widget: QWidget, region: QRegion | QRect, piece: int = 0, share: float = 1.0) -> None:
        """Have a part of a widget painted, as soon as all that was asked for before has been.

        Args:
            widget: What is painted. It calls `drop` when it is hidden: what is shown again is painted whole.
            region: Which part of it.
            piece: What is asked for the same piece of a widget while that waits is painted in one frame.
            share: Of a frame that it takes, in (0, 1]; small pieces are painted together.
        """
        if not widget.isVisible():
            return
        key = (id(widget), piece)
        known = self._waiting.get(key)
        self._waiting[key] = (widget, known[1].united(region) if known is not None else QRegion(region), share)
        self._start()

    def drop(self, widget: QWidget) -> bool:
        """Forget what a widget asked for; whether there was anything. For who scrolls: Qt moves the old picture."""
        mine = [key for key, (asked, _, _) in self._waiting.items() if asked is widget]
        for key in mine:
            del self._waiting[key]
        if not self._waiting and self._timer is not None:
            self._timer.stop()
        return bool(mine)

    def _start(self) -> None:
        """Go on behind this turn, which may have more for the same piece, and behind the frame before."""
        if self._timer is None:
            self._timer = QTimer()
            self._timer.setSingleShot(True)
            self._timer.timeout.connect(self._next)
        if not self._timer.isActive():
            self._timer.start(max(0, round(FRAME_MS - 1000 * (time.monotonic() - self._last))))

    def _next(self) -> None:
        left, self._last = 1.0, time.monotonic()
        while self._waiting:
            key = next(iter(self._waiting))
            widget, region, share = self._waiting[key]
            if not isValid(widget):
                del self._waiting[key]
                continue
            if share > left:
                break
            del self._waiting[key]
            widget.update(region)
            left -= share
        if self._waiting:
            self._start()


repaints = Repaints()
"""The one of the process."""
