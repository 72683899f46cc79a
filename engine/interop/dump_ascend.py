"""Raw dumps of Ascend devices: a length, a DumpData message, then the bytes of all tensors.

Field numbers are those of the public `dump_data.proto`. The message is walked by its length prefixes, so nothing of the
payload is copied and no generated code is needed.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from pathlib import Path

import ml_dtypes
import numpy as np

from engine.errors import DataError
from engine.graph.types import Array
from engine.interop.dump_set import DumpTensor
from engine.interop.layouts import FORMATS, format_of, reorder, to_logical
from engine.quant.packing import unpack_int4
from engine.text import say

NAME = re.compile(r"^(?P<type>[^.]+)\.(?P<name>.+?)\.(?P<task>\d+)(?:\.(?P<stream>\d+))?\.(?P<ts>\d{10,})$")
"""{op_type}.{op_name}.{task_id}[.{stream_id}].{timestamp}"""
_LONGEST_HEADER = 64 << 20
_MOST_DIMS = 16
_INT4 = 28
_TYPES: dict[int, np.dtype[np.generic]] = {
    number: np.dtype(kind)
    for number, kind in {
        1: "<f4", 2: "<f2", 3: "i1", 4: "u1", 5: "<i2", 6: "<u2", 7: "<i4", 8: "<i8", 9: "<u4", 10: "<u8", 11: "?",
        12: "<f8", 27: ml_dtypes.bfloat16, 28: "i1",
    }.items()
}  # fmt: skip
_OUTPUT, _INPUT, _BUFFER, _OP_NAME, _SPACE = 3, 4, 5, 6, 8


@dataclass(frozen=True, slots=True)
class RawTensor:
    """One tensor of a raw dump, as its header describes it."""

    direction: str
    """"input" or "output"."""
    index: int
    dtype: int
    layout: str
    shape: tuple[int, ...]
    """As stored."""
    original: tuple[int, ...]
    """Logical; empty if the header has none."""
    original_layout: str
    original_name: str
    """Of the layer in the source model that a fused operator stands for; '' if unknown."""
    offset: int
    size: int
    groups: int = 1
    """Of the convolution whose weights these are; 1 also if the header doesn't say."""


@dataclass(frozen=True, slots=True)
class RawDump:
    """The header of one file."""

    op_name: str
    tensors: tuple[RawTensor, ...]


def looks_raw(path: Path) -> bool:
    """Whether a file has the name of a raw dump, and a length in front that fits into it."""
    if NAME.match(path.name) is None:
        return False
    try:
        with path.open("rb") as stream:
            head = stream.read(8)
            size = stream.seek(0, 2)
    except OSError:
        return False
    return len(head) == 8 and 0 < struct.unpack("<Q", head)[0] <= size - 8


def raw_tensors(path: Path, *, inputs: bool = False, sample: int = 0, order: int = 0) -> list[DumpTensor]:
    """The tensors of one raw dump file.

    Args:
        path: The file.
        inputs: Also what the operator has read, not only what it has written.
        sample: Which run it belongs to.
        order: Position among the files.

    Raises:
        DataError: The file is truncated, or no raw dump.
    """
    dump = read_header(path)
    named = NAME.match(path.name)
    name = dump.op_name or (named["name"] if named else path.stem)
    found = []
    for tensor in dump.tensors:
        if tensor.size == 0 or (tensor.direction == "input" and not inputs):
            continue
        aliases = [a for a in (named["name"] if named else "", tensor.original_name) if a and a != name]
        dtype = _TYPES.get(tensor.dtype)
        if dtype is None:
            raise DataError(
                say("{path}: {name} has data type {number}, which is unknown; convert the dump to .npy first.",
                    path=path, name=name, number=tensor.dtype)
            )  # fmt: skip
        shape = tensor.original or tensor.shape
        if tensor.original_layout in ("NHWC", "HWCN", "NDHWC"):
            shape = reorder(np.broadcast_to(np.int8(0), shape), tensor.original_layout).shape
        found.append(
            DumpTensor(
                name,
                path,
                dtype,
                shape,
                partial(_read, path, tensor),
                tuple(aliases),
                op_type=named["type"] if named else "",
                output=tensor.index if tensor.direction == "output" else 0,
                sample=sample,
                order=order,
                input=tensor.index if tensor.direction == "input" else None,
            )
        )
    return found


def read_header(path: Path) -> RawDump:
    """Read and check the header; the payload is only measured.

    Raises:
        DataError: The file is truncated, or no raw dump.
    """
    try:
        with path.open("rb") as stream:
            head = stream.read(8)
            total = stream.seek(0, 2)
            length = struct.unpack("<Q", head)[0] if len(head) == 8 else 0
            if not 0 < length <= min(total - 8, _LONGEST_HEADER):
                raise DataError(
                    say("{path} is truncated, or is no raw Ascend dump: its header does not fit.", path=path)
                )
            stream.seek(8)
            message = stream.read(length)
    except OSError as error:
        raise DataError(say("{path} can't be read ({reason}).", path=path, reason=error.strerror or error)) from error
    try:
        dump = _parse(message, 8 + length)
    except (ValueError, IndexError, UnicodeDecodeError) as error:
        raise DataError(
            say("{path} is no raw Ascend dump: its header is damaged.", path=path)
        ) from error  # fmt: skip
    end = max((t.offset + t.size for t in dump.tensors), default=0)
    if end > total:
        raise DataError(
            say(
                "{path} is truncated: its tensors take {want} bytes and it has {have}; copy it again.",
                path=path,
                want=end,
                have=total,
            )
        )
    return dump


def _read(path: Path, tensor: RawTensor) -> Array:
    """Values in logical order."""
    dtype = _TYPES[tensor.dtype]
    count = prod(tensor.shape)
    wanted = -(-count // 2) if tensor.dtype == _INT4 else count * dtype.itemsize
    if wanted > tensor.size:
        raise DataError(
            say(
                "{path}: shape {shape} needs {want} bytes and the tensor has {have}; the dump is mixed up.",
                path=path,
                shape=list(tensor.shape),
                want=wanted,
                have=tensor.size,
            )
        )
    try:
        raw = np.memmap(path, np.uint8, "r", tensor.offset, (wanted,))
    except (OSError, ValueError) as error:
        raise DataError(say("{path} can't be read ({reason}).", path=path, reason=error)) from error
    if tensor.dtype == _INT4:
        stored: Array = unpack_int4(np.asarray(raw), tensor.shape)
    else:
        stored = (raw.view(dtype) if tensor.offset % dtype.itemsize == 0 else raw.copy().view(dtype)).reshape(
            tensor.shape
        )
    if not tensor.original:
        return reorder(stored, tensor.layout)
    logical = to_logical(stored, tensor.layout, tensor.original, tensor.groups)
    if logical is None:
        found = _nchw_of(tensor)
        logical = None if found is None else to_logical(stored, tensor.layout, found, tensor.groups)
        if logical is not None:
            return logical
    if logical is None:
        raise DataError(
            say(
                "{path}: {layout} {stored} can't hold {logical}; the dump is mixed up, or of a format not known here.",
                path=path,
                layout=tensor.layout,
                stored=list(tensor.shape),
                logical=list(tensor.original),
            )
        )
    plain = tensor.layout in ("NHWC", "HWCN", "NDHWC")
    return reorder(logical, tensor.layout if plain else tensor.original_layout)


def _nchw_of(tensor: RawTensor) -> tuple[int, ...] | None:
    """The original shape in NCHW where the header has it in another order: blocks are cut along channels."""
    if len(tensor.original) != 4:
        return None
    a, b, c, d = tensor.original
    return {"NHWC": (a, d, b, c), "HWCN": (d, c, a, b)}.get(tensor.original_layout, (a, d, b, c))


def _parse(message: bytes, payload: int) -> RawDump:
    outputs: list[RawTensor] = []
    inputs: list[RawTensor] = []
    op_name = ""
    for number, value in _fields(message):
        if number == _OUTPUT and isinstance(value, bytes):
            outputs.append(_tensor(value, "output", len(outputs)))
        elif number == _INPUT and isinstance(value, bytes):
            inputs.append(_tensor(value, "input", len(inputs)))
        elif number == _OP_NAME and isinstance(value, bytes):
            op_name = value.decode()
    placed, offset = [], payload
    for tensor in (*inputs, *outputs):  # the order of the payload: inputs, outputs, then buffers and spaces
        placed.append(replace(tensor, offset=offset))
        offset += tensor.size
    return RawDump(op_name, tuple(placed))


_OF_OUTPUT = {"dtype": 1, "layout": 2, "shape": 3, "op": 4, "size": 6, "original": 7, "sub_format": 8}
_OF_INPUT = {"dtype": 1, "layout": 2, "shape": 3, "op": -1, "size": 5, "original": 6, "sub_format": 7}


def _tensor(message: bytes, direction: str, index: int) -> RawTensor:
    """An OpOutput or OpInput message; both have the same fields under other numbers."""
    at = _OF_OUTPUT if direction == "output" else _OF_INPUT
    numbers: dict[int, int] = {}
    shape: tuple[int, ...] = ()
    original: tuple[int, ...] = ()
    original_layout, original_name = "", ""
    for number, value in _fields(message):
        if isinstance(value, int):
            numbers[number] = value
        elif number == at["shape"]:
            shape = _dims(value)
        elif number == at["original"]:
            original = _dims(value)
        elif number == at["op"]:
            original_name, original_layout = _original(value)
    layout, groups = format_of(numbers.get(at["layout"], 0), numbers.get(at["sub_format"], 0))
    return RawTensor(direction, index, numbers.get(at["dtype"], 0), layout, shape, original, original_layout,
                     original_name, 0, numbers.get(at["size"], 0), groups)  # fmt: skip


def _original(message: bytes) -> tuple[str, str]:
    name, layout = "", ""
    for number, value in _fields(message):
        if number == 1 and isinstance(value, bytes):
            name = value.decode()
        elif number == 4 and isinstance(value, int):
            layout = FORMATS.get(value, "")
    return name, layout


def _dims(message: bytes) -> tuple[int, ...]:
    dims: list[int] = []
    for number, value in _fields(message):
        if number != 1:
            continue
        if isinstance(value, int):
            dims.append(value)
        else:  # packed
            at = 0
            while at < len(value):
                size, at = _varint(value, at)
                dims.append(size)
    if len(dims) > _MOST_DIMS or any(size > 1 << 40 for size in dims):
        raise ValueError("impossible shape")
    return tuple(dims)


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Number and value of every field; values of fixed width are given as integers."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(message, at)
            yield key >> 3, value
        elif kind == 2:
            length, at = _varint(message, at)
            if at + length > len(message):
                raise ValueError("cut short")
            yield key >> 3, message[at : at + length]
            at += length
        elif kind in (1, 5):
            width = 8 if kind == 1 else 4
            if at + width > len(message):
                raise ValueError("cut short")
            yield key >> 3, int.from_bytes(message[at : at + width], "little")
            at += width
        else:
            raise ValueError("unknown wire type")


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
        if shift > 63:
            raise ValueError("number too long")
