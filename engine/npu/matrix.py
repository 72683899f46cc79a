"""The product that the Cube really runs: padded channels, merged groups, fractal blocks."""

from __future__ import annotations

import msgspec

from engine.fusion.types import Kind
from engine.npu.activations import C0_BYTES, SMALL_CHANNELS
from engine.npu.chip import WIDTH, Chip, Precision
from engine.npu.workload import CHANNEL_BLOCK, Workload


class Matrix(msgspec.Struct, frozen=True, gc=False):
    """A product in Cube blocks, run `groups` times."""

    m: int
    n: int
    k: int
    groups: int
    cores: int
    """Cores that it can be spread over."""
    macs: int
    """Multiply-accumulates, padding included."""


CORE_TILE = 128
"""Rows or columns of a product that are worth a core of their own."""


def matrix(work: Workload, precision: Precision, small: bool, chip: Chip) -> Matrix:
    """Pad and cut a workload for a Cube precision.

    Convolutions pad input channels to blocks of C0 (16 FP16, 32 INT8, 64 INT4), or to four when the input has at most
    four (`small`). Grouped and depthwise convolutions merge groups until they fill a block, zero off its diagonal.
    """
    product = work.product
    m, n, k, groups, taps = product.m, product.n, product.k, product.groups, product.taps
    if work.kind is Kind.CONV or work.kind is Kind.DEPTHWISE:
        channels = k // taps
        if groups > 1:
            merged = max(1, CHANNEL_BLOCK // channels)
            groups = -(-groups // merged)
            channels, n = channels * merged, n * merged
            c0 = CHANNEL_BLOCK
        else:
            c0 = SMALL_CHANNELS if small and channels <= SMALL_CHANNELS else int(C0_BYTES / WIDTH[precision])
        k = -(-channels // c0) * c0 * taps
    m0, k0, n0 = chip.cube[precision]
    mb, nb, kb = -(-m // m0), -(-n // n0), -(-k // k0)
    cores = min(chip.cores, groups * -(-m // CORE_TILE) * -(-n // CORE_TILE))
    return Matrix(mb, nb, kb, groups, cores, groups * mb * nb * kb * m0 * n0 * k0)
