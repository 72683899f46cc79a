"""Sensitivity sweeps of a session: an estimate that comes by itself, exact sweeps that confirm it, a file that keeps.

Estimated and exact figures are kept apart. `cells` puts both into one table for views that show a figure per kernel;
each cell says of which kind it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

from engine.fusion.types import Network
from engine.jobs import Job
from engine.numerics.user_metric import UserMetric
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, FP32, INT4, INT8, W4A8, W8A16, Scheme
from engine.session.background import Background, Bench
from engine.session.state import SensitivityCell
from engine.session.sweep_figures import (
    OneOut,
    change_between,
    damages_of,
    estimated_cell,
    gains_of,
    has,
    measured_cell,
    metrics_of,
    recalled,
)
from engine.session.sweep_measuring import Measured, Order, measure
from engine.session.sweep_store import recall
from engine.text import Text, say
from engine.tuning.estimate import CellKey, Estimates, Estimator
from engine.tuning.exact import Pause, cells_out, in_order, value_of
from engine.tuning.metrics import Metric, damage, default_metric
from engine.tuning.store import Figures, Mode
from engine.tuning.sweep import cells_of

_SAMPLES = 8
"""Samples that an estimate looks at: more hardly change a ranking."""
_REFINED = 32
"""Random probes over all samples that an estimate ends with: it is shown with one a sample, and refined afterwards."""
OFFERED = (FP16, W8A16, INT8, W4A8, INT4)
"""Schemes that are swept until the user chooses others."""


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
    sound: Callable[[], bool] = lambda: True
    """Whether what is open is still what was opened; says itself why not."""


class Sweeps:
    """Commands start work, properties are read by views; all on the owner's thread."""

    def __init__(self, work: Background, host: Host) -> None:
        self._work, self._host = work, host
        self._estimators: dict[Metric, Estimator] = {}
        """Of this evaluator; used and closed in the sweeps' lane only."""
        self._gate: Callable[[], None] = lambda: None
        self.measured: Callable[[], None] = lambda: None
        """Called when an exact one-in sweep has come to its end."""
        self._empty()

    def _empty(self) -> None:
        self.schemes: tuple[Scheme, ...] = OFFERED
        self.metric: Metric | None = None
        """What is estimated and ranked by; None before the first estimate."""
        self.metrics: tuple[Metric, ...] = ()
        """Those that the model has."""
        self.own: UserMetric | None = None
        """A function of the user's own, which is one more metric."""
        self._usual: Metric | None = None
        """What was ranked by before it."""
        self.exact: dict[CellKey, Figures] = {}
        """Measured, one in."""
        self.one_out: OneOut | None = None
        """Measured, one out; of the plan that it names, which need not be the current one any more."""
        self.why_no_estimate: Text | None = None
        self.mode: Mode | None = None
        """Of the exact sweep that runs or ran last."""
        self.done = self.total = 0
        """Cells of it."""
        self.job: Job | None = None
        self._estimating: Job | None = None
        self._refining: Job | None = None
        self._estimates: dict[Metric, Estimates] = {}
        self._known: dict[CellKey, SensitivityCell] | None = None
        self._guessed: tuple[Estimates, Mapping[CellKey, SensitivityCell]] | None = None
        """An estimate and its cells: views ask for them again and again."""
        self._confirmed = self._asks_own = False
        self._pause = Pause()

    # reading --------------------------------------------------------------------------------------------------------

    @property
    def seconds_left(self) -> float | None:
        """Of the exact sweep that runs; what its job says, so that all views say the same."""
        return None if self.job is None else self.job.seconds_left

    @property
    def estimates(self) -> Estimates | None:
        """The estimate in the chosen metric."""
        return None if self.metric is None else self._estimates.get(self.metric)

    @property
    def cells(self) -> Mapping[CellKey, SensitivityCell]:
        """Measured cells, and estimated ones where nothing has been measured."""
        if self._known is None:
            measured = {
                key: measured_cell(*key, figures) for key, figures in self.exact.items() if has(figures, self.metric)
            }
            self._known = {**self.estimated_cells, **measured}
        return self._known

    @property
    def estimated_cells(self) -> Mapping[CellKey, SensitivityCell]:
        """The estimate alone."""
        table = self.estimates
        if table is None:
            return {}
        if self._guessed is None or self._guessed[0] is not table:
            self._guessed = table, {key: estimated_cell(table, key) for key in table.cells}
        return self._guessed[1]

    @property
    def estimating(self) -> bool:
        """Whether an estimate is being made."""
        return self._estimating is not None and self._estimating.active

    @property
    def refining(self) -> bool:
        """Whether further probes are on their way."""
        return self._refining is not None and self._refining.active

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
        cells = [key for key in cells_of(network, self.schemes) if not self._is_measured(key)]
        table = self.estimates or next(iter(self._estimates.values()), None)  # another metric ranks better than none
        return cells if table is None else in_order(cells, table)

    def _is_measured(self, key: CellKey) -> bool:
        return key in self.exact and has(self.exact[key], self.metric)

    def harm(self) -> Mapping[CellKey, float]:
        """Damage by kernel and scheme in the chosen metric: of each kernel all estimated, or else all measured."""
        table = self.estimates
        if self.metric is None:
            return {}
        known = {} if table is None else {key: cell.damage for key, cell in table.cells.items()}
        estimated = {kernel for kernel, _ in known}
        measured = damages_of(self.exact, self.metric)
        return known | {key: value for key, value in measured.items() if key[0] not in estimated}

    def gains(self) -> dict[str, float]:
        """One out: decibels by which the damage falls when a kernel is restored, by kernel id."""
        return gains_of(self.one_out, self.metric)

    def change_db(self, plan: Plan) -> float | None:
        """By how many dB another plan's output error should be below the current one's; None if nothing is known."""
        return change_between(self.harm(), self._host.plan(), plan)

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
            metrics = metrics_of(bench.evaluator)
            bench.deliver(lambda: self._begin(chosen, metrics))
            if first:
                self._recall(bench, network, plan)
            if not chosen.estimable:
                return None
            return self.estimator(bench, chosen).estimate(
                wanted,
                probes=1,
                publish=lambda table: bench.deliver(lambda: self._estimated(table)),
                progress=bench.ctx.progress,
                cancel=bench.ctx.token,
            )

        self._estimating = self._work.on_bench(
            say("Estimating sensitivity"),
            run,
            lane="sweep",
            supersede="estimate",
            done=self._ended,
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

    def _ended(self, table: Estimates | None) -> None:
        self._estimating = None  # the job counts as active until this callback returns
        self._estimated(table)
        self._refine()

    def _refine(self) -> None:
        """Twice as many probes, in a job of its own: what else waits in the lane comes first."""
        table = self.estimates
        if table is None or not table.complete or table.unit_vectors or not self.missing():
            return
        probes = min(2 * table.probes, ceil(_REFINED / table.samples))
        if probes <= table.probes:
            return
        metric, schemes = table.metric, table.schemes

        def run(bench: Bench) -> Estimates:
            return self.estimator(bench, metric).estimate(
                schemes, probes=probes, progress=bench.ctx.progress, cancel=bench.ctx.token
            )

        self._refining = self._work.on_bench(
            say("Refining the estimate of sensitivity"),
            run,
            lane="sweep",
            supersede="refine",
            done=self._refined,
            failed=self._host.warn,  # what is there stays
        )

    def _refined(self, table: Estimates) -> None:
        self._refining = None
        known = self._estimates.get(table.metric)
        if known is not None and set(known.schemes) <= set(table.schemes):  # else others have been asked for meanwhile
            self._estimated(replace(table, seconds=known.seconds + table.seconds))
        self._refine()

    def _stop_estimating(self) -> None:
        for job in (self._estimating, self._refining):
            if job is not None:
                job.cancel()

    def _not_estimated(self, text: Text) -> None:
        self.why_no_estimate = text
        self._changed()

    def set_own(self, metric: UserMetric | None) -> None:
        """A function of the user's own as one more metric, or none any more; what the last one gave is forgotten."""
        if metric == self.own:
            return
        self.own = metric
        if self.running and self.metric is Metric.OWN:
            self.stop()
        self.exact = {key: replace(figures, own=None) for key, figures in self.exact.items()}
        if self.one_out is not None and self.metric is Metric.OWN:
            self.one_out = None
        if metric is None and self.metric is Metric.OWN:
            self.set_metric(self._usual or Metric.SQNR)
        self._changed()

    def set_metric(self, metric: Metric) -> None:
        """Rank by another metric; its estimate is made if there is none."""
        if metric != self.metric:
            if self.metric is not None and self.metric is not Metric.OWN:
                self._usual = self.metric
            self.metric, self.why_no_estimate = metric, None
            self._stop_estimating()
            self._changed()
            self.estimate()

    def set_schemes(self, schemes: Iterable[Scheme]) -> None:
        """Sweep other schemes."""
        self.schemes = tuple(dict.fromkeys(schemes)) or OFFERED
        self._stop_estimating()
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
        same = self.running and self.mode == mode and self._asks_own == (self.metric is Metric.OWN)
        if network is None or (same and (mode == "one-in" or self.out_is_current)):
            self.resume()
            return
        if not self._host.sound():
            return
        self._confirmed, self._pause = True, Pause()
        if mode == "one-in":
            cells, plan = self.missing(), Plan()
        else:
            if not self.out_is_current:
                self.one_out = OneOut(plan)
            known = self.one_out.cells if self.one_out is not None else {}
            cells = [c for c in cells_out(network, plan) if c[0] not in known or not has(known[c[0]], self.metric)]
            if not plan or not any(scheme != FP32 for scheme in plan.values()):
                self._host.failed(say("Every layer of the plan is in full precision; there is nothing to restore."))
                return
        self.mode, self.done, self.total = mode, 0, len(cells)
        self._asks_own = self.metric is Metric.OWN
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
        order = Order(
            network,
            mode,
            plan,
            cells,
            pause,
            self.own if self.metric is Metric.OWN else None,
            self._host.folder,
            baseline=lambda figures: self._found_baseline(plan, figures),
            found=lambda found: self._found(plan, mode, found),
            warn=self._host.warn,
        )
        title = say("Sensitivity, measured one in") if mode == "one-in" else say("Sensitivity, measured one out")

        def done(_: None) -> None:
            if mode == "one-in":
                self.measured()

        return self._work.on_bench(
            title, lambda bench: measure(bench, order), lane="exact", supersede="exact sweep", done=done,
            failed=self._host.failed,
        )  # fmt: skip

    def _found(self, plan: Plan, mode: Mode, found: Sequence[Measured]) -> None:
        if mode == "one-in":
            self.exact.update({(cell.kernel, cell.scheme): cell.figures for cell, _ in found})
            self._bend()
        elif self.one_out is not None and self.one_out.plan == plan:
            new = {cell.kernel: cell.figures for cell, _ in found}
            self.one_out = replace(self.one_out, cells={**self.one_out.cells, **new})
        if mode == self.mode:
            _, self.done = found[-1]
        self._changed()

    def _bend(self) -> None:
        """Cap the estimate by its worst cell, once measured: linear predictions go on beyond all there is to lose."""
        table = self.estimates
        if table is not None and table.cells:
            worst = table.worst_first()[0]
            measured = self.exact.get((worst.kernel, worst.scheme))
            if measured is not None and has(measured, table.metric):
                harm = damage(table.metric, value_of(measured, table.metric))
                self._estimates[table.metric] = table.capped(worst.kernel, worst.scheme, harm)

    def _found_baseline(self, plan: Plan, figures: Figures) -> None:
        if self.one_out is not None and self.one_out.plan == plan:
            self.one_out = replace(self.one_out, baseline=figures)
            self._changed()

    # keeping --------------------------------------------------------------------------------------------------------

    def _recall(self, bench: Bench, network: Network, plan: Plan) -> None:
        """Take in what earlier runs of the program have measured of this model with this data."""
        found = recall(
            self._host.folder, network, bench.evaluator, bench.ctx.token,
            lambda text: bench.deliver(lambda: self._host.warn(text)),
        )  # fmt: skip
        exact, out = recalled(found, plan)

        def take() -> None:
            self.exact = exact | self.exact
            self.one_out = self.one_out or out
            self._changed()

        if exact or out is not None:
            bench.deliver(take)

    def forget(self) -> None:
        """The model or its data have changed: nothing that was found holds any more. Call before the evaluator goes."""
        self._stop_estimating()
        if self.job is not None:
            self.job.cancel()
        schemes, own = self.schemes, self.own
        old, self._estimators = self._estimators, {}
        if old:
            self._work.jobs.submit(say("Releasing memory"), lambda _: _close(old), lane="sweep")
        self._empty()
        self.schemes, self.own = schemes, own

    def close(self) -> None:
        """End the estimators' threads; after all jobs have ended."""
        _close(self._estimators)

    def _changed(self) -> None:
        self._known = None
        self._host.announce()


def _close(estimators: Mapping[Metric, Estimator]) -> None:
    for estimator in estimators.values():
        estimator.close()
