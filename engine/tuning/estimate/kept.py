"""Gradients that are kept for later schemes, in half the space."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import numpy as np

from engine.graph.types import Array

_PIECE = 1 << 15


class Kept:
    """Gradients by probe and kernel, as bfloat16: 0.4 % of rounding hardly moves a sum of thousands of products.

    Safe to fill from several threads.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._found: dict[int, dict[str, tuple[Array, tuple[int, ...]]]] = {}
        self._lock = threading.Lock()
        self.nbytes = 0

    def put(self, item: int, gradients: Mapping[str, Array]) -> None:
        """Keep the gradients of a probe, if there is room."""
        size = sum(array.nbytes // 2 for array in gradients.values())
        with self._lock:
            if item in self._found or self.nbytes + size > self._limit:
                return
            self.nbytes += size
        self._found[item] = {kernel: (_narrow(array), array.shape) for kernel, array in gradients.items()}

    def get(self, item: int) -> dict[str, Array] | None:
        """The gradients of a probe as float32, or None."""
        found = self._found.get(item)
        return None if found is None else {kernel: _wide(*each) for kernel, each in found.items()}

    def __contains__(self, item: int) -> bool:
        return item in self._found

    def clear(self) -> None:
        """Forget all."""
        self._found.clear()
        self.nbytes = 0


def _narrow(array: Array) -> Array:
    """The upper half of each float32, rounded, piece by piece through the cache."""
    bits = np.ascontiguousarray(array).reshape(-1).view(np.uint32)
    made = np.empty(bits.size, np.uint16)
    piece = np.empty(min(bits.size, _PIECE), np.uint32)
    for start in range(0, bits.size, _PIECE):
        part = piece[: min(_PIECE, bits.size - start)]
        np.add(bits[start : start + _PIECE], np.uint32(0x8000), out=part)
        part >>= np.uint32(16)
        made[start : start + _PIECE] = part
    return made


def _wide(bits: Array, shape: tuple[int, ...]) -> Array:
    wide = bits.astype(np.uint32)
    wide <<= np.uint32(16)
    return np.asarray(wide.view(np.float32).reshape(shape))
