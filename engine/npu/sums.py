"""Sums of products, one scale at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from engine.graph.types import Array

Multiply = Callable[[Array, Array], Array]
"""[groups, rows, K] times [groups, channels, K], see `engine.npu.blocks`."""


class Scaled(NamedTuple):
    """Weights, and what their sums are multiplied by."""

    weights: Array
    """[groups, channels, K]."""
    steps: Array
    """float32 [groups, channels, scales of a channel]."""
    group: int
    """Weights per scale along the reduction of the stored matrix."""
    offsets: tuple[int, ...]
    """Where each group's K begins in that reduction; a single entry serves all."""


def scaled_sums(rows: Array, right: Scaled, multiply: Multiply, first: Array | None = None) -> tuple[Array, int]:
    """The sums of each scale times it, added up in float32 [groups, rows, channels]; and the widest one.

    Products of whole numbers are exact in float64 up to 2**53, so the fast matrix product gives the same sums as an
    accumulator of 32 bits as long as that doesn't wrap, which the second result tells.

    Args:
        rows: [groups, rows, K]; whole numbers as float64, else float32.
        right: The weights.
        multiply: How operands are multiplied.
        first: What the accumulators start with, in units of the steps; only beside one scale per channel.
    """
    if right.steps.shape[2] == 1:
        sums = multiply(rows, right.weights)
        sums = sums if first is None else sums + first
        return sums.astype(np.float32) * right.steps[:, None, :, 0], _widest(sums)
    if len(right.offsets) > 1:
        parts = [
            scaled_sums(rows[at : at + 1], _only(right, at), multiply) for at in range(len(right.offsets))
        ]  # fmt: skip
        return np.concatenate([part[0] for part in parts]), max(part[1] for part in parts)
    total = np.zeros((*rows.shape[:2], right.weights.shape[1]), np.float32)
    widest = 0
    for column, part in _segments(right.offsets[0], rows.shape[2], right.group):
        sums = multiply(rows[:, :, part], right.weights[:, :, part])
        widest = max(widest, _widest(sums))
        total += sums.astype(np.float32) * right.steps[:, None, :, column]
    return total, widest


def _only(right: Scaled, at: int) -> Scaled:
    own = slice(at, at + 1)
    return Scaled(right.weights[own], right.steps[own], right.group, (right.offsets[at],))


def _segments(offset: int, count: int, group: int) -> Iterator[tuple[int, slice]]:
    """Each scale that the columns from `offset` on have, with its share of them."""
    for column in range(offset // group, -(-(offset + count) // group)):
        yield column, slice(max(column * group - offset, 0), min((column + 1) * group - offset, count))


def _widest(sums: Array) -> int:
    """Of whole numbers, the largest absolute value."""
    return int(np.abs(sums).max(initial=0.0)) if sums.dtype == np.float64 else 0
