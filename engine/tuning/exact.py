"""Exact sweep: every cell by running what lies behind its kernel.

Two questions with two rankings. *One in*: how much does this kernel alone hurt, all others in full precision? *One
out*: how much would be won by restoring this kernel alone, all others quantized as in the plan? On real networks the
two rank kernels almost independently, because errors hide and feed each other.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from engine.errors import PlanError
from engine.fusion.types import Network
from engine.numerics import Evaluator
from engine.numerics.results import ErrorSums, OutputError
from engine.precision.plan import Plan
from engine.precision.scheme import FP32, Scheme
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.text import Text, say
from engine.tuning.ahead import Line, in_line
from engine.tuning.context import context_of, plan_digest
from engine.tuning.estimate import Estimates
from engine.tuning.metrics import Metric, logits_of
from engine.tuning.own import OwnFigure
from engine.tuning.replay import Begun, Replay
from engine.tuning.store import Figures, Mode, ResultStore

MODE_TITLES: Mapping[Mode, Text] = {
    "one-in": say("Only this layer quantized, all others in full precision"),
    "one-out": say("All layers as in the plan, only this one restored"),
}
_FEW = 4
"""Cells for which blocks are not opened."""
_FIRST = 10
"""Estimated cells that come before cells without an estimate."""


class Pause:
    """A switch that a running sweep looks at between kernels."""

    def __init__(self) -> None:
        self._open = threading.Event()
        self._open.set()

    @property
    def paused(self) -> bool:
        """Whether the sweep is to wait."""
        return not self._open.is_set()

    def pause(self) -> None:
        """Let the sweep wait before its next cell."""
        self._open.clear()

    def resume(self) -> None:
        """Let it go on."""
        self._open.set()

    def wait(self, cancel: CancelToken) -> None:
        """Return when the sweep may go on.

        Raises:
            Cancelled: If asked to stop meanwhile.
        """
        while not self._open.wait(0.02):
            cancel.check()
        cancel.check()


@dataclass(frozen=True, slots=True)
class ExactCell:
    """A measured cell."""

    kernel: str
    scheme: Scheme
    mode: Mode
    figures: Figures
    stored: bool
    """Whether it was in the store already."""

    def value(self, metric: Metric) -> float:
        """Its figure in a metric."""
        return value_of(self.figures, metric)


def value_of(figures: Figures, metric: Metric) -> float:
    """A figure by metric.

    Raises:
        PlanError: If the model has no such figure.
    """
    found = {
        Metric.SQNR: figures.sqnr_db,
        Metric.LOGITS: figures.logits_db,
        Metric.KL: figures.kl,
        Metric.COSINE: 1 - figures.cosine,
        Metric.TOP1: None if figures.top1 is None else 1 - figures.top1,
        Metric.OWN: None if figures.own is None else abs(figures.own),
    }[metric]
    if found is None:
        raise PlanError(say("The model has no figure {metric}; choose output SQNR.", metric=metric.value))
    return found


def cells_out(network: Network, plan: Plan, restored: Scheme = FP32) -> list[tuple[str, Scheme]]:
    """All cells of a one-out sweep: each kernel that the plan quantizes, restored to `restored`."""
    return [(k.id, restored) for k in reversed(network.tunable) if plan.scheme(k.id) not in (FP32, restored)]


def in_order(cells: Sequence[tuple[str, Scheme]], estimates: Estimates) -> list[tuple[str, Scheme]]:
    """The worst by estimate first; cells without an estimate behind the ten worst, as any of them may be bad."""
    known = [(cell.kernel, cell.scheme) for cell in estimates.worst_first(cells)]
    return [*known[:_FIRST], *(cell for cell in cells if cell not in estimates.cells), *known[_FIRST:]]


class ExactSweep:
    """Measures cells with an evaluator of its own, and keeps them in a store if there is one."""

    def __init__(
        self,
        evaluator: Evaluator,
        *,
        mode: Mode = "one-in",
        base: Plan | None = None,
        store: ResultStore | None = None,
        pause: Pause | None = None,
        gate: Callable[[], None] | None = None,
        own: OwnFigure | None = None,
    ) -> None:
        """Take what a sweep needs.

        Args:
            evaluator: One of its own (see `Evaluator.fork`): its current values are overwritten.
            mode: Which question is asked.
            base: The plan around the cells: needed for one out; for one in the reference by default.
            store: Where figures are looked up and entered.
            pause: Looked at before each cell.
            gate: Called between kernels; may wait, so that a sweep steps aside for a toggle.
            own: A function of the user's own that rates each cell too.

        Raises:
            PlanError: For one out without a plan.
        """
        if mode == "one-out" and not base:
            raise PlanError(say("A one-out sweep needs a plan that quantizes something; choose one first."))
        self._evaluator, self._mode, self._store = evaluator, mode, store
        self._base = base or Plan()
        self._pause = pause or Pause()
        self._key = plan_digest(self._base)
        self._context = ""
        logits = logits_of(evaluator.network)
        self._logits = logits
        self._gate, self._own = gate, own
        self._open: Replay | None = None

    def context(self, *, cancel: CancelToken = NEVER) -> str:
        """Digest of what the figures depend on: the key of its rows in a store."""
        if not self._context:
            evaluator = self._evaluator
            evaluator.prepare(cancel=cancel)  # finds the ranges if none were given
            self._context = context_of(evaluator.network, evaluator.samples, evaluator.ranges)
        return self._context

    def baseline(self, *, cancel: CancelToken = NEVER) -> Figures:
        """Figures of the plan around the cells, which one-out cells are compared with."""
        return self.plan(self._base, cancel=cancel)

    def plan(self, plan: Plan, *, cancel: CancelToken = NEVER) -> Figures:
        """Figures of a whole plan.

        Raises:
            StoreError: If the store can't be read or written.
            Cancelled: If asked to stop.
        """
        key = plan_digest(plan)
        figures = self._known("plan", key, "", FP32, cancel)
        if figures is None:
            figures = self._evaluated(plan, cancel)
            self._keep("plan", key, "", FP32, figures, cancel)
        return figures

    def known(self, kernel: str, scheme: Scheme, *, cancel: CancelToken = NEVER) -> Figures | None:
        """A cell that is in the store."""
        return self._known(self._mode, self._key, kernel, scheme, cancel)

    def keep(self, kernel: str, scheme: Scheme, figures: Figures, *, cancel: CancelToken = NEVER) -> None:
        """Enter a cell that somebody else has measured."""
        self._keep(self._mode, self._key, kernel, scheme, figures, cancel)

    def by_blocks(self, cells: int) -> bool:
        """Whether a sweep over so many cells replays them by blocks."""
        evaluator = self._evaluator
        return cells >= _FEW and Replay.suits(evaluator.network, self._base, len(evaluator.samples))

    def cell(self, kernel: str, scheme: Scheme, *, blocks: bool, cancel: CancelToken = NEVER) -> Figures:
        """Measure one cell; blocks that are opened for it stay open for the next."""
        if blocks and self._open is None:
            self._open = self._opened(cancel)
        if not blocks or self._open is None:
            return self._evaluated(self._base.with_schemes({kernel: scheme}), cancel)
        since = time.perf_counter()
        begun = self._open.begin(kernel, scheme, cancel, outputs=self._own is not None)
        return self._read(self._open, begun, since, cancel)

    def run(
        self,
        cells: Sequence[tuple[str, Scheme]],
        *,
        progress: Progress = no_progress,
        cancel: CancelToken = NEVER,
    ) -> Iterator[ExactCell]:
        """Measure cells in the given order; each is in the store before it is handed out.

        With a function of the user's own, cells that the store has without its figure are measured again.

        Args:
            cells: Kernel ids with schemes.
            progress: Told after each cell.
            cancel: Checked between kernels.

        Raises:
            StoreError: If the store can't be read or written; cells handed out before are kept.
            PlanError: If a kernel or scheme doesn't exist.
            DataError: If the user's function fails.
            Cancelled: If asked to stop.
        """
        with closing(in_line(self._line(len(cells), cancel), cells, cancel)) as line:
            for number, (kernel, scheme) in enumerate(cells, 1):
                self._pause.wait(cancel)
                figures, stored = next(line)
                if not stored:
                    self._keep(self._mode, self._key, kernel, scheme, figures, cancel)
                progress(number / len(cells), say("Measured {done} of {all} cells", done=number, all=len(cells)))
                yield ExactCell(kernel, scheme, self._mode, figures, stored)

    def close(self) -> None:
        """Give up blocks that `cell` has opened."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def _opened(self, cancel: CancelToken) -> Replay:
        evaluator = self._evaluator
        made = Replay(evaluator, self._base, () if self._logits is None else (self._logits[1],), self._gate)
        try:
            made.prepare(cancel)
        except BaseException:
            made.close()
            raise
        return made

    def _line(self, cells: int, cancel: CancelToken) -> Line:
        """How cells that are not known come about in a sweep over so many."""
        return Line(
            known=lambda kernel, scheme: self._known(self._mode, self._key, kernel, scheme, cancel),
            replay=lambda: self._opened(cancel) if self.by_blocks(cells) else None,
            alone=lambda kernel, scheme: self._evaluated(self._base.with_schemes({kernel: scheme}), cancel),
            read=lambda replay, begun, since: self._read(replay, begun, since, cancel),
            paused=lambda: self._pause.paused,
            outputs=self._own is not None,
        )

    def _read(self, replay: Replay, begun: Begun, since: float, cancel: CancelToken) -> Figures:
        """Wait for a cell that runs."""
        output, others = replay.finish(begun, cancel)
        logits = None if self._logits is None else others[self._logits[1]]
        outputs = [begun.outputs[sample] for sample in sorted(begun.outputs)]
        own = None if self._own is None else self._own.change(outputs, cancel=cancel)
        return figures_of(output, logits, time.perf_counter() - since, own)

    def _evaluated(self, plan: Plan, cancel: CancelToken) -> Figures:
        """A plan, run by the evaluator itself."""
        kernel = "" if self._logits is None else self._logits[0].id
        found = self._evaluator.evaluate(plan, accumulated=(kernel,) if kernel else False, cancel=cancel)
        own = None
        if self._own is not None:
            own = self._own.change(self._evaluator.output(plan, cancel=cancel), cancel=cancel)
        return figures_of(found.output, found.accumulated.get(kernel), found.seconds, own)

    def _known(self, mode: Mode, base: str, kernel: str, scheme: Scheme, cancel: CancelToken) -> Figures | None:
        if self._store is None:
            return None
        own = "" if self._own is None else self._own.key
        return self._store.get(self.context(cancel=cancel), mode, base, kernel, scheme, own)

    def _keep(self, mode: Mode, base: str, kernel: str, scheme: Scheme, figures: Figures, cancel: CancelToken) -> None:
        if self._store is not None:
            own = "" if self._own is None else self._own.key
            self._store.put(self.context(cancel=cancel), mode, base, kernel, scheme, figures, own)


def figures_of(output: OutputError, logits: ErrorSums | None, seconds: float, own: float | None = None) -> Figures:
    """What a store keeps of a measured plan."""
    return Figures(
        sqnr_db=output.sqnr_db,
        logits_db=None if logits is None else logits.sqnr_db,
        kl=output.kl,
        cosine=output.cosine,
        mse=output.mse,
        max_abs=output.max_abs,
        top1=output.top1_agreement,
        top5=output.top5_agreement,
        accuracy=output.accuracy,
        seconds=seconds,
        own=own,
    )
