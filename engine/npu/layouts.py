"""Layouts of the device: NC1HWC0 for feature maps, FRACTAL_NZ for matrices, FRACTAL_Z for convolution weights.

C0 is what fits 32 bytes: 16 FP16, 32 INT8 or 64 INT4 elements (4 in the mode for few channels). What the shape doesn't
fill is zero, so that padded products add nothing.
"""

from __future__ import annotations

import numpy as np

from engine.errors import PlanError
from engine.graph.types import Array
from engine.text import say

BLOCK = 16
"""Rows of a fractal block."""
_CHANNEL_BLOCKS = (4, 8, 16, 32, 64, 128)


def to_nc1hwc0(values: Array, c0: int) -> Array:
    """[N, C, H, W] -> [N, ceil(C / c0), H, W, c0].

    Raises:
        PlanError: not four axes, or a block size that no device has.
    """
    _check(values, 4, c0)
    batch, channels, height, width = values.shape
    padded = _padded(values, (batch, _up(channels, c0), height, width))
    blocks: Array = padded.reshape(batch, -1, c0, height, width).transpose(0, 1, 3, 4, 2)
    return np.ascontiguousarray(blocks)


def from_nc1hwc0(blocks: Array, channels: int) -> Array:
    """[N, C1, H, W, c0] -> [N, C, H, W]; the padding is dropped.

    Raises:
        PlanError: not five axes, or more channels than the blocks hold.
    """
    _check(blocks, 5, blocks.shape[-1] if blocks.ndim else 0)
    batch, count, height, width, c0 = blocks.shape
    _holds(channels, count * c0)
    flat = blocks.transpose(0, 1, 4, 2, 3).reshape(batch, count * c0, height, width)
    return np.ascontiguousarray(flat[:, :channels])


def to_nz(values: Array, c0: int) -> Array:
    """[..., H, W] -> [..., ceil(W / c0), ceil(H / 16), 16, c0]: columns of blocks, each block in rows.

    Raises:
        PlanError: fewer than two axes, or a block size that no device has.
    """
    if values.ndim < 2:
        raise PlanError(say("FRACTAL_NZ needs at least {count} axes, not {have}.", count=2, have=values.ndim))
    _check(values, values.ndim, c0)
    *lead, height, width = values.shape
    padded = _padded(values, (*lead, _up(height, BLOCK), _up(width, c0)))
    split = padded.reshape(*lead, -1, BLOCK, padded.shape[-1] // c0, c0)
    return np.ascontiguousarray(np.moveaxis(split, -2, -4))


def from_nz(blocks: Array, height: int, width: int) -> Array:
    """[..., W1, H1, 16, c0] -> [..., H, W]; the padding is dropped.

    Raises:
        PlanError: fewer than four axes, or a larger matrix than the blocks hold.
    """
    if blocks.ndim < 4:
        raise PlanError(say("FRACTAL_NZ needs at least {count} axes, not {have}.", count=4, have=blocks.ndim))
    *lead, columns, rows, block, c0 = blocks.shape
    _holds(height, rows * block)
    _holds(width, columns * c0)
    flat = np.moveaxis(blocks, -4, -2).reshape(*lead, rows * block, columns * c0)
    return np.ascontiguousarray(flat[..., :height, :width])


def to_fractal_z(weights: Array, c0: int) -> Array:
    """[Cout, Cin, H, W] -> [ceil(Cin / c0) * H * W, ceil(Cout / 16), 16, c0], to be multiplied with patches.

    Raises:
        PlanError: not four axes, or a block size that no device has.
    """
    blocks = to_nc1hwc0(weights, c0)  # [Cout, C1, H, W, c0]
    cout, count, height, width, _ = blocks.shape
    padded = _padded(blocks, (_up(cout, BLOCK), count, height, width, c0))
    split = padded.reshape(-1, BLOCK, count * height * width, c0)
    return np.ascontiguousarray(split.transpose(2, 0, 1, 3))


def fractal_product(left: Array, right: Array) -> Array:
    """The Cube's way through a product: block by block along K, sums in L0C.

    Args:
        left: [M1, K1 blocks] in FRACTAL_NZ: [K1, M1, 16, c0].
        right: The other operand, transposed, in FRACTAL_NZ: [K1, N1, 16, c0].

    Returns:
        Sums in FRACTAL_NZ, [N1, M1, 16, 16]: int32 for integers, float32 for halves.
    """
    wide = np.int32 if left.dtype.kind in "iu" else np.float32
    sums = np.zeros((right.shape[1], left.shape[1], BLOCK, BLOCK), wide)
    for a, b in zip(left.astype(wide), right.astype(wide), strict=True):
        sums += np.einsum("mik,njk->nmij", a, b)
    return sums


def _check(values: Array, axes: int, c0: int) -> None:
    if values.ndim != axes:
        raise PlanError(say("This layout needs {count} axes, not {have}.", count=axes, have=values.ndim))
    if c0 not in _CHANNEL_BLOCKS:
        choices = ", ".join(map(str, _CHANNEL_BLOCKS))
        raise PlanError(say("A block of {count} channels exists on no device; choose one of {choices}.",
                            count=c0, choices=choices))  # fmt: skip


def _holds(wanted: int, there: int) -> None:
    if not 0 <= wanted <= there:
        raise PlanError(say("{wanted} rows or channels were asked for, but the blocks hold {there}.",
                            wanted=wanted, there=there))  # fmt: skip


def _padded(values: Array, shape: tuple[int, ...]) -> Array:
    if values.shape == shape:
        return values
    padded = np.zeros(shape, values.dtype)
    padded[tuple(slice(0, size) for size in values.shape)] = values
    return padded


def _up(size: int, block: int) -> int:
    return -(-size // block) * block
