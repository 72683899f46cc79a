"""ONNX Runtime, set up for many small sessions in one process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper

from engine.errors import ModelError
from engine.graph.types import Array, TensorInfo
from engine.numerics.activations import onnx_type
from engine.numerics.blocks import DOMAIN
from engine.numerics.models import Built, has_bodies
from engine.numerics.tables import TableSession, as_inputs, tables_of
from engine.text import say

ALL, EXTENDED, BASIC = "all", "extended", "basic"
_LEVELS = {
    ALL: ort.GraphOptimizationLevel.ORT_ENABLE_ALL,
    EXTENDED: ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    BASIC: ort.GraphOptimizationLevel.ORT_ENABLE_BASIC,
}
ort.set_default_logger_severity(4)


class _Arena:
    """One arena for all kernel sessions: an arena each would keep every session's scratch memory for ever."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made = False

    def ensure(self) -> None:
        with self._lock:
            if self._made:
                return
            info = ort.OrtMemoryInfo("Cpu", ort.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, ort.OrtMemType.DEFAULT)
            wanted = {"max_mem": 0, "arena_extend_strategy": 0, "initial_chunk_size_bytes": -1,
                      "max_dead_bytes_per_chunk": -1}  # fmt: skip
            ort.create_and_register_allocator(info, ort.OrtArenaCfg(wanted))
            self._made = True


_ARENA = _Arena()


def options(level: str = ALL, *, threads: int = 1, shared: bool = True) -> ort.SessionOptions:
    """Session options: no spinning, QDQ nodes run as they are written.

    Args:
        level: Optimisation level.
        threads: Threads inside operators; kernels are run in parallel over samples instead.
        shared: Use the arena of the process. A session whose peak should be given back must not.
    """
    made = ort.SessionOptions()
    made.graph_optimization_level = _LEVELS[level]
    made.log_severity_level = 4
    made.intra_op_num_threads, made.inter_op_num_threads = threads, 1
    made.add_session_config_entry("session.intra_op.allow_spinning", "0")
    made.add_session_config_entry("session.disable_quant_qdq", "1")
    if shared:
        _ARENA.ensure()
        made.enable_mem_pattern = False
        made.add_session_config_entry("session.use_env_allocators", "1")
    return made


def open_either(build: Callable[[bool], Built], made: Callable[[], ort.SessionOptions]) -> ort.InferenceSession:
    """Open a model with concrete shapes; if that fails and there are branches, with ranks only.

    Args:
        build: Makes the model, loose or not.
        made: Makes session options.
    """
    built = build(False)
    try:
        return open_session(built, made())
    except Exception:
        if not has_bodies(built.proto.graph.node):
            raise
    return open_session(build(True), made())


_UNWANTED = ["LayerNormFusion", "SimplifiedLayerNormFusion", "DoubleQDQPairsRemover"]
"""The first two drop a Cast in front of a norm and then refuse the mixed types. The last takes two roundings in a row
for one, also where they differ: a model's own and that of a scheme."""


def open_session(built: Built, made: ort.SessionOptions) -> ort.InferenceSession:
    """Open a model; constants outside the protobuf are copied into the session, or kept by it where it can read them.

    Raises:
        Exception: Whatever ONNX Runtime says; callers name the layer.
    """
    tables = tables_of(built.proto.graph, built.outside)
    held = {name: to_ort(array) for name, array in built.outside.items() if name not in tables}
    if held:
        made.add_external_initializers(list(held), list(held.values()))
    read_in_place = _read_in_place(built.proto.graph.node)
    for name in read_in_place.intersection(held):
        made.add_initializer(name, held[name])
    more = {"providers": ["CPUExecutionProvider"], "disabled_optimizers": _UNWANTED}
    if tables:
        model = as_inputs(built.proto, tables).SerializeToString()
        session = TableSession(model, made, {name: to_ort(array) for name, array in tables.items()}, **more)
    else:
        session = ort.InferenceSession(built.proto.SerializeToString(), made, **more)
    if not read_in_place.isdisjoint(held):
        session.held = held, built.outside  # ONNX Runtime has pointers to them
    return session


def _read_in_place(nodes: Sequence[onnx.NodeProto]) -> set[str]:
    """Names that only operators in channel blocks read: nothing rewrites or packs their weights when a session opens.

    A copy costs more than the rest of opening: fresh memory for every weight.
    """
    inside, others = set[str](), set[str]()
    for node in nodes:
        (inside if node.domain == DOMAIN else others).update(node.input)
    return inside - others


def to_ort(array: Array) -> ort.OrtValue:
    """An OrtValue over the memory of an array (which must outlive it); text is copied."""
    if not array.flags.c_contiguous:  # np.ascontiguousarray would make a vector of a scalar
        array = np.ascontiguousarray(array)
    kind = onnx_type(array.dtype)
    if kind == TensorProto.STRING:
        return _text_value(array)
    if array.dtype == ml_dtypes.bfloat16:
        return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(array.view(np.uint16), kind)
    return ort.OrtValue.ortvalue_from_numpy(array)


def to_numpy(value: ort.OrtValue, info: TensorInfo | None) -> Array:
    """The values as an array; of a CPU tensor a view."""
    if info is not None and info.dtype == ml_dtypes.bfloat16:
        return _bfloat16(value)
    found: Array = value.numpy()
    return found


def first_line(error: Exception) -> str:
    """What ONNX Runtime complains about, without its source positions."""
    text = str(error).strip().splitlines()
    return text[0][:300] if text else type(error).__name__


def naming(name: str, work: Callable[[], Any]) -> Any:
    """Call ONNX Runtime and turn its complaint into a sentence about a layer.

    Raises:
        ModelError: If the call fails.
    """
    try:
        return work()
    except Exception as error:  # ONNX Runtime has a class of its own for each status code
        raise ModelError(
            say("Layer {name} can't be run: {reason}", name=name, reason=first_line(error))
        ) from error  # fmt: skip


def _bfloat16(value: ort.OrtValue) -> Array:
    # numpy doesn't know the type, so ONNX Runtime refuses to hand it out: widen it there.
    dims = value.shape()
    cast = helper.make_node("Cast", ["x"], ["y"], to=TensorProto.FLOAT)
    inputs = [helper.make_tensor_value_info("x", TensorProto.BFLOAT16, dims)]
    session = _tiny_session(cast, inputs, helper.make_tensor_value_info("y", TensorProto.FLOAT, dims), ())
    wide: Array = session.run_with_ort_values(["y"], {"x": value})[0].numpy()
    return wide.astype(ml_dtypes.bfloat16)


def _text_value(array: Array) -> ort.OrtValue:
    # An OrtValue of text can't be made from Python, but a session can return one.
    tensor = onnx.TensorProto(name="x", data_type=TensorProto.STRING, dims=array.shape)
    tensor.string_data.extend(str(text).encode() for text in array.reshape(-1))
    identity = helper.make_node("Identity", ["x"], ["y"])
    session = _tiny_session(
        identity, (), helper.make_tensor_value_info("y", TensorProto.STRING, array.shape), (tensor,)
    )
    binding = session.io_binding()
    binding.bind_output("y", "cpu")
    session.run_with_iobinding(binding)
    return binding.get_outputs()[0]


def _tiny_session(
    node: onnx.NodeProto,
    inputs: Sequence[onnx.ValueInfoProto],
    output: onnx.ValueInfoProto,
    constants: Sequence[onnx.TensorProto],
) -> ort.InferenceSession:
    graph = helper.make_graph([node], "tiny", list(inputs), [output], list(constants))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return ort.InferenceSession(model.SerializeToString(), options(), providers=["CPUExecutionProvider"])
