"""MSE clip: the share of each group's range that loses least, outliers clamped.

The sum of squared rounding errors is taken at every candidate, as in T. Choukroun et al., "Low-bit Quantization of
Neural Networks for Efficient Inference" (2019); group by group instead of tensor by tensor.
"""

from __future__ import annotations

import numpy as np

from engine.graph.types import Array
from engine.precision.scheme import WeightFormat
from engine.quant.rounding import Codes, Extremes, Grid, coded, extremes, grid_of, steps

_SHRINKS = tuple(1.0 - 0.04 * step for step in range(1, 15))
"""Shares of the range that are tried besides the whole: 0.96 down to 0.44."""


def clip_by_mse(matrix: Array, form: WeightFormat) -> Codes:
    """Codes of a matrix [channels, reduction] on the clipped ranges; never worse in squared error than rounding."""
    return coded(matrix, clipped_grid(matrix, extremes(matrix, form), form), form)


def clipped_grid(matrix: Array, found: Extremes, form: WeightFormat, weights: Array | None = None) -> Grid:
    """The grid with the least squared error, group by group.

    Args:
        matrix: [channels, reduction].
        found: Its ranges.
        form: An integer format.
        weights: How much each column counts, float32 [reduction]; None counts all alike.
    """
    best = grid_of(found, form)
    least = squared_errors(matrix, best, form, weights)
    for shrink in _SHRINKS:
        tried = grid_of(found, form, shrink)
        errors = squared_errors(matrix, tried, form, weights)
        better = errors < least
        scales, zeros = np.where(better, tried.scales, best.scales), np.where(better, tried.zeros, best.zeros)
        best = Grid(scales, zeros, best.nonfinite, best.parts, clipped=True)
        least = np.minimum(errors, least)
    return best


def squared_errors(matrix: Array, grid: Grid, form: WeightFormat, weights: Array | None = None) -> Array:
    """Squared error of every group that has a scale of its own, float64 [1 or channels, groups]."""
    channels, groups = matrix.shape[0], grid.scales.shape[1]
    errors = np.zeros((channels, groups))
    for part in grid.parts:
        lost = steps(matrix, part, grid, form)
        lost *= part.of(grid.scales)
        lost -= (
            np.nan_to_num(part.view(matrix), nan=0.0, posinf=0.0, neginf=0.0) if grid.nonfinite else part.view(matrix)
        )
        with np.errstate(over="ignore", invalid="ignore"):  # errors beyond float32 are all alike: none is better
            np.square(lost, out=lost)
            if weights is not None:
                counts = weights[part.columns].reshape(-1, part.group)
                lost *= counts[:, :, None] if part.turned else counts[None]
            part.of(errors)[...] = lost.sum(axis=part.axis, keepdims=True)
    return errors.sum(axis=0, keepdims=True) if grid.scales.shape[0] == 1 else errors
