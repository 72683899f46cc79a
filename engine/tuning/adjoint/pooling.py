"""Backward rules of pooling, resizing and local response normalisation."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from engine.graph.types import Array
from engine.tuning.adjoint.call import Call, Gradients, rule
from engine.tuning.adjoint.convolutions import window_of
from engine.tuning.adjoint.linear_maps import along, bare, run_node
from engine.tuning.adjoint.moves import scattered
from engine.tuning.adjoint.tape import Sym


@rule("AveragePool")
def average_pool(call: Call, g: Sym) -> Gradients:
    """A banded matrix along each spatial axis."""
    shape, kernel = call.shape(), [int(size) for size in call.attribute("kernel_shape", [])]
    win = window_of(call, kernel)
    maps = {}
    for at, size in enumerate(kernel):
        kept = {key: call.attributes[key] for key in ("ceil_mode", "count_include_pad") if key in call.attributes}
        if win.dilations[at] > 1:
            kept["dilations"] = [win.dilations[at]]
        attributes = {"kernel_shape": [size], "strides": [win.strides[at]], "pads": [win.begin[at], win.end[at]]}
        node = bare("AveragePool", ["x"], {**attributes, **kept})
        unit = np.eye(shape[at + 2], dtype=np.float32)[:, None]
        maps[at + 2] = run_node(node, {"x": unit}, call.segment.opset)[:, 0].T
    return [along(g, maps, len(shape))]


@rule("MaxPool")
def max_pool(call: Call, g: Sym) -> Gradients:
    """The gradient goes where the maximum was; a second run of the node tells where."""
    shape = call.shape()
    dilated = any(int(d) > 1 for d in call.attribute("dilations", [1]))
    if call.attribute("storage_order", 0):
        call.block("column-major indices")
    if len(shape) == 5 and dilated:
        call.block("three dilated axes")  # ONNX Runtime's indices are wrong there
    name = f"{call.node.output[0]}/indices"
    _, indices = call.tape.write("MaxPool", [call.x()], [f"{name}/values", name], **call.attributes)
    return [scattered(g, indices.reshape([-1]), prod(shape)).reshape(shape)]


@rule("Resize")
def resize(call: Call, g: Sym) -> Gradients:
    """A matrix along each axis; whole-factor nearest is a sum over blocks."""
    source, result = call.shape(), call.result_shape()
    if call.attribute("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize":
        call.block("tf_crop_and_resize")
    call.need_constant(1, 2, 3)
    maps: dict[int, Array] = {}
    repeats: dict[int, int] = {}
    for axis in range(len(source)):
        if source[axis] == result[axis]:
            continue
        matrix = _resize_matrix(call, axis)
        factor = result[axis] // source[axis]
        blocks = np.kron(np.eye(source[axis]), np.ones((factor, 1)))
        if matrix.shape == blocks.shape and np.array_equal(matrix, blocks):
            repeats[axis] = factor
        else:
            maps[axis] = matrix
    if repeats:
        wide: list[int] = []
        summed: list[int] = []
        for axis, size in enumerate(result):
            if axis in repeats:
                wide += [size // repeats[axis], repeats[axis]]
                summed.append(len(wide) - 1)
            else:
                wide.append(size)
        g = g.reshape(wide).sum(summed, keep=False)
    return [along(g, maps, len(source))]


def _resize_matrix(call: Call, axis: int) -> Array:
    """[out, in] along one axis: rows of an identity matrix stay, columns are resized."""
    source, result = call.shape(), call.result_shape()
    kept: dict[str, Any] = {
        key: value for key, value in call.attributes.items() if key not in ("axes", "keep_aspect_ratio_policy")
    }
    axes = [int(a) % len(source) for a in call.attribute("axes", range(len(source)))]
    feeds: dict[str, Array] = {"x": np.eye(source[axis], dtype=np.float32)[None, None]}
    scales = call.value(2)
    if scales is not None and scales.size:
        feeds["s"] = np.asarray([1, 1, 1, scales[axes.index(axis)]], np.float32)
        inputs = ["x", "", "s"]
    else:
        feeds["z"] = np.asarray([1, 1, source[axis], result[axis]], np.int64)
        inputs = ["x", "", "", "z"]
    return np.asarray(run_node(bare("Resize", inputs, kept), feeds, call.segment.opset)[0, 0].T)


@rule("LRN")
def local_response(call: Call, g: Sym) -> Gradients:
    """For y = x d^-beta with d = bias + alpha / size sum of x^2 over neighbouring channels."""
    size, beta = int(call.attribute("size", 1)), float(call.attribute("beta", 0.75))
    alpha, bias = float(call.attribute("alpha", 1e-4)), float(call.attribute("bias", 1.0))
    x, rank, channel = call.x(), call.rank(), np.arange(call.shape()[1])
    low, high = channel[:, None] - (size - 1) // 2, channel[:, None] + size // 2
    band = ((channel >= low) & (channel <= high)).astype(np.float32)
    d = along(x * x, {1: band.T}, rank) * (alpha / size) + bias
    p = call.tape.op("Pow", d, -beta)
    return [g * p - x * along(g * x * p / d, {1: band}, rank) * (2 * alpha * beta / size)]
