"""Labels beside samples: `labels.csv` of pictures, arrays named `labels`."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from engine.errors import DataError
from engine.graph.types import Array
from engine.interop.listing import readable
from engine.text import Text, say

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LARGEST = np.iinfo(np.int64).max


def picture_labels(folder: Path, files: Sequence[Path]) -> tuple[Array | None, tuple[Text, ...]]:
    """Classes from `labels.csv` in the folder or the one above it; -1 for a picture that it doesn't name.

    A picture is named by its path from the folder (or from the file's own), or by its bare name.

    Returns:
        int64 [pictures], or None without such a file, and what a user should know about them.

    Raises:
        DataError: A file that can't be read, a label that is no whole number, or a `labels.csv` in the folder itself
            that names none of its pictures.
    """
    folder = folder.parent if folder.is_file() else folder
    path = next((p / "labels.csv" for p in (folder, folder.parent) if (p / "labels.csv").is_file()), None)
    if path is None or not files:
        return None, ()
    rows = _rows(path)
    words = [_word(rows, file, (folder, path.parent)) for file in files]
    missing = words.count(None)
    if missing == len(words):
        text = say(
            "{path} names none of the pictures; it has {names}, the first picture is {file}.",
            path=path,
            names=", ".join(list(rows)[:2]) or "–",
            file=files[0].name,
        )
        if path.parent == folder:
            raise DataError(text)
        return None, (text,)
    notes: tuple[Text, ...] = ()
    if missing:
        notes = (
            say(
                "{path} has no label for {count} of {all} {all:picture|pictures}.",
                path=path,
                count=missing,
                all=len(words),
            ),
        )
    return np.array([-1 if word is None else _number(path, word) for word in words], np.int64), notes


def array_labels(labels: Array, count: int, path: Path) -> Array:
    """Labels as int64 [samples] or [samples, positions].

    Raises:
        DataError: Not whole numbers, or not one row per sample.
    """
    if not labels.ndim or len(labels) != count or labels.dtype.kind not in "ui":
        raise DataError(
            say(
                "{path}: labels must be whole numbers, one row per sample; got {got} for {count} samples.",
                path=path,
                got=f"{labels.dtype.name} {list(labels.shape)}",
                count=count,
            )
        )
    if labels.size and int(labels.max()) > _LARGEST:
        raise _no_label(path, str(labels.max()))
    return labels.astype(np.int64)


def _rows(path: Path) -> dict[str, str]:
    with readable(path):
        text = _decoded(path, path.read_bytes())
        reader = csv.reader(io.StringIO(text, newline=""))
        return {row[0].strip().replace("\\", "/"): row[1].strip() for row in reader if len(row) >= 2}


def _decoded(path: Path, data: bytes) -> str:
    """Text of a spreadsheet's export: UTF-8, UTF-16 or the Chinese encodings."""
    marked = [name for mark, name in _MARKS if data.startswith(mark)]
    if not marked and b"\0" in data:  # commas and digits have their zero byte in front or behind
        marked = ["utf-16-be" if data[0::2].count(0) > data[1::2].count(0) else "utf-16-le"]
    for name in marked[:1] or ("utf-8", "gb18030"):
        try:
            return data.decode(name)
        except UnicodeDecodeError:
            continue
    raise DataError(say("{path} is in an unknown text encoding; save it as UTF-8.", path=path))


def _word(rows: Mapping[str, str], file: Path, bases: Sequence[Path]) -> str | None:
    for base in bases:
        if file.is_relative_to(base) and (found := rows.get(file.relative_to(base).as_posix())) is not None:
            return found
    return rows.get(file.name)


def _number(path: Path, word: str) -> int:
    try:
        value = int(word)
    except ValueError:
        raise _no_label(path, word) from None
    if abs(value) > _LARGEST:
        raise _no_label(path, word)
    return value


def _no_label(path: Path, word: str) -> DataError:
    return DataError(say("{path}: labels must be whole numbers, got {word}.", path=path, word=repr(word[:40])))
