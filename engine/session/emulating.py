"""A kernel's output as the emulated integer kernels of the device give it, with what is fused around the anchor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import onnx

from engine.errors import PlanError
from engine.fusion.types import Kernel, Network
from engine.graph.types import Array
from engine.npu.blocks import multiply_plain
from engine.npu.emulate import Multiply, emulate
from engine.numerics.models import build_model
from engine.numerics.runtime import BASIC, naming, open_either, options
from engine.precision.scheme import Scheme
from engine.quant.ranges import Ranges, range_for
from engine.text import say


def emulated_output(
    kernel: Kernel,
    scheme: Scheme,
    inputs: Mapping[str, Array],
    network: Network,
    ranges: Ranges,
    multiply: Multiply = multiply_plain,
) -> Array:
    """The kernel's first output.

    The anchor runs on packed integers with 32-bit sums; what is fused before and behind it runs in float32, as the
    Vector unit does it on dequantized values.

    Args:
        kernel: A convolution or matrix product with a constant weight.
        scheme: Its scheme.
        inputs: All that the kernel reads.
        network: Where it belongs.
        ranges: Static ranges.
        multiply: How operands are multiplied: at once, or in the device's blocks.

    Raises:
        PlanError: The device model has no integer kernel for it.
        ModelError: What is fused around the anchor can't be run.
    """

    def anchor(activation: Array) -> Array:
        found = range_for(kernel, scheme, ranges)
        return emulate(kernel, scheme, activation, found, ranges.rounding, multiply).output

    return around_anchor(kernel, inputs, network, anchor)


def around_anchor(
    kernel: Kernel, inputs: Mapping[str, Array], network: Network, run: Callable[[Array], Array]
) -> Array:
    """The kernel's first output, its anchor (with the bias) run by a function of the activation that meets the weight.

    Raises:
        PlanError: A kernel without weights.
        ModelError: What is fused around the anchor can't be run.
    """
    weight = kernel.weight
    if weight is None:
        raise PlanError(say("{kernel} has no weights, so there is no integer kernel for it.", kernel=kernel.name))
    activation = inputs.get(weight.activation)
    if activation is None:
        activation = run_nodes(network, kernel, kernel.nodes, inputs, (weight.activation,))[0]
    sums = run(activation)
    anchor = kernel.nodes[kernel.anchor]
    done, given = anchor, anchor.outputs[0]
    if weight.bias and weight.bias not in anchor.inputs:  # emulated too: the Add right behind a MatMul
        done = next(n for n in kernel.nodes if weight.bias in n.inputs and given in n.inputs)
    wanted = kernel.outputs[0]
    if wanted == done.outputs[0]:
        return sums
    rest = [node for node in kernel.nodes if node is not anchor and node is not done]
    return run_nodes(network, kernel, rest, {**inputs, done.outputs[0]: sums}, (wanted,))[0]


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
