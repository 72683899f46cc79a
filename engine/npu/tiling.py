"""Tiling: how a matrix product is cut to fit L0 and L1, chosen by the time it takes."""

from __future__ import annotations

from functools import lru_cache
from math import inf
from typing import NamedTuple

import msgspec


class Tile(msgspec.Struct, frozen=True, gc=False):
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
    # Plain comparisons and no record per width: this is the innermost loop of a first simulation.
    a_blocks, b_blocks, c_blocks = level.a_blocks, level.b_blocks, level.c_blocks
    blocks, a_once, b_once = m * n * k, m * k, k * n
    a_stays, b_stays = a_once <= a_blocks, b_once <= b_blocks
    widest = min(n, b_blocks, c_blocks)
    worst = best_mte1 = inf
    best = (1, 1, 1, 0, 0, 0)
    width = 1
    while True:
        nt = width if width < widest else widest
        mt = max(1, min(m, c_blocks // nt, a_blocks))
        kt = max(1, min(k, a_blocks // mt, b_blocks // nt))
        columns, rows = -(-n // nt), -(-m // mt)
        a = a_once if a_stays else a_once * columns
        b = b_once if b_stays else b_once * rows
        tiles = rows * columns * -(-k // kt)
        cube, mte1 = level.issue * tiles + blocks, a * level.a_cycles + b * level.b_cycles
        longest = cube if cube > mte1 else mte1
        if longest < worst or (longest == worst and mte1 < best_mte1):
            worst, best_mte1, best = longest, mte1, (mt, nt, kt, tiles, a, b)
        if nt < width or width >= n:
            break
        width *= 2
    mt, nt, kt, tiles, a, b = best
    cycles = level.issue * tiles + blocks
    return Tile(mt, nt, kt, tiles, cycles, best_mte1, a * level.a_bytes + b * level.b_bytes)


class Reads(msgspec.Struct, frozen=True, gc=False):
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
    a_again, b_again = -(-int(b_bytes) // int(half_l1)), -(-int(a_bytes) // int(half_l1))
    b_stays, a_stays, neither = a_again * a_us + b_us, a_us + b_again * b_us, columns * a_us + rows * b_us
    if b_stays <= a_stays and b_stays <= neither:
        return Reads(a_again, 1)
    return Reads(1, b_again) if a_stays <= neither else Reads(columns, rows)
