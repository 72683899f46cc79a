"""All checks, worst first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.interop.preflight import cost_checks as cost
from engine.interop.preflight import model_checks as model
from engine.interop.preflight import number_checks as number
from engine.interop.preflight.finding import Facts, Finding

_ORDER = ("error", "warning", "info")
_CHECKS = (
    number.unmeasured, number.overflows, model.dynamic_shapes, model.opset, cost.budgets, number.not_native,
    number.imprecise, number.ranges, number.odd_weights, number.samples, model.layouts, model.channels,
    model.constants, model.node_names,
)  # fmt: skip


def preflight(facts: Facts) -> list[Finding]:
    """Everything that is found with what is known; quick, nothing is simulated or run."""
    return in_order(found for step in steps(facts) for found in step)


def steps(facts: Facts) -> Iterator[list[Finding]]:
    """What each check finds, check by check: for who has other things to do in between."""
    for check in _CHECKS:
        yield list(check(facts))
    simulation = facts.simulation
    if simulation is not None and len(simulation.kernels) == len(facts.network.kernels):
        for of_kernels in (cost.on_cpu, cost.slower, cost.islands):
            yield list(of_kernels(facts, simulation))
        yield list(cost.launches(simulation))
        yield list(cost.gaps(simulation))
    yield [*cost.load(facts), *cost.throttling(facts)]


def in_order(found: Iterable[Finding]) -> list[Finding]:
    """Worst first, else as they were found."""
    return sorted(found, key=lambda each: _ORDER.index(each.severity))
