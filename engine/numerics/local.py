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
import onnxruntime as ort

from engine.errors import ModelError
from engine.fusion.types import Kernel
from engine.graph.types import Array
from engine.numerics.buffers import Value, fixed
from engine.numerics.in_place import lent
from engine.numerics.results import ErrorSums
from engine.numerics.runtime import naming, to_ort
from engine.numerics.sessions import Together
from engine.numerics.shared import Shared, call
from engine.numerics.sums import PIECE, Sums, error_sums, error_sums_of
from engine.numerics.workers import Workers
from engine.precision.scheme import Scheme
from engine.progress import CancelToken

Cell = tuple[str, Scheme]
_AHEAD = 4
"""Kernels that are started per worker, so that all have something to do while one runs a large kernel that is asked for
before theirs."""
_MOST_BYTES = 64 << 20
"""Weights, or results, of a kernel in all its schemes at once; above that they are run one after the other."""


class _Group(NamedTuple):
    """Cells of one kernel that run together."""

    kernel: Kernel
    cells: tuple[Cell, ...]
    keys: tuple[int, ...]
    absent: dict[int, Scheme]
    """What is not known yet, by its key."""
    figures: dict[int, ErrorSums]
    """What is known, by its key: the memory that all share may have lost it by the time that somebody asks."""
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
        ahead = _AHEAD * self._workers.count
        try:
            while True:
                if len(waiting) < ahead:
                    waiting += self._start(islice(todo, ahead), split, cancel)
                if not waiting:
                    return
                group = waiting.popleft()
                self._finish(group, cancel)
                for cell, key in zip(group.cells, group.keys, strict=True):
                    yield (*cell, group.figures[key])
        finally:
            for left in waiting:
                for part in left.parts:
                    part.cancel()

    def _start(self, listed: Iterable[tuple[Cell, ...]], split: int, cancel: CancelToken) -> list[_Group]:
        """Set some kernels going, the longest first: the last to be ready keeps the other workers waiting."""
        groups = [group for cells in listed if (group := self._group(cells)) is not None]
        count = len(self._shared.samples)
        ranges = [range(start, count, split) for start in range(min(split, count))]
        for group in sorted(groups, key=self._effort, reverse=True):
            if group.absent:
                group.parts.extend(
                    self._workers.submit(self._run, group.kernel, tuple(group.absent.values()), samples, cancel)
                    for samples in ranges
                )
        return groups

    def _group(self, cells: tuple[Cell, ...]) -> _Group | None:
        """Cells of one kernel; None if it can't be measured."""
        shared = self._shared
        kernel = shared.network.kernels[shared.wiring.index[cells[0][0]]]
        if not kernel.tunable or not shared.wiring.measured[kernel.index]:
            return None
        keys = [shared.wiring.local_key(kernel, scheme, shared.reference_keys) for _, scheme in cells]
        known = {key: shared.totals.get(key) for key in keys}
        figures = {key: figure for key, figure in known.items() if isinstance(figure, ErrorSums)}
        absent = {key: scheme for key, (_, scheme) in zip(keys, cells, strict=True) if key not in figures}
        return _Group(kernel, cells, tuple(keys), absent, figures, [])

    def _effort(self, group: _Group) -> int:
        """About how long it takes, in elements of its results: a weight is rounded, packed and copied."""
        shared, kernel = self._shared, group.kernel
        results = sum(shared.network.tensors[name].elements for name in shared.wiring.measured[kernel.index])
        weights = sum(array.size for array in kernel.constants.values())
        return len(group.absent) * (len(shared.samples) * results + 3 * weights)

    def _finish(self, group: _Group, cancel: CancelToken) -> None:
        sums = [Sums()] * len(group.absent)
        for part in group.parts:
            found = self._workers.result(part, cancel)
            sums = [before.plus(more) for before, more in zip(sums, found, strict=True)]
        for key, figure in zip(group.absent, sums, strict=True):
            group.figures[key] = figure.as_result()
            self._shared.totals.put(key, group.figures[key])

    def _run(self, kernel: Kernel, schemes: tuple[Scheme, ...], samples: range, cancel: CancelToken) -> list[Sums]:
        """One kernel in some schemes, which share what a sample has in the caches."""
        together = self._together(kernel, schemes)
        if together is not None:
            return self._run_together(kernel, together, samples, cancel)
        shared = self._shared
        totals = [Sums()] * len(schemes)
        targets = {name: self._buffer(name) for name in kernel.outputs if fixed(shared.network, name)}
        for sample in samples:
            reference, powers = shared.values[sample], shared.powers[sample]
            for at, scheme in enumerate(schemes):
                self._pause(cancel)
                values = call(kernel, shared.sessions.get(kernel, scheme), reference, targets)
                for name in shared.wiring.measured[kernel.index]:
                    info = shared.network.tensors[name]
                    result, wanted = values[name].memory(info), reference[name].memory(info)
                    totals[at] = totals[at].plus(error_sums(result, wanted, powers[name], self._scratch(1)[0]))
        return totals

    def _pause(self, cancel: CancelToken) -> None:
        cancel.check()
        if self._gate is not None:
            self._gate()

    def _together(self, kernel: Kernel, schemes: tuple[Scheme, ...]) -> Together | None:
        """One session for all schemes, where that is less work than one each: fewer to build, inputs read once."""
        shared = self._shared
        sessions, network, names = shared.sessions, shared.network, shared.wiring.measured[kernel.index]
        if sum(not sessions.has(kernel, scheme) for scheme in schemes) < 2:
            return None
        if not all(fixed(network, name) for name in names):
            return None
        weights = sum(array.nbytes for array in kernel.constants.values())
        results = sum(network.tensors[name].nbytes for name in names)
        if max(weights, results) * len(schemes) > _MOST_BYTES:
            return None
        try:
            return sessions.together(kernel, schemes, names)
        except ModelError:  # one after the other: the scheme that can't be run may not be the only one asked for
            return None

    def _run_together(self, kernel: Kernel, together: Together, samples: range, cancel: CancelToken) -> list[Sums]:
        """All schemes of a session, sample by sample."""
        shared, (session, results) = self._shared, together
        totals = [Sums()] * len(results)
        binding = session.io_binding()
        measured = {}
        for output in shared.wiring.measured[kernel.index]:
            names = list(dict.fromkeys(result[output] for result in results))
            rows, values = self._rows(output, len(names))
            for name, value in zip(names, values, strict=True):
                binding.bind_ortvalue_output(name, value)
            placed = dict(zip(names, values, strict=True))
            for full, name in lent(session).items():
                if name in placed:
                    binding.bind_ortvalue_output(full, placed[name])
            measured[output] = rows, [names.index(result[output]) for result in results]
        for sample in samples:
            self._pause(cancel)
            reference, powers = shared.values[sample], shared.powers[sample]
            for name in kernel.inputs:
                binding.bind_ortvalue_input(name, reference[name].ort)
            naming(kernel.name, lambda: session.run_with_iobinding(binding))
            for output, (rows, places) in measured.items():
                wanted = reference[output].memory(shared.network.tensors[output])
                found = error_sums_of(rows, wanted, powers[output], self._scratch(len(rows)))
                totals = [total.plus(found[place]) for total, place in zip(totals, places, strict=True)]
        return totals

    def _rows(self, name: str, count: int) -> tuple[Array, list[ort.OrtValue]]:
        """Memory [count, ...] of this thread for as many results of an output.

        The outputs of all kernels that have the same place among those of theirs lie in the same memory, whatever their
        shape: it is in the caches, and fresh memory costs as much as a kernel computes in that time.
        """
        info = self._shared.network.tensors[name]
        kernel = self._shared.network.kernels[self._shared.wiring.producer[name]]
        place = kernel.outputs.index(name)
        if not hasattr(self._thread, "rows"):
            self._thread.rows, self._thread.memory = {}, {}
        kept: dict[object, tuple[Array, list[ort.OrtValue]]] = self._thread.rows
        memory: dict[int, Array] = self._thread.memory
        at = place, info.dtype, info.shape, count
        if place not in memory or memory[place].size < count * info.nbytes:
            for old in [old for old in kept if isinstance(old, tuple) and old[0] == place]:
                del kept[old]
            memory[place] = np.empty(max(1, count * info.nbytes), np.uint8)
        if at not in kept:
            rows = np.ndarray((count, *info.shape), info.dtype, memory[place].data)
            kept[at] = rows, [to_ort(row) for row in rows]
        return kept[at]

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

    def _scratch(self, count: int) -> Array:
        """float32 [at least count, PIECE] of this thread."""
        found: Array | None = getattr(self._thread, "scratch", None)
        if found is None or len(found) < count:
            found = self._thread.scratch = np.empty((count, PIECE), np.float32)
        return found
