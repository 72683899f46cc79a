"""The integer program of a search, as matrices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from engine.graph.types import Array
from engine.tuning.search.branching import Relaxed, Whole, branch_and_bound
from engine.tuning.search.memory import MemoryRow, saved
from engine.tuning.search.problem import Problem, Quantity
from engine.tuning.search.rounding import rounded

_SECONDS = 2.0
_GAP = 5e-3
_TOLERANCE = 1e-6
"""Of limits, as the solver's own."""
_SCALE = 1e3
"""Objectives are scaled so that a middling answer is worth this much: HiGHS's own tolerances are absolute."""
_OVERDRAFT = 1e-4
"""Overdrafts are counted in whole ten-thousandths of a limit."""


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
        self._problem, self._limits, self._objective = problem, limits, objective
        present = problem.present if rows else worthwhile(problem, {objective, *limits})
        self._units, self._options = np.nonzero(present)
        self._savings = [(at, saving) for at, row in enumerate(rows) for saving in row.savings]
        self._memory, self._integer = rows, integer
        self._bounded = [name for name in limits if name in problem.tables]
        self._count = len(self._units)
        self._made: dict[bool, Any] = {}
        """Constraints, without and with overdrafts."""
        table = problem.tables[objective][self._units, self._options]
        self._worth = _typical(problem, objective)
        self._goal = np.concatenate([table / self._worth * _SCALE, np.zeros(len(self._savings))])

    def relaxation(self) -> Relaxed | None:
        """Options in fractions; None if not even those keep the limits."""
        return self._relaxed(self._goal, False, None, self._worth / _SCALE)

    def branch_and_bound(self) -> tuple[int, ...] | None:
        """The best choice; None if none keeps the limits (or none was found in time)."""
        return branch_and_bound(
            lambda allowed: self._relaxed(self._goal, False, allowed, self._worth / _SCALE), self._settled,
            self._allowed(), gap=_GAP, slack=self._worth * _TOLERANCE / _SCALE, seconds=_SECONDS,
        )  # fmt: skip

    def least_overdraft(self) -> dict[Quantity, float] | None:
        """By how much the limits must give way at least, as fractions, if options could be split."""
        found = self._run(self._overdraft(), True, None)
        if found is None:
            return None
        over = found[len(self._goal) : len(self._goal) + len(self._bounded)] * _OVERDRAFT
        return {name: float(each) for name, each in zip(self._bounded, over, strict=True)}

    def elastic(self) -> tuple[int, ...] | None:
        """A choice that overdraws limits least, whatever the objective."""
        goal = self._overdraft()
        return branch_and_bound(
            lambda allowed: self._relaxed(goal, True, allowed, 1.0),
            lambda shares: [Whole(choice, self._overdrawn(choice)) for choice in [_largest(shares)]],
            self._allowed(), gap=_GAP, slack=_TOLERANCE / _OVERDRAFT, seconds=_SECONDS,
        )  # fmt: skip

    def _allowed(self) -> Array:
        made = np.zeros(self._problem.present.shape, bool)
        made[self._units, self._options] = True
        return made

    def _overdraft(self) -> Array:
        return np.concatenate([np.zeros(len(self._goal)), np.ones(len(self._bounded) + len(self._memory))])

    def _settled(self, shares: Array) -> Iterator[Whole]:
        """Whole choices near shares that keep all limits."""
        found = [_largest(shares)]
        if not self._memory:
            near = rounded(self._problem, self._limits, self._objective, shares)[0]
            found += [] if near is None else [near]
        constant = self._problem.constants.get(self._objective, 0.0)
        for choice in found:
            if self._overdrawn(choice) <= _TOLERANCE / _OVERDRAFT:
                yield Whole(choice, self._problem.total(self._objective, choice) - constant)

    def _overdrawn(self, choice: Sequence[int]) -> float:
        """By how much a choice breaks the limits in all, as `elastic` counts it."""
        over = 0.0
        for name in self._bounded:
            limit = self._limits[name]
            over += max(0.0, self._problem.total(name, choice) - limit) / max(abs(limit), 1e-30)
        for row in self._memory:
            over += max(0.0, row.needed - saved(row, choice, self._integer)) / max(abs(row.needed), 1.0)
        return over / _OVERDRAFT

    def _relaxed(self, goal: Array, overdraft: bool, allowed: Array | None, scale: float) -> Relaxed | None:
        found = self._run(goal, overdraft, allowed)
        if found is None:
            return None
        shares = np.zeros(self._problem.present.shape)
        shares[self._units, self._options] = found[: self._count]
        return Relaxed(shares, float(goal @ found) * scale)

    def _run(self, goal: Array, overdraft: bool, allowed: Array | None) -> Array | None:
        """All columns of the relaxation, no column whole: HiGHS's branch and bound prints to standard output."""
        from scipy.optimize import Bounds, LinearConstraint, milp  # half a second that only a search should pay

        rows = self._made.get(overdraft)
        if rows is None:
            made = self._rows(len(goal), overdraft)
            rows = self._made[overdraft] = LinearConstraint(made.matrix(), made.low, made.high)
        upper = np.ones(len(goal))
        upper[self._count + len(self._savings) :] = np.inf
        if allowed is not None:
            upper[: self._count] = allowed[self._units, self._options]
        found: Any = milp(
            goal,
            constraints=rows,
            bounds=Bounds(0, upper),
            options={"time_limit": _SECONDS},
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


def _largest(shares: Array) -> tuple[int, ...]:
    return tuple(int(option) for option in np.argmax(shares, axis=1))


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
