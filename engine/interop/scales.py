"""Scales and zero points that files of other tools hold."""

from __future__ import annotations

from engine.errors import PlanError
from engine.fusion.types import Kernel
from engine.precision.scheme import ActivationFormat, Scheme
from engine.quant import QuantizedWeight, quantize_weight
from engine.quant.ranges import QuantParams, Range, Ranges, activation_params
from engine.text import say


def range_of(kernel: Kernel, form: ActivationFormat, ranges: Ranges) -> Range:
    """The range over which the activation that meets a kernel's weight is rounded to a format.

    Raises:
        PlanError: The calibration has none.
    """
    assert kernel.weight is not None
    found = ranges.of(kernel.weight.activation, form)
    if found is None:
        raise PlanError(
            say(
                "Layer {name} needs the range of {tensor}, and the calibration has none; calibrate again.",
                name=kernel.name,
                tensor=kernel.weight.activation,
            )
        )
    return found


def static_params(kernel: Kernel, form: ActivationFormat, ranges: Ranges) -> QuantParams:
    """Scale and zero point of that activation; errors as in `range_of`."""
    return activation_params(range_of(kernel, form, ranges), form)


def quantized(kernel: Kernel, scheme: Scheme) -> QuantizedWeight:
    """The weight of a kernel in its scheme's integers."""
    assert kernel.weight is not None
    return quantize_weight(kernel.constants[kernel.weight.constant], kernel.weight, scheme.weights, scheme.method)
