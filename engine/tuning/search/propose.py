"""A plan under budgets: solved on predictions, simulated and measured, and solved again with what was learnt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from engine.errors import PlanError
from engine.fusion.types import Network
from engine.npu import Device
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.text import say
from engine.tuning.search.costs import CostTables, PlanCosts, cost_tables, native_choices, plan_costs
from engine.tuning.search.held import Held, held_back
from engine.tuning.search.memory import MemoryRow, MemoryRows
from engine.tuning.search.polish import CONTRASTS, polished, with_contrast
from engine.tuning.search.prediction import Calibration, exponent, saturation
from engine.tuning.search.problem import (
    ADDITIVE,
    Budgets,
    Choices,
    Problem,
    Quantity,
    build_problem,
    uniform_choices,
)
from engine.tuning.search.proposal import BUDGET_NAMES, Proposal, better, overdrawn
from engine.tuning.search.rounding import Exchange
from engine.tuning.search.solver import Answer, solve

Measure = Callable[[Plan], float]
"""Runs a plan and gives its damage."""
_ROUNDS = 8
"""Simulations until budgets that are only nearly additive are kept."""
_SLACK = 1.0005
"""Factors may leave that much of a budget unused."""
_POLISH_S = 4.0
_SHARES = 0.97, 0.93, 0.86, 0.78, 0.7
"""Of budgets, that are solved for as well."""
_ABOUT = 1.07
"""Sums of damages of tighter solutions that are worth a measurement: 0.3 dB."""
_CAREFUL, _CARELESS = 0.05, 0.7
"""By how much a plan that was measured to be too bad tightens the next one's prediction, at most and at least."""


@dataclass(eq=False)
class Search:
    """All that a search over one network needs; made once, asked often."""

    network: Network
    harm: Mapping[tuple[str, Scheme], float]
    """Damage by kernel and scheme; see `damages`. Bent to what the calibration knows of saturation."""
    device: Device | None = None
    choices: Choices = field(default_factory=Choices)
    calibration: Calibration = field(default_factory=Calibration)
    native_only: bool = True
    """Leave schemes out that the device would build in FP16."""
    exact: bool = False
    """Whether all damages have been measured: then measured plans tell how they add up, too."""
    _measured: dict[Plan, float] = field(default_factory=dict, init=False, repr=False)
    """Damage of every plan that has been measured."""
    _tables: CostTables | None = field(default=None, init=False, repr=False)
    _problem: Problem | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        """Bend damages by a calibration that was handed over."""
        self.harm = self.calibration.bent(self.harm)

    def problem(self, *, cancel: CancelToken = NEVER) -> Problem:
        """Units and tables.

        Raises:
            PlanError: If locks and groups contradict each other, or nothing can be chosen.
        """
        if self._problem is None:
            if not self.network.tunable:
                raise PlanError(say("No layer of this model has weights whose precision can be set."))
            choices = self.choices
            if self.device is not None and self.native_only:
                choices = native_choices(self.network, choices, self.device)
            self._tables = cost_tables(self.network, choices, self.device, cancel=cancel)
            tables = {**self._tables.tables, "damage": self.harm}
            self._problem = build_problem(self.network, choices, tables, self._tables.constants)
        return self._problem

    def anchor(self, plans: Iterable[Plan], measure: Measure, *, cancel: CancelToken = NEVER) -> None:
        """Measure a few plans of all levels, best uniform ones, and bend all predictions by them.

        Args:
            plans: What to measure.
            measure: Runs a plan.
            cancel: Checked before each.

        Raises:
            Cancelled: If asked to stop.
        """
        for plan in plans:
            cancel.check()
            self.learn(plan, measure(plan))
        curve = Calibration()
        if self.calibration.limit == inf and self.calibration.power == 1:  # else damages are bent already
            curve = self._bending()
        if curve != Calibration():
            self.harm, self._problem = curve.bent(self.harm), None
            for plan, damage in self._measured.items():
                curve = curve.with_plan(self._sum(plan), damage)
            self.calibration = curve

    def _bending(self) -> Calibration:
        """What measured plans say of single kernels, without the curve through these plans."""
        bent = Calibration(limit=saturation((self._sum(plan), damage) for plan, damage in self._measured.items()))
        power = exponent(bent.bent(self.harm), self._measured) if self.exact else 1.0
        return replace(bent, power=power)

    def learn(self, plan: Plan, measured: float) -> None:
        """Take note of a measured plan: it bends predictions, and no later proposal is worse where it would do.

        Args:
            plan: The plan.
            measured: Its damage.
        """
        self.calibration = self.calibration.with_plan(self._sum(plan), measured)
        self._measured[plan] = measured

    def held(self, found: Proposal) -> tuple[Held, ...]:
        """What keeps a plan larger than its budget, as far as that is formats without native support."""
        if self.device is None or not self.native_only or "size_bytes" not in found.overdrawn:
            return ()
        return held_back(self.network, found.plan, self.choices, self.device)

    def beyond_reach(
        self, found: Proposal, budgets: Budgets, *, cancel: CancelToken = NEVER
    ) -> tuple[Scheme, float, Mapping[str, float]] | None:
        """The best measured uniform plan that does less damage than a proposal, and that the budgets rule out.

        Returns:
            Its scheme, its damage and what it overdraws (see `Proposal.overdrawn`); None if there is none.
        """
        if found.measured is None or found.overdrawn:
            return None
        for plan, damage in sorted(self._measured.items(), key=lambda item: item[1]):
            schemes = {plan.scheme(kernel.id) for kernel in self.network.tunable}
            if damage >= found.measured:
                return None
            if len(schemes) == 1 and not (scheme := schemes.pop()).weights.floating:
                costs = self.costs(plan, budgets, cancel=cancel)
                broken = overdrawn(budgets.without("damage"), replace(found, plan=plan, costs=costs))
                if broken:
                    return scheme, damage, broken
        return None

    def costs(self, plan: Plan, budgets: Budgets | None = None, *, cancel: CancelToken = NEVER) -> PlanCosts:
        """What a plan really costs."""
        return plan_costs(self.network, plan, self.device, budgets or Budgets(), cancel=cancel)

    def propose(
        self,
        budgets: Budgets,
        *,
        objective: Quantity | None = None,
        measure: Measure | None = None,
        measurements: int = 4,
        trials: int = 0,
        progress: Progress = no_progress,
        cancel: CancelToken = NEVER,
    ) -> Proposal:
        """The best plan under budgets.

        Args:
            budgets: Limits.
            objective: What is to be least: damage by default; without any limit on cost, latency (or size).
            measure: Runs plans; its results bend later predictions.
            measurements: How many plans may be measured.
            trials: How many more around the best one, where the least damage is asked for; none is begun after 4 s.
            progress: Told about.
            cancel: Checked between solutions and simulations.

        Raises:
            PlanError: For contradictory locks, a budget that needs a device, or one below zero.
            Cancelled: If asked to stop.
        """
        self._check(budgets)
        goal = objective or self._objective(budgets)
        tried: list[tuple[Plan, float, float | None]] = []
        best: Proposal | None = None
        ceiling = inf
        for number in range(max(1, measurements)):
            found = self._solved(budgets, goal, cancel, ceiling)
            progress((number + 0.5) / max(1, measurements), say("Measuring a proposed plan"))
            foreseen = self.calibration.measured(self._sum(found.plan))
            known = next((m for plan, _, m in tried if plan == found.plan), None)
            measured = known if known is not None else (None if measure is None else measure(found.plan))
            tried.append((found.plan, foreseen, measured))
            if measured is not None and known is None:
                self.learn(found.plan, measured)
            found = replace(found, predicted=foreseen, measured=measured)
            found = replace(found, overdrawn=overdrawn(budgets, found))
            best = found if best is None else better(best, found, goal)
            if measured is None or known is not None or budgets.damage is None or measured <= budgets.damage:
                break
            # The curve may not have learnt enough (a network that is not additive): be more careful in any case.
            ceiling = min(ceiling, self._sum(found.plan) * min(max(budgets.damage / measured, _CAREFUL), _CARELESS))
        assert best is not None
        if trials and goal == "damage" and measure is not None and best.feasible and best.measured is not None:
            best = self._polished(best, budgets, measure, trials, tried, progress, cancel)
        best = self._remembered(best, budgets, goal, cancel)
        progress(1.0, say("Measuring a proposed plan"))
        binding = self._binding(budgets, goal, best, cancel)
        return replace(best, tried=tuple(tried), calibration=self.calibration, binding=binding)

    def _polished(
        self,
        best: Proposal,
        budgets: Budgets,
        measure: Measure,
        trials: int,
        tried: list[tuple[Plan, float, float | None]],
        progress: Progress,
        cancel: CancelToken,
    ) -> Proposal:
        """The best of the plans around a proposal, measured; never worse than a uniform plan that keeps the budgets."""
        problem, foreseen_by = self.problem(cancel=cancel), self.calibration
        known = {plan: damage for plan, _, damage in tried}

        def rated(plan: Plan) -> Proposal | None:
            costs = self.costs(plan, budgets, cancel=cancel)
            if overdrawn(budgets.without("damage"), replace(best, costs=costs)):
                return None
            damage = known.get(plan)
            if damage is None:
                damage = known[plan] = self._measured[plan] = measure(plan)
            foreseen = foreseen_by.measured(self._sum(plan))
            tried.append((plan, foreseen, damage))
            return replace(best, plan=plan, costs=costs, predicted=foreseen, measured=damage)

        def rated_choice(choice: Sequence[int]) -> float | None:
            found = rated(problem.plan(choice))
            return None if found is None else found.measured

        candidates = [problem.plan(choice) for choice in uniform_choices(problem)]
        if budgets.damage is None:
            others = (self._solved(budgets, "damage", cancel, problem=with_contrast(problem, p)) for p in CONTRASTS)
            candidates += [found.plan for found in others]
            candidates += self._tighter(budgets, best, cancel)
        for plan in dict.fromkeys(candidates):
            cancel.check()
            found = rated(plan)
            if found is not None and (found.measured or 0.0) < (best.measured or 0.0):
                best = found
        start = problem.choice(best.plan)
        if start is None or best.measured is None:
            return best
        work = Exchange(problem, self._limits(budgets.without("damage"), {}), "damage")
        choice, _ = polished(
            problem, work, start, best.measured, rated_choice, trials=trials, seconds=_POLISH_S, cancel=cancel,
            told=lambda made: progress(0.9, say("Measured {done} of {all} plans", done=made, all=trials)),
        )  # fmt: skip
        found = rated(problem.plan(choice))
        return best if found is None else found

    def _tighter(self, budgets: Budgets, best: Proposal, cancel: CancelToken) -> list[Plan]:
        """Solutions for less of every budget that are foreseen to be about as good: what fills it may be worse."""
        found = []
        for share in _SHARES:
            less = Budgets(
                **{name: share * value for name, value in budgets.given.items()},
                sustained_minutes=budgets.sustained_minutes,
            )
            other = self._solved(less, "damage", cancel)
            if other.feasible and self._sum(other.plan) <= _ABOUT * self._sum(best.plan):
                found.append(other.plan)
        return found

    def _remembered(self, best: Proposal, budgets: Budgets, goal: Quantity, cancel: CancelToken) -> Proposal:
        """A plan measured before, if one that keeps the budgets is better: those of tighter budgets always do."""
        if goal != "damage" or best.measured is None:
            return best
        problem, least = self.problem(cancel=cancel), best.measured if best.feasible else inf
        for plan, damage in sorted(self._measured.items(), key=lambda item: item[1]):
            cancel.check()
            if damage >= least:
                break
            if problem.choice(plan) is None:
                continue
            foreseen = self.calibration.measured(self._sum(plan))
            costs = self.costs(plan, budgets, cancel=cancel)
            found = replace(best, plan=plan, costs=costs, predicted=foreseen, measured=damage)
            found = replace(found, overdrawn=overdrawn(budgets, found))
            if found.feasible:
                return found
        return best

    def _check(self, budgets: Budgets) -> None:
        for name, value in budgets.given.items():
            title = BUDGET_NAMES[name]
            if not value > 0:
                raise PlanError(
                    say("The budget {budget} is {value}; it must be above zero.", budget=title, value=value)
                )
            if self.device is None and name in ("latency_us", "energy_uj", "peak_bytes", "sustained_us"):
                raise PlanError(say("The budget {budget} needs a device; choose one.", budget=title))

    def _objective(self, budgets: Budgets) -> Quantity:
        if set(budgets.given) - {"damage"} or budgets.damage is None:
            return "damage"
        return "size_bytes" if self.device is None else "latency_us"

    def _sum(self, plan: Plan) -> float:
        return sum(self.harm.get(cell, 0.0) for cell in plan.items())

    def _solved(
        self,
        budgets: Budgets,
        goal: Quantity,
        cancel: CancelToken,
        ceiling: float = inf,
        problem: Problem | None = None,
    ) -> Proposal:
        """Solve, simulate, correct what does not quite add up, and solve again until the budgets are kept.

        The sum of damages stays below `ceiling` too. `problem` is another one than the search's own.
        """
        problem = problem or self.problem(cancel=cancel)
        factors: dict[str, float] = {}
        rows: dict[int, MemoryRow] = {}
        maker = None if self.device is None else MemoryRows(self.network, self.device, problem)
        integer = [] if maker is None else maker.integer()
        best: Proposal | None = None
        for _ in range(_ROUNDS):
            cancel.check()
            limits = self._limits(budgets, factors)
            if ceiling < inf:
                limits["damage"] = min(limits.get("damage", inf), ceiling)
            answer = solve(problem, limits, goal, tuple(rows.values()), integer)
            plan = problem.plan(answer.choice)
            costs = self.costs(plan, budgets, cancel=cancel)
            found = Proposal(
                plan, costs, self.calibration.measured(self._sum(plan)), None, {}, (), self.calibration,
                unknown=problem.unknown,
            )  # fmt: skip
            found = replace(found, overdrawn=overdrawn(budgets, found))
            best = found if best is None else better(best, found, goal)
            if found.feasible or not self._learn(budgets, problem, answer, costs, factors, rows, maker):
                break
        assert best is not None
        return best

    def _limits(self, budgets: Budgets, factors: Mapping[str, float]) -> dict[Quantity, float]:
        limits: dict[Quantity, float] = {}
        for name in ADDITIVE:
            budget = getattr(budgets, name)
            if budget is not None:
                limits[name] = budget * factors.get(name, 1.0)
        if budgets.damage is not None:
            limits["damage"] = self.calibration.predicted(budgets.damage)
        if budgets.sustained_us is not None:  # heat stretches the latency by a factor that is learnt
            sustained = budgets.sustained_us * factors.get("sustained_us", 1.0)
            limits["latency_us"] = min(limits.get("latency_us", sustained), sustained)
        return limits

    def _learn(
        self,
        budgets: Budgets,
        problem: Problem,
        answer: Answer,
        costs: PlanCosts,
        factors: dict[str, float],
        rows: dict[int, MemoryRow],
        maker: MemoryRows | None,
    ) -> bool:
        """Tighten what was overdrawn although the solver kept it; False if there is nothing more to learn."""
        learnt = False
        for name, budget in budgets.given.items():
            real = costs.value(name)
            if real is None or real <= budget:
                continue
            if name == "peak_bytes" and maker is not None:
                peak = self._peak_kernel(problem.plan(answer.choice))
                row = maker.at(peak, budget)
                learnt |= rows.get(peak) != row
                rows[peak] = row
            elif name in ADDITIVE or name == "sustained_us":
                table: Quantity = "latency_us" if name == "sustained_us" else name  # type: ignore[assignment]
                if table in answer.overdrawn:
                    continue
                predicted = problem.total(table, answer.choice)
                factor = predicted / real / _SLACK
                learnt |= factor < factors.get(name, 1.0) - 1e-6
                factors[name] = min(factor, factors.get(name, 1.0) / _SLACK)
        return learnt

    def _peak_kernel(self, plan: Plan) -> int:
        from engine.npu import plan_memory

        return plan_memory(self.network, plan, self.device).peak_kernel

    def _binding(self, budgets: Budgets, goal: Quantity, best: Proposal, cancel: CancelToken) -> tuple[str, ...]:
        """Budgets that are broken; and those without which the objective would be better, one at a time."""
        problem = self.problem(cancel=cancel)
        choice = problem.choice(best.plan)
        found = []
        for name in budgets.given:
            cancel.check()
            if name in best.overdrawn:
                found.append(name)
                continue
            other = self._solved(budgets.without(name), goal, cancel)
            better = problem.choice(other.plan)
            if choice is None or better is None:
                continue
            if problem.total(goal, better) >= problem.total(goal, choice) * (1 - 1e-3) - 1e-30:
                continue
            # A plan that was measured to be better than what is foreseen as best leaves room, which binds nothing.
            costs = self.costs(other.plan, budgets, cancel=cancel)
            if name == "damage" or name in overdrawn(budgets, replace(other, costs=costs)):
                found.append(name)
        return tuple(found)


def uniform_plans(network: Network, schemes: Sequence[Scheme]) -> list[Plan]:
    """Plans that anchor a calibration: every kernel in one scheme."""
    return [Plan({kernel.id: scheme for kernel in network.tunable}) for scheme in schemes]
