"""Operators that MindSpore Lite's converter refuses or misreads, spelled with others that it reads as ONNX means them.

Found with mindspore-lite 2.0.0: HardSwish is refused, and HardSigmoid is computed with its own slope of 1/6 and offset
of 1/2, whatever the attributes say.
"""

from __future__ import annotations

import onnx
from onnx import helper, numpy_helper

from engine.interop.unique import unique

_SLOPE, _OFFSET = 1 / 6, 0.5
"""What the converter takes HardSigmoid for."""


def spelled_for_mindspore(model: onnx.ModelProto) -> dict[str, int]:
    """Replace such operators in place; the results stay what they were, to rounding.

    Returns:
        Operator -> how many were replaced.
    """
    taken = dict.fromkeys((n for node in model.graph.node for n in (node.name, *node.output)), 1)
    replaced: dict[str, int] = {}
    nodes: list[onnx.NodeProto] = []
    for node in model.graph.node:
        made = None
        if node.op_type == "HardSwish" and node.domain in ("", "ai.onnx"):
            made = _hard_swish(node, taken)
        elif node.op_type == "HardSigmoid" and node.domain in ("", "ai.onnx"):
            made = _hard_sigmoid(node, model.graph, taken)
        if made is None:
            nodes.append(node)
            continue
        nodes += made
        replaced[node.op_type] = replaced.get(node.op_type, 0) + 1
    if replaced:
        del model.graph.node[:]
        model.graph.node.extend(nodes)
    return replaced


def _hard_swish(node: onnx.NodeProto, taken: dict[str, int]) -> list[onnx.NodeProto]:
    """The definition, x * HardSigmoid(x); the product keeps the node's name."""
    gate = unique(f"{node.name}_gate", taken)
    return [
        helper.make_node("HardSigmoid", [node.input[0]], [gate], gate, alpha=_SLOPE, beta=_OFFSET),
        helper.make_node("Mul", [node.input[0], gate], list(node.output), node.name),
    ]


def _hard_sigmoid(node: onnx.NodeProto, graph: onnx.GraphProto, taken: dict[str, int]) -> list[onnx.NodeProto] | None:
    """max(0, min(1, slope * x + offset)) as three nodes; None where the converter's own slope is meant."""
    given = {attribute.name: attribute.f for attribute in node.attribute}
    slope, offset = given.get("alpha", 0.2), given.get("beta", 0.5)
    if abs(slope - _SLOPE) < 1e-6 and abs(offset - _OFFSET) < 1e-6:
        return None
    kinds = {v.name: v.type.tensor_type.elem_type for v in (*graph.input, *graph.value_info, *graph.output)}
    dtype = helper.tensor_dtype_to_np_dtype(kinds.get(node.input[0], onnx.TensorProto.FLOAT))
    constants = []
    for word, value in (("slope", slope), ("offset", offset), ("low", 0.0), ("high", 1.0)):
        name = unique(f"{node.name}_{word}", taken)
        graph.initializer.append(numpy_helper.from_array(dtype.type(value).reshape(()), name))
        constants.append(name)
    scaled, moved = (unique(f"{node.name}_{word}", taken) for word in ("scaled", "moved"))
    return [
        helper.make_node("Mul", [node.input[0], constants[0]], [scaled], scaled),
        helper.make_node("Add", [scaled, constants[1]], [moved], moved),
        helper.make_node("Clip", [moved, *constants[2:]], list(node.output), node.name),
    ]
