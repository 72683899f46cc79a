"""Tiling: how a matrix product is cut to fit L0 and L1, chosen by the time it takes."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple


class Tile(NamedTuple):
    """The best cut of one product into L0 tiles, in Cube blocks, and what it costs."""

    m: int
    n: int
    k: int
    tiles: int
    """L0 tiles of the whole product."""
    cube_cycles: float
    mte1_cycles: float
    l0_bytes: float
    """Bytes from L1 into L0A and L0B."""


class Level0(NamedTuple):
    """What the search needs to know of a device, in blocks and cycles."""

    a_blocks: int
    """Blocks that half of L0A holds (the other half is being filled)."""
    b_blocks: int
    c_blocks: int
    a_cycles: float
    """Cycles to bring one A block from L1."""
    b_cycles: float
    a_bytes: float
    b_bytes: float
    issue: float


@lru_cache(maxsize=8192)
def tile(m: int, n: int, k: int, level: Level0) -> Tile:
    """Search the L0 tile of m x k by k x n blocks with double buffering.

    Widths are tried in powers of two; height and depth then follow from the capacities. A is read once per column of
    tiles and B once per row, unless the whole operand stays in its half of L0.

    Returns:
        The tile with the smallest max(Cube, MTE1); the smaller MTE1 time on a tie.
    """
    best: Tile | None = None
    width = 1
    while True:
        nt = min(width, n, level.b_blocks, level.c_blocks)
        mt = max(1, min(m, level.c_blocks // nt, level.a_blocks))
        found = _cost(m, n, k, mt, nt, level)
        if best is None or _rank(found) < _rank(best):
            best = found
        if nt < width or width >= n:
            return best
        width *= 2


def _cost(m: int, n: int, k: int, mt: int, nt: int, level: Level0) -> Tile:
    kt = max(1, min(k, level.a_blocks // mt, level.b_blocks // nt))
    columns, rows = -(-n // nt), -(-m // mt)
    a_reads = 1 if m * k <= level.a_blocks else columns
    b_reads = 1 if n * k <= level.b_blocks else rows
    tiles = rows * columns * -(-k // kt)
    a, b = float(m * k * a_reads), float(k * n * b_reads)
    return Tile(
        mt,
        nt,
        kt,
        tiles,
        level.issue * tiles + m * n * k,
        a * level.a_cycles + b * level.b_cycles,
        a * level.a_bytes + b * level.b_bytes,
    )


def _rank(found: Tile) -> tuple[float, float]:
    return max(found.cube_cycles, found.mte1_cycles), found.mte1_cycles


class Reads(NamedTuple):
    """How often each operand of a product comes from outside the core."""

    a: int
    b: int


def reads(
    a_bytes: float, b_bytes: float, a_us: float, b_us: float, half_l1: float, out_tiles: tuple[int, int]
) -> Reads:
    """Choose what stays in L1: a part of B while A streams by, a part of A while B does, or neither.

    With neither, sums stay in L0C while both operands stream along K.

    Args:
        a_bytes: Left operand, once.
        b_bytes: Right operand, once.
        a_us: Time to bring the left operand once.
        b_us: Time to bring the right operand once.
        half_l1: Room for what stays; the other half holds what streams.
        out_tiles: Rows and columns of L0C tiles.

    Returns:
        The cheapest choice by transfer time.
    """
    if a_bytes <= half_l1 or b_bytes <= half_l1:
        return Reads(1, 1)
    rows, columns = out_tiles
    choices = (
        Reads(-(-int(b_bytes) // int(half_l1)), 1),
        Reads(1, -(-int(a_bytes) // int(half_l1))),
        Reads(columns, rows),
    )
    return min(choices, key=lambda choice: choice.a * a_us + choice.b * b_us)
