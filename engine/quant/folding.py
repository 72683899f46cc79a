"""Where the scale of an activation's channels can go: backwards through what passes it on, into constants that take it.

The same walk serves two: on a network it says whether a layer's input can be scaled at no cost, and if not, why; on a
model that is being written it finds the constants that are changed (`engine.interop.scaled_model`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple
from weakref import WeakKeyDictionary

import onnx

from engine.fusion.types import Kernel, Network
from engine.graph.types import Array
from engine.text import Text, say

_PASSING = frozenset({
    "Relu", "LeakyRelu", "Identity", "Cast", "Dropout", "MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool",
})  # fmt: skip
"""f(c x) = c f(x) for positive c, channel by channel."""
_POOLS = frozenset({"MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool"})
_NORMS: Mapping[str, int] = {
    "LayerNormalization": -1, "SimplifiedLayerNormalization": -1, "RMSNormalization": -1, "InstanceNormalization": 1,
    "BatchNormalization": 1,
}  # fmt: skip
"""Norms whose second and third inputs are factors and shifts by channel, with the axis of the channels."""
_PRODUCTS: Mapping[str, int] = {"Conv": 1, "MatMul": -1, "Gemm": -1}
"""Products and the axis of their result along which the weight's channels lie."""


class Change(NamedTuple):
    """One node on the way, and what becomes of it."""

    node: onnx.NodeProto
    kind: str
    """"constants": inputs `at` are multiplied; "divisor": input 1 is divided; "limits": a Clip gets limits by channel;
    "product": weight and bias are multiplied."""
    at: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Way:
    """From an activation to where its scale ends up."""

    changes: tuple[Change, ...]
    tensors: tuple[str, ...]
    """Activations on the way that carry the scale, the first one included."""

    @property
    def end(self) -> onnx.NodeProto:
        """The node that takes the scale."""
        return self.changes[-1].node


@dataclass(frozen=True, eq=False)
class Flow:
    """Nodes in runnable order, as the walk sees them."""

    nodes: tuple[onnx.NodeProto, ...]
    constants: Mapping[str, Array]
    leaving: frozenset[str]
    """Outputs of the model."""
    captured: frozenset[str] = frozenset()
    """Activations that bodies of an If, Loop or Scan read."""
    made: Collection[str] = field(default=())
    """Names that nodes make out of constants alone: DequantizeLinear and what shapes its result."""

    @cached_property
    def makers(self) -> Mapping[str, onnx.NodeProto]:
        """The node behind each name."""
        return {name: node for node in self.nodes for name in node.output if name}

    @cached_property
    def readers(self) -> Mapping[str, list[onnx.NodeProto]]:
        """The nodes that read each name, as often as they do."""
        found: dict[str, list[onnx.NodeProto]] = {}
        for node in self.nodes:
            for name in node.input:
                found.setdefault(name, []).append(node)
        return found

    def fixed(self, name: str) -> bool:
        """Whether a name does not depend on the model's inputs."""
        return name in self.constants or name in self.made

    def way(self, tensor: str, axis: int) -> Way | Text:
        """How the scale of a tensor's channels gets into constants in front of it, or why it can't.

        Args:
            tensor: All that read it read the scaled one.
            axis: Of its channels: 1 or -1.
        """
        changes: list[Change] = []
        passed: list[str] = []
        while True:
            if tensor in self.leaving or tensor in self.captured:
                return say("what it reads also leaves the model or enters a branch, where no scale belongs")
            if passed and len(self.readers.get(tensor, ())) != 1:
                return say("what is in front of it also goes elsewhere, where no scale belongs")
            node = self.makers.get(tensor)
            if node is None:
                return say("it reads an input of the model, which takes no scale")
            passed.append(tensor)
            step = self._step(node, axis)
            if isinstance(step, Text):
                return step
            change, tensor = step
            changes += change
            if not tensor:
                return Way(tuple(changes), tuple(passed))

    def _step(self, node: onnx.NodeProto, axis: int) -> tuple[list[Change], str] | Text:
        """What happens at one node, and the activation to go on with ('' if the scale stays here)."""
        op = node.op_type
        if op in _PASSING and not (op in _POOLS and axis != 1) and len([n for n in node.output if n]) == 1:
            return [], node.input[0]
        if op == "Clip" and self._clips_around_zero(node):
            return [Change(node, "limits")], node.input[0]
        if op == "PRelu" and self.fixed(node.input[1]):
            return [], node.input[0]
        if op in ("Mul", "Div", "Add", "Sub"):
            return self._pair(node, axis)
        if _NORMS.get(op) == axis and all(name in self.constants for name in node.input[1:3]) and len(node.input) > 1:
            if _attribute(node, "axis", -1) != -1 and axis == -1:
                return say("the norm in front of it spans several axes")
            return [Change(node, "constants", tuple(range(1, min(3, len(node.input)))))], ""
        if _PRODUCTS.get(op) == axis and self.fixed(node.input[1]) and not self.fixed(node.input[0]):
            bias = len(node.input) < 3 or not node.input[2] or self.fixed(node.input[2])
            return ([Change(node, "product")], "") if bias else _unlike(op)
        return _unlike(op)

    def _pair(self, node: onnx.NodeProto, axis: int) -> tuple[list[Change], str] | Text:
        left, right = node.input
        known = [at for at in (0, 1) if self.fixed(node.input[at])]
        if node.op_type in ("Add", "Sub"):
            if len(known) != 1 or (node.input[known[0]] not in self.constants and not self._only_here(node, known[0])):
                return say("the sum in front of it has a second part that takes no scale")
            return [Change(node, "constants", (known[0],))], node.input[1 - known[0]]
        if node.op_type == "Div":
            if known == [1] and right in self.constants:
                return [Change(node, "divisor", (1,))], ""
            return ([], left) if not known else _unlike("Div")
        if known:
            return (
                ([Change(node, "constants", (known[0],))], "")
                if node.input[known[0]] in self.constants
                else _unlike("Mul")
            )
        for name in dict.fromkeys((left, right)):
            if left != right and isinstance(self.way(name, axis), Way) and len(self.readers[name]) == 1:
                return [], name
        return say("neither factor of the product in front of it takes a scale")

    def _only_here(self, node: onnx.NodeProto, at: int) -> bool:
        return len(self.readers.get(node.input[at], ())) == 1

    def _clips_around_zero(self, node: onnx.NodeProto) -> bool:
        if len(node.input) < 2 or node.attribute:
            return False
        limits = [float("-inf"), float("inf")]
        for at, name in enumerate(node.input[1:3]):
            if name:
                if name not in self.constants or self.constants[name].size != 1:
                    return False
                limits[at] = float(self.constants[name].reshape(-1)[0])
        return limits[0] <= 0 <= limits[1]


def _unlike(op: str) -> Text:
    return say("{op} in front of it does not pass a scale on", op=op)


def _attribute(node: onnx.NodeProto, name: str, default: int) -> int:
    return next((int(a.i) for a in node.attribute if a.name == name), default)


def flow_of(network: Network) -> Flow:
    """The nodes of all kernels."""
    nodes = tuple(node.proto for kernel in network.kernels for node in kernel.nodes)
    constants = {name: array for kernel in network.kernels for name, array in kernel.constants.items()}
    captured = frozenset(name for kernel in network.kernels for node in kernel.nodes for name in node.captured)
    return Flow(nodes, constants, frozenset(info.name for info in network.graph.outputs), captured)


def input_axis(kernel: Kernel) -> int | None:
    """The axis of the activation's channels, where a kernel's weight can take the scale of each; None where it can't.

    Convolutions with one group or one per channel, MatMul and Gemm with a plain matrix on the right.
    """
    weight = kernel.weight
    if weight is None or kernel.more_weights or not weight.activation:
        return None
    node = kernel.nodes[kernel.anchor].proto
    if len(node.input) < 2 or node.input[0] != weight.activation or node.input[1] != weight.constant:
        return None
    if node.op_type == "Conv":
        group = _attribute(node, "group", 1)
        plain = weight.channel_axes == (0,) and (group == 1 or (weight.shape[1] == 1 and group == weight.shape[0]))
        return 1 if plain else None
    if node.op_type == "MatMul" or (node.op_type == "Gemm" and not _attribute(node, "transA", 0)):
        return -1 if len(weight.shape) == 2 else None
    return None


def by_row(kernel: Kernel) -> bool:
    """Whether each row of the weight matrix has an input channel of its own."""
    node = kernel.nodes[kernel.anchor].proto
    return node.op_type == "Conv" and _attribute(node, "group", 1) > 1


def input_channels(kernel: Kernel) -> int:
    """How many channels its activation has; for kernels with an `input_axis`."""
    weight = kernel.weight
    assert weight is not None
    if by_row(kernel):
        return weight.shape[0]
    return weight.shape[1] if kernel.nodes[kernel.anchor].op_type == "Conv" else weight.shape[weight.reduction_axes[0]]


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """Kernels that read one activation, which takes a scale: they take its inverse all together."""

    tensor: str
    axis: int
    way: Way
    readers: tuple[Kernel, ...]
    maker: Kernel | None
    """The kernel whose weight takes the scale, if it is a product."""


class Groups:
    """All activations of a network that can be scaled at no cost, and why others can't."""

    def __init__(self, network: Network) -> None:
        flow = flow_of(network)
        by_anchor = {id(kernel.nodes[kernel.anchor].proto): kernel for kernel in network.tunable}
        self._found: dict[str, Group | Text] = {}
        for kernel in network.tunable:
            name = kernel.weight.activation if kernel.weight is not None else ""
            if name and name not in self._found:
                self._found[name] = _group(flow, name, by_anchor)
        makers = ((group.maker, group) for group in self.all)
        self._behind = {made.id: group for made, group in makers if made is not None and input_axis(made) is not None}

    def of(self, kernel: Kernel) -> Group | Text:
        """The group that reads what a kernel reads, or in a few words why its input can't be scaled."""
        found = self._found.get(kernel.weight.activation) if kernel.weight is not None else None
        return found or say("no activation meets its weights")

    @property
    def all(self) -> tuple[Group, ...]:
        """In the order of their first readers."""
        return tuple(group for group in self._found.values() if isinstance(group, Group))

    @property
    def borders(self) -> tuple[Group, ...]:
        """Those between two layers that can be equalised."""
        return tuple(self._behind.values())

    def behind(self, kernel: Kernel) -> Group | None:
        """The border behind a kernel."""
        return self._behind.get(kernel.id)


def _group(flow: Flow, tensor: str, by_anchor: Mapping[int, Kernel]) -> Group | Text:
    readers = [by_anchor.get(id(node)) for node in flow.readers.get(tensor, ())]
    kernels = tuple(kernel for kernel in readers if kernel is not None)
    if not kernels or len(kernels) < len(readers):
        return say("what it reads is also read by a layer that has no weights to take up the scale")
    axes = {input_axis(kernel) for kernel in kernels}
    axis = axes.pop()
    if axes or axis is None:
        return say("its weights have no columns that could take up a scale for each channel of its input")
    way = flow.way(tensor, axis)
    return way if isinstance(way, Text) else Group(tensor, axis, way, kernels, by_anchor.get(id(way.end)))


_GROUPS: WeakKeyDictionary[Network, Groups] = WeakKeyDictionary()


def groups_of(network: Network) -> Groups:
    """The groups of a network; found once. They hold its kernels, not the network."""
    found = _GROUPS.get(network)
    if found is None:
        found = _GROUPS.setdefault(network, Groups(network))
    return found
