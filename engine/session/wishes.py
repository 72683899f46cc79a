"""What a search is asked for, and what it finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from engine.npu import Device
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT4, INT8, Scheme
from engine.text import Text, say
from engine.tuning.metrics import Metric, damage
from engine.tuning.search import BUDGET_NAMES, Budgets, PlanCosts
from engine.tuning.search.costs import bit_operations as bit_operations
from engine.tuning.search.problem import Quantity

Goal = Literal["damage", "latency_us", "size_bytes", "energy_uj", "operations"]
GOAL_TITLES: Mapping[Goal, Text] = {
    "damage": say("Highest output SQNR"),
    "latency_us": say("Lowest latency"),
    "size_bytes": say("Smallest model"),
    "energy_uj": say("Least energy per run"),
    "operations": say("Fewest bit operations"),
}
ACCURACY = "accuracy_drop"
"""Name of the budget for accuracy, beside those of `engine.tuning.search.Budgets`."""
LIMIT_TITLES: Mapping[str, Text] = {**BUDGET_NAMES, "damage": say("output SQNR"), ACCURACY: say("accuracy drop")}


@dataclass(frozen=True, slots=True)
class Wishes:
    """Limits (None = none), and what the search may do."""

    goal: Goal = "damage"
    size_bytes: float | None = None
    latency_us: float | None = None
    energy_uj: float | None = None
    operations: float | None = None
    """FLOPs x bits^2 as AMCT counts them: multiply-accumulates x weight bits x activation bits."""
    peak_bytes: float | None = None
    sustained_us: float | None = None
    """Latency after `sustained_minutes` of running back to back."""
    sustained_minutes: float = 30.0
    min_sqnr_db: float | None = None
    accuracy_drop: float | None = None
    """Share in [0, 1] by which accuracy may fall; without labels, share of samples whose best class may change."""
    schemes: tuple[Scheme, ...] = (INT4, INT8, FP16)
    agree: bool = True
    """Kernels that read the same tensor, or share a weight, take one scheme."""
    native_only: bool = True
    """Leave schemes out that the device would build in FP16."""

    @property
    def budgets(self) -> Budgets:
        """The limits of the solver."""
        worst = None if self.min_sqnr_db is None else damage(Metric.SQNR, self.min_sqnr_db)
        return Budgets(
            size_bytes=self.size_bytes,
            latency_us=self.latency_us,
            energy_uj=self.energy_uj,
            operations=self.operations,
            peak_bytes=self.peak_bytes,
            sustained_us=self.sustained_us,
            sustained_minutes=self.sustained_minutes,
            damage=worst,
        )

    def objective(self) -> Quantity:
        """What is to be least: where only accuracy is limited, not the error (which FP16 everywhere has), but time."""
        limited = set(self.budgets.given) - {"damage"}
        if self.goal == "damage" and not limited and (self.min_sqnr_db is not None or self.accuracy_drop is not None):
            return "latency_us"
        return self.goal


@dataclass(frozen=True, slots=True)
class Found:
    """A plan that a search has found, or a point of the Pareto front."""

    plan: Plan
    costs: PlanCosts
    predicted_db: float
    """Output SQNR foreseen before it was measured."""
    measured_db: float | None = None
    top1: float | None = None
    """Measured: share of rows that keep their best class."""
    accuracy: float | None = None
    """Measured, with labels."""
    number: int = 0
    """Of a proposal; 0 for points of the front."""
    overdrawn: Mapping[str, float] = field(default_factory=dict)
    """Limits that it breaks -> how far beyond, as a share of the limit."""
    binding: tuple[str, ...] = ()
    """Limits without which something better would be possible."""
    wishes: Wishes | None = None
    held: tuple[Text, ...] = ()
    """Kernels that keep it above its size because formats are not native."""
    beyond: Text | None = None
    """A uniform plan that would be better, but breaks a limit."""

    @property
    def sqnr_db(self) -> float:
        """Measured, else predicted."""
        return self.predicted_db if self.measured_db is None else self.measured_db


@dataclass(frozen=True, eq=False, slots=True)
class Basis:
    """What a search's tables depend on: equal bases, equal tables."""

    schemes: tuple[Scheme, ...]
    agree: bool
    native_only: bool
    locks: Mapping[str, Scheme]
    device: Device
    measured: bool = False
    """Whether all cells have been measured one in: then those are added up instead of estimates."""

    def same(self, other: Basis | None) -> bool:
        """Whether another basis gives the same tables."""
        return (
            other is not None
            and (self.schemes, self.agree, self.native_only) == (other.schemes, other.agree, other.native_only)
            and dict(self.locks) == dict(other.locks)
            and self.measured == other.measured
            and self.device is other.device
        )
