"""Layouts of the Ascend and Kirin matrix units, back to logical order.

The matrix unit reads blocks of 16 rows of 32 bytes. C0, the columns of a block, is 32 bytes' worth of elements: 16 for
half and 32 for 8-bit types; a few first layers use C0 = 4. Padding fills up blocks and is dropped here.
"""

from __future__ import annotations

from math import prod

import numpy as np

from engine.graph.types import Array

CUBE_ROWS = 16
FORMATS = {
    0: "NCHW", 1: "NHWC", 2: "ND", 3: "NC1HWC0", 4: "FRACTAL_Z", 12: "NC1HWC0_C04", 13: "FRACTAL_Z_C04", 16: "HWCN",
    27: "NDHWC", 29: "FRACTAL_NZ", 30: "NCDHW",
}  # fmt: skip
"""Numbers of GE's Format enumeration that dumps carry."""


def to_logical(stored: Array, layout: str, logical: tuple[int, ...]) -> Array | None:
    """Values in the order of their logical shape.

    Args:
        stored: As it lies in memory, in its storage shape.
        layout: One of FORMATS' values.
        logical: The original shape. For feature maps and convolution weights NCHW, if the original format is not
            known to be another.

    Returns:
        An array of shape `logical`; None if the storage shape can't hold it.
    """
    if layout in ("NC1HWC0", "NC1HWC0_C04"):
        return _from_nc1hwc0(stored, logical)
    if layout in ("FRACTAL_Z", "FRACTAL_Z_C04"):
        return _from_fractal_z(stored, logical)
    if layout == "FRACTAL_NZ":
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


def _from_fractal_z(stored: Array, logical: tuple[int, ...]) -> Array | None:
    """[C1 * H * W, N1, 16, C0] -> [N, C, H, W]; N is the number of output channels."""
    if stored.ndim != 4 or len(logical) != 4:
        return None
    first, n1, rows, c0 = stored.shape
    n, c, h, w = logical
    c1 = -(-c // c0)
    if first != c1 * h * w or rows != CUBE_ROWS or not 0 <= n1 * rows - n < rows:
        return None
    whole = stored.reshape(c1, h, w, n1 * rows, c0).transpose(3, 0, 4, 1, 2).reshape(n1 * rows, c1 * c0, h, w)
    return whole[:n, :c]


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
