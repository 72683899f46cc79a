"""Workload: a kernel as the timing model sees it, free of any precision and device."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, prod
from typing import Literal

import msgspec

from engine.fusion.types import Kernel, Kind, Network
from engine.graph.types import Node, TensorInfo
from engine.npu.formats import CUBE_KINDS
from engine.npu.operators import NO_PASSES, VIEWS, Passes, attribute, passes
from engine.npu.products import Product, product, shape_of
from engine.npu.results import Unit

Layout = Literal["flat", "blocked"]
"""flat = as in the file (NCHW, ND); blocked = NC1HWC0."""
_BLOCKED_KINDS = frozenset({Kind.CONV, Kind.DEPTHWISE, Kind.CONV_TRANSPOSE, Kind.POOL})
_ANY_LAYOUT = frozenset({Kind.ELEMENTWISE, Kind.REDUCE, Kind.OTHER})
_FREE_EPILOGUE = frozenset({"Relu", "Clip", "Add", "LeakyRelu", "BatchNormalization"})
"""What the way out of L0C does without the Vector unit on a device that has it."""
CHANNEL_BLOCK = 16
"""FP16 channels of a block of NC1HWC0."""
_PRECISION = frozenset({
    "QuantizeLinear", "DequantizeLinear", "com.microsoft.QuantizeLinear", "com.microsoft.DequantizeLinear",
})  # fmt: skip
_SELECTING = frozenset({"Gather", "GatherND", "GatherElements", "Slice"})
_LOOKING_UP = _SELECTING | {"GatherBlockQuantized"}
_REORDERING = frozenset({"Transpose", "DepthToSpace", "SpaceToDepth"})
_WINDOWS = frozenset({"MaxPool", "AveragePool", "LpPool"})
_KEEPING = frozenset({"Concat", "Slice", "Split", "Pad", "Identity", "Resize", "Upsample"})
"""Movements that take the layout of their input."""


class Use(msgspec.Struct, frozen=True, gc=False):
    """A tensor that a kernel reads or writes."""

    tensor: str
    elements: int
    read: int
    """Elements that really move (a Slice reads less than its input)."""
    channels: int
    """Size of axis 1 of a tensor with spatial axes, else 0: what NC1HWC0 pads."""
    itemsize: int
    """Bytes per element that can't change (integers, booleans); 0 for floats, whose format the plan decides."""


class Workload(msgspec.Struct, frozen=True, gc=False):
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
    batch: int
    """Leading size that all tensors share: what the kernel can be sliced by; 1 = nothing."""
    macs: int
    """Multiply-accumulates that count, without padding."""

    @property
    def largest(self) -> int:
        """Elements of the largest tensor that is read or written."""
        return max([use.elements for use in (*self.inputs, *self.outputs)], default=0)


def work_of(network: Network) -> tuple[Workload, ...]:
    """What every kernel has to do, from its nodes and the shapes of its tensors, in execution order."""
    uses = {name: _use(info) for name, info in network.tensors.items()}
    outside = frozenset(info.name for info in network.graph.inputs)
    return tuple(_work(kernel, network, uses, outside) for kernel in network.kernels)


def shape_key(work: Workload) -> object:
    """Equal for kernels that differ in their names only: they cost the same if they move the same."""
    return (
        work.kind, work.unit, work.layout, work.product, work.weight_elements, work.weight_share,
        work.constant_elements, work.vector, work.vector_free, work.moves, work.joins, work.contiguous, work.reorders,
        work.batch, work.macs, work.largest,
    )  # fmt: skip


def _work(kernel: Kernel, network: Network, uses: Mapping[str, Use], outside: frozenset[str]) -> Workload:
    anchor, kind = kernel.nodes[kernel.anchor], kernel.kind
    found = product(kernel, network)
    vector, free = _vector(kernel, uses, found)
    weight = sum([prod(each.shape) for each in kernel.weights])
    share = _weight_share(kernel, network, weight)
    movement = kind is Kind.MOVEMENT
    joins = movement and _joins_blocks(kernel, network, anchor, outside)
    moves = not movement or not (joins or all(node.op_type in VIEWS for node in kernel.nodes))
    return Workload(
        index=kernel.index,
        kind=kind,
        unit=_unit(kind, moves),
        layout=_layout(kind, anchor),
        product=found,
        weight_elements=weight,
        weight_share=share,
        # Shapes and axes of a kernel that moves nothing are known before the run.
        constant_elements=_constant_elements(kernel, network, share) if moves else 0,
        inputs=tuple([_read(uses[name], kernel, anchor, uses) for name in kernel.inputs if name in uses]),
        outputs=tuple([uses[name] for name in kernel.outputs if name in uses]),
        vector=vector,
        vector_free=free,
        moves=moves,
        joins=joins,
        contiguous=joins and all(network.tensors[name].shape[0] == 1 for name in kernel.outputs),
        reorders=not _REORDERING.isdisjoint([node.op_type for node in kernel.nodes]),
        batch=_batch(kernel, network),
        macs=kernel.macs,
    )


def _batch(kernel: Kernel, network: Network) -> int:
    leading = {shape[0] if (shape := network.tensors[name].shape) else 1
               for name in (*kernel.inputs, *kernel.outputs) if name in network.tensors}  # fmt: skip
    return max(1, leading.pop()) if len(leading) == 1 else 1


def _weight_share(kernel: Kernel, network: Network, elements: int) -> float:
    if kernel.kind is not Kind.EMBEDDING or not elements:
        return 1.0
    outputs = kernel.nodes[kernel.anchor].outputs
    return min(1.0, prod(shape_of(outputs[0], kernel, network)) / elements)


def _constant_elements(kernel: Kernel, network: Network, share: float) -> int:
    """Elements read of the constants that are no weights; of a constant that is only selected from, the selection."""
    weights = [each.constant for each in kernel.weights]
    if _LOOKING_UP.isdisjoint([node.op_type for node in kernel.nodes]):
        return sum([array.size for name, array in kernel.constants.items() if array.ndim and name not in weights])
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


def _joins_blocks(kernel: Kernel, network: Network, anchor: Node, outside: frozenset[str]) -> bool:
    """Whether a Concat or Split runs along channels that all fill blocks of 16."""
    if len(kernel.nodes) != 1 or anchor.op_type not in ("Concat", "Split"):
        return False
    if anchor.op_type == "Concat" and kernel.constants:
        return False  # a constant part has no producer that could write it in place
    parts = kernel.inputs if anchor.op_type == "Concat" else kernel.outputs
    if outside.intersection(kernel.inputs):
        return False
    shapes = [network.tensors[name].shape for name in parts if name in network.tensors]
    return attribute(anchor, "axis", 0) == 1 and all(
        len(shape) == 4 and shape[1] % CHANNEL_BLOCK == 0 for shape in shapes
    )


def _unit(kind: Kind, moves: bool) -> Unit:
    if kind in CUBE_KINDS:
        return "Cube"
    if kind is Kind.MOVEMENT or kind is Kind.EMBEDDING:
        return "MTE" if moves else "-"
    return "Vector"


def _layout(kind: Kind, anchor: Node) -> Layout | None:
    if kind in _BLOCKED_KINDS:
        return "blocked"
    if kind in _ANY_LAYOUT or (kind is Kind.MOVEMENT and anchor.op_type in _KEEPING):
        return None
    return "flat"


def _use(info: TensorInfo) -> Use:
    elements, kind = info.elements, info.dtype.kind
    itemsize = 0 if kind in "fVc" else min(info.dtype.itemsize, 4)
    channels = info.shape[1] if len(info.shape) in (3, 4, 5) else 0
    return Use(info.name, elements, elements, channels, itemsize)


def _read(use: Use, kernel: Kernel, anchor: Node, uses: Mapping[str, Use]) -> Use:
    """A read tensor; selecting operators fetch only what they pass on."""
    if anchor.op_type in _SELECTING and anchor.inputs[:1] == (use.tensor,):
        passed = sum(uses[out].elements for out in kernel.outputs if out in uses)
        return Use(use.tensor, use.elements, min(passed, use.elements), use.channels, use.itemsize)
    return use


def _vector(kernel: Kernel, uses: Mapping[str, Use], found: Product) -> tuple[Passes, Passes]:
    """Vector work of all nodes, and the part that a fixpipe takes over."""
    total, free = NO_PASSES, NO_PASSES
    cube = kernel.kind in CUBE_KINDS
    if kernel.kind is Kind.CONV_TRANSPOSE or kernel.kind is Kind.RECURRENT:
        # Overlap-add of a transposed convolution, gates of a recurrent step.
        extra = (1.0 if kernel.kind is Kind.CONV_TRANSPOSE else 4.0) * found.m * found.n * found.groups
        total = (0.0, extra, 0.0, 0.0, 0.0)
    for position, node in enumerate(kernel.nodes):
        if (cube and position == kernel.anchor) or only_precision(node, kernel):
            continue
        cost = _pool(node, kernel, uses) if node.op_type in _WINDOWS else passes(node, kernel.constants)
        if cost is NO_PASSES:
            continue
        elements = _elements(node, kernel, uses)
        total = _plus(total, cost, elements)
        if cube and position > kernel.anchor and node.op_type in _FREE_EPILOGUE:
            free = _plus(free, cost, elements)
    return total, free


def _plus(total: Passes, cost: Passes, elements: int) -> Passes:
    one, two, exp, div, reduce = total
    more = cost
    return (
        one + more[0] * elements,
        two + more[1] * elements,
        exp + more[2] * elements,
        div + more[3] * elements,
        reduce + more[4] * elements,
    )


def only_precision(node: Node, kernel: Kernel) -> bool:
    """Whether a node says how a tensor is stored rather than what is computed.

    A pair of Quantize and Dequantize around other work is the precision that its kernel reads or writes; by itself it
    is work.
    """
    return node.op_type in _PRECISION and any(other.op_type not in _PRECISION for other in kernel.nodes)


def _elements(node: Node, kernel: Kernel, uses: Mapping[str, Use]) -> int:
    """Elements of the larger of a node's first input and output."""
    largest = 0
    for name in (*node.inputs[:1], *node.outputs[:1]):
        if name:
            largest = max(largest, _size(name, kernel, uses))
    return largest


def _size(name: str, kernel: Kernel, uses: Mapping[str, Use]) -> int:
    constant = kernel.constants.get(name)
    if constant is not None:
        return int(constant.size)
    use = uses.get(name)
    return 1 if use is None else use.elements


def _pool(node: Node, kernel: Kernel, uses: Mapping[str, Use]) -> Passes:
    """Two-source passes of a window: over the output once per position, or column by column and then row by row."""
    window, strides = (_integers(attribute(node, name, ())) for name in ("kernel_shape", "strides"))
    size = prod(window)
    if len(window) == 2:
        size = min(size, window[0] * (strides[1] if len(strides) == 2 else 1) + window[1])
    out = _size(node.outputs[0], kernel, uses)
    return 0.0, size * out / max(1, _elements(node, kernel, uses)), 0.0, 0.0, 0.0


def _integers(value: object) -> tuple[int, ...]:
    return tuple(int(entry) for entry in value) if isinstance(value, (list, tuple)) else ()
