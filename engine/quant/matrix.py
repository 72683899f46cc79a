"""Weights as matrices [channels, reduction], and cache-sized pieces of them."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np

from engine.graph.types import Array

PIECE = 1 << 16
"""Weights that are worked on at a time: a few such pieces fit the second-level cache."""


def to_matrix(array: Array, channel_axes: tuple[int, ...], reduction_axes: tuple[int, ...]) -> Array:
    """View (or, where the axes are mixed, copy) a weight as [channels, reduction]."""
    channels = prod(array.shape[axis] for axis in channel_axes)
    return array.transpose(*channel_axes, *reduction_axes).reshape(channels, -1 if array.size else 0)


def from_matrix(
    matrix: Array, shape: tuple[int, ...], channel_axes: tuple[int, ...], reduction_axes: tuple[int, ...]
) -> Array:
    """Undo `to_matrix`; the result is contiguous."""
    order = (*channel_axes, *reduction_axes)
    moved = matrix.reshape([shape[axis] for axis in order])
    return np.ascontiguousarray(moved.transpose([order.index(axis) for axis in range(len(shape))]))


class Part(NamedTuple):
    """A piece of the matrix made of whole groups of one size, worked on as three axes.

    [rows, groups, group]; or, where the reduction is the slow axis in memory, [groups, group, rows], so that the
    innermost loop always runs over neighbours.
    """

    rows: slice
    columns: slice
    groups: slice
    group: int
    turned: bool

    @property
    def axis(self) -> int:
        """Which of the three axes is the group."""
        return 1 if self.turned else 2

    def view(self, matrix: Array) -> Array:
        """This piece of a matrix [channels, reduction] that lies in memory as the parts were made for."""
        block = matrix[self.rows, self.columns]
        if self.turned:
            return block.T.reshape(-1, self.group, block.shape[0])
        return block.reshape(block.shape[0], -1, self.group)

    def of(self, per_group: Array) -> Array:
        """The scales (or zero points) [1 or channels, groups] of this piece, as a view that fits beside it."""
        rows = slice(0, 1) if per_group.shape[0] == 1 else self.rows
        groups = slice(0, 1) if per_group.shape[1] == 1 else self.groups
        found = per_group[rows, groups]
        return found.T[:, None, :] if self.turned else found[:, :, None]


def turned(matrix: Array) -> bool:
    """Whether the reduction is the slow axis in memory, as for the weight of a MatMul."""
    return matrix.strides[0] < matrix.strides[1] and min(matrix.shape) > 1


def parts(shape: tuple[int, ...], group: int, turn: bool = False) -> list[Part]:
    """Pieces that cover a matrix; the columns of a ragged last group are pieces of their own."""
    channels, reduction = shape
    if not channels or not reduction:
        return []
    made = []
    whole = reduction // group * group
    for first, last, width in ((0, whole, group), (whole, reduction, reduction - whole)):
        if first == last:
            continue
        across = min(channels, max(16, PIECE // width)) if turn else max(1, PIECE // (last - first))
        along = max(1, PIECE // (across * width)) * width if turn else last - first
        for row in range(0, channels, across):
            for start in range(first, last, along):
                stop = min(start + along, last)
                groups = slice(start // group, -(-stop // group))
                made.append(Part(slice(row, min(row + across, channels)), slice(start, stop), groups, width, turn))
    return made
