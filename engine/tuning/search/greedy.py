"""Step by step: the cheapest way to give up a little more, until all limits are kept. Within a few ms of any size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine.graph.types import Array
from engine.tuning.search.problem import Problem, Quantity


def greedy(problem: Problem, limits: Mapping[Quantity, float], objective: Quantity) -> list[int]:
    """Begin with the best of everything; while a limit is overdrawn, take the step that helps most for its price.

    Args:
        problem: Units, options and tables.
        limits: Upper limits, constants included.
        objective: What is to be as small as possible.

    Returns:
        Option by unit. Limits may still be overdrawn when no step helps any more.
    """
    rows = np.arange(len(problem.units))
    price = problem.tables[objective]
    choice = np.argmin(price, axis=1) if len(rows) else np.zeros(0, np.intp)
    bounded = [name for name in limits if name in problem.tables and name != objective]
    for _ in range(len(rows) * (price.shape[1] if price.ndim > 1 else 0)):
        help_ = np.zeros(price.shape)
        for name in bounded:
            table, limit = problem.tables[name], limits[name]
            excess = problem.total(name, choice) - limit
            if excess <= 0:
                continue
            with np.errstate(invalid="ignore"):
                relief = np.minimum(table[rows, choice][:, None] - table, excess)
            help_ += np.where(problem.present, relief, -np.inf) / max(abs(limit), 1e-30)
        with np.errstate(invalid="ignore", divide="ignore"):
            extra = price - price[rows, choice][:, None]
            worth = np.where(help_ > 1e-12, help_ / np.maximum(extra, 1e-30), -np.inf)
        if not np.isfinite(worth).any():
            break
        unit, option = np.unravel_index(int(np.argmax(worth)), worth.shape)
        choice[unit] = option
    return [int(option) for option in choice]


@dataclass(frozen=True, eq=False, slots=True)
class Ladder:
    """All choices that some price of one quantity in terms of the other makes best, from precise to cheap.

    Each step changes one unit by one option along the lower hull of its options, so neighbours differ in one unit, and
    a live slider or a whole Pareto curve only has to look them up.
    """

    steps: tuple[tuple[int, int], ...]
    """(unit, new option) of each step."""
    start: tuple[int, ...]
    cost: Array
    """Of each choice, [steps + 1], falling."""
    damage: Array
    """Likewise, rising."""

    def choice(self, position: int) -> list[int]:
        """The choice after so many steps."""
        made = list(self.start)
        for unit, option in self.steps[:position]:
            made[unit] = option
        return made

    def within(self, limit: float) -> int:
        """The most precise position whose cost keeps a limit; the last one if none does."""
        fits = np.flatnonzero(self.cost <= limit * (1 + 1e-12))
        return int(fits[0]) if fits.size else len(self.steps)

    def spread(self, count: int) -> list[int]:
        """At most so many positions, evenly spaced in cost from end to end."""
        if count <= 0 or not len(self.cost):
            return []
        wanted = np.linspace(self.cost[0], self.cost[-1], count)
        places = np.searchsorted(-self.cost, -wanted)
        return sorted({int(min(place, len(self.steps))) for place in places})


def ladder(problem: Problem, cost: Quantity, against: Quantity = "damage") -> Ladder:
    """Sort the hull steps of all units by what they cost in damage for what they save."""
    prices, harms = problem.tables[cost], problem.tables[against]
    start: list[int] = []
    slopes: list[tuple[float, int, int, int]] = []
    for unit in range(len(problem.units)):
        hull = lower_hull(prices[unit], harms[unit])
        start.append(hull[0])
        for number, (before, after) in enumerate(pairwise(hull)):
            saved = prices[unit, before] - prices[unit, after]
            slopes.append(((harms[unit, after] - harms[unit, before]) / saved, number, unit, after))
    slopes.sort()
    totals = [(problem.total(cost, start), problem.total(against, start))]
    now = list(start)
    for _, _, unit, option in slopes:
        before = now[unit]
        totals.append((
            totals[-1][0] + prices[unit, option] - prices[unit, before],
            totals[-1][1] + harms[unit, option] - harms[unit, before],
        ))  # fmt: skip
        now[unit] = option
    steps = tuple((unit, option) for _, _, unit, option in slopes)
    return Ladder(steps, tuple(start), np.asarray([t[0] for t in totals]), np.asarray([t[1] for t in totals]))


def lower_hull(cost: Sequence[float] | Array, damage: Sequence[float] | Array) -> list[int]:
    """Options on the lower left hull, from least damage to least cost."""
    order = sorted(
        (at for at in range(len(cost)) if np.isfinite(cost[at])), key=lambda at: (damage[at], cost[at])
    )  # fmt: skip
    hull: list[int] = []
    for at in order:
        if hull and cost[at] >= cost[hull[-1]]:
            continue
        while len(hull) > 1 and _slope(hull[-2], hull[-1], cost, damage) >= _slope(hull[-1], at, cost, damage):
            hull.pop()
        hull.append(at)
    return hull


def _slope(a: int, b: int, cost: Sequence[float] | Array, damage: Sequence[float] | Array) -> float:
    return float((damage[b] - damage[a]) / (cost[a] - cost[b]))
