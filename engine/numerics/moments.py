"""First and second moments of what meets the weights, over calibration samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from engine.fusion.types import Kernel
from engine.graph.types import Array
from engine.numerics.operands import Rows, rows_of
from engine.quant.gptq import Moments

STRETCH = 2048
"""Longest stretch of a reduction whose columns are related to each other: the work grows with its third power."""
_ROWS = 2048
"""Rows that are looked at altogether, if the reduction is not longer."""
_TOGETHER = 512
"""Rows that wait for each other before they are summed."""
_At = tuple[int, int, int, int]
"""First and last channel, first and last column."""


def stretches(columns: slice) -> list[slice]:
    """A reduction axis in stretches of nearly equal length."""
    total = columns.stop - columns.start
    count = max(1, -(-total // STRETCH))
    edges = [columns.start + total * number // count for number in range(count + 1)]
    return [slice(start, stop) for start, stop in pairwise(edges)]


def moments_bytes(kernel: Kernel) -> int:
    """Memory that the second moments of a kernel take, roughly: groups of a convolution have their own."""
    assert kernel.weight is not None
    reduction = 1
    for axis in kernel.weight.reduction_axes:
        reduction *= kernel.weight.shape[axis]
    groups = 1
    for attribute in kernel.nodes[kernel.anchor].proto.attribute:
        if attribute.name == "group":
            groups = max(1, attribute.i)
    return 4 * groups * reduction * min(reduction, STRETCH)


@dataclass(eq=False, slots=True)
class Seen:
    """What one kernel's weight has met so far."""

    kernel: Kernel
    squares: bool = True
    """Whether second moments are wanted."""
    _second: dict[_At, Array] = field(default_factory=dict)
    """Sums of x x^T."""
    _first: dict[_At, Array] = field(default_factory=dict)
    """Sums of x."""
    _counts: dict[_At, int] = field(default_factory=dict)
    _waiting: dict[_At, list[Array]] = field(default_factory=dict)

    def watch(self, activation: Array, samples: int, seed: int) -> None:
        """Add one of so many samples."""
        assert self.kernel.weight is not None
        longest = 2 * max(self.kernel.weight.shape, default=1)
        for rows in rows_of(self.kernel, activation, max(16, -(-max(_ROWS, longest) // samples)), seed):
            self._add(rows)

    def _add(self, rows: Rows) -> None:
        at = rows.channels.start, rows.channels.stop, rows.columns.start, rows.columns.stop
        waiting = self._waiting.setdefault(at, [])
        waiting.append(rows.values)
        if sum(map(len, waiting)) >= _TOGETHER:
            self._sum(at)

    def _sum(self, group: _At) -> None:
        """Bring the rows that wait into the sums: one large product is faster than many small ones."""
        waiting = self._waiting.pop(group, [])
        if not waiting:
            return
        values = waiting[0] if len(waiting) == 1 else np.concatenate(waiting)
        if not np.isfinite(values).all():
            values = values[np.isfinite(values).all(axis=1)]
        for columns in stretches(slice(*group[2:])):
            part = values[:, columns.start - group[2] : columns.stop - group[2]]
            at = *group[:2], columns.start, columns.stop
            with np.errstate(over="ignore", invalid="ignore"):  # moments that overflow are told by their values
                if self.squares:
                    second = part.T @ part
                    self._second[at] = self._second[at] + second if at in self._second else second
                first = part.sum(axis=0, dtype=np.float64)
            self._first[at] = self._first[at] + first if at in self._first else first
            self._counts[at] = self._counts.get(at, 0) + len(part)

    def _finish(self) -> None:
        for group in list(self._waiting):
            self._sum(group)

    def moments(self) -> list[Moments]:
        """Means of x x^T."""
        self._finish()
        return [
            Moments(slice(*at[:2]), slice(*at[2:]), total / np.float32(max(1, self._counts[at])))
            for at, total in self._second.items()
        ]

    def means(self) -> Mapping[_At, Array]:
        """Means of x, float64."""
        self._finish()
        return {at: total / max(1, self._counts[at]) for at, total in self._first.items()}


def batches(kernels: Iterable[Kernel], limit: int) -> list[list[Kernel]]:
    """Kernels in order, as many at a time as have room for their moments."""
    made: list[list[Kernel]] = []
    used = limit
    for kernel in kernels:
        size = moments_bytes(kernel)
        if used + size > limit:
            made.append([])
            used = 0
        made[-1].append(kernel)
        used += size
    return made
