"""Arrays in .npy and .npz files, read row by row: a header first, then only the rows that are wanted."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from engine.errors import DataError
from engine.graph.types import Array
from engine.interop.listing import readable
from engine.progress import NEVER, CancelToken
from engine.text import say

MOST_EXPANSION, LARGE = 200, 1 << 30
"""A member of a .npz file that is larger than LARGE bytes and this many times its packed size is refused."""
_PIECE = 1 << 20
Rows = Iterable[tuple[int, int]]
"""Ascending (start, stop) along the first axis."""


@dataclass(frozen=True, slots=True)
class Stack:
    """An array in a file."""

    path: Path
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    read: Callable[[Rows, CancelToken], Iterator[Array]]
    """Gives each piece of rows as an array of its own; an array without axes counts as one row."""

    def whole(self) -> Array:
        """All of it."""
        with readable(self.path, "arrays"):
            if not self.shape:
                return next(self.read([(0, 1)], NEVER)).reshape(())
            return next(self.read([(0, self.shape[0])], NEVER))


@dataclass(frozen=True, slots=True)
class _Header:
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran: bool
    offset: int

    @property
    def row_bytes(self) -> int:
        return prod(self.shape[1:]) * self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return prod(self.shape) * self.dtype.itemsize


def open_stacks(path: Path) -> dict[str, Stack]:
    """The arrays of a .npy or .npz file by name; nothing but their headers is read.

    Raises:
        DataError: An unreadable, encrypted or hostile file, or one with Python objects.
    """
    with readable(path, "arrays"), path.open("rb") as stream:
        first = stream.read(8)
        if first.startswith(b"PK"):
            return _members(path, stream)
        if not first.startswith(npy.MAGIC_PREFIX):
            raise DataError(say("{path} holds no NumPy data; give a .npy or .npz file.", path=path))
        stream.seek(0)
        header = _header(path, stream, path.stat().st_size)
        return {path.stem: Stack(path, header.dtype, header.shape, lambda rows, _: _mapped(path, header, rows))}


def _members(path: Path, stream: IO[bytes]) -> dict[str, Stack]:
    found = {}
    with zipfile.ZipFile(stream) as archive:
        for info in archive.infolist():
            if not info.filename.endswith(".npy"):
                continue
            if info.flag_bits & 1:
                raise DataError(say("{path} is encrypted; save it without a password.", path=path))
            if info.file_size > max(LARGE, MOST_EXPANSION * info.compress_size):
                raise DataError(
                    say(
                        "{path}: array {name} would expand from {packed} to {bytes} bytes; save it without compression "
                        "if that is meant.",
                        path=path,
                        name=info.filename[:-4],
                        packed=info.compress_size,
                        bytes=info.file_size,
                    )
                )
            with archive.open(info) as member:
                header = _header(path, member, info.file_size)
            found[info.filename.removesuffix(".npy")] = _member(path, info, header)
    return found


def _member(path: Path, info: zipfile.ZipInfo, header: _Header) -> Stack:
    def read(rows: Rows, cancel: CancelToken) -> Iterator[Array]:
        with path.open("rb") as stream, zipfile.ZipFile(stream) as archive, archive.open(info) as member:
            yield from _streamed(path, member, header, rows, cancel)

    return Stack(path, header.dtype, header.shape, read)


def _header(path: Path, stream: IO[bytes], size: int) -> _Header:
    version = npy.read_magic(stream)
    known = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    if version not in known:
        raise DataError(say("{path} holds records instead of numbers; give plain arrays.", path=path))
    try:
        shape, fortran, dtype = known[version](stream)
    except (ValueError, SyntaxError, EOFError) as error:  # what NumPy says of it names objects of its reader
        raise DataError(say("{path}: its NumPy header is damaged; save the array again.", path=path)) from error
    if dtype.hasobject:
        raise DataError(say("{path} holds Python objects, which are never loaded; give plain arrays.", path=path))
    header = _Header(dtype, tuple(shape), bool(fortran) and len(shape) > 1, stream.tell())
    if any(d < 0 for d in shape) or header.offset + header.nbytes > size:
        raise DataError(
            say(
                "{path} is cut off: it claims {dtype} {shape}, but has {bytes} bytes.",
                path=path,
                dtype=dtype.name,
                shape=list(shape),
                bytes=size,
            )
        )
    return header


def _mapped(path: Path, header: _Header, rows: Rows) -> Iterator[Array]:
    shape = header.shape or (1,)
    if not header.nbytes:
        yield from (np.empty((stop - start, *shape[1:]), header.dtype) for start, stop in rows)
        return
    order = "F" if header.fortran else "C"
    with path.open("rb") as stream:
        values = np.memmap(stream, header.dtype, "r", header.offset, shape, order)  # type: ignore[call-overload]
    for start, stop in rows:
        yield np.array(values[start:stop])


def _streamed(path: Path, member: IO[bytes], header: _Header, rows: Rows, cancel: CancelToken) -> Iterator[Array]:
    _skip(member, header.offset, cancel)
    rest = header.shape[1:]
    if header.fortran:  # its rows lie scattered over the whole array
        if header.nbytes > LARGE:
            raise DataError(
                say("{path} is too large to be turned round from column order; save it in row order.", path=path)
            )
        values = _taken(member, header.nbytes, cancel).view(header.dtype).reshape(header.shape, order="F")
        yield from (np.array(values[start:stop], order="C") for start, stop in rows)
        return
    at, each = 0, header.row_bytes
    for start, stop in rows:
        _skip(member, (start - at) * each, cancel)
        yield _taken(member, (stop - start) * each, cancel).view(header.dtype).reshape(stop - start, *rest)
        at = stop


def _skip(stream: IO[bytes], count: int, cancel: CancelToken) -> None:
    while count > 0:
        cancel.check()
        got = len(stream.read(min(count, _PIECE)))
        if not got:
            raise EOFError("the file ends early")
        count -= got


def _taken(stream: IO[bytes], count: int, cancel: CancelToken) -> Array:
    made = np.empty(count, np.uint8)
    at = 0
    while at < count:
        cancel.check()
        piece = stream.read(min(count - at, _PIECE))
        if not piece:
            raise EOFError("the file ends early")
        made[at : at + len(piece)] = np.frombuffer(piece, np.uint8)
        at += len(piece)
    return made
