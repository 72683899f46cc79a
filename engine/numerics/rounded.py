"""Rounded weights that took long to find, by content, within a budget of memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from hashlib import blake2b

import numpy as np

from engine.graph.types import Array
from engine.numerics.samples import SampleSet
from engine.progress import NEVER, CancelToken
from engine.quant.weights import QuantizedWeight

_BYTES = 512 << 20
_PIECE = 4 << 20
"""Bytes that are digested between two looks at a cancel."""


class RoundedWeights:
    """What methods have found. Safe to share by threads, and by models and data one after the other."""

    def __init__(self, limit: int = _BYTES) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._found: OrderedDict[object, QuantizedWeight] = OrderedDict()
        self._nbytes = 0

    def get(self, key: object) -> QuantizedWeight | None:
        """What is kept under a key."""
        with self._lock:
            found = self._found.get(key)
            if found is not None:
                self._found.move_to_end(key)
            return found

    def put(self, key: object, found: QuantizedWeight) -> None:
        """Keep something; what was asked for longest ago goes when the budget is used up."""
        with self._lock:
            if key not in self._found:
                self._nbytes += _size(found)
            self._found[key] = found
            while self._nbytes > self._limit and len(self._found) > 1:
                self._nbytes -= _size(self._found.popitem(last=False)[1])


def content(array: Array, cancel: CancelToken = NEVER) -> bytes:
    """A digest of values, dtype and shape.

    Raises:
        Cancelled: If asked to stop: a large weight takes seconds.
    """
    digest = blake2b(f"{array.dtype.name}{array.shape}".encode(), digest_size=16)
    if array.size:
        data = np.ascontiguousarray(array).data.cast("B")
        for start in range(0, len(data), _PIECE):
            cancel.check()
            digest.update(data[start : start + _PIECE])
    return digest.digest()


def samples_content(samples: SampleSet) -> bytes:
    """A digest of all feeds."""
    digest = blake2b(digest_size=16)
    for feeds in samples.feeds:
        for name in sorted(feeds):
            array = np.asarray(feeds[name])
            digest.update(name.encode())
            digest.update(repr(array.tolist()).encode() if array.dtype.kind in "OSU" else content(array))
    return digest.digest()


def _size(found: QuantizedWeight) -> int:
    return found.codes.nbytes + found.scales.nbytes + found.zero_points.nbytes
