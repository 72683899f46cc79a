"""Convolution as a matrix product: the windows of an activation as rows (im2col, what the load3d instruction does)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.graph.types import Array, Node
from engine.npu.operators import attribute


class Geometry(NamedTuple):
    """A convolution's window, one entry per spatial axis."""

    groups: int
    window: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    out: tuple[int, ...]


def geometry(node: Node, source: tuple[int, ...], weight: tuple[int, ...]) -> Geometry:
    """Read a Conv node.

    Args:
        node: The node.
        source: Shape of the activation [N, C, ...].
        weight: Shape of the weight [M, C / group, ...].
    """
    window, spatial = tuple(weight[2:]), source[2:]
    ones = (1,) * len(window)
    groups = attribute(node, "group", 1)
    strides = _axes(node, "strides", ones)
    dilations = _axes(node, "dilations", ones)
    spans = tuple((k - 1) * d + 1 for k, d in zip(window, dilations, strict=True))
    pads = _axes(node, "pads", (0,) * (2 * len(window)))
    before, after = pads[: len(window)], pads[len(window) :]
    mode = attribute(node, "auto_pad", b"NOTSET")
    if mode in (b"SAME_UPPER", b"SAME_LOWER"):
        needed = [
            max((-(-size // s) - 1) * s + span - size, 0) for size, s, span in zip(spatial, strides, spans, strict=True)
        ]
        small, large = tuple(n // 2 for n in needed), tuple(n - n // 2 for n in needed)
        before, after = (small, large) if mode == b"SAME_UPPER" else (large, small)
    elif mode == b"VALID":
        before = after = (0,) * len(window)
    out = tuple(
        (size + lead + tail - span) // s + 1
        for size, lead, tail, span, s in zip(spatial, before, after, spans, strides, strict=True)
    )
    return Geometry(groups if isinstance(groups, int) else 1, window, strides, dilations, before, after, out)


def patches(values: Array, shape: Geometry) -> Array:
    """Windows as rows [groups, N * output positions, C / groups * taps]; padding is 0."""
    axes = tuple(range(2, values.ndim))
    padded = np.pad(values, [(0, 0), (0, 0), *zip(shape.before, shape.after, strict=True)])
    spans = tuple((k - 1) * d + 1 for k, d in zip(shape.window, shape.dilations, strict=True))
    windows = np.lib.stride_tricks.sliding_window_view(padded, spans, axes)
    picked = (slice(None), slice(None), *(slice(None, None, s) for s in shape.strides))
    windows = windows[(*picked, *(slice(None, None, d) for d in shape.dilations))]
    batch, channels = values.shape[:2]
    count = len(axes)
    split = windows.reshape(batch, shape.groups, channels // shape.groups, *windows.shape[2:])
    order = (1, 0, *range(3, 3 + count), 2, *range(3 + count, 3 + 2 * count))
    rows: Array = split.transpose(order).reshape(shape.groups, batch * int(np.prod(shape.out)), -1)
    return rows


def _axes(node: Node, name: str, default: tuple[int, ...]) -> tuple[int, ...]:
    value = attribute(node, name)
    return tuple(int(entry) for entry in value) if isinstance(value, (list, tuple)) else default
