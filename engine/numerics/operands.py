"""What meets each weight: a kernel's activation as rows that are multiplied with the weight matrix."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, NamedTuple

import numpy as np
import onnx
from numpy.lib.stride_tricks import sliding_window_view

from engine.fusion.types import Kernel, Kind
from engine.graph.types import Array

_PRODUCTS = frozenset({"Conv", "ConvTranspose", "Gemm", "MatMul"})


class Rows(NamedTuple):
    """Some rows of one run."""

    channels: slice
    """Channels of the weight matrix that meet them."""
    columns: slice
    """Stretch of its reduction axis that they lie along."""
    values: Array
    """float32 [rows, columns]."""


def has_rows(kernel: Kernel) -> bool:
    """Whether a kernel's product is one with rows: convolutions that mix channels, Gemm, MatMul by a matrix."""
    weight = kernel.weight
    if weight is None or kernel.more_weights or kernel.kind is Kind.DEPTHWISE:
        return False
    operator = kernel.nodes[kernel.anchor].op_type
    if operator not in _PRODUCTS or not weight.activation:
        return False
    if operator in ("Gemm", "MatMul"):
        return len(weight.shape) == 2
    return weight.channel_axes == ((0,) if operator == "Conv" else (1,))


def rows_of(kernel: Kernel, activation: Array, most: int, seed: int = 0) -> Iterator[Rows]:
    """The rows of one run, or as many of them as are asked for, drawn evenly.

    Args:
        kernel: One that `has_rows`.
        activation: What meets the weight, any floating dtype.
        most: So many rows of each group.
        seed: Of the draw.
    """
    assert kernel.weight is not None
    node = kernel.nodes[kernel.anchor].proto
    if node.op_type in ("Conv", "ConvTranspose"):
        yield from _patches(kernel, node, activation, most, seed)
        return
    channels, reduction = kernel.weight.channel_axes[0], kernel.weight.reduction_axes[0]
    rows = _operand(kernel, node, activation)
    picked = rows[_drawn(len(rows), most, seed)]
    yield Rows(
        slice(0, kernel.weight.shape[channels]),
        slice(0, kernel.weight.shape[reduction]),
        np.ascontiguousarray(picked, dtype=np.float32),
    )


def _operand(kernel: Kernel, node: onnx.NodeProto, activation: Array) -> Array:
    """The other side of a matrix product as rows along the reduction."""
    assert kernel.weight is not None
    on_the_right = node.input[1] == kernel.weight.constant
    flags = {attribute.name: attribute.i for attribute in node.attribute}
    if node.op_type == "Gemm":
        turn = bool(flags.get("transA" if on_the_right else "transB", 0)) == on_the_right
        return activation.T if turn else activation
    if activation.ndim == 1:
        return activation[None]
    rows = activation if on_the_right else np.moveaxis(activation, -2, -1)
    return rows.reshape(-1, rows.shape[-1])


def _patches(kernel: Kernel, node: onnx.NodeProto, activation: Array, most: int, seed: int) -> Iterator[Rows]:
    weight = kernel.weight
    assert weight is not None
    given = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    size = weight.shape[2:]
    rank, groups = len(size), int(given.get("group", 1))
    strides = tuple(given.get("strides", (1,) * rank))
    dilations = tuple(given.get("dilations", (1,) * rank))
    reach = tuple(d * (k - 1) + 1 for d, k in zip(dilations, size, strict=True))
    pads = _pads(given, activation.shape[2:], strides, reach)
    transposed = node.op_type == "ConvTranspose"
    if transposed:
        spread, steps = _spread(activation, strides, reach, pads), (1,) * rank
    else:
        edges = [(0, 0), (0, 0), *zip(pads[:rank], pads[rank:], strict=True)]
        spread, steps = np.pad(activation, edges) if any(pads) else activation, strides
    if max(reach) == 1 and groups == 1 and not transposed:
        yield _points(weight.shape, spread, strides, most, seed)
        return
    axes = tuple(range(2, 2 + rank))
    if any(have < want for have, want in zip(spread.shape[2:], reach, strict=True)):
        return
    windows = sliding_window_view(spread, reach, axis=axes)
    back = -1 if transposed else 1  # a transposed one sums input p - t times tap t at output p
    inside = [slice(None, None, back * d) for d in dilations]
    windows = windows[(slice(None), slice(None), *(slice(None, None, s) for s in steps), *inside)]
    places = (windows.shape[0], *windows.shape[2 : 2 + rank])
    chosen = np.unravel_index(_drawn(prod(places), most, seed), places)
    at: Any = (chosen[0], slice(None), *chosen[1:])
    picked = windows[at]
    each = activation.shape[1] // groups
    taps = prod(size)
    for group in range(groups):
        values = picked[:, group * each : (group + 1) * each].reshape(len(picked), -1)
        if transposed:
            channels, columns = slice(0, weight.shape[1]), slice(group * each * taps, (group + 1) * each * taps)
        else:
            outputs = weight.shape[0] // groups
            channels, columns = slice(group * outputs, (group + 1) * outputs), slice(0, each * taps)
        yield Rows(channels, columns, np.ascontiguousarray(values, dtype=np.float32))


def _points(shape: tuple[int, ...], activation: Array, strides: tuple[int, ...], most: int, seed: int) -> Rows:
    """Rows of a 1x1 convolution: the channels at each position."""
    at = activation[(slice(None), slice(None), *(slice(None, None, s) for s in strides))]
    places = (at.shape[0], *at.shape[2:])
    chosen = np.unravel_index(_drawn(prod(places), most, seed), places)
    index: Any = (chosen[0], slice(None), *chosen[1:])
    return Rows(slice(0, shape[0]), slice(0, shape[1]), np.ascontiguousarray(at[index], dtype=np.float32))


def _spread(activation: Array, strides: tuple[int, ...], reach: tuple[int, ...], pads: tuple[int, ...]) -> Array:
    """The input of a transposed convolution with zeros between, as a plain convolution would read it."""
    shape = [(n - 1) * s + 1 for n, s in zip(activation.shape[2:], strides, strict=True)]
    spread = np.zeros((*activation.shape[:2], *shape), activation.dtype)
    spread[(slice(None), slice(None), *(slice(None, None, s) for s in strides))] = activation
    rank = len(reach)
    edges = [(r - 1 - p, r - 1 - q) for r, p, q in zip(reach, pads[:rank], pads[rank:], strict=True)]
    spread = np.pad(spread, [(0, 0), (0, 0), *((max(0, a), max(0, b)) for a, b in edges)])
    cut = (slice(max(0, -a), n - max(0, -b)) for (a, b), n in zip(edges, spread.shape[2:], strict=True))
    return spread[(slice(None), slice(None), *cut)]


def _pads(
    given: dict[str, object], inputs: tuple[int, ...], strides: tuple[int, ...], reach: tuple[int, ...]
) -> tuple[int, ...]:
    """Zeros before each axis, then behind each.

    With automatic padding of a transposed convolution the border differs by less than a stride: it is left out, since
    only means over all positions are taken.
    """
    rank = len(reach)
    kind = given.get("auto_pad", b"NOTSET")
    if kind in (b"SAME_UPPER", b"SAME_LOWER"):
        total = [max(0, (-(-n // s) - 1) * s + r - n) for n, s, r in zip(inputs, strides, reach, strict=True)]
        less, more = tuple(t // 2 for t in total), tuple(t - t // 2 for t in total)
        return less + more if kind == b"SAME_UPPER" else more + less
    pads = given.get("pads", ()) if kind == b"NOTSET" else ()
    assert isinstance(pads, (list, tuple))
    return tuple(int(pad) for pad in pads) or (0,) * (2 * rank)


def _drawn(count: int, most: int, seed: int) -> Array:
    """Positions in rising order, one at random out of each of equal stretches."""
    if count <= most:
        return np.arange(count)
    edges = np.arange(most + 1) * count // most
    found: Array = edges[:-1] + np.random.default_rng(seed).integers(0, np.diff(edges))
    return found
