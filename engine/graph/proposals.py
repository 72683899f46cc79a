"""Sensible sizes for free dimensions: batch 1, pictures of 224 pixels, 64 tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Dims = tuple[int | str, ...]

TOKENS, PICTURE, AUDIO, PAST = 64, 224, 576, 16
"""Sequence length, side of a picture, samples of an audio frame, length of a key-value cache."""


@dataclass(frozen=True, slots=True)
class Usual:
    """Sizes that models are usually run at."""

    tokens: int = TOKENS
    picture: tuple[int, int] | None = None
    """Height and width; None where they follow from the other dimensions and the name."""
    audio: int = AUDIO


OTHERS = (
    Usual(128, (48, 320), 512),
    Usual(32, (32, 320), 16_000),
    Usual(512, (256, 256), 480),
    Usual(77, (640, 640), 1_024),
    Usual(16, (299, 299), 160),
    Usual(1, (512, 512), 8_000),
    Usual(256, (32, 100), 44_100),
    Usual(8, (112, 112), 48_000),
    Usual(4, (32, 32), 22_050),
    Usual(2, (28, 28), 80),
)
"""What is tried, in this order, where the proposal does not run: a line of text, a square to detect in, ..."""

_CHANNELS = (1, 3, 4)
_BATCH = re.compile(r"batch|^n$|^b$|^bs$|^n_?samples$", re.IGNORECASE)
_PAST = re.compile(r"past|cache", re.IGNORECASE)
_STATE = re.compile(r"state|hidden|^h\d*$|^c\d*$|^h_?0$|^c_?0$", re.IGNORECASE)
_RECOGNISER = re.compile(r"(^|[^a-z])rec([^a-z]|$)|crnn", re.IGNORECASE)
_LINE = re.compile(r"ocr.*[^a-z]cls([^a-z]|$)", re.IGNORECASE)


def propose(
    inputs: Mapping[str, tuple[np.dtype[Any], Dims]], model_name: str, usual: Usual = Usual()
) -> dict[str, tuple[int, ...]]:
    """A concrete shape per input; dimensions of the same name get the same size.

    Args:
        inputs: Dtype and dims by input name.
        model_name: File name without its ending; says "rec" for text recognisers, which want lines, not squares.
        usual: Other sizes than the first that come to mind.
    """
    known: dict[str, int] = {}
    for name, (dtype, dims) in inputs.items():
        for axis, dim in enumerate(dims):
            if isinstance(dim, str) and "+" not in dim and dim not in known:
                known[dim] = _size(name, dtype, dims, axis, model_name, usual)
    return {name: tuple(_filled(dim, known) for dim in dims) for name, (_, dims) in inputs.items()}


def alternatives(
    inputs: Mapping[str, tuple[np.dtype[Any], Dims]], model_name: str
) -> Iterator[dict[str, tuple[int, ...]]]:
    """Other shapes than the proposal that are worth a try, the likeliest first, none twice."""
    seen = [propose(inputs, model_name)]
    for usual in OTHERS:
        shapes = propose(inputs, model_name, usual)
        if shapes not in seen:
            seen.append(shapes)
            yield shapes


def resolve(dim: int | str, known: Mapping[str, int]) -> int | None:
    """The size of a dimension, if it or all terms of its sum ('past + sequence') are known."""
    if isinstance(dim, int):
        return dim
    if dim in known:
        return known[dim]
    terms = [term.strip() for term in dim.split("+")]
    sizes = [int(term) if term.isdigit() else known.get(term) for term in terms]
    if len(terms) < 2 or None in sizes:
        return None
    return sum(size for size in sizes if size is not None)


def _filled(dim: int | str, known: Mapping[str, int]) -> int:
    size = resolve(dim, known)
    return TOKENS if size is None else size


def _size(name: str, dtype: np.dtype[Any], dims: Dims, axis: int, model_name: str, usual: Usual) -> int:
    label, rank = str(dims[axis]), len(dims)
    if _PAST.search(label):
        return PAST
    if _BATCH.search(label) or (axis == 0 and rank > 1) or _STATE.search(name) or label.endswith("[...]"):
        return 1
    if not np.issubdtype(dtype, np.floating):
        return usual.tokens
    if rank == 2:  # a free width of floats is a waveform
        return usual.audio
    if rank == 3 and dims[0] in _CHANNELS and isinstance(dims[1], str) and isinstance(dims[2], str):
        return usual.picture[axis - 1] if usual.picture else PICTURE
    if rank == 4 and not _PAST.search(name):
        return _picture(dims, axis, model_name, usual)
    if rank == 5:
        return 3 if axis == 1 else 16 if axis == 2 else 112
    return usual.tokens


def _picture(dims: Dims, axis: int, model_name: str, usual: Usual) -> int:
    last = dims[3] in _CHANNELS and dims[1] not in _CHANNELS
    height, width = (1, 2) if last else (2, 3)
    if axis not in (height, width):
        return 3
    if usual.picture is not None:
        return usual.picture[0 if axis == height else 1]
    if _RECOGNISER.search(model_name):
        return 48 if axis == height else 320
    if _LINE.search(model_name):
        return 48 if axis == height else 192
    other = dims[width if axis == height else height]
    if isinstance(other, int):
        return 320 if axis == width and other <= 64 else other
    return PICTURE
