"""Products the way the Cube does them: operands in fractal blocks, sums of 32 bits that really wrap."""

from __future__ import annotations

import numpy as np

from engine.graph.types import Array
from engine.npu.layouts import fractal_product, from_nz, to_nz

_C0_HALF, _C0_INTEGER = 16, 32
"""Columns of a block: what fits 32 bytes."""
LARGEST = 200_000_000
"""Multiply-accumulates up to which blocks are multiplied one by one; that takes about a second."""


def fits_blocks(left: Array, right: Array) -> bool:
    """Whether a product is small enough to be done block by block."""
    return bool(left.size * right.shape[1] <= LARGEST)


def multiply_plain(left: Array, right: Array) -> Array:
    """[groups, rows, K] times [groups, channels, K], as [groups, rows, channels]."""
    product: Array = np.matmul(left, right.transpose(0, 2, 1))
    return product


def multiply_blocks(left: Array, right: Array) -> Array:
    """The same through FRACTAL_NZ: block by block along K, each sum kept in 32 bits.

    Whole numbers are summed as int32, all else as float32 in the order of the blocks. Products too large for that are
    done at once, see `fits_blocks`.
    """
    if not fits_blocks(left, right):
        return multiply_plain(left, right)
    integer = left.dtype == np.float64  # codes come as float64, whose whole numbers are exact
    narrow, c0 = (np.int32, _C0_INTEGER) if integer else (np.float32, _C0_HALF)
    rows, channels = left.shape[1], right.shape[1]
    found = []
    for a, b in zip(left, right, strict=True):
        sums = fractal_product(to_nz(a.astype(narrow), c0), to_nz(b.astype(narrow), c0))
        found.append(from_nz(sums, rows, channels).astype(left.dtype))
    return np.stack(found)
