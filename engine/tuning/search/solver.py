"""The choice with the least of one quantity under limits on the others, as an integer program (SciPy's HiGHS)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.graph.types import Array
from engine.tuning.search.greedy import greedy
from engine.tuning.search.memory import MemoryRow
from engine.tuning.search.problem import Problem, Quantity

_SECONDS = 2.0
_GAP = 5e-3
"""Relative gap at which the solver may stop: 0.02 dB of damage, far below what predictions know."""
_SCALE = 1e3
"""Objectives are scaled so that the greedy answer is worth this much: HiGHS's own tolerances are absolute."""
_OVERDRAFT_WEIGHT = 1e3
"""How much more an overdrawn budget weighs than the objective, when not all can be kept."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the solver found."""

    choice: tuple[int, ...]
    """Option by unit."""
    overdrawn: Mapping[Quantity, float] = field(default_factory=dict)
    """Limits that can't be kept -> how far beyond them the nearest choice is, as a fraction of the limit."""


def solve(
    problem: Problem,
    limits: Mapping[Quantity, float],
    objective: Quantity,
    rows: Sequence[MemoryRow] = (),
    integer: Sequence[Sequence[bool]] = (),
) -> Answer:
    """Solve to within half a percent of the optimum.

    Where the limits can't all be kept, the choice that overdraws them least is found, and by how much.

    Args:
        problem: Units, options and tables.
        limits: Upper limits, constants included.
        objective: What is to be as small as possible.
        rows: Limits on live bytes at single kernels.
        integer: For those, whether an option reads INT8, [unit][option].
    """
    if not problem.units:
        return Answer((), {name: over for name, limit in limits.items() if (over := _over(problem, name, (), limit))})
    start = greedy(problem, limits, objective)
    found = _program(problem, limits, objective, rows, integer, start, elastic=False)
    if found is None:
        found = _program(problem, limits, objective, rows, integer, start, elastic=True)
    choice = tuple(start) if found is None else found
    overdrawn = {name: over for name, limit in limits.items() if (over := _over(problem, name, choice, limit))}
    return Answer(choice, overdrawn)


def _over(problem: Problem, quantity: Quantity, choice: Sequence[int], limit: float) -> float:
    """How far a total lies beyond a limit, as a fraction; 0 if it doesn't."""
    total = problem.total(quantity, choice)
    if total <= limit * (1 + 1e-9):
        return 0.0
    return total / limit - 1 if limit > 0 else float("inf")


def _program(
    problem: Problem,
    limits: Mapping[Quantity, float],
    objective: Quantity,
    rows: Sequence[MemoryRow],
    integer: Sequence[Sequence[bool]],
    start: Sequence[int],
    *,
    elastic: bool,
) -> tuple[int, ...] | None:
    """Columns: one per option, one per saving of a memory row, and (elastic) one overdraft per limit."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # half a second that only a search should pay
    from scipy.sparse import csr_array

    units, options = np.nonzero(problem.present if rows else _worthwhile(problem, {objective, *limits}))
    count = len(units)
    savings = [(at, saving) for at, row in enumerate(rows) for saving in row.savings]
    bounded = [name for name in limits if name in problem.tables]
    width = count + len(savings) + (len(bounded) + len(rows) if elastic else 0)
    table = problem.tables[objective][units, options]
    goal = np.zeros(width)
    worth = abs(problem.total(objective, start) - problem.constants.get(objective, 0.0)) or float(table.max()) or 1.0
    goal[:count] = table / worth * _SCALE
    goal[count + len(savings) :] = _SCALE * _OVERDRAFT_WEIGHT
    built = _Rows(width)
    for unit in range(len(problem.units)):
        built.add(np.flatnonzero(units == unit), np.ones(int((units == unit).sum())), 1.0, 1.0)
    for at, name in enumerate(bounded):
        room = limits[name] - problem.constants.get(name, 0.0)
        scale = max(abs(limits[name]), 1e-30)
        columns = np.arange(count)
        values = problem.tables[name][units, options] / scale
        if elastic:
            columns, values = np.append(columns, count + len(savings) + at), np.append(values, -1.0)
        built.add(columns, values, -np.inf, room / scale)
    for at, row in enumerate(rows):
        mine = np.asarray([place for place, (owner, _) in enumerate(savings) if owner == at], np.intp)
        scale = max(abs(row.needed), 1.0)
        columns, values = count + mine, np.asarray([savings[place][1][0] for place in mine]) / scale
        if elastic:
            columns = np.append(columns, count + len(savings) + len(bounded) + at)
            values = np.append(values, 1.0)
        built.add(columns, values, row.needed / scale, np.inf)
    for place, (_, (_, deciding)) in enumerate(savings):
        for unit in deciding:  # saved only if the unit reads INT8
            mine = np.flatnonzero((units == unit) & _marked(units, options, integer))
            built.add(np.append(mine, count + place), np.append(-np.ones(len(mine)), 1.0), -np.inf, 0.0)
    whole = np.zeros(width)
    whole[: count + len(savings)] = 1
    upper = np.ones(width)
    upper[count + len(savings) :] = np.inf
    matrix = csr_array((built.values, (built.rows, built.columns)), shape=(len(built.low), width))
    found = milp(
        goal,
        constraints=LinearConstraint(matrix, built.low, built.high),
        integrality=whole,
        bounds=Bounds(0, upper),
        options={"time_limit": _SECONDS, "mip_rel_gap": _GAP},
    )
    if found.x is None:
        return None
    chosen = np.flatnonzero(found.x[:count] > 0.5)
    picked = np.zeros(len(problem.units), np.intp)
    picked[units[chosen]] = options[chosen]
    return tuple(int(option) for option in picked)


def _worthwhile(problem: Problem, quantities: set[Quantity]) -> Array:
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


def _marked(units: Array, options: Array, integer: Sequence[Sequence[bool]]) -> Array:
    return np.asarray([integer[unit][option] for unit, option in zip(units, options, strict=True)], bool)


class _Rows:
    """Rows of a sparse matrix, as they are added."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.low: list[float] = []
        self.high: list[float] = []
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

    @property
    def rows(self) -> Array:
        """Row of each entry."""
        return np.concatenate(self._rows)

    @property
    def columns(self) -> Array:
        """Column of each entry."""
        return np.concatenate(self._columns)

    @property
    def values(self) -> Array:
        """Value of each entry."""
        return np.concatenate(self._values)
