"""Workload: a kernel as the timing model sees it, free of any precision and device.

Matrix view of convolutions: im2col, M = batch * output positions, K = input channels * taps, N = output channels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

from engine.fusion.types import Kernel, Kind, Network
from engine.graph.types import Node, TensorInfo
from engine.npu.formats import CUBE_KINDS
from engine.npu.operators import NO_PASSES, VIEWS, Passes, attribute, passes
from engine.npu.results import Unit

Layout = Literal["flat", "blocked"]
"""flat = as in the file (NCHW, ND); blocked = NC1HWC0."""
_BLOCKED_KINDS = frozenset({Kind.CONV, Kind.DEPTHWISE, Kind.CONV_TRANSPOSE})
_FREE_EPILOGUE = frozenset({"Relu", "Clip", "Add", "LeakyRelu", "BatchNormalization"})
"""What the way out of L0C does without the Vector unit on a device that has it."""
CHANNEL_BLOCK = 16
"""FP16 channels of a block of NC1HWC0."""
_SELECTING = frozenset({"Gather", "GatherND", "GatherElements", "Slice"})
_REORDERING = frozenset({"Transpose", "DepthToSpace", "SpaceToDepth"})


@dataclass(frozen=True, slots=True)
class Use:
    """A tensor that a kernel reads or writes."""

    tensor: str
    elements: int
    read: int
    """Elements that really move (a Slice reads less than its input)."""
    channels: int
    """Size of axis 1 of a tensor with spatial axes, else 0: what NC1HWC0 pads."""
    itemsize: int
    """Bytes per element that can't change (integers, booleans); 0 for floats, whose format the plan decides."""


@dataclass(frozen=True, slots=True)
class Workload:
    """What one kernel has to do."""

    index: int
    kind: Kind
    unit: Unit
    layout: Layout | None
    """Layout that the kernel reads and writes; None = whatever its first input has."""
    m: int
    n: int
    k: int
    groups: int
    """Independent products of [M, K] x [K, N]: convolution groups, batch of a MatMul, time steps."""
    taps: int
    """Kernel positions of a convolution, else 1; K = channels * taps."""
    stationary: bool
    """Whether all groups use the same right operand (time steps of a recurrent kernel)."""
    weight_elements: int
    """Elements of the constant right operand; 0 if both operands are activations."""
    constant_elements: int
    """Other constants: biases, scales of norms, tables."""
    inputs: tuple[Use, ...]
    outputs: tuple[Use, ...]
    vector: Passes
    """Elements through the Vector unit by kind of instruction."""
    vector_free: Passes
    """The part of `vector` that a device with a fixpipe does on the way out of L0C."""
    moves: bool
    """Whether data moves at all (a pure renaming doesn't)."""
    joins: bool
    """Whether it joins or splits whole channel blocks, which its neighbours do in place."""
    contiguous: bool
    """Whether its parts lie one after the other in the whole (batch 1)."""
    reorders: bool
    """Whether the movement changes the order of elements (Transpose) and runs at the transpose rate."""
    macs: int
    """Multiply-accumulates that count, without padding."""


def workload(kernel: Kernel, network: Network) -> Workload:
    """What a kernel has to do, from its nodes and the shapes of its tensors."""
    anchor = kernel.nodes[kernel.anchor]
    tensors = network.tensors
    inputs = tuple(_read(name, kernel, network) for name in kernel.inputs if name in tensors)
    outputs = tuple(_use(tensors[name]) for name in kernel.outputs if name in tensors)
    m, n, k, groups, taps, stationary = _matrix(kernel, network, anchor)
    vector, free = _vector(kernel, network)
    weight = prod(kernel.weight.shape) if kernel.weight is not None else 0
    weight_name = kernel.weight.constant if kernel.weight is not None else ""
    joins = _joins_blocks(kernel, network, anchor)
    moves = kernel.kind is not Kind.MOVEMENT or not (joins or all(node.op_type in VIEWS for node in kernel.nodes))
    return Workload(
        index=kernel.index,
        kind=kernel.kind,
        unit=_unit(kernel, moves),
        layout=_layout(kernel, anchor),
        m=m,
        n=n,
        k=k,
        groups=groups,
        taps=taps,
        stationary=stationary,
        weight_elements=weight,
        constant_elements=sum(a.size for name, a in kernel.constants.items() if name != weight_name and a.ndim > 0),
        inputs=inputs,
        outputs=outputs,
        vector=vector,
        vector_free=free,
        moves=moves,
        joins=joins,
        contiguous=joins and all(network.tensors[name].shape[0] == 1 for name in kernel.outputs),
        reorders=any(node.op_type in _REORDERING for node in kernel.nodes),
        macs=kernel.macs,
    )


def _joins_blocks(kernel: Kernel, network: Network, anchor: Node) -> bool:
    """Whether a Concat or Split runs along channels that all fill blocks of 16."""
    if kernel.kind is not Kind.MOVEMENT or len(kernel.nodes) != 1 or anchor.op_type not in ("Concat", "Split"):
        return False
    parts = kernel.inputs if anchor.op_type == "Concat" else kernel.outputs
    outside = {info.name for info in network.graph.inputs}
    if outside.intersection(kernel.inputs):
        return False
    shapes = [network.tensors[name].shape for name in parts if name in network.tensors]
    return attribute(anchor, "axis", 0) == 1 and all(
        len(shape) == 4 and shape[1] % CHANNEL_BLOCK == 0 for shape in shapes
    )


def _unit(kernel: Kernel, moves: bool) -> Unit:
    if kernel.kind in CUBE_KINDS:
        return "Cube"
    if kernel.kind in (Kind.MOVEMENT, Kind.EMBEDDING):
        return "MTE" if moves else "-"
    return "Vector"


def _layout(kernel: Kernel, anchor: Node) -> Layout | None:
    if kernel.kind in _BLOCKED_KINDS:
        return "blocked"
    if kernel.kind is Kind.POOL:
        return "blocked"
    if kernel.kind in (Kind.ELEMENTWISE, Kind.REDUCE, Kind.OTHER):
        return None
    keeps = ("Concat", "Slice", "Split", "Pad", "Identity", "Resize", "Upsample")
    if kernel.kind is Kind.MOVEMENT and anchor.op_type in keeps:
        return None
    return "flat"


def _use(info: TensorInfo, read: int | None = None) -> Use:
    elements = info.elements
    itemsize = 0 if info.dtype.kind in ("f", "V", "c") else min(info.dtype.itemsize, 4)
    channels = info.shape[1] if len(info.shape) in (3, 4, 5) else 0
    return Use(info.name, elements, elements if read is None else min(read, elements), channels, itemsize)


def _read(name: str, kernel: Kernel, network: Network) -> Use:
    """A read tensor; selecting operators fetch only what they pass on."""
    info = network.tensors[name]
    anchor = kernel.nodes[kernel.anchor]
    if anchor.op_type in _SELECTING and anchor.inputs[:1] == (name,):
        return _use(info, sum(network.tensors[out].elements for out in kernel.outputs if out in network.tensors))
    return _use(info)


def _matrix(kernel: Kernel, network: Network, anchor: Node) -> tuple[int, int, int, int, int, bool]:
    """M, N, K, groups, taps, stationary; zeros for a kernel without a matrix product."""
    if kernel.kind in (Kind.CONV, Kind.DEPTHWISE):
        return _convolution(kernel, network, anchor)
    if kernel.kind is Kind.CONV_TRANSPOSE:
        return _transposed(kernel, network, anchor)
    if kernel.kind in (Kind.GEMM, Kind.MATMUL) and kernel.weight is not None:
        shape = kernel.weight.shape
        n = prod(shape[axis] for axis in kernel.weight.channel_axes) or 1
        k = prod(shape[axis] for axis in kernel.weight.reduction_axes) or 1
        return max(1, round(kernel.macs / (n * k))), n, k, 1, 1, False
    if kernel.kind in (Kind.GEMM, Kind.MATMUL, Kind.MATMUL_DYNAMIC):
        return _dynamic(kernel, network, anchor)
    if kernel.kind is Kind.RECURRENT:
        return _recurrent(kernel, network, anchor)
    return 0, 0, 0, 0, 1, False


def _shape(name: str, kernel: Kernel, network: Network) -> tuple[int, ...]:
    if name in kernel.constants:
        return tuple(kernel.constants[name].shape)
    info = network.tensors.get(name)
    return info.shape if info is not None else ()


def _convolution(kernel: Kernel, network: Network, anchor: Node) -> tuple[int, int, int, int, int, bool]:
    shape = kernel.weight.shape if kernel.weight is not None else _shape(anchor.inputs[1], kernel, network)
    groups = _integer(attribute(anchor, "group", 1))
    cout, cin, taps = shape[0], shape[1], prod(shape[2:])
    out = _shape(anchor.outputs[0], kernel, network)
    positions = out[0] * prod(out[2:]) if out else round(kernel.macs / max(1, prod(shape)))
    return max(1, positions), max(1, cout // groups), cin * taps, groups, taps, False


def _transposed(kernel: Kernel, network: Network, anchor: Node) -> tuple[int, int, int, int, int, bool]:
    """A product of every input position with all taps; the scatter into the output is Vector work."""
    shape = kernel.weight.shape if kernel.weight is not None else _shape(anchor.inputs[1], kernel, network)
    groups = _integer(attribute(anchor, "group", 1))
    cin, cout, taps = shape[0], shape[1], prod(shape[2:])
    source = _shape(anchor.inputs[0], kernel, network)
    positions = source[0] * prod(source[2:]) if source else round(kernel.macs / max(1, prod(shape)))
    return max(1, positions), cout * taps, max(1, cin // groups), groups, 1, False


def _dynamic(kernel: Kernel, network: Network, anchor: Node) -> tuple[int, int, int, int, int, bool]:
    left, right = (_shape(name, kernel, network) for name in anchor.inputs[:2])
    if not left or not right:
        return 1, 1, max(1, kernel.macs), 1, 1, False
    m = left[-2] if len(left) > 1 else 1
    k = left[-1]
    if anchor.op_type == "Gemm" and attribute(anchor, "transA", 0):
        m, k = k, m
    n = right[-1] if len(right) > 1 else 1
    if anchor.op_type == "Gemm" and attribute(anchor, "transB", 0):
        n = right[0]
    groups = max(prod(left[:-2]), prod(right[:-2]), 1)
    return max(1, m), max(1, n), max(1, k), groups, 1, False


def _recurrent(kernel: Kernel, network: Network, anchor: Node) -> tuple[int, int, int, int, int, bool]:
    """One product per time step and direction: [batch, input + hidden] x [input + hidden, gates * hidden]."""
    source = _shape(anchor.inputs[0], kernel, network)
    gates = _shape(anchor.inputs[1], kernel, network)
    hidden = _shape(anchor.inputs[2], kernel, network)
    if len(source) < 3 or len(gates) < 3 or len(hidden) < 3:
        return 1, 1, max(1, kernel.macs), 1, 1, True
    return max(1, source[1]), gates[1], gates[2] + hidden[2], max(1, source[0] * gates[0]), 1, True


def _integer(value: object) -> int:
    return value if isinstance(value, int) else 1


def _vector(kernel: Kernel, network: Network) -> tuple[Passes, Passes]:
    """Vector work of all nodes, and the part that a fixpipe takes over."""
    total, free = list(NO_PASSES), list(NO_PASSES)
    cube = kernel.kind in CUBE_KINDS
    if cube and kernel.kind in (Kind.CONV_TRANSPOSE, Kind.RECURRENT):
        total[1] += _scatter(kernel, network)
    for position, node in enumerate(kernel.nodes):
        if cube and position == kernel.anchor:
            continue
        elements = _elements(node, kernel, network)
        cost = _pool(node, kernel, network) or passes(node, _scalar(node, kernel))
        for kind, count in enumerate(cost):
            total[kind] += count * elements
        if cube and node.op_type in _FREE_EPILOGUE and position > kernel.anchor:
            for kind, count in enumerate(cost):
                free[kind] += count * elements
    return _passes(total), _passes(free)


def _scatter(kernel: Kernel, network: Network) -> float:
    """Two-source Vector elements of the anchor itself: overlap-add of ConvTranspose, gates of a recurrent step."""
    anchor = kernel.nodes[kernel.anchor]
    m, n, _, groups, _, _ = _matrix(kernel, network, anchor)
    per_element = 1.0 if kernel.kind is Kind.CONV_TRANSPOSE else 4.0
    return per_element * m * n * groups


def _elements(node: Node, kernel: Kernel, network: Network) -> int:
    names = (*node.inputs[:1], *node.outputs[:1])
    return max((prod(_shape(name, kernel, network)) for name in names if name), default=0)


def _pool(node: Node, kernel: Kernel, network: Network) -> Passes | None:
    """Two-source passes of a window: over the output once per position, or column by column and then row by row."""
    if node.op_type not in ("MaxPool", "AveragePool", "LpPool"):
        return None
    window, strides = (_integers(attribute(node, name, ())) for name in ("kernel_shape", "strides"))
    size = prod(window)
    if len(window) == 2:
        size = min(size, window[0] * (strides[1] if len(strides) == 2 else 1) + window[1])
    out = prod(_shape(node.outputs[0], kernel, network))
    return 0.0, size * out / max(1, _elements(node, kernel, network)), 0.0, 0.0, 0.0


def _integers(value: object) -> tuple[int, ...]:
    return tuple(int(entry) for entry in value) if isinstance(value, (list, tuple)) else ()


def _scalar(node: Node, kernel: Kernel) -> bool:
    return len(node.inputs) > 1 and node.inputs[1] in kernel.constants and kernel.constants[node.inputs[1]].size == 1


def _passes(values: Sequence[float]) -> Passes:
    one, two, exp, div, reduce = values
    return one, two, exp, div, reduce
