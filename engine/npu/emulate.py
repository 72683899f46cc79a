"""Kernels run the way the device runs them: packed weights unpacked, integers multiplied, sums kept in 32 bits.

This is the second opinion to the preview, which runs the same kernel in floating point on dequantized weights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.errors import PlanError
from engine.fusion.types import Kernel, Kind
from engine.graph.types import Array
from engine.npu.blocks import multiply_plain
from engine.npu.operators import attribute
from engine.npu.patches import Geometry, geometry, patches
from engine.precision.scheme import ActivationFormat, Scheme
from engine.quant.folding import input_axis
from engine.quant.packing import pack_int4, unpack_int4
from engine.quant.ranges import FROM_WEIGHTS, QuantParams, Range, Rounding, activation_params
from engine.quant.scaling import Scaling
from engine.quant.weights import QuantizedWeight
from engine.text import say

KINDS = frozenset({Kind.CONV, Kind.DEPTHWISE, Kind.GEMM, Kind.MATMUL})
_OPERATORS = frozenset({"Conv", "Gemm", "MatMul"})
"""Kernels whose anchor can be emulated."""


Multiply = Callable[[Array, Array], Array]
"""[groups, rows, K] times [groups, channels, K], see `engine.npu.blocks`."""


@dataclass(frozen=True, eq=False, slots=True)
class Emulated:
    """What an emulated anchor gives."""

    output: Array
    """float32, the anchor's output with its bias and without what is fused behind it."""
    packed: Array
    """uint8 or int8: the weights as they lie in memory (FP16 weights: float16)."""
    widest_sum: int
    """Largest absolute value that the accumulator held; 0 for floating-point sums."""

    @property
    def overflows(self) -> bool:
        """Whether a 32-bit accumulator would have wrapped."""
        return self.widest_sum > np.iinfo(np.int32).max


def emulate(
    kernel: Kernel,
    scheme: Scheme,
    activation: Array,
    found: Range | None = None,
    rounding: Rounding = FROM_WEIGHTS,
    multiply: Multiply = multiply_plain,
) -> Emulated:
    """Run a kernel's anchor on one activation.

    Integer activations: int32 sums per group of weights, scaled by activation scale * weight scale in FP32; with one
    scale per channel the bias is an int32 in those units. Floating activations: weights widened to half, operands in
    half, sums in FP32, result rounded to half.

    Args:
        kernel: A convolution, Gemm or MatMul with a constant weight.
        scheme: Formats of weights and activations.
        activation: The activation that meets the weight, float.
        found: The range over which the scheme rounds it; without one (and for dynamic formats) that of `activation`.
        rounding: Rounds the weight by the scheme's method; without one, methods that need data are refused.
        multiply: How operands are multiplied: at once, or in the device's blocks.

    Raises:
        PlanError: a kernel or scheme that this device model has no kernel for.
    """
    weight = kernel.weight
    if weight is None or kernel.kind not in KINDS or kernel.nodes[kernel.anchor].op_type not in _OPERATORS:
        raise PlanError(say("{kernel}: only convolutions and matrix products are emulated.", kernel=kernel.name))
    if scheme.brain:
        raise PlanError(say("{kernel}: BF16 is not emulated; choose FP16, INT8 or INT4.", kernel=kernel.name))
    if scheme.weights.bits not in (4, 8, 16) or (scheme.weights.bits == 16) != scheme.weights.floating:
        raise PlanError(
            say("{kernel}: weights of {bits} bits are not emulated; choose FP16, INT8 or INT4.",
                kernel=kernel.name, bits=scheme.weights.bits)
        )  # fmt: skip
    if kernel.kind in (Kind.GEMM, Kind.MATMUL) and len(weight.shape) != 2:
        raise PlanError(say("{kernel}: batches of weight matrices are not emulated.", kernel=kernel.name))
    quantized = rounding.weight(kernel, weight, scheme)
    packed = pack(quantized)
    activation, outputs = _scaled(kernel, activation, quantized.scaling)
    shaped = Operand(kernel, activation)
    bias = _shifted(anchor_bias(kernel), rounding.shift(kernel, scheme) if scheme.corrected else None)
    bias = bias if bias is None else bias / outputs
    if scheme.activations.floating:
        sums = _half_sums(shaped.rows(_to_half(activation)), widen(packed, quantized), shaped.groups, multiply)
        with np.errstate(over="ignore"):  # overflow to infinity is part of the result
            total = sums * shaped.alpha + (0.0 if bias is None else _to_half(bias).astype(np.float32))
            total = total * outputs
            return Emulated(shaped.output(total.astype(np.float16).astype(np.float32)), packed, 0)
    params = _params(activation, scheme.activations, found)
    codes = quantize_activation(activation, params, scheme.activations)
    rows = shaped.rows(codes.astype(np.float64) - params.zero_point)
    whole = bias if shaped.alpha == 1.0 else None
    output, widest = _integer_sums(rows, unpack(packed, quantized), quantized, params, whole, shaped.groups, multiply)
    if shaped.alpha != 1.0:
        output = output * shaped.alpha + (0.0 if bias is None else bias)
    return Emulated(shaped.output(output * outputs), packed, widest)


def _scaled(kernel: Kernel, activation: Array, scaling: Scaling) -> tuple[Array, Array]:
    """The activation over the scale of its channels, and what the sums of each output channel are multiplied by."""
    if scaling.inputs is not None:
        axis = input_axis(kernel)
        shape = (-1, *(1,) * (activation.ndim - 2)) if axis == 1 else (-1,)
        activation = activation / scaling.inputs.reshape(shape).astype(activation.dtype)
    outputs = np.ones(1, np.float32) if scaling.outputs is None else scaling.outputs
    return activation, outputs


def pack(weight: QuantizedWeight) -> Array:
    """The codes as they lie in memory: two per byte up to four bits, else one each."""
    if weight.format.floating or weight.format.bits > 4:
        return np.ascontiguousarray(weight.codes)
    return pack_int4(weight.codes)


def unpack(packed: Array, weight: QuantizedWeight) -> Array:
    """Codes minus zero points, float64 [channels, reduction] of whole numbers, read from the packed bytes."""
    codes = unpack_int4(packed, weight.codes.shape) if packed.dtype == np.uint8 else packed
    columns = np.arange(weight.codes.shape[1]) // weight.group
    zeros = weight.zero_points[:, columns % weight.zero_points.shape[1]]
    difference: Array = codes.astype(np.float64) - zeros
    return difference


def widen(packed: Array, weight: QuantizedWeight) -> Array:
    """Weights in half [channels, reduction]: what the Vector unit hands to the Cube."""
    if weight.format.floating:
        return packed
    columns = np.arange(weight.codes.shape[1]) // weight.group
    scales = weight.scales[:, columns % weight.scales.shape[1]]
    half: Array = (unpack(packed, weight) * scales).astype(np.float16)
    return half


def quantize_activation(activation: Array, params: QuantParams, form: ActivationFormat) -> Array:
    """Codes of an activation, int32: round to nearest even, clamped."""
    low, high = (-(2 ** (form.bits - 1)), 2 ** (form.bits - 1) - 1) if form.symmetric else (0, 2**form.bits - 1)
    scaled = np.rint(activation.astype(np.float32) / np.float32(params.scale)) + params.zero_point
    codes: Array = np.clip(np.nan_to_num(scaled), low, high).astype(np.int32)
    return codes


def _params(activation: Array, form: ActivationFormat, found: Range | None) -> QuantParams:
    if found is None or not form.static:
        finite = activation[np.isfinite(activation)]
        found = Range(float(finite.min(initial=0.0)), float(finite.max(initial=0.0)))
    return activation_params(found, form)


def _to_half(activation: Array) -> Array:
    with np.errstate(over="ignore"):
        half: Array = activation.astype(np.float16)
    return half


def _half_sums(rows: Array, weights: Array, groups: int, multiply: Multiply) -> Array:
    """float32 [rows, channels] of half operands [groups, rows, k] and [channels, k]."""
    right = weights.astype(np.float32).reshape(groups, -1, weights.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        products = multiply(rows.astype(np.float32), right)
    return _joined(products)


def _integer_sums(
    rows: Array,
    weights: Array,
    quantized: QuantizedWeight,
    params: QuantParams,
    bias: Array | None,
    groups: int,
    multiply: Multiply,
) -> tuple[Array, int]:
    """Scaled sums float32 [rows, channels], and the widest accumulator.

    Products of whole numbers are exact in float64 up to 2**53, so the fast matrix product gives the same sums as a
    32-bit accumulator as long as that doesn't wrap, which the second result tells.
    """
    right = weights.reshape(groups, -1, weights.shape[1])
    scales = np.broadcast_to(quantized.scales, (weights.shape[0], quantized.scales.shape[1])).astype(np.float32)
    step = np.float32(params.scale) * scales
    columns = quantized.scales.shape[1]
    total = np.zeros((rows.shape[1], weights.shape[0]), np.float32)
    widest = 0
    for column in range(columns):
        part = slice(column * quantized.group, (column + 1) * quantized.group) if columns > 1 else slice(None)
        sums = _joined(multiply(rows[:, :, part], right[:, :, part]))
        if bias is not None and columns == 1:
            sums = sums + np.rint(bias / step[:, 0].astype(np.float64))
        widest = max(widest, int(np.abs(sums).max(initial=0.0)))
        total += sums.astype(np.float32) * step[:, column]
    if bias is not None and columns > 1:
        total += bias
    return total, widest


def _joined(products: Array) -> Array:
    """[groups, rows, channels of a group] -> [rows, channels]."""
    joined: Array = products.transpose(1, 0, 2).reshape(products.shape[1], -1)
    return joined


def _shifted(bias: Array | None, shift: Array | None) -> Array | None:
    if bias is None or shift is None:
        return shift if bias is None else bias
    return bias + shift.reshape(bias.shape)


def anchor_bias(kernel: Kernel) -> Array | None:
    """float32 [channels]: what is added to the anchor's sums; None without a bias."""
    if kernel.weight is None or not kernel.weight.bias:
        return None
    scale = attribute(kernel.nodes[kernel.anchor], "beta", 1.0)
    bias: Array = kernel.constants[kernel.weight.bias].astype(np.float32).reshape(-1)
    return bias * np.float32(scale if isinstance(scale, float) else 1.0)


class Operand:
    """How an activation becomes rows of a matrix, and rows of sums the anchor's output."""

    def __init__(self, kernel: Kernel, activation: Array) -> None:
        self._node = kernel.nodes[kernel.anchor]
        self._shape = activation.shape
        self._conv: Geometry | None = None
        self.groups = 1
        weight = kernel.weight
        self._flipped = weight is not None and self._node.inputs[1] == weight.activation != self._node.inputs[0]
        if kernel.kind in (Kind.CONV, Kind.DEPTHWISE) and weight is not None:
            self._conv = geometry(self._node, activation.shape, weight.shape)
            self.groups = self._conv.groups

    def rows(self, values: Array) -> Array:
        """[groups, rows, k]; padding is 0, which is what the zero point stands for."""
        if self._conv is not None:
            return patches(values, self._conv)
        if self._turned:
            values = np.swapaxes(values, -1, -2)
        return values.reshape(1, -1, values.shape[-1])

    def output(self, sums: Array) -> Array:
        """The anchor's output from [rows, channels]."""
        if self._conv is not None:
            batch, spatial = self._shape[0], self._conv.out
            shaped = sums.reshape(batch, *spatial, -1)
            return np.ascontiguousarray(np.moveaxis(shaped, -1, 1))
        lead = (*self._shape[:-2], self._shape[-1]) if self._turned else self._shape[:-1]
        shaped = sums.reshape(*lead, -1)
        return np.ascontiguousarray(np.swapaxes(shaped, -1, -2)) if self._flipped else shaped

    @property
    def alpha(self) -> np.float32:
        """Factor of a Gemm's product."""
        value = attribute(self._node, "alpha", 1.0) if self._node.op_type == "Gemm" else 1.0
        return np.float32(value if isinstance(value, float) else 1.0)

    @property
    def _turned(self) -> bool:
        if self._node.op_type == "Gemm":
            return bool(attribute(self._node, "transB" if self._flipped else "transA", 0)) != self._flipped
        return self._flipped
