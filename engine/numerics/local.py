"""Local errors: one quantized kernel on reference inputs."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from itertools import groupby, islice
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from engine.fusion.types import Kernel
from engine.graph.types import Array
from engine.numerics.buffers import Value, fixed
from engine.numerics.results import ErrorSums
from engine.numerics.runtime import to_ort
from engine.numerics.shared import Shared, call
from engine.numerics.sums import PIECE, Sums, error_sums
from engine.numerics.workers import Workers
from engine.precision.scheme import Scheme
from engine.progress import CancelToken

Cell = tuple[str, Scheme]


class _Group(NamedTuple):
    """Cells of one kernel that run together."""

    cells: tuple[Cell, ...]
    keys: tuple[int, ...]
    absent: tuple[int, ...]
    """Keys of what is not known yet."""
    parts: list[Future[list[Sums]]]
    """For some of the samples each: the sums of what is absent."""


class LocalErrors:
    """Runs cells (kernel, scheme) in the workers, a few kernels ahead of what was asked for."""

    def __init__(self, shared: Shared, workers: Workers, gate: Callable[[], None] | None) -> None:
        self._shared, self._workers, self._gate = shared, workers, gate
        self._thread = threading.local()

    def find(self, cells: Iterable[Cell], cancel: CancelToken) -> Iterator[tuple[str, Scheme, ErrorSums]]:
        """Errors in the order of the cells; kernels without a switch or a float output are left out.

        Raises:
            Cancelled: If asked to stop.
        """
        listed = list(cells)
        # A few cells are split over the workers by samples; many run side by side, so that building overlaps too.
        split = self._workers.count if len(listed) < 2 * self._workers.count else 1
        waiting: deque[_Group] = deque()
        todo = (tuple(group) for _, group in groupby(listed, itemgetter(0)))
        try:
            while True:
                for group in islice(todo, max(0, 2 * self._workers.count - len(waiting))):
                    self._start(group, split, waiting, cancel)
                if not waiting:
                    return
                group_found = waiting.popleft()
                self._finish(group_found, cancel)
                for cell, key in zip(group_found.cells, group_found.keys, strict=True):
                    sums = self._shared.totals.get(key)
                    assert isinstance(sums, ErrorSums)
                    yield (*cell, sums)
        finally:
            for left in waiting:
                for part in left.parts:
                    part.cancel()

    def _start(self, cells: tuple[Cell, ...], split: int, waiting: deque[_Group], cancel: CancelToken) -> None:
        shared = self._shared
        kernel = shared.network.kernels[shared.wiring.index[cells[0][0]]]
        if not kernel.tunable or not shared.wiring.measured[kernel.index]:
            return
        keys = [shared.wiring.local_key(kernel, scheme, shared.reference_keys) for _, scheme in cells]
        absent = {key: scheme for key, (_, scheme) in zip(keys, cells, strict=True) if key not in shared.totals}
        parts = []
        if absent:
            count = len(shared.samples)
            ranges = [range(start, count, split) for start in range(min(split, count))]
            schemes = tuple(absent.values())
            parts = [self._workers.submit(self._run, kernel, schemes, samples, cancel) for samples in ranges]
        waiting.append(_Group(cells, tuple(keys), tuple(absent), parts))

    def _finish(self, group: _Group, cancel: CancelToken) -> None:
        sums = [Sums()] * len(group.absent)
        for part in group.parts:
            found = self._workers.result(part, cancel)
            sums = [before.plus(more) for before, more in zip(sums, found, strict=True)]
        for key, figure in zip(group.absent, sums, strict=True):
            self._shared.totals.put(key, figure.as_result())

    def _run(self, kernel: Kernel, schemes: tuple[Scheme, ...], samples: range, cancel: CancelToken) -> list[Sums]:
        """One kernel in some schemes, which share what a sample has in the caches."""
        shared = self._shared
        totals = [Sums()] * len(schemes)
        targets = {name: self._buffer(name) for name in kernel.outputs if fixed(shared.network, name)}
        for sample in samples:
            reference, powers = shared.values[sample], shared.powers[sample]
            for at, scheme in enumerate(schemes):
                cancel.check()
                if self._gate is not None:
                    self._gate()
                values = call(kernel, shared.sessions.get(kernel, scheme), reference, targets)
                for name in shared.wiring.measured[kernel.index]:
                    info = shared.network.tensors[name]
                    result, wanted = values[name].memory(info), reference[name].memory(info)
                    totals[at] = totals[at].plus(error_sums(result, wanted, powers[name], self._scratch()))
        return totals

    def _buffer(self, name: str) -> Value:
        """A buffer of this thread, shared by all kernels whose outputs look alike (two of one kernel never share)."""
        if not hasattr(self._thread, "buffers"):
            self._thread.buffers = {}
        buffers: dict[object, Value] = self._thread.buffers
        info = self._shared.network.tensors[name]
        kernel = self._shared.network.kernels[self._shared.wiring.producer[name]]
        at = info.dtype, info.shape, kernel.outputs.index(name)
        if at not in buffers:
            array: Array = np.empty(info.shape, info.dtype)
            buffers[at] = Value(to_ort(array), array)
        return buffers[at]

    def _scratch(self) -> Array:
        if not hasattr(self._thread, "scratch"):
            self._thread.scratch = np.empty(PIECE, np.float32)
        found: Array = self._thread.scratch
        return found
