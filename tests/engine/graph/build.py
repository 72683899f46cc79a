"""Small models for the tests, one line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

N = helper.make_node
F32 = np.float32


def weights(*shape: int, seed: int = 0, scale: float = 0.5) -> np.ndarray:
    return (np.random.default_rng([seed, *shape]).standard_normal(shape) * scale).astype(F32)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def model(
    nodes: Sequence[onnx.NodeProto],
    inputs: Mapping[str, tuple],
    outputs: Sequence[str],
    constants: Mapping[str, object] | None = None,
    *,
    opset: int = 17,
    domains: Sequence[str] = (),
    functions: Sequence[onnx.FunctionProto] = (),
) -> onnx.ModelProto:
    """Inputs: name -> shape (float) or (dtype, shape); the types of outputs are left to the runtime."""
    graph = helper.make_graph(
        list(nodes),
        "test",
        [value(name, spec) for name, spec in inputs.items()],
        [onnx.ValueInfoProto(name=name) for name in outputs],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in (constants or {}).items()],
    )
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8, functions=list(functions))


def value(name: str, spec: tuple) -> onnx.ValueInfoProto:
    kind, shape = spec if len(spec) == 2 and isinstance(spec[1], (tuple, list)) else (F32, spec)
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(kind)), list(shape))


def save(proto: onnx.ModelProto, folder: Path, name: str = "model.onnx") -> Path:
    path = folder / name
    path.write_bytes(proto.SerializeToString())
    return path


def save_external(proto: onnx.ModelProto, folder: Path, name: str = "model.onnx") -> Path:
    onnx.save(proto, folder / name, save_as_external_data=True, location="weights.bin", size_threshold=0)
    return folder / name


def constant(name: str, array: np.ndarray) -> onnx.NodeProto:
    return N("Constant", [], [name], value=numpy_helper.from_array(np.asarray(array)))


def quiet() -> ort.SessionOptions:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return options


FLOAT = TensorProto.FLOAT
