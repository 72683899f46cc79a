"""A folder of pictures as network input: resize, crop, normalise, order of channels, layout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from engine.errors import DataError
from engine.files import decode_json
from engine.graph.types import Array, TensorInfo
from engine.interop.casting import Place, fitted
from engine.interop.decoding import LONGEST_EDGE, Mode, pixels_of
from engine.interop.kept_samples import as_feeds, room_for
from engine.interop.labels import picture_labels
from engine.interop.listing import listed, place_of
from engine.misshapen import form_words
from engine.numerics.samples import SampleSet, evenly
from engine.progress import CancelToken, Progress
from engine.text import Text, say

SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff", ".gif"})


BYTE = 1 / 255


@dataclass(frozen=True, slots=True)
class ImageOptions:
    """How a picture becomes a tensor: (pixel * scale - mean) / std, per channel in the stated order.

    An integer input gets the pixels as they are, unless scale, mean or std say otherwise and leave whole numbers.
    """

    resize: tuple[int, int] | None = None
    """Height, width after resizing; None = the size that the input wants."""
    crop: Literal["none", "center"] = "none"
    """"center" keeps the aspect ratio, covers the size and cuts what hangs over; "none" stretches."""
    mean: tuple[float, ...] = (0.0, 0.0, 0.0)
    std: tuple[float, ...] = (1.0, 1.0, 1.0)
    scale: float = BYTE
    channels: Literal["RGB", "BGR", "GRAY"] = "RGB"
    layout: Literal["NCHW", "NHWC"] = "NCHW"


class _OptionsFile(msgspec.Struct, forbid_unknown_fields=True):
    """`preprocess.json` beside the pictures."""

    input: str = ""
    resize: tuple[int, int] | None = None
    crop: Literal["none", "center"] | None = None
    mean: tuple[float, ...] = (0.0, 0.0, 0.0)
    std: tuple[float, ...] = (1.0, 1.0, 1.0)
    scale: float = BYTE
    channels: Literal["RGB", "BGR", "GRAY"] = "RGB"
    layout: Literal["NCHW", "NHWC"] = "NCHW"


def read_options(folder: Path) -> dict[str, ImageOptions]:
    """Options from `preprocess.json` in the folder or the one above it; {} without one.

    Raises:
        DataError: a file that can't be read, or options that no picture can be prepared with.
    """
    for place in (folder, folder.parent):
        path = place / "preprocess.json"
        if not path.is_file():
            continue
        try:
            read = decode_json(path.read_bytes(), _OptionsFile)
        except OSError as error:
            raise DataError(say("{path} can't be read ({reason}).", path=path, reason=error.strerror)) from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DataError(
                say("{path} can't be read as options of pictures: {reason}.", path=path, reason=form_words(error))
            ) from error
        options = ImageOptions(
            read.resize, read.crop or "none", read.mean, read.std, read.scale, read.channels, read.layout
        )
        try:
            check_options(options, read.input)
        except DataError as error:
            raise DataError(say("{path}: {problem}", path=path, problem=error.text)) from error
        return {read.input: options}
    return {}


def check_options(options: ImageOptions, name: str) -> None:
    """Refuse options that no picture can be prepared with.

    Args:
        options: the options.
        name: of the input, for the sentence.

    Raises:
        DataError: a size out of bounds, a mean, std or scale that is not finite, or a std that is not positive.
    """
    shown = name or "–"  # a preprocess.json need not name the only input
    if options.resize is not None and not all(1 <= edge <= LONGEST_EDGE for edge in options.resize):
        raise DataError(
            say(
                "Pictures for input {name} can't be resized to {size}; give a height and a width from 1 to {most}.",
                name=shown,
                size="×".join(map(str, options.resize)),
                most=LONGEST_EDGE,
            )
        )
    if not (options.std and all(isfinite(value) and value > 0 for value in options.std)):
        raise DataError(say("The standard deviation of input {name} must be positive numbers.", name=shown))
    if not (options.mean and all(map(isfinite, options.mean)) and isfinite(options.scale) and options.scale):
        raise DataError(say("Mean and scale of input {name} must be numbers, and the scale not zero.", name=shown))


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
    stray = next((name for name in options if name and name not in {i.name for i in inputs}), None)
    if stray is not None:
        raise DataError(
            say(
                "The options of the pictures in {path} are for input {name}, which the model lacks; "
                "name one of its inputs: {inputs}.",
                path=folder,
                name=stray,
                inputs=", ".join(i.name for i in inputs),
            )
        )
    how = {i.name: only or options.get(i.name, ImageOptions()) for i in inputs}
    for info in inputs:
        check_options(how[info.name], info.name)
    columns = {i.name: _files(folder, i, len(inputs), cancel) for i in inputs}
    if len({len(files) for files in columns.values()}) > 1:
        sizes = ", ".join(f"{name}: {len(files)}" for name, files in columns.items())
        raise DataError(say("{path} has a different number of samples per input ({sizes}).", path=folder, sizes=sizes))
    count = min((len(files) for files in columns.values()), default=0)
    batch = inputs[0].shape[0] if inputs and inputs[0].shape else 1
    chosen = evenly(count // batch, limit)
    room = room_for(inputs, len(chosen))
    for number, position in enumerate(chosen):
        for info in inputs:
            for row in range(batch):
                cancel.check()
                path = columns[info.name][position * batch + row]
                room[info.name][number, row] = picture(path, info, how[info.name])
        progress((number + 1) / len(chosen), say("Reading pictures"))
    files = columns[inputs[0].name] if inputs else []
    used = [files[position * batch + i] for position in chosen for i in range(batch)]
    labels, notes = picture_labels(folder, used)
    assumed = [_assumption(i) for i in inputs if only is None and i.name not in options]
    if labels is not None and batch > 1:
        labels = labels.reshape(-1, batch)
    names = tuple(files[position * batch].name for position in chosen)
    feeds = as_feeds(room, len(chosen))
    return SampleSet(feeds, folder.name, names=names, labels=labels, available=count // batch, notes=(*notes, *assumed))


def _assumption(info: TensorInfo) -> Text:
    """What is done to pictures of which nothing says how they become tensors."""
    return say(
        "Nothing says how pictures become input {name}: they are stretched to its size, with channels in the order RGB "
        "and pixels {range}. If the model was trained otherwise, put a preprocess.json beside the pictures.",
        name=info.name,
        range="0..255" if info.dtype.kind in "ui" else "0..1",
    )


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
    mode: Mode = "L" if options.channels == "GRAY" else "RGB"
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
    pixels = pixels_of(path, mode, options.resize or (height, width), options.crop)
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
    placed = fitted(values, info, Place(path))
    return np.ascontiguousarray(placed if options.layout == "NHWC" else placed.transpose(2, 0, 1))


def _normalise(pixels: Array, info: TensorInfo, options: ImageOptions) -> Array:
    planes = pixels.shape[-1]
    mean, std = _per_channel(options.mean, planes, info), _per_channel(options.std, planes, info)
    whole = info.dtype.kind in "ui"
    if whole and options.scale == BYTE and not mean.any() and (std == 1).all():
        return pixels if pixels.dtype == np.uint8 else np.rint(pixels)  # the model normalises by itself
    with np.errstate(over="ignore", invalid="ignore"):
        values: Array = (pixels.astype(np.float32) * np.float32(options.scale) - mean) / std
    if not np.isfinite(values).all():
        raise DataError(say("Scale, mean and std of input {name} lead beyond the range of floats.", name=info.name))
    return values


def _per_channel(values: Sequence[float], planes: int, info: TensorInfo) -> Array:
    if len(values) not in (1, planes) and len(set(values)) > 1:
        raise DataError(
            say(
                "Input {name} has {planes} channels, but mean or std has {count} values; give one for each.",
                name=info.name,
                planes=planes,
                count=len(values),
            )
        )
    return np.resize(np.asarray(values, np.float32), planes)


def _files(folder: Path, info: TensorInfo, inputs: int, cancel: CancelToken) -> list[Path]:
    if inputs == 1:
        return listed(folder, SUFFIXES, cancel)
    place = place_of(folder, info.name)
    if not place.is_dir():
        raise DataError(
            say(
                "The model has {count} inputs: give a subfolder for each; {folder} has none named {name}.",
                count=inputs,
                folder=folder,
                name=info.name,
            )
        )
    return listed(place, SUFFIXES, cancel)
