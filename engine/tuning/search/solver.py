"""The choice with the least of one quantity under limits on the others, as an integer program (SciPy's HiGHS).

The linear relaxation of such a program splits no more units between options than there are limits. Trying all options
of those few units, and then every exchange of one or two, mostly ends within a percent or two of the relaxation's
bound; only where it doesn't, branch and bound goes on from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from engine.tuning.search.greedy import greedy
from engine.tuning.search.memory import MemoryRow, saved
from engine.tuning.search.problem import Problem, Quantity
from engine.tuning.search.program import Program
from engine.tuning.search.rounding import rounded

_GAP = 2e-2
"""Relative gap that is good enough: 0.1 dB of damage, below what predictions know."""


_SLACKS = 5e-3, 2e-2
"""How much further than split options a whole choice may overdraw limits that can't be kept: without some room nothing
but the overdraft would count."""


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
    """Solve to within two percent of the optimum.

    Where the limits can't all be kept, the choice that overdraws them least is found, and by how much.

    Args:
        problem: Units, options and tables.
        limits: Upper limits, constants included.
        objective: What is to be as small as possible.
        rows: Limits on live bytes at single kernels.
        integer: For those, whether an option reads INT8, [unit][option].
    """
    choice: Sequence[int] = ()
    if problem.units:
        choice = _choose(problem, limits, objective, rows, integer)
    overdrawn = {name: over for name, limit in limits.items() if (over := _over(problem, name, choice, limit))}
    return Answer(tuple(choice), overdrawn)


def _choose(
    problem: Problem,
    limits: Mapping[Quantity, float],
    objective: Quantity,
    rows: Sequence[MemoryRow],
    integer: Sequence[Sequence[bool]],
) -> Sequence[int]:
    program = Program(problem, limits, objective, rows, integer)
    found = _within(program, problem, limits, objective, bool(rows))
    if found is None and not rows:
        found = _nearly(program, problem, limits, objective)
    if found is not None:
        return found
    nearest = program.elastic()
    if nearest is None:
        return greedy(problem, limits, objective)
    # As far beyond the limits as need be, the objective counts again.
    wider = {name: max(limit, problem.total(name, nearest)) for name, limit in limits.items()}
    eased = [replace(row, needed=min(row.needed, saved(row, nearest, integer))) for row in rows]
    found = _within(Program(problem, wider, objective, eased, integer), problem, wider, objective, bool(rows))
    return nearest if found is None else found


def _nearly(
    program: Program, problem: Problem, limits: Mapping[Quantity, float], objective: Quantity
) -> Sequence[int] | None:
    """The best choice among those that overdraw the limits by hardly more than need be."""
    over = program.least_overdraft()
    for slack in _SLACKS if over is not None else ():
        assert over is not None
        wider = {name: limit * (1 + over.get(name, 0.0)) * (1 + slack) for name, limit in limits.items()}
        relaxed = Program(problem, wider, objective, (), ()).relaxation()
        found = None if relaxed is None else rounded(problem, wider, objective, relaxed.shares)[0]
        if found is not None:
            return found
    return None


def _within(
    program: Program, problem: Problem, limits: Mapping[Quantity, float], objective: Quantity, memory: bool
) -> Sequence[int] | None:
    """The best choice that keeps the limits; None if there is none."""
    relaxed = program.relaxation()
    if relaxed is None:
        return None
    if not memory:
        found, value = rounded(problem, limits, objective, relaxed.shares)
        bound = relaxed.value * (1 + _GAP)
        if found is not None and value - problem.constants.get(objective, 0.0) <= bound:
            return found
    return program.branch_and_bound()


def _over(problem: Problem, quantity: Quantity, choice: Sequence[int], limit: float) -> float:
    """How far a total lies beyond a limit, as a fraction; 0 if it doesn't."""
    total = problem.total(quantity, choice)
    if total <= limit * (1 + 1e-6):  # the solver's own tolerance
        return 0.0
    return total / limit - 1 if limit > 0 else inf
