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


def transposed_geometry(node: Node, source: tuple[int, ...], weight: tuple[int, ...]) -> Geometry:
    """Read a ConvTranspose node; padding is that of the output, as the node says it: what is cut off.

    Args:
        node: The node.
        source: Shape of the activation [N, C, ...].
        weight: Shape of the weight [C, M / group, ...].
    """
    window, spatial = tuple(weight[2:]), source[2:]
    count = len(window)
    groups = attribute(node, "group", 1)
    strides, dilations = _axes(node, "strides", (1,) * count), _axes(node, "dilations", (1,) * count)
    spare = _axes(node, "output_padding", (0,) * count)
    pads = _axes(node, "pads", (0,) * (2 * count))
    before, after = pads[:count], pads[count:]
    whole = tuple(
        (size - 1) * s + (k - 1) * d + 1 + more
        for size, s, k, d, more in zip(spatial, strides, window, dilations, spare, strict=True)
    )
    mode = attribute(node, "auto_pad", b"NOTSET")
    wanted = _axes(node, "output_shape", ())[-count:]
    if mode in (b"SAME_UPPER", b"SAME_LOWER") and not wanted:
        wanted = tuple(size * s for size, s in zip(spatial, strides, strict=True))
    if wanted:
        cut = [max(size - given, 0) for size, given in zip(whole, wanted, strict=True)]
        small, large = tuple(n // 2 for n in cut), tuple(n - n // 2 for n in cut)
        before, after = (small, large) if mode == b"SAME_UPPER" else (large, small)
    elif mode == b"VALID":
        before = after = (0,) * count
    out = wanted or tuple(size - lead - tail for size, lead, tail in zip(whole, before, after, strict=True))
    return Geometry(groups if isinstance(groups, int) else 1, window, strides, dilations, before, after, out)


def spread(values: Array, shape: Geometry) -> Array:
    """Rows of a transposed convolution, like `patches`: zeros between the values, the taps of each window reversed."""
    axes = tuple(range(2, values.ndim))
    spans = tuple((k - 1) * d for k, d in zip(shape.window, shape.dilations, strict=True))
    wide = tuple(out + span for out, span in zip(shape.out, spans, strict=True))
    padded = np.zeros((*values.shape[:2], *wide), values.dtype)
    into, of = [slice(None)] * 2, [slice(None)] * 2
    for axis, size, s, span, cut in zip(axes, wide, shape.strides, spans, shape.before, strict=True):
        lead = span - cut
        first = max(-(lead // s), 0)  # values in front of the first window are cut off
        last = min(values.shape[axis], -(-(size - lead) // s))
        into.append(slice(lead + first * s, lead + last * s, s) if last > first else slice(0, 0))
        of.append(slice(first, last) if last > first else slice(0, 0))
    padded[tuple(into)] = values[tuple(of)]
    plain = shape._replace(strides=(1,) * len(axes), before=(0,) * len(axes), after=(0,) * len(axes))
    rows = patches(padded, plain)
    taps = rows.reshape(*rows.shape[:2], -1, *shape.window)
    return np.ascontiguousarray(np.flip(taps, tuple(range(3, taps.ndim)))).reshape(rows.shape)


def _axes(node: Node, name: str, default: tuple[int, ...]) -> tuple[int, ...]:
    value = attribute(node, name)
    return tuple(int(entry) for entry in value) if isinstance(value, (list, tuple)) else default
