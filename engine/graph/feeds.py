"""Synthetic inputs: plausible random values where nobody gave real ones."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine.graph.place import NO_MEANING, Meaning
from engine.graph.types import Array, TensorInfo

_MASK = re.compile(r"mask", re.IGNORECASE)
_RATE = re.compile(r"^sr$|sampl\w*_?rate", re.IGNORECASE)
_POSITION = re.compile(r"position", re.IGNORECASE)
_TYPE = re.compile(r"token_type|segment", re.IGNORECASE)
_LENGTH = re.compile(r"len", re.IGNORECASE)
_STATE = re.compile(r"state|hidden|past|cache|^h\d*$|^c\d*$", re.IGNORECASE)

_ABOVE_ZERO = np.float32(0.01)
IDS = 100
"""Ids are drawn below this where no embedding says how many there are."""


def synthetic_feeds(
    inputs: Sequence[TensorInfo], seed: int, *, known: Mapping[str, Meaning] | None = None, fill: int | None = None
) -> dict[str, Array]:
    """One feed per input, the same for the same seed.

    Floats are standard normal (recurrent state: a tenth of it), masks are ones, sample rates 16,000, positions count
    up, bytes take all values, other integers lie in [0, limit). What the model does with an input goes before what its
    name says.

    Args:
        inputs: Names, dtypes and shapes.
        seed: Seed of the generator; each input draws from its own stream, so adding an input changes no other.
        known: What inputs have to be (`engine.graph.meanings`).
        fill: Value of all integers that nothing is known of, for models that refuse random ones.
    """
    return {
        info.name: _values(info, np.random.default_rng([seed, index]), (known or {}).get(info.name, NO_MEANING), fill)
        for index, info in enumerate(inputs)
    }


def _values(info: TensorInfo, rng: np.random.Generator, meaning: Meaning, fill: int | None) -> Array:
    name, dtype, shape = info.name, info.dtype, info.shape
    if meaning.fixed is not None:
        return np.array(meaning.fixed, dtype)
    if dtype == np.dtype(object):
        return np.full(shape, meaning.text, dtype)
    if dtype == np.bool_:
        return np.ones(shape, dtype)
    if dtype.kind in "iu":
        if fill is not None:
            return np.full(shape, max(fill, meaning.positive), dtype)
        if meaning.columns:
            bounds = np.maximum(1, np.asarray(meaning.columns, np.int64))
            return rng.integers(0, bounds, shape).astype(dtype)
        made = _integers(name, dtype, shape, rng, meaning.below)
        return np.maximum(made, 1) if meaning.positive else made
    if _MASK.search(name):
        return np.ones(shape, dtype)
    values: Array = rng.standard_normal(shape, np.float32)
    if dtype.kind != "c" and _STATE.search(name):
        values *= np.float32(0.1)
    if meaning.positive and dtype.kind == "f":
        values = np.abs(values) + _ABOVE_ZERO
    return values.astype(dtype, copy=False)


def _integers(
    name: str, dtype: np.dtype[Any], shape: tuple[int, ...], rng: np.random.Generator, limit: int | None
) -> Array:
    if limit is None:
        limit = 256 if dtype.itemsize == 1 else IDS
    if _MASK.search(name):
        return np.ones(shape, dtype)
    if _RATE.search(name):
        return np.full(shape, 16000, dtype)
    if _POSITION.search(name) and shape:
        return np.broadcast_to(np.arange(shape[-1]) % limit, shape).astype(dtype)
    if _TYPE.search(name):
        return np.zeros(shape, dtype)
    if _LENGTH.search(name):
        return np.ones(shape, dtype)
    return rng.integers(0, min(limit, int(np.iinfo(dtype).max) + 1), shape).astype(dtype)
