"""Proposing plans: limits that a solver can't know, plans that anchor predictions, and points of the Pareto front."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf, isfinite, sqrt

from engine.numerics.results import OutputError
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.session.held_words import beyond_words, held_words
from engine.session.wishes import ACCURACY, Found, Wishes
from engine.tuning.metrics import Metric, figure
from engine.tuning.search import Proposal, Search, ladder, sum_of, uniform_plans
from engine.tuning.search.problem import Quantity

_FRONT = 24
"""Points along each cost."""
_MEASURED = 12
"""Of them that are measured."""
_TRIES = 6
_TRIALS = 24
"""Plans that are measured around a proposal."""
_COSTS: tuple[Quantity, ...] = ("latency_us", "size_bytes", "energy_uj")


def propose(
    search: Search,
    wishes: Wishes,
    measure: Callable[[Plan], float],
    drop: Callable[[Plan], float | None],
    *,
    progress: Progress = no_progress,
    cancel: CancelToken = NEVER,
) -> tuple[Proposal, float]:
    """The best plan that keeps all wishes, or the nearest one.

    No sum over kernels foretells accuracy: plans are proposed with ever less damage, halving the interval in dB
    between one that keeps the accuracy and one that doesn't.

    Args:
        search: Tables and calibration.
        wishes: Limits.
        measure: Damage of a plan by an exact run.
        drop: Accuracy that a measured plan has lost, a share; None if that has no meaning.
        progress: Told about.
        cancel: Checked between solutions.

    Returns:
        The proposal, and how far it drops accuracy beyond the limit, as a share of the limit; 0 if it keeps it.
    """
    objective = wishes.objective()

    def over(proposal: Proposal) -> float:
        lost = drop(proposal.plan)
        limit = wishes.accuracy_drop
        if limit is None or lost is None or lost <= limit + 1e-9:
            return 0.0
        return lost / limit - 1 if limit > 0 else lost

    best = search.propose(
        wishes.budgets, objective=objective, measure=measure, trials=_TRIALS, progress=progress, cancel=cancel
    )
    beyond = over(best)
    if not beyond or objective == "damage":
        return best, beyond
    kept, broken = 0.0, best.measured or best.predicted
    for _ in range(_TRIES):
        cancel.check()
        aim = sqrt(kept * broken) if kept else broken / 8
        budgets = replace(wishes.budgets, damage=min(aim, wishes.budgets.damage or inf))
        found = search.propose(budgets, objective=objective, measure=measure, measurements=1, cancel=cancel)
        lost = over(found)
        if lost:
            broken = min(broken, aim)
        else:
            kept = max(kept, aim)
        if not lost or lost < beyond:
            best, beyond = found, lost
        if kept and broken / kept < 1.5:
            break
    return replace(best, overdrawn={k: v for k, v in best.overdrawn.items() if k in wishes.budgets.given}), beyond


def found_of(
    search: Search, proposal: Proposal, wishes: Wishes, over: float, output: OutputError | None, cancel: CancelToken
) -> Found:
    """A proposal of a search with what has been measured of it; `over` as `propose` gives it."""
    asked = wishes.objective() == "damage"
    beyond = search.beyond_reach(proposal, wishes.budgets, cancel=cancel) if asked else None
    found = Found(
        proposal.plan,
        proposal.costs,
        figure(Metric.SQNR, proposal.predicted),
        overdrawn=dict(proposal.overdrawn),
        binding=proposal.binding,
        held=tuple(held_words(search.network, held) for held in search.held(proposal)),
        beyond=None if beyond is None else beyond_words(Metric.SQNR, *beyond),
    )
    found = with_output(found, output)
    if over > 0:
        found = replace(found, overdrawn={**found.overdrawn, ACCURACY: over}, binding=(*found.binding, ACCURACY))
    return found


def drop_of(output: OutputError) -> float | None:
    """How much accuracy is lost; without labels, the share of best classes that change."""
    if output.accuracy is not None and output.reference_accuracy is not None:
        return output.reference_accuracy - output.accuracy
    return None if output.top1_agreement is None else 1 - output.top1_agreement


def with_output(found: Found, output: OutputError | None) -> Found:
    """With figures of an exact run, if there was one."""
    if output is None:
        return found
    return replace(found, measured_db=output.sqnr_db, top1=output.top1_agreement, accuracy=output.accuracy)


def anchors(search: Search, schemes: tuple[Scheme, ...]) -> list[Plan]:
    """Uniform plans in the offered schemes, locks kept; kernels that lack a scheme take their best."""
    problem = search.problem()
    found = []
    for uniform in uniform_plans(search.network, schemes):
        choice = [
            options.index(uniform.scheme(members[0])) if uniform.scheme(members[0]) in options else 0
            for members, options in zip(problem.units, problem.options, strict=True)
        ]
        found.append(problem.plan(choice))
    return list(dict.fromkeys(found))


def front_of(search: Search, gate: Callable[[], None], cancel: CancelToken) -> list[Found]:
    """Plans along each cost from precise to cheap, simulated."""
    problem = search.problem()
    plans: dict[Plan, None] = {}
    for cost in _COSTS:
        curve = ladder(problem, cost)
        for place in curve.spread(_FRONT):
            plans[problem.plan(curve.choice(place))] = None
    found = []
    for plan in plans:
        gate()
        found.append(Found(plan, search.costs(plan, cancel=cancel), foreseen_db(search, plan)))
    return sorted(found, key=lambda point: point.costs.latency_us or point.costs.size_bytes)


def worth_measuring(points: list[Found]) -> list[Plan]:
    """Some points, the middle first, then ever finer between."""
    front = [point.plan for point in points]
    count = min(_MEASURED, len(front))
    chosen = [front[round(at * (len(front) - 1) / max(1, count - 1))] for at in range(count)]
    order = sorted(range(count), key=lambda at: -((at & -at) if at else 1))
    return [chosen[at] for at in order]


def foreseen_db(search: Search, plan: Plan) -> float:
    """Output SQNR to expect of a plan."""
    harm = search.calibration.measured(sum_of(search.harm, plan))
    return figure(Metric.SQNR, harm) if isfinite(harm) else -inf
