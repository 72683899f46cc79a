"""The choice with the least of one quantity under limits on the others, as an integer program (SciPy's HiGHS).

The linear relaxation of such a program splits no more units between options than there are limits. Trying all options
of those few units, and then every exchange of one or two, mostly ends within a percent of the relaxation's bound; only
where it doesn't, the integer program is solved by branch and bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from engine.tuning.search.greedy import greedy
from engine.tuning.search.memory import MemoryRow
from engine.tuning.search.problem import Problem, Quantity
from engine.tuning.search.program import Program
from engine.tuning.search.rounding import rounded

_GAP = 1e-2
"""Relative gap that is good enough: 0.04 dB of damage, far below what predictions know."""


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
    """Solve to within one percent of the optimum.

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
    start = greedy(problem, limits, objective)
    program = Program(problem, limits, objective, rows, integer, start)
    relaxed = program.relaxation()
    if relaxed is not None and not rows:
        found, value = rounded(problem, limits, objective, relaxed.shares, start)
        bound = relaxed.value * (1 + _GAP)
        if found is not None and value - problem.constants.get(objective, 0.0) <= bound:
            return found
    exact = None if relaxed is None else program.branch_and_bound()
    if exact is None:
        exact = program.elastic()
    return start if exact is None else exact


def _over(problem: Problem, quantity: Quantity, choice: Sequence[int], limit: float) -> float:
    """How far a total lies beyond a limit, as a fraction; 0 if it doesn't."""
    total = problem.total(quantity, choice)
    if total <= limit * (1 + 1e-6):  # the solver's own tolerance
        return 0.0
    return total / limit - 1 if limit > 0 else inf
