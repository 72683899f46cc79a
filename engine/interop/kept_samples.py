"""Room for samples that have been read: in memory up to a limit, in a temporary file behind it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence

import numpy as np

from engine.errors import DataError
from engine.graph.types import Array, TensorInfo
from engine.text import say

IN_MEMORY = 1 << 30
"""Bytes of samples kept in memory; more are mapped from a temporary file, which goes away with them."""


def room_for(inputs: Sequence[TensorInfo], count: int, limit: int = IN_MEMORY) -> dict[str, Array]:
    """Uninitialised arrays [count, *shape] by input name, to be filled sample by sample.

    Raises:
        DataError: The temporary folder has no room for them.
    """
    total = count * sum(info.nbytes for info in inputs)
    if total <= limit:
        return {info.name: np.empty((count, *info.shape), info.dtype) for info in inputs}
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if total > free // 2:
        raise DataError(
            say(
                "{count} {count:sample takes|samples take} {bytes} bytes, more than the temporary folder has "
                "room for; use fewer samples.",
                count=count,
                bytes=total,
            )
        )
    return {info.name: _mapped((count, *info.shape), info) for info in inputs}


def as_feeds(room: Mapping[str, Array], count: int) -> list[dict[str, Array]]:
    """One feed per sample; views of the arrays."""
    return [{name: values[i, ...] for name, values in room.items()} for i in range(count)]


def _mapped(shape: tuple[int, ...], info: TensorInfo) -> Array:
    if info.dtype.hasobject or not info.nbytes:
        return np.empty(shape, info.dtype)
    with tempfile.TemporaryFile(prefix="mixbit-") as stream:
        made = np.memmap(stream, np.uint8, "w+", shape=(shape[0] * info.nbytes,))
    return made.view(np.ndarray).view(info.dtype).reshape(shape)
