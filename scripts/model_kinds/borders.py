"""Inputs and outputs that are no tensors of numpy's types, and tensors that are stored sparsely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import onnx
from onnx import TensorProto, TypeProto, helper, numpy_helper

from model_kinds.build import N, f32, ints, kind, model

_TENSOR = helper.make_tensor_type_proto
_LAYER = N("MatMul", ["c", "w"], ["y"], "layer")


def _typed(
    nodes: Sequence[onnx.NodeProto], inputs: Mapping[str, TypeProto], outputs: Mapping[str, TypeProto] | None = None
) -> onnx.ModelProto:
    results = outputs or {"y": _TENSOR(TensorProto.FLOAT, None)}
    graph = helper.make_graph(
        list(nodes),
        "model",
        [helper.make_value_info(name, each) for name, each in inputs.items()],
        [helper.make_value_info(name, each) for name, each in results.items()],
        [numpy_helper.from_array(f32(16, 8), "w")],
    )
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.ml", 3)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def _floats(rows: int | None = 2) -> TypeProto:
    return _TENSOR(TensorProto.FLOAT, None if rows is None else [rows, 16])


def _sequence(inner: TypeProto | None = None) -> TypeProto:
    return helper.make_sequence_type_proto(inner or _floats())


def _map() -> TypeProto:
    found = TypeProto()
    found.map_type.key_type = TensorProto.INT64
    found.map_type.value_type.CopyFrom(_TENSOR(TensorProto.FLOAT, []))
    return found


def _cast_input(element: int) -> onnx.ModelProto:
    return _typed([N("Cast", ["x"], ["c"], to=TensorProto.FLOAT), _LAYER], {"x": _TENSOR(element, [2, 16])})


def _sparse() -> onnx.ModelProto:
    proto = model([N("MatMul", ["x", "w"], ["y"], "layer")], {"x": (TensorProto.FLOAT, [2, 16])}, ["y"])
    values = numpy_helper.from_array(f32(20), "w")
    places = numpy_helper.from_array(ints(*range(0, 120, 6)), "places")
    proto.graph.sparse_initializer.append(helper.make_sparse_tensor(values, places, [16, 8]))
    return proto


def _twice() -> onnx.ModelProto:
    proto = model(
        [N("MatMul", ["x", "w"], ["y"], "layer")], {"x": (TensorProto.FLOAT, [2, 16])}, ["y"], {"w": f32(16, 8)}
    )
    proto.graph.initializer.append(numpy_helper.from_array(f32(16, 8) * 2, "w"))
    return proto


def _both_domains() -> onnx.ModelProto:
    proto = _typed([N("Relu", ["x"], ["c"]), _LAYER], {"x": _floats()})
    proto.opset_import.append(helper.make_opsetid("ai.onnx", 21))
    return proto


_ZIP = helper.make_node("ZipMap", ["h"], ["z"], domain="ai.onnx.ml", classlabels_int64s=list(range(8)))
_HIDDEN = N("MatMul", ["x", "w"], ["h"], "layer")

BORDERS = (
    kind("inputs", "a sequence", lambda: _typed(
        [N("ConcatFromSequence", ["s"], ["c"], axis=0), _LAYER], {"s": _sequence()}
    )),
    kind("inputs", "an optional value", lambda: _typed(
        [N("OptionalGetElement", ["o"], ["c"]), _LAYER], {"o": helper.make_optional_type_proto(_floats())}
    )),
    kind("inputs", "a map", lambda: _typed(
        [helper.make_node("CastMap", ["m"], ["c"], domain="ai.onnx.ml", map_form="SPARSE", max_map=16), _LAYER],
        {"m": _map()},
    )),
    kind("inputs", "bfloat16", lambda: _cast_input(TensorProto.BFLOAT16)),
    kind("inputs", "int4", lambda: _cast_input(TensorProto.INT4)),
    kind("inputs", "a size of 0", lambda: _typed([N("Relu", ["x"], ["c"]), _LAYER], {"x": _floats(0)})),
    kind("outputs", "a sequence", lambda: _typed(
        [_HIDDEN, N("SplitToSequence", ["h"], ["s"])], {"x": _floats()}, {"s": _sequence(_floats(None))}
    )),
    kind("outputs", "a list of maps (ZipMap)", lambda: _typed(
        [_HIDDEN, _ZIP], {"x": _floats()}, {"z": _sequence(_map())}
    )),
    kind("outputs", "bfloat16", lambda: _typed(
        [_HIDDEN, N("Cast", ["h"], ["y"], to=TensorProto.BFLOAT16)], {"x": _floats()},
        {"y": _TENSOR(TensorProto.BFLOAT16, None)},
    )),
    kind("graphs", "a sequence inside", lambda: _typed(
        [N("SequenceConstruct", ["x", "x"], ["s"]), N("ConcatFromSequence", ["s"], ["c"], axis=0), _LAYER],
        {"x": _floats()},
    )),
    kind("graphs", "imports of both \"\" and \"ai.onnx\"", _both_domains),
    kind("weights", "stored sparsely", _sparse),
    kind("weights", "two stored tensors of one name", _twice, opens=False),
)  # fmt: skip
