"""Local errors: one quantized kernel on reference inputs."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from itertools import islice

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


class LocalErrors:
    """Runs cells (kernel, scheme) in the workers, a few ahead of what was asked for."""

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
        waiting: deque[tuple[Cell, int, list[Future[Sums]]]] = deque()
        todo = iter(listed)
        try:
            while True:
                for cell in islice(todo, max(0, 4 * self._workers.count - len(waiting))):
                    self._start(cell, split, waiting, cancel)
                if not waiting:
                    return
                cell, key, parts = waiting.popleft()
                yield (*cell, self._finish(key, parts, cancel))
        finally:
            for _, _, parts in waiting:
                for part in parts:
                    part.cancel()

    def _start(
        self, cell: Cell, split: int, waiting: deque[tuple[Cell, int, list[Future[Sums]]]], cancel: CancelToken
    ) -> None:
        shared = self._shared
        kernel = shared.network.kernels[shared.wiring.index[cell[0]]]
        if not kernel.tunable or not shared.wiring.measured[kernel.index]:
            return
        key = shared.wiring.local_key(kernel, cell[1], shared.reference_keys)
        parts = []
        if key not in shared.totals:
            count = len(shared.samples)
            ranges = [range(start, count, split) for start in range(min(split, count))]
            parts = [self._workers.submit(self._run, kernel, cell[1], samples, cancel) for samples in ranges]
        waiting.append((cell, key, parts))

    def _finish(self, key: int, parts: list[Future[Sums]], cancel: CancelToken) -> ErrorSums:
        known = self._shared.totals.get(key)
        if isinstance(known, ErrorSums):
            return known
        sums = Sums()
        for part in parts:
            sums = sums.plus(self._workers.result(part, cancel))
        found = sums.as_result()
        self._shared.totals.put(key, found)
        return found

    def _run(self, kernel: Kernel, scheme: Scheme, samples: range, cancel: CancelToken) -> Sums:
        shared = self._shared
        session = shared.sessions.get(kernel, scheme)
        total = Sums()
        for sample in samples:
            cancel.check()
            if self._gate is not None:
                self._gate()
            targets = {name: self._buffer(name) for name in kernel.outputs if fixed(shared.network, name)}
            values = call(kernel, session, shared.values[sample], targets)
            for name in shared.wiring.measured[kernel.index]:
                info = shared.network.tensors[name]
                reference = shared.values[sample][name].memory(info)
                total = total.plus(
                    error_sums(values[name].memory(info), reference, shared.powers[sample][name], self._scratch())
                )
        return total

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
