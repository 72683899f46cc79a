"""Observers: what range an activation takes, from any number of samples in bounded memory.

An observer is two functions: `observe` folds an array into a small state, `found` reads the range off it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import floor, inf, isfinite
from typing import NamedTuple

import numpy as np

from engine.graph.types import Array
from engine.quant.ranges import Range

BINS = 4096
"""Bins of a histogram; its range doubles when a value falls outside, so between 2048 and 4096 of them are in use."""
PERCENTILE = 99.99


@dataclass(frozen=True, eq=False, slots=True)
class Seen:
    """What an observer remembers of an activation. Values that are not finite are left out."""

    low: float = inf
    high: float = -inf
    counts: Array | None = None
    """int64 [BINS]: bin i holds values in [(first + i) * width, (first + i + 1) * width)."""
    width: float = 0.0
    first: int = 0


class Observer(NamedTuple):
    """How to watch (state, array -> state) and how to conclude (state -> range)."""

    observe: Callable[[Seen, Array], Seen]
    found: Callable[[Seen], Range]


def observe_extremes(seen: Seen, array: Array) -> Seen:
    """Remember the least and the greatest value."""
    low, high = _extremes(array)
    return Seen(min(seen.low, low), max(seen.high, high), seen.counts, seen.width, seen.first)


def full_range(seen: Seen) -> Range:
    """From the least to the greatest value; [0, 0] if nothing was seen."""
    return Range(seen.low, seen.high) if seen.low <= seen.high else Range(0.0, 0.0)


def observe_histogram(seen: Seen, array: Array) -> Seen:
    """Count the values in bins whose width doubles when the range grows, so that counts stay exact."""
    seen = observe_extremes(seen, array)
    if not seen.low <= seen.high:
        return seen
    counts, width, first = seen.counts, seen.width, seen.first
    if counts is None:
        counts = np.zeros(BINS, np.int64)
        # Never so narrow that float64 could not tell the bins apart.
        finest = max(abs(seen.low), abs(seen.high)) * 2.0**-40
        width = max((seen.high - seen.low) / (BINS // 2), finest, float(np.finfo(np.float32).tiny))
        first = floor(seen.low / width) - BINS // 4
    while floor(seen.low / width) < first or floor(seen.high / width) >= first + BINS:
        counts, width, first = _double(counts, width, first, seen.low)
    values = np.asarray(array, np.float64).reshape(-1)
    finite = np.isfinite(values)
    values = values if finite.all() else values[finite]
    index = np.clip(np.floor(values / width) - first, 0, BINS - 1).astype(np.int64)
    return Seen(seen.low, seen.high, counts + np.bincount(index, minlength=BINS), width, first)


def percentile_range(seen: Seen, percentile: float = PERCENTILE) -> Range:
    """The range that leaves out (100 - percentile) / 2 percent of the values at each end, to within one bin."""
    if seen.counts is None or not (total := int(seen.counts.sum())):
        return full_range(seen)
    outside = total * (1 - percentile / 100) / 2
    cumulative = np.cumsum(seen.counts)
    lowest = int(np.searchsorted(cumulative, outside, side="right"))
    highest = int(np.searchsorted(cumulative, total - outside, side="left"))
    low = max(seen.low, (seen.first + lowest) * seen.width)
    high = min(seen.high, (seen.first + highest + 1) * seen.width)
    return Range(low, max(low, high))


OBSERVERS: dict[str, Observer] = {
    "minmax": Observer(observe_extremes, full_range),
    "percentile": Observer(observe_histogram, percentile_range),
}
"""Observers by the name a user gives."""


def _double(counts: Array, width: float, first: int, low: float) -> tuple[Array, float, int]:
    """Merge pairs of bins; the freed half goes where the new values are."""
    if first % 2:  # pairs start at even positions
        counts = np.concatenate([np.zeros(1, counts.dtype), counts, np.zeros(1, counts.dtype)])
        first -= 1
    merged = counts[0::2] + counts[1::2]
    wider, start = width * 2, first // 2
    free = BINS - merged.size
    below = min(free, max(0, start - floor(low / wider)))
    padded = np.concatenate([np.zeros(below, counts.dtype), merged, np.zeros(free - below, counts.dtype)])
    return padded, wider, start - below


def _extremes(array: Array) -> tuple[float, float]:
    if not array.size:
        return inf, -inf
    values = array if array.dtype in (np.float32, np.float64) else array.astype(np.float32)
    low, high = float(values.min()), float(values.max())
    if isfinite(low) and isfinite(high):
        return low, high
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (inf, -inf)
