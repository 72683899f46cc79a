"""Dropping nodes that pass a tensor on unchanged, or that round a tensor a second time in the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import onnx

from engine.graph.subgraphs import reads, rename_captured
from engine.graph.types import TensorInfo

_ONE_INPUT = frozenset({"Concat", "Sum", "Max", "Min", "Mean"})
_ROUNDING = frozenset({"QuantizeLinear", "DequantizeLinear"})
_VIEWS = frozenset({"Reshape", "Squeeze", "Unsqueeze", "Flatten", "Expand"})


def drop_idle(
    nodes: Sequence[onnx.NodeProto],
    outputs: Sequence[str],
    tensors: Mapping[str, TensorInfo],
    dynamic: frozenset[str],
) -> tuple[onnx.NodeProto, ...]:
    """Remove Identity, inference Dropout, casts to the same type and views to the same shape; readers are rewired.

    Quantizers give every reader of a tensor a DequantizeLinear of its own: only the first of equal ones stays.

    Where the result is an output of the model, its name goes to the node that computed the value. Only what passes on
    an input, or a tensor that is an output already, stays.

    Args:
        nodes: In runnable order.
        outputs: Names that must exist afterwards.
        tensors: Dtypes and shapes.
        dynamic: Tensors whose shape is not fixed.
    """
    needed = {name for node in nodes for name in reads(node)} | set(outputs)
    made = {name for node in nodes for name in node.output}
    passed: dict[str, str] = {}  # dropped result -> the tensor it equals
    promoted: dict[str, str] = {}  # tensor -> the output of the model that it becomes
    rounded: dict[tuple[object, ...], str] = {}
    kept = []
    for node in nodes:
        source = _passed_on(node, tensors, dynamic, needed) or _twin(node, passed, rounded)
        source = passed.get(source, source)
        result = node.output[0]
        if not source:
            kept.append(node)
        elif result not in outputs:
            passed[result] = source
        elif source in made and source not in outputs and source not in promoted:
            promoted[source] = result
        else:
            kept.append(node)
    names = {old: promoted.get(new, new) for old, new in passed.items()} | promoted
    return tuple(renamed(node, names) for node in kept)


def _twin(node: onnx.NodeProto, passed: Mapping[str, str], rounded: dict[tuple[object, ...], str]) -> str:
    """The result of an earlier node that quantizes or dequantizes the same tensor in the same way, or ''."""
    if node.op_type not in _ROUNDING:
        return ""
    attributes = sorted(entry.SerializeToString() for entry in node.attribute)
    key = (node.op_type, node.domain, *(passed.get(name, name) for name in node.input), *attributes)
    first = rounded.setdefault(key, node.output[0])
    return "" if first == node.output[0] else first


def renamed(node: onnx.NodeProto, names: dict[str, str]) -> onnx.NodeProto:
    """The node with other tensor names, inside its bodies too; itself if it uses none of them."""
    if not any(name in names for name in (*reads(node), *node.output)):
        return node
    copy = onnx.NodeProto()
    copy.CopyFrom(node)
    for index, name in enumerate(copy.input):
        copy.input[index] = names.get(name, name)
    for index, name in enumerate(copy.output):
        copy.output[index] = names.get(name, name)
    rename_captured(copy, names)
    return copy


def _passed_on(
    node: onnx.NodeProto, tensors: Mapping[str, TensorInfo], dynamic: frozenset[str], needed: set[str]
) -> str:
    """The input that the node's one needed output equals, or ''."""
    if node.domain not in ("", "ai.onnx") or not node.input or node.input[0] not in tensors:
        return ""
    source, result = tensors[node.input[0]], tensors.get(node.output[0])
    if result is None or any(name in needed for name in node.output[1:]):
        return ""
    same_shape = source.shape == result.shape and not {source.name, result.name} & dynamic
    idle = (
        node.op_type == "Identity"
        or (node.op_type == "Dropout" and (len(node.input) < 3 or not node.input[2]))
        or (node.op_type == "Cast" and source.dtype == result.dtype)
        or (node.op_type in _ONE_INPUT and len(node.input) == 1)
        or (node.op_type in _VIEWS and same_shape)
    )
    return source.name if idle else ""
