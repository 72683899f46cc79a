"""Files: external data, and what is broken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import onnx

from model_kinds.build import ModelKind, kind, product


def _external(location: str, *, write: bool = True) -> Callable[[Path], Path]:
    def made(folder: Path) -> Path:
        proto = product()
        (tensor,) = proto.graph.initializer
        data = tensor.raw_data
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        for key, value in (("location", location), ("offset", "0"), ("length", str(len(data)))):
            tensor.external_data.add(key=key, value=value)
        inner = folder / "inner"
        inner.mkdir()
        if write:
            (inner / location).write_bytes(data)
        (inner / "model.onnx").write_bytes(proto.SerializeToString())
        return inner / "model.onnx"

    return made


def _bytes(change: Callable[[bytes], bytes]) -> Callable[[Path], Path]:
    def made(folder: Path) -> Path:
        path = folder / "model.onnx"
        path.write_bytes(change(product().SerializeToString()))
        return path

    return made


def _short() -> onnx.ModelProto:
    proto = product()
    proto.graph.initializer[0].raw_data = bytes(40)
    return proto


def _contradiction() -> onnx.ModelProto:
    proto = product()
    proto.graph.initializer[0].dims[:] = [8, 16]
    return proto


FILES = (
    ModelKind("files", "external data", _external("weights.bin")),
    ModelKind("files", "external data that is missing", _external("weights.bin", write=False), opens=False),
    ModelKind("files", "external data outside the folder", _external("../weights.bin"), opens=False),
    ModelKind("files", "empty", _bytes(lambda _: b""), opens=False),
    ModelKind("files", "cut short", _bytes(lambda data: data[: len(data) // 2]), opens=False),
    ModelKind("files", "text", _bytes(lambda _: b"This is no model.\n" * 40), opens=False),
    kind("files", "a tensor too short for its shape", _short, opens=False),
    kind("files", "a shape that contradicts", _contradiction, opens=False),
)
