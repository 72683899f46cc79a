"""Histograms whose range grows while they are filled: any number of samples in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import floor, inf, isfinite

import numpy as np

from engine.graph.types import Array

BINS = 4096
"""Bins of a histogram; its range doubles when a value falls outside, so between 2048 and 4096 of them are in use."""


@dataclass(frozen=True, eq=False, slots=True)
class Seen:
    """What an observer remembers of an activation. Values that are not finite are left out."""

    low: float = inf
    high: float = -inf
    counts: Array | None = None
    """int64 [BINS]: bin i holds values in [(first + i) * width, (first + i + 1) * width)."""
    width: float = 0.0
    first: int = 0
    zeros: int = 0
    """Counted values that are exactly zero: every format has them exactly."""
    samples: int = 0
    """Arrays with a finite value that a moving average has seen."""
    average_low: float = 0.0
    average_high: float = 0.0

    @property
    def empty(self) -> bool:
        """Whether no finite value was seen."""
        return not self.low <= self.high


def extremes(array: Array) -> tuple[float, float]:
    """Least and greatest finite value; (inf, -inf) if there is none."""
    if not array.size:
        return inf, -inf
    values = array if array.dtype in (np.float32, np.float64) else array.astype(np.float32)
    low, high = float(values.min()), float(values.max())
    if isfinite(low) and isfinite(high):
        return low, high
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (inf, -inf)


def observe_extremes(seen: Seen, array: Array) -> Seen:
    """Remember the least and the greatest value."""
    low, high = extremes(array)
    return replace(seen, low=min(seen.low, low), high=max(seen.high, high))


def observe_histogram(seen: Seen, array: Array) -> Seen:
    """Count the values in bins whose width doubles when the range grows, so that counts stay exact."""
    seen = observe_extremes(seen, array)
    if seen.empty:
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
    counts = counts + np.bincount(index, minlength=BINS)
    zeros = seen.zeros + values.size - int(np.count_nonzero(values))
    return replace(seen, counts=counts, width=width, first=first, zeros=zeros)


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
