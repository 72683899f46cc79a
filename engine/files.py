"""Writing files so that no reader, and no crash, ever meets half of one; reading JSON that may hold anything."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, overload

import msgspec

from engine.asides import aside_in
from engine.errors import ExportError
from engine.text import say

T = TypeVar("T")


def check_replaceable(path: Path) -> None:
    """Refuse a target that is there and is a link, device, pipe or folder: renaming over it would destroy it.

    Raises:
        ExportError: it is no ordinary file.
    """
    if not path.name or (os.path.lexists(path) and (path.is_symlink() or not path.is_file())):
        raise ExportError(say("{path} is no ordinary file, so it is not replaced; choose another place.", path=path))


@contextmanager
def written_aside(path: Path) -> Iterator[Path]:
    """Give a path in a folder beside `path` to write to; it takes the place of `path` if the block ends without error.

    Raises:
        ExportError: the folder is missing, read-only or full, or the target is a link, device, pipe or folder.
    """
    check_replaceable(path)
    try:
        with aside_in(path.parent) as folder:
            aside = folder / path.name
            yield aside
            aside.replace(path)
    except OSError as error:
        raise ExportError(
            say(
                "{path} can't be written ({reason}); choose another place.",
                path=path,
                reason=error.strerror or str(error),
            )
        ) from error


def write_atomically(path: Path, data: bytes) -> None:
    """Write bytes beside the target, then rename over it; errors as in `written_aside`."""
    with written_aside(path) as aside, aside.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


@overload
def decode_json(data: bytes | msgspec.Raw) -> Any: ...
@overload
def decode_json(data: bytes | msgspec.Raw, kind: type[T]) -> T: ...
def decode_json(data: bytes | msgspec.Raw, kind: Any = Any) -> Any:
    """Decode JSON of a file that anybody may have written.

    Raises:
        msgspec.DecodeError: no JSON, not of that kind, or nested deeper than can be read.
        UnicodeDecodeError: not in UTF-8.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except RecursionError:
        raise msgspec.DecodeError("it is nested too deeply") from None
