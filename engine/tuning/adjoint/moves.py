"""Backward rules of operators that only move elements: every element's gradient goes back where it came from."""

from __future__ import annotations

from math import prod

import numpy as np
import onnx

from engine.graph.types import Array
from engine.tuning.adjoint.call import Call, Gradients, rule
from engine.tuning.adjoint.linear_maps import along, run_node
from engine.tuning.adjoint.tape import Sym

_EXACT_SINGLE = 1 << 24


@rule("Reshape", "Flatten", "Squeeze", "Unsqueeze")
def reshape(call: Call, g: Sym) -> Gradients:
    """The input's shape."""
    return [g.reshape(call.shape())]


@rule("Transpose")
def transpose(call: Call, g: Sym) -> Gradients:
    """The inverse order."""
    order = call.attribute("perm", list(range(call.rank()))[::-1])
    return [g.transpose([int(at) for at in np.argsort(order)])]


@rule("Expand")
def expand(call: Call, g: Sym) -> Gradients:
    """Sums over the copies."""
    return [g.to_shape(call.result_shape(), call.shape())]


@rule("Tile")
def tile(call: Call, g: Sym) -> Gradients:
    """Sums over the copies."""
    shape, result = call.shape(), call.result_shape()
    wide = [size for small, large in zip(shape, result, strict=True) for size in (large // max(small, 1), small)]
    return [g.reshape(wide).sum(list(range(0, 2 * len(shape), 2)), keep=False)]


@rule("Concat")
def concat(call: Call, g: Sym) -> Gradients:
    """Cuts the gradient up."""
    axis, start = int(call.attribute("axis", 0)) % len(call.result_shape()), 0
    made: list[Sym | None] = []
    for at in range(len(call.node.input)):
        stop = start + call.shape(at)[axis]
        bounds = [np.asarray([value], np.int64) for value in (start, stop, axis)]
        made.append(call.tape.op("Slice", g, *bounds) if at in call.wanted else None)
        start = stop
    return made


@rule("Split")
def split(call: Call, g: Sym) -> Gradients:
    """Puts the gradients together; parts that nobody reads are zero."""
    axis = int(call.attribute("axis", 0))
    parts = [
        np.zeros(call.result_shape(at), np.float32) if part is None else part for at, part in enumerate(call.gradients)
    ]
    return [call.tape.op("Concat", *parts, axis=axis)]


def placed(g: Sym, axis: int, index: Array, size: int, rank: int) -> Sym:
    """Gradient of taking `index` along an axis of that size."""
    index = np.asarray(index, np.int64) % max(size, 1)
    if len(index) and np.array_equal(index, np.arange(index[0], index[0] + len(index))):
        if len(index) == size:
            return g
        return _padded(g, axis, int(index[0]), size - int(index[-1]) - 1, rank)
    if len(set(index.tolist())) == len(index):  # no repeats: take from the gradient, or from a zero behind it
        back = np.full(size, len(index), np.int64)
        back[index] = np.arange(len(index))
        return g.tape.op("Gather", _padded(g, axis, 0, 1, rank), back, axis=axis)
    chosen = np.zeros((len(index), size), np.float32)
    chosen[np.arange(len(index)), index] = 1
    return along(g, {axis: chosen}, rank)


def _padded(g: Sym, axis: int, before: int, after: int, rank: int) -> Sym:
    pads = np.zeros(2 * rank, np.int64)
    pads[axis], pads[rank + axis] = before, after
    return g.tape.op("Pad", g, pads)


@rule("Slice")
def slice_(call: Call, g: Sym) -> Gradients:
    """Puts the slice back between zeros, axis by axis."""
    shape = call.shape()
    starts, stops = call.values(1), call.values(2)
    axes = call.values(3) if call.given(3) else list(range(len(starts)))
    steps = call.values(4) if call.given(4) else [1] * len(starts)
    for axis, start, stop, step in zip(axes, starts, stops, steps, strict=True):
        size = shape[axis]
        last = None if step < 0 and stop < -size else stop
        g = placed(g, axis % len(shape), np.arange(size)[start:last:step], size, len(shape))
    return [g]


@rule("Gather")
def gather(call: Call, g: Sym) -> Gradients:
    """Puts slices back where the indices took them from."""
    shape = call.shape()
    axis = int(call.attribute("axis", 0)) % len(shape)
    index = np.asarray(call.values(1), np.int64)
    flat = g.reshape([*shape[:axis], index.size, *shape[axis + 1 :]])
    return [placed(flat, axis, index, shape[axis], len(shape))]


@rule("Pad")
def pad(call: Call, g: Sym) -> Gradients:
    """Cuts the padding off."""
    shape, pads = call.shape(), np.asarray(call.values(1), np.int64)
    if call.attribute("mode", "constant") != "constant" or (pads < 0).any():
        return moved(call, g)
    axes = np.asarray(call.values(3) if call.given(3) else np.arange(len(shape)), np.int64) % len(shape)
    begin = np.zeros(len(shape), np.int64)
    begin[axes] = pads[: len(axes)]
    return [call.tape.op("Slice", g, begin, begin + np.asarray(shape, np.int64), np.arange(len(shape)))]


@rule("DepthToSpace", "SpaceToDepth", "GatherND", "GatherElements", "ReverseSequence", "Trilu")
def moved(call: Call, g: Sym) -> Gradients:
    """Any operator that copies elements of its first input: run once on element numbers, scattered back."""
    shape = call.shape()
    feeds: dict[str, Array] = {}
    for at in range(1, len(call.node.input)):
        if call.given(at):
            value = call.value(at)
            if value is None:
                call.block("computed parameters")
            feeds[call.name(at)] = value
    numbers = (np.arange(prod(shape), dtype=np.float64) + 1).reshape(shape)
    node = onnx.NodeProto()
    node.CopyFrom(call.node)
    node.input[0] = "element numbers"
    if node.op_type == "Pad" and len(node.input) > 2 and node.input[2]:
        feeds.pop(node.input[2], None)  # padding counts as element 0, which there is not
        node.input[2] = ""
    single = numbers.size < _EXACT_SINGLE
    feeds["element numbers"] = numbers.astype(np.float32) if single else numbers
    source = np.rint(run_node(node, feeds, call.segment.opset)).astype(np.int64).ravel()
    taken = source[source > 0]
    if len(np.unique(taken)) == len(taken):
        back = np.full(numbers.size + 1, source.size, np.int64)
        back[source] = np.arange(source.size)
        with_zero = call.tape.op("Pad", g.reshape([-1]), np.asarray([0, 1], np.int64))
        return [call.tape.op("Gather", with_zero, back[1:]).reshape(shape)]
    sums = scattered(g, call.tape.sym(call.tape.constant(source)), numbers.size + 1)
    ends = [np.asarray([value], np.int64) for value in (1, numbers.size + 1)]
    return [call.tape.op("Slice", sums, *ends).reshape(shape)]


def scattered(g: Sym, index: Sym, size: int) -> Sym:
    """Add a gradient up at flat positions of a tensor of that size."""
    nothing = g.tape.op("ConstantOfShape", np.asarray([size], np.int64))
    return g.tape.op("ScatterElements", nothing, index, g.reshape([-1]), axis=0, reduction="add")
