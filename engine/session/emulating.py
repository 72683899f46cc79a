"""A kernel's output as the emulated integer kernels of the device give it, with what is fused around the anchor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import onnx

from engine.errors import PlanError
from engine.fusion.types import Kernel, Network
from engine.graph.types import Array, TensorInfo
from engine.npu.blocks import multiply_plain
from engine.npu.emulate import Emulated, emulate, to_activation, why_not
from engine.npu.operand import RECURRENT
from engine.npu.packed import pack, real_values
from engine.npu.sums import Multiply
from engine.numerics.models import build_model
from engine.numerics.runtime import BASIC, naming, open_either, options
from engine.precision.scheme import BRAIN, FP32, Scheme
from engine.quant.matrix import from_matrix
from engine.quant.ranges import FROM_WEIGHTS, Ranges, Rounding, range_for
from engine.text import Text, say

_SUMS, _HAND_ON = "mixbit/emulated/sums", "mixbit/emulated/hand_on"
_INT = 32
"""Bits of sums that need no words."""


class Emulation(NamedTuple):
    """A kernel's first output, and what there is to say about it."""

    values: Array
    words: Text | None


def emulated_kernel(
    kernel: Kernel,
    scheme: Scheme,
    inputs: Mapping[str, Array],
    network: Network,
    ranges: Ranges,
    multiply: Multiply = multiply_plain,
) -> Emulation:
    """The kernel's first output.

    The anchor runs on packed integers with 32-bit sums (64 bits for INT16 by INT16); what is fused before and behind it
    runs in float32, as the Vector unit does it on dequantized values, and only the kernel's result is rounded to FP16
    or BF16. A recurrent layer has its input's products in integers; its state stays in floats, as in the preview, and
    meets unpacked weights.

    Args:
        kernel: A kernel with a constant weight.
        scheme: Its scheme.
        inputs: All that the kernel reads.
        network: Where it belongs.
        ranges: Static ranges.
        multiply: How operands are multiplied: at once, or in the device's blocks.

    Raises:
        PlanError: The device model has no integer kernel for it.
        ModelError: What is fused around the anchor can't be run.
    """
    words: Text | None = None
    refused = why_not(kernel, scheme)
    if refused is not None:
        raise PlanError(refused)

    def anchor(activation: Array) -> Array:
        nonlocal words
        found = range_for(kernel, scheme, ranges)
        made = emulate(kernel, scheme, activation, found, ranges.rounding, multiply, stored=False)
        words = _words(made, kernel.nodes[kernel.anchor].op_type)
        return made.output

    values = around_anchor(kernel, inputs, network, anchor, scheme, ranges.rounding)
    return Emulation(to_activation(values, scheme.activations) if values.dtype.kind == "f" else values, words)


def emulated_output(
    kernel: Kernel,
    scheme: Scheme,
    inputs: Mapping[str, Array],
    network: Network,
    ranges: Ranges,
    multiply: Multiply = multiply_plain,
) -> Array:
    """The values of `emulated_kernel`."""
    return emulated_kernel(kernel, scheme, inputs, network, ranges, multiply).values


def _words(made: Emulated, op: str) -> Text | None:
    if made.overflows:
        return say(
            "A sum reaches {sum}, which an accumulator of {bits} bits does not hold: it would wrap on the device.",
            sum=made.widest_sum,
            bits=made.accumulator_bits,
        )
    if made.accumulator_bits > _INT:
        return say("Sums are kept in 64 bits: products of INT16 by INT16 leave no room in 32.")
    if op == "Gather":
        return say("Rows of the table are unpacked and scaled: there are no sums.")
    if op in RECURRENT:
        return say("Emulated are the products of its input; its state stays in floats, and meets unpacked weights.")
    return None


def around_anchor(
    kernel: Kernel,
    inputs: Mapping[str, Array],
    network: Network,
    run: Callable[[Array], Array],
    scheme: Scheme = FP32,
    rounding: Rounding = FROM_WEIGHTS,
) -> Array:
    """The kernel's first output, its anchor (with the bias) run by a function of the activation that meets the weight.

    Args:
        kernel: The kernel.
        inputs: All that it reads.
        network: Where it belongs.
        run: The anchor; of a table it gets the rows that are looked up, of a recurrent layer it gives what the gates
            get from its input.
        scheme: Of a recurrent layer, for the weights of its state.
        rounding: What rounds those.

    Raises:
        PlanError: A kernel without weights.
        ModelError: What is fused around the anchor can't be run.
    """
    weight = kernel.weight
    if weight is None:
        raise PlanError(
            say("{kernel} has no weights to quantize, so there is no integer kernel for it.", kernel=kernel.name)
        )
    anchor = kernel.nodes[kernel.anchor]
    name = anchor.inputs[1] if anchor.op_type == "Gather" else weight.activation
    activation = inputs.get(name, kernel.constants.get(name))
    if activation is None:
        activation = run_nodes(network, kernel, kernel.nodes, inputs, (name,))[0]
    sums = run(activation)
    if anchor.op_type in RECURRENT:
        return _from_gates(kernel, inputs, network, sums, scheme, rounding)
    done, given = anchor, anchor.outputs[0]
    if weight.bias and weight.bias not in anchor.inputs:  # emulated too: the Add right behind a MatMul
        done = next(n for n in kernel.nodes if weight.bias in n.inputs and given in n.inputs)
    wanted = kernel.outputs[0]
    if wanted == done.outputs[0]:
        return sums
    rest = [node for node in kernel.nodes if node is not anchor and node is not done]
    info = network.tensors.get(done.outputs[0])
    sums = sums if info is None else sums.astype(info.dtype, copy=False)
    return run_nodes(network, kernel, rest, {**inputs, done.outputs[0]: sums}, (wanted,))[0]


def _from_gates(
    kernel: Kernel,
    inputs: Mapping[str, Array],
    network: Network,
    sums: Array,
    scheme: Scheme,
    rounding: Rounding,
) -> Array:
    """A recurrent layer whose gates get `sums` [steps, batch, all rows of all directions] from its input.

    The operator itself is run, with a weight that hands each direction its own part on: products by 1 are exact.
    """
    first = kernel.weight
    assert first is not None
    directions, rows = first.shape[:2]
    dtype = kernel.constants[first.constant].dtype
    hand_on = np.zeros((directions, rows, directions * rows), dtype)
    for direction in range(directions):
        hand_on[direction, :, direction * rows : (direction + 1) * rows] = np.eye(rows)
    proto = onnx.NodeProto()
    proto.CopyFrom(kernel.nodes[kernel.anchor].proto)
    proto.input[0], proto.input[1] = _SUMS, _HAND_ON
    constants = {**kernel.constants, _HAND_ON: hand_on}
    for weight in kernel.more_weights:
        rounded = rounding.weight(kernel, weight, scheme)
        matrix = real_values(pack(rounded), rounded)
        if scheme.activations != BRAIN:  # beside BF16 it is the codes that are multiplied
            matrix = to_activation(matrix, scheme.activations)
        values = from_matrix(matrix, rounded.shape, rounded.channel_axes, rounded.reduction_axes)
        constants[weight.constant] = values.astype(dtype)
    if first.bias:
        constants[first.bias] = to_activation(kernel.constants[first.bias], scheme.activations).astype(dtype)
    nodes = [replace(n, proto=proto) if at == kernel.anchor else n for at, n in enumerate(kernel.nodes)]
    own = replace(kernel, constants=constants)
    feeds = {**inputs, _SUMS: sums.astype(dtype, copy=False)}
    known = {**network.tensors, _SUMS: TensorInfo(_SUMS, dtype, sums.shape)}
    knowing = replace(network, graph=replace(network.graph, tensors=known))
    return run_nodes(knowing, own, nodes, feeds, (kernel.outputs[0],))[0]


def run_nodes(
    network: Network,
    kernel: Kernel,
    nodes: Sequence[object],
    inputs: Mapping[str, Array],
    outputs: tuple[str, ...],
) -> list[Array]:
    """Values of tensors inside a kernel, its nodes run in float32 by ONNX Runtime."""
    protos: list[onnx.NodeProto] = [node.proto for node in nodes]  # type: ignore[attr-defined]
    needed = _needed(protos, outputs)
    read = {name for proto in needed for name in proto.input}
    feeds = {name: array for name, array in inputs.items() if name in read}

    def work() -> list[Array]:
        session = open_either(
            lambda loose: build_model(
                network.graph, needed, tuple(feeds), outputs, dict(kernel.constants), inline=1 << 62, loose=loose
            ),
            lambda: options(BASIC),
        )
        return list(session.run(list(outputs), feeds))

    found: list[Array] = naming(kernel.name, work)
    return found


def _needed(protos: Sequence[onnx.NodeProto], outputs: Sequence[str]) -> list[onnx.NodeProto]:
    """Nodes that lead to the outputs, in order."""
    wanted, kept = set(outputs), []
    for proto in reversed(protos):
        if wanted.intersection(proto.output):
            kept.append(proto)
            wanted.update(proto.input)
    return kept[::-1]
