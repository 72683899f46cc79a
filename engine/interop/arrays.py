"""Samples from .npy, .npz and raw binary files."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np

from engine.errors import DataError
from engine.graph.types import Array, TensorInfo
from engine.numerics.samples import SampleSet, evenly
from engine.progress import CancelToken
from engine.text import say


@dataclass(frozen=True, slots=True)
class RawOptions:
    """What a file without a header holds: samples of this dtype and shape, one behind the other."""

    dtype: str = "float32"
    shape: tuple[int, ...] = ()
    """() = the shape of the input."""


def load(path: Path, inputs: Sequence[TensorInfo], limit: int | None, cancel: CancelToken) -> SampleSet:
    """Samples from one .npy or .npz file, or from a folder of them (a subfolder or file per input).

    Raises:
        DataError: an unreadable file, a missing input, a shape or dtype that doesn't fit.
    """
    stacks, labels = _stacks(path, inputs, cancel)
    columns = {info.name: list(_split(stacks[info.name], info, path)) for info in inputs}
    count = min(len(rows) for rows in columns.values())
    if len({len(rows) for rows in columns.values()}) > 1:
        sizes = ", ".join(f"{name}: {len(rows)}" for name, rows in columns.items())
        raise DataError(say("{path} has a different number of samples per input ({sizes}).", path=path, sizes=sizes))
    chosen = evenly(count, limit)
    feeds = [{name: rows[i] for name, rows in columns.items()} for i in chosen]
    found = None if labels is None else _cut(labels, count, path)[chosen]
    return SampleSet(feeds, path.name, labels=found, available=count)


def load_raw(
    path: Path,
    inputs: Sequence[TensorInfo],
    options: Mapping[str, RawOptions],
    limit: int | None,
    cancel: CancelToken,
) -> SampleSet:
    """Samples from .bin files: one file, or a folder of files (a subfolder per input if there are several inputs)."""
    columns: dict[str, list[Array]] = {}
    for info in inputs:
        how = options.get(info.name, RawOptions(info.dtype.name, info.shape))
        shape = how.shape or info.shape
        if np.dtype(how.dtype) != info.dtype or prod(shape) != info.elements:
            raise DataError(
                say(
                    "Input {name} wants {want}, but the raw data is said to be {got}.",
                    name=info.name,
                    want=f"{info.dtype.name} {list(info.shape)}",
                    got=f"{how.dtype} {list(shape)}",
                )
            )
        rows: list[Array] = []
        for file in _raw_files(path, info, len(inputs)):
            cancel.check()
            rows += _raw_rows(file, info)
        columns[info.name] = rows
    count = min(len(rows) for rows in columns.values())
    feeds = [{name: rows[i] for name, rows in columns.items()} for i in evenly(count, limit)]
    return SampleSet(feeds, path.name, available=count)


def _raw_files(path: Path, info: TensorInfo, inputs: int) -> list[Path]:
    if path.is_file():
        if inputs > 1:
            raise DataError(say("The model has {count} inputs: give a folder with a subfolder each.", count=inputs))
        return [path]
    place = path if inputs == 1 else path / info.name
    files = sorted(p for p in place.rglob("*") if p.suffix in (".bin", ".raw"))
    if not files:
        raise DataError(say("No .bin file for input {name} in {folder}.", name=info.name, folder=place))
    return files


def _raw_rows(file: Path, info: TensorInfo) -> list[Array]:
    size = info.nbytes
    total = file.stat().st_size
    if total == 0 or size == 0 or total % size:
        raise DataError(
            say(
                "{path} has {total} bytes, which is no multiple of the {size} bytes of one {what} for input {name}.",
                path=file,
                total=total,
                size=size,
                what=f"{info.dtype.name} {list(info.shape)}",
                name=info.name,
            )
        )
    values = np.fromfile(file, info.dtype).reshape(-1, *info.shape)
    return list(values)


def _stacks(path: Path, inputs: Sequence[TensorInfo], cancel: CancelToken) -> tuple[dict[str, Array], Array | None]:
    if path.is_dir():
        return _folder(path, inputs, cancel)
    loaded = _read(path)
    labels = loaded.pop("labels", None) if len(loaded) > 1 else None
    if len(inputs) == 1 and len(loaded) == 1:
        return {inputs[0].name: next(iter(loaded.values()))}, labels
    missing = [i.name for i in inputs if i.name not in loaded]
    if missing:
        raise DataError(
            say(
                "{path} has no array named {name}; it has {have}.",
                path=path,
                name=missing[0],
                have=", ".join(loaded) or "none",
            )
        )
    return {i.name: loaded[i.name] for i in inputs}, labels


def _folder(path: Path, inputs: Sequence[TensorInfo], cancel: CancelToken) -> tuple[dict[str, Array], Array | None]:
    stacks: dict[str, Array] = {}
    for info in inputs:
        single = path / f"{info.name}.npy"
        place = path / info.name if len(inputs) > 1 else path
        files = [single] if single.is_file() else sorted(p for p in place.rglob("*.npy") if p.name != "labels.npy")
        if not files:
            raise DataError(say("No .npy file for input {name} in {folder}.", name=info.name, folder=path))
        rows: list[Array] = []
        for file in files:
            cancel.check()
            rows += _split(next(iter(_read(file).values())), info, file)
        stacks[info.name] = np.concatenate(rows)
    labels = path / "labels.npy"
    return stacks, next(iter(_read(labels).values())) if labels.is_file() else None


def _read(path: Path) -> dict[str, Array]:
    try:
        with path.open("rb") as stream:  # opened here: NumPy leaves a file open that it fails to read
            loaded = np.load(stream, allow_pickle=False)
            if isinstance(loaded, np.ndarray):
                return {path.stem: loaded}
            return {name: loaded[name] for name in loaded.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
        raise DataError(say("{path} can't be read as NumPy data ({reason}).", path=path, reason=error)) from error


def _split(stack: Array, info: TensorInfo, path: Path) -> list[Array]:
    """Cut a stack into samples: along the first axis in steps of the input's batch, or one sample per entry."""
    dtype = info.dtype
    if stack.dtype.kind != dtype.kind and not (stack.dtype.kind in "ui" and dtype.kind in "ui"):
        raise DataError(
            say(
                "{path}: input {name} wants {want}, the array is {got}; convert it first.",
                path=path,
                name=info.name,
                want=dtype.name,
                got=stack.dtype.name,
            )
        )
    shape = info.shape
    if not shape or stack.shape[1:] == shape:
        rows = list(stack) if stack.ndim else [stack]
    elif stack.shape[1:] == shape[1:] and shape[0] and stack.shape[0] % shape[0] == 0:
        rows = [stack[i : i + shape[0]] for i in range(0, len(stack), shape[0])]
    elif shape[0] == 1 and stack.shape == shape[1:]:
        rows = [stack[None]]
    else:
        raise DataError(
            say(
                "{path}: input {name} wants {want} per sample, the array is {got}.",
                path=path,
                name=info.name,
                want=list(shape),
                got=list(stack.shape),
            )
        )
    return [np.ascontiguousarray(row, dtype=dtype) for row in rows]


def _cut(labels: Array, count: int, path: Path) -> Array:
    if len(labels) < count or labels.dtype.kind not in "ui":
        raise DataError(
            say(
                "{path}: labels must be whole numbers, one row per sample; got {got} for {count} samples.",
                path=path,
                got=f"{labels.dtype.name} {list(labels.shape)}",
                count=count,
            )
        )
    return labels[:count]
