"""A folder of pictures as network input: resize, crop, normalise, order of channels, layout."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from PIL import Image, UnidentifiedImageError

from engine.errors import DataError
from engine.files import decode_json
from engine.graph.types import Array, TensorInfo
from engine.numerics.samples import SampleSet, evenly
from engine.progress import CancelToken, Progress
from engine.text import say

SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff", ".gif"})


@dataclass(frozen=True, slots=True)
class ImageOptions:
    """How a picture becomes a tensor: (pixel * scale - mean) / std, per channel in the stated order."""

    resize: tuple[int, int] | None = None
    """Height, width after resizing; None = the size that the input wants."""
    crop: Literal["none", "center"] = "none"
    """"center" keeps the aspect ratio, covers the size and cuts what hangs over; "none" stretches."""
    mean: tuple[float, ...] = (0.0, 0.0, 0.0)
    std: tuple[float, ...] = (1.0, 1.0, 1.0)
    scale: float = 1 / 255
    channels: Literal["RGB", "BGR", "GRAY"] = "RGB"
    layout: Literal["NCHW", "NHWC"] = "NCHW"


class _OptionsFile(msgspec.Struct, forbid_unknown_fields=True):
    """`preprocess.json` beside the pictures."""

    input: str = ""
    resize: tuple[int, int] | None = None
    crop: Literal["none", "center"] | None = None
    mean: tuple[float, ...] = (0.0, 0.0, 0.0)
    std: tuple[float, ...] = (1.0, 1.0, 1.0)
    scale: float = 1 / 255
    channels: Literal["RGB", "BGR", "GRAY"] = "RGB"
    layout: Literal["NCHW", "NHWC"] = "NCHW"


def find(folder: Path) -> list[Path]:
    """All pictures in a folder and its subfolders, in name order."""
    if folder.is_file():
        return [folder]
    return sorted(p for p in folder.rglob("*") if p.suffix.lower() in SUFFIXES and p.is_file())


def read_options(folder: Path) -> dict[str, ImageOptions]:
    """Options from `preprocess.json` in the folder or the one above it; {} without one."""
    for place in (folder, folder.parent):
        path = place / "preprocess.json"
        if not path.is_file():
            continue
        try:
            read = decode_json(path.read_bytes(), _OptionsFile)
        except msgspec.DecodeError as error:
            raise DataError(say("{path}: {reason}.", path=path, reason=error)) from error
        options = ImageOptions(
            read.resize, read.crop or "none", read.mean, read.std, read.scale, read.channels, read.layout
        )
        return {read.input: options}
    return {}


def load(
    folder: Path,
    inputs: Sequence[TensorInfo],
    options: Mapping[str, ImageOptions],
    limit: int | None,
    progress: Progress,
    cancel: CancelToken,
) -> SampleSet:
    """Pictures as samples. With several inputs, each has a subfolder of its name and files pair up by order.

    Raises:
        DataError: an unreadable picture, a size or a number of channels that doesn't fit, a missing subfolder.
    """
    pictures = [i for i in inputs if len(i.shape) == 4 or len(inputs) == 1]
    if len(pictures) != len(inputs):
        other = next(i for i in inputs if i not in pictures)
        raise DataError(
            say(
                "Pictures can't fill input {name} of shape {shape}; give a .npz file with one array per input.",
                name=other.name,
                shape=list(other.shape),
            )
        )
    only = options.get("")  # a preprocess.json without an input name speaks of the only input
    columns = {i.name: _files(folder, i, len(inputs)) for i in inputs}
    count = min(len(files) for files in columns.values())
    batch = inputs[0].shape[0] if inputs[0].shape else 1
    chosen = evenly(count // batch, limit)
    feeds: list[dict[str, Array]] = []
    for number, position in enumerate(chosen, 1):
        start, feed = position * batch, {}
        for info in inputs:
            how = only or options.get(info.name, ImageOptions())
            rows = []
            for path in columns[info.name][start : start + batch]:
                cancel.check()
                rows.append(picture(path, info, how))
            feed[info.name] = np.stack(rows)
        feeds.append(feed)
        progress(number / len(chosen), say("Reading pictures"))
    files = columns[inputs[0].name]
    first = [files[position * batch + i] for position in chosen for i in range(batch)]
    names, labels = tuple(p.name for p in first), _labels(folder, first, batch)
    return SampleSet(feeds, folder.name, names=names, labels=labels, available=count // batch)


def picture(path: Path, info: TensorInfo, options: ImageOptions) -> Array:
    """One picture as an array of the input's shape without its batch axis."""
    if len(info.shape) != 4:
        raise DataError(
            say(
                "Input {name} has shape {shape}; pictures need four dimensions (batch, channels, height, width).",
                name=info.name,
                shape=list(info.shape),
            )
        )
    planes, height, width = (
        info.shape[1:] if options.layout == "NCHW" else (info.shape[3], info.shape[1], info.shape[2])
    )
    mode = "L" if options.channels == "GRAY" else "RGB"
    if planes != len(mode):
        raise DataError(
            say(
                "Input {name} of shape {shape} has {planes} channels in layout {layout}, but {channels} gives {given}; "
                "check layout and channels.",
                name=info.name,
                shape=list(info.shape),
                planes=planes,
                layout=options.layout,
                channels=options.channels,
                given=1 if mode == "L" else 3,
            )
        )
    pixels = _pixels(path, mode, options.resize or (height, width), options.crop)
    if pixels.shape[:2] != (height, width):
        raise DataError(
            say(
                "{path} is {got} pixels after resizing, but input {name} wants {want} (height × width); change resize.",
                path=path,
                got="×".join(map(str, pixels.shape[:2])),
                name=info.name,
                want=f"{height}×{width}",
            )
        )
    if options.channels == "BGR":
        pixels = pixels[..., ::-1]
    values = _normalise(pixels, info, options)
    return np.ascontiguousarray(values if options.layout == "NHWC" else values.transpose(2, 0, 1))


def _pixels(path: Path, mode: str, size: tuple[int, int], crop: str) -> Array:
    height, width = size
    try:
        with Image.open(path) as opened:
            image = opened.convert(mode)
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError) as error:
        raise DataError(say("{path} can't be read as a picture ({reason}).", path=path, reason=error)) from error
    if crop == "center":
        ratio = max(width / image.width, height / image.height)
        image = image.resize(
            (max(width, round(image.width * ratio)), max(height, round(image.height * ratio))),
            Image.Resampling.BILINEAR,
        )
        left, top = (image.width - width) // 2, (image.height - height) // 2
        image = image.crop((left, top, left + width, top + height))
    elif image.size != (width, height):
        image = image.resize((width, height), Image.Resampling.BILINEAR)
    pixels = np.asarray(image)
    return pixels[..., None] if pixels.ndim == 2 else pixels


def _normalise(pixels: Array, info: TensorInfo, options: ImageOptions) -> Array:
    if info.dtype.kind in "ui":  # the model normalises by itself
        return pixels.astype(info.dtype)
    planes = pixels.shape[-1]
    mean = np.resize(np.asarray(options.mean, np.float32), planes)
    std = np.resize(np.asarray(options.std, np.float32), planes)
    if not np.all(std):
        raise DataError(say("The standard deviation of input {name} is zero; give a positive one.", name=info.name))
    return ((pixels.astype(np.float32) * np.float32(options.scale) - mean) / std).astype(info.dtype)


def _files(folder: Path, info: TensorInfo, inputs: int) -> list[Path]:
    if inputs == 1:
        return find(folder)
    place = folder / info.name
    if not place.is_dir():
        raise DataError(
            say(
                "The model has {count} inputs: give a subfolder for each; {folder} has none named {name}.",
                count=inputs,
                folder=folder,
                name=info.name,
            )
        )
    return find(place)


def _labels(folder: Path, files: Sequence[Path], batch: int) -> Array | None:
    places = [folder, folder.parent]
    path = next((p / "labels.csv" for p in places if (p / "labels.csv").is_file()), None)
    if path is None:
        return None
    with path.open(newline="", encoding="utf-8-sig") as stream:
        rows = {row[0]: row[1] for row in csv.reader(stream) if len(row) >= 2}
    try:
        labels = np.array([int(rows.get(p.name, rows.get(p.relative_to(folder).as_posix(), "-1"))) for p in files])
    except ValueError as error:
        raise DataError(say("{path}: labels must be whole numbers ({reason}).", path=path, reason=error)) from error
    return labels if batch == 1 else labels.reshape(-1, batch)
