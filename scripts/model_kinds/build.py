"""Models of a few lines, and what a kind of model is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

N = helper.make_node
F32, F16, I64 = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.INT64
Spec = tuple[int, Sequence[int | str]]


@dataclass(frozen=True)
class ModelKind:
    """One kind of model, and how to write a file of it."""

    group: str
    title: str
    write: Callable[[Path], Path]
    """Writes into an empty folder, and gives the path to open."""
    opens: bool = True
    """Whether it should open; the others should be refused."""


def kind(group: str, title: str, make: Callable[[], onnx.ModelProto], *, opens: bool = True) -> ModelKind:
    """A kind that is one plain file."""

    def write(folder: Path) -> Path:
        path = folder / "model.onnx"
        path.write_bytes(make().SerializeToString())
        return path

    return ModelKind(group, title, write, opens)


def model(
    nodes: Sequence[onnx.NodeProto],
    inputs: Mapping[str, Spec],
    outputs: Sequence[str],
    constants: Mapping[str, object] | None = None,
    *,
    opset: int = 17,
    domains: Sequence[str] = (),
    functions: Sequence[onnx.FunctionProto] = (),
) -> onnx.ModelProto:
    """Types of outputs are left to the runtime."""
    graph = helper.make_graph(
        list(nodes),
        "model",
        [helper.make_tensor_value_info(name, *spec) for name, spec in inputs.items()],
        [onnx.ValueInfoProto(name=name) for name in outputs],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in (constants or {}).items()],
    )
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8, functions=list(functions))


def product(
    weight: object = None, *, name: str = "layer", inputs: Mapping[str, Spec] | None = None, **options: object
) -> onnx.ModelProto:
    """One MatMul [2, 16] x [16, 8] and a Relu."""
    nodes = [N("MatMul", ["x", "w"], ["h"], name), N("Relu", ["h"], ["y"])]
    return model(
        nodes, inputs or {"x": (F32, [2, 16])}, ["y"], {"w": f32(16, 8) if weight is None else weight}, **options
    )  # type: ignore[arg-type]


def f32(*shape: int) -> np.ndarray:
    """Random weights, the same for the same shape."""
    return (np.random.default_rng(shape).standard_normal(shape) * 0.5).astype(np.float32)


def ints(*values: int) -> np.ndarray:
    """A vector of int64."""
    return np.array(values, np.int64)


def constant(name: str, array: np.ndarray) -> onnx.NodeProto:
    """A Constant node."""
    return N("Constant", [], [name], value=numpy_helper.from_array(np.asarray(array)))


def body(nodes: Sequence[onnx.NodeProto], outputs: Sequence[str], weights: Mapping[str, np.ndarray]) -> onnx.GraphProto:
    """A branch."""
    initializers = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    return helper.make_graph(nodes, "body", [], [onnx.ValueInfoProto(name=name) for name in outputs], initializers)
