"""Settling shape arithmetic before the trial run.

Sizes that a model computes (`Shape`, `Gather`, `Mul`, `Concat` ... in front of `Reshape` or `ConstantOfShape`) are
worked out first, in a model of their own that holds nothing big. With them as constants the runtime's shape inference
knows how big everything will be, so that a file that would take too much memory is refused before it does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from engine.errors import Cancelled
from engine.graph.arrange import Arranged
from engine.graph.runtime import open_session, quiet_run, run
from engine.graph.types import TensorInfo
from engine.progress import CancelToken

_SMALL = 512
"""Elements of a tensor that shape arithmetic may use; a result is at most the product of two of these."""

_BOUNDED = frozenset({
    "Gather", "Squeeze", "Unsqueeze", "Cast", "Add", "Sub", "Mul", "Div", "Mod", "Neg", "Abs", "Floor", "Ceil", "Round",
    "Sqrt", "Pow", "Min", "Max", "Concat", "Slice", "Reshape", "Flatten", "Transpose", "Identity", "Where", "Equal",
    "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Not", "And", "Or", "ReduceProd", "ReduceSum", "ReduceMax",
    "ReduceMin", "Size", "Shape",
})  # fmt: skip
"""Operators whose result can't be larger than the product of their inputs' sizes."""


def settled(
    model: onnx.ModelProto,
    arranged: Arranged,
    shapes: Mapping[str, tuple[int, ...]],
    inputs: Sequence[TensorInfo],
    folder: Path,
    cancel: CancelToken,
) -> Arranged | None:
    """The graph with small computed constants as stored ones; None if there are none to settle.

    Args:
        model: Where operator sets and the IR version stand.
        arranged: The graph.
        shapes: Shapes that are known so far.
        inputs: Concrete inputs.
        folder: Where external data are.
        cancel: Heeded while the runtime works.
    """
    shapes = {**shapes, **{info.name: info.shape for info in inputs}}
    shapes.update({name: tuple(tensor.dims) for name, tensor in arranged.stored.items()})
    sizes = {name: prod(tensor.dims) for name, tensor in arranged.stored.items() if prod(tensor.dims) <= _SMALL}
    nodes, known = [], dict[str, onnx.TensorProto]()
    for node in arranged.nodes:
        shape = shapes.get(node.input[0]) if node.input else None
        if node.domain not in ("", "ai.onnx") or node.op_type not in _BOUNDED or len(node.output) != 1:
            continue
        if node.op_type in ("Shape", "Size") and shape is not None:
            known[node.output[0]] = _shape_value(node, shape)
            sizes[node.output[0]] = len(shape)
        elif node.op_type not in ("Shape", "Size") and all(name in sizes for name in node.input if name):
            nodes.append(node)
            bound = prod(max(1, sizes[name]) for name in node.input if name)
            if bound <= _SMALL:
                sizes[node.output[0]] = bound
    if not nodes and not known:
        return None
    found = known | _compute(model, nodes, arranged, known, folder, cancel)
    if not found:
        return None
    rest = tuple(node for node in arranged.nodes if node.output[0] not in found)
    return Arranged(rest, {**arranged.stored, **found}, arranged.outputs)


def _shape_value(node: onnx.NodeProto, shape: tuple[int, ...]) -> onnx.TensorProto:
    if node.op_type == "Size":
        return numpy_helper.from_array(np.array(prod(shape), np.int64), node.output[0])
    limits = {entry.name: entry.i for entry in node.attribute}
    part = shape[limits.get("start", 0) : limits.get("end", len(shape))]
    return numpy_helper.from_array(np.array(part, np.int64), node.output[0])


def _compute(
    model: onnx.ModelProto,
    nodes: Sequence[onnx.NodeProto],
    arranged: Arranged,
    known: Mapping[str, onnx.TensorProto],
    folder: Path,
    cancel: CancelToken,
) -> dict[str, onnx.TensorProto]:
    """Run the nodes by themselves; nothing if the runtime objects (it will say so again about the whole model)."""
    if not nodes:
        return {}
    part = onnx.ModelProto(ir_version=model.ir_version)
    part.opset_import.extend(model.opset_import)
    part.graph.name = "sizes"
    part.graph.node.extend(nodes)
    read = {name for node in nodes for name in node.input}
    made = [node.output[0] for node in nodes]
    part.graph.initializer.extend(known[name] for name in read if name in known)
    part.graph.initializer.extend(arranged.stored[name] for name in read if name in arranged.stored)
    part.graph.output.extend(onnx.ValueInfoProto(name=name) for name in made)
    try:
        values = run(open_session(part, folder, cancel), {}, made, quiet_run())
        return {name: numpy_helper.from_array(value.read(), name) for name, value in values.items()}
    except Cancelled:
        raise
    except Exception:  # the runtime's exceptions have no common base
        return {}
