"""Long turns of the window's event loop, each with the stack it was in: what holds a window up, and where.

The stack is looked at by a signal's handler, which Python runs on the main thread between two instructions. A thread
that looks from outside (`sys._current_frames`) would keep frames alive, and with them the painters that are their local
variables: Qt then ends a frame with an active painter, says so (`QBackingStore::endPaint`), and may crash.
"""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from PySide6.QtCore import QAbstractEventDispatcher

LOOK_S = 0.004
"""From one look at the stack to the next."""
_OURS = ("/gui/", "/engine/", "pyqtgraph")


@dataclass(slots=True)
class Turn:
    """One turn that took long, by the clock of its thread: how busy the machine is doesn't matter."""

    milliseconds: float
    during: str
    """What was being done."""
    stacks: Counter[str] = field(default_factory=Counter)
    """How often which functions were found in it, the innermost one last."""


class Turns:
    """Notes every turn of this thread's event loop that takes longer than `least_ms` of CPU time."""

    def __init__(self, least_ms: float = 50.0) -> None:
        self.least_ms = least_ms
        self.found: list[Turn] = []
        self.longest_ms = 0.0
        self.during = ""
        self._clock = time.pthread_getcpuclockid(threading.get_ident())
        self._begin = self._now()
        self._stacks: Counter[str] = Counter()
        self._looked = self._begin

    @contextmanager
    def watched(self) -> Iterator[Turns]:
        """Watch for the length of a block."""
        dispatcher = QAbstractEventDispatcher.instance()
        assert dispatcher is not None
        dispatcher.aboutToBlock.connect(self.turn_over)
        self.turn_over()
        before = signal.signal(signal.SIGALRM, self._look)
        signal.setitimer(signal.ITIMER_REAL, LOOK_S, LOOK_S)
        try:
            yield self
        finally:
            dispatcher.aboutToBlock.disconnect(self.turn_over)
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def doing(self, name: str) -> None:
        """Name what comes next."""
        self.turn_over()
        self.during, self.longest_ms = name, 0.0

    def turn_over(self) -> None:
        """A turn has ended; the next begins."""
        now = self._now()
        taken, stacks = 1e3 * (now - self._begin), self._stacks
        self._begin, self._stacks = now, Counter()
        self.longest_ms = max(self.longest_ms, taken)
        if taken > self.least_ms:
            self.found.append(Turn(taken, self.during, stacks))

    def _now(self) -> float:
        return time.clock_gettime(self._clock)

    def _look(self, _: int, frame: FrameType | None) -> None:
        """Note where the thread is, if it has worked since the last look."""
        now = self._now()
        if now - self._looked > LOOK_S / 4:
            self._stacks[described(frame)] += 1
        self._looked = now


def described(frame: FrameType | None) -> str:
    """The functions of the program that a frame is in, from the event loop inwards."""
    names: list[str] = []
    while frame is not None:
        code = frame.f_code
        if any(part in code.co_filename for part in _OURS) or not names:
            names.append(f"{code.co_filename.rsplit('/', 1)[-1]}:{frame.f_lineno} {code.co_name}")
        frame = frame.f_back
    return " > ".join(reversed(names))
