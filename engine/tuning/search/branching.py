"""Branch and bound over linear relaxations: the best whole choice where rounding one relaxation isn't near enough.

HiGHS solves the relaxations. Its own branch and bound prints a message to standard output that no option turns off,
which a command whose standard output is JSON can't have; and a relaxation of a search splits few units, so few nodes
are needed.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from engine.graph.types import Array

_WHOLE = 1e-6
_PATIENCE = 3
"""Times the allowed time until the search ends even with nothing found."""


class Relaxed(NamedTuple):
    """Solution of a linear relaxation."""

    shares: Array
    """Of each option in its unit, [unit, option]."""
    value: float
    """The objective without constants: no choice is better."""


class Whole(NamedTuple):
    """A choice that keeps the limits."""

    choice: tuple[int, ...]
    value: float
    """Its objective, on the scale of `Relaxed.value`."""


def branch_and_bound(
    relax: Callable[[Array], Relaxed | None],
    settle: Callable[[Array], Iterable[Whole]],
    allowed: Array,
    *,
    gap: float,
    slack: float,
    seconds: float,
) -> tuple[int, ...] | None:
    """The best choice within a gap; None if there is none, or none was found in time.

    Args:
        relax: Solves the relaxation for the options that are allowed, [unit, option]; None if none keeps the limits.
        settle: Makes whole choices near shares.
        allowed: Options to begin with, [unit, option].
        gap: How much worse than the optimum the answer may be, as a fraction.
        slack: The same, absolute.
        seconds: No node is begun after that time once a choice is known.
    """
    started = time.monotonic()
    best: Whole | None = None
    number = itertools.count()  # of equal bounds the later, deeper node first
    start = relax(allowed)
    heap = [] if start is None else [(start.value, 0, start.shares, allowed)]
    while heap:
        bound, _, shares, mask = heapq.heappop(heap)
        spent = time.monotonic() - started
        if best is not None and (bound >= best.value - gap * abs(best.value) - slack or spent > seconds):
            break
        if spent > _PATIENCE * seconds:
            break
        for found in settle(shares):
            if best is None or found.value < best.value:
                best = found
        split = _most_split(shares)
        if split is None:
            continue
        unit, option = split
        only, others = mask.copy(), mask.copy()
        only[unit] = False
        only[unit, option] = True
        others[unit, option] = False
        for child in (only, others):
            below = relax(child) if child[unit].any() else None
            if below is not None:
                heapq.heappush(heap, (max(below.value, bound), -next(number), below.shares, child))
    return None if best is None else best.choice


def _most_split(shares: Array) -> tuple[int, int] | None:
    """The unit whose largest share is least, and that option; None if all units are whole."""
    largest = shares.max(axis=1)
    unit = int(np.argmin(largest))
    return None if largest[unit] > 1 - _WHOLE else (unit, int(np.argmax(shares[unit])))
