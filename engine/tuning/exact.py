"""Exact sweep: every cell by running what lies behind its kernel.

Two questions with two rankings. *One in*: how much does this kernel alone hurt, all others in full precision? *One
out*: how much would be won by restoring this kernel alone, all others quantized as in the plan? On real networks the
two rank kernels almost independently, because errors hide and feed each other.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.errors import PlanError
from engine.fusion.types import Network
from engine.numerics import Evaluator
from engine.numerics.results import Evaluation
from engine.precision.plan import Plan
from engine.precision.scheme import FP32, Scheme
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.text import Text, say
from engine.tuning.context import context_of, plan_digest
from engine.tuning.estimate import Estimates
from engine.tuning.metrics import Metric, logits_of
from engine.tuning.store import Figures, Mode, ResultStore

MODE_TITLES: Mapping[Mode, Text] = {
    "one-in": say("Only this layer quantized, all others in full precision"),
    "one-out": say("All layers as in the plan, only this one restored"),
}
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
    ) -> None:
        """Take what a sweep needs.

        Args:
            evaluator: One of its own (see `Evaluator.fork`): its current values are overwritten.
            mode: Which question is asked.
            base: The plan around the cells: needed for one out; for one in the reference by default.
            store: Where figures are looked up and entered.
            pause: Looked at before each cell.

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
        self._measured = () if logits is None else (logits[0].id,)

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
        return self._figures("plan", plan_digest(plan), "", FP32, plan, cancel)[0]

    def run(
        self,
        cells: Sequence[tuple[str, Scheme]],
        *,
        progress: Progress = no_progress,
        cancel: CancelToken = NEVER,
    ) -> Iterator[ExactCell]:
        """Measure cells in the given order; each is in the store before it is handed out.

        Args:
            cells: Kernel ids with schemes.
            progress: Told after each cell.
            cancel: Checked between kernels.

        Raises:
            StoreError: If the store can't be read or written; cells handed out before are kept.
            PlanError: If a kernel or scheme doesn't exist.
            Cancelled: If asked to stop.
        """
        for number, (kernel, scheme) in enumerate(cells, 1):
            self._pause.wait(cancel)
            plan = self._base.with_schemes({kernel: scheme})
            figures, stored = self._figures(self._mode, self._key, kernel, scheme, plan, cancel)
            progress(number / len(cells), say("Measured {done} of {all} cells", done=number, all=len(cells)))
            yield ExactCell(kernel, scheme, self._mode, figures, stored)

    def _figures(
        self, mode: Mode, base: str, kernel: str, scheme: Scheme, plan: Plan, cancel: CancelToken
    ) -> tuple[Figures, bool]:
        store = self._store
        context = "" if store is None else self.context(cancel=cancel)
        known = None if store is None else store.get(context, mode, base, kernel, scheme)
        if known is not None:
            return known, True
        found = self._evaluator.evaluate(plan, accumulated=self._measured or False, cancel=cancel)
        figures = figures_of(found, self._measured[0] if self._measured else "")
        if store is not None:
            store.put(context, mode, base, kernel, scheme, figures)
        return figures, False


def figures_of(found: Evaluation, logits_kernel: str = "") -> Figures:
    """What a store keeps of an evaluation."""
    output = found.output
    logits = found.accumulated.get(logits_kernel)
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
        seconds=found.seconds,
    )
