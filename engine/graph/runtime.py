"""ONNX Runtime as this room uses it: plain sessions that keep weights in their file, and readable messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnxruntime as ort

from engine.graph.guard import watched
from engine.graph.types import NO_TENSOR, Array, foreign
from engine.progress import NEVER, CancelToken

_TYPES = {
    "float": np.float32,
    "float16": np.float16,
    "double": np.float64,
    "bfloat16": ml_dtypes.bfloat16,
    "float8e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "float8e5m2": ml_dtypes.float8_e5m2,
    "float8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "float8e8m0": ml_dtypes.float8_e8m0fnu,
    "float4e2m1": ml_dtypes.float4_e2m1fn,
    "int2": ml_dtypes.int2,
    "uint2": ml_dtypes.uint2,
    "int4": ml_dtypes.int4,
    "uint4": ml_dtypes.uint4,
    "int8": np.int8,
    "uint8": np.uint8,
    "int16": np.int16,
    "uint16": np.uint16,
    "int32": np.int32,
    "uint32": np.uint32,
    "int64": np.int64,
    "uint64": np.uint64,
    "bool": np.bool_,
    "complex64": np.complex64,
    "complex128": np.complex128,
    "string": np.object_,
}


def open_session(model: onnx.ModelProto, folder: Path, cancel: CancelToken = NEVER) -> ort.InferenceSession:
    """A session that runs the nodes one by one as they are written.

    No optimisation: every tensor exists, and nothing is packed or folded, so that mapped weights stay in their file.

    Args:
        model: External data are names relative to `folder`.
        folder: Where those files are.
        cancel: Heeded while the runtime works.

    Raises:
        Cancelled: If asked to stop.
    """
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4  # errors come back as exceptions
    options.intra_op_num_threads = 2
    options.inter_op_num_threads = 1
    options.execution_order = ort.ExecutionOrder.PRIORITY_BASED  # Shape nodes at once, so that their input can go
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.disable_prepacking", "1")
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(folder))
    with watched(lambda: options.set_load_cancellation_flag(True), cancel):
        return ort.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"], enable_fallback=0
        )


def quiet_run() -> ort.RunOptions:
    """Options of one run: errors come back as exceptions, not on the standard error stream."""
    options = ort.RunOptions()
    options.log_severity_level = 4
    return options


def output_types(session: ort.InferenceSession) -> dict[str, tuple[np.dtype[Any], tuple[int, ...] | None]]:
    """Dtype of each output, and its shape where the runtime proves it."""
    found = {}
    for output in session.get_outputs():
        dtype = tensor_dtype(output.type)
        sizes = output.shape
        # An empty list says "scalar" and "unknown rank" alike, so it proves nothing.
        fixed = dtype is not None and bool(sizes) and all(isinstance(size, int) and size >= 0 for size in sizes)
        found[output.name] = (NO_TENSOR if dtype is None else dtype, tuple(sizes) if fixed else None)
    return found


def tensor_dtype(text: str) -> np.dtype[Any] | None:
    """Numpy dtype of 'tensor(float)'; None for sequences, maps and optionals."""
    match = re.fullmatch(r"tensor\((\w+)\)", text)
    kind = _TYPES.get(match[1]) if match else None
    return None if kind is None else np.dtype(kind)


def as_ort(array: Array) -> ort.OrtValue:
    """A value for the runtime; types that numpy has no name for go by their bits."""
    array = np.ascontiguousarray(array).reshape(array.shape)
    if foreign(array.dtype):
        bits = array.view(np.uint16 if array.dtype.itemsize == 2 else np.uint8)
        return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(bits, onnx.helper.np_dtype_to_tensor_dtype(array.dtype))
    return ort.OrtValue.ortvalue_from_numpy(array)


@dataclass(frozen=True, slots=True)
class Value:
    """A result; sequences, maps and optionals have neither shape nor array."""

    shape: tuple[int, ...] | None
    read: Callable[[], Array]
    """Gives the array, without a copy where that is possible."""


def run(
    session: ort.InferenceSession, feeds: Mapping[str, Array], outputs: Sequence[str], options: ort.RunOptions
) -> dict[str, Value]:
    """Run and keep only `outputs`."""
    if any(array.dtype == object for array in feeds.values()):  # there is no OrtValue of strings
        arrays = session.run(list(outputs), dict(feeds), options)
        return {name: _plain(value) for name, value in zip(outputs, arrays, strict=True)}
    values = session.run_with_ort_values(list(outputs), {name: as_ort(a) for name, a in feeds.items()}, options)
    return {
        name: Value(tuple(value.shape()) if value.is_tensor() else None, value.numpy)
        for name, value in zip(outputs, values, strict=True)
    }


def _plain(value: object) -> Value:
    array = value if isinstance(value, np.ndarray) else None
    return Value(None if array is None else array.shape, lambda: np.asarray(array))


def out_of_memory(error: Exception) -> bool:
    """Whether the runtime complains that it got no memory."""
    return any(words in str(error) for words in ("bad_alloc", "Failed to allocate memory"))


def reason(error: Exception) -> str:
    """What the runtime says, on one line and without its own file names and codes."""
    text = re.sub(r"\[ONNXRuntimeError\] : \d+ : [A-Z_]+ : ", "", str(error))
    text = re.sub(r"^(Load model from .* failed:|Exception during initialization: )", "", text.strip())
    text = re.sub(r"/?\S*\w\.(cc|h|hpp|cpp):\d+\s+(\w+ (?=[A-Z]))?", "", text)
    text = re.sub(r"(^|: )(\w[\w:<>*&]*\s+)*\w+(::~?\w+)+\((?:[^()]|\([^()]*\))*\)\s+", r"\1", text)  # C++
    text = re.sub(r"(^|: )\S[^:.]*? was false\. +(?=\S)", r"\1", text)  # words that say the same follow
    text = re.sub(
        r"Non-zero status code returned while running (\S+) node\. Name:'([^']*)' Status Message: ",
        r"the \1 node \2 fails: ",
        text,
    )
    newer = re.search(r"Opset (\d+) is under development.*?till opset (\d+)", text, re.DOTALL)
    if newer:
        return f"operator set {newer[1]} is newer than {newer[2]}, the newest that it knows; export for an older one"
    text = re.sub(r"\s+", " ", text).strip().rstrip(".").replace("std::bad_alloc", "not enough memory")
    return text if len(text) <= 300 else text[:297] + "..."
