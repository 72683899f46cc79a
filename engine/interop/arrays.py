"""Samples from .npy, .npz and raw binary files: headers first, then only the samples that are wanted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engine.errors import DataError
from engine.graph.types import Array, TensorInfo
from engine.interop.casting import Place, fitted, same_kind
from engine.interop.kept_samples import as_feeds, room_for
from engine.interop.labels import array_labels
from engine.interop.listing import listed, place_of, readable
from engine.interop.stacks import Stack, open_stacks
from engine.numerics.samples import SampleSet, evenly
from engine.progress import CancelToken, Progress, no_progress
from engine.text import say

ARRAY_ENDINGS = frozenset({".npy", ".npz"})
RAW_ENDINGS = frozenset({".bin", ".raw"})


@dataclass(frozen=True, slots=True)
class RawOptions:
    """What a file without a header holds: samples of this dtype and shape, one behind the other."""

    dtype: str = "float32"
    shape: tuple[int, ...] = ()
    """() = the shape of the input."""


class _Part(NamedTuple):
    """One file of an input: `size` samples, each of `step` rows."""

    stack: Stack
    size: int
    step: int


def load(
    path: Path,
    inputs: Sequence[TensorInfo],
    limit: int | None,
    cancel: CancelToken,
    progress: Progress = no_progress,
) -> SampleSet:
    """Samples from one .npy or .npz file, or from a folder of them (a subfolder or file per input).

    Raises:
        DataError: an unreadable file, a missing input, a shape, dtype or value that doesn't fit.
    """
    columns, labels = _folder(path, inputs, cancel) if path.is_dir() else _file(path, inputs)
    count = _same_count(path, {name: sum(part.size for part in parts) for name, parts in columns.items()})
    chosen = evenly(count, limit)
    room = room_for(inputs, len(chosen))
    for number, info in enumerate(inputs):
        into, samples = room[info.name], _samples(columns[info.name], info, chosen, cancel)
        for place, sample in enumerate(samples):
            into[place, ...] = sample
            done = (number + (place + 1) / len(chosen)) / len(inputs)
            progress(done, say("Reading arrays"))
    found = None
    if labels is not None:
        batch = inputs[0].shape[0] if inputs[0].shape else 1
        values = labels.whole()
        if batch > 1 and values.shape == (count * batch,):
            values = values.reshape(count, batch)
        found = array_labels(values, count, labels.path)[chosen]
    names = tuple(f"{path.name}[{position}]" for position in chosen)
    return SampleSet(as_feeds(room, len(chosen)), path.name, names=names, labels=found, available=count)


def load_raw(
    path: Path,
    inputs: Sequence[TensorInfo],
    options: Mapping[str, RawOptions],
    limit: int | None,
    cancel: CancelToken,
    progress: Progress = no_progress,
) -> SampleSet:
    """Samples from .bin files: one file, or a folder of files (a subfolder per input if there are several inputs)."""
    columns = {}
    for info in inputs:
        _check_raw(info, options.get(info.name, RawOptions(info.dtype.name, info.shape)))
        columns[info.name] = [(file, _raw_count(file, info)) for file in _raw_files(path, info, len(inputs), cancel)]
    count = _same_count(path, {name: sum(n for _, n in files) for name, files in columns.items()})
    chosen = evenly(count, limit)
    room = room_for(inputs, len(chosen))
    for number, info in enumerate(inputs):
        places = [(file, i) for file, n in columns[info.name] for i in range(n)]
        for at, position in enumerate(chosen):
            cancel.check()
            file, sample = places[position]
            with readable(file):
                values = np.fromfile(file, info.dtype, info.elements, offset=sample * info.nbytes).reshape(info.shape)
            room[info.name][at, ...] = fitted(values, info, Place(file, sample))
            progress((number + (at + 1) / len(chosen)) / len(inputs), say("Reading raw files"))
    names = tuple(f"{path.name}[{position}]" for position in chosen)
    return SampleSet(as_feeds(room, len(chosen)), path.name, names=names, available=count)


def _same_count(path: Path, counts: Mapping[str, int]) -> int:
    if len(set(counts.values())) > 1:
        sizes = ", ".join(f"{name}: {count}" for name, count in counts.items())
        raise DataError(say("{path} has a different number of samples per input ({sizes}).", path=path, sizes=sizes))
    return min(counts.values(), default=0)


def _check_raw(info: TensorInfo, how: RawOptions) -> None:
    shape = how.shape or info.shape
    if how.dtype != info.dtype.name or min(shape, default=1) < 1 or prod(shape) != info.elements:
        raise DataError(
            say(
                "Input {name} wants {want}, but the raw data is said to be {got}.",
                name=info.name,
                want=f"{info.dtype.name} {list(info.shape)}",
                got=f"{how.dtype} {list(shape)}",
            )
        )


def _raw_files(path: Path, info: TensorInfo, inputs: int, cancel: CancelToken) -> list[Path]:
    if path.is_file():
        if inputs > 1:
            raise DataError(say("The model has {count} inputs: give a folder with a subfolder each.", count=inputs))
        return [path]
    place = path if inputs == 1 else place_of(path, info.name)
    files = listed(place, RAW_ENDINGS, cancel) if place.is_dir() else []
    if not files:
        raise DataError(say("No .bin file for input {name} in {folder}.", name=info.name, folder=place))
    return files


def _raw_count(file: Path, info: TensorInfo) -> int:
    size, total = info.nbytes, file.stat().st_size
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
    return total // size


def _file(path: Path, inputs: Sequence[TensorInfo]) -> tuple[dict[str, list[_Part]], Stack | None]:
    stacks = open_stacks(path)
    taken = {i.name for i in inputs}
    labels = stacks.pop("labels", None) if len(stacks) > 1 and "labels" not in taken else None
    if len(inputs) == 1 and len(stacks) == 1:
        return {inputs[0].name: [_part(next(iter(stacks.values())), inputs[0])]}, labels
    missing = [i.name for i in inputs if i.name not in stacks]
    if missing:
        raise DataError(
            say(
                "{path} has no array named {name}; it has {have}.",
                path=path,
                name=missing[0],
                have=", ".join(stacks) or "none",
            )
        )
    return {i.name: [_part(stacks[i.name], i)] for i in inputs}, labels


def _folder(
    path: Path, inputs: Sequence[TensorInfo], cancel: CancelToken
) -> tuple[dict[str, list[_Part]], Stack | None]:
    columns: dict[str, list[_Part]] = {}
    for info in inputs:
        single, place = place_of(path, info.name, ".npy"), place_of(path, info.name) if len(inputs) > 1 else path
        files = listed(place, {".npy"}, cancel) if place.is_dir() else []
        if single.is_file():
            files = [single]
        stacks = [next(iter(open_stacks(file).values())) for file in files if file.name != "labels.npy"]
        columns[info.name] = [_part(stack, info) for stack in stacks]
    absent = [info for info in inputs if not columns[info.name]]
    packed = listed(path, {".npz"}, cancel) if absent else []
    if len(absent) == len(inputs) and packed:
        return {i.name: [_file(file, inputs)[0][i.name][0] for file in packed] for i in inputs}, None
    if absent:
        raise DataError(say("No .npy file for input {name} in {folder}.", name=absent[0].name, folder=path))
    labels = path / "labels.npy"
    return columns, next(iter(open_stacks(labels).values())) if labels.is_file() else None


def _part(stack: Stack, info: TensorInfo) -> _Part:
    """How a stack is cut: along the first axis in steps of the input's batch, or one sample per entry."""
    if not same_kind(stack.dtype, info.dtype):
        raise DataError(
            say(
                "{path}: input {name} wants {want}, the array is {got}; convert it first.",
                path=stack.path,
                name=info.name,
                want=info.dtype.name,
                got=stack.dtype.name,
            )
        )
    got, want = stack.shape, info.shape
    if got[1:] == want:
        return _Part(stack, got[0] if got else 1, 1)
    if want and got[1:] == want[1:] and want[0] and got[0] % want[0] == 0:
        return _Part(stack, got[0] // want[0], want[0])
    if want and want[0] == 1 and got == want[1:]:
        return _Part(stack, 1, got[0] if got else 1)
    raise DataError(
        say(
            "{path}: input {name} wants {want} per sample, the array is {got}.",
            path=stack.path,
            name=info.name,
            want=list(want),
            got=list(got),
        )
    )


def _samples(parts: Sequence[_Part], info: TensorInfo, chosen: Sequence[int], cancel: CancelToken) -> Iterator[Array]:
    """The chosen samples in order, each of the input's shape and dtype."""
    first = 0
    for part in parts:
        mine = [position - first for position in chosen if first <= position < first + part.size]
        first += part.size
        if not mine:
            continue
        rows = [(i * part.step, (i + 1) * part.step) for i in mine]
        with readable(part.stack.path, "arrays"):
            for sample, values in zip(mine, part.stack.read(rows, cancel), strict=True):
                cancel.check()
                yield fitted(values.reshape(info.shape), info, Place(part.stack.path, sample))
