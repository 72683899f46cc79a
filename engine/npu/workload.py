"""Workload: a kernel as the timing model sees it, free of any precision and device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, prod
from typing import Literal

from engine.fusion.types import Kernel, Kind, Network
from engine.graph.types import Node, TensorInfo
from engine.npu.formats import CUBE_KINDS
from engine.npu.operators import NO_PASSES, VIEWS, Passes, attribute, passes
from engine.npu.products import Product, product, shape_of
from engine.npu.results import Unit

Layout = Literal["flat", "blocked"]
"""flat = as in the file (NCHW, ND); blocked = NC1HWC0."""
_BLOCKED_KINDS = frozenset({Kind.CONV, Kind.DEPTHWISE, Kind.CONV_TRANSPOSE})
_FREE_EPILOGUE = frozenset({"Relu", "Clip", "Add", "LeakyRelu", "BatchNormalization"})
"""What the way out of L0C does without the Vector unit on a device that has it."""
CHANNEL_BLOCK = 16
"""FP16 channels of a block of NC1HWC0."""
_PRECISION = frozenset({
    "QuantizeLinear", "DequantizeLinear", "com.microsoft.QuantizeLinear", "com.microsoft.DequantizeLinear",
})  # fmt: skip
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
    product: Product
    """What the anchor multiplies."""
    weight_elements: int
    """Elements of the constant right operand; 0 if both operands are activations."""
    weight_share: float
    """Part of the weights that one run reads: the rows that are looked up of a table, else 1."""
    constant_elements: int
    """Other constants that one run reads: biases, scales of norms, looked-up rows."""
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
    found = product(kernel, network)
    vector, free = _vector(kernel, network, found)
    weight = sum(prod(each.shape) for each in kernel.weights)
    share = _weight_share(kernel, network, weight)
    joins = _joins_blocks(kernel, network, anchor)
    moves = kernel.kind is not Kind.MOVEMENT or not (joins or all(node.op_type in VIEWS for node in kernel.nodes))
    return Workload(
        index=kernel.index,
        kind=kernel.kind,
        unit=_unit(kernel, moves),
        layout=_layout(kernel, anchor),
        product=found,
        weight_elements=weight,
        weight_share=share,
        # Shapes and axes of a kernel that moves nothing are known before the run.
        constant_elements=_constant_elements(kernel, network, share) if moves else 0,
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


def _weight_share(kernel: Kernel, network: Network, elements: int) -> float:
    if kernel.kind is not Kind.EMBEDDING or not elements:
        return 1.0
    outputs = kernel.nodes[kernel.anchor].outputs
    return min(1.0, prod(shape_of(outputs[0], kernel, network)) / elements)


def _constant_elements(kernel: Kernel, network: Network, share: float) -> int:
    """Elements read of the constants that are no weights; of a constant that is only selected from, the selection."""
    weights = {each.constant for each in kernel.weights}
    anchor = kernel.nodes[kernel.anchor]
    blocks = set(anchor.inputs[2:]) if anchor.op_type == "GatherBlockQuantized" else set()
    total = 0
    for name, constant in kernel.constants.items():
        if name in weights or not constant.ndim:
            continue
        if name in blocks:
            total += ceil(constant.size * share)  # scales and zero points are looked up with the rows
            continue
        readers = [node for node in kernel.nodes if name in node.inputs]
        if readers and all(node.op_type in _SELECTING and node.inputs[0] == name for node in readers):
            selected = sum(prod(shape_of(node.outputs[0], kernel, network)) for node in readers)
            total += min(constant.size, selected)
        else:
            total += constant.size
    return total


def _joins_blocks(kernel: Kernel, network: Network, anchor: Node) -> bool:
    """Whether a Concat or Split runs along channels that all fill blocks of 16."""
    if kernel.kind is not Kind.MOVEMENT or len(kernel.nodes) != 1 or anchor.op_type not in ("Concat", "Split"):
        return False
    if anchor.op_type == "Concat" and kernel.constants:
        return False  # a constant part has no producer that could write it in place
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


def _vector(kernel: Kernel, network: Network, found: Product) -> tuple[Passes, Passes]:
    """Vector work of all nodes, and the part that a fixpipe takes over."""
    total, free = list(NO_PASSES), list(NO_PASSES)
    cube = kernel.kind in CUBE_KINDS
    if cube and kernel.kind in (Kind.CONV_TRANSPOSE, Kind.RECURRENT):
        # Overlap-add of a transposed convolution, gates of a recurrent step.
        total[1] += (1.0 if kernel.kind is Kind.CONV_TRANSPOSE else 4.0) * found.m * found.n * found.groups
    for position, node in enumerate(kernel.nodes):
        if (cube and position == kernel.anchor) or only_precision(node, kernel):
            continue
        elements = _elements(node, kernel, network)
        cost = _pool(node, kernel, network) or passes(node, _scalar(node, kernel))
        for kind, count in enumerate(cost):
            total[kind] += count * elements
        if cube and node.op_type in _FREE_EPILOGUE and position > kernel.anchor:
            for kind, count in enumerate(cost):
                free[kind] += count * elements
    return _passes(total), _passes(free)


def only_precision(node: Node, kernel: Kernel) -> bool:
    """Whether a node says how a tensor is stored rather than what is computed.

    A pair of Quantize and Dequantize around other work is the precision that its kernel reads or writes; by itself it
    is work.
    """
    return node.op_type in _PRECISION and any(other.op_type not in _PRECISION for other in kernel.nodes)


def _elements(node: Node, kernel: Kernel, network: Network) -> int:
    names = (*node.inputs[:1], *node.outputs[:1])
    return max((prod(shape_of(name, kernel, network)) for name in names if name), default=0)


def _pool(node: Node, kernel: Kernel, network: Network) -> Passes | None:
    """Two-source passes of a window: over the output once per position, or column by column and then row by row."""
    if node.op_type not in ("MaxPool", "AveragePool", "LpPool"):
        return None
    window, strides = (_integers(attribute(node, name, ())) for name in ("kernel_shape", "strides"))
    size = prod(window)
    if len(window) == 2:
        size = min(size, window[0] * (strides[1] if len(strides) == 2 else 1) + window[1])
    out = prod(shape_of(node.outputs[0], kernel, network))
    return 0.0, size * out / max(1, _elements(node, kernel, network)), 0.0, 0.0, 0.0


def _integers(value: object) -> tuple[int, ...]:
    return tuple(int(entry) for entry in value) if isinstance(value, (list, tuple)) else ()


def _scalar(node: Node, kernel: Kernel) -> bool:
    return len(node.inputs) > 1 and node.inputs[1] in kernel.constants and kernel.constants[node.inputs[1]].size == 1


def _passes(values: Sequence[float]) -> Passes:
    one, two, exp, div, reduce = values
    return one, two, exp, div, reduce
