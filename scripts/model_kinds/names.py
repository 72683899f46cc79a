"""Names: of nodes, tensors and files."""

from __future__ import annotations

from pathlib import Path

import onnx

from model_kinds.build import F32, ModelKind, N, f32, kind, model, product


def _named(name: str) -> onnx.ModelProto:
    """Node, weight and tensors all called so."""
    nodes = [N("MatMul", ["x", f"{name}w"], [f"{name}h"], name), N("Relu", [f"{name}h"], [f"{name}y"], f"{name}r")]
    return model(nodes, {"x": (F32, [2, 16])}, [f"{name}y"], {f"{name}w": f32(16, 8)})


def _duplicate() -> onnx.ModelProto:
    nodes = [N("MatMul", ["x", "w"], ["h"], "same"), N("MatMul", ["h", "v"], ["y"], "same")]
    return model(nodes, {"x": (F32, [2, 16])}, ["y"], {"w": f32(16, 8), "v": f32(8, 4)})


def _file_name(folder: Path) -> Path:
    path = folder / "模型 no. 1 (copy).onnx"
    path.write_bytes(product().SerializeToString())
    return path


NAMES = (
    kind("names", "empty node names", lambda: product(name="")),
    kind("names", "two nodes of one name", _duplicate),
    kind("names", "300 characters", lambda: _named("n" * 300)),
    kind("names", "non-ASCII", lambda: _named("слой/层/größe")),
    kind("names", "with / : ; < > quotes and ../", lambda: _named("../a:b;c<d>\"e'")),
    ModelKind("names", "file name with blanks and Chinese letters", _file_name),
)
