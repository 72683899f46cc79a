"""The plans that a session keeps by name, and the one of them that the current plan is compared with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engine.errors import PlanError
from engine.numerics.results import Evaluation
from engine.precision.plan import Plan
from engine.session.kept import (
    MOST_KEPT,
    KeptPlan,
    PlanFigures,
    checked_name,
    find,
    free_name,
    merged,
    numbers_of,
)
from engine.session.state import Figures
from engine.text import say


@dataclass(frozen=True, slots=True)
class Host:
    """What kept plans need of their session."""

    announce: Callable[[], None]
    measure: Callable[[Plan], None]
    """Simulate a plan and evaluate it, if it can be; results come back to `simulated` and `evaluated`."""
    device: Callable[[], str]
    data: Callable[[], str]
    """What is evaluated with now; '' without data."""
    device_content: Callable[[], str] = lambda: ""
    """Digest of the device profile."""
    data_content: Callable[[], str] = lambda: ""
    """Digest of what is evaluated with."""


class KeptPlans:
    """Keep, rename, delete, compare. Every command either does all it says or raises and does nothing."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.plans: tuple[KeptPlan, ...] = ()
        self.b: Figures | None = None
        """All that is known of plan B, which deltas are shown against; None = no plan B is chosen."""
        self.b_name = ""

    def start(self, plans: Sequence[KeptPlan]) -> None:
        """Have the plans of a model that was just opened."""
        self.plans, self.b, self.b_name = tuple(plans), None, ""

    def find(self, name: str) -> KeptPlan:
        """The kept plan of a name; PlanError if there is none."""
        return find(self.plans, name)

    def free_name(self, wish: str) -> str:
        """A name like the wish that is not taken."""
        return free_name(self.plans, wish)

    def up_to_date(self, kept: KeptPlan) -> bool:
        """Whether its errors were measured with the data in use; its cost always follows the device."""
        figures = kept.figures
        now = (self._host.data(), self._host.data_content())
        return bool(figures.data) and (figures.data, figures.data_content) == now

    def keep(self, name: str, plan: Plan, figures: Figures | None = None) -> None:
        """Keep a plan by name, with what is known of it.

        Raises:
            PlanError: the name is taken, empty or too long, or too many plans are kept.
        """
        name = checked_name(self.plans, name)
        if len(self.plans) >= MOST_KEPT:
            raise PlanError(say("{most} plans are kept already; delete one first.", most=MOST_KEPT))
        known = self._numbers(figures) if figures is not None else PlanFigures()
        self.plans = (*self.plans, KeptPlan(name, Plan(plan.schemes, name), known))
        self._host.announce()
        if not known.device:
            self._host.measure(plan)

    def duplicate(self, name: str) -> str:
        """Keep the same plan under another name too, and return that."""
        old = self.find(name)
        other = self.free_name(name)
        place = self.plans.index(old) + 1
        copy = KeptPlan(other, Plan(old.plan.schemes, other), old.figures)
        self.plans = (*self.plans[:place], copy, *self.plans[place:])
        self._host.announce()
        return other

    def rename(self, name: str, to: str) -> None:
        """Give a kept plan another name; PlanError if that can't be."""
        old = self.find(name)
        if to.strip() == name:
            return
        to = checked_name(self.plans, to)
        new = replace(old, name=to, plan=Plan(old.plan.schemes, to))
        self.plans = tuple(new if kept is old else kept for kept in self.plans)
        if self.b_name == name:
            self.b_name = to
        self._host.announce()

    def delete(self, name: str) -> None:
        """Keep a plan no longer."""
        old = self.find(name)
        self.plans = tuple(kept for kept in self.plans if kept is not old)
        if self.b_name == name:
            self.b, self.b_name = None, ""
        self._host.announce()

    def compare_with(self, name: str | None) -> None:
        """Make a kept plan plan B, or none."""
        if not name:
            self.b, self.b_name = None, ""
            self._host.announce()
            return
        kept = self.find(name)
        self.b, self.b_name = Figures(kept.plan, simulated=False), name
        self._host.announce()
        self._host.measure(kept.plan)

    def measure(self) -> None:
        """Measure all plans whose errors are not of the data in use."""
        for plan in dict.fromkeys(kept.plan for kept in self.plans if not self.up_to_date(kept)):
            self._host.measure(plan)

    def unsimulated(self) -> list[Plan]:
        """Plans whose cost on the device is not known."""
        now = (self._host.device(), self._host.device_content())
        plans = [kept.plan for kept in self.plans if (kept.figures.device, kept.figures.device_content) != now]
        if self.b is not None and not self.b.simulated:
            plans.append(self.b.plan)
        return plans

    def device_changed(self) -> None:
        """No cost holds any more."""
        self.plans = tuple(replace(kept, figures=replace(kept.figures, device="")) for kept in self.plans)
        if self.b is not None:
            self.b = replace(self.b, simulated=False)

    def data_changed(self) -> None:
        """No error of plan B holds any more; of the others it is known with which data they were measured."""
        if self.b is not None:
            self.b = replace(self.b, evaluation=None)
            self._host.measure(self.b.plan)

    def simulated(self, found: Sequence[Figures]) -> None:
        """Take in costs."""
        for new in found:
            self._take(new)
            if self.b is not None and self.b.plan == new.plan:
                self.b = replace(
                    self.b, size=new.size, simulation=new.simulation, sustained=new.sustained, simulated=True
                )

    def evaluated(self, plan: Plan, evaluation: Evaluation) -> None:
        """Take in errors."""
        self._take(Figures(plan, evaluation=evaluation))
        if self.b is not None and self.b.plan == plan:
            self.b = replace(self.b, evaluation=evaluation)

    def _numbers(self, figures: Figures) -> PlanFigures:
        host = self._host
        return numbers_of(figures, host.device(), host.data(), host.device_content(), host.data_content())

    def _take(self, figures: Figures) -> None:
        if any(kept.plan == figures.plan for kept in self.plans):
            numbers = self._numbers(figures)
            self.plans = tuple(
                replace(kept, figures=merged(kept.figures, numbers)) if kept.plan == figures.plan else kept
                for kept in self.plans
            )
