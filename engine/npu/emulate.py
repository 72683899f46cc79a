"""Kernels run the way the device runs them: packed weights unpacked, integers multiplied, sums kept in 32 bits.

This is the second opinion to the preview, which runs the same kernel in floating point on dequantized weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np

from engine.errors import PlanError
from engine.fusion.types import Kernel, Kind
from engine.graph.types import Array, Node
from engine.npu.blocks import multiply_plain
from engine.npu.operand import RECURRENT, Operand, operand
from engine.npu.operators import attribute
from engine.npu.packed import looked_up, pack, real_values, unpack
from engine.npu.sums import Multiply, Scaled, scaled_sums
from engine.precision.scheme import ActivationFormat, Scheme, WeightFormat
from engine.quant.folding import input_axis
from engine.quant.ranges import FROM_WEIGHTS, QuantParams, Range, Rounding, activation_params
from engine.quant.scaling import Scaling
from engine.quant.weights import QuantizedWeight
from engine.text import Text, say

_INT32 = 2.0**31
ONE = np.ones(1, np.float32)
_TINY, _LARGEST = float(np.finfo(np.float32).tiny), float(np.finfo(np.float32).max)


@dataclass(frozen=True, eq=False, slots=True)
class Emulated:
    """What an emulated anchor gives."""

    output: Array
    """float32, the anchor's output with its bias and without what is fused behind it."""
    packed: Array
    """The weights as they lie in memory: bytes up to 8 bits, int16, or floats."""
    widest_sum: int
    """Largest absolute value that the accumulator held; 0 for floating-point sums."""
    accumulator_bits: int = 32

    @property
    def overflows(self) -> bool:
        """Whether the accumulator would have wrapped."""
        return self.widest_sum >= 1 << (self.accumulator_bits - 1)


def why_not(kernel: Kernel, scheme: Scheme) -> Text | None:
    """Why the device model has no kernel for a kernel in a scheme; None if it has one."""
    node = kernel.nodes[kernel.anchor]
    if kernel.kind is Kind.MATMUL_DYNAMIC:
        return say(
            "{kernel}: both operands are computed at run time, so it has no precision of its own: it runs in floats, "
            "and there is no integer kernel for it.",
            kernel=kernel.name,
        )
    if kernel.weight is None:
        return say("{kernel} has no weights to quantize, so there is no integer kernel for it.", kernel=kernel.name)
    if node.op_type not in _OPERATORS:
        return say("{kernel}: there is no emulated kernel for the operator {op}.", kernel=kernel.name, op=node.op_type)
    weights, activations = scheme.weights, scheme.activations
    if _full(weights) and _full(activations):
        return say("{kernel} is at FP32: there is nothing to emulate; choose another precision.", kernel=kernel.name)
    if not weights.floating and weights.bits > _SHORT and activations.brain:
        return say(
            "{kernel}: weights of {bits} bits don't fit the 8 that BF16 keeps of a number; choose FP16 activations.",
            kernel=kernel.name,
            bits=weights.bits,
        )
    added = node.inputs[2] if node.op_type in _ADDING and len(node.inputs) > _ADDEND else ""
    if added and added not in kernel.constants:
        return say("{kernel}: its bias is computed at run time, which is not emulated.", kernel=kernel.name)
    return None


_OPERATORS = frozenset({"Conv", "ConvTranspose", "Gemm", "MatMul", "Einsum", "Gather", *RECURRENT})
_ADDING = frozenset({"Conv", "ConvTranspose", "Gemm"})
_ADDEND = 2
"""Place of what those add."""
_SHORT = 8
"""Bits of codes whose differences to a zero point BF16 holds exactly."""


def accumulator_bits(scheme: Scheme) -> int:
    """Width of integer sums: products of two operands of 16 bits have 31, which leaves no room in 32."""
    both = not scheme.weights.floating and not scheme.activations.floating
    return 64 if both and scheme.weights.bits + scheme.activations.bits > _ROOM else 32


_ROOM = 24
"""Bits of both operands up to which a sum of 32 bits holds at least some hundred products."""


def emulate(
    kernel: Kernel,
    scheme: Scheme,
    activation: Array,
    found: Range | None = None,
    rounding: Rounding = FROM_WEIGHTS,
    multiply: Multiply = multiply_plain,
    *,
    stored: bool = True,
) -> Emulated:
    """Run a kernel's anchor on one activation.

    Integer activations and weights: int32 sums (int64 where both have 16 bits) per group of weights, scaled by
    activation scale * weight scale in FP32; with one scale per channel the bias of an 8-bit kernel is an int32 in those
    units. Integer activations beside floating weights: products in FP32, scaled afterwards. FP16 activations: weights
    widened to half, operands in half, sums in FP32, result rounded to half. BF16 activations: codes of up to 8 bits,
    which BF16 holds exactly, are multiplied as they are, and the sums scaled in FP32. A table is looked up: codes of
    the rows minus zero points, times scales. Of a recurrent layer this is what its gates get from its input.

    Args:
        kernel: One whose anchor has a constant weight.
        scheme: Formats of weights and activations.
        activation: The activation that meets the weight, float; of a table the rows that are looked up.
        found: The range over which the scheme rounds it; without one (and for dynamic formats) that of `activation`.
        rounding: Rounds the weight by the scheme's method; without one, methods that need data are refused.
        multiply: How operands are multiplied: at once, or in the device's blocks.
        stored: Whether results of floating activations are rounded to them; otherwise they are as the sums are, for
            what is fused behind.

    Raises:
        PlanError: a kernel or scheme that this device model has no kernel for.
    """
    refused = why_not(kernel, scheme)
    if refused is not None:
        raise PlanError(refused)
    weight, form = kernel.weight, scheme.activations
    assert weight is not None
    quantized = rounding.weight(kernel, weight, scheme)
    packed = pack(quantized)
    if kernel.nodes[kernel.anchor].op_type == "Gather":
        rows = looked_up(packed, quantized, activation)
        table = rows.reshape(*activation.shape, *weight.shape[1:])
        return Emulated(to_activation(table, form) if stored else table, packed, 0)
    activation, outputs = _scaled(kernel, activation.astype(np.float32, copy=False), quantized.scaling)
    shaped = operand(kernel, activation.shape)
    if shaped is None:
        raise PlanError(say("{kernel}: there is no emulated kernel for this equation.", kernel=kernel.name))
    bias = AnchorBias(kernel, scheme, rounding, outputs)
    wide = accumulator_bits(scheme)
    if form.floating:
        left = shaped.rows(to_activation(activation, form))
        right = _beside_floats(shaped, packed, quantized, form)
        with np.errstate(over="ignore", invalid="ignore"):  # overflow to infinity is part of the result
            sums, widest = scaled_sums(left, right, multiply)
            total = bias.added(shaped, sums)
    else:
        params = _params(activation, form, found)
        codes = quantize_activation(activation, params, form)
        right = _beside_codes(shaped, packed, quantized, params)
        left = shaped.rows(codes.astype(right.weights.dtype) - params.zero_point)
        first = None if quantized.format.floating else bias.first(shaped, quantized, params)
        sums, widest = scaled_sums(left, right, multiply if wide == _INT else multiply_plain, first)
        total = bias.added(shaped, sums) if first is None else sums
    if quantized.scaling.outputs is not None:
        total = total * shaped.bias(outputs)
    output = shaped.output(total)
    return Emulated(to_activation(output, form) if stored else output, packed, widest, wide)


_INT = 32


def _full(form: WeightFormat | ActivationFormat) -> bool:
    return form.floating and form.bits > 16


def _scaled(kernel: Kernel, activation: Array, scaling: Scaling) -> tuple[Array, Array]:
    """The activation over the scale of its channels, and what the sums of each output channel are multiplied by."""
    if scaling.inputs is not None:
        axis = input_axis(kernel)
        shape = (-1, *(1,) * (activation.ndim - 2)) if axis == 1 else (-1,)
        activation = activation / scaling.inputs.reshape(shape).astype(activation.dtype)
    outputs = ONE if scaling.outputs is None else scaling.outputs
    return activation, outputs


def _beside_codes(shaped: Operand, packed: Array, weight: QuantizedWeight, params: QuantParams) -> Scaled:
    """Whole numbers beside whole numbers; floating weights in FP32, where those are exact too."""
    matrix = packed.astype(np.float32) if weight.format.floating else unpack(packed, weight)
    steps = np.float32(params.scale) * _all_scales(weight)
    return Scaled(shaped.weights(matrix), shaped.scales(steps), weight.group, shaped.offsets)


def _beside_floats(shaped: Operand, packed: Array, weight: QuantizedWeight, form: ActivationFormat) -> Scaled:
    """What the Vector unit hands to the Cube: weights in half, or codes that BF16 holds with their scales."""
    if form.brain and not weight.format.floating:
        codes = shaped.weights(unpack(packed, weight, np.float32))
        return Scaled(codes, shaped.scales(_all_scales(weight)), weight.group, shaped.offsets)
    values = real_values(packed, weight)
    if not weight.format.floating:
        values = to_activation(values, form)
    ones = np.ones((values.shape[0], 1), np.float32)
    return Scaled(shaped.weights(values), shaped.scales(ones), max(1, values.shape[1]), shaped.offsets)


def _all_scales(weight: QuantizedWeight) -> Array:
    """float32 [channels, scales of a channel]."""
    scales = weight.scales.astype(np.float32)
    return np.broadcast_to(scales, (weight.codes.shape[0], scales.shape[1]))


def quantize_activation(activation: Array, params: QuantParams, form: ActivationFormat) -> Array:
    """Codes of an activation, int32: round to nearest even, clamped."""
    low, high = (-(2 ** (form.bits - 1)), 2 ** (form.bits - 1) - 1) if form.symmetric else (0, 2**form.bits - 1)
    scaled = np.rint(activation.astype(np.float32) / np.float32(params.scale)) + params.zero_point
    codes: Array = np.clip(np.nan_to_num(scaled), low, high).astype(np.int32)
    return codes


def _params(activation: Array, form: ActivationFormat, found: Range | None) -> QuantParams:
    if found is not None and form.static:
        scale, zero = activation_params(found, form)
        return QuantParams(float(np.float32(min(max(scale, _TINY), _LARGEST))), zero)
    finite = activation[np.isfinite(activation)]
    low, high = np.float32(finite.min(initial=0.0)), np.float32(finite.max(initial=0.0))
    # In FP32 and with halves rounded up, as the operators of the exported file find them.
    steps = np.float32(2 ** (form.bits - 1) - 1 if form.symmetric else 2**form.bits - 1)
    step = max((max(-low, high) if form.symmetric else high - low) / steps, np.float32(_TINY))
    return QuantParams(float(step), 0 if form.symmetric else int(min(-low / step, steps) + np.float32(0.5)))


def to_activation(values: Array, form: ActivationFormat) -> Array:
    """Floats rounded to FP16 or BF16, as float32; others as they are."""
    if not form.floating or _full(form):
        return values
    with np.errstate(over="ignore", invalid="ignore"):
        rounded: Array = values.astype(ml_dtypes.bfloat16 if form.brain else np.float16).astype(np.float32)
    return rounded


class AnchorBias:
    """What is added to an anchor's sums, and the factors of a Gemm."""

    def __init__(self, kernel: Kernel, scheme: Scheme, rounding: Rounding, outputs: Array = ONE) -> None:
        self._form = scheme.activations
        node = kernel.nodes[kernel.anchor]
        self._alpha, self._beta = (_factor(node, name) for name in ("alpha", "beta"))
        bias = None if node.op_type in RECURRENT else _constant_bias(kernel)
        shift = rounding.shift(kernel, scheme) if scheme.corrected else None
        if shift is not None:
            bias = shift if bias is None else bias + shift.reshape(bias.shape)
        # What a Gemm adds to a weight on the left is no bias of its channels, and is rounded nowhere.
        self._rounded = bool(kernel.weight and kernel.weight.bias) or shift is not None
        if bias is not None and outputs.size > 1:
            bias = bias / outputs.reshape(bias.shape)
        self._bias = bias

    def first(self, shaped: Operand, weight: QuantizedWeight, params: QuantParams) -> Array | None:
        """What int32 accumulators start with; None where the bias has no unit of its own, or does not fit."""
        bias, scales = self._bias, weight.scales
        if bias is None or not self._rounded or not self._form.static or self._form.bits > _SHORT:
            return None
        unit = np.float32(params.scale) * scales[:, 0].astype(np.float32)
        if scales.shape[1] != 1 or self._factors or unit.size not in (1, bias.size) or not np.isfinite(bias).all():
            return None
        with np.errstate(over="ignore"):
            codes = np.rint(bias / (unit if unit.size == 1 else unit.reshape(bias.shape)))
        return shaped.bias(codes.astype(np.float64)) if np.all(np.abs(codes) < _INT32) else None

    def added(self, shaped: Operand, sums: Array) -> Array:
        """float32 sums times alpha, plus the bias times beta."""
        total = sums if self._alpha == 1.0 else sums * self._alpha
        if self._bias is None:
            return total
        bias = to_activation(self._bias, self._form) if self._rounded else self._bias
        return total + shaped.bias(bias * self._beta)

    @property
    def _factors(self) -> bool:
        return bool(self._alpha != 1.0 or self._beta != 1.0)


def _factor(node: Node, name: str) -> np.float32:
    value = attribute(node, name, 1.0) if node.op_type == "Gemm" else 1.0
    return np.float32(value if isinstance(value, float) else 1.0)


def _constant_bias(kernel: Kernel) -> Array | None:
    """float32: the bias of the kernel, or else what a Gemm adds."""
    node, weight = kernel.nodes[kernel.anchor], kernel.weight
    name = weight.bias if weight is not None else ""
    if not name and node.op_type in _ADDING and len(node.inputs) > _ADDEND:
        name = node.inputs[_ADDEND]
    if not name:
        return None
    bias = kernel.constants[name].astype(np.float32)
    return bias if bias.ndim == 2 and bias.shape[0] > 1 else bias.reshape(-1)
