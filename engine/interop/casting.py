"""Values of a file as an input takes them: converted exactly, or refused with the sample that doesn't fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from engine.errors import DataError
from engine.graph.types import Array, TensorInfo
from engine.text import say

BFLOAT16 = "bfloat16"


class Place(NamedTuple):
    """Where a sample stands, for the sentence that refuses it."""

    path: Path
    sample: int | None = None
    """Counted from 0 within the file; None where the file is one sample."""

    @property
    def words(self) -> object:
        """The file, and which of its samples."""
        if self.sample is None:
            return self.path
        return say("{path}, sample {sample} (counted from 0),", path=self.path, sample=self.sample)


def same_kind(got: np.dtype[Any], want: np.dtype[Any]) -> bool:
    """Whether an array of one dtype may stand for an input of the other: floats, integers, booleans, text."""
    return _kind(got) == _kind(want)


def fitted(values: Array, info: TensorInfo, place: Place) -> Array:
    """Values in the input's dtype, contiguous and in native byte order.

    Integers keep their value. Floats are rounded to the input's precision.

    Args:
        values: Of a dtype for which `same_kind` holds, or floats for an integer input.
        info: The input.
        place: Whose values.

    Raises:
        DataError: A value that is not finite, that the dtype can't hold, or a fraction where whole numbers are wanted.
    """
    dtype = info.dtype
    if dtype.name == BFLOAT16 and values.dtype.kind == "V":  # NumPy stores bfloat16 without its name
        values = values.view(dtype)
    if _kind(values.dtype) == "f":
        _check_finite(values, info, place)
    if values.dtype == dtype:
        return np.ascontiguousarray(values)
    if _kind(dtype) == "i":
        return _whole(values, info, place)
    with np.errstate(over="ignore"):
        made = np.ascontiguousarray(values, dtype)
    if _kind(dtype) == "f" and not _finite(made):
        wide = values.astype(np.float64).reshape(-1)
        raise _beyond(wide[np.abs(wide).argmax()], info, place)
    return made


def _whole(values: Array, info: TensorInfo, place: Place) -> Array:
    if values.size:
        limits = np.iinfo(info.dtype)
        if values.dtype.kind == "f" and not np.array_equal(values, np.rint(values)):
            raise DataError(
                say(
                    "{place} holds fractions, but input {name} takes {dtype}; round the values first.",
                    place=place.words,
                    name=info.name,
                    dtype=info.dtype.name,
                )
            )
        for value in (values.min(), values.max()):
            if not limits.min <= int(value) <= limits.max:
                raise _beyond(value, info, place)
    return np.ascontiguousarray(values, info.dtype)


def _beyond(value: object, info: TensorInfo, place: Place) -> DataError:
    return DataError(
        say(
            "{place} holds {value}, which {dtype} of input {name} can't hold; convert the data to the input's range.",
            place=place.words,
            value=value,
            dtype=info.dtype.name,
            name=info.name,
        )
    )


def _check_finite(values: Array, info: TensorInfo, place: Place) -> None:
    if not _finite(values):
        raise DataError(
            say(
                "{place} holds values for input {name} that are not finite (NaN or Inf); mend it or take it out.",
                place=place.words,
                name=info.name,
            )
        )


def _finite(values: Array) -> bool:
    wide = values if values.dtype.kind in "fc" else values.astype(np.float32)
    return bool(np.isfinite(wide).all())


def _kind(dtype: np.dtype[Any]) -> str:
    if dtype.name == BFLOAT16 or dtype.str == "|V2":
        return "f"
    return {"u": "i", "U": "O", "S": "O"}.get(dtype.kind, dtype.kind)
