"""What a session does in the background, and the one evaluator it does it with."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Generic, Self, TypeVar

from engine.errors import SizesRefusedError
from engine.fusion.types import Network, Rules
from engine.graph import read_inputs
from engine.graph.limits import TooBigError
from engine.interop.preflight import Observed, observe
from engine.interop.samples import DataSource
from engine.jobs import Dispatch, Job, JobContext, Jobs, Lane
from engine.npu import Device
from engine.npu.results import Scenario
from engine.numerics import Evaluator
from engine.numerics.results import ErrorSums, Evaluation
from engine.numerics.rounded import RoundedWeights
from engine.precision.plan import Plan
from engine.precision.presets import plan_title
from engine.precision.scheme import Scheme
from engine.quant.ranges import Ranges
from engine.session import work
from engine.session.checks import remember_inputs
from engine.session.sizes import SizesQuestion, another_question, missing_shapes
from engine.session.state import Figures
from engine.session.work import Prepared
from engine.text import Text, say

T = TypeVar("T")
Failed = Callable[[Text], None]
_QUICK_S, _CALM_S = 0.3, 0.5
"""Least seconds between two deliveries of what somebody waits for, and of what comes by the way: views draw each."""
_HEAT_S, _DRAWN_S = 1.5, 0.1
"""How long heat lets the evaluation of the same plan go first, and then those who draw it: it is pure Python, in the
way of every call into the runtime."""
_SHOWN_S = 0.006
"""How long accumulated errors let those go first who draw the error at the output."""
_FEW, _BRIEF_S = 4, 0.06
"""The error at the output goes before local errors, unless these are few and it takes longer than that."""
_LOOK_S = 0.02
_LOOKED_UP_S = 0.002
"""What takes less was known already."""
LocalFound = Callable[[Mapping[tuple[str, Scheme], ErrorSums]], None]


@dataclass(frozen=True, eq=False, slots=True)
class Bench:
    """What a job with the evaluator may use."""

    evaluator: Evaluator
    ctx: JobContext
    gate: Callable[[], None]
    """To call between kernels: waits while something more urgent runs; raises Cancelled when asked to stop."""
    deliver: Callable[[Callable[[], None]], None]
    """Runs a callback on the owner's thread, if the evaluator is still the session's by then."""


class Background:
    """Jobs of a session. Callbacks come on the owner's thread, and only for what is still wanted."""

    def __init__(self, dispatch: Dispatch, changed: Callable[[], None]) -> None:
        self.jobs = Jobs(dispatch, changed)
        self._evaluator: Evaluator | None = None
        self._rounded = RoundedWeights()
        self._measuring: list[Job] = []
        """Jobs of this evaluator, and the one that makes the next."""
        self._generation = 0
        self._leaving: list[Evaluator] = []
        """Those that will be closed once the jobs that may use them have ended."""
        self._unclaimed: list[Evaluator] = []
        """Those that were made and not handed over yet."""
        self._output_s = inf
        """How long the last output error took."""

    @property
    def ready(self) -> bool:
        """Whether there is data to evaluate with."""
        return self._evaluator is not None

    @property
    def output_s(self) -> float:
        """Seconds that the last output error took to compute; infinite before the first."""
        return self._output_s

    # opening --------------------------------------------------------------------------------------------------------

    def open(
        self,
        path: Path,
        shapes: Mapping[str, Sequence[int]] | None,
        rules: Rules,
        *,
        memory_limit: int,
        ask: Callable[[SizesQuestion], None] | None,
        too_big: Callable[[TooBigError], None],
        done: Callable[[Network], None],
        failed: Failed,
    ) -> Job:
        """Load and fuse a model.

        Instead of `done`, `ask` is called if free dimensions are not chosen yet or the model does not run at what was
        chosen, and `too_big` beyond the memory limit.
        """

        def run(ctx: JobContext) -> Network | SizesQuestion | TooBigError:
            try:
                inputs = read_inputs(path, memory_limit=memory_limit)
                if ask is not None and missing_shapes(inputs, shapes or {}):
                    return SizesQuestion(inputs)
                network = work.open_network(
                    path, shapes, rules, memory_limit=memory_limit, progress=ctx.progress, cancel=ctx.token
                )
                remember_inputs(network.graph.path, network.graph.sha256, inputs)
                return network
            except TooBigError as error:
                return error
            except SizesRefusedError as error:
                if ask is None:
                    raise
                opened = work.loader(path, memory_limit=memory_limit, progress=ctx.progress, cancel=ctx.token)
                return another_question(path, inputs, shapes or {}, error.text, opened, ctx.token)

        def finish(result: Network | SizesQuestion | TooBigError) -> None:
            if isinstance(result, Network):
                done(result)
            elif isinstance(result, TooBigError):
                too_big(result)
            elif ask is not None:
                ask(result)

        title = say("Opening {file}", file=path.name)
        return self.jobs.submit(title, run, supersede="open", on_done=finish, on_failed=failed)

    def forget(self) -> None:
        """Drop the evaluator and all that runs with it."""
        self._generation += 1
        for job in self._measuring:
            job.cancel()
        self._measuring.clear()
        self._release(self._evaluator)
        self._evaluator = None

    def prepare(
        self,
        network: Network,
        calibration: DataSource,
        evaluation: DataSource,
        observer: str,
        *,
        done: Callable[[Prepared], None],
        failed: Failed,
        plan: Plan | None = None,
        output: Callable[[Evaluation], None] = lambda _: None,
    ) -> Job:
        """Read data, calibrate, run the reference. What was measured with other data stays until that has worked.

        With a plan, `output` gets its error at the output while calibration still runs, if it needs none; of a large
        model what one sample gives before.
        """
        generation = self._generation

        def run(ctx: JobContext) -> Prepared:
            def found(evaluation: Evaluation) -> None:
                if not evaluation.remaining:
                    self._output_s = evaluation.seconds
                self.jobs.deliver(lambda: None if ctx.token.cancelled else self._wanted(generation, output)(evaluation))

            prepared = work.prepare(
                network,
                calibration,
                evaluation,
                observer=observer,
                kept=self._rounded,
                first=work.First(plan, found) if plan is not None else None,
                progress=ctx.progress,
                cancel=ctx.token,
            )
            self._unclaimed.append(prepared.evaluator)
            return prepared

        def finish(prepared: Prepared) -> None:
            self._unclaimed.remove(prepared.evaluator)
            while self._unclaimed:  # of jobs that were cancelled when they had just ended
                self._release(self._unclaimed.pop())
            if generation != self._generation:
                self._release(prepared.evaluator)
                return
            self.forget()
            self._evaluator = prepared.evaluator
            done(prepared)

        title = say("Calibrating and running the reference")
        return self._measure(title, run, supersede="prepare", on_done=finish, on_failed=failed)

    def _release(self, evaluator: Evaluator | None) -> None:
        """Close an evaluator behind all jobs that may still use it while they are being cancelled."""
        if evaluator is None:
            return
        self._leaving.append(evaluator)
        passed = threading.Event()

        def close(_: JobContext) -> None:
            while not passed.wait(0.02):
                if self.jobs.closed:  # then whoever closes the session closes it, once every job has ended
                    return
            self._leaving.remove(evaluator)
            evaluator.close()

        self.jobs.submit(say("Releasing memory"), lambda _: passed.set(), lane="sweep", anyway=True)
        self.jobs.submit(say("Releasing memory"), close, lane="exact", anyway=True)

    # figures --------------------------------------------------------------------------------------------------------

    def simulate(
        self,
        network: Network,
        plans: Sequence[Plan],
        device: Device,
        scenario: Scenario,
        *,
        done: Callable[[list[Figures]], None],
        failed: Failed,
    ) -> Job:
        """Size, timeline, memory and energy of some plans, then the same with heat: `done` is called twice."""

        def run(ctx: JobContext) -> list[Figures]:
            found = []
            for plan in plans:
                ctx.check()
                found.append(work.cost_plan(network, plan, device))
            self.jobs.deliver(lambda: None if ctx.token.cancelled else done(found))
            end = time.monotonic() + _HEAT_S
            while not self.jobs.wait_idle("engine", 0.05) and time.monotonic() < end:
                ctx.check()
            drawn = time.monotonic() + _DRAWN_S
            while time.monotonic() < drawn:
                ctx.check()
                time.sleep(_LOOK_S)
            warm = []
            for figures in found:
                ctx.check()
                warm.append(work.warm(figures, device, scenario))
            return warm

        title = say("Simulating on {device}", device=device.title)
        return self.jobs.submit(title, run, lane="query", supersede="simulate", on_done=done, on_failed=failed)

    def evaluate(
        self,
        plan: Plan,
        missing: Sequence[tuple[str, Scheme]],
        *,
        local: LocalFound,
        output: Callable[[Evaluation], None],
        done: Callable[[Evaluation], None],
        failed: Failed,
        key: str = "evaluate",
    ) -> Job | None:
        """Local errors that are missing and the output error of a plan, then its accumulated errors.

        `output` gets an evaluation as soon as the network has run, with accumulated errors of some kernels only, and
        `done` the whole one. None without data.
        """
        evaluator, generation = self._evaluator, self._generation
        if evaluator is None:
            return None

        def run(ctx: JobContext) -> Evaluation:
            def find_local() -> None:
                every = _QUICK_S if len(missing) <= _FEW else _CALM_S
                self._find_local(evaluator, missing, ctx, local, generation, every, share=0.3)

            local_first = len(missing) <= _FEW and self._output_s > _BRIEF_S
            if local_first:
                evaluator.lead(plan, missing, cancel=ctx.token)
                find_local()
            start = time.monotonic()
            first = evaluator.evaluate(
                plan, accumulated=False, progress=lambda f, t: ctx.progress(0.7 * f, t), cancel=ctx.token
            )
            took = time.monotonic() - start
            if took > _LOOKED_UP_S:
                self._output_s = took
            self.jobs.deliver(lambda: self._wanted(generation, output)(first))
            time.sleep(_SHOWN_S)
            if not local_first:
                find_local()
            return evaluator.evaluate(plan, progress=lambda f, t: ctx.progress(0.8 + 0.2 * f, t), cancel=ctx.token)

        return self._measure(
            say("Evaluating plan {plan}", plan=plan_title(plan.name)) if plan.name else say("Evaluating the plan"),
            run,
            supersede=key,
            on_done=self._wanted(generation, done),
            on_failed=failed,
        )

    def fill_local(self, cells: Sequence[tuple[str, Scheme]], *, local: LocalFound) -> Job | None:
        """Local errors of many cells, whenever the engine has nothing more urgent to do."""
        evaluator, generation = self._evaluator, self._generation
        if evaluator is None or not cells:
            return None

        def run(ctx: JobContext) -> None:
            with closing(evaluator.fork(self._gate(ctx))) as fork:
                self._find_local(fork, cells, ctx, local, generation, _CALM_S)

        return self._measure(say("Local errors of all precisions"), run, lane="sweep", supersede="local")

    def observe(
        self, names: Sequence[str], ranges: Ranges, *, done: Callable[[Mapping[str, Observed]], None]
    ) -> Job | None:
        """What activations of the reference do on evaluation samples, whenever nothing more urgent is to be done."""

        def work(bench: Bench) -> dict[str, Observed]:
            with closing(bench.evaluator.fork(bench.gate)) as fork:
                return observe(fork, names, ranges, gate=bench.gate, cancel=bench.ctx.token)

        title = say("Ranges on evaluation samples")
        return self.on_bench(title, work, lane="sweep", supersede="observe", done=done)

    def on_bench(
        self,
        title: Text,
        work: Callable[[Bench], T],
        *,
        lane: Lane,
        supersede: str,
        done: Callable[[T], None] | None = None,
        failed: Failed | None = None,
    ) -> Job | None:
        """A job with the evaluator that lets all more urgent lanes go first. None without data."""
        evaluator, generation = self._evaluator, self._generation
        if evaluator is None:
            return None

        def run(ctx: JobContext) -> T:
            def deliver(callback: Callable[[], None]) -> None:
                self.jobs.deliver(lambda: self._wanted(generation, lambda _: callback())(None))

            return work(Bench(evaluator, ctx, self._gate(ctx, lane), deliver))

        return self._measure(
            title,
            run,
            lane=lane,
            supersede=supersede,
            on_done=None if done is None else self._wanted(generation, done),
            on_failed=None if failed is None else self._wanted(generation, failed),
        )

    def close(self) -> None:
        """Stop everything, wait for the worker threads, free the evaluator."""
        self.jobs.close()
        for evaluator in (*self._leaving, *self._unclaimed, *([self._evaluator] if self._evaluator else [])):
            evaluator.close()
        self._leaving.clear()
        self._unclaimed.clear()
        self._evaluator = None

    # helpers --------------------------------------------------------------------------------------------------------

    def _measure(
        self,
        title: Text,
        run: Callable[[JobContext], T],
        *,
        supersede: str,
        lane: Lane = "engine",
        on_done: Callable[[T], None] | None = None,
        on_failed: Failed | None = None,
    ) -> Job:
        """Submit a job that ends with the evaluator."""
        job = self.jobs.submit(title, run, lane=lane, supersede=supersede, on_done=on_done, on_failed=on_failed)
        self._measuring = [*(j for j in self._measuring if j.active), job]
        return job

    def _find_local(
        self,
        evaluator: Evaluator,
        cells: Iterable[tuple[str, Scheme]],
        ctx: JobContext,
        local: LocalFound,
        generation: int,
        every: float = _QUICK_S,
        share: float = 1.0,
    ) -> None:
        wanted, cells = self._wanted(generation, local), tuple(cells)

        def deliver(found: Sequence[tuple[tuple[str, Scheme], ErrorSums]]) -> None:
            wanted(dict(found))

        with Batches(self.jobs.deliver, deliver, every) as batches:
            for number, (kernel, scheme, sums) in enumerate(evaluator.local_errors(cells, cancel=ctx.token), 1):
                ctx.progress(
                    share * number / len(cells), say("Local error of {done} of {all}", done=number, all=len(cells))
                )
                batches.add(((kernel, scheme), sums))

    def _wanted(self, generation: int, callback: Callable[[T], None]) -> Callable[[T], None]:
        def call(value: T) -> None:
            if generation == self._generation:
                callback(value)

        return call

    def _gate(self, ctx: JobContext, lane: Lane = "sweep") -> Callable[[], None]:
        """What a sweep calls between kernels: it goes on only while nothing more urgent waits or runs."""
        first: tuple[Lane, ...] = ("engine", "sweep") if lane == "exact" else ("engine",)

        def wait() -> None:
            ctx.wait_while_paused()
            for other in first:
                while not self.jobs.wait_idle(other, 0.05):
                    ctx.check()

        return wait


class Batches(Generic[T]):
    """Delivers results of a running job a few at a time: the first at once, then at most one batch per interval."""

    def __init__(
        self,
        deliver: Callable[[Callable[[], None]], None],
        callback: Callable[[Sequence[T]], None],
        every: float = _CALM_S,
    ) -> None:
        self._send, self._callback, self._every = deliver, callback, every
        self._kept: list[T] = []
        self._last = 0.0

    def add(self, item: T) -> None:
        """Deliver an item soon."""
        self._kept.append(item)
        if time.monotonic() - self._last >= self._every:
            self._deliver()

    def _deliver(self) -> None:
        kept, self._kept, self._last = self._kept, [], time.monotonic()
        if kept:
            self._send(lambda: self._callback(kept))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._deliver()
