"""How a rounded weight and its bias are spelt: float constants (preview) or packed integers (file)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import onnx
from onnx import helper

from engine.fusion.types import Weight
from engine.graph.types import Array
from engine.numerics.activations import onnx_type, rounds
from engine.precision.scheme import ActivationFormat, WeightFormat
from engine.quant.matrix import from_matrix
from engine.quant.ranges import QuantParams
from engine.quant.weights import QuantizedWeight

_INT32 = 2.0**31
APART = "/apart"
"""Ending of what stands between blocks of 8 bits and their reader."""


class WeightNodes(NamedTuple):
    """Nodes (none in the preview), constants, and the name that the reader reads instead."""

    nodes: list[onnx.NodeProto]
    constants: Mapping[str, Array]
    output: str


def preview_weight(values: Array, weight: Weight, form: WeightFormat, dtype: np.dtype[np.generic]) -> WeightNodes:
    """A rounded weight as a float constant in the dtype of the original."""
    stem = stem_of(weight, form)
    with np.errstate(over="ignore"):  # a model in half has no wider type to hold it; the result shows it
        return WeightNodes([], {stem: values.astype(dtype, copy=False)}, stem)


def packed_weight(
    weight: Weight, quantized: QuantizedWeight, dtype: np.dtype[np.generic], prefix: str, *, beside: ActivationFormat
) -> WeightNodes:
    """A rounded weight as integers (or floats of 16 bits) and nodes that turn them into the dtype of the original.

    Constants are named after the weight and the format, so that tied weights of one format are one constant.

    Args:
        weight: What was rounded.
        quantized: Its codes.
        dtype: Of the original.
        prefix: Of the names that are made.
        beside: The format of the activation that meets it.
    """
    stem = stem_of(weight, quantized.format)
    if quantized.format.floating:
        return _floating(quantized, stem, prefix, dtype)
    made = _integer(quantized, stem, prefix, dtype)
    # ONNX Runtime joins a product of 8-bit codes into an integer kernel that knows no blocks, and then fails.
    blocks = quantized.format.bits == 8 and quantized.scales.shape[1] > 1
    codes_meet = blocks and not beside.floating and beside.bits == 8
    return _held_apart(made, stem, prefix, quantized.shape) if codes_meet and len(made.nodes) == 1 else made


def bias_nodes(
    name: str,
    bias: Array,
    scales: Array | None,
    params: QuantParams | None,
    form: ActivationFormat,
    prefix: str,
    packed: bool,
    *,
    scaled: bool,
    outputs: Array | None = None,
) -> WeightNodes | None:
    """A rounded bias: half beside half activations, int32 where 8-bit activations meet a weight per tensor or channel.

    Returns None where it stays as it is: beside group scales, dynamic activations or a scaled Gemm there is no common
    unit for it, and a code that would not fit 32 bits says that hardware could not add it as an integer either. With
    `outputs` the bias is rounded in units that those multiply; a file leaves that to the multiplication behind it.
    """
    if outputs is not None:
        return _scaled_bias(name, bias, scales, params, form, prefix, packed, scaled, outputs)
    if form.floating:
        return _half_bias(name, bias, form, prefix, packed)
    if scales is None or scales.shape[1] != 1 or params is None or form.bits > 8 or scaled:
        return None
    unit = np.float32(params.scale) * scales[:, 0]
    if unit.size not in (1, bias.size) or not np.isfinite(bias).all():
        return None
    with np.errstate(over="ignore"):  # refused below
        codes = np.rint(bias.reshape(-1).astype(np.float32) / unit)
    if not np.all(np.abs(codes) < _INT32):
        return None
    integers = codes.astype(np.int32)
    if not packed:
        values = (integers.astype(np.float32) * unit).astype(bias.dtype).reshape(bias.shape)
        return WeightNodes([], {f"{prefix}/value": values}, f"{prefix}/value")
    stem = f"{prefix}/int32"
    per_channel = unit.size > 1
    constants: dict[str, Array] = {stem: integers, f"{stem}/scale": unit if per_channel else unit.reshape(())}
    attributes: dict[str, Any] = {"axis": 0} if per_channel else {}
    nodes = [helper.make_node("DequantizeLinear", [stem, f"{stem}/scale"], [f"{prefix}/flat"], **attributes)]
    return _finish(nodes, constants, f"{prefix}/flat", prefix, bias.shape, 1, bias.dtype)


def _scaled_bias(
    name: str,
    bias: Array,
    scales: Array | None,
    params: QuantParams | None,
    form: ActivationFormat,
    prefix: str,
    packed: bool,
    scaled: bool,
    outputs: Array,
) -> WeightNodes:
    """The bias over `outputs`, rounded; the preview has it times `outputs` again."""
    by_channel = outputs.reshape(bias.shape).astype(bias.dtype)
    small = bias / by_channel
    made = bias_nodes(name, small, scales, params, form, prefix, packed, scaled=scaled)
    if made is None:
        made = WeightNodes([], {f"{prefix}/value": small}, f"{prefix}/value")
    if packed:
        return made
    return WeightNodes([], {made.output: (made.constants[made.output] * by_channel).astype(bias.dtype)}, made.output)


def _half_bias(name: str, bias: Array, form: ActivationFormat, prefix: str, packed: bool) -> WeightNodes | None:
    if form.bits != 16 or not rounds(bias.dtype, form.brain):
        return None
    with np.errstate(over="ignore", invalid="ignore"):  # overflow and NaN show in the result
        half = bias.astype(ml_dtypes.bfloat16 if form.brain else np.float16)
    if not packed:
        return WeightNodes([], {f"{prefix}/value": half.astype(bias.dtype)}, f"{prefix}/value")
    stem = f"{name}/mixbit/{'brain' if form.brain else 'half'}"
    cast = helper.make_node("Cast", [stem], [f"{prefix}/value"], to=onnx_type(bias.dtype))
    return WeightNodes([cast], {stem: half}, f"{prefix}/value")


def _floating(quantized: QuantizedWeight, stem: str, prefix: str, dtype: np.dtype[np.generic]) -> WeightNodes:
    axes = quantized.channel_axes, quantized.reduction_axes
    array = from_matrix(quantized.codes, quantized.shape, *axes)
    if array.dtype == dtype:
        return WeightNodes([], {stem: array}, stem)
    cast = helper.make_node("Cast", [stem], [f"{prefix}/value"], to=onnx_type(dtype))
    return WeightNodes([cast], {stem: array}, f"{prefix}/value")


def _integer(quantized: QuantizedWeight, stem: str, prefix: str, dtype: np.dtype[np.generic]) -> WeightNodes:
    """DequantizeLinear on the original layout where ONNX can say it so, else on the matrix, reshaped afterwards."""
    shape, channels, reduction = quantized.shape, quantized.channel_axes, quantized.reduction_axes
    container = _container(quantized.format)
    groups = quantized.scales.shape[1]
    axis = _block_axis(quantized) if groups > 1 else (channels[0] if len(channels) == 1 else None)
    plain = quantized.scales.size == 1 or axis is not None
    if plain:
        codes = from_matrix(quantized.codes, shape, channels, reduction)
        scales, zeros = _scales_in_place(quantized, axis)
    else:
        codes, scales, zeros = quantized.codes, quantized.scales, quantized.zero_points
        axis = 1 if groups > 1 else 0
        if groups == 1:
            scales, zeros = scales[:, 0], zeros[:, 0]
    constants: dict[str, Array] = {stem: codes.astype(container), f"{stem}/scale": np.require(scales, requirements="C")}
    inputs = [stem, f"{stem}/scale"]
    if not quantized.format.symmetric:
        constants[f"{stem}/zero_point"] = np.require(zeros.astype(container), requirements="C")
        inputs.append(f"{stem}/zero_point")
    attributes: dict[str, Any] = {}
    if quantized.scales.size > 1:
        attributes["axis"] = int(axis or 0)
    if groups > 1:
        attributes["block_size"] = quantized.group
    nodes = [helper.make_node("DequantizeLinear", inputs, [f"{prefix}/real"], **attributes)]
    if plain:
        return _finish(nodes, constants, f"{prefix}/real", prefix, shape, len(shape), dtype)
    order = (*channels, *reduction)
    moved = [shape[at] for at in order]
    constants[f"{stem}/shape"] = np.asarray(moved, np.int64)
    nodes.append(helper.make_node("Reshape", [f"{prefix}/real", f"{stem}/shape"], [f"{prefix}/moved"]))
    last = f"{prefix}/moved"
    if order != tuple(range(len(shape))):
        last = f"{prefix}/placed"
        inverse = [order.index(at) for at in range(len(shape))]
        nodes.append(helper.make_node("Transpose", [f"{prefix}/moved"], [last], perm=inverse))
    return _finish(nodes, constants, last, prefix, shape, len(shape), dtype)


def _held_apart(made: WeightNodes, stem: str, prefix: str, shape: tuple[int, ...]) -> WeightNodes:
    """With a Reshape to the shape that there is between the DequantizeLinear and what reads it."""
    constants = {**made.constants, f"{stem}/shape": np.asarray(shape, np.int64)}
    output = f"{prefix}{APART}"
    reshape = helper.make_node("Reshape", [made.output, f"{stem}/shape"], [output])
    return WeightNodes([*made.nodes, reshape], constants, output)


def _block_axis(quantized: QuantizedWeight) -> int | None:
    """The axis along which groups run in the original layout; None if they cross axes."""
    long = [axis for axis in quantized.reduction_axes if quantized.shape[axis] > 1]
    return long[0] if len(long) == 1 else None


def _scales_in_place(quantized: QuantizedWeight, axis: int | None) -> tuple[Array, Array]:
    """Scales and zero points in the form that DequantizeLinear wants beside a weight of the original shape."""
    scales, zeros = quantized.scales, quantized.zero_points
    if scales.size == 1:
        return scales.reshape(()), zeros.reshape(())
    if scales.shape[1] == 1:
        return scales[:, 0], zeros[:, 0]
    assert axis is not None
    shape = tuple(
        scales.shape[1] if at == axis else size if at in quantized.channel_axes else 1
        for at, size in enumerate(quantized.shape)
    )
    axes = quantized.channel_axes, quantized.reduction_axes
    return from_matrix(scales, shape, *axes), from_matrix(zeros, shape, *axes)


def _finish(
    nodes: list[onnx.NodeProto],
    constants: dict[str, Array],
    last: str,
    prefix: str,
    shape: tuple[int, ...],
    rank: int,
    dtype: np.dtype[np.generic],
) -> WeightNodes:
    """Reshape to the constant's shape and cast to its dtype where that is needed."""
    if len(shape) != rank:
        constants[f"{prefix}/shape"] = np.asarray(shape, np.int64)
        nodes.append(helper.make_node("Reshape", [last, f"{prefix}/shape"], [f"{prefix}/shaped"]))
        last = f"{prefix}/shaped"
    if dtype != np.float32:
        nodes.append(helper.make_node("Cast", [last], [f"{prefix}/cast"], to=onnx_type(dtype)))
        last = f"{prefix}/cast"
    return WeightNodes(nodes, constants, last)


def _container(form: WeightFormat) -> np.dtype[Any]:
    """The ONNX type that holds the codes: 2- and 3-bit codes fit INT4."""
    if form.bits <= 4:
        int4: np.dtype[Any] = np.dtype(ml_dtypes.int4)
        return int4
    return np.dtype(np.int8 if form.bits == 8 else np.int16)


def stem_of(weight: Weight, form: WeightFormat) -> str:
    """The name of a rounded weight: tied weights of one format have one."""
    kind = "brain" if form.brain else "float" if form.floating else ("int_symmetric" if form.symmetric else "int")
    grain = "" if form.floating else f"_{form.granularity}{form.group or ''}"
    return f"{weight.constant}/mixbit/{kind}{form.bits}{grain}_c{''.join(map(str, weight.channel_axes))}"
