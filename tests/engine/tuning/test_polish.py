"""The measured end of a search: where predictions mislead, measurements win, and no limit is broken on the way."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.errors import Cancelled
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT4, INT8
from engine.progress import CancelToken
from engine.tuning.search import Budgets, Choices, Problem, Search, uniform_plans
from engine.tuning.search import propose as module
from engine.tuning.search.polish import exchanges
from engine.tuning.search.rounding import Exchange

SCHEMES = (INT4, INT8, FP16)


def _search(cnn, seed: int = 0) -> tuple[Search, dict]:
    """Predicted damages, and true ones that are off by some decibels."""
    rng = np.random.default_rng(seed)
    ids = [kernel.id for kernel in cnn.tunable]
    harm = {
        (k, s): float(np.exp(rng.normal(0, 1))) * level
        for k in ids
        for s, level in zip(SCHEMES, (1.0, 1e-2, 1e-5), strict=True)
    }
    true = {cell: value * float(np.exp(rng.normal(0, 1.0))) for cell, value in harm.items()}
    return Search(cnn, harm, choices=Choices(SCHEMES)), true


def _size(search: Search, share: float) -> float:
    sizes = [search.costs(plan).size_bytes for plan in uniform_plans(search.network, SCHEMES)]
    return sizes[0] + share * (sizes[2] - sizes[0])


@pytest.mark.parametrize("seed", range(4))
def test_measurements_find_what_predictions_miss(cnn, seed: int) -> None:
    search, true = _search(cnn, seed)
    asked: list[Plan] = []

    def measure(plan: Plan) -> float:
        asked.append(plan)
        return sum(true[cell] for cell in plan.items())

    budgets = Budgets(size_bytes=_size(search, 0.5))
    plain = search.propose(budgets, measure=measure)
    found = search.propose(budgets, measure=measure, trials=200)
    assert len(set(asked)) <= len(asked) <= 2 + len(set(asked)), "no plan is measured twice within a search"
    assert found.measured == pytest.approx(sum(true[cell] for cell in found.plan.items()))
    assert found.measured <= plain.measured
    assert found.feasible
    assert search.costs(found.plan).size_bytes <= budgets.size_bytes
    ids = [kernel.id for kernel in cnn.tunable]
    plans = (Plan(dict(zip(ids, each, strict=True))) for each in itertools.product(SCHEMES, repeat=len(ids)))
    fitting = [plan for plan in plans if search.costs(plan).size_bytes <= budgets.size_bytes]
    best = min(sum(true[cell] for cell in plan.items()) for plan in fitting)
    assert found.measured <= best * 1.5, "near the best of all plans that fit"


def test_never_worse_than_a_uniform_plan_that_keeps_the_limits(cnn) -> None:
    """Even where mixed plans are far worse than all predictions."""
    search, _ = _search(cnn)
    uniform = uniform_plans(cnn, SCHEMES)
    found = search.propose(
        Budgets(size_bytes=_size(search, 0.6)), measure=lambda plan: 1e-3 if plan == uniform[1] else 1.0, trials=4
    )
    assert found.plan == uniform[1]
    assert found.measured == 1e-3


def test_trials_are_counted_and_can_be_stopped(cnn) -> None:
    search, true = _search(cnn)
    budgets = Budgets(size_bytes=_size(search, 0.5))
    asked: list[Plan] = []

    def measure(plan: Plan) -> float:
        asked.append(plan)
        return sum(true[cell] for cell in plan.items())

    search.propose(budgets, measure=measure, trials=3)
    assert len(asked) <= 1 + len(SCHEMES) + 3 + 3  # the proposal, uniform plans, other contrasts, exchanges
    token = CancelToken()

    def stopping(plan: Plan) -> float:
        token.cancel()
        return 1.0

    with pytest.raises(Cancelled):
        search.propose(budgets, measure=stopping, trials=100, cancel=token)


def test_without_time_nothing_is_exchanged(cnn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_POLISH_S", -1.0)
    search, true = _search(cnn)
    asked: list[Plan] = []

    def measure(plan: Plan) -> float:
        asked.append(plan)
        return sum(true[cell] for cell in plan.items())

    search.propose(Budgets(size_bytes=_size(search, 0.5)), measure=measure, trials=100)
    assert len(asked) <= 1 + len(SCHEMES) + 3


def test_exchanges_keep_the_limits_and_come_in_order() -> None:
    rng = np.random.default_rng(0)
    units = 12
    size = np.exp(rng.normal(0, 1, (units, 1))) * np.asarray([0.5, 1.0, 2.0])
    harm = np.exp(rng.normal(0, 1, (units, 1))) * np.asarray([1.0, 1e-2, 1e-4])
    names = tuple((f"k{at}",) for at in range(units))
    problem = Problem(names, (SCHEMES,) * units, {"size_bytes": size, "damage": harm}, {})
    choice = [1] * units
    limit = problem.total("size_bytes", choice) * 1.01
    found = list(exchanges(Exchange(problem, {"size_bytes": limit}, "damage"), choice))
    assert found
    rises = []
    for move in found:
        new = list(choice)
        for unit, option in move:
            new[unit] = option
        assert problem.total("size_bytes", new) <= limit * (1 + 1e-6)
        rises.append(problem.total("damage", new))
    assert rises == sorted(rises)
    assert any(len(move) == 2 for move in found)


@pytest.mark.parametrize("trials", [0, 12])
def test_a_looser_budget_never_makes_a_worse_plan(cnn, trials: int) -> None:
    """However far predictions are off: what a tighter budget has found keeps the looser one too."""
    search, _ = _search(cnn)
    rng = np.random.default_rng(5)
    found: dict[Plan, float] = {}

    def measure(plan: Plan) -> float:
        return found.setdefault(plan, float(np.exp(rng.normal(0, 3))))

    shares = [0.2, 0.35, 0.5, 0.7, 0.9]
    reached = [search.propose(Budgets(size_bytes=_size(search, s)), measure=measure, trials=trials) for s in shares]
    assert [r.measured for r in reached] == sorted((r.measured for r in reached), reverse=True)
    for share, each in zip(shares, reached, strict=True):
        assert each.feasible
        assert search.costs(each.plan).size_bytes <= _size(search, share)
        assert each.measured == found[each.plan]


def test_plans_measured_elsewhere_are_known(cnn) -> None:
    """Anchors of the calibration, for one."""
    search, _ = _search(cnn)
    uniform = uniform_plans(cnn, SCHEMES)
    search.learn(uniform[1], 1e-9)
    budgets = Budgets(size_bytes=_size(search, 0.6))
    assert search.propose(budgets, measure=lambda plan: 1.0).plan == uniform[1]
    assert search.propose(budgets, objective="size_bytes", measure=lambda plan: 1.0).plan != uniform[1]
    tight = Budgets(size_bytes=_size(search, 0.05))
    assert search.propose(tight, measure=lambda plan: 1.0).plan != uniform[1], "it is larger"
