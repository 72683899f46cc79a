"""Old operators said in opset 21: what a file needs whose weights are INT4.

ONNX's own converter loses names and knows only part of the operators; what changed between opset 7 and 21 in the
meaning of a node that runs inference fits one table. Operators that are not in it mean the same in both. Of what the
opsets up to 7 have changed (broadcasting, mostly) ONNX Runtime runs no older form, but for Reshape.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import onnx
from onnx import AttributeProto, helper

from engine.errors import ExportError, PlanError
from engine.fusion.types import Kernel
from engine.graph.types import Array, Graph, Node, TensorInfo
from engine.precision.scheme import Scheme
from engine.text import say

_BRAIN_OPSET, _MODERN = 13, 21
"""The first whose Cast knows bfloat16, and what kernels of older models are said in for it: that of quantized files."""


@dataclass(slots=True)
class Upgrade:
    """Where upgraded nodes and the constants they need are collected."""

    opset: int
    constants: Mapping[str, Array]
    tensors: Mapping[str, TensorInfo]
    extra: dict[str, Array] = field(default_factory=dict)

    def constant(self, node: onnx.NodeProto, tag: str, array: Array) -> str:
        """Name of a new constant beside a node."""
        name = f"{next(o for o in node.output if o)}/mixbit/{tag}"
        self.extra[name] = array
        return name

    def dtype(self, name: str) -> np.dtype[Any]:
        """Of a tensor or constant; float32 if nothing is known (inside bodies)."""
        if name in self.tensors:
            return self.tensors[name].dtype
        found = self.constants.get(name)
        return np.dtype(np.float32) if found is None else found.dtype


Rule = Callable[[onnx.NodeProto, Upgrade], list[onnx.NodeProto]]


def opset_for(scheme: Scheme, graph: Graph) -> int:
    """The opset in which kernels are run under a scheme: the model's, or a younger one for BF16."""
    own = graph.opsets.get("", 1)
    return _MODERN if scheme.brain and own < _BRAIN_OPSET else own


def for_scheme(kernel: Kernel, scheme: Scheme, graph: Graph) -> tuple[Kernel, int]:
    """A kernel in operators that a scheme can be said beside, and their opset: BF16 is younger than many models.

    Raises:
        PlanError: If the kernel is too old for that.
    """
    own, wanted = graph.opsets.get("", 1), opset_for(scheme, graph)
    if own == wanted:
        return kernel, own
    try:
        return upgrade_kernel(kernel, own, wanted, graph.tensors), wanted
    except ExportError as error:
        raise PlanError(error.text) from error


def upgrade_kernel(kernel: Kernel, opset: int, target: int, tensors: Mapping[str, TensorInfo]) -> Kernel:
    """The same kernel in operators of opset `target`.

    Args:
        kernel: In operators of `opset`; left as it is.
        opset: The model's.
        target: At least 13.
        tensors: Every activation by name.

    Raises:
        ExportError: If a node has no counterpart.
    """
    if opset >= target:
        return kernel
    work = Upgrade(opset, kernel.constants, tensors)
    nodes: list[Node] = []
    anchor = 0
    for at, node in enumerate(kernel.nodes):
        made = upgrade_nodes([node.proto], target, work, kernel.name)
        if at == kernel.anchor:
            anchor = len(nodes) + _main(made, node.proto)
        nodes += [replace(node, proto=proto) for proto in made]
    return replace(kernel, nodes=tuple(nodes), anchor=anchor, constants={**kernel.constants, **work.extra})


def upgrade_nodes(nodes: Sequence[onnx.NodeProto], target: int, work: Upgrade, layer: str) -> list[onnx.NodeProto]:
    """Upgrade nodes, and those in their bodies."""
    made: list[onnx.NodeProto] = []
    for node in nodes:
        todo = [_copy(node)]
        if node.domain in ("", "ai.onnx"):
            for since, rule in RULES.get(node.op_type, ()):
                if work.opset < since <= target:
                    todo = [new for old in todo for new in _apply(old, node.op_type, rule, work, layer)]
        for new in todo:
            for attribute in new.attribute:
                for graph in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                    _upgrade_body(graph, target, work, layer)
        made += todo
    return made


def _upgrade_body(graph: onnx.GraphProto, target: int, work: Upgrade, layer: str) -> None:
    inner = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
    mine = Upgrade(work.opset, {**work.constants, **inner}, work.tensors)
    nodes = upgrade_nodes(list(graph.node), target, mine, layer)
    del graph.node[:]
    graph.node.extend(nodes)
    graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in mine.extra.items())


def _apply(node: onnx.NodeProto, op_type: str, rule: Rule, work: Upgrade, layer: str) -> list[onnx.NodeProto]:
    if node.op_type != op_type:  # an earlier rule has replaced it
        return [node]
    try:
        return rule(node, work)
    except _Refused as refused:
        raise ExportError(
            say("Layer {layer}: {operator} with {what} has no counterpart in opset 21; the file can't be written.",
                layer=layer, operator=op_type, what=str(refused))
        ) from refused  # fmt: skip


class _Refused(Exception):  # noqa: N818 - becomes a sentence at once
    """What it is that can't be said."""


# rules ----------------------------------------------------------------------------------------------------------------


def _clip(node: onnx.NodeProto, work: Upgrade) -> list[onnx.NodeProto]:
    low, high = _take(node, "min"), _take(node, "max")
    dtype = work.dtype(node.input[0])
    del node.input[1:]
    node.input.append("" if low is None else work.constant(node, "min", np.asarray(low, dtype)))
    node.input.append("" if high is None else work.constant(node, "max", np.asarray(high, dtype)))
    while node.input and not node.input[-1]:
        node.input.pop()
    return [node]


def _pad(node: onnx.NodeProto, work: Upgrade) -> list[onnx.NodeProto]:
    pads, value = _take(node, "pads"), _take(node, "value")
    node.input.append(work.constant(node, "pads", np.asarray(pads, np.int64)))
    if value:
        node.input.append(work.constant(node, "value", np.asarray(value, work.dtype(node.input[0]))))
    return [node]


def _slice(node: onnx.NodeProto, work: Upgrade) -> list[onnx.NodeProto]:
    starts, ends, axes = _take(node, "starts"), _take(node, "ends"), _take(node, "axes")
    axes = list(range(len(starts))) if axes is None else axes
    for tag, values in (("starts", starts), ("ends", ends), ("axes", axes)):
        node.input.append(work.constant(node, tag, np.asarray(values, np.int64)))
    return [node]


def _top_k(node: onnx.NodeProto, work: Upgrade) -> list[onnx.NodeProto]:
    node.input.append(work.constant(node, "k", np.asarray([_take(node, "k")], np.int64)))
    return [node]


def _axes(node: onnx.NodeProto, work: Upgrade) -> list[onnx.NodeProto]:
    axes = _take(node, "axes")
    if axes is not None and len(node.input) == 1:
        node.input.append(work.constant(node, "axes", np.asarray(axes, np.int64)))
    return [node]


def _split_sizes(node: onnx.NodeProto, work: Upgrade) -> list[onnx.NodeProto]:
    sizes = _take(node, "split")
    if sizes is not None:
        node.input.append(work.constant(node, "split", np.asarray(sizes, np.int64)))
    return [node]


def _split_count(node: onnx.NodeProto, work: Upgrade) -> list[onnx.NodeProto]:
    if len(node.input) < 2 or not node.input[1]:
        node.attribute.append(helper.make_attribute("num_outputs", len(node.output)))
    return [node]


def _upsample(node: onnx.NodeProto, work: Upgrade) -> list[onnx.NodeProto]:
    scales = _take(node, "scales")
    if scales is not None:
        node.input.append(work.constant(node, "scales", np.asarray(scales, np.float32)))
    return _old_resize(node, work)


def _old_resize(node: onnx.NodeProto, work: Upgrade) -> list[onnx.NodeProto]:
    """Before opset 11: asymmetric coordinates; the nearest pixel is the one below, or above where an axis shrinks."""
    mode = _take(node, "mode") or b"nearest"
    mode = b"linear" if mode == b"bilinear" else mode
    scales = work.constants.get(node.input[1], work.extra.get(node.input[1]))
    if mode != b"nearest" or (scales is not None and np.all(scales >= 1)):
        return [_resize(node.input[0], node.input[1], node.output[0], node.name, mode, "floor")]
    if scales is None:
        raise _Refused("computed scales")
    larger = work.constant(node, "larger", np.maximum(scales, np.float32(1)))
    smaller = work.constant(node, "smaller", np.minimum(scales, np.float32(1)))
    between = f"{node.output[0]}/mixbit/between"
    return [
        _resize(node.input[0], larger, between, "", mode, "floor"),
        _resize(between, smaller, node.output[0], node.name, mode, "ceil"),
    ]


def _resize(source: str, scales: str, output: str, name: str, mode: bytes, nearest: str) -> onnx.NodeProto:
    return helper.make_node(
        "Resize", [source, "", scales], [output], name,
        mode=mode, coordinate_transformation_mode="asymmetric", nearest_mode=nearest,
    )  # fmt: skip


def _resize_modes(node: onnx.NodeProto, work: Upgrade) -> list[onnx.NodeProto]:
    if any(a.name == "coordinate_transformation_mode" and a.s == b"tf_half_pixel_for_nn" for a in node.attribute):
        raise _Refused("tf_half_pixel_for_nn")
    return [node]


def _dropout(node: onnx.NodeProto, work: Upgrade) -> list[onnx.NodeProto]:
    del node.attribute[:]
    del node.input[1:]
    if len(node.output) == 1 or not node.output[1]:
        return [helper.make_node("Identity", [node.input[0]], [node.output[0]], node.name)]
    return [node]


def _batch_norm(node: onnx.NodeProto, work: Upgrade) -> list[onnx.NodeProto]:
    if _take(node, "spatial") == 0:
        raise _Refused("spatial = 0")
    del node.output[1:]
    return [node]


def _softmax(node: onnx.NodeProto, work: Upgrade) -> list[onnx.NodeProto]:
    """Before opset 13 the axis (1 unless given) split the tensor into a matrix whose rows were normalised."""
    axis = _take(node, "axis")
    axis = 1 if axis is None else axis
    info = work.tensors.get(node.input[0])
    if info is not None and axis in (-1, len(info.shape) - 1):
        node.attribute.append(helper.make_attribute("axis", -1))
        return [node]
    stem = f"{node.output[0]}/mixbit"
    return [
        helper.make_node("Shape", [node.input[0]], [f"{stem}/shape"]),
        helper.make_node("Flatten", [node.input[0]], [f"{stem}/flat"], axis=axis),
        helper.make_node(node.op_type, [f"{stem}/flat"], [f"{stem}/rows"], node.name, axis=-1),
        helper.make_node("Reshape", [f"{stem}/rows", f"{stem}/shape"], [node.output[0]]),
    ]


def _reshape(node: onnx.NodeProto, work: Upgrade) -> list[onnx.NodeProto]:
    shape = _take(node, "shape")
    del node.attribute[:]
    node.input.append(work.constant(node, "shape", np.asarray(shape, np.int64)))
    return [node]


def _scatter(node: onnx.NodeProto, work: Upgrade) -> list[onnx.NodeProto]:
    node.op_type = "ScatterElements"
    return [node]


def _scan(node: onnx.NodeProto, work: Upgrade) -> list[onnx.NodeProto]:
    raise _Refused("a batch axis (opset 8)")


def _roi_align(node: onnx.NodeProto, work: Upgrade) -> list[onnx.NodeProto]:
    node.attribute.append(helper.make_attribute("coordinate_transformation_mode", "output_half_pixel"))
    return [node]


def _grid_sample(node: onnx.NodeProto, work: Upgrade) -> list[onnx.NodeProto]:
    names = {b"bilinear": b"linear", b"bicubic": b"cubic"}
    mode = _take(node, "mode") or b"bilinear"
    node.attribute.append(helper.make_attribute("mode", names.get(mode, mode)))
    return [node]


def _dft(node: onnx.NodeProto, work: Upgrade) -> list[onnx.NodeProto]:
    axis = _take(node, "axis")
    while len(node.input) < 2:
        node.input.append("")
    node.input.append(work.constant(node, "axis", np.asarray(1 if axis is None else axis, np.int64)))
    return [node]


def _group_norm(node: onnx.NodeProto, work: Upgrade) -> list[onnx.NodeProto]:
    """Before opset 21 scale and bias had one value per group."""
    info = work.tensors.get(node.input[0])
    groups = next(a.i for a in node.attribute if a.name == "num_groups")
    if info is None or any(name not in work.constants for name in node.input[1:]):
        raise _Refused("a computed scale")
    for at in (1, 2):
        values = np.repeat(work.constants[node.input[at]], info.shape[1] // groups)
        node.input[at] = work.constant(node, f"per_channel{at}", values)
    return [node]


_REDUCTIONS = ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "SumSquare")
RULES: dict[str, tuple[tuple[int, Rule], ...]] = {
    "BatchNormalization": ((14, _batch_norm),),
    "Clip": ((11, _clip),),
    "DFT": ((20, _dft),),
    "Dropout": ((12, _dropout),),
    "GridSample": ((20, _grid_sample),),
    "GroupNormalization": ((21, _group_norm),),
    "Hardmax": ((13, _softmax),),
    "LogSoftmax": ((13, _softmax),),
    "Pad": ((11, _pad),),
    "ReduceSum": ((13, _axes),),
    "Reshape": ((5, _reshape),),
    "Resize": ((11, _old_resize), (13, _resize_modes)),
    "RoiAlign": ((16, _roi_align),),
    "Scan": ((9, _scan),),
    "Scatter": ((11, _scatter),),
    "Slice": ((10, _slice),),
    "Softmax": ((13, _softmax),),
    "Split": ((13, _split_sizes), (18, _split_count)),
    "Squeeze": ((13, _axes),),
    "TopK": ((10, _top_k),),
    "Unsqueeze": ((13, _axes),),
    "Upsample": ((10, _upsample),),
    **{f"Reduce{name}": ((18, _axes),) for name in _REDUCTIONS},
}
"""By operator: (first opset of the new meaning, how to say the old one in it), oldest first."""


def _take(node: onnx.NodeProto, name: str) -> Any:
    """Remove an attribute and return its value; None if it is not there."""
    for at, attribute in enumerate(node.attribute):
        if attribute.name == name:
            value = helper.get_attribute_value(attribute)
            kept: list[AttributeProto] = [a for i, a in enumerate(node.attribute) if i != at]
            del node.attribute[:]
            node.attribute.extend(kept)
            return value
    return None


def _main(made: list[onnx.NodeProto], old: onnx.NodeProto) -> int:
    """Which of the new nodes does the old one's work."""
    return next((at for at, node in enumerate(made) if node.op_type == old.op_type), 0)


def _copy(node: onnx.NodeProto) -> onnx.NodeProto:
    made = onnx.NodeProto()
    made.CopyFrom(node)
    return made
