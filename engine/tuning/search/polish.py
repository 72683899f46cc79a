"""The last step of a search: other plans close by, measured, as long as that helps.

A solver finds the least sum of predicted damages, and predictions are off by a decibel. So what comes close by
prediction is measured too: uniform plans, which need no prediction; solutions with damages of less contrast, as noise
saturates; then exchanges of one or two kernels, the least harmful by prediction first. On a real detection network this
wins 0.7 dB at the same size.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from engine.progress import CancelToken
from engine.tuning.search.problem import Problem
from engine.tuning.search.rounding import Exchange

CONTRASTS = (0.85, 0.7, 0.5)
"""Powers of the damages that are solved for besides the plain ones."""
_LOOK_AHEAD = 64
"""Exchanges that are listed at a time."""
Move = tuple[tuple[int, int], ...]
"""Units with their new options."""


def with_contrast(problem: Problem, power: float) -> Problem:
    """The same problem with the damages of each option raised to a power."""
    with np.errstate(invalid="ignore"):
        return replace(problem, tables={**problem.tables, "damage": problem.tables["damage"] ** power})


def exchanges(work: Exchange, choice: Sequence[int]) -> Iterator[Move]:
    """Changes of one or two units that keep the additive limits, the least predicted damage first."""
    now = np.asarray(choice, np.intp)
    costs, goal = work.changes(now)
    room = work.room(now)
    units, options = np.nonzero(work.present)
    flat, gain = costs[:, units, options], goal[units, options]
    better = np.flatnonzero((gain < 0) & (options != now[units]))
    fits = (flat[:, better] <= room[:, None]).all(axis=0)
    found: list[tuple[float, Move]] = [
        (float(gain[at]), ((int(units[at]), int(options[at])),)) for at in better[fits]
    ]  # fmt: skip
    payers = np.flatnonzero((flat < 0).any(axis=0))
    if better.size and payers.size:
        total = gain[better][:, None] + gain[payers][None]
        allowed = units[better][:, None] != units[payers][None]
        for limit, left in zip(flat, room, strict=True):
            allowed &= limit[better][:, None] + limit[payers][None] <= left
        worth = np.where(allowed, total, np.inf).ravel()
        count = min(_LOOK_AHEAD, int(allowed.sum()))
        for at in np.argpartition(worth, count - 1)[:count] if count else ():
            first, second = better[at // len(payers)], payers[at % len(payers)]
            pair = (int(units[first]), int(options[first])), (int(units[second]), int(options[second]))
            found.append((float(worth[at]), pair))
    yield from (move for _, move in sorted(found))


def polished(
    problem: Problem,
    work: Exchange,
    choice: Sequence[int],
    damage: float,
    measure: Callable[[Sequence[int]], float | None],
    *,
    trials: int,
    seconds: float,
    told: Callable[[int], None],
    cancel: CancelToken,
) -> tuple[list[int], float]:
    """Exchange as long as measurements get better.

    Args:
        problem: Units and options.
        work: Their tables and limits.
        choice: Where to begin.
        damage: Measured of it.
        measure: Damage of a choice; None if it breaks a limit that does not add up.
        trials: At most so many measurements.
        seconds: None is begun after that time.
        told: How many have been made.
        cancel: Checked before each.

    Returns:
        The best choice, and its damage.

    Raises:
        Cancelled: If asked to stop.
    """
    best, least, until = list(choice), damage, time.monotonic() + seconds
    tried: set[tuple[int, ...]] = {tuple(best)}
    made = 0
    while True:
        better = False
        for move in exchanges(work, best):
            cancel.check()
            if made >= trials or time.monotonic() > until:
                return best, least
            new = list(best)
            for unit, option in move:
                new[unit] = option
            if tuple(new) in tried:
                continue
            tried.add(tuple(new))
            found = measure(new)
            if found is None:
                continue
            made += 1
            told(made)
            if found < least:
                best, least, better = new, found, True
                break
        if not better:
            return best, least
