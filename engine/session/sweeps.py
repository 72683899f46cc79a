"""Sensitivity sweeps of a session: an estimate that comes by itself, exact sweeps that confirm it, a file that keeps.

Estimated and exact figures are kept apart. `cells` puts both into one table for views that show a figure per kernel;
each cell says of which kind it is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from math import isfinite, log10
from pathlib import Path

from engine.errors import PlanError
from engine.fusion.types import Network
from engine.jobs import Job
from engine.numerics import Evaluator
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, FP32, INT4, INT8, W4A8, W8A16, Scheme
from engine.session.background import Background, Batches, Bench
from engine.session.state import SensitivityCell
from engine.session.sweep_store import open_store, recall
from engine.text import Text, say
from engine.tuning.context import plan_digest
from engine.tuning.estimate import CellKey, Estimates, Estimator
from engine.tuning.exact import ExactCell, ExactSweep, Pause, cells_out, in_order, value_of
from engine.tuning.metrics import Metric, damage, default_metric, in_decibels, point_of
from engine.tuning.store import Figures, Mode, ResultStore, StoreError
from engine.tuning.sweep import cells_of

_SAMPLES = 8
"""Samples that an estimate looks at: more hardly change a ranking."""
_Found = tuple[ExactCell, int, float | None]
"""A cell, how many are done, seconds left."""
OFFERED = (FP16, W8A16, INT8, W4A8, INT4)
"""Schemes that are swept until the user chooses others."""


@dataclass(frozen=True, eq=False, slots=True)
class OneOut:
    """Output figures of a plan with single kernels restored to full precision."""

    plan: Plan
    baseline: Figures | None = None
    """Of the plan itself."""
    cells: Mapping[str, Figures] = field(default_factory=dict)
    """By kernel id."""


@dataclass(frozen=True, slots=True)
class Host:
    """What sweeps need to know of their session."""

    network: Callable[[], Network | None]
    plan: Callable[[], Plan]
    announce: Callable[[], None]
    warn: Callable[[Text], None]
    failed: Callable[[Text], None]
    folder: Path | None
    """Where figures are kept from run to run; None = nowhere."""


class Sweeps:
    """Commands start work, properties are read by views; all on the owner's thread."""

    def __init__(self, work: Background, host: Host) -> None:
        self._work, self._host = work, host
        self._estimators: dict[Metric, Estimator] = {}
        """Of this evaluator; used and closed in the sweeps' lane only."""
        self._gate: Callable[[], None] = lambda: None
        self._empty()

    def _empty(self) -> None:
        self.schemes: tuple[Scheme, ...] = OFFERED
        self.metric: Metric | None = None
        """What is estimated and ranked by; None before the first estimate."""
        self.metrics: tuple[Metric, ...] = ()
        """Those that the model has."""
        self.exact: dict[CellKey, Figures] = {}
        """Measured, one in."""
        self.one_out: OneOut | None = None
        """Measured, one out; of the plan that it names, which need not be the current one any more."""
        self.why_no_estimate: Text | None = None
        self.mode: Mode | None = None
        """Of the exact sweep that runs or ran last."""
        self.done = self.total = 0
        """Cells of it."""
        self.seconds_left: float | None = None
        self.job: Job | None = None
        self._estimating: Job | None = None
        self._estimates: dict[Metric, Estimates] = {}
        self._known: dict[CellKey, SensitivityCell] | None = None
        self._confirmed = False
        self._pause = Pause()

    # reading --------------------------------------------------------------------------------------------------------

    @property
    def estimates(self) -> Estimates | None:
        """The estimate in the chosen metric."""
        return None if self.metric is None else self._estimates.get(self.metric)

    @property
    def cells(self) -> Mapping[CellKey, SensitivityCell]:
        """Measured cells, and estimated ones where nothing has been measured."""
        if self._known is None:
            measured = {key: _measured(*key, figures) for key, figures in self.exact.items()}
            self._known = {**self.estimated_cells, **measured}
        return self._known

    @property
    def estimated_cells(self) -> Mapping[CellKey, SensitivityCell]:
        """The estimate alone."""
        table = self.estimates
        return {} if table is None else {key: _estimated(table, key) for key in table.cells}

    @property
    def estimating(self) -> bool:
        """Whether an estimate is being made."""
        return self._estimating is not None and self._estimating.active

    @property
    def running(self) -> bool:
        """Whether an exact sweep runs or is paused."""
        return self.job is not None and self.job.active

    @property
    def paused(self) -> bool:
        """Whether it is paused."""
        return self.running and self._pause.paused

    @property
    def out_is_current(self) -> bool:
        """Whether the one-out figures are of the current plan."""
        return self.one_out is not None and self.one_out.plan == self._host.plan()

    def missing(self) -> list[CellKey]:
        """Cells of a one-in sweep that have not been measured, the worst by estimate first."""
        network = self._host.network()
        if network is None:
            return []
        cells = [key for key in cells_of(network, self.schemes) if key not in self.exact]
        return cells if self.estimates is None else in_order(cells, self.estimates)

    def harm(self) -> Mapping[CellKey, float]:
        """Damage by kernel and scheme in the chosen metric: of each kernel all estimated, or else all measured."""
        table = self.estimates
        if self.metric is None:
            return {}
        known = {} if table is None else {key: cell.damage for key, cell in table.cells.items()}
        estimated = {kernel for kernel, _ in known}
        measured = {key: damage(self.metric, value_of(found, self.metric)) for key, found in self.exact.items()}
        return known | {key: value for key, value in measured.items() if key[0] not in estimated}

    def gains(self) -> dict[str, float]:
        """One out: decibels by which the damage falls when a kernel is restored, by kernel id."""
        out, metric = self.one_out, self.metric
        if out is None or out.baseline is None or metric is None:
            return {}
        before = in_decibels(damage(metric, value_of(out.baseline, metric)))
        won = {k: before - in_decibels(damage(metric, value_of(found, metric))) for k, found in out.cells.items()}
        return {kernel: gain for kernel, gain in won.items() if isfinite(gain)}

    def change_db(self, plan: Plan) -> float | None:
        """By how much the output error of another plan should be below the current one's; None where nothing is known.

        The ratio of predicted damages of both plans: a bias of the prediction drops out.
        """
        now, harm = self._host.plan(), self.harm()
        changed = plan.difference(now)
        if any((kernel, of.scheme(kernel)) not in harm for kernel in changed for of in (now, plan)):
            return None
        before, after = (sum(harm.get(cell, 0.0) for cell in of.items()) for of in (now, plan))
        if not (before > 0 and after > 0 and isfinite(before) and isfinite(after)):
            return None
        return 10 * log10(before / after)

    # estimating -----------------------------------------------------------------------------------------------------

    def estimate(self) -> None:
        """Estimate what is not known yet, behind everything else; figures kept on disk are looked up first."""
        network, plan = self._host.network(), self._host.plan()
        if network is None or self.estimating or (self.why_no_estimate and self.metric is None):
            return
        wanted = tuple(dict.fromkeys((*self.schemes, *(s for s in plan.values() if s != FP32))))
        if self.estimates is not None and set(wanted) <= set(self.estimates.schemes):
            return
        metric, first = self.metric, self.metric is None

        def run(bench: Bench) -> Estimates | None:
            chosen = metric or default_metric(bench.evaluator)
            metrics = _metrics(bench.evaluator)
            bench.deliver(lambda: self._begin(chosen, metrics))
            if first:
                self._recall(bench, network, plan)
            if chosen is Metric.TOP1:
                return None
            return self.estimator(bench, chosen).estimate(
                wanted,
                publish=lambda table: bench.deliver(lambda: self._estimated(table)),
                progress=bench.ctx.progress,
                cancel=bench.ctx.token,
            )

        self._estimating = self._work.on_bench(
            say("Estimating sensitivity"),
            run,
            lane="sweep",
            supersede="estimate",
            done=self._estimated,
            failed=self._not_estimated,
        )
        self._changed()

    def _begin(self, metric: Metric, metrics: tuple[Metric, ...]) -> None:
        self.metric = self.metric or metric
        self.metrics = metrics
        self._changed()

    def _estimated(self, table: Estimates | None) -> None:
        if table is not None:
            self._estimates[table.metric] = table
            self.why_no_estimate = None
            self._bend()
        self._changed()

    def _not_estimated(self, text: Text) -> None:
        self.why_no_estimate = text
        self._changed()

    def set_metric(self, metric: Metric) -> None:
        """Rank by another metric; its estimate is made if there is none."""
        if metric != self.metric:
            self.metric, self.why_no_estimate = metric, None
            if self._estimating is not None:
                self._estimating.cancel()
            self._changed()
            self.estimate()

    def set_schemes(self, schemes: Iterable[Scheme]) -> None:
        """Sweep other schemes."""
        self.schemes = tuple(dict.fromkeys(schemes)) or OFFERED
        if self._estimating is not None:
            self._estimating.cancel()
        self._changed()
        self.estimate()

    def estimate_in(self, bench: Bench, metric: Metric, schemes: Sequence[Scheme]) -> Estimates:
        """An estimate for another job, from what is known where that is enough."""
        known = self._estimates.get(metric)
        if known is not None and known.complete and set(schemes) <= set(known.schemes):
            return known
        return self.estimator(bench, metric).estimate(schemes, cancel=bench.ctx.token)

    def estimator(self, bench: Bench, metric: Metric) -> Estimator:
        """The estimator of a metric; only for jobs in the sweeps' lane."""
        self._gate = bench.gate
        if metric not in self._estimators:
            self._estimators[metric] = Estimator(
                bench.evaluator, metric=metric, most_samples=_SAMPLES, gate=lambda: self._gate()
            )
        return self._estimators[metric]

    # measuring ------------------------------------------------------------------------------------------------------

    def confirm(self) -> None:
        """Measure one in what has been estimated, if nobody has started or stopped that before."""
        table = self.estimates
        if not self._confirmed and not self.running and table is not None and table.complete:
            self.start("one-in")

    def start(self, mode: Mode = "one-in") -> None:
        """Measure all cells that are not known, the worst by estimate first. Goes on where it was stopped."""
        network, plan = self._host.network(), self._host.plan()
        if network is None or (self.running and self.mode == mode and (mode == "one-in" or self.out_is_current)):
            self.resume()
            return
        self._confirmed, self._pause = True, Pause()
        if mode == "one-in":
            cells, plan = self.missing(), Plan()
        else:
            if not self.out_is_current:
                self.one_out = OneOut(plan)
            known = self.one_out.cells if self.one_out is not None else {}
            cells = [cell for cell in cells_out(network, plan) if cell[0] not in known]
            if not plan or not any(scheme != FP32 for scheme in plan.values()):
                self._host.failed(say("Every layer of the plan is in full precision; there is nothing to restore."))
                return
        self.mode, self.done, self.total, self.seconds_left = mode, 0, len(cells), None
        if cells:
            self.job = self._submit(network, mode, plan, cells, self._pause)
        self._changed()

    def stop(self) -> None:
        """End the exact sweep; what it has found stays."""
        if self.job is not None:
            self.job.cancel()
        self._changed()

    def pause(self) -> None:
        """Let it wait before its next cell."""
        self._pause.pause()
        if self.job is not None:
            self.job.pause()
        self._changed()

    def resume(self) -> None:
        """Let it go on."""
        self._pause.resume()
        if self.job is not None:
            self.job.resume()
        self._changed()

    def _submit(self, network: Network, mode: Mode, plan: Plan, cells: Sequence[CellKey], pause: Pause) -> Job | None:
        def run(bench: Bench) -> None:
            store = open_store(self._host.folder, network, self._host_warning(bench))
            try:
                with closing(bench.evaluator.fork(bench.gate)) as fork:
                    self._measure(bench, fork, mode, plan, cells, pause, store)
            finally:
                if store is not None:
                    store.close()

        title = say("Sensitivity, measured one in") if mode == "one-in" else say("Sensitivity, measured one out")
        return self._work.on_bench(title, run, lane="exact", supersede="exact sweep", failed=self._host.failed)

    def _measure(
        self,
        bench: Bench,
        fork: Evaluator,
        mode: Mode,
        plan: Plan,
        cells: Sequence[CellKey],
        pause: Pause,
        store: ResultStore | None,
    ) -> None:
        """Measure cells; if they can't be kept on disk any more, say so once and go on without."""
        clock = _Clock(len(cells))
        left = list(cells)
        while left:
            sweep = ExactSweep(fork, mode=mode, base=plan, store=store, pause=pause, gate=bench.gate)
            try:
                if mode == "one-out":
                    baseline = sweep.baseline(cancel=bench.ctx.token)
                    bench.deliver(lambda found=baseline: self._found_baseline(plan, found))  # type: ignore[misc]
                batches = Batches[_Found](bench.deliver, lambda found: self._found(plan, mode, found))
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
                self._host_warning(bench)(error.text)
                store = None

    def _found(self, plan: Plan, mode: Mode, found: Sequence[_Found]) -> None:
        if mode == "one-in":
            self.exact.update({(cell.kernel, cell.scheme): cell.figures for cell, _, _ in found})
            self._bend()
        elif self.one_out is not None and self.one_out.plan == plan:
            new = {cell.kernel: cell.figures for cell, _, _ in found}
            self.one_out = replace(self.one_out, cells={**self.one_out.cells, **new})
        if mode == self.mode:
            _, self.done, self.seconds_left = found[-1]
        self._changed()

    def _bend(self) -> None:
        """Cap the estimate by its worst cell, once measured: linear predictions go on beyond all there is to lose."""
        table = self.estimates
        if table is not None and table.cells:
            worst = table.worst_first()[0]
            measured = self.exact.get((worst.kernel, worst.scheme))
            if measured is not None:
                harm = damage(table.metric, value_of(measured, table.metric))
                self._estimates[table.metric] = table.capped(worst.kernel, worst.scheme, harm)

    def _found_baseline(self, plan: Plan, figures: Figures) -> None:
        if self.one_out is not None and self.one_out.plan == plan:
            self.one_out = replace(self.one_out, baseline=figures)
            self._changed()

    # keeping --------------------------------------------------------------------------------------------------------

    def _recall(self, bench: Bench, network: Network, plan: Plan) -> None:
        """Take in what earlier runs of the program have measured of this model with this data."""
        found = recall(self._host.folder, network, bench.evaluator, bench.ctx.token, self._host_warning(bench))
        exact = {(row.kernel, row.scheme): row.figures for row in found if row.mode == "one-in"}
        around = plan_digest(plan)
        out = {row.kernel: row.figures for row in found if row.mode == "one-out" and row.base == around}
        baseline = next((row.figures for row in found if row.mode == "plan" and row.base == around), None)

        def take() -> None:
            self.exact = exact | self.exact
            if out and self.one_out is None:
                self.one_out = OneOut(plan, baseline, out)
            self._changed()

        if exact or out:
            bench.deliver(take)

    def _host_warning(self, bench: Bench) -> Callable[[Text], None]:
        return lambda text: bench.deliver(lambda: self._host.warn(text))

    def forget(self) -> None:
        """The model or its data have changed: nothing that was found holds any more. Call before the evaluator goes."""
        for job in (self.job, self._estimating):
            if job is not None:
                job.cancel()
        schemes = self.schemes
        old, self._estimators = self._estimators, {}
        if old:
            self._work.jobs.submit(say("Releasing memory"), lambda _: _close(old), lane="sweep")
        self._empty()
        self.schemes = schemes

    def close(self) -> None:
        """End the estimators' threads; after all jobs have ended."""
        _close(self._estimators)

    def _changed(self) -> None:
        self._known = None
        self._host.announce()


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


def _close(estimators: Mapping[Metric, Estimator]) -> None:
    for estimator in estimators.values():
        estimator.close()


def _metrics(evaluator: Evaluator) -> tuple[Metric, ...]:
    found = []
    for metric in Metric:
        try:
            point_of(evaluator, metric)
        except PlanError:
            continue
        found.append(metric)
    return tuple(found)


def _measured(kernel: str, scheme: Scheme, figures: Figures) -> SensitivityCell:
    top1 = None if figures.top1 is None else 1 - figures.top1
    return SensitivityCell(
        kernel, scheme, figures.sqnr_db, figures.kl, "exact", figures.logits_db, 1 - figures.cosine, top1
    )  # fmt: skip


def _estimated(table: Estimates, key: CellKey) -> SensitivityCell:
    value, metric = table.cells[key].value, table.metric
    return SensitivityCell(
        *key,
        value if metric is Metric.SQNR else None,
        value if metric is Metric.KL else None,
        "estimated",
        value if metric is Metric.LOGITS else None,
        value if metric is Metric.COSINE else None,
        spread_db=table.cells[key].spread_db,
    )
