"""Opening a dump: the manifest checked, tensors memory-mapped."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import msgspec
import numpy as np

from engine.errors import DataError
from engine.graph.types import Array
from engine.misshapen import form_words
from engine.numerics.dumps.manifest import MANIFEST, VERSION, Manifest, TensorEntry
from engine.text import say

_LONGEST_MANIFEST = 256 << 20


def read_manifest(folder: Path) -> Manifest:
    """Read and check a manifest.

    Raises:
        DataError: There is none, it is damaged or of a newer version, or a file stands outside the folder.
    """
    path = folder / MANIFEST
    try:
        if path.stat().st_size > _LONGEST_MANIFEST:
            raise DataError(say("{path} is too large for a manifest; choose the folder of a dump.", path=path))
        read = msgspec.json.decode(path.read_bytes(), type=Manifest)
    except OSError as error:
        raise DataError(say("{path} can't be read ({reason}).", path=path, reason=error.strerror or error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DataError(
            say("{path} is not the manifest of a dump: {reason}.", path=path, reason=form_words(error))
        ) from error
    if read.version > VERSION:
        raise DataError(
            say("{path} was written by a newer version ({version}); update Mixbit.", path=path, version=read.version)
        )
    for entry in read.tensors:
        if not _inside(entry.file):
            raise DataError(say("{path} names {file}, outside its folder; it is not read.", path=path, file=entry.file))
    return read


def read_tensor(folder: Path, entry: TensorEntry) -> Array:
    """One tensor of a dump, memory-mapped and read-only.

    Raises:
        DataError: The file is missing, damaged, or not what the manifest says.
    """
    path = folder / entry.file
    array = read_npy(path)
    if (array.shape, array.dtype.name) != (entry.shape, entry.stored):
        raise DataError(
            say(
                "{path} holds {dtype} {shape}, but the manifest says {want_dtype} {want_shape}; dump it again.",
                path=path,
                dtype=array.dtype.name,
                shape=list(array.shape),
                want_dtype=entry.stored,
                want_shape=list(entry.shape),
            )
        )
    return array


def read_npy(path: Path) -> Array:
    """A `.npy` file, memory-mapped and read-only; arrays without a byte are read as they are.

    Raises:
        DataError: It is missing, truncated, no `.npy` file, or holds Python objects (which are never unpickled).
    """
    try:
        array: Array = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError as error:
        raise DataError(say("{path} is missing; dump it again.", path=path)) from error
    except (OSError, ValueError, EOFError, SyntaxError, MemoryError, OverflowError, TypeError) as error:
        empty = _empty(path)
        if empty is not None:
            return empty
        raise DataError(
            say("{path} is truncated or is no .npy file ({reason}); dump it again.", path=path, reason=_short(error))
        ) from error
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "biufV":
        raise DataError(say("{path} holds no numbers; give a .npy file with one array.", path=path))
    return array


def _empty(path: Path) -> Array | None:
    """An array of no elements, which can't be mapped."""
    try:
        array = np.load(path, allow_pickle=False)
    except Exception:  # whatever it was, the first complaint tells it better
        return None
    return array if isinstance(array, np.ndarray) and array.size == 0 else None


def _short(error: Exception) -> str:
    text = str(error).splitlines()
    return (text[0] if text else type(error).__name__)[:120]


def _inside(file: str) -> bool:
    path = PurePosixPath(file)
    return bool(file) and not path.is_absolute() and ".." not in path.parts and "\\" not in file and ":" not in file
