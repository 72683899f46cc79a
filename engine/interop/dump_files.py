"""Dumps that are plain files: `.npy`, `.npz`, `.pb`, and the raw `.bin` files of MindSpore Lite."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from functools import partial
from math import prod
from pathlib import Path

import numpy as np

from engine.errors import DataError
from engine.graph.types import Array
from engine.interop.dump_set import DumpTensor
from engine.interop.layouts import reorder
from engine.numerics.dumps.read import read_npy
from engine.text import say

_CONVERTED = re.compile(r"^(?P<head>.+)\.(?P<direction>input|output)\.(?P<index>\d+)$")
"""What a converted Ascend dump is called: the name of the raw file, then direction and index."""
_ASCEND = re.compile(r"^(?P<type>[^.]+)\.(?P<name>.+?)\.(?P<task>\d+)(?:\.(?P<stream>\d+))?\.(?P<ts>\d{10,})$")
_GOLDEN = re.compile(r"^(?P<name>.+)\.(?P<index>\d+)\.(?P<ts>\d{10,})$")
"""What comparison tools call the framework's side: {op_name}.{output_index}.{timestamp}."""
MINDSPORE = re.compile(
    r"^(?P<name>.+)_(?P<direction>input|output)_(?P<index>\d+)_(?P<shape>(?:\d+_)*)(?P<dtype>[A-Za-z]+\d*)_(?P<layout>[A-Z0-9]+)$"
)
"""{op_name}_{input|output}_{idx}_{shape}_{dtype}_{format}"""
_MINDSPORE_TYPES = {
    "float32": "<f4", "float": "<f4", "float16": "<f2", "int8": "i1", "uint8": "u1", "int16": "<i2", "int32": "<i4",
    "int64": "<i8", "uint16": "<u2", "uint32": "<u4", "uint64": "<u8", "bool": "?", "float64": "<f8",
}  # fmt: skip
_LONGEST_PB = 2 << 30


def npy_tensor(path: Path, *, base: Path, sample: int, order: int, inputs: bool = False) -> DumpTensor | None:
    """A `.npy` file; None for what an operator has read, if only outputs are wanted.

    Raises:
        DataError: It is truncated, or holds no numbers.
    """
    array = read_npy(path)
    name, direction, output, op_type = parse_name(path.name.removesuffix(path.suffix))
    if direction == "input" and not inputs:
        return None
    relative = path.relative_to(base).with_suffix("").as_posix() if path.is_relative_to(base) else path.stem
    aliases = tuple(a for a in dict.fromkeys((relative, path.stem)) if a != name)
    read = direction == "input"
    return DumpTensor(name, path, array.dtype, array.shape, partial(read_npy, path), aliases, op_type=op_type,
                      output=0 if read else output, sample=sample, order=order,
                      input=output if read else None)  # fmt: skip


def parse_name(stem: str) -> tuple[str, str, int, str]:
    """Layer name, direction, output index and operator type out of a file's name."""
    direction, index, op_type = "output", 0, ""
    converted = _CONVERTED.match(stem)
    if converted:
        stem, direction, index = converted["head"], converted["direction"], int(converted["index"])
    raw = _ASCEND.match(stem)
    if raw and (converted or not _GOLDEN.match(stem)):
        return raw["name"], direction, index, raw["type"]
    golden = _GOLDEN.match(stem)
    if golden and not converted:
        return golden["name"], direction, int(golden["index"]), ""
    return stem, direction, index, op_type


def npz_tensors(path: Path, *, sample: int = 0) -> list[DumpTensor]:
    """The arrays of an `.npz` file; each is read whole when somebody looks at it.

    Raises:
        DataError: It is damaged, or no `.npz`.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = [(info.filename, info.file_size) for info in archive.infolist()]
            headers = {}
            for member, _ in members:
                if member.endswith(".npy"):
                    with archive.open(member) as stream:
                        headers[member] = _npy_header(io.BytesIO(stream.read(4096)))
    except (OSError, zipfile.BadZipFile, ValueError, EOFError, NotImplementedError, RuntimeError) as error:
        raise DataError(say("{path} is damaged, or is no .npz file ({reason}).", path=path, reason=error)) from error
    found = []
    for order, (member, (shape, dtype)) in enumerate(headers.items()):
        if dtype.kind in "biuf":
            name = member.removesuffix(".npy")
            found.append(
                DumpTensor(name, path, dtype, shape, partial(_read_member, path, name), sample=sample, order=order)
            )
    return found


def _npy_header(stream: io.BytesIO) -> tuple[tuple[int, ...], np.dtype[np.generic]]:
    version = np.lib.format.read_magic(stream)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(stream)
    return shape, dtype


def _read_member(path: Path, name: str) -> Array:
    try:
        with np.load(path, allow_pickle=False) as archive:
            array: Array = archive[name]
    except (OSError, zipfile.BadZipFile, ValueError, EOFError, KeyError, MemoryError, zlib.error) as error:
        raise DataError(say("{path}: {name} can't be read ({reason}).", path=path, name=name, reason=error)) from error
    return array


def pb_tensor(path: Path, *, sample: int, order: int) -> DumpTensor:
    """A TensorProto, as ONNX's test data has its outputs.

    Raises:
        DataError: It is none.
    """
    array, name = _read_pb(path)
    return DumpTensor(name or path.stem, path, array.dtype, array.shape, lambda: _read_pb(path)[0],
                      (path.stem,) if name else (), sample=sample, order=order)  # fmt: skip


def _read_pb(path: Path) -> tuple[Array, str]:
    import onnx
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
    from onnx import numpy_helper

    try:
        if path.stat().st_size > _LONGEST_PB:
            raise DataError(say("{path} is too large for one tensor in protobuf; give it as .npy.", path=path))
        tensor = onnx.TensorProto.FromString(path.read_bytes())
        if tensor.data_type not in onnx.TensorProto.DataType.values() or not tensor.data_type:
            raise ValueError("no tensor")
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            raise ValueError("its data is in another file")
        return numpy_helper.to_array(tensor), tensor.name
    except OSError as error:
        raise DataError(say("{path} can't be read ({reason}).", path=path, reason=error.strerror or error)) from error
    except (DecodeError, ValueError, TypeError, KeyError) as error:
        raise DataError(say("{path} holds no ONNX tensor.", path=path)) from error


def mindspore_tensor(path: Path, *, sample: int, order: int, inputs: bool = False) -> DumpTensor | None:
    """A `.bin` file of MindSpore Lite, whose shape and type stand in its name; None if it is none, or an input.

    Raises:
        DataError: Its size is not that of its shape.
    """
    named = MINDSPORE.match(path.stem)
    kind = _MINDSPORE_TYPES.get(named["dtype"].lower()) if named else None
    if named is None or kind is None or (named["direction"] == "input" and not inputs):
        return None
    shape = tuple(int(size) for size in named["shape"].split("_") if size)
    dtype = np.dtype(kind)
    wanted, have = prod(shape) * dtype.itemsize, path.stat().st_size
    if wanted != have:
        raise DataError(
            say(
                "{path} has {have} bytes, but its name says {dtype} {shape}, which takes {want}; it is truncated.",
                path=path,
                have=have,
                dtype=dtype.name,
                shape=list(shape),
                want=wanted,
            )
        )
    layout = named["layout"]
    logical = reorder(np.broadcast_to(np.int8(0), shape), layout).shape

    def read() -> Array:
        if not wanted:
            return np.zeros(logical, dtype)
        try:
            return reorder(np.memmap(path, dtype, "r", 0, shape), layout)
        except (OSError, ValueError) as error:
            raise DataError(say("{path} can't be read ({reason}).", path=path, reason=error)) from error

    index = int(named["index"])
    of_input = named["direction"] == "input"
    return DumpTensor(named["name"], path, dtype, logical, read, output=0 if of_input else index, sample=sample,
                      order=order, input=index if of_input else None)  # fmt: skip
