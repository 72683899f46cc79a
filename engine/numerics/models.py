"""ONNX models out of nodes, with big constants outside the protobuf."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper

from engine.graph.types import Array, Graph, TensorInfo
from engine.numerics.activations import onnx_type
from engine.quant.packing import pack_int4

HALF_BYTES = (np.dtype(ml_dtypes.int4), np.dtype(ml_dtypes.uint4))
"""Types of which ONNX stores two in a byte, and numpy one."""
INLINE = 1024
"""Constants below this many bytes stay in the protobuf: shape inference reads some of them (shapes, Resize scales)."""
_BODIES = (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS)
IR_VERSION = 10
"""The first that knows INT4; ONNX Runtime takes it with any opset."""


@dataclass(frozen=True, eq=False, slots=True)
class Built:
    """A model and the constants to hand over beside it."""

    proto: onnx.ModelProto
    outside: Mapping[str, Array]
    """Initializers that the protobuf only names, with placeholders for their data."""


def build_model(
    graph: Graph,
    nodes: Iterable[onnx.NodeProto],
    inputs: Sequence[str],
    outputs: Sequence[str],
    constants: Mapping[str, Array],
    *,
    opsets: Mapping[str, int] | None = None,
    inline: int = INLINE,
    loose: bool = False,
) -> Built:
    """Put nodes into a model with concrete input shapes (only the dtype where shapes depend on values).

    Args:
        graph: Where tensors, opsets and functions come from.
        nodes: In runnable order.
        inputs: Activations that the model is fed with.
        outputs: What it returns.
        constants: What the nodes read; ones that no node reads are harmless.
        opsets: Other opsets than the graph's.
        inline: Constants of at least this many bytes stay outside the protobuf.
        loose: Declare ranks only. A branch that never runs with these shapes may not even be possible with them, and
            ONNX Runtime infers the shapes of all branches.
    """
    proto = onnx.ModelProto(ir_version=max(IR_VERSION, graph.ir_version))
    body = proto.graph
    body.name = "main"
    body.node.extend(nodes)
    body.input.extend(value_info(name, graph, loose) for name in inputs)
    body.output.extend(value_info(name, graph, loose) for name in outputs)
    outside = {}
    for name, array in constants.items():
        body.initializer.append(tensor := tensor_proto(name, array, inline))
        if tensor.data_location == TensorProto.EXTERNAL:
            outside[name] = array
    domains = dict(opsets if opsets is not None else graph.opsets)
    for node in body.node:
        domains.setdefault(_domain(node.domain), 1)
    proto.opset_import.extend(helper.make_opsetid(domain, version) for domain, version in domains.items())
    proto.functions.extend(graph.functions)
    return Built(proto, outside)


def value_info(name: str, graph: Graph, loose: bool = False) -> onnx.ValueInfoProto:
    """Dtype and shape of an activation, as far as they are fixed; of a loose one the rank."""
    info = graph.tensors.get(name)
    if info is None:
        constant = graph.constants.get(name)
        if constant is None:
            return onnx.ValueInfoProto(name=name)
        info = TensorInfo(name, constant.dtype, constant.shape)
    shape = None if name in graph.dynamic else tuple(None if loose else size for size in info.shape)
    return helper.make_tensor_value_info(name, onnx_type(info.dtype), shape)


def has_bodies(nodes: Iterable[onnx.NodeProto]) -> bool:
    """Whether a node is an If, Loop or Scan, or anything else with graphs inside."""
    return any(
        attribute.type in _BODIES or (not attribute.type and (attribute.HasField("g") or attribute.graphs))
        for node in nodes
        for attribute in node.attribute
    )


def tensor_proto(name: str, array: Array, inline: int = INLINE) -> onnx.TensorProto:
    """An initializer; from `inline` bytes on only a placeholder for data handed over in memory."""
    kind = onnx_type(array.dtype)
    tensor = onnx.TensorProto(name=name, data_type=kind, dims=array.shape)
    if kind == TensorProto.STRING:
        tensor.string_data.extend(str(text).encode() for text in array.reshape(-1))
    elif array.nbytes < inline or array.dtype in HALF_BYTES:
        tensor.raw_data = raw_bytes(array)
    else:
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in (("location", "memory"), ("offset", "0"), ("length", str(array.nbytes))):
            tensor.external_data.add(key=key, value=value)
    return tensor


def raw_bytes(array: Array) -> bytes:
    """The bytes of a tensor as ONNX stores them: little endian, C order, two 4-bit codes per byte."""
    if array.dtype in HALF_BYTES:
        return pack_int4(array.astype(np.int8)).tobytes()
    return np.ascontiguousarray(array).tobytes()


def _domain(domain: str) -> str:
    return "" if domain == "ai.onnx" else domain
