"""A proposed plan: what it is, what it costs, what it breaks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.precision.plan import Plan
from engine.text import Text, say
from engine.tuning.search.costs import PlanCosts
from engine.tuning.search.prediction import Calibration
from engine.tuning.search.problem import Budgets, Quantity


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan and what is known of it."""

    plan: Plan
    costs: PlanCosts
    """Simulated, not predicted."""
    predicted: float
    """Damage foreseen, through the calibration that was there before it was measured."""
    measured: float | None
    """Damage of an exact run; None if nothing can be run."""
    overdrawn: Mapping[str, float]
    """Budgets that this plan breaks -> how far beyond, as a fraction of the budget. Empty: all are kept."""
    binding: tuple[str, ...]
    """Budgets without which a better plan would be possible."""
    calibration: Calibration
    """With all plans measured on the way."""
    tried: tuple[tuple[Plan, float, float | None], ...] = ()
    """Plans on the way: plan, predicted damage, measured damage."""
    unknown: tuple[str, ...] = ()
    """Kernels that nothing is known of; they keep their best scheme."""

    @property
    def feasible(self) -> bool:
        """Whether all budgets are kept."""
        return not self.overdrawn


BUDGET_NAMES: Mapping[str, Text] = {
    "size_bytes": say("model size"),
    "latency_us": say("latency"),
    "energy_uj": say("energy per run"),
    "operations": say("bit operations"),
    "peak_bytes": say("peak memory"),
    "sustained_us": say("sustained latency"),
    "damage": say("accuracy"),
}


def overdrawn(budgets: Budgets, found: Proposal) -> dict[str, float]:
    """Budgets that simulation or measurement (prediction, before there is one) says are broken."""
    over = {}
    for name, budget in budgets.given.items():
        real = found.costs.value(name)
        if name == "damage":
            real = found.predicted if found.measured is None else found.measured
        if real is not None and real > budget * (1 + 1e-9):
            over[name] = real / budget - 1
    return over


def better(old: Proposal, new: Proposal, goal: Quantity) -> Proposal:
    """The better of two: fewer and smaller overdrafts first, then the objective."""

    def rank(found: Proposal) -> tuple[float, float]:
        reached = found.measured if found.measured is not None else found.predicted
        value = reached if goal == "damage" else found.costs.value(goal) or 0.0
        return sum(found.overdrawn.values()), value

    return min(old, new, key=rank)
