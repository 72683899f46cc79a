"""Cells of an exact sweep in order, run one ahead of who waits: both threads stay busy to the end of each cell.

A cell is a handful of samples for two threads. One by one, a thread waits at the end of each cell for the other's last
sample, at its start for the other that opens the kernel's session, and both wait while outputs are compared and kept.
So the samples of the next cell stand in the queue behind those of the present one, and the session of the one after it
is opened in between. What runs, and in which order it is added up, is the same: figures are the same bit for bit.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from engine.errors import PlanError
from engine.precision.scheme import Scheme
from engine.progress import CancelToken
from engine.tuning.replay import Begun, Replay
from engine.tuning.store import Figures

_AHEAD = 3
"""Cells looked at: the one waited for, the one begun, the one whose session is opened."""


@dataclass(frozen=True, slots=True)
class Line:
    """How the cells of a sweep come about."""

    known: Callable[[str, Scheme], Figures | None]
    """Looks a cell up."""
    replay: Callable[[], Replay | None]
    """Opens blocks for the cells that are not known; None if the sweep is too short for them. Asked once."""
    alone: Callable[[str, Scheme], Figures]
    """Measures one without blocks."""
    read: Callable[[Replay, Begun, float], Figures]
    """Waits for a cell that was begun. Takes the time (of `perf_counter`) from which on it counts."""
    paused: Callable[[], bool]
    """Whether nothing more is to be begun than what somebody waits for."""
    outputs: bool
    """Whether the model's outputs are kept."""


@dataclass(eq=False, slots=True)
class _Cell:
    kernel: str
    scheme: Scheme
    figures: Figures | None
    begun: Begun | None = None
    opened: bool = False


def in_line(line: Line, cells: Sequence[tuple[str, Scheme]], cancel: CancelToken) -> Generator[tuple[Figures, bool]]:
    """Figures of cells in order, and whether they were known.

    Args:
        line: How they come about.
        cells: Kernel ids with schemes.
        cancel: Checked between kernels.

    Raises:
        PlanError: If a kernel or scheme doesn't exist; cells before it are handed out.
        Cancelled: If asked to stop.
    """
    waiting = iter(cells)
    window: deque[_Cell] = deque()
    replay: Replay | None = None
    asked = False
    try:
        while True:
            while len(window) < _AHEAD and (key := next(waiting, None)) is not None:
                window.append(_Cell(*key, line.known(*key)))
            if not window:
                return
            first = window.popleft()
            if first.figures is not None:
                yield first.figures, True
                continue
            if not asked:
                asked, replay = True, line.replay()
            if replay is None:
                yield line.alone(first.kernel, first.scheme), False
                continue
            since = time.perf_counter()
            _begin(replay, first, line, cancel)
            if not line.paused():
                _look_ahead(replay, window, line, cancel)
            assert first.begun is not None
            yield line.read(replay, first.begun, since), False
    finally:
        if replay is not None:
            replay.close()


def _begin(replay: Replay, cell: _Cell, line: Line, cancel: CancelToken) -> None:
    if cell.begun is None:
        cell.begun = replay.begin(cell.kernel, cell.scheme, cancel, outputs=line.outputs)


def _look_ahead(replay: Replay, window: deque[_Cell], line: Line, cancel: CancelToken) -> None:
    """Begin the next cell; in front of it open the session of the one behind it."""
    later = [cell for cell in window if cell.figures is None]
    for cell in reversed(later[1:]):
        if not cell.opened:
            replay.open_ahead(cell.kernel, cell.scheme)
            cell.opened = True
    for cell in later[:1]:
        with suppress(PlanError):  # told when it is its turn: those in front of it are to be handed out
            _begin(replay, cell, line, cancel)
