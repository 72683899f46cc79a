"""The clipping threshold by relative entropy, as NVIDIA published it for TensorRT.

S. Migacz, "8-bit Inference with TensorRT", GPU Technology Conference 2017: of the histogram of absolute values, try
each number of bins to keep. What lies beyond goes into the last kept bin (the reference distribution P); the kept bins
are merged into 128 levels and spread again over their bins that are not empty (the candidate Q). The best threshold has
the least divergence KL(P || Q).
"""

from __future__ import annotations

import numpy as np

from engine.graph.types import Array
from engine.quant.histograms import Seen

LEVELS = 128
"""Non-negative codes of a signed 8-bit format; of others half as many as they have codes."""
MOST_BINS = 2048


def entropy_threshold(seen: Seen, levels: int = LEVELS) -> float:
    """The absolute value to clip at; 0 if nothing but zeros was seen.

    With more levels than the histogram has bins, nothing is known that could be gained by clipping.
    """
    if seen.counts is None or seen.empty:
        return 0.0
    counts, width = absolute_counts(seen)
    largest = max(-seen.low, seen.high)
    if counts.size <= levels:
        return largest
    found = divergences(counts, levels)
    kept = levels + int(found.size - 1 - np.argmin(found[::-1]))  # of equals, the one that clips least
    return min(largest, (kept + 0.5) * width)


def absolute_counts(seen: Seen) -> tuple[Array, float]:
    """Histogram of absolute values from 0 to the largest, in 1024 to 2048 bins, and their width.

    Bins start at multiples of their width, so those below zero fall exactly onto those above.
    """
    assert seen.counts is not None
    used = np.flatnonzero(seen.counts)
    places = used + seen.first
    places = np.where(places < 0, -places - 1, places)
    merged = int(places.max()) // MOST_BINS + 1
    return np.bincount(places // merged, seen.counts[used]), merged * seen.width


def divergences(counts: Array, levels: int = LEVELS) -> Array:
    """KL(P || Q) in nats for keeping the first `levels`, `levels` + 1, ... of these bins.

    Infinite where Q lacks a part of P.
    Sums over the bins of a level come from cumulative sums, so each number of bins costs `levels` steps and not all
    bins.
    """
    kept = np.arange(levels, counts.size + 1)
    edges = kept[:, None] * np.arange(levels + 1) // levels
    total, below = counts.sum(), _cumulative(counts)
    outside, last = total - below[kept], counts[kept - 1]
    # Sums of each level in Q; P has the same but for what lies outside, which its last level takes.
    in_candidate = np.diff(below[edges], axis=1)
    filled = np.diff(_cumulative((counts > 0).astype(np.float64))[edges], axis=1)
    filled[:, -1] += (last == 0) & (outside > 0)
    in_reference = in_candidate.copy()
    in_reference[:, -1] += outside
    own = (
        _cumulative(_times_log(counts, counts))[kept]
        - _times_log(last, last)
        + _times_log(last + outside, last + outside)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        cross = _times_log(in_reference, in_candidate / np.maximum(filled, 1)).sum(axis=1)
        found: Array = (own - cross) / total - np.log(total) + np.log(below[kept])
    return np.where(np.isnan(found), np.inf, found)


def _cumulative(values: Array) -> Array:
    return np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])


def _times_log(weight: Array, value: Array) -> Array:
    """Weight times ln(value), 0 where there is no weight."""
    with np.errstate(divide="ignore"):
        return np.where(weight > 0, weight * np.log(np.where(weight > 0, value, 1.0)), 0.0)
