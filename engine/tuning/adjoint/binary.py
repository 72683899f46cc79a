"""Backward rules of elementwise operators with several inputs that are broadcast against each other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.tuning.adjoint.call import Call, Gradients, rule
from engine.tuning.adjoint.tape import Sym

_TINY = 1e-12


def _each(call: Call, slope: Callable[[int], Sym]) -> Gradients:
    """A gradient of the result's shape for every wanted input, summed back to the input's shape."""
    made: list[Sym | None] = []
    for at in range(len(call.node.input)):
        wanted = at in call.wanted
        made.append(slope(at).to_shape(call.result_shape(), call.shape(at)) if wanted else None)
    return made


@rule("Add", "Sum")
def add(call: Call, g: Sym) -> Gradients:
    """1 for each."""
    return _each(call, lambda at: g)


@rule("Sub")
def subtract(call: Call, g: Sym) -> Gradients:
    """1 and -1."""
    return _each(call, lambda at: -g if at else g)


@rule("Mean")
def mean(call: Call, g: Sym) -> Gradients:
    """1 / count for each."""
    return _each(call, lambda at: g * (1 / len(call.node.input)))


@rule("Mul")
def multiply(call: Call, g: Sym) -> Gradients:
    """The other factor."""
    return _each(call, lambda at: g * call.x(1 - at))


@rule("Div")
def divide(call: Call, g: Sym) -> Gradients:
    """1 / b and -y / b."""
    return _each(call, lambda at: -(g * call.y() / call.x(1)) if at else g / call.x(1))


@rule("Min", "Max")
def extreme(call: Call, g: Sym) -> Gradients:
    """1 for the inputs that won."""
    best = call.again()
    return _each(call, lambda at: g.only(call.tape.op("Equal", call.x(at), best)))


@rule("PRelu")
def parametric_relu(call: Call, g: Sym) -> Gradients:
    """1 or the slope; the slope itself must be constant."""
    call.need_constant(1)
    positive = (call.x() > 0.0).number()
    return [g * (positive + (1.0 - positive) * call.x(1))]


@rule("Where")
def where(call: Call, g: Sym) -> Gradients:
    """Each its part; the condition none."""
    taken = call.tape.op("Cast", call.x(0), to=1)
    return _each(call, lambda at: g * taken if at == 1 else g * (1.0 - taken))


@rule("Pow")
def power(call: Call, g: Sym) -> Gradients:
    """Slope p x^(p-1), and y log x for the exponent."""
    exponent = call.value(1)
    if 1 not in call.wanted and exponent is not None and exponent.size == 1:
        p = float(np.asarray(exponent).ravel()[0])
        if p == 2:
            slope = call.x() * 2.0
        elif p == 0.5:
            slope = 0.5 / call.tape.op("Max", call.y(), _TINY)
        else:
            slope = call.tape.op("Pow", call.x(), p - 1) * p
        return [(g * slope).to_shape(call.result_shape(), call.shape(0))]
    exponents = call.x(1) if call.name(1) in call.segment.floats else call.x(1).number()

    def slope_of(at: int) -> Sym:
        if at:
            return g * call.y() * call.tape.op("Log", call.tape.op("Max", call.x(), _TINY))
        return g * exponents * call.tape.op("Pow", call.x(), exponents - 1.0)

    return _each(call, slope_of)


@rule("Mod")
def modulo(call: Call, g: Sym) -> Gradients:
    """1 for the dividend; a divisor must be constant."""
    call.need_constant(1)
    return [g.to_shape(call.result_shape(), call.shape(0))]
