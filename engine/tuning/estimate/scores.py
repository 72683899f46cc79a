"""From products of gradients and errors to one number per cell.

A cell's error has independent parts: the rounded weight, the rounded activation, the rounded result, the rounded bias.
For each part and each probe two sums over its channels are kept: of the products and of their squares.

- by channel: sum over channels of product^2. Unbiased where errors of different channels are uncorrelated, which
  rounding errors of weight rows are, and far less noisy than the square of the sum.
- full: (sum of all products)^2. Unbiased for any error, but one draw of a chi-square with one degree of freedom.
- both: the root of their product, from four probes on.
- unit vectors for probes: the plain squares add up to what is asked for, exactly to first order.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable, Sequence
from math import isfinite, log10, sqrt

import numpy as np

from engine.graph.types import Array

MIXED_FROM = 4
"""Random probes from which both sums are combined."""


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


def combine(channel: Sequence[float], full: Sequence[float], probes: int, unit: bool) -> tuple[float, float]:
    """The estimate, summed over samples, and its standard error in dB.

    Args:
        channel: By sample, then by probe.
        full: As `channel`.
        probes: Per sample.
        unit: Whether the probes were unit vectors.
    """
    count = len(channel) // probes
    if unit:
        by_sample = [sum(full[at * probes : (at + 1) * probes]) for at in range(count)]
        return sum(by_sample), _spread(by_sample)
    by_channel = [sum(channel[at * probes : (at + 1) * probes]) / probes for at in range(count)]
    total = sum(by_channel)
    if probes >= MIXED_FROM and isfinite(total):
        total = sqrt(total * sum(full) / probes)
    return total, _spread(by_channel)


def _spread(values: Sequence[float]) -> float:
    total = sum(values)
    if len(values) < 2 or not isfinite(total) or total <= 0:
        return 0.0
    mean = total / len(values)
    deviation = sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
    return 10 * log10(1 + deviation / mean / sqrt(len(values)))
