"""Placing buffers with known lifetimes at addresses so that the highest address is as low as possible."""

from __future__ import annotations

import random
from bisect import insort
from collections.abc import Iterator, Sequence
from typing import NamedTuple

ALIGNMENT = 512
"""Every address and size is a multiple of this many bytes."""
CLIMB_STEPS = 200
CLIMB_WORK = 12_000
"""Steps times buffers of a hill climb: a large network must not wait for its memory plan."""
CLIMB_FROM = 1.02
"""A hill climb starts only if the best order is more than this factor above the lower bound."""


class Life(NamedTuple):
    """A buffer before it has an address: alive in steps first..last, both included."""

    nbytes: int
    first: int
    last: int


class Placed(NamedTuple):
    """Addresses of all buffers, the highest address in use, and the largest live set."""

    offsets: tuple[int, ...]
    peak: int
    lower_bound: int


def place(lives: Sequence[Life]) -> Placed:
    """Find addresses.

    Several orders with best-fit gaps; the first that meets the lower bound wins. If none comes close, a short hill
    climb swaps buffers at the peak with others in its way. Deterministic.

    Args:
        lives: Buffers; sizes are rounded up to the alignment.
    """
    sizes = [-(-life.nbytes // ALIGNMENT) * ALIGNMENT for life in lives]
    bound = max(live_bytes(sizes, lives), default=0)
    rivals = overlaps(lives)
    best: tuple[int, list[int], list[int]] | None = None
    for order in _orders(sizes, lives, rivals):
        offsets, peak = fit(sizes, rivals, order)
        if best is None or peak < best[0]:
            best = peak, offsets, order
        if peak == bound:
            break
    if best is None:
        return Placed((), 0, 0)
    if best[0] > bound * CLIMB_FROM:
        best = _climb(sizes, rivals, best, bound)
    return Placed(tuple(best[1]), best[0], bound)


def live_bytes(sizes: Sequence[int], lives: Sequence[Life]) -> list[int]:
    """Bytes alive at each step."""
    steps = max((life.last for life in lives), default=-1) + 1
    change = [0] * (steps + 1)
    for size, life in zip(sizes, lives, strict=True):
        change[life.first] += size
        change[life.last + 1] -= size
    total, live = 0, []
    for step in range(steps):
        total += change[step]
        live.append(total)
    return live


def overlaps(lives: Sequence[Life]) -> list[list[int]]:
    """For each buffer, those that are alive at the same time."""
    rivals: list[list[int]] = [[] for _ in lives]
    active: list[int] = []
    for index in sorted(range(len(lives)), key=lambda i: lives[i].first):
        first = lives[index].first
        active = [other for other in active if lives[other].last >= first]
        for other in active:
            rivals[index].append(other)
            rivals[other].append(index)
        active.append(index)
    return rivals


def fit(sizes: Sequence[int], rivals: Sequence[Sequence[int]], order: Sequence[int]) -> tuple[list[int], int]:
    """Place buffers in an order, each into the smallest gap between its rivals that holds it."""
    offsets = [-1] * len(sizes)
    peak = 0
    for index in order:
        size = sizes[index]
        taken: list[tuple[int, int]] = []
        for other in rivals[index]:
            if offsets[other] >= 0:
                insort(taken, (offsets[other], offsets[other] + sizes[other]))
        top, chosen, gap = 0, -1, 0
        for low, high in taken:
            if low - top >= size and (chosen < 0 or low - top < gap):
                chosen, gap = top, low - top
            top = max(top, high)
        offsets[index] = chosen if chosen >= 0 else top
        peak = max(peak, offsets[index] + size)
    return offsets, peak


def _orders(sizes: Sequence[int], lives: Sequence[Life], rivals: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    indices = range(len(sizes))
    yield sorted(indices, key=lambda i: (-sizes[i], lives[i].first, i))
    yield _by_breadth(sizes, lives)
    yield sorted(indices, key=lambda i: (-sizes[i] * (lives[i].last - lives[i].first + 1), lives[i].first, i))
    yield sorted(indices, key=lambda i: (lives[i].first - lives[i].last, -sizes[i], i))
    yield sorted(indices, key=lambda i: (-sum(sizes[j] for j in rivals[i]), -sizes[i], i))
    yield sorted(indices, key=lambda i: (lives[i].first, -sizes[i], i))
    yield sorted(indices, key=lambda i: (-lives[i].last, -sizes[i], i))


def _by_breadth(sizes: Sequence[int], lives: Sequence[Life]) -> list[int]:
    """The fullest step first, its largest buffer first."""
    live = live_bytes(sizes, lives)
    alive: list[list[int]] = [[] for _ in live]
    for index, life in enumerate(lives):
        for step in range(life.first, life.last + 1):
            alive[step].append(index)
    order: dict[int, None] = {}
    for step in sorted(range(len(live)), key=lambda s: -live[s]):
        for index in sorted(alive[step], key=lambda i: (-sizes[i], i)):
            order.setdefault(index)
    return list(order)


def _climb(
    sizes: Sequence[int], rivals: Sequence[Sequence[int]], best: tuple[int, list[int], list[int]], bound: int
) -> tuple[int, list[int], list[int]]:
    draw = random.Random(0)
    current = best
    for _ in range(min(CLIMB_STEPS, CLIMB_WORK // len(sizes))):
        peak, offsets, order = current
        if best[0] == bound:
            break
        position = {index: place for place, index in enumerate(order)}
        top = draw.choice([i for i in range(len(sizes)) if offsets[i] + sizes[i] == peak])
        ahead = [j for j in rivals[top] if position[j] < position[top]] or list(range(len(sizes)))
        other = draw.choice(ahead)
        changed = list(order)
        changed[position[top]], changed[position[other]] = changed[position[other]], changed[position[top]]
        found, height = fit(sizes, rivals, changed)
        if height <= peak:
            current = height, found, changed
        if height < best[0]:
            best = height, found, changed
    return best
