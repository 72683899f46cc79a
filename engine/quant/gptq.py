"""GPTQ: rounding column by column, each error made good by the columns that are not rounded yet.

After E. Frantar et al., "GPTQ: Accurate Post-Training Quantization for Generative Pre-trained Transformers" (ICLR
2023): with H = X X^T of the inputs and U the upper Cholesky factor of its damped inverse, the error of column i,
divided by U[i, i], is taken off the later columns in proportion to U[i, i:].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from engine.graph.types import Array
from engine.precision.scheme import WeightFormat
from engine.quant.clipping import clipped_grid
from engine.quant.rounding import Codes, Grid, extremes, grid_of, steps
from engine.quant.sizes import group_size

_DAMPING = 0.01
"""Added to the diagonal, in units of its mean, as in the paper."""
_BLOCK = 32
"""Columns that are made good one by one before the rest is, in one product."""


_CHANNELS = 1024
"""Channels that are rounded at a time: a large matrix then needs little memory beside itself."""


class Moments(NamedTuple):
    """Second moments of what meets a stretch of the reduction axis."""

    rows: slice
    """Channels that meet it (those of one group of a convolution)."""
    columns: slice
    """Stretch of the reduction axis."""
    hessian: Array
    """float32 [columns, columns]: mean of x x^T."""


def second_order(
    matrix: Array, form: WeightFormat, moments: Sequence[Moments], check: Callable[[], None] = lambda: None
) -> Codes:
    """Codes of a matrix [channels, reduction] in an integer format.

    Columns go by falling second moment, on grids that are fixed beforehand: those of round-to-nearest, and those with
    the least squared error weighted by the moments. Each channel takes whichever loses least at the output in
    expectation, round-to-nearest itself among them, so that by this measure no channel is worse off.

    Args:
        matrix: The weights.
        form: The format.
        moments: Cover the matrix without overlapping.
        check: Called every few milliseconds; may raise.
    """
    factors = [_factor(each.hessian, check) for each in moments]
    weights = _diagonal(matrix.shape, moments)
    step = max(1, len(matrix)) if form.granularity == "tensor" else _CHANNELS
    found = []
    for first in range(0, max(1, len(matrix)), step):
        rows = slice(first, min(first + step, len(matrix)))
        some = [
            (each._replace(rows=_inside(each.rows, rows)), factor)
            for each, factor in zip(moments, factors, strict=True)
        ]
        found.append(_channels(matrix[rows], form, [pair for pair in some if pair[0].rows.start < pair[0].rows.stop],
                               weights, check))  # fmt: skip
    if len(found) == 1:
        return found[0]
    codes, scales, zeros, nonfinite = zip(*found, strict=True)
    return Codes(np.concatenate(codes), np.concatenate(scales), np.concatenate(zeros), sum(nonfinite))


def _inside(rows: slice, part: slice) -> slice:
    """The rows of a part, counted from its beginning."""
    first, last = max(rows.start, part.start), min(rows.stop, part.stop)
    return slice(first - part.start, max(first, last) - part.start)


def _channels(
    matrix: Array,
    form: WeightFormat,
    given: Sequence[tuple[Moments, _Factor]],
    weights: Array,
    check: Callable[[], None],
) -> Codes:
    """Some channels: they don't know of each other, unless they share one scale."""
    values = np.ascontiguousarray(np.nan_to_num(np.asarray(matrix, np.float32), nan=0.0))
    found = extremes(matrix, form)
    plain = grid_of(found, form)
    moments = [each for each, _ in given]
    best = _Tried(values, plain, form, _nearest(values, plain, form))
    with np.errstate(over="ignore", invalid="ignore"):  # a loss that is not finite is never better
        least = best.loss(moments)
        for grid in (plain, clipped_grid(matrix, found, form, weights)):
            made = _Tried(values, grid, form, np.zeros(values.shape, np.float32))
            for each, factor in given:
                made.compensate(each, factor, check)
            loss = made.loss(moments)
            better = np.full(loss.shape, loss.sum() < least.sum()) if form.granularity == "tensor" else loss < least
            best, least = best.where(better, made), np.where(better, loss, least)
    integer = np.int16 if form.bits > 8 else np.int8
    return Codes(best.codes.astype(integer), best.grid.scales, best.grid.zeros.astype(integer), found.nonfinite)


class _Tried:
    """Steps from the zero points of a whole matrix on one grid."""

    def __init__(self, values: Array, grid: Grid, form: WeightFormat, taken: Array) -> None:
        self.values, self.grid, self.form, self.taken = values, grid, form, taken
        columns = np.arange(values.shape[1]) // group_size(form, values.shape[1])
        self.at = columns % grid.scales.shape[1]
        shape = values.shape[0], grid.scales.shape[1]
        self.scales, self.zeros = np.broadcast_to(grid.scales, shape), np.broadcast_to(grid.zeros, shape)

    @property
    def codes(self) -> Array:
        """Codes, as float32."""
        found: Array = self.taken + self.zeros[:, self.at]
        return found

    def loss(self, moments: Sequence[Moments]) -> Array:
        """Expected squared error at the output of every channel, float64."""
        lost = np.zeros(len(self.values))
        for rows, columns, hessian in moments:
            change = self.taken[rows, columns] * self.scales[rows][:, self.at[columns]] - self.values[rows, columns]
            lost[rows] += np.einsum("ij,ij->i", change @ hessian, change)
        return lost

    def where(self, better: Array, other: _Tried) -> _Tried:
        """The other's channels where it is better."""
        shape = self.grid.scales.shape[0]
        rows = better[:, None] if shape == len(better) else better[:shape, None]
        scales = np.where(rows, other.grid.scales, self.grid.scales)
        zeros = np.where(rows, other.grid.zeros, self.grid.zeros)
        taken = np.where(better[:, None], other.taken, self.taken)
        return _Tried(self.values, self.grid._replace(scales=scales, zeros=zeros), self.form, taken)

    def compensate(self, moments: Moments, factor: _Factor, check: Callable[[], None]) -> None:
        """Round the channels and columns of some moments one column after the other."""
        rows, columns, _ = moments
        order, upper = factor
        # Columns as rows, so that everything runs over neighbours.
        left = np.ascontiguousarray(self.values[rows, columns][:, order].T)
        at = self.at[columns][order]
        scales = np.ascontiguousarray(self.scales[rows].T)[at]
        zeros = np.ascontiguousarray(self.zeros[rows].T)[at]
        top = np.float32(2 ** (self.form.bits - 1) - 1)
        least, most = (-top - 1) - zeros, top - zeros
        taken = np.empty_like(left)
        lost = np.empty((_BLOCK, left.shape[1]), np.float32)
        for start in range(0, len(left), _BLOCK):
            check()
            stop = min(start + _BLOCK, len(left))
            for row in range(start, stop):
                step = np.rint(left[row] / scales[row])
                np.minimum(np.maximum(step, least[row], out=step), most[row], out=step)
                taken[row] = step
                error = lost[row - start]
                np.subtract(left[row], step * scales[row], out=error)
                error /= upper[row, row]
                if row + 1 < stop:
                    left[row + 1 : stop] -= upper[row, row + 1 : stop, None] * error
            if stop < len(left):
                left[stop:] -= upper[start:stop, stop:].T @ lost[: stop - start]
        back = np.empty_like(taken)
        back[order] = taken
        self.taken[rows, columns] = back.T


class _Factor(NamedTuple):
    """Order of the columns, and the upper Cholesky factor of the inverse in it."""

    order: Array
    upper: Array


def _nearest(values: Array, grid: Grid, form: WeightFormat) -> Array:
    taken = np.empty_like(values)
    for part in grid.parts:
        part.view(taken)[...] = steps(values, part, grid, form)
    return taken


def _diagonal(shape: tuple[int, ...], moments: Sequence[Moments]) -> Array:
    """How much each column counts: its second moment, over all channels; float32 [reduction]."""
    found = np.zeros(shape[1], np.float64)
    for rows, columns, hessian in moments:
        found[columns] += np.diagonal(hessian) * ((rows.stop - rows.start) / shape[0])
    return found.astype(np.float32)


def _factor(hessian: Array, check: Callable[[], None]) -> _Factor:
    """With J reversing the order, J H J = L L^T gives H = R R^T with R = J L J, so that U = R^-1."""
    diagonal = np.diagonal(hessian)
    order = np.argsort(-diagonal, kind="stable")
    size = len(order)
    mean = float(diagonal.mean()) if size else 0.0
    if not np.isfinite(hessian).all() or mean <= 0:
        return _Factor(order, np.eye(size, dtype=np.float32))
    turned = np.ascontiguousarray(hessian[np.ix_(order[::-1], order[::-1])])
    damping = _DAMPING
    while True:
        damped = turned.copy()
        damped.reshape(-1)[:: size + 1] += np.float32(damping * mean)
        check()
        try:
            lower = np.linalg.cholesky(damped)
            break
        except np.linalg.LinAlgError:  # moments of few samples in float32: not quite positive
            damping *= 10
    return _Factor(order, np.ascontiguousarray(_inverse(lower, check)[::-1, ::-1]))


def _inverse(lower: Array, check: Callable[[], None]) -> Array:
    """Inverse of a lower triangular matrix, by halves: numpy lets other threads run in its products."""
    size = len(lower)
    if size <= 64:
        return np.linalg.inv(lower)
    check()
    half = size // 2
    found = np.zeros_like(lower)
    found[:half, :half] = first = _inverse(lower[:half, :half], check)
    found[half:, half:] = second = _inverse(lower[half:, half:], check)
    found[half:, :half] = -second @ (lower[half:, :half] @ first)
    return found
