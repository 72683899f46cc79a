"""The range with the least mean squared error of an 8-bit format.

Clipping costs the squared distance to the range; rounding costs step^2 / 12 for each value inside, but nothing for
exact zeros. The range that balances the two is looked for on a grid over both ends, then on a finer one around the
best. (The trade-off of Banner et al., "Post training 4-bit quantization of convolutional networks for
rapid-deployment", NeurIPS 2019, on the measured histogram in place of an assumed distribution.)
"""

from __future__ import annotations

import numpy as np

from engine.graph.types import Array
from engine.quant.histograms import Seen
from engine.quant.ranges import Range

STEPS = 255
"""Codes of an 8-bit format, less one."""
_GRID, _FINER = 128, 16


def least_error_range(seen: Seen) -> Range:
    """The best range, which stretches to zero at least as `activation_params` has it; [0, 0] if nothing was seen."""
    if seen.counts is None or seen.empty:
        return Range(0.0, 0.0)
    least, most = min(seen.low, 0.0), max(seen.high, 0.0)
    lows, highs = _grid(least, 0.0, _GRID), _grid(0.0, most, _GRID)
    low, high = _best(seen, lows, highs)
    step_low, step_high = -least / _GRID, most / _GRID
    lows = _grid(max(least, low - step_low), min(0.0, low + step_low), _FINER)
    highs = _grid(max(0.0, high - step_high), min(most, high + step_high), _FINER)
    low, high = _best(seen, lows, highs)
    # Within one bin of the extremes nobody can tell the difference; a side without values is as it is.
    low = seen.low if low - least < seen.width or seen.low >= 0 else low
    high = seen.high if most - high < seen.width or seen.high <= 0 else high
    return Range(low, max(low, high))


def _grid(start: float, stop: float, steps: int) -> Array:
    return np.linspace(start, stop, steps + 1) if stop > start else np.array([start])


def _best(seen: Seen, lows: Array, highs: Array) -> tuple[float, float]:
    assert seen.counts is not None
    used = np.flatnonzero(seen.counts)
    counts = seen.counts[used].astype(np.float64)
    values = np.clip((used + seen.first + 0.5) * seen.width, seen.low, seen.high)
    step = np.maximum((highs - lows[:, None]) / STEPS, np.finfo(np.float64).tiny)
    zero = np.rint(-lows[:, None] / step)  # the zero point is whole, which moves both ends a little
    below, clipped_below = _clipped(values, counts, -zero * step)
    above, clipped_above = _clipped(-values[::-1], counts[::-1], (zero - STEPS) * step)
    inside = np.maximum(counts.sum() - seen.zeros - below - above, 0.0)
    costs = clipped_below + clipped_above + inside * step**2 / 12
    row, column = np.unravel_index(np.argmin(costs), costs.shape)
    return float(lows[row]), float(highs[column])


def _clipped(values: Array, counts: Array, limits: Array) -> tuple[Array, Array]:
    """How many of these ascending values lie below each limit, and the sum of their squared distances to it."""
    ends = np.searchsorted(values, limits)
    sums = [np.concatenate([[0.0], np.cumsum(counts * values**power)])[ends] for power in (0, 1, 2)]
    return sums[0], np.maximum(sums[2] - 2 * limits * sums[1] + limits**2 * sums[0], 0.0)
