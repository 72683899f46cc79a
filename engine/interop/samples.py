"""Samples from files: a folder of pictures, NumPy arrays, raw binary files, or seeded synthetic values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from engine.errors import DataError
from engine.graph.types import TensorInfo
from engine.interop import arrays, pictures
from engine.interop.arrays import RawOptions
from engine.interop.listing import readable, walk
from engine.interop.pictures import ImageOptions
from engine.numerics.samples import SampleSet
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.text import say

SourceKind = Literal["synthetic", "images", "arrays", "raw"]
ENDINGS: Mapping[SourceKind, frozenset[str]] = {
    "images": pictures.SUFFIXES,
    "arrays": arrays.ARRAY_ENDINGS,
    "raw": arrays.RAW_ENDINGS,
}
"""Endings of files by kind, in the order in which a folder is understood."""


@dataclass(frozen=True, slots=True)
class DataSource:
    """Where samples come from and how a file becomes a feed."""

    kind: SourceKind
    path: str = ""
    images: Mapping[str, ImageOptions] = field(default_factory=dict)
    """By input name; an input that is not listed is filled with default options."""
    raw: Mapping[str, RawOptions] = field(default_factory=dict)
    limit: int | None = None
    """At most so many samples."""


SYNTHETIC = DataSource("synthetic")


def guess_source(path: Path | str, cancel: CancelToken = NEVER) -> DataSource:
    """Tell from a path what kind of data it is, with preprocessing from a `preprocess.json` beside the pictures.

    Args:
        path: a file, or a folder that is searched with its subfolders.
        cancel: checked for each folder.

    Raises:
        DataError: the path does not exist, or holds nothing that can be read.
    """
    path = Path(path)
    with readable(path):
        if not path.exists():
            raise DataError(say("{path} does not exist; give a picture folder, .npy, .npz or .bin.", path=path))
        if path.is_file():
            return _file_source(path)
        if not path.is_dir():
            raise DataError(say("{path} is a device or a pipe; give a picture folder, .npy, .npz or .bin.", path=path))
        kind = _kind_within(path, cancel)
        if kind == "images":
            return DataSource("images", str(path), images=pictures.read_options(path))
        if kind is not None:
            return DataSource(kind, str(path))
    raise DataError(say("The folder {path} holds no pictures, .npy, .npz or .bin files.", path=path))


def holds(path: Path, kind: SourceKind, cancel: CancelToken = NEVER) -> bool:
    """Whether a path has a file of a kind; any file may be raw.

    Raises:
        DataError: a folder that can't be listed.
    """
    with readable(path):
        if path.is_file():
            return kind == "raw" or path.suffix.lower() in ENDINGS[kind]
        return any(True for _ in walk(path, ENDINGS[kind], cancel))


def load_samples(
    source: DataSource,
    inputs: Sequence[TensorInfo],
    *,
    limit: int | None = None,
    progress: Progress = no_progress,
    cancel: CancelToken = NEVER,
) -> SampleSet:
    """Read samples that fit `inputs` exactly: every value finite and as the file has it.

    Args:
        source: where from; "synthetic" is not read here but made by `engine.numerics`.
        inputs: the model's inputs with concrete shapes.
        limit: at most so many samples (the smaller of this and the source's own limit counts); no others are read.
        progress: called with the fraction read.
        cancel: checked for every file.

    Raises:
        DataError: a file that can't be read, or doesn't fit an input.
    """
    bound = min((n for n in (limit, source.limit) if n is not None), default=None)
    path = Path(source.path)
    with readable(path):
        if not path.exists():
            raise DataError(say("{path} does not exist; choose the data again.", path=path))
        if source.kind == "images":
            found = pictures.load(path, inputs, source.images, bound, progress, cancel)
        elif source.kind == "raw":
            found = arrays.load_raw(path, inputs, source.raw, bound, cancel, progress)
        else:
            found = arrays.load(path, inputs, bound, cancel, progress)
    if not found.feeds:
        raise DataError(say("{path} holds no sample; at least one is needed.", path=path))
    return replace(found, source=path.name)


def _file_source(path: Path) -> DataSource:
    ending = path.suffix.lower()
    if ending in ENDINGS["images"]:
        return DataSource("images", str(path), images=pictures.read_options(path.parent))
    kind = next((kind for kind, endings in ENDINGS.items() if ending in endings), None)
    if kind is None:
        raise DataError(say("{path} can't be read as data; give pictures, .npy, .npz or .bin.", path=path))
    return DataSource(kind, str(path))


def _kind_within(folder: Path, cancel: CancelToken) -> SourceKind | None:
    """What a folder holds: pictures if it has any, else arrays, else raw files."""
    seen: set[str] = set()
    for file in walk(folder, frozenset().union(*ENDINGS.values()), cancel):
        seen.add(file.suffix.lower())
        if seen & ENDINGS["images"]:
            break
    return next((kind for kind, endings in ENDINGS.items() if seen & endings), None)
