"""Values that rounding stumbles over, and types beside float32."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto

from model_kinds.build import F16, F32, N, f32, kind, model, product


def _with(place: object, value: float) -> onnx.ModelProto:
    weight = f32(16, 8)
    weight[place] = value
    return product(weight)


def _text() -> onnx.ModelProto:
    nodes = [N("Identity", ["words"], ["same"]), N("MatMul", ["x", "w"], ["y"], "layer")]
    inputs = {"words": (TensorProto.STRING, [3]), "x": (F32, [2, 16])}
    return model(nodes, inputs, ["same", "y"], {"w": f32(16, 8)})


def _bfloat16() -> onnx.ModelProto:
    nodes = [N("Cast", ["v"], ["w"], to=F32), N("MatMul", ["x", "w"], ["y"], "layer")]
    return model(nodes, {"x": (F32, [2, 16])}, ["y"], {"v": f32(16, 8).astype(ml_dtypes.bfloat16)})


def _int4() -> onnx.ModelProto:
    nodes = [N("DequantizeLinear", ["q", "s"], ["w"], axis=0, block_size=16), N("MatMul", ["x", "w"], ["y"], "layer")]
    codes = np.random.default_rng(0).integers(-8, 8, (32, 8)).astype(ml_dtypes.int4)
    return model(nodes, {"x": (F32, [2, 32])}, ["y"], {"q": codes, "s": np.full((2, 8), 0.1, np.float32)}, opset=21)


def _typed(dtype: type, kind_: int) -> onnx.ModelProto:
    return product(f32(16, 8).astype(dtype), inputs={"x": (kind_, [2, 16])})


VALUES = (
    kind("values", "a channel of zeros", lambda: _with((slice(None), 3), 0)),
    kind("values", "one huge outlier", lambda: _with((5, 3), 30_000)),
    kind("values", "NaN", lambda: _with((5, 3), np.nan)),
    kind("values", "infinity", lambda: _with((5, 3), np.inf)),
    kind("values", "all equal", lambda: product(np.full((16, 8), 0.3, np.float32))),
    kind("values", "denormal", lambda: product(np.full((16, 8), 1e-40, np.float32))),
    kind("values", "beyond FP16", lambda: _with((5, 3), 1e6)),
    kind("types", "fp16", lambda: _typed(np.float16, F16)),
    kind("types", "double", lambda: _typed(np.float64, TensorProto.DOUBLE)),
    kind("types", "bfloat16 weights", _bfloat16),
    kind("types", "int4 blocks behind DequantizeLinear", _int4),
    kind("types", "string input and output", _text),
)
