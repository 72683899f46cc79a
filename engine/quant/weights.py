"""Weights as integer codes with scales, in every format a scheme can name.

All work happens on the matrix [channels, reduction] that `engine.fusion.types.Weight` describes: groups run along the
second axis, channel scales along the first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from engine.errors import PlanError
from engine.fusion.types import Weight
from engine.graph.types import Array
from engine.precision.scheme import WeightFormat
from engine.quant.clipping import clip_by_mse
from engine.quant.hqq import half_quadratic
from engine.quant.matrix import from_matrix, parts, to_matrix
from engine.quant.rounding import Codes, not_finite, round_brain, round_half, round_to_nearest, rounded_to_nearest
from engine.quant.scaling import PLAIN, Scaling
from engine.quant.sizes import group_size, packed_bytes
from engine.text import say


@dataclass(frozen=True, eq=False, slots=True)
class QuantizedWeight:
    """real = (code - zero point) * scale, group by group. A floating format has its values in `codes` and scale 1."""

    codes: Array
    """[channels, reduction]; int8 up to 8 bits, int16 for 16 bits, float16, bfloat16 or float32 for floats."""
    scales: Array
    """float32 [1 or channels, groups]."""
    zero_points: Array
    """As `scales`, in the dtype of the codes; all 0 for symmetric formats."""
    format: WeightFormat
    shape: tuple[int, ...]
    channel_axes: tuple[int, ...]
    reduction_axes: tuple[int, ...]
    nonfinite: int = 0
    """Weights that are NaN or infinite in the model, or become infinite in the format (FP16: beyond 65504)."""
    scaling: Scaling = PLAIN
    """What the codes have been scaled by: they are those of another matrix than the model's."""

    @property
    def group(self) -> int:
        """Weights per scale along the reduction axis."""
        return group_size(self.format, self.codes.shape[1])

    @property
    def nbytes(self) -> int:
        """Packed codes, scales and zero points."""
        return packed_bytes(self.codes.shape[0], self.codes.shape[1], self.format)

    def matrix(self, *, scaled_inputs: bool = False) -> Array:
        """The rounded weights as float32 [channels, reduction], beside a plain activation or one that is scaled."""
        if self.format.floating:
            return self.codes.astype(np.float32)
        out = self.codes.astype(np.float32)
        for part in parts(out.shape, self.group):
            block = part.view(out)
            block -= part.of(self.zero_points)
            block *= part.of(self.scales)
        return self.scaling.undone(out, inputs=not scaled_inputs)

    def dequantize(self, *, scaled_inputs: bool = False) -> Array:
        """The same in the original shape."""
        matrix = self.matrix(scaled_inputs=scaled_inputs)
        return from_matrix(matrix, self.shape, self.channel_axes, self.reduction_axes)


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
        PlanError: For a format or method that does not exist, or a method that needs data.
    """
    _check(form, method)
    matrix = to_matrix(array, weight.channel_axes, weight.reduction_axes)
    made = _to_float(matrix, form) if form.floating else METHODS[method](matrix, form)
    return with_axes(made, array.shape, weight, form)


def quantize_scaled(array: Array, weight: Weight, form: WeightFormat, scaling: Scaling) -> QuantizedWeight:
    """Round a weight to nearest in the units that a scaling gives its channels; see `quantize_weight`.

    Scales that each channel has for itself take up the scale of its result, so that only a scale per tensor gains by
    `Scaling.outputs`.
    """
    matrix = to_matrix(array, weight.channel_axes, weight.reduction_axes)
    if form.granularity != "tensor":
        scaling = replace(scaling, outputs=None)
    with np.errstate(over="ignore", invalid="ignore"):  # weights that are not finite are counted below
        scaled = scaling.of(matrix)
    return replace(with_axes(round_to_nearest(scaled, form), array.shape, weight, form), scaling=scaling)


def with_axes(made: Codes, shape: tuple[int, ...], weight: Weight, form: WeightFormat) -> QuantizedWeight:
    """Codes of a weight's matrix together with what leads back to its shape."""
    return QuantizedWeight(
        made.codes,
        made.scales,
        made.zero_points,
        form,
        tuple(shape),
        weight.channel_axes,
        weight.reduction_axes,
        made.nonfinite,
    )


class FakeQuantized(NamedTuple):
    """A weight after rounding, as floats."""

    values: Array
    """float32, original shape and memory order."""
    scales: Array | None
    """As in QuantizedWeight; None for floating formats."""
    nonfinite: int


def fake_quantize(array: Array, weight: Weight, form: WeightFormat, method: str = "rtn") -> FakeQuantized:
    """What `quantize_weight(...).dequantize()` returns, bit for bit, several times faster.

    Codes are never written down: each cache-sized piece is rounded and scaled back in place.
    """
    _check(form, method)
    if form.floating:
        if form.bits == 32:
            return FakeQuantized(np.asarray(array, np.float32), None, 0)
        rounded = (round_brain if form.brain else round_half)(np.asarray(array, np.float32))
        return FakeQuantized(rounded, None, not_finite(rounded))
    if method != "rtn":
        made = quantize_weight(array, weight, form, method)
        return FakeQuantized(made.dequantize(), made.scales, made.nonfinite)
    out = np.empty(array.shape, np.float32)
    axes = weight.channel_axes, weight.reduction_axes
    target = to_matrix(out, *axes)
    grid = rounded_to_nearest(to_matrix(array, *axes), form, target)
    if not np.shares_memory(target, out):  # the axes are mixed: the matrix was a copy
        out = from_matrix(target, array.shape, *axes)
    return FakeQuantized(out, grid.scales, grid.nonfinite)


METHODS: dict[str, Callable[[Array, WeightFormat], Codes]] = {
    "rtn": round_to_nearest,
    "mse": clip_by_mse,
    "hqq": half_quadratic,
}
"""Ways to find the codes from the weights alone, by the name a scheme gives."""
LEARNED = ("gptq",)
"""Ways that need to see the activations; calibration knows them."""
SCALED = ("awq", "smooth", "cle")
"""Ways that scale weights against the layer in front and round them to nearest; calibration knows them too."""


def _to_float(matrix: Array, form: WeightFormat) -> Codes:
    dtype: np.dtype[Any] = np.dtype(np.float32 if form.bits == 32 else ml_dtypes.bfloat16 if form.brain else np.float16)
    with np.errstate(over="ignore", invalid="ignore"):  # infinity and NaN are counted
        codes = np.ascontiguousarray(matrix, dtype=dtype)
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
    if form.brain and not (form.floating and form.bits == 16):
        raise PlanError(say("BF16 is a floating-point format of 16 bits; there is none of {bits}.", bits=form.bits))
    if not form.floating and form.granularity == "group" and form.group < 1:
        raise PlanError(say("A group of {group} weights can't be; choose 16, 32, 64, 128 or 256.", group=form.group))
    if method in (*LEARNED, *SCALED) and not form.floating:
        raise PlanError(
            say("The weight method {method} needs calibration samples; give data, or choose one of {known}.",
                method=method.upper(), known=", ".join(METHODS))
        )  # fmt: skip
    if method not in (*METHODS, *LEARNED, *SCALED):
        raise PlanError(
            say("There is no weight method {method}; choose one of {known}.",
                method=repr(method), known=", ".join((*METHODS, *LEARNED, *SCALED)))
        )  # fmt: skip
