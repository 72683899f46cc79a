"""Backward rules of normalisations and softmax."""

from __future__ import annotations

from math import prod

import numpy as np

from engine.tuning.adjoint.call import Call, Gradients, rule
from engine.tuning.adjoint.tape import Sym


def _normalised(x: Sym, scaled: Sym, axes: list[int], count: int, epsilon: float, *, centre: bool = True) -> Sym:
    """Backward of h = (x - mean) / sqrt(var + epsilon) over axes: (g - mean g - h mean(g h)) / sqrt(var + epsilon).

    Args:
        x: The input.
        scaled: Gradient of h.
        axes: What mean and variance run over.
        count: Elements that they run over.
        epsilon: Added to the variance.
        centre: False for norms that leave the mean in.
    """

    def mean(value: Sym) -> Sym:
        return value.sum(axes) * (1 / count)

    centred = x - mean(x) if centre else x
    inverse = 1.0 / x.tape.op("Sqrt", mean(centred * centred) + epsilon)
    h = centred * inverse
    through = scaled - h * mean(scaled * h)
    return (through - mean(scaled) if centre else through) * inverse


@rule("LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization")
def layer_norm(call: Call, g: Sym) -> Gradients:
    """Over the axes from `axis` on; scale and shift must be constant."""
    call.need_constant(1, 2)
    shape = call.shape()
    axes = list(range(int(call.attribute("axis", -1)) % len(shape), len(shape)))
    scaled = g * call.x(1) if call.given(1) else g
    count, epsilon = prod(shape[at] for at in axes), float(call.attribute("epsilon", 1e-5))
    centre = call.node.op_type == "LayerNormalization"
    return [_normalised(call.x(), scaled, axes, count, epsilon, centre=centre)]


@rule("com.microsoft.SkipLayerNormalization", "com.microsoft.SkipSimplifiedLayerNormalization")
def skip_layer_norm(call: Call, g: Sym) -> Gradients:
    """Norm of input + skip (+ bias): both get the same gradient, that of the written-out sum on top of it."""
    simple = call.node.op_type != "SkipLayerNormalization"
    call.need_constant(2, 3, 4)
    total = call.x(0) + call.x(1)
    bias = 3 if simple else 4
    if call.given(bias):
        total = total + call.x(bias)
    if call.shape(0) != call.shape(1):
        call.block("skip of another shape")
    axis = call.rank() - 1
    epsilon = float(call.attribute("epsilon", 1e-12))
    back = _normalised(total, g * call.x(2), [axis], call.shape()[axis], epsilon, centre=not simple)
    written = call.gradients[3] if len(call.gradients) > 3 else None
    back = back if written is None else back + written
    return [back, back]


@rule("InstanceNormalization", "GroupNormalization")
def instance_norm(call: Call, g: Sym) -> Gradients:
    """Over groups of channels and all that follows."""
    call.need_constant(1, 2)
    shape = call.shape()
    groups = int(call.attribute("num_groups", shape[1]))
    wide = [shape[0], groups, prod(shape[1:]) // groups]
    scale = call.x(1)
    if call.shape(1)[0] != shape[1]:  # one scale per group, in the first version of the operator
        each = np.asarray([groups, shape[1] // groups], np.int64)
        scale = call.tape.op("Expand", scale.reshape([groups, 1]), each)
    scaled = g * scale.reshape([1, shape[1], *[1] * (len(shape) - 2)])
    epsilon = float(call.attribute("epsilon", 1e-5))
    return [_normalised(call.x().reshape(wide), scaled.reshape(wide), [2], wide[2], epsilon).reshape(shape)]


@rule("MeanVarianceNormalization")
def mean_variance_norm(call: Call, g: Sym) -> Gradients:
    """Over the given axes; 1e-9 is added to the standard deviation, so the slope has two parts."""
    axes = [int(axis) % call.rank() for axis in call.attribute("axes", [0, 2, 3])]
    count, t = prod(call.shape()[at] for at in axes), call.tape
    centred = call.x() - call.x().sum(axes) * (1 / count)
    deviation = t.op("Sqrt", (centred * centred).sum(axes) * (1 / count))
    inverse = 1.0 / (deviation + 1e-9)
    along = (g * centred).sum(axes) * (1 / count) * inverse / t.op("Max", deviation, 1e-12)
    return [(g - g.sum(axes) * (1 / count) - centred * along) * inverse]


@rule("BatchNormalization")
def batch_norm(call: Call, g: Sym) -> Gradients:
    """A factor per channel."""
    if call.attribute("training_mode", 0):
        call.block("training")
    call.need_constant(1, 2, 3, 4)
    deviation = call.tape.op("Sqrt", call.x(4) + float(call.attribute("epsilon", 1e-5)))
    factor = (call.x(1) / deviation).reshape([1, -1, *[1] * (call.rank() - 2)] if call.rank() > 1 else [-1])
    return [g * factor]


@rule("LpNormalization")
def lp_norm(call: Call, g: Sym) -> Gradients:
    """For y = x / |x|_2: (g - y (g . y)) / |x|; with p = 1: (g - sign(x) (g . y)) / |x|_1."""
    axis, t = [int(call.attribute("axis", -1)) % call.rank()], call.tape
    if int(call.attribute("p", 2)) == 1:
        size, direction = t.op("Abs", call.x()).sum(axis), t.op("Sign", call.x())
    else:
        size, direction = t.op("Sqrt", (call.x() * call.x()).sum(axis)), call.y()
    return [(g - direction * (g * call.y()).sum(axis)) / t.op("Max", size, 1e-12)]


@rule("Softmax", "LogSoftmax")
def softmax(call: Call, g: Sym) -> Gradients:
    """(g - sum g y) y; behind the logarithm g - e^y sum g."""
    axis = [int(call.attribute("axis", -1)) % max(1, call.rank())]
    if call.node.op_type == "Softmax":
        return [(g - (g * call.y()).sum(axis)) * call.y()]
    return [g - call.tape.op("Exp", call.y()) * g.sum(axis)]
