"""Weights: where they stand and how they come into being."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from model_kinds.build import F32, I64, N, body, constant, f32, ints, kind, model, product

X = {"x": (F32, [2, 16])}
LAYER = [N("MatMul", ["x", "w"], ["y"], "layer")]


def _behind(*nodes: onnx.NodeProto, **constants: object) -> onnx.ModelProto:
    """Nodes that make the weight of a MatMul."""
    return model([*nodes, *LAYER], X, ["y"], constants)


def _listed_as_input() -> onnx.ModelProto:
    return product(inputs={"x": (F32, [2, 16]), "w": (F32, [16, 8])})


def _shared() -> onnx.ModelProto:
    nodes = [N("MatMul", ["x", "w"], ["h"], "first"), N("MatMul", ["h", "w"], ["y"], "second")]
    return model(nodes, X, ["y"], {"w": f32(16, 16)})


def _tied() -> onnx.ModelProto:
    nodes = [
        N("Gather", ["table", "ids"], ["e"], "embed"),
        N("Transpose", ["table"], ["head"]),
        N("MatMul", ["e", "head"], ["y"], "head"),
    ]
    return model(nodes, {"ids": (I64, [1, 5])}, ["y"], {"table": f32(20, 8)})


def _gemm() -> onnx.ModelProto:
    node = N("Gemm", ["x", "w", "b"], ["y"], "layer", transA=1, transB=1, alpha=0.5, beta=2.0)
    return model([node], {"x": (F32, [16, 2])}, ["y"], {"w": f32(8, 16), "b": f32(8)})


def _branch() -> onnx.ModelProto:
    then = body([N("MatMul", ["x", "u"], ["t"])], ["t"], {"u": f32(16, 16)})
    other = body([N("Neg", ["x"], ["e"])], ["e"], {})
    nodes = [
        N("ReduceSum", ["x"], ["s"], keepdims=0), N("Greater", ["s", "zero"], ["c"]),
        N("If", ["c"], ["h"], "choice", then_branch=then, else_branch=other), N("MatMul", ["h", "w"], ["y"], "layer"),
    ]  # fmt: skip
    return model(nodes, X, ["y"], {"zero": np.float32(0), "w": f32(16, 8)})


def _known_branch() -> onnx.ModelProto:
    then = body([N("MatMul", ["x", "u"], ["t"], "chosen")], ["t"], {"u": f32(16, 8)})
    other = body([N("MatMul", ["x", "v"], ["e"], "other")], ["e"], {"v": f32(16, 8)})
    nodes = [N("If", ["yes"], ["y"], then_branch=then, else_branch=other)]
    return model(nodes, X, ["y"], {"yes": np.array(True)})


def _loop() -> onnx.ModelProto:
    inner = helper.make_graph(
        [N("Identity", ["go"], ["on"]), N("MatMul", ["state", "u"], ["next"])],
        "body",
        [
            helper.make_tensor_value_info("i", I64, []),
            helper.make_tensor_value_info("go", TensorProto.BOOL, []),
            helper.make_tensor_value_info("state", F32, [2, 16]),
        ],
        [onnx.ValueInfoProto(name="on"), onnx.ValueInfoProto(name="next")],
        [numpy_helper.from_array(f32(16, 16), "u")],
    )
    nodes = [N("Loop", ["times", "yes", "x"], ["h"], "loop", body=inner), N("MatMul", ["h", "w"], ["y"], "layer")]
    return model(nodes, X, ["y"], {"times": np.array(3, np.int64), "yes": np.array(True), "w": f32(16, 8)})


WEIGHTS = (
    kind("weights", "in a Constant node", lambda: _behind(constant("w", f32(16, 8)))),
    kind("weights", "behind Identity", lambda: _behind(N("Identity", ["v"], ["w"]), v=f32(16, 8))),
    kind("weights", "behind Transpose", lambda: _behind(N("Transpose", ["v"], ["w"]), v=f32(8, 16))),
    kind("weights", "behind Cast", lambda: _behind(N("Cast", ["v"], ["w"], to=F32), v=f32(16, 8).astype(np.float16))),
    kind("weights", "behind Mul", lambda: _behind(N("Mul", ["v", "s"], ["w"]), v=f32(16, 8), s=f32(8))),
    kind("weights", "behind Reshape", lambda: _behind(N("Reshape", ["v", "s"], ["w"]), v=f32(128), s=ints(16, 8))),
    kind("weights", "made by ConstantOfShape", lambda: _behind(N("ConstantOfShape", ["s"], ["w"]), s=ints(16, 8))),
    kind(
        "weights", "made by ConstantOfShape, beyond the memory limit",
        lambda: _behind(N("ConstantOfShape", ["s"], ["w"]), s=ints(100_000, 50_000)),
        opens=False,
    ),
    kind(
        "weights", "int8 behind Cast and Mul",
        lambda: _behind(
            N("Cast", ["v"], ["f"], to=F32), N("Mul", ["f", "s"], ["w"]),
            v=(f32(16, 8) * 50).astype(np.int8), s=np.full(8, 0.02, np.float32),
        ),
    ),
    kind("weights", "shared by two nodes", _shared),
    kind("weights", "tied between Gather and MatMul", _tied),
    kind("weights", "also listed as graph input", _listed_as_input),
    kind("weights", "given at run time", lambda: model(LAYER, {**X, "w": (F32, [16, 8])}, ["y"])),
    kind(
        "weights", "on the left of a MatMul",
        lambda: model([N("MatMul", ["w", "x"], ["y"], "layer")], {"x": (F32, [16, 2])}, ["y"], {"w": f32(8, 16)}),
    ),
    kind("weights", "batched 3-D", lambda: model(LAYER, {"x": (F32, [3, 2, 16])}, ["y"], {"w": f32(3, 16, 8)})),
    kind("weights", "Gemm with transA, transB, alpha, beta", _gemm),
    kind("weights", "inside an If that depends on a value", _branch),
    kind("weights", "inside an If with a constant condition", _known_branch),
    kind("weights", "inside a Loop", _loop),
)  # fmt: skip
