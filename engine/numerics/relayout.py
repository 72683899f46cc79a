"""A kernel's nodes rewritten for tensors in channel blocks (see `blocks`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import TensorProto, helper

from engine.graph.types import Array, TensorInfo
from engine.numerics.blocks import DOMAIN, filter_blocks, reorder_in, reorder_out, suits
from engine.numerics.models import has_bodies

IN_BLOCKS = "/mixbit/blocks"
"""End of the name of a convolution's weight in the order that the operator in blocks wants."""
_ALIKE = {
    "Relu", "Clip", "LeakyRelu", "Elu", "Selu", "Celu", "Sigmoid", "HardSigmoid", "HardSwish", "Tanh", "Softplus",
    "Softsign", "Mish", "Gelu", "Erf", "Abs", "Neg", "Exp", "Sqrt", "Identity", "Cast", "QuantizeLinear",
    "DequantizeLinear",
}  # fmt: skip
"""Work on each element alone: the order of the elements does not matter."""
_PAIRS = frozenset({"Add", "Sub", "Mul", "Div"})
_POOLS = {
    "MaxPool": {"kernel_shape", "pads", "strides"},
    "AveragePool": {"kernel_shape", "pads", "strides", "count_include_pad"},
    "GlobalAveragePool": set(),
    "GlobalMaxPool": set(),
}
"""Pools that have a counterpart in blocks, with the attributes that mean the same there."""
_CONV = {"kernel_shape", "pads", "strides", "dilations", "group"}
_HARMLESS = {"auto_pad": b"NOTSET", "ceil_mode": 0, "storage_order": 0}


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A kernel for tensors in blocks."""

    nodes: tuple[onnx.NodeProto, ...]
    constants: Mapping[str, Array]
    natural: frozenset[str]
    """Outputs that come out of the computation in blocks."""
    turned: frozenset[str]
    """Inputs in blocks that had to be turned back."""


@dataclass(slots=True)
class _Held:
    """A value: under which names it lies in which order."""

    shape: tuple[int, ...] | None
    plain: str | None
    blocks: str | None
    single: bool = True
    """Whether it is float32, the only type that can be turned around."""
    computed_in_blocks: bool = True


class _ImpossibleError(Exception):
    """Something in blocks is needed in plain order and can't be turned."""


def rewrite(
    nodes: Sequence[onnx.NodeProto],
    constants: Mapping[str, Array],
    inputs: Sequence[str],
    outputs: Sequence[str],
    tensors: Mapping[str, TensorInfo],
    blocks: Collection[str],
    block: int,
    hard_swish: bool = False,
) -> Rewritten | None:
    """Write nodes for borders of which some are in blocks.

    Convolutions and pools become their counterparts in blocks, element by element operators stay, and reorders are put
    only where order matters.

    Args:
        nodes: In runnable order, of ONNX's own operators; left as they are.
        constants: What they read besides `inputs`.
        inputs: Activations they read.
        outputs: What must leave.
        tensors: Every activation by name.
        blocks: Inputs and outputs that lie in blocks: float32, fixed shape [N, C, H, W], C a multiple of `block`.
        block: Channels per block.
        hard_swish: Whether a convolution in blocks can take a HardSwish as its activation: newer versions of ONNX
            Runtime do, and it is a pass over memory less.

    Returns:
        The nodes, or None if they can't be written so.
    """
    if has_bodies(nodes):
        return None
    work = _Work(constants, outputs, tensors, frozenset(blocks), block, hard_swish)
    for name in inputs:
        info = tensors.get(name)
        inside = name in work.blocks
        single = info is not None and info.dtype == np.float32
        work.values[name] = _Held(
            info.shape if info is not None else None, None if inside else name, name if inside else None, single, inside
        )
    try:
        at = 0
        while at < len(nodes):
            at += work.take(nodes, at)
        work.finish()
    except _ImpossibleError:
        return None
    turned = frozenset(name for name in inputs if name in work.blocks and work.values[name].plain is not None)
    read = {name for node in work.nodes for name in node.input}
    kept = {name: array for name, array in work.constants.items() if name in read}
    return Rewritten(tuple(work.nodes), kept, frozenset(work.natural), turned)


def framed(
    nodes: Sequence[onnx.NodeProto],
    constants: Mapping[str, Array],
    inputs: Sequence[str],
    outputs: Sequence[str],
    tensors: Mapping[str, TensorInfo],
    blocks: Collection[str],
) -> Rewritten:
    """Nodes without bodies as they are, with reorders at the borders that are in blocks; arguments as in `rewrite`."""
    front, back, names = [], [], {}
    for name in inputs:
        if name in blocks:
            names[name] = f"{name}/mixbit/turned"
            front.append(reorder_out(name, names[name], tensors[name].shape[1]))
    for name in outputs:
        if name in blocks:
            names[name] = f"{name}/mixbit/plain"
            back.append(reorder_in(names[name], name))
    middle = [_copy(node) for node in nodes]
    for node in middle:
        for listed in (node.input, node.output):
            for at, name in enumerate(listed):
                listed[at] = names.get(name, name)
    return Rewritten((*front, *middle, *back), constants, frozenset(), frozenset(inputs) & frozenset(blocks))


@dataclass(slots=True)
class _Work:
    original: Mapping[str, Array]
    outputs: Sequence[str]
    tensors: Mapping[str, TensorInfo]
    blocks: frozenset[str]
    block: int
    hard_swish: bool
    constants: dict[str, Array] = field(init=False)
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    values: dict[str, _Held] = field(default_factory=dict)
    natural: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.constants = dict(self.original)

    def take(self, nodes: Sequence[onnx.NodeProto], at: int) -> int:
        """Write the node at a position, and those that it swallows; returns how many."""
        node = nodes[at]
        own = node.domain in ("", "ai.onnx")
        if own and node.op_type == "Conv" and (taken := self._conv(nodes, at)):
            return taken
        if own and node.op_type in _POOLS and self._pool(node):
            return 1
        if (own or node.op_type in ("QuantizeLinear", "DequantizeLinear")) and self._element(node):
            return 1
        if own and node.op_type == "Concat" and self._concat(node):
            return 1
        self._plainly(node)
        return 1

    def finish(self) -> None:
        """Give every output its order."""
        for name in self.outputs:
            held = self.values[name]
            if held.computed_in_blocks and held.plain != held.blocks:
                self.natural.add(name)
            if name in self.blocks and held.blocks != name:
                self.nodes.append(reorder_in(self._plain(name), name))
            elif name not in self.blocks and held.plain != name:
                self.nodes.append(self._turned_back(held, name))

    # one kind of node each ------------------------------------------------------------------------------------------

    def _conv(self, nodes: Sequence[onnx.NodeProto], at: int) -> int:
        node = nodes[at]
        weight, held = self.original.get(node.input[1]), self.values.get(node.input[0])
        attributes = _attributes(node, _CONV)
        if weight is None or held is None or attributes is None or weight.dtype != np.float32 or weight.ndim != 4:
            return 0
        if held.shape is None or len(held.shape) != 4 or not held.single:
            return 0
        if len(node.input) > 2 and node.input[2] and node.input[2] not in self.original:
            return 0
        groups = attributes.get("group", 1)
        if not isinstance(groups, int):
            return 0
        shape = _conv_shape(held.shape, weight.shape, attributes)
        ordered = filter_blocks(weight, groups, self.block)
        if shape is None or ordered is None or (held.blocks is None and held.shape[2] * held.shape[3] == 1):
            return 0
        few = groups == 1 and weight.shape[1] < self.block
        if not few and not suits(held.shape, self.block):
            return 0
        stem = node.input[1] + IN_BLOCKS
        inputs = [self._plain(node.input[0]) if few else self._blocks(node.input[0]), stem]
        inputs += [node.input[2]] if len(node.input) > 2 else []
        self.constants[stem] = ordered
        more: dict[str, object] = {}
        taken, last = 1, node
        user = self._only_user(nodes, at, last)
        if user is not None and (addend := self._addend(user, last.output[0], shape)):
            inputs += [""] * (3 - len(inputs)) + [addend]
            taken, last = 2, user
            user = self._only_user(nodes, at + 1, last)
        if user is not None and (activation := self._activation(user)):
            more = activation
            taken, last = taken + 1, user
        made = helper.make_node("Conv", inputs, [self._target(last.output[0], True)], node.name, domain=DOMAIN)
        made.attribute.extend(attribute for attribute in node.attribute if attribute.name in _CONV)
        made.attribute.extend(helper.make_attribute(key, value) for key, value in more.items())
        self._put(made, last.output[0], _Held(shape, None, made.output[0]))
        return taken

    def _only_user(self, nodes: Sequence[onnx.NodeProto], at: int, node: onnx.NodeProto) -> onnx.NodeProto | None:
        """The next node, if it is the only one that reads this one's result."""
        name = node.output[0]
        if at + 1 >= len(nodes) or name in self.outputs:
            return None
        readers = sum(list(other.input).count(name) for other in nodes)
        return nodes[at + 1] if readers == 1 and name in nodes[at + 1].input else None

    def _addend(self, node: onnx.NodeProto, result: str, shape: tuple[int, ...]) -> str | None:
        if node.op_type != "Add" or node.domain not in ("", "ai.onnx"):
            return None
        other = self.values.get(next((name for name in node.input if name != result), ""))
        return other.blocks if other is not None and other.single and other.shape == shape else None

    def _activation(self, node: onnx.NodeProto) -> dict[str, object] | None:
        """The attributes with which a convolution does what this node does."""
        found = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        if node.domain not in ("", "ai.onnx"):
            return None
        if node.op_type in ("Relu", "Sigmoid", "Tanh") or (node.op_type == "HardSwish" and self.hard_swish):
            return {"activation": node.op_type}
        if node.op_type == "LeakyRelu":
            return {"activation": "LeakyRelu", "activation_params": [float(found.get("alpha", 0.01))]}
        if node.op_type == "HardSigmoid":
            params = [float(found.get("alpha", 0.2)), float(found.get("beta", 0.5))]
            return {"activation": "HardSigmoid", "activation_params": params}
        limits = [self._scalar(name) for name in node.input[1:]]
        if node.op_type == "Clip" and len(limits) == 2 and None not in limits:
            return {"activation": "Clip", "activation_params": limits}
        return None

    def _pool(self, node: onnx.NodeProto) -> bool:
        held = self.values.get(node.input[0])
        attributes = _attributes(node, _POOLS[node.op_type])
        if held is None or held.blocks is None or held.shape is None or attributes is None or len(node.output) != 1:
            return False
        shape = (*held.shape[:2], 1, 1)
        if not node.op_type.startswith("Global"):
            found = _window(held.shape, attributes)
            if found is None:
                return False
            shape = held.shape[:2] + found
        made = helper.make_node(node.op_type, [held.blocks], [self._target(node.output[0], True)], node.name,
                                domain=DOMAIN)  # fmt: skip
        made.attribute.extend(helper.make_attribute(key, value) for key, value in attributes.items())
        flat = shape[2] * shape[3] == 1
        if flat:
            made.output[0] = node.output[0]
        self._put(made, node.output[0], _Held(shape, made.output[0] if flat else None, made.output[0]))
        return True

    def _element(self, node: onnx.NodeProto) -> bool:
        """Operators on each element, of one value and scalars or of two values of one shape."""
        inside = [name for name in node.input if name and name in self.values]
        if node.op_type not in _ALIKE | _PAIRS or len(node.output) != 1 or not inside:
            return False
        if any(self._scalar(name) is None for name in node.input if name and name not in self.values):
            return False
        first = self.values[inside[0]]
        if all(self.values[name].blocks is None for name in inside):
            return False
        if any(self.values[name].shape != first.shape for name in inside[1:]):
            return False
        if node.op_type not in _PAIRS and len(inside) > 1:
            return False
        single = _single(node, first.single)
        made = _copy(node)
        for at, name in enumerate(node.input):
            if name in self.values:
                made.input[at] = self._blocks(name)
        made.output[0] = self._target(node.output[0], True)
        self._put(made, node.output[0], _Held(first.shape, None, made.output[0], single))
        return True

    def _concat(self, node: onnx.NodeProto) -> bool:
        parts = [self.values.get(name) for name in node.input]
        if next(a.i for a in node.attribute if a.name == "axis") not in (1, -3):
            return False
        shapes = []
        for part in parts:
            if part is None or part.blocks is None or part.shape is None or not part.single:
                return False
            shapes.append(part.shape)
        made = _copy(node)
        for at, name in enumerate(node.input):
            made.input[at] = self._blocks(name)
        made.output[0] = self._target(node.output[0], True)
        shape = (shapes[0][0], sum(shape[1] for shape in shapes), *shapes[0][2:])
        self._put(made, node.output[0], _Held(shape, None, made.output[0]))
        return True

    def _plainly(self, node: onnx.NodeProto) -> None:
        made = _copy(node)
        for at, name in enumerate(node.input):
            if name in self.values:
                made.input[at] = self._plain(name)
        for at, name in enumerate(node.output):
            if not name:
                continue
            made.output[at] = self._target(name, False)
            self.values[name] = self._held_plain(node, name, made.output[at])
        self.nodes.append(made)

    def _held_plain(self, node: onnx.NodeProto, name: str, written: str) -> _Held:
        """A result in plain order. One of a rounding is no tensor of the model: it looks like what was rounded."""
        info = self.tensors.get(name)
        if info is not None:
            return _Held(info.shape, written, None, info.dtype == np.float32, False)
        before = self.values.get(node.input[0]) if node.op_type in _ALIKE else None
        if before is not None and len(node.output) == 1:
            return _Held(before.shape, written, None, _single(node, before.single), False)
        return _Held(None, written, None, False, False)

    # helpers --------------------------------------------------------------------------------------------------------

    def _put(self, node: onnx.NodeProto, name: str, held: _Held) -> None:
        self.nodes.append(node)
        self.values[name] = held

    def _target(self, name: str, inside: bool) -> str:
        """Under which name a result is written: an output's own only in the order that is wanted of it."""
        if name in self.outputs and (name in self.blocks) != inside:
            return f"{name}/mixbit/{'blocks' if inside else 'plain'}"
        return name

    def _scalar(self, name: str) -> float | None:
        found = self.original.get(name)
        return float(found.reshape(-1)[0]) if found is not None and found.size == 1 else None

    def _blocks(self, name: str) -> str:
        held = self.values[name]
        if held.blocks is None:
            if not held.single or not suits(held.shape, self.block):
                raise _ImpossibleError
            held.blocks = f"{name}/mixbit/turned"
            self.nodes.append(reorder_in(self._plain(name), held.blocks))
        return held.blocks

    def _plain(self, name: str) -> str:
        held = self.values[name]
        if held.plain is None:
            held.plain = f"{name}/mixbit/turned"
            self.nodes.append(self._turned_back(held, held.plain))
        return held.plain

    def _turned_back(self, held: _Held, target: str) -> onnx.NodeProto:
        if held.blocks is None or held.shape is None or not held.single:
            raise _ImpossibleError
        return reorder_out(held.blocks, target, held.shape[1])


def _single(node: onnx.NodeProto, before: bool) -> bool:
    """Whether an operator on each element gives float32; `before` tells it of what it reads."""
    if node.op_type == "Cast":
        return bool(next(a.i for a in node.attribute if a.name == "to") == TensorProto.FLOAT)
    if node.op_type in ("QuantizeLinear", "DequantizeLinear"):
        return node.op_type == "DequantizeLinear"
    return before


def _attributes(node: onnx.NodeProto, known: Collection[str]) -> dict[str, object] | None:
    """A node's attributes, if all are known or at their default."""
    found: dict[str, object] = {}
    for attribute in node.attribute:
        value = helper.get_attribute_value(attribute)
        if attribute.name in known:
            found[attribute.name] = value
        elif attribute.name not in _HARMLESS or value != _HARMLESS[attribute.name]:
            if attribute.name == "dilations" and all(size == 1 for size in value):
                continue
            return None
    return found


def _conv_shape(
    shape: tuple[int, ...], weight: tuple[int, ...], attributes: Mapping[str, object]
) -> tuple[int, ...] | None:
    found = _window(shape, {"kernel_shape": list(weight[2:]), **attributes})
    return None if found is None else (shape[0], weight[0], *found)


def _window(shape: tuple[int, ...], attributes: Mapping[str, object]) -> tuple[int, int] | None:
    """Height and width behind a sliding window."""

    def listed(name: str, default: list[int]) -> list[int]:
        value = attributes.get(name, default)
        return [int(size) for size in value] if isinstance(value, list) else default

    kernel, strides = listed("kernel_shape", []), listed("strides", [1, 1])
    pads, dilations = listed("pads", [0, 0, 0, 0]), listed("dilations", [1, 1])
    if (len(kernel), len(strides), len(pads), len(dilations)) != (2, 2, 4, 2):
        return None
    sizes = [
        (shape[2 + at] + pads[at] + pads[2 + at] - (kernel[at] - 1) * dilations[at] - 1) // strides[at] + 1
        for at in (0, 1)
    ]
    return (sizes[0], sizes[1]) if min(sizes) > 0 else None


def _copy(node: onnx.NodeProto) -> onnx.NodeProto:
    made = onnx.NodeProto()
    made.CopyFrom(node)
    return made
