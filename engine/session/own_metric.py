"""A figure of the user's own beside the errors: of every plan that is evaluated, once it is chosen.

It is never kept in a project: opening somebody's file must not run somebody's code.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from engine.jobs import Job
from engine.numerics.user_metric import UserMetric, user_figures
from engine.precision.plan import Plan
from engine.session.background import Background, Bench
from engine.text import Text, say


@dataclass(frozen=True, slots=True)
class Host:
    """What it needs of its session."""

    plan: Callable[[], Plan]
    announce: Callable[[], None]
    failed: Callable[[Text], None]
    chosen: Callable[[UserMetric | None], None] = lambda _: None
    """Told of another function."""


@dataclass(frozen=True, slots=True)
class OwnFigure:
    """The figure of a plan and of the reference."""

    value: float
    reference: float


class OwnMetric:
    """Commands start work, properties are read by views; all on the owner's thread."""

    def __init__(self, work: Background, host: Host) -> None:
        self._work, self._host = work, host
        self.metric: UserMetric | None = None
        self.problem: Text | None = None
        """Why there is no figure."""
        self._found: dict[Plan, OwnFigure] = {}
        self._job: Job | None = None

    @property
    def figure(self) -> OwnFigure | None:
        """Of the current plan."""
        return self._found.get(self._host.plan())

    @property
    def busy(self) -> bool:
        """Whether it is being computed."""
        return self._job is not None and self._job.active

    def choose(self, metric: UserMetric | None) -> None:
        """Take another metric, or none; the current plan is measured at once."""
        if self._job is not None:
            self._job.cancel()
        self.metric = metric
        self._host.chosen(metric)
        self.forget()
        self.measure()
        self._host.announce()

    def forget(self) -> None:
        """Other data, or another model."""
        self._found, self.problem = {}, None

    def measure(self) -> None:
        """Find the figure of the current plan, if there is a metric and it is not known."""
        metric, plan = self.metric, self._host.plan()
        if metric is None or plan in self._found:
            return

        def run(bench: Bench) -> OwnFigure:
            with closing(bench.evaluator.fork(bench.gate)) as fork:
                outputs = fork.output(plan, cancel=bench.ctx.token)
                references = fork.output(Plan(), cancel=bench.ctx.token)
            labels = bench.evaluator.samples.labels
            value, reference = user_figures(metric, [outputs, references], references, labels, cancel=bench.ctx.token)
            return OwnFigure(value, reference)

        def done(found: OwnFigure) -> None:
            if metric == self.metric:
                self._found[plan] = found
                self.problem = None
                self._host.announce()

        def failed(text: Text) -> None:
            if metric == self.metric:
                self.problem = text
                self._host.failed(text)
                self._host.announce()

        self._job = self._work.on_bench(
            say("Computing {metric}", metric=metric.function), run, lane="sweep", supersede="own metric", done=done,
            failed=failed,
        )  # fmt: skip
