"""The precision that a kernel has in the file: of its weight, and of the activation that meets it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from engine.fusion.ops import VIEWS
from engine.fusion.types import Stored, Weight
from engine.fusion.view import View, scalar
from engine.graph.stored import integer_type, symmetric_codes
from engine.graph.types import Array, StoredFormat

_HALF = StoredFormat(16, floating=True)
_FLOATS = {"float16": _HALF, "bfloat16": StoredFormat(16, floating=True, brain=True)}
"""Floats of 16 bits, by the name of their dtype."""
_QUANTIZE = ("QuantizeLinear", "com.microsoft.QuantizeLinear", "DynamicQuantizeLinear")
_DEQUANTIZE = ("DequantizeLinear", "com.microsoft.DequantizeLinear")


@dataclass(frozen=True, slots=True)
class _Slots:
    """Inputs of an operator that computes with codes; -1 for what it does not have."""

    weight: int
    scale: int
    zero: int
    activation: int = 0
    activation_scale: int = -1
    activation_zero: int = -1


_INTEGER = _Slots(1, -1, 3, 0, -1, 2)
_LINEAR = _Slots(3, 4, 5, 0, 1, 2)
_OPERATORS: Mapping[str, _Slots] = {
    "ConvInteger": _INTEGER,
    "MatMulInteger": _INTEGER,
    "QLinearConv": _LINEAR,
    "QLinearMatMul": _LINEAR,
    "com.microsoft.QGemm": _LINEAR,
    "com.microsoft.MatMulIntegerToFloat": _Slots(1, 3, 5, 0, 2, 4),
    "com.microsoft.DynamicQuantizeMatMul": _Slots(1, 2, 3),
    "com.microsoft.DynamicQuantizeLSTM": _Slots(1, 8, 9),
    "com.microsoft.QAttention": _Slots(1, 4, 7, 0, 3, 6),
}
_BLOCKS: Mapping[str, tuple[int, int]] = {
    "com.microsoft.MatMulNBits": (1, 3),
    "com.microsoft.GatherBlockQuantized": (0, 3),
}
"""Operators with weights in blocks, and where weight and zero points stand."""


def find_stored(
    view: View, at: int, nodes: Iterable[int], weight: Weight | None, stored: Mapping[str, StoredFormat]
) -> Stored | None:
    """What the file says about an anchor's precision; None where it computes in floats wider than half.

    Args:
        view: The nodes.
        at: The anchor.
        nodes: All nodes of its kernel.
        weight: Its weight, if that is made of floats.
        stored: Constants of floats that the file holds in fewer bits.
    """
    if weight is not None:
        form = stored.get(weight.constant)
        if form is None:
            form = _FLOATS.get(view.constants[weight.constant].dtype.name)
        return None if form is None else _with_activation(view, form, weight.activation)
    if view.ops[at] in _BLOCKS:
        return _blocks(view, at)
    slots = _OPERATORS.get(view.ops[at])
    return _codes(view, at, nodes, slots) if slots is not None else None


def _with_activation(view: View, weights: StoredFormat, activation: str) -> Stored:
    """A float product: its activation has codes if a DequantizeLinear makes it."""
    info = view.tensors.get(activation)
    if info is None:
        return Stored(weights)
    if info.dtype.name in _FLOATS:
        return Stored(weights, _FLOATS[info.dtype.name])
    at = view.producer.get(activation)
    while at is not None and view.ops[at] in VIEWS:
        at = view.producer.get(view.nodes[at].inputs[0])
    if at is None or view.ops[at] not in _DEQUANTIZE:
        return Stored(weights)
    names = view.nodes[at].inputs
    return _on_codes(view, weights, names[0], _constant(view, names, 1), names[2] if len(names) > 2 else "")


def _codes(view: View, at: int, nodes: Iterable[int], slots: _Slots) -> Stored | None:
    """A product of codes."""
    names = view.nodes[at].inputs
    weight = _constant(view, names, slots.weight)
    if weight is None:
        return None
    scale = _constant(view, names, slots.scale)
    many = scale.size if scale is not None else _scale_size(view, at, nodes)
    zeros = _constant(view, names, slots.zero)
    kind = weight.dtype.name
    symmetric = symmetric_codes(kind, zeros)
    form = StoredFormat(integer_type(kind)[1], False, symmetric, "channel" if many > 1 else "tensor")
    activation = names[slots.activation]
    if view.tensors[activation].dtype.kind == "f":  # the operator rounds it itself
        return Stored(form, StoredFormat(8, symmetric=False), dynamic=True)
    zero = names[slots.activation_zero] if 0 <= slots.activation_zero < len(names) else ""
    return _on_codes(view, form, activation, _constant(view, names, slots.activation_scale), zero)


def _blocks(view: View, at: int) -> Stored | None:
    weight, zero = _BLOCKS[view.ops[at]]
    names, bits = view.nodes[at].inputs, view.attribute(at, "bits", 4)
    if names[weight] not in view.constants:
        return None
    form = StoredFormat(bits, False, _constant(view, names, zero) is None, "group", view.attribute(at, "block_size", 0))
    half = view.tensors[view.outputs[at][0]].dtype == np.float16
    return Stored(form, _HALF if half and view.ops[at] != "com.microsoft.GatherBlockQuantized" else None)


def _on_codes(view: View, weights: StoredFormat, codes: str, scale: Array | None, zero: str) -> Stored:
    """With the format of an activation whose codes are at hand."""
    kind = view.tensors[codes].dtype.name if codes in view.tensors else ""
    unsigned, bits = integer_type(kind)
    if not 0 < bits <= 16:
        return Stored(weights)
    source = view.producer.get(codes)
    if scale is None and source is not None and view.ops[source] in _QUANTIZE:
        scale = _constant(view, view.nodes[source].inputs, 1)
    if scale is None:  # computed from each run's values
        return Stored(weights, StoredFormat(bits, symmetric=not unsigned), dynamic=True)
    zeros = view.constants.get(zero)
    form = StoredFormat(bits, symmetric=symmetric_codes(kind, zeros))
    step, offset = scalar(scale), scalar(zeros) or 0.0
    if step is None:
        return Stored(weights, form)
    low, high = (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return Stored(weights, form, limits=((low - offset) * step, (high - offset) * step))


def _scale_size(view: View, at: int, nodes: Iterable[int]) -> int:
    """Scales that the Mul nodes behind an integer product hold, or that its zero points show."""
    zeros = _constant(view, view.nodes[at].inputs, 3)
    sizes = [0 if zeros is None else zeros.size]
    for node in nodes:
        if view.ops[node] == "Mul" and node != at:
            sizes += [view.constants[name].size for name in view.nodes[node].inputs if name in view.constants]
    return max(sizes)


def _constant(view: View, names: tuple[str, ...], at: int) -> Array | None:
    return view.constants.get(names[at]) if 0 <= at < len(names) else None
