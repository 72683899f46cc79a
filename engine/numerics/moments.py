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

_STRETCH = 2048
"""Longest stretch of a reduction whose columns are related to each other: the work grows with its third power."""
_ROWS = 2048
"""Rows that are looked at altogether, if the reduction is not longer."""


def stretches(columns: slice) -> list[slice]:
    """A reduction axis in stretches of nearly equal length."""
    total = columns.stop - columns.start
    count = max(1, -(-total // _STRETCH))
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
    return 4 * groups * reduction * min(reduction, _STRETCH)


@dataclass(eq=False, slots=True)
class Seen:
    """What one kernel's weight has met so far."""

    kernel: Kernel
    second: dict[tuple[int, int, int, int], Array] = field(default_factory=dict)
    """Sums of x x^T by first and last channel and column."""
    first: dict[tuple[int, int, int, int], Array] = field(default_factory=dict)
    """Sums of x."""
    counts: dict[tuple[int, int, int, int], int] = field(default_factory=dict)

    def watch(self, activation: Array, samples: int, seed: int) -> None:
        """Add one of so many samples."""
        assert self.kernel.weight is not None
        longest = 2 * max(self.kernel.weight.shape, default=1)
        for rows in rows_of(self.kernel, activation, max(16, -(-max(_ROWS, longest) // samples)), seed):
            self._add(rows)

    def _add(self, rows: Rows) -> None:
        for columns in stretches(rows.columns):
            inside = slice(columns.start - rows.columns.start, columns.stop - rows.columns.start)
            values = rows.values[:, inside]
            finite = np.isfinite(values).all(axis=1)
            values = values if finite.all() else values[finite]
            at = rows.channels.start, rows.channels.stop, columns.start, columns.stop
            second, first = values.T @ values, values.sum(axis=0, dtype=np.float64)
            self.second[at] = self.second[at] + second if at in self.second else second
            self.first[at] = self.first[at] + first if at in self.first else first
            self.counts[at] = self.counts.get(at, 0) + len(values)

    def moments(self) -> list[Moments]:
        """Means of x x^T."""
        return [
            Moments(slice(*at[:2]), slice(*at[2:]), total / np.float32(max(1, self.counts[at])))
            for at, total in self.second.items()
        ]

    def means(self) -> Mapping[tuple[int, int, int, int], Array]:
        """Means of x, float64."""
        return {at: total / max(1, self.counts[at]) for at, total in self.first.items()}


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
