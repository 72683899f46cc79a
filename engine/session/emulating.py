"""A kernel's output as the emulated integer kernels of the device give it, with what is fused around the anchor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import onnx

from engine.errors import PlanError
from engine.fusion.types import Kernel, Network
from engine.graph.types import Array
from engine.npu.emulate import emulate
from engine.numerics.models import build_model
from engine.numerics.runtime import BASIC, naming, open_either, options
from engine.precision.scheme import Scheme
from engine.quant.ranges import Ranges, range_for
from engine.text import say


def emulated_output(
    kernel: Kernel, scheme: Scheme, inputs: Mapping[str, Array], network: Network, ranges: Ranges
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

    Raises:
        PlanError: The device model has no integer kernel for it.
        ModelError: What is fused around the anchor can't be run.
    """
    weight = kernel.weight
    if weight is None:
        raise PlanError(say("{kernel} has no weights, so there is no integer kernel for it.", kernel=kernel.name))
    activation = inputs.get(weight.activation)
    if activation is None:
        activation = _run(network, kernel, kernel.nodes, inputs, (weight.activation,))[0]
    sums = emulate(kernel, scheme, activation, range_for(kernel, scheme, ranges), ranges.rounding).output
    anchor = kernel.nodes[kernel.anchor]
    done, given = anchor, anchor.outputs[0]
    if weight.bias and weight.bias not in anchor.inputs:  # emulated too: the Add right behind a MatMul
        done = next(n for n in kernel.nodes if weight.bias in n.inputs and given in n.inputs)
    wanted = kernel.outputs[0]
    if wanted == done.outputs[0]:
        return sums
    rest = [node for node in kernel.nodes if node is not anchor and node is not done]
    return _run(network, kernel, rest, {**inputs, done.outputs[0]: sums}, (wanted,))[0]


def _run(
    network: Network,
    kernel: Kernel,
    nodes: Sequence[object],
    inputs: Mapping[str, Array],
    outputs: tuple[str, ...],
) -> list[Array]:
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
