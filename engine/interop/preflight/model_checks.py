"""Checks of the model itself: shapes, operator set, names, layouts, channels, constants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import prod

import numpy as np

from engine.fusion.types import Kernel, Kind
from engine.graph.types import Array, Graph, Node
from engine.interop.preflight.finding import Facts, Finding, names, share
from engine.interop.report_units import amount, latency
from engine.npu.operators import attribute
from engine.text import say

OPSETS = {"kirin": (7, 18), "ascend": (7, 17)}
"""Operator sets that the converters of a family read: OMG of CANN Kit, and ATC with its list of ONNX 1.12."""
CUBE = 16
"""Channels per block of the matrix unit; 32 of 8-bit ones."""
FEW_CHANNELS = 4
"""Inputs of so few channels have a layout of their own."""
LARGE_CONSTANT = 64 << 10
_MUCH = 0.05
_SCALES = {"Add", "Sub", "Mul", "Div"}
_RESHAPES = {"Cast", "Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "QuantizeLinear", "DequantizeLinear"}
_TO_NCHW, _TO_NHWC = (0, 3, 1, 2), (0, 2, 3, 1)


def dynamic_shapes(facts: Facts) -> Iterator[Finding]:
    """Free dimensions in the file, and shapes that depend on values."""
    if facts.free_inputs:
        fixed = {i.name: i.shape for i in facts.network.graph.inputs}
        listed = ", ".join(f"{n} {list(fixed.get(n, ()))}" for n in facts.free_inputs[:3])
        static = facts.device.operators == "kirin"
        yield Finding(
            "dynamic-input",
            "warning",
            say("The file leaves input dimensions free"),
            say("All figures are for {shapes}.", shapes=listed),
            say("Fix the shape when you convert (--input_shape); this device takes static shapes only.")
            if static
            else say("Fix the shape when you convert (--input_shape), or list the shapes that occur."),
            place="export",
        )
    graph = facts.network.graph
    dynamic = [k for k in facts.network.kernels if any(name in graph.dynamic for name in k.outputs)]
    if dynamic:
        yield Finding(
            "dynamic-shape",
            "error",
            say("{count} {count:kernel has|kernels have} shapes that depend on values", count=len(dynamic)),
            say("{kernels}: no converter for this device can plan their memory.", kernels=names(dynamic)),
            say("Replace what makes them (NonZero, Where, NonMaxSuppression) or cut the model in front of it."),
            tuple(k.index for k in dynamic),
        )


def opset(facts: Facts) -> Iterator[Finding]:
    """An operator set that the converter doesn't read."""
    limits = OPSETS.get(facts.device.operators)
    version = facts.network.graph.opsets.get("", 0)
    if limits is None or not version or limits[0] <= version <= limits[1]:
        return
    yield Finding(
        "opset",
        "error",
        say("Opset {version} is out of range", version=version),
        say("The converter of this device reads opsets {low} to {high}.", low=limits[0], high=limits[1]),
        say("Export for this device: the model is written in an opset that it reads, where that keeps the results."),
        place="export",
    )


def node_names(facts: Facts) -> Iterator[Finding]:
    """Nodes that a toolchain can't be told about by name."""
    own = [node.proto.name for node in facts.network.graph.nodes]
    uses = Counter(own)
    bad = {node.index for node in facts.network.graph.nodes if not node.proto.name or uses[node.proto.name] > 1}
    if not bad:
        return
    kernels = [k for k in facts.network.kernels if any(node.index in bad for node in k.nodes)]
    yield Finding(
        "node-names",
        "warning",
        say("{count} {count:node has no name of its own|nodes have no name of their own}", count=len(bad)),
        say("{kernels}: toolchains know layers by name.", kernels=names(kernels)),
        say("Use the model that the export writes beside its configuration; there every node has a name."),
        tuple(k.index for k in kernels),
        place="export",
    )


def layouts(facts: Facts) -> Iterator[Finding]:
    """Conversions of inputs and outputs between NCHW and NHWC, and packed weights that formats lay out differently.

    A Transpose between other operators, as in attention, belongs to the model: no layout of the input takes it out.
    """
    outside = _outside(facts.network.graph)
    turned = [k for k in facts.network.kernels if any(n.index in outside and _turns(n) for n in k.nodes)]
    if turned:
        cost = _latency(facts, [k for k in turned if k.kind is Kind.MOVEMENT])
        yield Finding(
            "layout",
            "warning" if cost and facts.simulation and cost > _MUCH * facts.simulation.latency_us else "info",
            say("{count} {count:kernel turns|kernels turn} NCHW into NHWC or back", count=len(turned)),
            say("{kernels}: {time} of each run.", kernels=names(turned), time=latency(cost or 0.0)),
            say("Feed the model in NCHW and take the Transpose out: the device has its own layout in between."),
            tuple(k.index for k in turned),
            cost,
            place="timeline",
        )
    packed = [k for k in facts.network.tunable if k.kind in (Kind.MATMUL, Kind.GEMM) and _low(facts, k)]
    if packed:
        yield Finding(
            "packed-layout",
            "info",
            say("{count} {count:matrix product has|matrix products have} packed 4-bit weights", count=len(packed)),
            say("{kernels}: .om keeps weights row by row as [K, N], .ms transposed as [N, K].", kernels=names(packed)),
            say("Never hand raw weight files from one to the other; convert each from the exported model."),
            tuple(k.index for k in packed),
            place="export",
        )


def channels(facts: Facts) -> Iterator[Finding]:
    """Channels that don't fill the blocks of the matrix unit."""
    wasted: list[tuple[float, Kernel]] = []
    for kernel in facts.network.tunable:
        if kernel.weight is None or kernel.kind not in (Kind.CONV, Kind.GEMM, Kind.MATMUL):
            continue
        scheme = facts.plan.scheme(kernel.id)
        block = 32 if not scheme.activations.floating and scheme.activations.bits <= 8 else CUBE
        shape = kernel.weight.shape
        out = prod(shape[a] for a in kernel.weight.channel_axes)
        into = shape[kernel.weight.reduction_axes[0]] if kernel.weight.reduction_axes else block
        if kernel.kind is Kind.CONV and into <= FEW_CHANNELS:
            into = block
        filled = into * out / (-(-into // block) * block * -(-out // block) * block)
        if filled < 1:
            wasted.append((1 - filled, kernel))
    if not wasted:
        return
    cost = None
    if facts.simulation is not None:
        cost = sum(part * facts.simulation.kernels[k.index].cube_us for part, k in wasted)
        wasted.sort(key=lambda pair: -pair[0] * facts.simulation.kernels[pair[1].index].cube_us)  # type: ignore[union-attr]
    whole = facts.simulation.latency_us if facts.simulation else 0.0
    kernels = [k for _, k in wasted]
    yield Finding(
        "channels",
        "warning" if cost and cost > _MUCH * whole else "info",
        say(
            "{count} {count:kernel has|kernels have} channels that are no multiple of 16 (INT8: 32)",
            count=len(kernels),
        ),
        say("{kernels}: up to {part} of a kernel's matrix work is padding, {time} in all.", kernels=names(kernels),
            part=share(max(part for part, _ in wasted)), time=latency(cost or 0.0)),
        say("Round the channels up when you train: it costs no time on this device."),
        tuple(k.index for k in kernels),
        cost,
    )  # fmt: skip


def constants(facts: Facts) -> Iterator[Finding]:
    """Large constants that repeat one value or one row: they are read in each run and could be broadcast."""
    saved = 0
    kernels = []
    for kernel in facts.network.kernels:
        own = {w.constant for w in kernel.weights} | {w.bias for w in kernel.weights}
        extra = sum(_repeated(a) for name, a in kernel.constants.items() if name not in own)
        if extra:
            saved += extra
            kernels.append((extra, kernel))
    if not kernels:
        return
    kernels.sort(key=lambda pair: -pair[0])
    listed = [k for _, k in kernels]
    yield Finding(
        "constants",
        "warning",
        say("Constants repeat themselves over {size}", size=amount(saved)),
        say("{kernels}: stored and read in each run.", kernels=names(listed)),
        say("Store one row or one number and let the operator broadcast it."),
        tuple(k.index for k in listed),
        cost_bytes=saved,
        place="memory",
    )


def _repeated(array: Array) -> int:
    """Bytes that broadcasting would save."""
    if array.nbytes < LARGE_CONSTANT or array.dtype.kind not in "biuf":
        return 0
    kept = array
    for axis in range(array.ndim):
        if kept.shape[axis] > 1:
            first = kept.take([0], axis)
            second = kept.take([kept.shape[axis] - 1], axis)
            if np.array_equal(first, second) and bool((kept == first).all()):
                kept = first
    return int(array.nbytes - kept.nbytes)


def _outside(graph: Graph) -> set[int]:
    """Indices of nodes that read a model input or make a model output, with nothing between but `_keeps_elements`."""
    found: set[int] = set()
    reached = {info.name for info in graph.inputs}
    for node in graph.nodes:
        if reached.intersection(node.proto.input):
            found.add(node.index)
            if _keeps_elements(node, graph):
                reached.update(node.proto.output)
    reached = {info.name for info in graph.outputs}
    for node in reversed(graph.nodes):
        if reached.intersection(node.proto.output):
            found.add(node.index)
            if _keeps_elements(node, graph):
                reached.update(node.proto.input)
    return found


def _keeps_elements(node: Node, graph: Graph) -> bool:
    """Casts, reshapes, and arithmetic of one activation with constants."""
    if node.op_type in _SCALES:
        return sum(name not in graph.constants for name in node.proto.input) == 1
    return node.op_type in _RESHAPES


def _turns(node: object) -> bool:
    if getattr(node, "op_type", "") != "Transpose":
        return False
    perm = attribute(node, "perm", ())  # type: ignore[arg-type]
    return tuple(perm) in (_TO_NCHW, _TO_NHWC) if isinstance(perm, (list, tuple)) else False


def _low(facts: Facts, kernel: Kernel) -> bool:
    weights = facts.plan.scheme(kernel.id).weights
    return not weights.floating and weights.bits <= 4


def _latency(facts: Facts, kernels: list[Kernel]) -> float | None:
    if facts.simulation is None:
        return None
    return sum(facts.simulation.kernels[k.index].latency_us for k in kernels)
