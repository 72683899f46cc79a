"""Operators that are linear along single axes: the matrix is read off by running the node on an identity matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper

from engine.graph.types import Array
from engine.numerics.models import IR_VERSION
from engine.numerics.runtime import BASIC, options
from engine.tuning.adjoint.tape import Sym


def run_node(node: onnx.NodeProto, feeds: Mapping[str, Array], opset: int) -> Array:
    """First result of one node by itself."""
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in feeds.items()
    ]
    outputs = [onnx.ValueInfoProto(name=name) for name in node.output if name]
    graph = helper.make_graph([node], "one", inputs, outputs)
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=IR_VERSION)
    session = ort.InferenceSession(model.SerializeToString(), options(BASIC), providers=["CPUExecutionProvider"])
    found: Array = np.asarray(session.run(None, dict(feeds))[0])
    return found


def along(g: Sym, maps: Mapping[int, Array], rank: int) -> Sym:
    """Apply the transposes of matrices [out, in] along axes of a gradient."""
    for axis, matrix in maps.items():
        matrix = np.ascontiguousarray(matrix, np.float32)
        if axis == rank - 1:
            g = g.tape.op("MatMul", g, matrix)
        elif axis == rank - 2:
            g = g.tape.op("MatMul", np.ascontiguousarray(matrix.T), g)
        else:
            order = [*(at for at in range(rank) if at != axis), axis]
            g = g.tape.op("MatMul", g.transpose(order), matrix).transpose([int(at) for at in np.argsort(order)])
    return g


def bare(operator: str, inputs: list[str], attributes: Mapping[str, Any]) -> onnx.NodeProto:
    """A node that writes `y`."""
    return helper.make_node(operator, inputs, ["y"], **attributes)
