"""Branch and bound of a search: as good as brute force, with limits that can't be kept and memory rows, and silent."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.optimize

from engine.precision.scheme import FP16, INT4, INT8
from engine.tuning.search.memory import MemoryRow, saved
from engine.tuning.search.problem import Problem
from engine.tuning.search.program import Program

OPTIONS = (INT4, INT8, FP16)
INTEGER = [[False, True, False]] * 6


def _problem(seed: int, units: int = 6) -> Problem:
    """Few units of very different size, as networks whose head holds most weights: relaxations are far from whole."""
    rng = np.random.default_rng(seed)
    size = np.exp(rng.normal(0, 2.5, (units, 1))) * np.asarray([4.5, 8.1, 16.0])
    harm = np.exp(rng.normal(0, 2.5, (units, 1))) * np.asarray([1.0, 1e-2, 1e-5])
    tables = {"size_bytes": size, "damage": harm}
    return Problem(tuple((f"k{at}",) for at in range(units)), (OPTIONS,) * units, tables, {"size_bytes": 3.0})


def _limits(problem: Problem, share: float) -> dict:
    sizes = [problem.total("size_bytes", [option] * len(problem.units)) for option in range(3)]
    return {"size_bytes": sizes[0] + share * (sizes[2] - sizes[0])}


def _rows(seed: int) -> list[MemoryRow]:
    rng = np.random.default_rng(seed)
    savings = tuple((float(rng.integers(1, 9)), tuple(map(int, rng.choice(6, 2, replace=False)))) for _ in range(4))
    return [MemoryRow(0, 0.5 * sum(nbytes for nbytes, _ in savings), savings)]


def _best(problem: Problem, limits: dict, rows: list[MemoryRow]) -> float:
    found = np.inf
    for choice in itertools.product(range(3), repeat=len(problem.units)):
        kept = all(problem.total(name, choice) <= limit for name, limit in limits.items())
        if kept and all(saved(row, choice, INTEGER) >= row.needed for row in rows):
            found = min(found, problem.total("damage", choice))
    return found


@pytest.mark.parametrize("share", [0.02, 0.2, 0.5])
@pytest.mark.parametrize("memory", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_as_good_as_brute_force(seed: int, memory: bool, share: float) -> None:
    problem, rows = _problem(seed), _rows(seed) if memory else []
    limits = _limits(problem, share)
    found = Program(problem, limits, "damage", rows, INTEGER).branch_and_bound()
    best = _best(problem, limits, rows)
    if not np.isfinite(best):
        assert found is None
        return
    assert found is not None
    assert problem.total("size_bytes", found) <= limits["size_bytes"] * (1 + 1e-6)
    assert all(saved(row, found, INTEGER) >= row.needed for row in rows)
    assert problem.total("damage", found) <= best * 1.0051 + 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_the_least_overdraft(seed: int) -> None:
    """No choice keeps both limits: the one that breaks them least."""
    problem = _problem(seed)
    limits = {"size_bytes": _limits(problem, 0.1)["size_bytes"], "damage": problem.total("damage", [1] * 6)}
    found = Program(problem, limits, "size_bytes", [], INTEGER).elastic()

    def over(choice: tuple[int, ...]) -> float:
        return sum(max(0.0, problem.total(name, choice) / limit - 1) for name, limit in limits.items())

    assert found is not None
    assert over(found) <= min(map(over, itertools.product(range(3), repeat=6))) * 1.0051 + 1e-6


def test_nothing_is_printed_and_no_integer_program_is_left_to_highs(capfd, monkeypatch) -> None:
    """HiGHS prints from its branch and bound, past Python, where --json prints too."""
    asked = []
    plain = scipy.optimize.milp

    def milp(*args, **kwargs):
        asked.append(kwargs.get("integrality"))
        return plain(*args, **kwargs)

    monkeypatch.setattr(scipy.optimize, "milp", milp)
    for seed in range(5):
        problem = _problem(seed)
        program = Program(problem, _limits(problem, 0.2), "damage", _rows(seed), INTEGER)
        program.branch_and_bound()
        program.elastic()
    assert len(asked) > 10
    assert all(each is None for each in asked)
    assert capfd.readouterr() == ("", "")
