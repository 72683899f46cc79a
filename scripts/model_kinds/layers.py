"""Layers beside the plain convolution and product."""

from __future__ import annotations

import onnx

from model_kinds.build import F32, N, f32, kind, model


def _conv(x: list[int], w: tuple[int, ...], op: str = "Conv", **attributes: object) -> onnx.ModelProto:
    nodes = [N(op, ["x", "w"], ["h"], "layer", **attributes), N("Relu", ["h"], ["y"])]
    return model(nodes, {"x": (F32, x)}, ["y"], {"w": f32(*w)})


def _product(x: list[int], w: tuple[int, ...]) -> onnx.ModelProto:
    return model([N("MatMul", ["x", "w"], ["y"], "layer")], {"x": (F32, x)}, ["y"], {"w": f32(*w)})


def _recurrent(op: str, gates: int) -> onnx.ModelProto:
    node = N(op, ["x", "w", "r", "b"], ["y"], "layer", hidden_size=4, direction="bidirectional")
    rows = gates * 4
    return model(
        [node], {"x": (F32, [5, 1, 6])}, ["y"], {"w": f32(2, rows, 6), "r": f32(2, rows, 4), "b": f32(2, 2 * rows)}
    )


def _einsum() -> onnx.ModelProto:
    node = N("Einsum", ["x", "w"], ["y"], "layer", equation="bhd,hdk->bhk")
    return model([node], {"x": (F32, [2, 3, 8])}, ["y"], {"w": f32(3, 8, 5)})


LAYERS = (
    kind("layers", "Conv1d", lambda: _conv([1, 4, 20], (8, 4, 3))),
    kind("layers", "Conv3d", lambda: _conv([1, 2, 6, 6, 6], (4, 2, 3, 3, 3))),
    kind("layers", "depthwise Conv with multiplier 2", lambda: _conv([1, 4, 8, 8], (8, 1, 3, 3), group=4)),
    kind("layers", "grouped Conv", lambda: _conv([1, 8, 8, 8], (6, 4, 3, 3), group=2)),
    kind("layers", "grouped ConvTranspose", lambda: _conv([1, 4, 5, 5], (4, 3, 2, 2), "ConvTranspose", group=2)),
    kind("layers", "LSTM in both directions", lambda: _recurrent("LSTM", 4)),
    kind("layers", "GRU in both directions", lambda: _recurrent("GRU", 3)),
    kind("layers", "RNN in both directions", lambda: _recurrent("RNN", 1)),
    kind("layers", "MatMul 1×1", lambda: _product([1, 1], (1, 1))),
    kind("layers", "MatMul 7×5", lambda: _product([2, 7], (7, 5))),
    kind("layers", "MatMul with a vector", lambda: _product([3, 16], (16,))),
    kind("layers", "Einsum with one constant operand", _einsum),
)
