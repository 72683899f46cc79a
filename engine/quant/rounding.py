"""Round to nearest: scales from the extreme values of a group, codes to the nearest integer (ties to even)."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import onnx
import onnxruntime as ort

from engine.graph.types import Array
from engine.precision.scheme import WeightFormat
from engine.quant.matrix import PIECE, Part, parts, turned
from engine.quant.sizes import group_size, half_scales

_HALF_TINY, _HALF_MAX, _HALF_NORMAL = 2.0**-24, 65504.0, 2.0**-14
_FLOAT_TINY, _FLOAT_MAX = float(np.finfo(np.float32).tiny), float(np.finfo(np.float32).max)
_LARGE, _THREADS = 1 << 22, 4
"""Weights from which on a matrix is rounded in several threads, and in how many at most."""
_MANY = 1 << 17
"""Values from which on a call of ONNX Runtime costs less than numpy's arithmetic, and how many go through in one."""
_SHORT = 256
"""Groups below this many weights are turned before their extremes are taken: numpy reduces short rows slowly."""


class Codes(NamedTuple):
    """What a method returns; see QuantizedWeight."""

    codes: Array
    scales: Array
    zero_points: Array
    nonfinite: int


class Grid(NamedTuple):
    """The scales of a matrix and how to walk over it."""

    scales: Array
    zeros: Array
    """Zero points, as float32: a mixed operation would convert them again for every piece."""
    nonfinite: int
    parts: list[Part]
    clipped: bool = False
    """Whether the scales are narrower than the extreme weights, so that codes of symmetric formats need a limit."""


class Extremes(NamedTuple):
    """Least and greatest finite weight of every group, from which scales are made."""

    low: Array
    """float32 [1 or channels, groups], as `high` and `constant`."""
    high: Array
    constant: Array
    """Groups of one repeated finite value."""
    nonfinite: int
    parts: list[Part]


def round_to_nearest(matrix: Array, form: WeightFormat) -> Codes:
    """Codes of a matrix [channels, reduction] in an integer format."""
    return coded(matrix, grid_of(extremes(matrix, form), form), form)


def coded(matrix: Array, grid: Grid, form: WeightFormat) -> Codes:
    """Codes of a matrix on a grid: each weight goes to the nearest point."""
    integer = np.int16 if form.bits > 8 else np.int8
    codes = np.empty_like(matrix, dtype=integer)
    for part in grid.parts:
        part.view(codes)[...] = steps(matrix, part, grid, form) + part.of(grid.zeros)
    return Codes(np.ascontiguousarray(codes), grid.scales, grid.zeros.astype(integer), grid.nonfinite)


def rounded_to_nearest(matrix: Array, form: WeightFormat, out: Array) -> Grid:
    """Write codes times scales to `out`, which lies in memory as `matrix` does."""
    grid = grid_of(extremes(matrix, form), form)

    def write(part: Part) -> int:
        np.multiply(steps(matrix, part, grid, form), part.of(grid.scales), out=part.view(out))
        return 0

    _walk(grid.parts, write, matrix.size)
    return grid


def _walk(pieces: list[Part], work: Callable[[Part], int], size: int) -> int:
    """Call `work` for every piece of a matrix of that size and add its results up; large ones in threads.

    Somebody waits for the one large table of a language model, and all other cores have nothing to do meanwhile.
    """
    threads = min(_THREADS, len(pieces), 1 if size < _LARGE else os.cpu_count() or 1)  # the system takes 60 µs to tell
    if threads < 2:
        return sum(map(work, pieces))
    with ThreadPoolExecutor(threads, "mixbit-rounding") as pool:
        return sum(pool.map(lambda first: sum(map(work, pieces[first::threads])), range(threads)))


def round_half(values: Array) -> Array:
    """float32 rounded to half and back, as two casts would, some five times faster.

    Many values go through ONNX Runtime's casts, which use the processor's own conversion; where that would cost more
    than it takes, the significand is cut to 11 bits by integer arithmetic (ties to even), and what is subnormal or too
    large in half goes through numpy's casts.
    """
    if values.size >= _MANY:
        return _cast_through_half(np.ascontiguousarray(values))

    def odd(piece: Array) -> Array:
        size = np.abs(piece)
        return ~((size >= _HALF_NORMAL) & (size < _HALF_MAX))

    return _cut(values, 13, odd, np.dtype(np.float16))


def _cast_through_half(values: Array) -> Array:
    """The same by a session that casts there and back, piece by piece so that the halves stay in the caches."""
    out = np.empty(values.shape, np.float32)
    source, target, session = values.reshape(-1), out.reshape(-1), _half_session()
    for start in range(0, source.size, _MANY):
        piece = slice(start, start + _MANY)
        binding = session.io_binding()
        binding.bind_ortvalue_input("x", ort.OrtValue.ortvalue_from_numpy(source[piece]))
        binding.bind_ortvalue_output("y", ort.OrtValue.ortvalue_from_numpy(target[piece]))
        session.run_with_iobinding(binding)
    return out


@cache
def _half_session() -> ort.InferenceSession:
    nodes = [
        onnx.helper.make_node("Cast", ["x"], ["half"], to=onnx.TensorProto.FLOAT16),
        onnx.helper.make_node("Cast", ["half"], ["y"], to=onnx.TensorProto.FLOAT),
    ]
    inputs, outputs = (
        [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [None])] for name in ("x", "y")
    )
    graph = onnx.helper.make_graph(nodes, "half", inputs, outputs)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8)
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads, options.inter_op_num_threads = 1, 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL  # two casts in a row must stay
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def round_brain(values: Array) -> Array:
    """float32 rounded to bfloat16 and back, as two casts would: ties to even; NaN and infinity stay what they are.

    A bfloat16 is the upper half of a float32, so that the carry of the rounding does all; it ends in infinity beyond
    3.39e38.
    """
    return _cut(values, 16, np.isnan, np.dtype(ml_dtypes.bfloat16))


def not_finite(values: Array) -> int:
    """How many are NaN or infinite. Where none is nothing is counted: each of them would show in the sum of all."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):
            return 0
    return int(values.size - np.isfinite(values).sum())


def _cut(values: Array, bits: int, odd: Callable[[Array], Array], dtype: np.dtype[Any]) -> Array:
    """float32 without the lowest bits of its significand, ties to even; what is odd goes through a cast to `dtype`."""
    values = np.ascontiguousarray(values)
    out = np.empty(values.shape, np.float32)
    source, target = values.reshape(-1), out.reshape(-1)
    for start in range(0, source.size, PIECE):
        piece, rounded = source[start : start + PIECE], target[start : start + PIECE].view(np.uint32)
        np.right_shift(piece.view(np.uint32), np.uint32(bits), out=rounded)
        rounded &= np.uint32(1)
        rounded += np.uint32((1 << (bits - 1)) - 1)
        rounded += piece.view(np.uint32)
        rounded &= np.uint32(0x1_0000_0000 - (1 << bits))
        by_cast = odd(piece)
        if by_cast.any():
            with np.errstate(over="ignore", invalid="ignore"):  # overflow to infinity is what happens
                rounded.view(np.float32)[by_cast] = piece[by_cast].astype(dtype)
    return out


def extremes(matrix: Array, form: WeightFormat) -> Extremes:
    """The range of every group of a matrix [channels, reduction]; weights that are not finite are left out."""
    channels, reduction = matrix.shape
    group = group_size(form, reduction)
    groups = -(-reduction // group) if reduction else 1
    low, high = np.zeros((channels, groups), np.float32), np.zeros((channels, groups), np.float32)
    constant = np.zeros((channels, groups), bool)
    pieces = parts(matrix.shape, group, turned(matrix))

    def find(part: Part) -> int:
        nonfinite = 0
        block = np.asarray(part.view(matrix), np.float32)
        least, most = _least_and_most(block, part.axis)
        clean: Array = np.ones(1, bool)
        if not (np.isfinite(least).all() and np.isfinite(most).all()):
            finite = np.isfinite(block)
            nonfinite = int(block.size - finite.sum())
            least = np.min(block, axis=part.axis, where=finite, initial=np.inf, keepdims=True)
            most = np.max(block, axis=part.axis, where=finite, initial=-np.inf, keepdims=True)
            nothing = ~finite.any(axis=part.axis, keepdims=True)
            least[nothing], most[nothing] = 0, 0
            clean = np.asarray(finite.all(axis=part.axis, keepdims=True))
        part.of(low)[...], part.of(high)[...] = least, most
        part.of(constant)[...] = (least == most) & clean
        return nonfinite

    nonfinite = _walk(pieces, find, matrix.size)
    if form.granularity == "tensor" and channels:
        constant = np.full((1, 1), constant.all() and low.min() == high.max())
        low, high = low.min(keepdims=True), high.max(keepdims=True)
    return Extremes(low, high, constant, nonfinite, pieces)


def grid_of(found: Extremes, form: WeightFormat, shrink: float = 1.0) -> Grid:
    """Scales and zero points for the ranges found, or for that share of them; constant groups stay exact."""
    share = np.float32(shrink)
    grid = scales_of(found.low * share, found.high * share, found.constant & (shrink == 1.0), form)
    if shrink == 1.0:
        return Grid(*grid, found.nonfinite, found.parts)
    exact, zeros = scales_of(found.low, found.high, found.constant, form)
    scales = np.where(found.constant, exact, grid[0])
    return Grid(scales, np.where(found.constant, zeros, grid[1]), found.nonfinite, found.parts, clipped=True)


def _least_and_most(block: Array, axis: int) -> tuple[Array, Array]:
    """Least and greatest along an axis, which stays with length 1."""
    if axis == 2 and 1 < block.shape[2] < _SHORT:
        columns = np.ascontiguousarray(block.reshape(-1, block.shape[2]).T)
        shape = (*block.shape[:2], 1)
        return columns.min(axis=0).reshape(shape), columns.max(axis=0).reshape(shape)
    return block.min(axis=axis, keepdims=True), block.max(axis=axis, keepdims=True)


def steps(matrix: Array, part: Part, grid: Grid, form: WeightFormat) -> Array:
    """Codes minus zero points of one piece, as float32."""
    block = part.view(matrix)
    if grid.nonfinite:
        block = np.nan_to_num(np.asarray(block, np.float32), nan=0.0, posinf=_FLOAT_MAX, neginf=-_FLOAT_MAX)
    with np.errstate(over="ignore"):  # an outlier beyond the scale: clamped below
        found = np.divide(block, part.of(grid.scales), dtype=np.float32)
    np.rint(found, out=found)
    top = np.float32(2 ** (form.bits - 1) - 1)
    if not form.symmetric:
        zeros = part.of(grid.zeros)
        np.minimum(found, top - zeros, out=found)  # np.clip with arrays for limits takes twice as long
        return np.maximum(found, -top - 1 - zeros, out=found)
    if not half_scales(form) and not grid.nonfinite and not grid.clipped:
        return found  # the scale comes from the greatest weight itself: nothing to clamp
    return np.clip(found, -top - 1, top, out=found)


def scale_as_stored(scales: Array, form: WeightFormat) -> Array:
    """Positive scales in the precision that devices store them in, as float32."""
    half = half_scales(form)
    tiny, huge = (_HALF_TINY, _HALF_MAX) if half else (_FLOAT_TINY, _FLOAT_MAX)
    stored: Array = np.clip(scales, tiny, huge).astype(np.float16 if half else np.float32).astype(np.float32)
    return stored


def scales_of(low: Array, high: Array, constant: Array, form: WeightFormat) -> tuple[Array, Array]:
    """Scales and zero points of ranges (float32, any shape); see `quantize_weight`."""
    least = np.minimum(low, 0).astype(np.float64)
    most = np.maximum(high, 0).astype(np.float64)
    peak = np.maximum(-least, most)
    spread = peak / (2 ** (form.bits - 1) - 1) if form.symmetric else (most - least) / (2**form.bits - 1)
    scales = scale_as_stored(spread, form).astype(np.float64)
    # The value itself as the scale and a code one step from zero: exact whatever the value.
    scales = np.where(constant & (peak > 0), peak, scales)
    # Nothing but zeros: any scale is right, and a wide one keeps a bias in units of it within 32 bits.
    scales = np.where(peak > 0, scales, scales.max(initial=0.0) if peak.any() else 1.0)
    bottom, top = -(2 ** (form.bits - 1)), 2 ** (form.bits - 1) - 1
    zeros = np.zeros_like(scales)
    if not form.symmetric:
        zeros = np.clip(np.rint(bottom - least / scales), bottom, top)
        zeros = np.where(constant, 0, zeros)
    return scales.astype(np.float32), zeros.astype(np.float32)
