"""Searches of a session: proposals under budgets, the Pareto front, and what to raise next."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from math import isfinite

from engine.fusion.types import Network
from engine.jobs import Job, JobContext
from engine.npu import Device
from engine.numerics import Evaluator
from engine.numerics.results import OutputError
from engine.precision.plan import Plan
from engine.precision.scheme import FP32, Scheme
from engine.progress import CancelToken
from engine.session.background import Background, Bench
from engine.session.proposing import (
    anchors,
    drop_of,
    foreseen_db,
    found_of,
    front_of,
    propose,
    with_output,
    worth_measuring,
)
from engine.session.sweeps import Sweeps
from engine.session.wishes import Basis, Found, Wishes
from engine.text import Text, say
from engine.tuning.exact import ExactSweep
from engine.tuning.metrics import Metric, damage, figure
from engine.tuning.search import (
    Calibration,
    Choices,
    Search,
    Step,
    agreeing_kernels,
    confirmed,
    damages,
    raise_next,
)
from engine.tuning.search.problem import Quantity
from engine.tuning.search.rules import Rule, rules_of

_FRONT = 24
"""Points along each cost."""
_MEASURED = 12
"""Of them that are measured."""
_ACCURACY_TRIES = 6
_STEPS = 8
"""Steps up that are measured: a few more than the window shows, as some fall behind."""
_COSTS: tuple[Quantity, ...] = ("latency_us", "size_bytes", "energy_uj")


@dataclass(frozen=True, slots=True)
class Host:
    """What searches need to know of their session."""

    network: Callable[[], Network | None]
    plan: Callable[[], Plan]
    locked: Callable[[], frozenset[str]]
    device: Callable[[], Device]
    announce: Callable[[], None]
    failed: Callable[[Text], None]


class Searches:
    """Commands start work, properties are read by views; all on the owner's thread."""

    def __init__(self, work: Background, sweeps: Sweeps, host: Host) -> None:
        self._work, self._sweeps, self._host = work, sweeps, host
        sweeps.measured = self._renew
        self.wishes = Wishes()
        self._count = 0
        self._empty()

    def _empty(self) -> None:
        self.proposals: tuple[Found, ...] = ()
        """The newest last."""
        self.front: tuple[Found, ...] = ()
        self.steps: tuple[Step, ...] = ()
        """Single steps up from the current plan, the measured ones in front, by falling gain."""
        self.additive = True
        """Whether plans were about as good as predicted; else only measured plans count."""
        self.problem_text: Text | None = None
        """Why the last search could not be made."""
        self.job: Job | None = None
        self._explored = False
        self._front_job: Job | None = None
        self._calibration = Calibration()
        self._search: Search | None = None
        self._basis: Basis | None = None
        self._outputs: dict[Plan, OutputError] = {}

    @property
    def running(self) -> bool:
        """Whether a search runs."""
        return self.job is not None and self.job.active

    @property
    def exploring(self) -> bool:
        """Whether points of the front are being measured."""
        return self._front_job is not None and self._front_job.active

    def rules(self, plan: Plan) -> list[Rule]:
        """A plan in plain words."""
        network = self._host.network()
        return [] if network is None else rules_of(network, plan)

    # commands -------------------------------------------------------------------------------------------------------

    def start(self, wishes: Wishes) -> None:
        """Search a plan; it arrives in `proposals`, measured, and the front after it."""
        network, basis, self.wishes = self._host.network(), self._basis_of(wishes), wishes
        if network is None:
            return
        self.problem_text = None
        if self._front_job is not None:
            self._front_job.cancel()

        def run(bench: Bench) -> Found:
            search = self._ready(bench, network, basis)
            with closing(bench.evaluator.fork(bench.gate)) as fork:
                measure = self._measure(fork, bench.ctx.token)
                self._anchor(search, measure, bench.ctx.token)
                return self._proposal(search, wishes, measure, bench)

        def done(found: Found) -> None:
            self._count += 1
            self.proposals = (*self.proposals, replace(found, number=self._count, wishes=wishes))
            self._learnt()
            self.explore()
            self.look_ahead()

        self.job = self._work.on_bench(
            say("Searching a plan"), run, lane="sweep", supersede="search", done=done, failed=self._not_found
        )
        self._host.announce()

    def stop(self) -> None:
        """End search and measurements; what has been found stays."""
        for job in (self.job, self._front_job):
            if job is not None:
                job.cancel()
        self._host.announce()

    def explore_once(self) -> None:
        """Find the front, if nobody has asked for it with this model, data and device."""
        if not self._explored:
            self.explore()

    def _renew(self) -> None:
        """All cells have been measured: a front that was found by estimates is found again by measurements."""
        if not self._explored or self._basis_of(self.wishes).same(self._basis):
            return
        if self._front_job is not None:
            self._front_job.cancel()
            self._front_job = None
        self.explore()

    def explore(self) -> None:
        """Find the Pareto front by prediction, and measure some of its points behind everything else."""
        network, basis = self._host.network(), self._basis_of(self.wishes)
        if network is None or self.exploring:
            return
        self._explored = True

        def run(bench: Bench) -> None:
            search = self._ready(bench, network, basis)
            with closing(bench.evaluator.fork(bench.gate)) as fork:
                measure = self._measure(fork, bench.ctx.token)
                self._anchor(search, measure, bench.ctx.token)
                points = front_of(search, bench.gate, bench.ctx.token)
                self._show(bench, search, points)
                chosen = worth_measuring(points)
                for number, plan in enumerate(chosen, 1):
                    search.learn(plan, measure(plan))
                    bench.ctx.progress(number / len(chosen), say("Measured {done} of {all} plans", done=number,
                                                                 all=len(chosen)))  # fmt: skip
                    self._show(bench, search, points)

        self._front_job = self._work.on_bench(
            say("Pareto front"), run, lane="sweep", supersede="front", failed=self._not_found
        )
        self._host.announce()

    def look_ahead(self) -> None:
        """Find the steps that win most from the current plan."""
        network, plan, search, device = self._host.network(), self._host.plan(), self._search, self._host.device()
        if network is None or search is None:
            return
        ready = search

        def run(ctx: JobContext) -> list[Step]:
            power = ready.calibration.power
            return raise_next(network, ready.problem(), plan, device, power=power, cancel=ctx.token)

        def done(found: list[Step]) -> None:
            if plan == self._host.plan():
                self.steps = tuple(found)
                self._host.announce()
                self._confirm_steps()

        self._work.jobs.submit(
            say("What to raise next"), run, lane="query", supersede="raise next", on_done=done, on_failed=lambda _: None
        )

    def _confirm_steps(self) -> None:
        """Measure the steps that win most, behind everything else."""
        steps, plan = self.steps, self._host.plan()

        def run(bench: Bench) -> list[Step]:
            with closing(bench.evaluator.fork(bench.gate)) as fork:
                measure = self._measure(fork, bench.ctx.token)
                return confirmed(steps, plan, lambda of: figure(Metric.SQNR, measure(of)), most=_STEPS)

        def done(found: list[Step]) -> None:
            if plan == self._host.plan() and self.steps == steps:
                self.steps = tuple(found)
                self._host.announce()

        if steps:
            self._work.on_bench(
                say("Measuring what to raise next"), run, lane="sweep", supersede="confirm steps", done=done,
                failed=lambda _: None,
            )  # fmt: skip

    def plan_changed(self) -> None:
        """Steps from another plan are other steps; whoever wants to see them calls `look_ahead`."""
        self.steps = ()

    def device_changed(self) -> None:
        """Costs of another device are other costs; what was measured still holds."""
        self.front, self.steps, self._search, self._basis, self._explored = (), (), None, None, False
        for job in (self.job, self._front_job):
            if job is not None:
                job.cancel()
        self._host.announce()

    def forget(self) -> None:
        """The model or its data have changed."""
        for job in (self.job, self._front_job):
            if job is not None:
                job.cancel()
        self._empty()

    # the work, in worker threads ------------------------------------------------------------------------------------

    def _basis_of(self, wishes: Wishes) -> Basis:
        plan = self._host.plan()
        locks = {kernel: plan.scheme(kernel) for kernel in self._host.locked()}
        network, exact = self._host.network(), self._sweeps.exact
        wanted = {*wishes.schemes, *locks.values()} - {FP32}
        measured = network is not None and all((k.id, s) in exact for k in network.tunable for s in wanted)
        return Basis(wishes.schemes, wishes.agree, wishes.native_only, locks, self._host.device(), measured)

    def _ready(self, bench: Bench, network: Network, basis: Basis) -> Search:
        """Tables for a basis, made once."""
        if self._search is not None and basis.same(self._basis):
            return self._search
        wanted = tuple(dict.fromkeys((*basis.schemes, *(s for s in basis.locks.values() if s != FP32))))
        harm = self._harm(bench, basis, wanted)
        groups = agreeing_kernels(network) if basis.agree else ()
        choices = Choices(basis.schemes, locks=basis.locks, groups=groups)
        bent = self._calibration if self._basis is None or self._basis.measured == basis.measured else Calibration()
        search = Search(
            network, harm, basis.device, choices, bent, native_only=basis.native_only, exact=basis.measured
        )  # fmt: skip
        search.problem(cancel=bench.ctx.token)
        self._search, self._basis = search, basis
        return search

    def _harm(self, bench: Bench, basis: Basis, wanted: tuple[Scheme, ...]) -> dict[tuple[str, Scheme], float]:
        """Damages: all measured where they are, else all estimated; kernels without an estimate are measured now."""
        if basis.measured:
            known = dict(self._sweeps.exact).items()  # the owner goes on filling it
            return {key: harm for key, f in known if isfinite(harm := damage(Metric.SQNR, f.sqnr_db))}
        table = self._sweeps.estimate_in(bench, Metric.SQNR, wanted)
        cells = [(kernel, scheme) for kernel in table.blocked for scheme in wanted]
        with closing(bench.evaluator.fork(bench.gate)) as fork:
            exact = list(ExactSweep(fork, gate=bench.gate).run(cells, cancel=bench.ctx.token)) if cells else []
        return damages(table, exact)

    def _measure(self, fork: Evaluator, cancel: CancelToken) -> Callable[[Plan], float]:
        """Damage of a plan by an exact run; each plan runs once."""

        def measured(plan: Plan) -> float:
            if plan not in self._outputs:
                self._outputs[plan] = fork.evaluate(plan, accumulated=False, cancel=cancel).output
            return damage(Metric.SQNR, self._outputs[plan].sqnr_db)

        return measured

    def _proposal(self, search: Search, wishes: Wishes, measure: Callable[[Plan], float], bench: Bench) -> Found:
        def drop(plan: Plan) -> float | None:
            return drop_of(self._outputs[plan]) if plan in self._outputs else None

        proposal, over = propose(
            search, wishes, measure, drop, progress=bench.ctx.progress, cancel=bench.ctx.token
        )  # fmt: skip
        return found_of(search, proposal, wishes, over, self._outputs.get(proposal.plan), bench.ctx.token)

    def _anchor(self, search: Search, measure: Callable[[Plan], float], cancel: CancelToken) -> None:
        """Bend predictions through uniform plans, which most people want to see anyway."""
        if search.calibration.points:
            return
        search.anchor(anchors(search, search.choices.schemes), measure, cancel=cancel)

    def _show(self, bench: Bench, search: Search, points: list[Found]) -> None:
        """Hand the front over, with what is known of it by now."""
        known = dict(self._outputs)
        found = tuple(
            with_output(replace(point, predicted_db=foreseen_db(search, point.plan)), known.get(point.plan))
            for point in points
        )

        def take() -> None:
            self.front = found
            self._learnt()

        bench.deliver(take)

    def _learnt(self) -> None:
        if self._search is not None:
            self._calibration = self._search.calibration
            self.additive = self._calibration.additive
        self._host.announce()

    def _not_found(self, text: Text) -> None:
        self.problem_text = text
        self._host.failed(text)
        self._host.announce()
