"""Stored tensors as read-only numpy arrays, memory-mapped where their file is large and their place in it allows it.

Whoever cuts a mapped file short ends every process that looks at what is gone (SIGBUS; no Python code can answer it).
A training script that exports over its last model does that. So files that are read in no time are read, and lie safe.
"""

from __future__ import annotations

import mmap
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from engine.errors import ModelError
from engine.graph.external import Stretch, stretch, tensor_bytes
from engine.graph.types import Array
from engine.text import say

_ALIGNMENT = 16
"""Vector instructions and ONNX Runtime read from such addresses; other places are copied."""
READ_WHOLE = 64 << 20
"""Bytes up to which a file is read instead of mapped: it takes as much memory as the mapping does once it is used."""


class TensorReader:
    """Gives arrays for the tensors of one model; maps or reads each file once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._maps: dict[Path, mmap.mmap | Array] = {}

    def array(self, tensor: onnx.TensorProto) -> Array:
        """The tensor's values; never writeable.

        Raises:
            ModelError: Its file is gone, or shorter than it was when it was checked.
        """
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            place = stretch(tensor, self._path)
            try:
                array = self._external(tensor, place)
            except (OSError, ValueError) as error:  # numpy's word for too few bytes
                raise ModelError(
                    say("{file} was changed while it was read; open the model again.", file=place.file.name)
                ) from error
        else:
            array = np.asarray(numpy_helper.to_array(tensor))
        array.flags.writeable = False
        return array

    def _external(self, tensor: onnx.TensorProto, place: Stretch) -> Array:
        shape = tuple(tensor.dims)
        dtype = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type))
        if place.length == 0:
            return np.empty(shape, dtype)
        if place.length != dtype.itemsize * int(np.prod(shape, dtype=np.int64)):  # several values per byte
            inline = onnx.TensorProto(name=tensor.name, data_type=tensor.data_type, dims=shape)
            inline.raw_data = _read(place, tensor_bytes(tensor)).tobytes()
            return np.asarray(numpy_helper.to_array(inline))
        if place.offset % max(_ALIGNMENT, dtype.itemsize):
            return _read(place, place.length).view(dtype).reshape(shape)
        flat = np.frombuffer(self._map(place.file), np.uint8, place.length, place.offset)
        return flat.view(dtype).reshape(shape)

    def _map(self, file: Path) -> mmap.mmap | Array:
        if file not in self._maps and file.stat().st_size <= READ_WHOLE:
            self._maps[file] = np.fromfile(file, np.uint8)
        if file not in self._maps:
            with file.open("rb") as handle:
                self._maps[file] = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
        return self._maps[file]


def _read(place: Stretch, length: int) -> Array:
    return np.fromfile(place.file, np.uint8, length, offset=place.offset)
