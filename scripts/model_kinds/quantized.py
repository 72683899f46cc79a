"""Models that are quantized already."""

from __future__ import annotations

import numpy as np
import onnx

from model_kinds.build import F32, N, f32, kind, model

X = {"x": (F32, [2, 16])}
SCALES = {"s": np.float32(0.03), "z": np.uint8(120), "t": np.float32(0.05)}


def _codes(*shape: int) -> np.ndarray:
    return np.random.default_rng(shape).integers(-100, 100, shape).astype(np.int8)


def _qdq() -> onnx.ModelProto:
    nodes = [
        N("QuantizeLinear", ["x", "s", "z"], ["xq"]), N("DequantizeLinear", ["xq", "s", "z"], ["xd"]),
        N("DequantizeLinear", ["wq", "ws"], ["w"], axis=1), N("MatMul", ["xd", "w"], ["h"], "layer"),
        N("QuantizeLinear", ["h", "t", "z"], ["hq"]), N("DequantizeLinear", ["hq", "t", "z"], ["y"]),
    ]  # fmt: skip
    return model(nodes, X, ["y"], {**SCALES, "wq": _codes(16, 8), "ws": np.full(8, 0.01, np.float32)})


def _qoperator() -> onnx.ModelProto:
    nodes = [
        N("QuantizeLinear", ["x", "s", "z"], ["xq"]),
        N("QLinearMatMul", ["xq", "s", "z", "w", "ws", "wz", "t", "z"], ["hq"], "layer"),
        N("DequantizeLinear", ["hq", "t", "z"], ["y"]),
    ]
    constants = {**SCALES, "w": _codes(16, 8), "ws": np.full(8, 0.01, np.float32), "wz": np.zeros(8, np.int8)}
    return model(nodes, X, ["y"], constants)


def _matmul_integer() -> onnx.ModelProto:
    nodes = [
        N("DynamicQuantizeLinear", ["x"], ["xq", "xs", "xz"]), N("MatMulInteger", ["xq", "w", "xz"], ["i"], "layer"),
        N("Cast", ["i"], ["f"], to=F32), N("Mul", ["xs", "ws"], ["s"]), N("Mul", ["f", "s"], ["m"]),
        N("Add", ["m", "b"], ["y"]),
    ]  # fmt: skip
    return model(nodes, X, ["y"], {"w": _codes(16, 8), "ws": np.full(8, 0.01, np.float32), "b": f32(8)})


def _conv_integer() -> onnx.ModelProto:
    nodes = [
        N("DynamicQuantizeLinear", ["x"], ["xq", "xs", "xz"]), N("ConvInteger", ["xq", "w", "xz"], ["i"], "layer"),
        N("Cast", ["i"], ["f"], to=F32), N("Mul", ["xs", "ws"], ["s"]), N("Mul", ["f", "s"], ["y"]),
    ]  # fmt: skip
    constants = {"w": _codes(4, 3, 3, 3), "ws": np.float32(0.01)}
    return model(nodes, {"x": (F32, [1, 3, 8, 8])}, ["y"], constants)


def _lstm() -> onnx.ModelProto:
    names = ["x", "w", "r", "b", "", "", "", "", "ws", "z", "rs", "z"]
    node = N("DynamicQuantizeLSTM", names, ["y"], "layer", domain="com.microsoft", hidden_size=4)
    constants = {"w": _codes(1, 6, 16), "r": _codes(1, 4, 16), "b": f32(1, 32), "z": np.zeros(1, np.int8)}
    constants |= {"ws": np.full(1, 0.01, np.float32), "rs": np.full(1, 0.01, np.float32)}
    return model([node], {"x": (F32, [5, 1, 6])}, ["y"], constants, domains=["com.microsoft"])


def _blocks() -> onnx.ModelProto:
    attributes = {"K": 32, "N": 8, "bits": 4, "block_size": 16, "accuracy_level": 1, "domain": "com.microsoft"}
    node = N("MatMulNBits", ["x", "w", "s"], ["y"], "layer", **attributes)
    packed = np.random.default_rng(1).integers(0, 256, (8, 2, 8)).astype(np.uint8)
    constants = {"w": packed, "s": np.full(16, 0.05, np.float32)}
    return model([node], {"x": (F32, [2, 32])}, ["y"], constants, domains=["com.microsoft"])


QUANTIZED = (
    kind("quantized", "QDQ", _qdq),
    kind("quantized", "QOperator (QLinearMatMul)", _qoperator),
    kind("quantized", "dynamic (MatMulInteger)", _matmul_integer),
    kind("quantized", "dynamic (ConvInteger)", _conv_integer),
    kind("quantized", "dynamic (DynamicQuantizeLSTM)", _lstm),
    kind("quantized", "4-bit blocks (MatMulNBits)", _blocks),
)
