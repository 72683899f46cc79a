"""External data: tensors whose bytes lie in a file beside the model, or in the model file itself.

A reference never leaves the model's folder (not by `..`, not by an absolute path, not through a link), names a file
that exists, and lies inside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path

import onnx

from engine.errors import ModelError
from engine.text import Text, say

_HALF_BYTE = {onnx.TensorProto.INT4, onnx.TensorProto.UINT4, getattr(onnx.TensorProto, "FLOAT4E2M1", -1)}
_QUARTER_BYTE = {getattr(onnx.TensorProto, "INT2", -2), getattr(onnx.TensorProto, "UINT2", -3)}


_LONGEST = 120
"""Characters of a file name that a message shows."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Where a tensor's bytes are."""

    file: Path
    offset: int
    length: int


def tensors_of(graph: onnx.GraphProto) -> Iterator[onnx.TensorProto]:
    """Every dense tensor stored in a graph, in its nodes and in the subgraphs of its nodes."""
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            yield from attribute.tensors
            if attribute.HasField("g"):
                yield from tensors_of(attribute.g)
            for inner in attribute.graphs:
                yield from tensors_of(inner)


def tensor_bytes(tensor: onnx.TensorProto) -> int:
    """Bytes that a tensor of this type and shape takes, packed as ONNX packs it."""
    count = int(prod(tensor.dims))
    if tensor.data_type in _HALF_BYTE:
        return (count + 1) // 2
    if tensor.data_type in _QUARTER_BYTE:
        return (count + 3) // 4
    return count * int(onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize)


def check_tensors(model: onnx.ModelProto, path: Path) -> frozenset[Path]:
    """Check the shape, type and place of all stored tensors; return the files that the model refers to beside its own.

    `path` must be free of links (`Path.resolve`).

    Raises:
        ModelError: A tensor with an unknown type, a negative dimension, too few bytes, or data outside the folder.
    """
    files = set()
    for tensor in tensors_of(model.graph):
        if tensor.data_type not in onnx.TensorProto.DataType.values() or tensor.data_type == onnx.TensorProto.UNDEFINED:
            raise ModelError(say("{file}: tensor {tensor} has no known data type.", file=path.name, tensor=tensor.name))
        if any(dim < 0 for dim in tensor.dims):
            raise ModelError(
                say("{file}: tensor {tensor} has a negative dimension.", file=path.name, tensor=tensor.name)
            )
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            files.add(stretch(tensor, path).file)
        elif tensor.HasField("raw_data") and len(tensor.raw_data) != tensor_bytes(tensor):
            raise ModelError(_short(path, tensor, len(tensor.raw_data)))
    return frozenset(files - {path})


def stretch(tensor: onnx.TensorProto, path: Path) -> Stretch:
    """Resolve the external reference of a tensor of the model at `path`.

    Raises:
        ModelError: The place is missing, outside the model's folder, or too short for the tensor.
    """
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location = entries.get("location", "")
    file = _inside(location, path, tensor.name)
    need = tensor_bytes(tensor)
    try:
        offset = int(entries.get("offset", "0") or 0)
        length = int(entries.get("length", "") or need)
    except ValueError:
        offset, length = -1, need
    if offset < 0 or length != need or offset + length > file.stat().st_size:
        found = length if offset >= 0 and length != need else max(0, file.stat().st_size - max(offset, 0))
        raise ModelError(_short(path, tensor, found))
    return Stretch(file, offset, length)


def _inside(location: str, path: Path, tensor: str) -> Path:
    candidate = path.parent / location
    bad = not location or "\0" in location or Path(location).is_absolute() or "\\" in location or ":" in location[:2]
    if bad or not _resolve(candidate).is_relative_to(path.parent):
        raise ModelError(
            say(
                "{file} keeps the weights of {tensor} in {location}, outside the model's folder: that is refused.",
                file=path.name,
                tensor=tensor,
                location=_shown(location) or "''",
            )
        )
    file = _resolve(candidate)
    if not _is_file(file):
        raise ModelError(
            say(
                "{file} keeps its weights in {location}, which is missing: put that file into the same folder.",
                file=path.name,
                location=_shown(location),
            )
        )
    return file


def _shown(location: str) -> str:
    return location if len(location) <= _LONGEST else f"{location[:_LONGEST]}…"


def _is_file(file: Path) -> bool:
    try:
        return file.is_file()
    except OSError:  # a name that no file system takes
        return False


def _resolve(candidate: Path) -> Path:
    try:
        return candidate.resolve()
    except (OSError, RuntimeError):  # a loop of links
        return Path("/")


def _short(path: Path, tensor: onnx.TensorProto, found: int) -> Text:
    return say(
        "{file}: tensor {tensor} of shape {shape} needs {need} bytes, the file has {found}.",
        file=path.name,
        tensor=tensor.name,
        shape="×".join(map(str, tensor.dims)) or "scalar",
        need=tensor_bytes(tensor),
        found=found,
    )
