"""Observers: what range an activation takes, from any number of samples in bounded memory.

An observer is two functions: `observe` folds the values of one sample into a small state, `found` reads the range off
it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from engine.graph.types import Array
from engine.quant.entropy import entropy_threshold
from engine.quant.histograms import BINS, Seen, extremes, observe_extremes, observe_histogram
from engine.quant.least_error import least_error_range
from engine.quant.ranges import Range

__all__ = ["BINS", "OBSERVERS", "Observer", "Seen", "observe_extremes", "observe_histogram", "percentile_range"]

PERCENTILE = 99.99
AVERAGED = 100
"""Samples over which a moving average is a plain mean; from there on each new one counts a hundredth."""


class Observer(NamedTuple):
    """How to watch (state, values of one sample -> state) and how to conclude (state, bits of the format -> range)."""

    observe: Callable[[Seen, Array], Seen]
    found: Callable[[Seen, int], Range]
    by_bits: bool = False
    """Whether the range depends on the bits."""


def full_range(seen: Seen, bits: int = 8) -> Range:
    """From the least to the greatest value; [0, 0] if nothing was seen."""
    return Range(0.0, 0.0) if seen.empty else Range(seen.low, seen.high)


def observe_average(seen: Seen, array: Array) -> Seen:
    """Average the extremes of samples: the mean of the first hundred, then exponentially with a weight of 0.01.

    The weight is that of Jacob et al., "Quantization and Training of Neural Networks for Efficient
    Integer-Arithmetic-Only Inference" (CVPR 2018); starting with a mean keeps the first sample from counting most.
    """
    low, high = extremes(array)
    if not low <= high:
        return seen
    count = seen.samples + 1
    weight = 1 / min(count, AVERAGED)
    return replace(
        seen,
        low=min(seen.low, low),
        high=max(seen.high, high),
        samples=count,
        average_low=seen.average_low + weight * (low - seen.average_low),
        average_high=seen.average_high + weight * (high - seen.average_high),
    )


def average_range(seen: Seen, bits: int = 8) -> Range:
    """The averaged extremes."""
    return Range(seen.average_low, seen.average_high)


def percentile_range(seen: Seen, bits: int = 8, *, percentile: float = PERCENTILE) -> Range:
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


def entropy_range(seen: Seen, bits: int = 8) -> Range:
    """The extremes, cut at the threshold of `entropy_threshold` on both sides."""
    threshold = entropy_threshold(seen, 2 ** (bits - 1))
    low, high = max(seen.low, -threshold), min(seen.high, threshold)
    return full_range(seen) if threshold <= 0 or low > high else Range(low, high)


OBSERVERS: dict[str, Observer] = {
    "minmax": Observer(observe_extremes, full_range),
    "percentile": Observer(observe_histogram, percentile_range),
    "average": Observer(observe_average, average_range),
    "entropy": Observer(observe_histogram, entropy_range, by_bits=True),
    "mse": Observer(observe_histogram, least_error_range, by_bits=True),
}
"""Observers by the name a user gives."""
