"""Dropping pairs of nodes of which the second undoes the first: Transpose, view or wider type, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper

from engine.graph.simplify import renamed
from engine.graph.subgraphs import reads
from engine.graph.types import TensorInfo

_VIEWS = frozenset({"Reshape", "Squeeze", "Unsqueeze", "Flatten"})


def cancel_pairs(
    nodes: Sequence[onnx.NodeProto],
    outputs: Sequence[str],
    tensors: Mapping[str, TensorInfo],
    dynamic: frozenset[str],
) -> tuple[onnx.NodeProto, ...]:
    """Rewire readers of the second to what the first reads, and drop what nothing needs any more.

    Args:
        nodes: In runnable order.
        outputs: Names that must exist afterwards.
        tensors: Dtypes and shapes.
        dynamic: Tensors whose shape is not fixed.
    """
    producer: dict[str, onnx.NodeProto] = {}
    passed: dict[str, str] = {}
    kept = []
    for node in nodes:
        node = renamed(node, passed)
        source = _undone(node, producer, tensors, dynamic) if node.output[0] not in outputs else ""
        if source:
            passed[node.output[0]] = source
        else:
            kept.append(node)
            producer.update((name, node) for name in node.output if name)
    return _needed(kept, outputs) if passed else tuple(kept)


def _needed(nodes: Sequence[onnx.NodeProto], outputs: Sequence[str]) -> tuple[onnx.NodeProto, ...]:
    needed, live = set(outputs), []
    for node in reversed(nodes):
        if needed.intersection(node.output):
            live.append(node)
            needed.update(reads(node))
    return tuple(reversed(live))


def _undone(
    node: onnx.NodeProto,
    producer: Mapping[str, onnx.NodeProto],
    tensors: Mapping[str, TensorInfo],
    dynamic: frozenset[str],
) -> str:
    """The input of the node in front, if the two together change nothing; else ''."""
    first = producer.get(node.input[0]) if node.input else None
    if first is None or any(each.domain not in ("", "ai.onnx") for each in (first, node)) or not first.input:
        return ""
    source = first.input[0]
    names = (source, node.input[0], node.output[0])
    if any(name not in tensors for name in names):
        return ""
    before, between, after = (tensors[name] for name in names)
    if node.op_type == first.op_type == "Transpose":
        rank = len(before.shape)
        both = [_order(first, rank)[axis] for axis in _order(node, rank)]
        return source if both == list(range(rank)) else ""
    if node.op_type in _VIEWS and first.op_type in _VIEWS:
        return source if before.shape == after.shape and not dynamic.intersection(names) else ""
    if node.op_type == first.op_type == "Cast":
        return source if before.dtype == after.dtype and _holds(between.dtype, before.dtype) else ""
    return ""


def _order(node: onnx.NodeProto, rank: int) -> list[int]:
    for entry in node.attribute:
        if entry.name == "perm":
            return list(helper.get_attribute_value(entry))
    return list(reversed(range(rank)))


def _holds(wide: np.dtype[Any], narrow: np.dtype[Any]) -> bool:
    """Whether every value of a type exists in another one; a float holds all integers of half its size."""
    if wide.kind == "f" and (narrow.kind in "fiub" or narrow.name == "bfloat16"):
        return wide.itemsize >= 2 * narrow.itemsize or narrow.kind == "b"
    return wide.kind in "iu" and narrow.kind in "iub" and np.can_cast(narrow, wide)
