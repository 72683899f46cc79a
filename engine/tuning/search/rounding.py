"""From fractions of options to whole ones: split units in all combinations, then exchanges as long as they help."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np

from engine.graph.types import Array
from engine.tuning.search.problem import Problem, Quantity

_COMBINATIONS = 4096
_EXCHANGES = 60
_TOLERANCE = 1e-9


def rounded(
    problem: Problem,
    limits: Mapping[Quantity, float],
    objective: Quantity,
    shares: Array,
) -> tuple[tuple[int, ...] | None, float]:
    """A good whole choice near a fractional one.

    Args:
        problem: Units, options and tables.
        limits: Upper limits, constants included.
        objective: What is to be as small as possible.
        shares: Of each option in its unit, [unit, option].

    Returns:
        The choice (None if none near keeps the limits) and its objective, constants included.
    """
    work = Exchange(problem, limits, objective)
    settled = _settled(work, shares)
    if not work.fits(settled):
        return None, np.inf
    best = work.improved(settled)
    return tuple(int(option) for option in best), work.value(best)


class Exchange:
    """Exchanges of one or two options that keep the limits and lower the objective."""

    def __init__(self, problem: Problem, limits: Mapping[Quantity, float], objective: Quantity) -> None:
        names = [name for name in limits if name in problem.tables]
        self._problem, self._objective = problem, objective
        self._rows = np.arange(len(problem.units))
        self.present = problem.present
        self.tables = np.stack([problem.tables[name] for name in names] or [np.zeros(self.present.shape)])
        self._limits = np.asarray([limits[name] for name in names] or [np.inf])
        self._constants = np.asarray([problem.constants.get(name, 0.0) for name in names] or [0.0])
        self.goal = problem.tables[objective]

    def value(self, choice: Array) -> float:
        """The objective."""
        return self._problem.total(self._objective, choice)

    def room(self, choice: Array) -> Array:
        """What is left of each limit."""
        totals = self.tables[:, self._rows, choice].sum(axis=1) + self._constants
        return np.asarray(self._limits * (1 + _TOLERANCE) - totals)

    def fits(self, choice: Array | None) -> bool:
        """Whether all limits are kept."""
        return choice is not None and bool((self.room(choice) >= 0).all())

    def improved(self, choice: Array | None) -> Array:
        """Exchange until nothing helps any more."""
        assert choice is not None
        made = choice.copy()
        for _ in range(_EXCHANGES):
            step = self._best_one(made) or self._best_two(made)
            if step is None:
                break
            for unit, option in step:
                made[unit] = option
        return made

    def changes(self, choice: Array) -> tuple[Array, Array]:
        """What each single exchange does to the limits [limits, units, options] and to the objective."""
        with np.errstate(invalid="ignore"):
            costs = self.tables - self.tables[:, self._rows, choice][:, :, None]
            goal = self.goal - self.goal[self._rows, choice][:, None]
        return costs, np.where(self.present, goal, np.inf)

    def _best_one(self, choice: Array) -> list[tuple[int, int]] | None:
        costs, goal = self.changes(choice)
        with np.errstate(invalid="ignore"):
            allowed = (costs <= self.room(choice)[:, None, None]).all(axis=0)
        worth = np.where(allowed, goal, np.inf)
        at = int(np.argmin(worth))
        if not worth.flat[at] < -_TOLERANCE * abs(self.value(choice)):
            return None
        unit, option = np.unravel_index(at, worth.shape)
        return [(int(unit), int(option))]

    def _best_two(self, choice: Array) -> list[tuple[int, int]] | None:
        """One unit gets better and another pays for it."""
        costs, goal = self.changes(choice)
        units, options = np.nonzero(self.present)
        flat, gain = costs[:, units, options], goal[units, options]
        better, payers = np.flatnonzero(gain < 0), np.flatnonzero((flat < 0).any(axis=0))
        if not better.size or not payers.size:
            return None
        total = gain[better][:, None] + gain[payers][None]
        allowed = units[better][:, None] != units[payers][None]
        for limit, left in zip(flat, self.room(choice), strict=True):
            allowed &= limit[better][:, None] + limit[payers][None] <= left
        worth = np.where(allowed, total, np.inf)
        at = int(np.argmin(worth))
        if not worth.flat[at] < -_TOLERANCE * abs(self.value(choice)):
            return None
        first, second = (int(place) for place in np.unravel_index(at, worth.shape))
        pair = better[first], payers[second]
        return [(int(units[place]), int(options[place])) for place in pair]


def _settled(work: Exchange, shares: Array) -> Array | None:
    """The best combination of options for split units, the others as the relaxation has them."""
    choice = np.asarray(np.argmax(shares, axis=1))
    split = np.flatnonzero(shares.max(axis=1) < 1 - 1e-6)
    if not split.size:
        return choice
    offered = [np.flatnonzero(work.present[unit]) for unit in split]
    if np.prod([len(each) for each in offered], dtype=float) > _COMBINATIONS:
        offered = [np.flatnonzero(shares[unit] > 1e-9) for unit in split]
        if np.prod([len(each) for each in offered], dtype=float) > _COMBINATIONS:
            return None
    combinations = np.asarray(list(product(*offered)), np.intp)
    costs = work.tables[:, split[None], combinations].sum(axis=2)
    now = work.tables[:, split, choice[split]].sum(axis=1)
    fits = (costs - now[:, None] <= work.room(choice)[:, None]).all(axis=0)
    if not fits.any():
        return None
    goal = np.where(fits, work.goal[split[None], combinations].sum(axis=1), np.inf)
    choice[split] = combinations[int(np.argmin(goal))]
    return choice
