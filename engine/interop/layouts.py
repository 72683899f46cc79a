"""Layouts of the Ascend and Kirin matrix units, back to logical order.

The matrix unit reads blocks of 16 rows of 32 bytes. C0, the columns of a block, is 32 bytes' worth of elements: 16 for
half and 32 for 8-bit types; a few first layers use C0 = 4. Padding fills up blocks and is dropped here.
"""

from __future__ import annotations

from math import isqrt, lcm, prod

import numpy as np

from engine.graph.types import Array

CUBE_ROWS = 16
SMALL_C0 = 4
FORMATS = {
    0: "NCHW", 1: "NHWC", 2: "ND", 3: "NC1HWC0", 4: "FRACTAL_Z", 12: "NC1HWC0_C04", 13: "FRACTAL_Z_C04", 16: "HWCN",
    27: "NDHWC", 29: "FRACTAL_NZ", 30: "NCDHW", 32: "NDC1HWC0", 33: "FRACTAL_Z_3D", 50: "FRACTAL_NZ_C0_16",
    51: "FRACTAL_NZ_C0_32", 52: "FRACTAL_NZ_C0_2", 53: "FRACTAL_NZ_C0_4", 54: "FRACTAL_NZ_C0_8",
}  # fmt: skip
"""Numbers of GE's Format enumeration that dumps carry."""


def format_of(number: int, sub_format: int = 0) -> tuple[str, int]:
    """Name of a layout, and the groups of the convolution whose weights lie in it (1: none).

    A format is one byte; GE packs a sub-format (for weights the groups) into the two bytes above it, and dumps of some
    versions hold that number as it is, others give the sub-format by itself.
    """
    groups = sub_format or number >> 8 & 0xFFFF
    return FORMATS.get(number & 0xFF, str(number)), max(1, groups)


def to_logical(stored: Array, layout: str, logical: tuple[int, ...], groups: int = 1) -> Array | None:
    """Values in the order of their logical shape.

    Args:
        stored: As it lies in memory, in its storage shape.
        layout: One of FORMATS' values.
        logical: The original shape. For feature maps and convolution weights NCHW, if the original format is not
            known to be another.
        groups: Of the convolution that the weights belong to; 1 also if that is not known.

    Returns:
        An array of shape `logical`; None if the storage shape can't hold it.
    """
    if layout in ("NC1HWC0", "NC1HWC0_C04"):
        return _from_nc1hwc0(stored, logical)
    if layout == "NDC1HWC0":
        return _from_ndc1hwc0(stored, logical)
    if layout == "FRACTAL_Z_C04" and stored.ndim == 4 and stored.shape[3] != SMALL_C0:
        return _from_fractal_z_c04(stored, logical)
    if layout.startswith("FRACTAL_Z"):
        return _from_fractal_z(stored, logical, groups)
    if layout.startswith("FRACTAL_NZ"):
        return _from_nz(stored, logical)
    if stored.size == prod(logical):
        return stored.reshape(logical)
    return None


def reorder(values: Array, layout: str) -> Array:
    """Plain layouts as ONNX has them: NHWC and HWCN become NCHW."""
    if values.ndim == 4 and layout == "NHWC":
        return values.transpose(0, 3, 1, 2)
    if values.ndim == 4 and layout == "HWCN":
        return values.transpose(3, 2, 0, 1)
    if values.ndim == 5 and layout == "NDHWC":
        return values.transpose(0, 4, 1, 2, 3)
    return values


def _from_nc1hwc0(stored: Array, logical: tuple[int, ...]) -> Array | None:
    if stored.ndim != 5 or not 2 <= len(logical) <= 4:
        return None
    n, c1, h, w, c0 = stored.shape
    wide = (*logical, *(1,) * (4 - len(logical)))  # [N, C] was seen as [N, C, 1, 1]
    if (wide[0], wide[2], wide[3]) != (n, h, w) or not 0 <= c1 * c0 - wide[1] < c0:
        return None
    whole = stored.transpose(0, 1, 4, 2, 3).reshape(n, c1 * c0, h, w)
    return whole[:, : wide[1]].reshape(logical)


def _from_ndc1hwc0(stored: Array, logical: tuple[int, ...]) -> Array | None:
    """[N, D, C1, H, W, C0] -> [N, C, D, H, W]."""
    if stored.ndim != 6 or len(logical) != 5:
        return None
    n, d, c1, h, w, c0 = stored.shape
    if (logical[0], *logical[2:]) != (n, d, h, w) or not 0 <= c1 * c0 - logical[1] < c0:
        return None
    whole = stored.transpose(0, 2, 5, 1, 3, 4).reshape(n, c1 * c0, d, h, w)
    return whole[:, : logical[1]]


def _from_fractal_z(stored: Array, logical: tuple[int, ...], groups: int) -> Array | None:
    """[G * D * C1 * H * W, N1, 16, C0] -> [N, C, D, H, W] or, without D, [N, C, H, W]; N = output channels.

    A grouped convolution's C and N / groups seldom fill a block. So several groups share one, each at its own place on
    the block's diagonal, and all else is zero: G counts such blocks of `merged` groups.
    """
    if stored.ndim != 4 or len(logical) not in (4, 5):
        return None
    n, c = logical[:2]
    space = logical[2:] if len(logical) == 5 else (1, *logical[2:])
    merged = _merged(stored.shape, n, c, prod(space), groups)
    if merged is None and groups == 1:
        # A header without groups: those that the padding allows, if they are beyond doubt.
        possible = _divisors(n) if n <= stored.size else ()
        found = {g: m for g in possible if (m := _merged(stored.shape, n, c, prod(space), g)) is not None}
        if len(found) == 1:
            ((groups, merged),) = found.items()
    if merged is None:
        return None
    first, n1, rows, c0 = stored.shape
    blocks, each = -(-groups // merged), n // groups
    c1 = first // (blocks * prod(space))
    whole = stored.reshape(blocks, space[0], c1, *space[1:], n1 * rows, c0)
    whole = whole.transpose(0, 5, 2, 6, 1, 3, 4).reshape(blocks, n1 * rows, c1 * c0, *space)
    if groups == 1:
        return whole[0, :n, :c].reshape(logical)
    parts = [
        whole[g // merged, g % merged * each : (g % merged + 1) * each, g % merged * c : (g % merged + 1) * c]
        for g in range(groups)
    ]
    return np.concatenate(parts).reshape(logical)


def _merged(shape: tuple[int, ...], n: int, c: int, volume: int, groups: int) -> int | None:
    """How many groups share a block; None if the storage shape is not that of so many groups."""
    first, n1, rows, c0 = shape
    if not n * c * c0 * volume or n % groups or rows != CUBE_ROWS:
        return None
    each = n // groups
    merged = min(lcm(lcm(c, c0) // c, lcm(each, rows) // each), groups)
    wanted = (-(-groups // merged) * -(-merged * c // c0) * volume, -(-merged * each // rows))
    return merged if (first, n1) == wanted else None


def _divisors(n: int) -> set[int]:
    small = [d for d in range(1, isqrt(n) + 1) if n % d == 0]
    return {*small, *(n // d for d in small)}


def _from_fractal_z_c04(stored: Array, logical: tuple[int, ...]) -> Array | None:
    """[H * W * 4 / C0, N1, 16, C0] -> [N, C, H, W]: up to four channels of a first layer lie side by side."""
    if len(logical) != 4 or logical[1] > SMALL_C0:
        return None
    first, n1, rows, c0 = stored.shape
    n, c, h, w = logical
    if first != -(-h * w * SMALL_C0 // c0) or rows != CUBE_ROWS or not 0 <= n1 * rows - n < rows:
        return None
    flat = stored.transpose(1, 2, 0, 3).reshape(n1 * rows, first * c0)[:n, : h * w * SMALL_C0]
    return flat.reshape(n, h, w, SMALL_C0)[..., :c].transpose(0, 3, 1, 2)


def _from_nz(stored: Array, logical: tuple[int, ...]) -> Array | None:
    """[..., W1, H1, 16, C0] -> [..., H, W]."""
    if stored.ndim < 4:
        return None
    *batch, w1, h1, rows, c0 = stored.shape
    wide = logical if len(logical) >= 2 else (1, *logical)
    *lead, h, w = wide
    if prod(lead) != prod(batch) or not 0 <= h1 * rows - h < rows or not 0 <= w1 * c0 - w < c0:
        return None
    whole = np.moveaxis(stored, -4, -2).reshape(*batch, h1 * rows, w1 * c0)
    return whole[..., :h, :w].reshape(logical)
