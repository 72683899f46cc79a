"""The range with the least mean squared error of an integer format.

Clipping costs the squared distance to the range; rounding costs step^2 / 12 for each value inside, but the square of
the value itself where that rounds to zero. The range that balances the two is looked for on a grid over both ends, then
on a finer one around the best. (The trade-off of Banner et al., "Post training 4-bit quantization of convolutional
networks for rapid-deployment", NeurIPS 2019, on the measured histogram in place of an assumed distribution.)
"""

from __future__ import annotations

import numpy as np

from engine.graph.types import Array
from engine.quant.histograms import Seen
from engine.quant.ranges import Range

_GRID, _FINER = 128, 16
_COARSE, _COARSE_GRID = 4, 32
"""Up to so many bits errors inside are not spread evenly over a step, and are summed bin by bin, on a wider grid."""


def least_error_range(seen: Seen, bits: int = 8) -> Range:
    """The best range, which stretches to zero at least as `activation_params` has it; [0, 0] if nothing was seen.

    Args:
        seen: The histogram.
        bits: Of the format: it has that power of two of codes.
    """
    if seen.counts is None or seen.empty:
        return Range(0.0, 0.0)
    if seen.low == seen.high:  # a constant is exact at the end of a range
        return Range(seen.low, seen.high)
    least, most = min(seen.low, 0.0), max(seen.high, 0.0)
    size = _COARSE_GRID if bits <= _COARSE else _GRID
    lows, highs = _grid(least, 0.0, size), _grid(0.0, most, size)
    low, high = _best(seen, lows, highs, 2**bits - 1)
    step_low, step_high = -least / size, most / size
    lows = _grid(max(least, low - step_low), min(0.0, low + step_low), _FINER)
    highs = _grid(max(0.0, high - step_high), min(most, high + step_high), _FINER)
    low, high = _best(seen, lows, highs, 2**bits - 1)
    # Within one bin of the extremes nobody can tell the difference; a side without values is as it is.
    low = seen.low if low - least < seen.width or seen.low >= 0 else low
    high = seen.high if most - high < seen.width or seen.high <= 0 else high
    return Range(low, max(low, high))


def _grid(start: float, stop: float, steps: int) -> Array:
    return np.linspace(start, stop, steps + 1) if stop > start else np.array([start])


def _best(seen: Seen, lows: Array, highs: Array, steps: int) -> tuple[float, float]:
    assert seen.counts is not None
    used = np.flatnonzero(seen.counts)
    counts = seen.counts[used].astype(np.float64)
    values = np.clip((used + seen.first + 0.5) * seen.width, seen.low, seen.high)
    counts[used + seen.first == 0] -= seen.zeros  # exact in every format
    if steps < 2**_COARSE:
        return _best_rounded(values, counts, lows, highs, steps)
    step = np.maximum((highs - lows[:, None]) / steps, np.finfo(np.float64).tiny)
    zero = np.rint(-lows[:, None] / step)  # the zero point is whole, which moves both ends a little
    least, most = -zero * step, (steps - zero) * step
    below, clipped_below = _clipped(values, counts, least)
    above, clipped_above = _clipped(-values[::-1], counts[::-1], -most)
    near, to_zero = _between(values, counts, np.maximum(-step / 2, least), np.minimum(step / 2, most))
    inside = np.maximum(counts.sum() - below - above - near, 0.0)
    costs = clipped_below + clipped_above + to_zero + inside * step**2 / 12
    row, column = np.unravel_index(np.argmin(costs), costs.shape)
    return float(lows[row]), float(highs[column])


def _best_rounded(values: Array, counts: Array, lows: Array, highs: Array, steps: int) -> tuple[float, float]:
    """The pair of ends with the least error of values that are really rounded."""
    best, found = np.inf, (float(lows[0]), float(highs[-1]))
    for low in lows:
        step = np.maximum((highs - low) / steps, np.finfo(np.float64).tiny)[:, None]
        zero = np.rint(-low / step)
        with np.errstate(over="ignore"):
            whole = np.clip(np.rint(values / step), -zero, steps - zero)
        costs = np.square(whole * step - values) @ counts
        at = int(np.argmin(costs))
        if costs[at] < best:
            best, found = float(costs[at]), (float(low), float(highs[at]))
    return found


def _between(values: Array, counts: Array, least: Array, most: Array) -> tuple[Array, Array]:
    """How many of these ascending values lie between two limits, and the sum of their squares."""
    start, end = np.searchsorted(values, least), np.searchsorted(values, most)
    sums = [np.concatenate([[0.0], np.cumsum(counts * values**power)]) for power in (0, 2)]
    return sums[0][end] - sums[0][start], sums[1][end] - sums[1][start]


def _clipped(values: Array, counts: Array, limits: Array) -> tuple[Array, Array]:
    """How many of these ascending values lie below each limit, and the sum of their squared distances to it."""
    ends = np.searchsorted(values, limits)
    sums = [np.concatenate([[0.0], np.cumsum(counts * values**power)])[ends] for power in (0, 1, 2)]
    return sums[0], np.maximum(sums[2] - 2 * limits * sums[1] + limits**2 * sums[0], 0.0)
