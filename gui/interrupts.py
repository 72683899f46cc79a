"""Ctrl-C, a polite kill and the end of the desktop session end the window.

Qt's loop gives Python no turn to answer a signal by itself.
"""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

from PySide6.QtCore import QSocketNotifier

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)  # the last when the terminal or the session ends; unknown to Windows


class Interrupts:
    """Python writes a byte into a socket when a signal comes; the notifier wakes Qt's loop, and Python has its turn.

    Unsaved edits are in the autosave and are offered at the next start.
    """

    def __init__(self, leave: Callable[[], None]) -> None:
        self._leave = leave
        self._ours, self._pythons = socket.socketpair()
        for end in (self._ours, self._pythons):
            end.setblocking(False)
        self._before = {number: signal.signal(number, self._on_signal) for number in SIGNALS}
        self._wakeup_before = signal.set_wakeup_fd(self._pythons.fileno(), warn_on_full_buffer=False)
        self._notifier = QSocketNotifier(self._ours.fileno(), QSocketNotifier.Type.Read)
        self._notifier.activated.connect(self._drain)

    def stop(self) -> None:
        """Answer signals as before."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._wakeup_before)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._ours.close()
        self._pythons.close()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._leave()

    def _drain(self) -> None:
        with suppress(BlockingIOError):
            self._ours.recv(64)
