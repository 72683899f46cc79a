"""Graphs: order, size, versions, and shapes that are not fixed."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import helper

from model_kinds.build import F32, I64, N, f32, ints, kind, model, product

X = {"x": (F32, [2, 16])}


def _dead() -> onnx.ModelProto:
    nodes = [N("MatMul", ["x", "w"], ["y"], "layer"), N("Relu", ["y"], ["unused"], "dead")]
    return model(nodes, X, ["y"], {"w": f32(16, 8), "nobody": f32(50, 50)})


def _scalar() -> onnx.ModelProto:
    nodes = [N("MatMul", ["x", "w"], ["h"], "layer"), N("ReduceSum", ["h"], ["y"], keepdims=0)]
    return model(nodes, X, ["y"], {"w": f32(16, 8)})


def _forty() -> onnx.ModelProto:
    nodes = [N("MatMul", [f"x{i}", "w"], [f"y{i}"], f"layer{i}") for i in range(40)]
    return model(nodes, {f"x{i}": (F32, [2, 16]) for i in range(40)}, [f"y{i}" for i in range(40)], {"w": f32(16, 8)})


def _chain(count: int) -> onnx.ModelProto:
    nodes = [N("MatMul", ["x", "w"], ["t0"], "layer")]
    nodes += [N("Relu" if i % 2 else "Neg", [f"t{i}"], [f"t{i + 1}"]) for i in range(count)]
    return model(nodes, X, [f"t{count}"], {"w": f32(16, 8)})


def _function() -> onnx.ModelProto:
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    inner = [N("MatMul", ["a", "b"], ["c"]), N("Relu", ["c"], ["d"])]
    layer = helper.make_function("local", "Layer", ["a", "b"], ["d"], inner, opsets)
    node = N("Layer", ["x", "w"], ["y"], "layer", domain="local")
    return model([node], X, ["y"], {"w": f32(16, 8)}, domains=["local"], functions=[layer])


def _microsoft() -> onnx.ModelProto:
    nodes = [N("MatMul", ["x", "w"], ["h"], "layer"), N("BiasGelu", ["h", "b"], ["y"], "act", domain="com.microsoft")]
    return model(nodes, X, ["y"], {"w": f32(16, 8), "b": f32(8)}, domains=["com.microsoft"])


def _passed_through() -> onnx.ModelProto:
    nodes = [N("MatMul", ["x", "w"], ["y"], "layer"), N("Identity", ["x"], ["same"])]
    return model(nodes, X, ["y", "same"], {"w": f32(16, 8)})


def _free() -> onnx.ModelProto:
    nodes = [
        N("Conv", ["x", "w"], ["c"], "layer"), N("GlobalAveragePool", ["c"], ["p"]), N("Flatten", ["p"], ["f"]),
        N("Gemm", ["f", "v"], ["y"], "head"),
    ]  # fmt: skip
    inputs = {"x": (F32, ["batch", 3, "height", "width"])}
    return model(nodes, inputs, ["y"], {"w": f32(8, 3, 3, 3), "v": f32(8, 4)})


def _sequence() -> onnx.ModelProto:
    nodes = [N("Gather", ["table", "ids"], ["e"], "embed"), N("MatMul", ["e", "w"], ["y"], "layer")]
    return model(nodes, {"ids": (I64, ["batch", "sequence"])}, ["y"], {"table": f32(50, 16), "w": f32(16, 8)})


def _formula() -> onnx.ModelProto:
    formula = " + ".join(f"floor(height/{2**i})" for i in range(20))
    return product(inputs={"x": (F32, [formula[:300], 16])})


def _dependent() -> onnx.ModelProto:
    nodes = [
        N("NonZero", ["x"], ["where"]), N("Transpose", ["where"], ["places"]), N("Cast", ["places"], ["f"], to=F32),
        N("MatMul", ["f", "w"], ["y"], "layer"),
    ]  # fmt: skip
    return model(nodes, X, ["y"], {"w": f32(2, 8)})


GRAPHS = (
    kind("graphs", "nodes out of order", lambda: model(
        [N("Relu", ["h"], ["y"]), N("MatMul", ["x", "w"], ["h"], "layer")], X, ["y"], {"w": f32(16, 8)}
    )),
    kind("graphs", "dead nodes and unused initializers", _dead),
    kind("graphs", "no weights", lambda: model([N("Relu", ["x"], ["y"])], X, ["y"])),
    kind("graphs", "no nodes", lambda: model([], X, ["x"])),
    kind("graphs", "scalar output", _scalar),
    kind("graphs", "40 inputs and outputs", _forty),
    kind("graphs", "a chain of 3,600 nodes", lambda: _chain(3599)),
    kind("graphs", "a circle", lambda: model(
        [N("Add", ["x", "b"], ["a"]), N("Relu", ["a"], ["b"])], X, ["b"]
    ), opens=False),
    kind("graphs", "local functions", _function),
    kind("graphs", "unknown domain", lambda: model(
        [N("Teleport", ["x"], ["y"], "beam", domain="sci.fi")], X, ["y"], domains=["sci.fi"]
    ), opens=False),
    kind("graphs", "com.microsoft operators", _microsoft),
    kind("graphs", "opset 7", lambda: product(opset=7)),
    kind("graphs", "opset 21", lambda: product(opset=21)),
    kind("graphs", "an opset beyond the newest", lambda: product(opset=99), opens=False),
    kind("graphs", "an opset import that no node uses", lambda: product(domains=["nobody.uses.this"])),
    kind("graphs", "an output that passes an input through", _passed_through),
    kind("shapes", "free batch, height and width", _free),
    kind("shapes", "free batch and sequence", _sequence),
    kind("shapes", "a dimension named by a formula of 300 characters", _formula),
    kind("shapes", "a length that depends on the data", _dependent),
    kind("shapes", "sizes that the model computes", lambda: model(
        [
            N("Shape", ["x"], ["s"]), N("Gather", ["s", "zero"], ["n"]), N("Concat", ["n", "rest"], ["t"], axis=0),
            N("Reshape", ["x", "t"], ["r"]), N("MatMul", ["r", "w"], ["y"], "layer"),
        ],
        X, ["y"], {"zero": ints(0), "rest": ints(2, 8), "w": f32(8, 4)},
    )),
    kind("shapes", "empty tensors", lambda: model(
        [N("MatMul", ["x", "w"], ["y"], "layer")], {"x": (F32, ["rows", 16])}, ["y"],
        {"w": np.zeros((16, 0), np.float32)},
    )),
)  # fmt: skip
