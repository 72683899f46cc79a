"""Writing a big ONNX file: initializer by initializer, so that no second copy of the weights exists.

A protobuf message is the concatenation of its fields in any order, so nodes and metadata are serialised by the library
and the initializers, of which only names, types and shapes are in the proto, are streamed behind them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import numpy as np
import onnx
from onnx import TensorProto

from engine.graph.types import Array
from engine.numerics.activations import onnx_type
from engine.numerics.models import HALF_BYTES, raw_bytes
from engine.progress import CancelToken

_GRAPH, _INITIALIZER, _RAW_DATA = 7, 5, 9
"""Field numbers in ModelProto, GraphProto and TensorProto (onnx.proto)."""
_ALIGN = 4096
"""External tensors start at page borders, so that a reader may map them."""
_PIECE = 1 << 22


def write_model(
    model: onnx.ModelProto, constants: Mapping[str, Array], path: Path, *, external_above: int, cancel: CancelToken
) -> None:
    """Write a model and its constants.

    Args:
        model: Without initializers.
        constants: Name -> array; arrays of 4-bit types are packed two per byte.
        path: Where to; with external data a second file of that name + ".data" beside it.
        external_above: Bytes of constants from which on they go into the second file (protobuf ends at 2 GB).
        cancel: Checked before each constant.
    """
    if sum(stored_bytes(array) for array in constants.values()) > external_above:
        data = path.with_name(f"{path.name}.data")
        _write_external(model, constants, data, cancel)
        constants = {name: array for name, array in constants.items() if not _outside(array)}
    graph = model.graph.SerializeToString()
    rest = onnx.ModelProto()
    rest.CopyFrom(model)
    rest.ClearField("graph")
    entries = {name: _head(name, array) for name, array in constants.items()}
    sizes = {name: _entry_size(head, constants[name]) for name, head in entries.items()}
    length = len(graph) + sum(1 + len(_varint(size)) + size for size in sizes.values())
    with path.open("wb") as stream:
        stream.write(rest.SerializeToString())
        stream.write(_tag(_GRAPH) + _varint(length))
        stream.write(graph)
        for name, array in constants.items():
            cancel.check()
            stream.write(_tag(_INITIALIZER) + _varint(sizes[name]))
            stream.write(entries[name])
            if onnx_type(array.dtype) != TensorProto.STRING:
                stream.write(_tag(_RAW_DATA) + _varint(stored_bytes(array)))
                _write_array(stream, array, cancel)


def put_in_place(file: Path, path: Path) -> list[Path]:
    """Move a model and its external data, if it has some, to where they are wanted.

    Args:
        file: What `write_model` has written, on the same disk.
        path: The name it is to have; with external data of the name that is in the model.

    Returns:
        What is there now, the model first.
    """
    data = file.with_name(f"{file.name}.data")
    if not data.exists():
        file.replace(path)
        return [path]
    path.unlink(missing_ok=True)  # who is killed between the two leaves no model, rather than one with other weights
    placed = data.replace(path.with_name(data.name))
    file.replace(path)
    return [path, placed]


def stored_bytes(array: Array) -> int:
    """Bytes of a constant's data in the file."""
    if array.dtype in HALF_BYTES:
        return (array.size + 1) // 2
    return array.nbytes if array.dtype.kind not in "OSU" else 0


def _write_external(model: onnx.ModelProto, constants: Mapping[str, Array], data: Path, cancel: CancelToken) -> None:
    """Write the large constants to a file of their own and name them in the model."""
    del model.graph.initializer[:]
    with data.open("wb") as stream:
        for name, array in constants.items():
            if not _outside(array):
                continue
            cancel.check()
            stream.write(b"\0" * (-stream.tell() % _ALIGN))
            tensor = model.graph.initializer.add(name=name, data_type=onnx_type(array.dtype), dims=array.shape)
            tensor.data_location = TensorProto.EXTERNAL
            where = (("location", data.name), ("offset", stream.tell()), ("length", stored_bytes(array)))
            for key, value in where:
                tensor.external_data.add(key=key, value=str(value))
            _write_array(stream, array, cancel)


def _outside(array: Array) -> bool:
    return stored_bytes(array) >= 1024  # small ones are read by shape inference


def _write_array(stream: BinaryIO, array: Array, cancel: CancelToken) -> None:
    for piece in _pieces(array):
        cancel.check()
        stream.write(piece)


def _pieces(array: Array) -> Iterator[bytes]:
    """The bytes of an array in C order, a few megabytes at a time; 4-bit codes in even numbers but for the end."""
    if not array.flags.c_contiguous:
        array = np.ascontiguousarray(array)
    flat = array.reshape(-1)
    step = max(2, _PIECE // max(1, array.dtype.itemsize)) & ~1
    for start in range(0, flat.size, step):
        yield raw_bytes(flat[start : start + step])


def _head(name: str, array: Array) -> bytes:
    """A TensorProto without its data (text has no raw form and is inside)."""
    tensor = onnx.TensorProto(name=name, data_type=onnx_type(array.dtype), dims=array.shape)
    if tensor.data_type == TensorProto.STRING:
        tensor.string_data.extend(str(text).encode() for text in array.reshape(-1))
    serialized: bytes = tensor.SerializeToString()
    return serialized


def _entry_size(head: bytes, array: Array) -> int:
    if onnx_type(array.dtype) == TensorProto.STRING:
        return len(head)
    data = stored_bytes(array)
    return len(head) + 1 + len(_varint(data)) + data


def _tag(field: int) -> bytes:
    """Key of a length-delimited field (wire type 2)."""
    return bytes([field << 3 | 2])


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
