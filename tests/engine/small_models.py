"""Small real models that tests open."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper


def small_cnn(path: Path, *, seed: int = 0, batch: int | str = 1) -> Path:
    """A real little classifier: Conv+BN+Relu, depthwise Conv+Relu, 1x1 Conv, global pooling, Gemm."""
    rng = np.random.default_rng(seed)
    weights: dict[str, np.ndarray] = {}

    def weight(name: str, *shape: int, scale: float = 0.3) -> str:
        weights[name] = (rng.standard_normal(shape) * scale).astype(np.float32)
        return name

    node = helper.make_node
    for name in ("scale", "var"):
        weights[f"bn.{name}"] = rng.uniform(0.5, 1.5, 16).astype(np.float32)
    nodes = [
        node(
            "Conv",
            ["image", weight("stem.weight", 16, 3, 3, 3)],
            ["c1"],
            "/stem/Conv",
            pads=[1, 1, 1, 1],
            strides=[2, 2],
        ),
        node(
            "BatchNormalization",
            ["c1", "bn.scale", weight("bn.bias", 16), weight("bn.mean", 16), "bn.var"],
            ["b1"],
            "/stem/bn",
        ),
        node("Relu", ["b1"], ["r1"], "/stem/act"),
        node("Conv", ["r1", weight("dw.weight", 16, 1, 3, 3)], ["c2"], "/dw/Conv", pads=[1, 1, 1, 1], group=16),
        node("Relu", ["c2"], ["r2"], "/dw/act"),
        node("Conv", ["r2", weight("pw.weight", 32, 16, 1, 1), weight("pw.bias", 32)], ["c3"], "/pw/Conv"),
        node("GlobalAveragePool", ["c3"], ["p"], "/pool"),
        node("Flatten", ["p"], ["f"], "/flatten"),
        node("Gemm", ["f", weight("head.weight", 10, 32), weight("head.bias", 10)], ["logits"], "/head/Gemm", transB=1),
    ]
    graph = helper.make_graph(
        nodes,
        "small_cnn",
        [helper.make_tensor_value_info("image", onnx.TensorProto.FLOAT, [batch, 3, 16, 16])],
        [helper.make_tensor_value_info("logits", onnx.TensorProto.FLOAT, [batch, 10])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path
