"""From products of gradients and errors to one number per cell.

A cell's error has independent parts: the rounded weight, the rounded activation, the rounded result, the rounded bias.
For each part and each probe two sums over its channels are kept: of the products and of their squares.

- by channel: sum over channels of product^2. Unbiased where errors of different channels are uncorrelated, which
  rounding errors of weight rows are, and far less noisy than the square of the sum.
- full: (sum of all products)^2. Unbiased for any error, but one draw of a chi-square with one degree of freedom.
- both: the sums by channel, corrected by what the full ones say as far as that is more than their own noise.
- unit vectors for probes: the plain squares add up to what is asked for, exactly to first order.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf, isfinite, log, log10, sqrt
from typing import TypeVar

import numpy as np

from engine.graph.types import Array

Key = TypeVar("Key", bound=Hashable)
DRAWS = 8
"""Random probes, over all samples, that a full sum needs before it says anything, and an estimate to rank well."""
_KERNELS = 3
"""Fewer don't tell how far their sums differ beyond noise."""


class Sums:
    """Sums of every part, by kernel, part and probe. Safe to fill from several threads."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, Hashable], dict[int, tuple[float, float]]] = {}
        self._lock = threading.Lock()

    def put(self, kernel: str, part: Hashable, item: int, products: Array) -> None:
        """Enter the products of one part for one probe, by channel."""
        values = np.asarray(products, np.float64).ravel()
        with np.errstate(over="ignore", invalid="ignore"):
            pair = float(values @ values), float(values.sum())
        with self._lock:
            self._found.setdefault((kernel, part), {})[item] = pair

    def share(self, source: tuple[str, Hashable], target: tuple[str, Hashable], item: int) -> None:
        """Enter what is known of a part for another one as well."""
        with self._lock:
            pair = self._found.get(source, {}).get(item)
            if pair is not None:
                self._found.setdefault(target, {})[item] = pair

    def has(self, kernel: str, part: Hashable, items: Iterable[int]) -> bool:
        """Whether a part is known for all these probes."""
        found = self._found.get((kernel, part), {})
        return all(item in found for item in items)

    def of(self, kernel: str, parts: Sequence[Hashable], items: Sequence[int]) -> tuple[list[float], list[float]]:
        """Sums by channel and plain squares of all parts together, per probe; parts that are not known add nothing."""
        known = [self._found[kernel, part] for part in parts if (kernel, part) in self._found]
        channel = [sum(part[item][0] for part in known if item in part) for item in items]
        full = [sum(part[item][1] for part in known if item in part) ** 2 for item in items]
        return channel, full


@dataclass(frozen=True, slots=True)
class Score:
    """A cell's estimate, summed over samples."""

    channel: float
    """By channel; the estimate itself where probes were unit vectors."""
    full: float
    noise: float
    """Variance of the logarithm of `full`, by how its draws differ; 0 with unit vectors, inf with too few draws."""
    spread_db: float
    """Standard error over samples."""


def score(channel: Sequence[float], full: Sequence[float], probes: int, unit: bool) -> Score:
    """Add up the sums of one cell.

    Args:
        channel: By sample, then by probe.
        full: As `channel`.
        probes: Per sample.
        unit: Whether the probes were unit vectors.
    """
    count = len(channel) // probes
    if unit:
        by_sample = [sum(full[at * probes : (at + 1) * probes]) for at in range(count)]
        return Score(sum(by_sample), sum(by_sample), 0.0, _spread(by_sample))
    by_channel = [sum(channel[at * probes : (at + 1) * probes]) / probes for at in range(count)]
    return Score(sum(by_channel), sum(full) / probes, _noise(full), _spread(by_channel))


def corrected(scores: Mapping[Key, Score]) -> dict[Key, float]:
    """Estimates of one scheme's cells: sums by channel, moved towards the full sums.

    The two differ by the noise of the full sum, which its draws tell, and by what channels have in common, which only
    the full sum sees. How large the latter is on this network is what is left of the mean square of
    log(full / channel) when the noise is taken off (empirical Bayes); each cell then moves by the share of its
    difference that is not noise. Where channels have nothing in common nothing moves, however many probes there are.
    """
    known = {k: s for k, s in scores.items() if s.channel > 0 and s.full > 0 and isfinite(s.channel * s.full)}
    moved = {key: each.channel for key, each in scores.items()}
    if len(known) < _KERNELS or not all(isfinite(each.noise) for each in known.values()):
        return moved
    apart = {key: log(each.full / each.channel) for key, each in known.items()}
    mean = sum(apart.values()) / len(apart)  # the level stays: it hardly matters to ranks, and measured plans tell it
    common = sum((apart[key] - mean) ** 2 - each.noise for key, each in known.items()) / len(known)
    if common <= 0:
        return moved
    for key, each in known.items():
        moved[key] *= exp(common / (common + each.noise) * (apart[key] - mean))
    return moved


def _noise(draws: Sequence[float]) -> float:
    """Variance of the logarithm of a sum of draws that have a chi-square distribution, weighted differently.

    With a relative variance v it is about v + v^2 / 2. For n draws x alike, v = 2 / n, and the mean of
    u = (2/3) sum x^2 / (sum x)^2 is 2 / (n + 2), so that v = u / (1 - u).
    """
    total = sum(draws)
    if len(draws) < DRAWS or not (isfinite(total) and total > 0):
        return inf
    u = 2 / 3 * sum((draw / total) ** 2 for draw in draws)
    v = u / (1 - u)
    return v + v * v / 2


def _spread(values: Sequence[float]) -> float:
    total = sum(values)
    if len(values) < 2 or not isfinite(total) or total <= 0:
        return 0.0
    mean = total / len(values)
    deviation = sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
    return 10 * log10(1 + deviation / mean / sqrt(len(values)))
