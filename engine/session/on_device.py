"""A kernel's output the way the device runs it: its special kernels where it has one, else products in blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.errors import PlanError
from engine.fusion.types import Kernel, Kind, Network
from engine.graph.types import Array
from engine.npu.blocks import fits_blocks, multiply_blocks
from engine.npu.emulate import AnchorBias, accumulator_bits, to_activation, why_not
from engine.npu.fused_norm import GeluForm, fused_norm_bias_gelu
from engine.npu.operand import operand as layout
from engine.npu.operators import attribute
from engine.npu.quant_matmul import QuantOperand, calls, operand, quant_matmul_rows
from engine.precision.scheme import HALF, Scheme
from engine.quant.ranges import Ranges
from engine.quant.scaling import PLAIN
from engine.session.emulating import around_anchor, emulated_output, run_nodes
from engine.text import Text, say

_GELU = frozenset({"Gelu", "Erf", "Tanh", "com.microsoft.Gelu", "com.microsoft.FastGelu", "com.microsoft.QuickGelu"})
"""Nodes by which a GELU is known."""
_INT = 32
"""Bits of the Cube's sums."""
_EPSILON = 1e-2
"""Constants below are an epsilon."""
_ALIKE = 0.05
"""Largest difference to the float kernel, as part of its largest value, of a kernel that was read rightly."""


@dataclass(frozen=True, eq=False, slots=True)
class OnDevice:
    """What a kernel gives, and how it ran."""

    values: Array
    words: Text


def device_output(
    kernel: Kernel, scheme: Scheme, inputs: Mapping[str, Array], network: Network, ranges: Ranges, family: str
) -> OnDevice:
    """The kernel's first output on a family of devices.

    Weights of 4 bits in groups of 32 meet FP16 activations in Kirin's QuantMatMul; a layer norm with a GELU behind it
    is FusedNormBiasGELU (the 1.702 form on Kirin, the tanh form elsewhere); every other product runs on packed weights
    in fractal blocks, those of INT16 by INT16 at once.

    Args:
        kernel: One with a constant weight, or a norm with a GELU.
        scheme: Its scheme.
        inputs: All that the kernel reads.
        network: Where it belongs.
        ranges: Static ranges, and what rounds the weights.
        family: Column of the operator table of the device.

    Raises:
        PlanError: The device model has no such kernel.
        ModelError: What is fused around the anchor can't be run.
    """
    if kernel.weight is None:
        return _norm(kernel, inputs, network, "kirin" if family == "kirin" else "tanh")
    refused = why_not(kernel, scheme)
    if refused is not None:
        raise PlanError(refused)
    if family == "kirin" and _weight_only(kernel, scheme):
        right = _operand(kernel, scheme, ranges)
        if isinstance(right, QuantOperand):
            try:
                return _quant_matmul(kernel, scheme, right, inputs, network, ranges)
            except PlanError as error:
                refused = error.text
        else:
            refused = right
    if kernel.nodes[kernel.anchor].op_type == "Gather":
        values = emulated_output(kernel, scheme, inputs, network, ranges)
        return OnDevice(values, say("Looked up row by row in the packed table."))
    if accumulator_bits(scheme) > _INT:
        values = emulated_output(kernel, scheme, inputs, network, ranges)
        return OnDevice(values, say("Run on packed weights, at once: the Cube has no sums of 64 bits."))
    large = False

    def multiply(left: Array, right: Array) -> Array:
        nonlocal large
        large = large or not fits_blocks(left, right)
        return multiply_blocks(left, right)

    values = emulated_output(kernel, scheme, inputs, network, ranges, multiply)
    if refused is not None:
        return OnDevice(values, say("Run as an FP16 product on widened weights: {reason}", reason=refused))
    if large:
        return OnDevice(values, say("Run on packed weights, at once: too large to be multiplied block by block here."))
    return OnDevice(values, say("Run on packed weights in the Cube's blocks (FRACTAL_NZ), sums in 32 bits."))


def _weight_only(kernel: Kernel, scheme: Scheme) -> bool:
    product = kernel.kind in (Kind.GEMM, Kind.MATMUL) and kernel.nodes[kernel.anchor].op_type in ("Gemm", "MatMul")
    weights = scheme.weights
    return product and weights.bits == 4 and not weights.floating and scheme.activations == HALF


def _operand(kernel: Kernel, scheme: Scheme, ranges: Ranges) -> QuantOperand | Text:
    """The packed weight, or why QuantMatMul doesn't take it."""
    weight = kernel.weight
    assert weight is not None
    if len(weight.shape) != 2:
        return say("QuantMatMul takes one matrix, not {count} axes of weights.", count=len(weight.shape))
    quantized = ranges.rounding.weight(kernel, weight, scheme)
    if quantized.scaling is not PLAIN:
        return say("QuantMatMul knows no scales of input channels, which this weight method needs.")
    try:
        return operand(quantized)
    except PlanError as error:
        return error.text


def _quant_matmul(
    kernel: Kernel,
    scheme: Scheme,
    right: QuantOperand,
    inputs: Mapping[str, Array],
    network: Network,
    ranges: Ranges,
) -> OnDevice:
    split: tuple[int, ...] = ()

    def anchor(activation: Array) -> Array:
        nonlocal split
        shaped = layout(kernel, activation.shape)
        assert shaped is not None
        with np.errstate(over="ignore"):  # overflow to infinity is part of the result
            rows = shaped.rows(activation.astype(np.float16))[0]
            split = calls(rows.shape[0])
            sums = quant_matmul_rows(rows, right).astype(np.float32)[None]
            total = AnchorBias(kernel, scheme, ranges.rounding).added(shaped, sums)
            return to_activation(shaped.output(total), HALF)

    values = around_anchor(kernel, inputs, network, anchor)
    rows = ", ".join(f"{split.count(size)} × {size}" for size in sorted(set(split), reverse=True))
    return OnDevice(values, say("Run by QuantMatMul (calls × rows: {rows}).", rows=rows))


class _Affine(NamedTuple):
    gamma: Array
    beta: Array
    bias: Array
    epsilon: float


def _norm(kernel: Kernel, inputs: Mapping[str, Array], network: Network, form: GeluForm) -> OnDevice:
    if kernel.kind is not Kind.NORM or _GELU.isdisjoint([node.op_type for node in kernel.nodes]):
        raise PlanError(
            say("{kernel} has no weights to quantize, so there is no integer kernel for it.", kernel=kernel.name)
        )
    floats = [inputs[name] for name in kernel.inputs if name in inputs and inputs[name].dtype.kind == "f"]
    if len(floats) != 1:
        raise PlanError(say("{kernel}: FusedNormBiasGELU takes one input, not {count}.",
                            kernel=kernel.name, count=len(floats)))  # fmt: skip
    values = floats[0]
    read = _affine(kernel, values.shape[-1])
    found = fused_norm_bias_gelu(
        values, read.gamma, read.beta, read.bias, epsilon=read.epsilon, form=form
    ).astype(np.float32)  # fmt: skip
    exact = run_nodes(network, kernel, kernel.nodes, inputs, kernel.outputs[:1])[0]
    if found.shape != exact.shape or np.abs(found - exact).max(initial=0.0) > _ALIKE * np.abs(exact).max(initial=1e-3):
        raise PlanError(say("{kernel}: its nodes are not a layer norm, a bias and a GELU of one input.",
                            kernel=kernel.name))  # fmt: skip
    return OnDevice(found, say("Run by FusedNormBiasGELU, GELU in its {form} form.", form=form))


def _affine(kernel: Kernel, width: int) -> _Affine:
    """Scale, shift, bias and epsilon of a norm, from its nodes in order; what isn't there adds or changes nothing."""
    gamma, shifts, epsilon = np.ones(width, np.float32), [], 1e-5
    for node in kernel.nodes:
        if node.op_type == "LayerNormalization":
            epsilon = float(attribute(node, "epsilon", 1e-5))  # type: ignore[arg-type]
        for position, name in enumerate(node.inputs):
            constant = kernel.constants.get(name)
            if constant is None or constant.dtype.kind != "f":
                continue
            if constant.size == 1 and width > 1:
                epsilon = float(constant.reshape(())) if _is_epsilon(node.op_type, constant) else epsilon
            elif constant.size == width:
                scales = node.op_type == "Mul" or (node.op_type == "LayerNormalization" and position == 1)
                if scales:
                    gamma = gamma * constant.reshape(-1)
                elif node.op_type in ("Add", "LayerNormalization"):
                    shifts.append(constant.reshape(-1))
    nothing = np.zeros(width, np.float32)
    beta, bias = [*shifts, nothing, nothing][:2]
    return _Affine(gamma, beta, bias, epsilon)


def _is_epsilon(op: str, constant: Array) -> bool:
    return op == "Add" and 0.0 < float(constant.reshape(())) < _EPSILON
