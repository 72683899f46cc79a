"""A kernel as a segment with names of its own: layers that look alike become equal, and share their backward sessions.

On the way a kernel is brought to what the backward rules expect: operators of opset 21 or newer, functions of the file
written out, everything floating in float32.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import onnx
import onnx.inliner
import onnx.shape_inference
from onnx import helper, numpy_helper

from engine.errors import ExportError
from engine.fusion.types import Kernel, Kind, Network
from engine.graph.types import Array
from engine.numerics.lowering import FLOATS
from engine.numerics.models import IR_VERSION
from engine.numerics.upgrade import upgrade_kernel
from engine.tuning.adjoint import RULES, ZERO, Blocked, Segment
from engine.tuning.adjoint.backward import names_read
from engine.tuning.adjoint.call import qualified

OPSET = 21
_FEW = 64
"""Constants of up to that many elements are written into the graph; larger ones are handed over at every run."""
_WITH_VALUES = frozenset({Kind.CONV, Kind.DEPTHWISE, Kind.CONV_TRANSPOSE})
"""Kinds whose weights are part of their graph: ONNX Runtime then lays them out for its fastest convolutions."""
_WIDE = frozenset({int(onnx.TensorProto.FLOAT16), int(onnx.TensorProto.BFLOAT16), int(onnx.TensorProto.DOUBLE)})
_FLOAT = np.dtype(np.float32)


@dataclass(frozen=True, eq=False, slots=True)
class Canonical:
    """A kernel under canonical names (t0, t1 ...)."""

    segment: Segment
    original: Mapping[str, str]
    """Canonical -> original name, for inputs, outputs and constants of the kernel."""
    short: Mapping[str, str]
    """The other way round."""
    dtypes: Mapping[str, np.dtype[Any]]
    """Of inputs, outputs and constants as they are handed over; the segment sees floats of any kind as float32."""
    anchor: int
    """Position of the anchor in the segment."""
    key: object
    """Equal for kernels that one session can serve."""


def canonical(kernel: Kernel, network: Network) -> Canonical:
    """Bring a kernel to canonical form.

    Raises:
        Blocked: If a shape in it depends on values, or it can't be said in a newer opset.
    """
    graph = network.graph
    loose = [name for name in (*kernel.inputs, *_written(kernel)) if name in graph.dynamic]
    if loose:
        raise Blocked(f"{kernel.op}: shapes depend on values")
    given = graph.opsets.get("", 1)
    opset = max(OPSET, given)
    try:
        modern = upgrade_kernel(kernel, given, opset, graph.tensors)
    except ExportError as error:
        raise Blocked(str(error)) from error
    nodes = [node.proto for node in modern.nodes]
    names = [name for name in (*kernel.inputs, *_written(kernel)) if name in graph.tensors]
    shapes = {name: graph.tensors[name].shape for name in names}
    dtypes = {name: graph.tensors[name].dtype for name in names}
    constants = dict(modern.constants)
    nodes = _written_out(nodes, network, constants, dtypes, shapes, opset)
    shapes |= {name: array.shape for name, array in constants.items()}
    dtypes |= {name: array.dtype for name, array in constants.items()}
    _infer_missing(nodes, constants, shapes, dtypes, opset, graph.opsets)
    return _renamed(kernel, nodes, constants, shapes, dtypes, opset, modern.nodes[modern.anchor].outputs[0])


def _written(kernel: Kernel) -> list[str]:
    return [name for node in kernel.nodes for name in node.outputs if name]


def _renamed(
    kernel: Kernel,
    nodes: list[onnx.NodeProto],
    constants: Mapping[str, Array],
    shapes: Mapping[str, tuple[int, ...]],
    dtypes: Mapping[str, np.dtype[Any]],
    opset: int,
    anchor_output: str,
) -> Canonical:
    short: dict[str, str] = {}
    # Outputs in their order first: two kernels are alike only if the same results leave them.
    for name in (*kernel.inputs, *kernel.outputs, *(n for node in nodes for n in (*names_read(node), *node.output))):
        if name and name not in short:
            short[name] = f"t{len(short)}"
    made = [_short_node(node, short) for node in nodes]
    values: dict[str, Array] = {}
    parameters: set[str] = set()
    key: list[object] = [opset, len(kernel.inputs), len(kernel.outputs), [node.SerializeToString() for node in made]]
    for name, array in constants.items():
        if name not in short:
            continue
        if array.size > _FEW and array.dtype.name in FLOATS and kernel.kind not in _WITH_VALUES:
            parameters.add(short[name])
            continue
        values[short[name]] = _single(array)
        key.append((short[name], array.dtype.str, array.shape, array.tobytes() if array.size <= _FEW else kernel.id))
    key.append([(short[n], shapes[n], str(dtypes[n])) for n in sorted(short, key=short.__getitem__) if n in shapes])
    segment = Segment(
        nodes=tuple(made),
        shapes={short[name]: tuple(shape) for name, shape in shapes.items() if name in short},
        floats=frozenset(short[name] for name, dtype in dtypes.items() if name in short and dtype.name in FLOATS),
        constants=values,
        opset=opset,
        parameters=frozenset(parameters),
    )
    anchor = next(at for at, node in enumerate(nodes) if anchor_output in node.output)
    outside = {*kernel.inputs, *kernel.outputs, *constants, anchor_output}
    return Canonical(
        segment,
        {short[name]: name for name in outside if name in short},
        short,
        {short[name]: dtypes[name] for name in outside if name in short and name in dtypes},
        anchor,
        repr(key),
    )


def _short_node(node: onnx.NodeProto, short: Mapping[str, str]) -> onnx.NodeProto:
    made = onnx.NodeProto()
    made.CopyFrom(node)
    made.name = made.doc_string = ""
    del made.metadata_props[:]
    _rename(made, short)
    for attribute in made.attribute:
        # A half or double would add rounding of its own, or slow everything down.
        if made.op_type == "Cast" and attribute.name == "to" and attribute.i in _WIDE:
            attribute.i = onnx.TensorProto.FLOAT
        if made.op_type == "ConstantOfShape" and attribute.name == "value" and attribute.t.data_type in _WIDE:
            attribute.t.CopyFrom(numpy_helper.from_array(_single(numpy_helper.to_array(attribute.t))))
    return made


def _rename(node: onnx.NodeProto, short: Mapping[str, str]) -> None:
    for names in (node.input, node.output):
        for at, name in enumerate(names):
            names[at] = short.get(name, name)
    for attribute in node.attribute:
        for graph in [attribute.g] if attribute.HasField("g") else attribute.graphs:
            inner = {name: new for name, new in short.items() if not _defines(graph, name)}
            for each in graph.node:
                _rename(each, inner)
            for info in graph.output:
                info.name = inner.get(info.name, info.name)


def _defines(graph: onnx.GraphProto, name: str) -> bool:
    return any(name in node.output for node in graph.node) or any(t.name == name for t in graph.initializer)


def _single(array: Array) -> Array:
    return array.astype(_FLOAT) if array.dtype.name in FLOATS and array.dtype != _FLOAT else array


def _written_out(
    nodes: list[onnx.NodeProto],
    network: Network,
    constants: dict[str, Array],
    dtypes: Mapping[str, np.dtype[Any]],
    shapes: Mapping[str, tuple[int, ...]],
    opset: int,
) -> list[onnx.NodeProto]:
    """Functions of the file, and operators without a rule that the standard defines by others, as plain nodes."""
    functions = network.graph.functions
    known = {(function.domain, function.name) for function in functions}
    local = any((node.domain, node.op_type) in known for node in nodes)
    by_schema = [node for node in nodes if qualified(node) not in RULES and _has_body(node.op_type, node.domain, opset)]
    if not local and not by_schema:
        return nodes
    model = _typed_model([_complete(node) for node in nodes], constants, dtypes, shapes, opset, network.graph.opsets)
    model.functions.extend(functions)
    try:
        if local:
            model = onnx.inliner.inline_local_functions(model)
        if by_schema:
            wanted = list({("", node.op_type) for node in by_schema})
            model = onnx.inliner.inline_selected_functions(model, wanted, inline_schema_functions=True)
    except Exception:  # the inliner needs types that it can't always infer: the operator then blocks
        return nodes
    made = []
    for node in model.graph.node:
        if node.op_type == "Constant" and not node.domain:
            constants[node.output[0]] = _constant(node)
        else:
            made.append(node)
    return made


def _constant(node: onnx.NodeProto) -> Array:
    attribute = node.attribute[0]
    value = helper.get_attribute_value(attribute)
    if attribute.name == "value":
        return np.asarray(numpy_helper.to_array(value))
    return np.asarray(value, np.float32 if "float" in attribute.name else np.int64)


@cache
def _has_body(operator: str, domain: str, opset: int) -> bool:
    if domain not in ("", "ai.onnx") or operator in ZERO or not onnx.defs.has(operator, opset):
        return False
    schema = onnx.defs.get_schema(operator, opset)
    # Range would become a Loop.
    body = schema.has_function or schema.has_context_dependent_function  # type: ignore[attr-defined]
    return operator != "Range" and bool(body)


def _complete(node: onnx.NodeProto) -> onnx.NodeProto:
    """With the default attributes written down: the inliner forgets them."""
    if node.domain not in ("", "ai.onnx") or not onnx.defs.has(node.op_type):
        return node
    made = onnx.NodeProto()
    made.CopyFrom(node)
    given = {attribute.name for attribute in node.attribute}
    for name, attribute in onnx.defs.get_schema(node.op_type).attributes.items():
        if name not in given and attribute.default_value.type:
            made.attribute.append(attribute.default_value)
    return made


def _infer_missing(
    nodes: list[onnx.NodeProto],
    constants: Mapping[str, Array],
    shapes: dict[str, tuple[int, ...]],
    dtypes: dict[str, np.dtype[Any]],
    opset: int,
    opsets: Mapping[str, int],
) -> None:
    """Shapes and dtypes of tensors that upgrading or writing out has brought."""
    if all(name in shapes for node in nodes for name in node.output if name):
        return
    model = _typed_model(nodes, constants, dtypes, shapes, opset, opsets)
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
    for info in inferred.graph.value_info:
        kind = info.type.tensor_type
        sizes = [dim.dim_value for dim in kind.shape.dim if dim.HasField("dim_value")]
        if info.name in shapes or not kind.HasField("shape") or len(sizes) != len(kind.shape.dim):
            continue
        shapes[info.name] = tuple(sizes)
        dtypes[info.name] = helper.tensor_dtype_to_np_dtype(kind.elem_type)


def _typed_model(
    nodes: list[onnx.NodeProto],
    constants: Mapping[str, Array],
    dtypes: Mapping[str, np.dtype[Any]],
    shapes: Mapping[str, tuple[int, ...]],
    opset: int,
    opsets: Mapping[str, int],
) -> onnx.ModelProto:
    """Nodes as a model whose inputs are all that they read; small integer constants keep their values."""
    written = {name for node in nodes for name in node.output}
    read = {name for node in nodes for name in names_read(node)} - written
    infos, initializers = [], []
    for name in sorted(read):
        if name in constants and constants[name].size <= _FEW and constants[name].dtype.kind in "iuf":
            initializers.append(numpy_helper.from_array(np.asarray(constants[name]), name))
        elif name in constants:
            infos.append(_info(name, constants[name].dtype, constants[name].shape))
        elif name in shapes:
            infos.append(_info(name, dtypes[name], shapes[name]))
    outputs = [onnx.ValueInfoProto(name=name) for name in sorted(written) if name]
    graph = helper.make_graph(nodes, "kernel", infos, outputs, initializers)
    imports = [helper.make_opsetid(domain, version) for domain, version in {**opsets, "": opset}.items()]
    return helper.make_model(graph, opset_imports=imports, ir_version=IR_VERSION)


def _info(name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), shape)
