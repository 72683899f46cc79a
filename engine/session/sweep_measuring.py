"""An exact sweep of a session at work, in a worker thread: cells, the clock, and a disk that may be full."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from engine.fusion.types import Network
from engine.numerics import Evaluator
from engine.numerics.user_metric import UserMetric
from engine.precision.plan import Plan
from engine.session.background import Batches, Bench
from engine.session.sweep_store import open_store
from engine.text import Text, say
from engine.tuning.estimate import CellKey
from engine.tuning.exact import ExactCell, ExactSweep, Pause
from engine.tuning.own import OwnFigure
from engine.tuning.store import Figures, Mode, ResultStore, StoreError

Measured = tuple[ExactCell, int]
"""A cell, how many are done."""


@dataclass(frozen=True, eq=False, slots=True)
class Order:
    """What is to be measured, and who is told."""

    network: Network
    mode: Mode
    plan: Plan
    """Around the cells."""
    cells: Sequence[CellKey]
    pause: Pause
    own: UserMetric | None
    """A function of the user's own that rates each cell too."""
    folder: Path | None
    """Where figures are kept."""
    baseline: Callable[[Figures], None]
    found: Callable[[Sequence[Measured]], None]
    warn: Callable[[Text], None]


def measure(bench: Bench, order: Order) -> None:
    """Measure all cells. Callbacks come on the owner's thread."""

    def warn(text: Text) -> None:
        bench.deliver(lambda: order.warn(text))

    store = open_store(order.folder, order.network, warn)
    gate = TimedGate(bench.gate)
    try:
        with closing(bench.evaluator.fork(gate)) as fork:
            own = None if order.own is None else OwnFigure(order.own, fork)
            try:
                _measure(bench, fork, order, store, own, warn, gate)
            finally:
                if own is not None:
                    own.close()
    finally:
        if store is not None:
            store.close()


def _measure(
    bench: Bench,
    fork: Evaluator,
    order: Order,
    store: ResultStore | None,
    own: OwnFigure | None,
    warn: Callable[[Text], None],
    gate: TimedGate,
) -> None:
    """Measure cells; if they can't be kept on disk any more, say so once and go on without."""
    clock = Clock(len(order.cells), gate)
    left = list(order.cells)
    while left:
        sweep = ExactSweep(fork, mode=order.mode, base=order.plan, store=store, pause=order.pause, gate=gate, own=own)
        try:
            if order.mode == "one-out":
                baseline = sweep.baseline(cancel=bench.ctx.token)
                bench.deliver(lambda found=baseline: order.baseline(found))  # type: ignore[misc]
            batches = Batches[Measured](bench.deliver, order.found)
            with batches:
                for cell in sweep.run(tuple(left), cancel=bench.ctx.token):
                    left.pop(0)
                    seconds_left = clock.tick(cell)
                    done = say("Measured {done} of {all} cells", done=clock.done, all=clock.total)
                    bench.ctx.progress(clock.done / clock.total, done, seconds_left)
                    batches.add((cell, clock.done))
        except StoreError as error:
            if store is None:
                raise
            warn(error.text)
            store = None


class TimedGate:
    """A gate that knows how long it has let its callers wait."""

    def __init__(self, gate: Callable[[], None]) -> None:
        self._gate = gate
        self._books = threading.Lock()
        self._waiting = 0
        self._since = self._waited = 0.0

    def __call__(self) -> None:
        """Wait as the gate does; threads that wait side by side count once."""
        with self._books:
            self._waiting += 1
            if self._waiting == 1:
                self._since = time.perf_counter()
        try:
            self._gate()
        finally:
            with self._books:
                self._waiting -= 1
                if not self._waiting:
                    self._waited += time.perf_counter() - self._since

    @property
    def waited(self) -> float:
        """Seconds that have passed while somebody waited."""
        with self._books:
            return self._waited


class Clock:
    """Seconds left of a sweep, judged by the cells that were really measured, without what they waited for others."""

    def __init__(self, total: int, gate: TimedGate) -> None:
        self.done, self.total = 0, total
        self._gate, self._waited = gate, gate.waited
        self._each: float | None = None

    def tick(self, cell: ExactCell) -> float | None:
        """Count a cell; seconds left, or None while nothing has been measured."""
        self.done += 1
        waited, self._waited = self._gate.waited - self._waited, self._gate.waited
        if not cell.stored:
            own = max(0.0, cell.figures.seconds - waited)
            self._each = own if self._each is None else 0.9 * self._each + 0.1 * own
        return None if self._each is None else self._each * (self.total - self.done)
