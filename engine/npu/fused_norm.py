"""FusedNormBiasGELU: a layer norm, a bias and a GELU as one Vector kernel, computed in FP32 between halves."""

from __future__ import annotations

from typing import Literal

import numpy as np

from engine.errors import PlanError
from engine.graph.types import Array
from engine.text import say

GeluForm = Literal["tanh", "kirin"]
"""tanh: 0.5 v (1 + tanh(sqrt(2 / pi) (v + 0.044715 v^3))); kirin: v * sigmoid(1.702 v)."""
_ROOT = np.float32(np.sqrt(2.0 / np.pi))
_CUBIC = np.float32(0.044715)
_KIRIN = np.float32(1.702)


def gelu(values: Array, form: GeluForm) -> Array:
    """GELU of float32 values in the form that the device computes.

    Raises:
        PlanError: an unknown form.
    """
    v = values.astype(np.float32)
    with np.errstate(over="ignore"):  # e^x of a large negative value ends at infinity, and v / infinity at 0
        if form == "tanh":
            found: Array = np.float32(0.5) * v * (1 + np.tanh(_ROOT * (v + _CUBIC * v * v * v)))
        elif form == "kirin":
            found = v / (1 + np.exp(-_KIRIN * v))
        else:
            raise PlanError(say("There is no GELU of the form {form}; choose tanh or kirin.", form=form))
    return found


def fused_norm_bias_gelu(
    values: Array,
    gamma: Array,
    beta: Array,
    bias: Array,
    *,
    epsilon: float = 1e-5,
    form: GeluForm = "tanh",
) -> Array:
    """gelu(layer_norm(values) * gamma + beta + bias) over the last axis.

    Args:
        values: float16 [..., C].
        gamma: float16 [C].
        beta: float16 [C].
        bias: float16 [C].
        epsilon: Added to the variance.
        form: Form of the GELU.

    Returns:
        float16 [..., C]: operands rounded to half, everything between in FP32, one rounding at the end.

    Raises:
        PlanError: parameters of another length than the last axis, or an unknown form.
    """
    width = values.shape[-1] if values.ndim else 0
    for name, given in (("gamma", gamma), ("beta", beta), ("bias", bias)):
        if given.shape != (width,):
            raise PlanError(
                say("FusedNormBiasGELU needs {count} values of {name}, not {have}.",
                    count=width, name=name, have=given.shape)
            )  # fmt: skip
    x, scale, shift, added = (a.astype(np.float16).astype(np.float32) for a in (values, gamma, beta, bias))
    centred = x - x.mean(-1, keepdims=True)
    deviation = np.sqrt((centred * centred).mean(-1, keepdims=True) + np.float32(epsilon))
    with np.errstate(over="ignore"):
        return gelu(centred / deviation * scale + shift + added, form).astype(np.float16)
