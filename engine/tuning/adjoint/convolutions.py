"""Backward rules of convolutions, with respect to their input. Weights must be constant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine.graph.types import Array
from engine.tuning.adjoint.call import Call, Gradients, rule
from engine.tuning.adjoint.tape import Sym


class Window(NamedTuple):
    """How a window moves, one number per spatial axis."""

    strides: list[int]
    dilations: list[int]
    begin: list[int]
    end: list[int]
    """Padding at both ends."""


def window_of(call: Call, kernel: Sequence[int]) -> Window:
    """Attributes of a convolution or pooling; automatic padding is worked out from the shapes."""
    rank = len(kernel)
    strides = [int(s) for s in call.attribute("strides", [1] * rank)]
    dilations = [int(d) for d in call.attribute("dilations", [1] * rank)]
    pads = [int(p) for p in call.attribute("pads", [0] * 2 * rank)]
    automatic = call.attribute("auto_pad", "NOTSET")
    if automatic == "VALID":
        pads = [0] * 2 * rank
    elif automatic in ("SAME_UPPER", "SAME_LOWER"):
        source, result = call.shape()[2:], call.result_shape()[2:]
        total = [
            max(0, (result[i] - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1 - source[i]) for i in range(rank)
        ]
        small = [each // 2 for each in total]
        large = [each - less for each, less in zip(total, small, strict=True)]
        pads = [*small, *large] if automatic == "SAME_UPPER" else [*large, *small]
    return Window(strides, dilations, pads[:rank], pads[rank:])


@rule("Conv")
def conv(call: Call, g: Sym) -> Gradients:
    """At stride 1 a Conv with the kernel turned round and its two channel axes swapped, else a ConvTranspose."""
    weight = call.value(1)
    if weight is None:
        call.block("computed weights")
    call.need_constant(2)
    kernel, group = weight.shape[2:], int(call.attribute("group", 1))
    win = window_of(call, kernel)
    reach = [d * (k - 1) for d, k in zip(win.dilations, kernel, strict=True)]
    plain = all(stride == 1 for stride in win.strides)
    if plain and all(r >= max(b, e) for r, b, e in zip(reach, win.begin, win.end, strict=True)):
        pads = [r - p for r, p in zip(reach * 2, [*win.begin, *win.end], strict=True)]
        return [
            call.tape.op(
                "Conv", g, turned(weight, group), group=group, dilations=win.dilations, kernel_shape=list(kernel),
                pads=pads,
            )
        ]  # fmt: skip
    source, result = call.shape()[2:], call.result_shape()[2:]
    more = [
        source[i] - ((result[i] - 1) * win.strides[i] + reach[i] + 1 - win.begin[i] - win.end[i])
        for i in range(len(kernel))
    ]
    return [
        call.tape.op(
            "ConvTranspose", g, call.name(1), group=group, strides=win.strides, dilations=win.dilations,
            kernel_shape=list(kernel), pads=[*win.begin, *win.end], output_padding=more,
        )
    ]  # fmt: skip


def turned(weight: Array, group: int) -> Array:
    """Weight [outputs, inputs per group, ...] as [inputs, outputs per group, ...], spatial axes reversed."""
    outputs, inputs = weight.shape[:2]
    reverse = (slice(None), slice(None), *[slice(None, None, -1)] * (weight.ndim - 2))
    split = weight[reverse].reshape(group, outputs // group, inputs, *weight.shape[2:])
    made = split.swapaxes(1, 2).reshape(group * inputs, outputs // group, *weight.shape[2:])
    return np.ascontiguousarray(made, np.float32)


@rule("ConvTranspose")
def conv_transpose(call: Call, g: Sym) -> Gradients:
    """A Conv with the same weight; what the strides left over is cut off."""
    weight = call.value(1)
    if weight is None:
        call.block("computed weights")
    kernel = weight.shape[2:]
    rank = len(kernel)
    source, result = call.shape()[2:], call.result_shape()[2:]
    strides = [int(s) for s in call.attribute("strides", [1] * rank)]
    dilations = [int(d) for d in call.attribute("dilations", [1] * rank)]
    begin = _transposed_begin(call, kernel, strides, dilations)
    full = [strides[i] * (source[i] - 1) + (kernel[i] - 1) * dilations[i] + 1 for i in range(rank)]
    end = [max(0, full[i] - result[i] - begin[i]) for i in range(rank)]
    back = call.tape.op(
        "Conv", g, call.name(1), group=int(call.attribute("group", 1)), strides=strides, dilations=dilations,
        kernel_shape=list(kernel), pads=[*begin, *end],
    )  # fmt: skip
    made = [(result[i] + begin[i] + end[i] - dilations[i] * (kernel[i] - 1) - 1) // strides[i] + 1 for i in range(rank)]
    if made == list(source):
        return [back]
    axes = np.arange(2, 2 + rank)
    return [call.tape.op("Slice", back, np.zeros(rank, np.int64), np.asarray(source, np.int64), axes)]


def _transposed_begin(call: Call, kernel: Sequence[int], strides: list[int], dilations: list[int]) -> list[int]:
    """Padding at the beginning; worked out from the shapes where the node says only the result's."""
    rank = len(kernel)
    automatic = call.attribute("auto_pad", "NOTSET")
    if "output_shape" not in call.attributes and automatic in ("NOTSET", "VALID"):
        return [int(p) for p in call.attribute("pads", [0] * 2 * rank)][:rank]
    source, result = call.shape()[2:], call.result_shape()[2:]
    extra = [int(p) for p in call.attribute("output_padding", [0] * rank)]
    total = [
        strides[i] * (source[i] - 1) + extra[i] + (kernel[i] - 1) * dilations[i] + 1 - result[i] for i in range(rank)
    ]
    return [max(0, each // 2 if automatic == "SAME_UPPER" else each - each // 2) for each in total]
