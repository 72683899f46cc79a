"""Memory for activations: preallocated where shapes are fixed, in a file where a budget is used up."""

from __future__ import annotations

import mmap
import os
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import onnxruntime as ort

from engine.errors import DataError
from engine.fusion.types import Kernel, Network
from engine.graph.types import Array, TensorInfo
from engine.numerics.blocks import unblocked
from engine.numerics.in_place import lent
from engine.numerics.layout import Layout
from engine.numerics.runtime import to_numpy, to_ort
from engine.text import say

_ALIGN = 64
"""Buffers start at cache lines."""


@dataclass(slots=True)
class Value:
    """A tensor that ONNX Runtime reads and writes in place."""

    ort: ort.OrtValue
    array: Array | None
    """Its memory; None if ONNX Runtime allocated it."""
    block: int = 0
    """Channels per block if the memory is in blocks (see `blocks`), 0 if it is plain."""

    def numpy(self, info: TensorInfo | None) -> Array:
        """The values in plain order, as a view where that is possible."""
        found = self.memory(info)
        return unblocked(found, self.block) if self.block else found

    def memory(self, info: TensorInfo | None) -> Array:
        """The values in the order in which they lie: for sums over all elements."""
        return self.array if self.array is not None else to_numpy(self.ort, info)


class Store:
    """Allocates buffers in memory up to `limit` bytes, and in a temporary file behind that.

    Buffers of one call lie in one mapping of their own, outside the heap: it goes back to the system when the last of
    them is dropped, and large pages make the first touch cheap.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self.memory_bytes = 0
        self.file_bytes = 0

    def allocate(self, infos: Sequence[TensorInfo], layout: Layout) -> dict[str, Value]:
        """Uninitialised buffers of fixed shapes, by name."""
        offsets, total = [], 0
        for info in infos:
            offsets.append(total)
            total += -(-info.nbytes // _ALIGN) * _ALIGN
        slab = self._slab(max(total, 1))
        made = {}
        for info, offset in zip(infos, offsets, strict=True):
            array: Array = np.ndarray(info.shape, info.dtype, slab, offset)
            made[info.name] = Value(to_ort(array), array, layout.of(info.name))
        return made

    def _slab(self, size: int) -> mmap.mmap | Array:
        with self._lock:
            if self.memory_bytes + size <= self._limit:
                self.memory_bytes += size
                return mmap.mmap(-1, size)
            self.file_bytes += size
        return on_disk(size)

    def drop(self, value: Value) -> bool:
        """Count a buffer as free that was allocated by itself, unless it lies in the file; whether it could be."""
        slab: object = None if value.array is None else value.array.base
        if value.array is None or not isinstance(slab, mmap.mmap):
            return False
        self.returned(max(1, -(-value.array.nbytes // _ALIGN) * _ALIGN))
        return True

    def returned(self, nbytes: int) -> None:
        """Buffers of that many bytes in memory were dropped."""
        with self._lock:
            self.memory_bytes -= nbytes

    def close(self) -> None:
        """Count from nothing again: buffers must not be used any more, and go with whoever holds them last."""
        with self._lock:
            self.memory_bytes = self.file_bytes = 0


def on_disk(size: int) -> Array:
    """Uninitialised bytes in a temporary file without a name, which is gone with the process, however that ends.

    Raises:
        DataError: The temporary folder has no room for them.
    """
    try:
        with tempfile.TemporaryFile(prefix="mixbit-") as file:
            if hasattr(
                os, "posix_fallocate"
            ):  # else the disk is found full by a write to memory, which ends the process
                os.posix_fallocate(file.fileno(), 0, size)
            return np.memmap(file, np.uint8, "w+", shape=(size,))
    except OSError as error:
        raise DataError(
            say(
                "The temporary folder has no room for {bytes} bytes of activations ({reason}); free some space, "
                "or use fewer samples.",
                bytes=size,
                reason=error.strerror or str(error),
            )
        ) from error


def fixed_outputs(network: Network) -> list[TensorInfo]:
    """All kernel outputs whose buffers can be allocated beforehand."""
    names = [name for kernel in network.kernels for name in kernel.outputs if fixed(network, name)]
    return [network.tensors[name] for name in names]


def activation_bytes(network: Network) -> int:
    """Bytes of all kernel outputs of one sample whose buffers can be allocated beforehand."""
    return sum(info.nbytes for info in fixed_outputs(network))


def fixed(network: Network, name: str) -> bool:
    """Whether a tensor's buffer can be allocated before the kernel runs."""
    info = network.tensors.get(name)
    return info is not None and name not in network.graph.dynamic and info.dtype.kind not in "OSU"


class Ports(Protocol):
    """A kernel, or several in a row."""

    @property
    def name(self) -> str:
        """For a complaint."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Activations that are read."""

    @property
    def outputs(self) -> tuple[str, ...]:
        """Activations that are written."""


@dataclass(frozen=True, eq=False, slots=True)
class Bound:
    """A kernel's session with its tensors, which takes as long to put together as a small kernel runs.

    It does not keep the session alive, which its owner may drop to stay within a budget.
    """

    session: weakref.ref[ort.InferenceSession]
    inputs: tuple[ort.OrtValue, ...]
    targets: Mapping[str, Value]
    binding: ort.IOBinding

    def holds(self, session: ort.InferenceSession, kernel: Ports, values: Mapping[str, Value]) -> bool:
        """Whether it is of that session and reads these values."""
        if self.session() is not session:
            return False
        return all(values[name].ort is was for name, was in zip(kernel.inputs, self.inputs, strict=True))


def bind(
    session: ort.InferenceSession, kernel: Ports, values: Mapping[str, Value], targets: Mapping[str, Value]
) -> Bound:
    """Put a kernel's session together with its tensors; arguments as in `run_kernel`."""
    binding = session.io_binding()
    inputs = tuple(values[name].ort for name in kernel.inputs)
    for name, value in zip(kernel.inputs, inputs, strict=True):
        binding.bind_ortvalue_input(name, value)
    for name in kernel.outputs:
        if name in targets:
            binding.bind_ortvalue_output(name, targets[name].ort)
        else:
            binding.bind_output(name, "cpu")
    for full, name in lent(session).items():
        if name in targets:
            binding.bind_ortvalue_output(full, targets[name].ort)
    return Bound(weakref.ref(session), inputs, targets, binding)


def run_kernel(
    session: ort.InferenceSession, kernel: Kernel, values: Mapping[str, Value], targets: Mapping[str, Value]
) -> dict[str, Value]:
    """Run a kernel's session on bound buffers.

    Args:
        session: Inputs and outputs as the kernel has them.
        kernel: Whose.
        values: All its inputs.
        targets: Buffers for its outputs; outputs without one are allocated by ONNX Runtime.

    Returns:
        All its outputs.
    """
    bound = bind(session, kernel, values, targets)
    session.run_with_iobinding(bound.binding)
    if len(targets) == len(kernel.outputs):
        return dict(targets)
    made = bound.binding.get_outputs()
    return {name: targets[name] if name in targets else Value(made[at], None) for at, name in enumerate(kernel.outputs)}
