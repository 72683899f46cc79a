"""Dropping nodes that pass a tensor on unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import onnx

from engine.graph.subgraphs import reads, rename_captured
from engine.graph.types import TensorInfo

_ONE_INPUT = frozenset({"Concat", "Sum", "Max", "Min", "Mean"})
_VIEWS = frozenset({"Reshape", "Squeeze", "Unsqueeze", "Flatten", "Expand"})


def drop_idle(
    nodes: Sequence[onnx.NodeProto],
    outputs: Sequence[str],
    tensors: Mapping[str, TensorInfo],
    dynamic: frozenset[str],
) -> tuple[onnx.NodeProto, ...]:
    """Remove Identity, inference Dropout, casts to the same type and views to the same shape; readers are rewired.

    A node whose result is an output of the model stays, because the output's name must.
    """
    renames: dict[str, str] = {}
    kept = []
    for node in nodes:
        renamed = _rewired(node, renames)
        source = _passed_on(renamed, tensors, dynamic)
        if source and node.output[0] not in outputs:
            renames[node.output[0]] = source
        else:
            kept.append(renamed)
    return tuple(kept)


def _rewired(node: onnx.NodeProto, renames: dict[str, str]) -> onnx.NodeProto:
    if not any(name in renames for name in reads(node)):
        return node
    copy = onnx.NodeProto()
    copy.CopyFrom(node)
    for index, name in enumerate(copy.input):
        if name in renames:
            copy.input[index] = renames[name]
    rename_captured(copy, renames)
    return copy


def _passed_on(node: onnx.NodeProto, tensors: Mapping[str, TensorInfo], dynamic: frozenset[str]) -> str:
    """The input that the node's one used output equals, or ''."""
    if node.domain not in ("", "ai.onnx") or not node.input or node.input[0] not in tensors:
        return ""
    source, result = tensors[node.input[0]], tensors.get(node.output[0])
    if result is None or any(node.output[1:]):
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
