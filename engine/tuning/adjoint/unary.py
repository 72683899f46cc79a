"""Backward rules of functions of one element: slope times gradient.

Slopes stay finite where a function is steep without bound (square root and logarithm at 0): an infinite slope times a
masked gradient would turn everything in front into NaN.
"""

from __future__ import annotations

import math

import numpy as np

from engine.tuning.adjoint.call import Call, Gradients, rule
from engine.tuning.adjoint.tape import Sym

_TINY = 1e-12
_SELU = 1.67326319217681884765625, 1.05070102214813232421875


@rule("Identity", "Cast", "CastLike")
def identity(call: Call, g: Sym) -> Gradients:
    """1."""
    return [g]


@rule("Dropout")
def dropout(call: Call, g: Sym) -> Gradients:
    """1, unless it trains."""
    training = call.value(2)
    if (call.given(2) and training is None) or (training is not None and bool(np.any(training))):
        call.block("training")
    return [g]


@rule("Relu")
def relu(call: Call, g: Sym) -> Gradients:
    """1 where the result is positive."""
    return [g * call.tape.op("Sign", call.y())]


@rule("LeakyRelu")
def leaky_relu(call: Call, g: Sym) -> Gradients:
    """1 or alpha."""
    alpha = float(call.attribute("alpha", 0.01))
    return [g * ((call.x() > 0.0).number() * (1 - alpha) + alpha)]


@rule("ThresholdedRelu")
def thresholded_relu(call: Call, g: Sym) -> Gradients:
    """1 above alpha."""
    return [g.only(call.x() > float(call.attribute("alpha", 1.0)))]


@rule("Elu")
def elu(call: Call, g: Sym) -> Gradients:
    """1 or y + alpha."""
    return [g * _piecewise(call, call.y() + float(call.attribute("alpha", 1.0)))]


@rule("Selu")
def selu(call: Call, g: Sym) -> Gradients:
    """Gamma, or y + gamma alpha."""
    alpha, gamma = float(call.attribute("alpha", _SELU[0])), float(call.attribute("gamma", _SELU[1]))
    positive = (call.x() > 0.0).number()
    return [g * (positive * gamma + (1.0 - positive) * (call.y() + alpha * gamma))]


@rule("Celu")
def celu(call: Call, g: Sym) -> Gradients:
    """1 or exp(x / alpha) = y / alpha + 1."""
    return [g * _piecewise(call, call.y() * (1 / float(call.attribute("alpha", 1.0))) + 1.0)]


@rule("Sigmoid")
def sigmoid(call: Call, g: Sym) -> Gradients:
    """Slope y (1 - y)."""
    return [g * (call.y() * (1.0 - call.y()))]


@rule("Tanh")
def tanh(call: Call, g: Sym) -> Gradients:
    """1 - y^2."""
    return [g * (1.0 - call.y() * call.y())]


@rule("Erf")
def erf(call: Call, g: Sym) -> Gradients:
    """2 / sqrt(pi) exp(-x^2)."""
    return [g * (call.tape.op("Exp", -(call.x() * call.x())) * (2 / math.sqrt(math.pi)))]


@rule("Sqrt")
def sqrt(call: Call, g: Sym) -> Gradients:
    """1 / (2 y), finite at 0."""
    return [g * (0.5 / call.tape.op("Max", call.y(), _TINY))]


@rule("Exp")
def exp(call: Call, g: Sym) -> Gradients:
    """Slope y."""
    return [g * call.y()]


@rule("Log")
def log(call: Call, g: Sym) -> Gradients:
    """1 / x, finite at 0."""
    return [g / call.tape.op("Max", call.x(), _TINY)]


@rule("Neg")
def negative(call: Call, g: Sym) -> Gradients:
    """-1."""
    return [-g]


@rule("Abs")
def absolute(call: Call, g: Sym) -> Gradients:
    """Sign of x."""
    return [g * call.tape.op("Sign", call.x())]


@rule("Reciprocal")
def reciprocal(call: Call, g: Sym) -> Gradients:
    """-y^2."""
    return [-(g * (call.y() * call.y()))]


@rule("Sin")
def sine(call: Call, g: Sym) -> Gradients:
    """Slope cos x."""
    return [g * call.tape.op("Cos", call.x())]


@rule("Cos")
def cosine(call: Call, g: Sym) -> Gradients:
    """Slope -sin x."""
    return [-(g * call.tape.op("Sin", call.x()))]


@rule("Tan")
def tangent(call: Call, g: Sym) -> Gradients:
    """1 + y^2."""
    return [g * (call.y() * call.y() + 1.0)]


@rule("Sinh")
def hyperbolic_sine(call: Call, g: Sym) -> Gradients:
    """Slope cosh x."""
    return [g * call.tape.op("Cosh", call.x())]


@rule("Cosh")
def hyperbolic_cosine(call: Call, g: Sym) -> Gradients:
    """Slope sinh x."""
    return [g * call.tape.op("Sinh", call.x())]


@rule("Asin", "Acos")
def arc_sine(call: Call, g: Sym) -> Gradients:
    """1 / sqrt(1 - x^2), or minus that."""
    slope = g / call.tape.op("Sqrt", call.tape.op("Max", 1.0 - call.x() * call.x(), _TINY))
    return [slope if call.node.op_type == "Asin" else -slope]


@rule("Atan")
def arc_tangent(call: Call, g: Sym) -> Gradients:
    """1 / (1 + x^2)."""
    return [g / (call.x() * call.x() + 1.0)]


@rule("Asinh")
def area_sine(call: Call, g: Sym) -> Gradients:
    """1 / sqrt(x^2 + 1)."""
    return [g / call.tape.op("Sqrt", call.x() * call.x() + 1.0)]


@rule("Acosh")
def area_cosine(call: Call, g: Sym) -> Gradients:
    """1 / sqrt(x^2 - 1)."""
    return [g / call.tape.op("Sqrt", call.tape.op("Max", call.x() * call.x() - 1.0, _TINY))]


@rule("Atanh")
def area_tangent(call: Call, g: Sym) -> Gradients:
    """1 / (1 - x^2)."""
    return [g / call.tape.op("Max", 1.0 - call.x() * call.x(), _TINY)]


@rule("Softplus")
def softplus(call: Call, g: Sym) -> Gradients:
    """Slope sigmoid(x)."""
    return [g * call.tape.op("Sigmoid", call.x())]


@rule("Softsign")
def softsign(call: Call, g: Sym) -> Gradients:
    """1 / (1 + |x|)^2."""
    wide = call.tape.op("Abs", call.x()) + 1.0
    return [g / (wide * wide)]


@rule("HardSigmoid")
def hard_sigmoid(call: Call, g: Sym) -> Gradients:
    """Alpha on the ramp."""
    inside = (call.y() > 0.0) & (call.y() < 1.0)
    return [(g * float(call.attribute("alpha", 0.2))).only(inside)]


@rule("HardSwish")
def hard_swish(call: Call, g: Sym) -> Gradients:
    """0 below -3, x / 3 + 1 / 2 between, 1 above 3: the slope jumps at both ends."""
    x = call.x()
    inside = ((x > -3.0) & (x < 3.0)).number()
    return [g * ((x * (1 / 3) + 0.5) * inside + (x > 3.0).number())]


@rule("Swish")
def swish(call: Call, g: Sym) -> Gradients:
    """For x s(alpha x): s + alpha y (1 - s)."""
    alpha = float(call.attribute("alpha", 1.0))
    gate = call.tape.op("Sigmoid", call.x() * alpha)
    return [g * (gate + call.y() * (1.0 - gate) * alpha)]


@rule("com.microsoft.QuickGelu")
def quick_gelu(call: Call, g: Sym) -> Gradients:
    """As Swish with its own default."""
    alpha = float(call.attribute("alpha", 1.702))
    gate = call.tape.op("Sigmoid", call.x() * alpha)
    return [g * (gate + call.y() * (1.0 - gate) * alpha)]


@rule("Mish")
def mish(call: Call, g: Sym) -> Gradients:
    """For x tanh(softplus(x)): t + x (1 - t^2) sigmoid(x)."""
    t = call.tape.op("Tanh", call.tape.op("Softplus", call.x()))
    return [g * (t + call.x() * (1.0 - t * t) * call.tape.op("Sigmoid", call.x()))]


@rule("Gelu", "com.microsoft.Gelu", "com.microsoft.FastGelu")
def gelu(call: Call, g: Sym) -> Gradients:
    """Phi(x) + x phi(x), or the slope of the approximation by tanh."""
    x, t = call.x(), call.tape
    if call.node.op_type == "FastGelu" and call.given(1):
        call.block("bias")
    if call.attribute("approximate", "none") == "tanh" or call.node.op_type == "FastGelu":
        bend = math.sqrt(2 / math.pi)
        u = t.op("Tanh", (x + x * x * x * 0.044715) * bend)
        return [g * ((u + 1.0) * 0.5 + x * 0.5 * (1.0 - u * u) * ((x * x * (3 * 0.044715) + 1.0) * bend))]
    bell = t.op("Exp", x * x * -0.5) * (1 / math.sqrt(2 * math.pi))
    return [g * ((t.op("Erf", x * math.sqrt(0.5)) + 1.0) * 0.5 + x * bell)]


@rule("Shrink")
def shrink(call: Call, g: Sym) -> Gradients:
    """1 outside of [-lambd, lambd]."""
    return [g.only(call.tape.op("Abs", call.x()) > float(call.attribute("lambd", 0.5)))]


@rule("Clip")
def clip(call: Call, g: Sym) -> Gradients:
    """1 where nothing was clipped."""
    return [g.only(call.tape.op("Equal", call.x(), call.again()))]


def _piecewise(call: Call, negative: Sym) -> Sym:
    """1 where x > 0, else the given slope."""
    positive = (call.x() > 0.0).number()
    return positive + (1.0 - positive) * negative
