"""Synthetic inputs: plausible random values where nobody gave real ones."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine.graph.types import Array, TensorInfo

_MASK = re.compile(r"mask", re.IGNORECASE)
_RATE = re.compile(r"^sr$|sampl\w*_?rate", re.IGNORECASE)
_POSITION = re.compile(r"position", re.IGNORECASE)
_TYPE = re.compile(r"token_type|segment", re.IGNORECASE)
_LENGTH = re.compile(r"len", re.IGNORECASE)
_STATE = re.compile(r"state|hidden|past|cache|^h\d*$|^c\d*$", re.IGNORECASE)

IDS = 100
"""Ids are drawn below this where no embedding says how many there are."""


def synthetic_feeds(
    inputs: Sequence[TensorInfo], seed: int, *, limits: Mapping[str, int] | None = None
) -> dict[str, Array]:
    """One feed per input, the same for the same seed.

    Floats are standard normal (recurrent state: a tenth of it), masks are ones, sample rates 16,000, positions count
    up, bytes take all values, other integers lie in [0, limit).

    Args:
        inputs: Names, dtypes and shapes.
        seed: Seed of the generator; each input draws from its own stream, so adding an input changes no other.
        limits: For integer inputs: how many rows the table has that they index.
    """
    return {
        info.name: _values(info, np.random.default_rng([seed, index]), (limits or {}).get(info.name))
        for index, info in enumerate(inputs)
    }


def _values(info: TensorInfo, rng: np.random.Generator, limit: int | None) -> Array:
    name, dtype, shape = info.name, info.dtype, info.shape
    if dtype == np.dtype(object):
        return np.full(shape, "text", dtype)
    if dtype == np.bool_:
        return np.ones(shape, dtype)
    if dtype.kind in "iu":
        return _integers(name, dtype, shape, rng, limit)
    if _MASK.search(name):
        return np.ones(shape, dtype)
    values: Array = rng.standard_normal(shape, np.float32)
    if dtype.kind != "c" and _STATE.search(name):
        values *= np.float32(0.1)
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
