"""All checks, worst first."""

from __future__ import annotations

from engine.interop.preflight import cost_checks as cost
from engine.interop.preflight import model_checks as model
from engine.interop.preflight import number_checks as number
from engine.interop.preflight.finding import Facts, Finding

_ORDER = ("error", "warning", "info")


def preflight(facts: Facts) -> list[Finding]:
    """Everything that is found with what is known; quick, nothing is simulated or run."""
    found = [
        *number.unmeasured(facts),
        *number.overflows(facts),
        *model.dynamic_shapes(facts),
        *model.opset(facts),
        *cost.budgets(facts),
        *number.not_native(facts),
        *number.imprecise(facts),
        *number.ranges(facts),
        *number.odd_weights(facts),
        *number.samples(facts),
        *model.layouts(facts),
        *model.channels(facts),
        *model.constants(facts),
        *model.node_names(facts),
    ]
    simulation = facts.simulation
    if simulation is not None and len(simulation.kernels) == len(facts.network.kernels):
        found += [
            *cost.on_cpu(facts, simulation),
            *cost.slower(facts, simulation),
            *cost.islands(facts, simulation),
            *cost.launches(simulation),
            *cost.gaps(simulation),
        ]
    found += [*cost.load(facts), *cost.throttling(facts)]
    return sorted(found, key=lambda each: _ORDER.index(each.severity))
