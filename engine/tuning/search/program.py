"""The integer program of a search, as matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from engine.graph.types import Array
from engine.tuning.search.memory import MemoryRow
from engine.tuning.search.problem import Problem, Quantity
from engine.tuning.search.quiet import terminal_set_aside

_SECONDS = 2.0
_GAP = 5e-3
_SCALE = 1e3
"""Objectives are scaled so that a middling answer is worth this much: HiGHS's own tolerances are absolute."""
_OVERDRAFT = 1e-4
"""Overdrafts are counted in whole ten-thousandths of a limit."""


class Relaxed(NamedTuple):
    """Solution of the linear relaxation."""

    shares: Array
    """Of each option in its unit, [unit, option]."""
    value: float
    """The objective without constants: no choice is better."""


class Program:
    """One column per option that is worth considering, one per saving of a memory row."""

    def __init__(
        self,
        problem: Problem,
        limits: Mapping[Quantity, float],
        objective: Quantity,
        rows: Sequence[MemoryRow],
        integer: Sequence[Sequence[bool]],
    ) -> None:
        self._problem, self._limits = problem, limits
        present = problem.present if rows else worthwhile(problem, {objective, *limits})
        self._units, self._options = np.nonzero(present)
        self._savings = [(at, saving) for at, row in enumerate(rows) for saving in row.savings]
        self._memory, self._integer = rows, integer
        self._bounded = [name for name in limits if name in problem.tables]
        self._count = len(self._units)
        table = problem.tables[objective][self._units, self._options]
        self._worth = _typical(problem, objective)
        self._goal = np.concatenate([table / self._worth * _SCALE, np.zeros(len(self._savings))])

    def relaxation(self) -> Relaxed | None:
        """Options in fractions; None if not even those keep the limits."""
        found = self._run(self._goal, overdraft=False, whole=False)
        if found is None:
            return None
        shares = np.zeros(self._problem.present.shape)
        shares[self._units, self._options] = found[: self._count]
        return Relaxed(shares, float(self._goal @ found) * self._worth / _SCALE)

    def branch_and_bound(self) -> tuple[int, ...] | None:
        """The best choice; None if none keeps the limits (or none was found in time)."""
        found = self._run(self._goal, overdraft=False, whole=True)
        return None if found is None else self._choice(found)

    def least_overdraft(self) -> dict[Quantity, float] | None:
        """By how much the limits must give way at least, as fractions, if options could be split."""
        extra = np.ones(len(self._bounded) + len(self._memory))
        found = self._run(np.concatenate([np.zeros(len(self._goal)), extra]), overdraft=True, whole=False)
        if found is None:
            return None
        over = found[len(self._goal) : len(self._goal) + len(self._bounded)] * _OVERDRAFT
        return {name: float(each) for name, each in zip(self._bounded, over, strict=True)}

    def elastic(self) -> tuple[int, ...] | None:
        """A choice that overdraws the limits least, whatever the objective."""
        extra = np.ones(len(self._bounded) + len(self._memory))
        found = self._run(np.concatenate([np.zeros(len(self._goal)), extra]), overdraft=True, whole=True)
        return None if found is None else self._choice(found)

    def _choice(self, found: Array) -> tuple[int, ...]:
        chosen = np.flatnonzero(found[: self._count] > 0.5)
        picked = np.zeros(len(self._problem.units), np.intp)
        picked[self._units[chosen]] = self._options[chosen]
        return tuple(int(option) for option in picked)

    def _run(self, goal: Array, *, overdraft: bool, whole: bool) -> Array | None:
        from scipy.optimize import Bounds, LinearConstraint, milp  # half a second that only a search should pay

        rows = self._rows(len(goal), overdraft)
        upper = np.ones(len(goal))
        upper[self._count + len(self._savings) :] = np.inf
        with terminal_set_aside():
            found: Any = milp(
                goal,
                constraints=LinearConstraint(rows.matrix(), rows.low, rows.high),
                integrality=np.ones(len(goal)) if whole else np.zeros(len(goal)),
                bounds=Bounds(0, upper),
                options={"time_limit": _SECONDS, "mip_rel_gap": _GAP},
            )
        return None if found.x is None else np.asarray(found.x)

    def _rows(self, width: int, overdraft: bool) -> _Rows:
        made = _Rows(width)
        spare = self._count + len(self._savings)
        for unit in range(len(self._problem.units)):
            mine = np.flatnonzero(self._units == unit)
            made.add(mine, np.ones(len(mine)), 1.0, 1.0)
        for at, name in enumerate(self._bounded):
            scale = max(abs(self._limits[name]), 1e-30)
            room = self._limits[name] - self._problem.constants.get(name, 0.0)
            columns = np.arange(self._count)
            values = self._problem.tables[name][self._units, self._options] / scale
            if overdraft:
                columns, values = np.append(columns, spare + at), np.append(values, -_OVERDRAFT)
            made.add(columns, values, -np.inf, room / scale)
        for at, row in enumerate(self._memory):
            mine = np.asarray([place for place, (owner, _) in enumerate(self._savings) if owner == at], np.intp)
            scale = max(abs(row.needed), 1.0)
            columns = self._count + mine
            values = np.asarray([self._savings[place][1][0] for place in mine]) / scale
            if overdraft:
                columns = np.append(columns, spare + len(self._bounded) + at)
                values = np.append(values, _OVERDRAFT)
            made.add(columns, values, row.needed / scale, np.inf)
        for place, (_, (_, deciding)) in enumerate(self._savings):
            for unit in deciding:  # saved only if the unit reads INT8
                marked = [self._integer[int(u)][int(o)] for u, o in zip(self._units, self._options, strict=True)]
                mine = np.flatnonzero((self._units == unit) & np.asarray(marked, bool))
                columns = np.append(mine, self._count + place)
                made.add(columns, np.append(-np.ones(len(mine)), 1.0), -np.inf, 0.0)
        return made


def _typical(problem: Problem, objective: Quantity) -> float:
    """Between the least and the most that an objective can be, on a logarithmic scale."""
    table = problem.tables[objective]
    least = np.where(problem.present, table, np.inf).min(axis=1).sum()
    most = np.where(problem.present, table, -np.inf).max(axis=1).sum()
    middle = float(np.sqrt(max(least, 0.0) * max(most, 0.0)))
    return middle or float(most) or 1.0


def worthwhile(problem: Problem, quantities: set[Quantity]) -> Array:
    """Options that no other option of the unit beats (or equals, the first of them) in everything that counts."""
    kept = problem.present.copy()
    tables = [problem.tables[name] for name in quantities if name in problem.tables]
    width = kept.shape[1]
    for mine in range(width):
        for other in range(width):
            if mine == other:
                continue
            beaten = np.logical_and.reduce([table[:, other] <= table[:, mine] for table in tables])
            same = np.logical_and.reduce([table[:, other] == table[:, mine] for table in tables])
            kept[:, mine] &= ~(beaten & problem.present[:, other] & (~same | (other < mine)))
    return np.asarray(kept)


class _Rows:
    """Rows of a sparse matrix, as they are added."""

    def __init__(self, width: int) -> None:
        self.low: list[float] = []
        self.high: list[float] = []
        self._width = width
        self._rows: list[Array] = []
        self._columns: list[Array] = []
        self._values: list[Array] = []

    def add(self, columns: Array, values: Array, low: float, high: float) -> None:
        """One more row."""
        self._rows.append(np.full(len(columns), len(self.low)))
        self._columns.append(columns)
        self._values.append(values)
        self.low.append(low)
        self.high.append(high)

    def matrix(self) -> Any:
        """All rows, sparse."""
        from scipy.sparse import csr_array

        entries = np.concatenate(self._values), (np.concatenate(self._rows), np.concatenate(self._columns))
        return csr_array(entries, shape=(len(self.low), self._width))
