"""An exact sweep of a session at work, in a worker thread: cells, the clock, and a disk that may be full."""

from __future__ import annotations

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

Measured = tuple[ExactCell, int, float | None]
"""A cell, how many are done, seconds left."""


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
    try:
        with closing(bench.evaluator.fork(bench.gate)) as fork:
            own = None if order.own is None else OwnFigure(order.own, fork)
            try:
                _measure(bench, fork, order, store, own, warn)
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
) -> None:
    """Measure cells; if they can't be kept on disk any more, say so once and go on without."""
    clock = _Clock(len(order.cells))
    left = list(order.cells)
    while left:
        sweep = ExactSweep(
            fork, mode=order.mode, base=order.plan, store=store, pause=order.pause, gate=bench.gate, own=own
        )
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
                    bench.ctx.progress(clock.done / clock.total, done)
                    batches.add((cell, clock.done, seconds_left))
        except StoreError as error:
            if store is None:
                raise
            warn(error.text)
            store = None


class _Clock:
    """Seconds left of a sweep, judged by the cells that were really measured."""

    def __init__(self, total: int) -> None:
        self.done, self.total = 0, total
        self._each: float | None = None
        self._last = time.monotonic()

    def tick(self, cell: ExactCell) -> float | None:
        """Count a cell; seconds left, or None while nothing has been measured."""
        self.done += 1
        if not cell.stored:
            own = cell.figures.seconds
            self._each = own if self._each is None else 0.9 * self._each + 0.1 * own
        return None if self._each is None else self._each * (self.total - self.done)
