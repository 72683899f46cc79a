"""Weights as integer codes with scales: round to nearest in every format a scheme can name.

All work happens on the matrix [channels, reduction] that `engine.fusion.types.Weight` describes: groups run along the
second axis, channel scales along the first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np

from engine.errors import PlanError
from engine.fusion.types import Weight
from engine.graph.types import Array
from engine.precision.scheme import WeightFormat
from engine.quant.sizes import group_size, half_scales, packed_bytes
from engine.text import say

_BLOCK = 1 << 16
"""Weights that are worked on at a time: a few such pieces fit the second-level cache."""
_HALF_TINY, _HALF_MAX = 2.0**-24, 65504.0
_FLOAT_TINY, _FLOAT_MAX = float(np.finfo(np.float32).tiny), float(np.finfo(np.float32).max)


@dataclass(frozen=True, eq=False, slots=True)
class QuantizedWeight:
    """real = (code - zero point) * scale, group by group. A floating format has its values in `codes` and scale 1."""

    codes: Array
    """[channels, reduction]; int8 up to 8 bits, int16 for 16 bits, float16 or float32 for floating formats."""
    scales: Array
    """float32 [1 or channels, groups]."""
    zero_points: Array
    """As `scales`, in the dtype of the codes; all 0 for symmetric formats."""
    format: WeightFormat
    shape: tuple[int, ...]
    channel_axes: tuple[int, ...]
    reduction_axes: tuple[int, ...]
    nonfinite: int = 0
    """Weights that are NaN or infinite in the model, or become infinite in FP16."""

    @property
    def group(self) -> int:
        """Weights per scale along the reduction axis."""
        return group_size(self.format, self.codes.shape[1])

    @property
    def nbytes(self) -> int:
        """Packed codes, scales and zero points."""
        return packed_bytes(self.codes.shape[0], self.codes.shape[1], self.format)

    def matrix(self) -> Array:
        """The rounded weights as float32 [channels, reduction]."""
        if self.format.floating:
            return self.codes.astype(np.float32)
        out = np.empty(self.codes.shape, np.float32)
        for part in _parts(self.codes.shape, self.group):
            scale, zero = part.of(self.scales), part.of(self.zero_points)
            block = self.codes[part.rows, part.columns].astype(np.float32)
            out[part.rows, part.columns] = part.flat((part.grouped(block) - zero.astype(np.float32)) * scale)
        return out

    def dequantize(self) -> Array:
        """The rounded weights as float32 in the original shape."""
        return from_matrix(self.matrix(), self.shape, self.channel_axes, self.reduction_axes)


def to_matrix(array: Array, channel_axes: tuple[int, ...], reduction_axes: tuple[int, ...]) -> Array:
    """View (or, where the axes are mixed, copy) a weight as [channels, reduction]."""
    channels = prod(array.shape[axis] for axis in channel_axes)
    return array.transpose(*channel_axes, *reduction_axes).reshape(channels, -1 if array.size else 0)


def from_matrix(
    matrix: Array, shape: tuple[int, ...], channel_axes: tuple[int, ...], reduction_axes: tuple[int, ...]
) -> Array:
    """Undo `to_matrix`; the result is contiguous."""
    order = (*channel_axes, *reduction_axes)
    moved = matrix.reshape([shape[axis] for axis in order])
    return np.ascontiguousarray(moved.transpose([order.index(axis) for axis in range(len(shape))]))


def quantize_weight(array: Array, weight: Weight, form: WeightFormat, method: str = "rtn") -> QuantizedWeight:
    """Round a weight to a format.

    Asymmetric integers: scale = (max - min) / (2^bits - 1) over a range widened to include zero, zero point an integer
    in [-2^(bits-1), 2^(bits-1) - 1], codes clamped to the same. Symmetric integers: scale = max |w| / (2^(bits-1) - 1).
    Scales of formats up to 4 bits, and of groups up to 8, are rounded to half (and kept as float32): so devices store
    them; a group of one repeated value takes that value as its scale, so that it is exact. NaN becomes 0,
    infinities the end of the range of the finite weights.

    Args:
        array: The weight as the model has it, any floating dtype.
        weight: Its axes.
        form: The format.
        method: How to round; a name in `METHODS`.

    Raises:
        PlanError: For a format or method that does not exist.
    """
    _check(form, method)
    matrix = to_matrix(array, weight.channel_axes, weight.reduction_axes)
    made = _to_float(matrix, form) if form.floating else METHODS[method](matrix, form)
    return QuantizedWeight(
        made.codes,
        made.scales,
        made.zero_points,
        form,
        tuple(array.shape),
        weight.channel_axes,
        weight.reduction_axes,
        made.nonfinite,
    )


class Codes(NamedTuple):
    """What a method returns: see QuantizedWeight."""

    codes: Array
    scales: Array
    zero_points: Array
    nonfinite: int


def round_to_nearest(matrix: Array, form: WeightFormat) -> Codes:
    """Scales from the extreme values, codes to the nearest integer (ties to even)."""
    channels, reduction = matrix.shape
    group = group_size(form, reduction)
    groups = -(-reduction // group) if reduction else 1
    low, high = np.zeros((channels, groups), np.float32), np.zeros((channels, groups), np.float32)
    constant = np.zeros((channels, groups), bool)
    nonfinite = 0
    parts = _parts(matrix.shape, group)
    for part in parts:
        block = part.grouped(np.asarray(matrix[part.rows, part.columns], np.float32))
        least, most = block.min(axis=2), block.max(axis=2)
        if not np.isfinite(least).all() or not np.isfinite(most).all():
            nonfinite += int(block.size - np.isfinite(block).sum())
            finite = np.isfinite(block)
            least = np.min(block, axis=2, where=finite, initial=np.inf)
            most = np.max(block, axis=2, where=finite, initial=-np.inf)
            empty = ~finite.any(axis=2)
            least[empty], most[empty] = 0, 0
            part.of(constant)[...] = ((least == most) & finite.all(axis=2))[:, :, None]
        else:
            part.of(constant)[...] = (least == most)[:, :, None]
        part.of(low)[...], part.of(high)[...] = least[:, :, None], most[:, :, None]
    if form.granularity == "tensor" and channels:
        constant = np.full((1, 1), constant.all() and low.min() == high.max())
        low, high = low.min(keepdims=True), high.max(keepdims=True)
    scales, zeros = _scales(low, high, constant, form)
    codes = np.empty((channels, reduction), zeros.dtype)
    least_code, most_code = -(2 ** (form.bits - 1)), 2 ** (form.bits - 1) - 1
    for part in parts:
        block = part.grouped(np.array(matrix[part.rows, part.columns], np.float32))
        if nonfinite:
            np.nan_to_num(block, copy=False, nan=0.0, posinf=_FLOAT_MAX, neginf=-_FLOAT_MAX)
        with np.errstate(over="ignore"):  # an outlier beyond the scale: clamped below
            np.divide(block, part.of(scales), out=block)
        np.rint(block, out=block)
        block += part.of(zeros)
        np.clip(block, least_code, most_code, out=block)
        codes[part.rows, part.columns] = part.flat(block)
    return Codes(codes, scales, zeros, nonfinite)


METHODS: dict[str, Callable[[Array, WeightFormat], Codes]] = {"rtn": round_to_nearest}
"""Ways to find the codes, by the name a scheme gives."""


def _scales(low: Array, high: Array, constant: Array, form: WeightFormat) -> tuple[Array, Array]:
    """Scales and zero points of ranges (float32, any shape); see `quantize_weight`."""
    least = np.minimum(low, 0).astype(np.float64)
    most = np.maximum(high, 0).astype(np.float64)
    peak = np.maximum(-least, most)
    half = half_scales(form)
    spread = peak / (2 ** (form.bits - 1) - 1) if form.symmetric else (most - least) / (2**form.bits - 1)
    tiny, huge = (_HALF_TINY, _HALF_MAX) if half else (_FLOAT_TINY, _FLOAT_MAX)
    scales = np.clip(spread, tiny, huge).astype(np.float16 if half else np.float32).astype(np.float64)
    # The value itself as the scale and a code one step from zero: exact whatever the value. A denormal stays as it is.
    scales = np.where(constant & (peak > 0), peak, scales)
    # Nothing but zeros: any scale is right, and a wide one keeps a bias in units of it within 32 bits.
    scales = np.where(peak > 0, scales, scales.max(initial=0.0) if peak.any() else 1.0)
    bottom, top = -(2 ** (form.bits - 1)), 2 ** (form.bits - 1) - 1
    zeros = np.zeros_like(scales)
    if not form.symmetric:
        zeros = np.clip(np.rint(bottom - least / scales), bottom, top)
        zeros = np.where(constant, 0, zeros)
    return scales.astype(np.float32), zeros.astype(np.int16 if form.bits > 8 else np.int8)


def _to_float(matrix: Array, form: WeightFormat) -> Codes:
    with np.errstate(over="ignore"):  # overflow to infinity is counted
        codes = np.ascontiguousarray(matrix, dtype=np.float16 if form.bits == 16 else np.float32)
    nonfinite = int(codes.size - np.isfinite(codes).sum()) if form.bits == 16 else 0
    return Codes(codes, np.ones((1, 1), np.float32), np.zeros((1, 1), np.int8), nonfinite)


def _check(form: WeightFormat, method: str) -> None:
    bits = (16, 32) if form.floating else (2, 3, 4, 8, 16)
    if form.bits not in bits:
        kind = "floating-point" if form.floating else "integer"
        raise PlanError(
            say("There is no {kind} weight format of {bits} bits; choose one of {known}.",
                kind=kind, bits=form.bits, known=", ".join(map(str, bits)))
        )  # fmt: skip
    if not form.floating and form.granularity == "group" and form.group < 1:
        raise PlanError(say("A group of {group} weights can't be; choose 16, 32, 64, 128 or 256.", group=form.group))
    if method not in METHODS:
        raise PlanError(
            say("There is no weight method {method}; choose one of {known}.",
                method=repr(method), known=", ".join(METHODS))
        )  # fmt: skip


class _Part(NamedTuple):
    """A cache-sized piece of the matrix, made of whole groups of one size."""

    rows: slice
    columns: slice
    groups: slice
    group: int

    def grouped(self, block: Array) -> Array:
        """[rows, columns] -> [rows, groups, group]."""
        return block.reshape(block.shape[0], -1, self.group)

    def flat(self, block: Array) -> Array:
        """[rows, groups, group] -> [rows, columns]."""
        return block.reshape(block.shape[0], -1)

    def of(self, per_group: Array) -> Array:
        """The scales (or zero points) of this piece, as a view [rows or 1, groups, 1]."""
        rows = slice(0, 1) if per_group.shape[0] == 1 else self.rows
        groups = slice(0, 1) if per_group.shape[1] == 1 else self.groups
        return per_group[rows, groups, None]


def _parts(shape: tuple[int, ...], group: int) -> list[_Part]:
    channels, reduction = shape
    if not channels or not reduction:
        return []
    whole = reduction // group * group
    spans = [(0, whole, group)] if whole else []
    if whole < reduction:
        spans.append((whole, reduction, reduction - whole))
    step = max(1, _BLOCK // reduction)
    return [
        _Part(
            slice(row, min(row + step, channels)), slice(first, last), slice(first // group, -(-last // group)), width
        )
        for row in range(0, channels, step)
        for first, last, width in spans
    ]
