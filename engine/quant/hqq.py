"""HQQ: a scale for each group from a robust fit to its weights, without data.

After H. Badri and A. Shaji, "Half-Quadratic Quantization of Large Machine Learning Models" (2023): few large errors
are treated as outliers (a norm with p below 1) by splitting off a sparse part and solving the rest in closed form, in
turns. The paper solves for a real zero point; the integer zero points of our formats stay, and the scale is solved
instead.
"""

from __future__ import annotations

import numpy as np

from engine.graph.types import Array
from engine.precision.scheme import WeightFormat
from engine.quant.rounding import Codes, Grid, coded, extremes, grid_of, scale_as_stored, steps

_P, _BETA, _GROWTH, _TURNS = 0.7, 10.0, 1.01, 20
"""Norm, weight of the quadratic part, its growth per turn, and turns: the values of the paper."""


def half_quadratic(matrix: Array, form: WeightFormat) -> Codes:
    """Codes of a matrix [channels, reduction]; of all turns the grid with the least error in the norm is taken."""
    found = extremes(matrix, form)
    grid = grid_of(found, form)
    best, least = grid, None
    beta = _BETA
    for _ in range(_TURNS):
        scales, errors = _solve(matrix, grid, form, beta)
        if least is None:
            least = errors
        else:
            better = errors < least
            best = best._replace(scales=np.where(better, grid.scales, best.scales), clipped=True)
            least = np.minimum(errors, least)
        grid = grid._replace(scales=np.where(found.constant, grid.scales, scales), clipped=True)
        beta *= _GROWTH
    return coded(matrix, best, form)


def _solve(matrix: Array, grid: Grid, form: WeightFormat, beta: float) -> tuple[Array, Array]:
    """The scales that fit best beside the sparse part, and the error of the present ones; [1 or channels, groups]."""
    shape = matrix.shape[0], grid.scales.shape[1]
    above, below, errors = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    unit = np.maximum(np.abs(grid.scales), np.float32(np.finfo(np.float32).tiny))
    for part in grid.parts:
        block = np.asarray(part.view(matrix), np.float32)
        if grid.nonfinite:
            block = np.nan_to_num(block, nan=0.0, posinf=0.0, neginf=0.0)
        whole = steps(matrix, part, grid, form)
        # In units of the scale, so that the paper's weights fit every size of weight.
        lost = (block - whole * part.of(grid.scales)) / part.of(unit)
        size = np.abs(lost)
        powered = np.power(size, _P, where=size > 0, out=np.zeros_like(size))
        sparse = np.sign(lost) * np.maximum(size - powered / np.where(size > 0, size, 1) / beta, 0)
        target = block - sparse * part.of(unit)
        part.of(above)[...] = (target * whole).sum(axis=part.axis, keepdims=True)
        part.of(below)[...] = (whole * whole).sum(axis=part.axis, keepdims=True)
        part.of(errors)[...] = (powered * part.of(unit) ** np.float32(_P)).sum(axis=part.axis, keepdims=True)
    if grid.scales.shape[0] == 1:
        above, below, errors = (part.sum(axis=0, keepdims=True) for part in (above, below, errors))
    fitted = np.divide(above, below, out=grid.scales.astype(np.float64), where=below > 0)
    return scale_as_stored(np.where(fitted > 0, fitted, grid.scales), form), errors
