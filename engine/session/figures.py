"""The results of a session: of the current plan, of the one before, and of all-FP16, with what is known to be stale."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from engine.fusion.types import Network
from engine.interop.preflight import Observed
from engine.numerics.results import ErrorSums, Evaluation
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme
from engine.session.state import Figures, Staleness

_KNOWN_PLANS = 64


class Results:
    """Holds what has been computed; computes nothing."""

    def __init__(self, plan: Plan | None = None, baseline: Plan | None = None) -> None:
        self.figures = Figures(plan if plan is not None else Plan())
        self.baseline = Figures(baseline) if baseline is not None else None
        self.previous: Figures | None = None
        self.staleness = Staleness(plan is not None, 0)
        self.local: dict[tuple[str, Scheme], ErrorSums] = {}
        self.observed: Mapping[str, Observed] = {}
        """Activations of the reference against their calibrated ranges, by name."""
        self._known: dict[Plan, Evaluation] = {}

    def known(self, plan: Plan) -> Evaluation | None:
        """The evaluation of a plan that was measured before with the same data."""
        return self._known.get(plan)

    def show(self, plan: Plan, network: Network) -> None:
        """Go over to another plan: what is on show becomes "previous", errors behind the first change become stale."""
        old = self.figures
        if not self.staleness.stale or self.previous is None:
            self.previous = old
        changed = set(plan.difference(old.plan))
        first = next((k.index for k in network.kernels if k.id in changed), 0)
        known = self._known.get(plan)
        if known is not None:
            self.staleness = Staleness()
        else:
            self.staleness = Staleness(True, min(first, self.staleness.from_kernel) if self.staleness.stale else first)
        self.figures = replace(old, plan=plan, evaluation=known or old.evaluation, simulated=False)

    def settled(self) -> Figures:
        """The current figures without those that belong to an older plan or device: what may leave the window."""
        found = self.figures
        if not found.simulated:
            found = replace(found, size=None, simulation=None, sustained=None)
        if not found.warmed:
            found = replace(found, sustained=None)
        return replace(found, evaluation=None) if self.staleness.stale else found

    def forget_errors(self) -> None:
        """The data has changed: nothing that was measured holds any more."""
        self.local, self.observed = {}, {}
        self._known.clear()
        self.staleness = Staleness(True, 0)
        self._each(lambda f: replace(f, evaluation=None))

    def forget_simulation(self) -> None:
        """The device has changed: all-FP16 and the previous plan are simulated again, the current one stays on show."""
        self.figures = replace(self.figures, simulated=False)
        if self.baseline is not None:
            self.baseline = replace(self.baseline, size=None, simulation=None, sustained=None)
        if self.previous is not None:
            self.previous = replace(self.previous, size=None, simulation=None, sustained=None)

    def unsimulated(self) -> list[Plan]:
        """The current plan, and the others on show that have no simulation."""
        others = [
            f.plan
            for f in (self.baseline, self.previous)
            if f is not None and (f.simulation is None or not f.simulated or not f.warmed)
        ]
        return list(dict.fromkeys((self.figures.plan, *others)))

    def simulated(self, found: Sequence[Figures]) -> None:
        """Take in simulations of plans."""
        by_plan = {f.plan: f for f in found}

        def fill(old: Figures) -> Figures:
            new = by_plan.get(old.plan)
            if new is None:
                return old
            heat = new.sustained if new.warmed else old.sustained
            return replace(
                old, size=new.size, simulation=new.simulation, sustained=heat, simulated=True, warmed=new.warmed
            )

        self._each(fill)

    def output_found(self, plan: Plan, evaluation: Evaluation) -> None:
        """Take in the output error of the current plan; accumulated errors that are not known yet stay, as stale.

        One that not all samples have given yet is shown, and is as stale as before.
        """
        if self.figures.plan != plan or not self.staleness.stale:
            return
        old = self.figures.evaluation.accumulated if self.figures.evaluation is not None else {}
        merged = replace(evaluation, accumulated={**old, **evaluation.accumulated})
        self.figures = replace(self.figures, evaluation=merged)
        self.staleness = replace(self.staleness, output=evaluation.remaining > 0)

    def evaluated(self, plan: Plan, evaluation: Evaluation) -> None:
        """Take in the evaluation of a plan."""
        self._known[plan] = evaluation
        while len(self._known) > _KNOWN_PLANS:
            del self._known[next(iter(self._known))]
        self._each(lambda f: replace(f, evaluation=evaluation) if f.plan == plan else f)
        if self.figures.plan == plan:
            self.staleness = Staleness()

    def missing_local(self, cells: Sequence[tuple[str, Scheme]]) -> list[tuple[str, Scheme]]:
        """Those cells whose local error is not known."""
        return [cell for cell in cells if cell not in self.local]

    def _each(self, change: Callable[[Figures], Figures]) -> None:
        self.figures = change(self.figures)
        self.baseline = change(self.baseline) if self.baseline is not None else None
        self.previous = change(self.previous) if self.previous is not None else None
