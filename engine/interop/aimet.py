"""AIMET encodings and QNN overrides: precision and scales of tensors.

Format: AIMET encodings 1.0.0 (written), 0.6.1 and 2.0.0 (read as well); QNN reads the form of 0.6.1. Codes count from
0: real = (code + offset) * scale, so a symmetric format of b bits has the offset -2^(b-1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from engine.errors import ExportError
from engine.files import write_atomically
from engine.fusion.types import Kernel, Kind, Network
from engine.interop.aimet_read import decode_encodings, plan_of_encodings
from engine.interop.float_model import refuse_quantized
from engine.interop.handover import NO_EXTRAS, Extras, Handover, Rule, Written, hand_over
from engine.interop.nearest import CONVOLUTIONS, PRODUCTS, Ability, dividing, nearest, sides
from engine.interop.order import Order
from engine.interop.scales import quantized, range_of
from engine.interop.tensor_scope import input_formats, shared_tensors
from engine.precision.plan import Plan
from engine.precision.scheme import HALF, ActivationFormat, Granularity, Scheme
from engine.progress import CancelToken
from engine.quant import QuantizedWeight
from engine.quant.ranges import Range, Ranges, activation_params
from engine.text import Text, say
from engine.version import VERSION

_BLOCKS = (16, 32, 64, 128, 256)
_AIMET, _QNN = say("AIMET"), say("QNN overrides")


def check_aimet(network: Network, plan: Plan, *, extras: Extras = NO_EXTRAS) -> Handover:
    """INT4, INT8 or INT16 weights, per tensor, channel or block; one precision per activation.

    Raises:
        ExportError: The model is quantized already.
    """
    refuse_quantized(network, _AIMET)
    rule = shared_tensors(network, plan, _rule(_ability(_AIMET, True)))
    notes = (say("Weights are as after folding BatchNorms: fold them in AIMET before you load the encodings."),)
    return hand_over(network, plan, rule, notes)


def check_qnn(network: Network, plan: Plan, *, extras: Extras = NO_EXTRAS) -> Handover:
    """As AIMET, without blocks.

    Raises:
        ExportError: The model is quantized already.
    """
    refuse_quantized(network, _QNN)
    rule = shared_tensors(network, plan, _rule(_ability(_QNN, False)))
    notes = (say("Convert with --float_fallback, so that tensors without an entry run in floats."),)
    return hand_over(network, plan, rule, notes)


def _rule(ability: Ability) -> Rule:
    def rule(kernel: Kernel, asked: Scheme) -> tuple[Scheme, Text | None]:
        gets, reason = nearest(ability, kernel, asked)
        if gets.activations.floating or (kernel.weight is not None and kernel.weight.activation):
            return gets, reason
        # Indices meet the rows of a table: there is no activation that could be rounded.
        gets = Scheme(gets.weights, HALF)
        return gets, None if gets == asked else reason or say("No activation meets the weight of this layer.")

    return rule


def _refuses(kernel: Kernel) -> Text | None:
    if kernel.kind in CONVOLUTIONS | PRODUCTS | {Kind.EMBEDDING}:
        return None
    return say("This layer has no weight of its own among the encodings; it stays in floats.")


def _ability(title: Text, blocks: bool) -> Ability:
    def grains(kernel: Kernel, bits: int) -> tuple[Granularity, ...]:
        if kernel.kind is Kind.EMBEDDING:
            return ("tensor",)
        assert kernel.weight is not None
        plain: tuple[Granularity, ...] = ("channel", "tensor") if len(kernel.weight.channel_axes) == 1 else ("tensor",)
        # A block runs along one axis and the blocks must fill it.
        axes = [axis for axis in kernel.weight.reduction_axes if kernel.weight.shape[axis] > 1]
        return (*plain, "group") if blocks and len(axes) == 1 and dividing(_BLOCKS, kernel) else plain

    return Ability(
        title, _refuses, lambda kernel: (4, 8, 16), grains, groups=lambda kernel: dividing(_BLOCKS, kernel),
        activation_widths=(4, 8, 16), weight_only=True, floating=None,
    )  # fmt: skip


def export_aimet(order: Order) -> Written:
    """Write encodings 1.0.0, read them as a plan, compare, put them in place.

    Raises:
        ExportError: The file can't be written, or gives another plan back.
        PlanError: A range is missing.
    """
    network, plan, path = order.network, order.plan, order.path
    handover = check_aimet(network, plan, extras=order.extras)
    effective = handover.effective_plan
    document = {
        "version": "1.0.0",
        "producer": {"package": "mixbit", "version": VERSION},
        "activation_encodings": list(_activations(network, effective, order.calibrated)),
        "param_encodings": list(_parameters(network, effective, order.cancel)),
        "excluded_layers": [],
    }
    return _finish("aimet", network, handover, document, path)


def export_qnn(order: Order) -> Written:
    """Write overrides, read them as a plan, compare, put them in place.

    Raises:
        ExportError: The file can't be written, or gives another plan back.
        PlanError: A range is missing.
    """
    network, plan, path = order.network, order.plan, order.path
    handover = check_qnn(network, plan, extras=order.extras)
    effective = handover.effective_plan
    document = {
        "activation_encodings": {
            entry["name"]: _old_form(entry) for entry in _activations(network, effective, order.calibrated)
            if entry["dtype"] == "INT"
        },
        "param_encodings": {entry["name"]: _old_form(entry) for entry in _parameters(network, effective, order.cancel)},
    }  # fmt: skip
    return _finish("qnn", network, handover, document, path)


def _finish(target: str, network: Network, handover: Handover, document: Mapping[str, Any], path: Path) -> Written:
    data = msgspec.json.format(msgspec.json.encode(document), indent=1)
    found = plan_of_encodings(decode_encodings(data, str(path)), network, Plan()).plan
    for kernel in network.tunable:
        if not _alike(kernel, found.scheme(kernel.id), handover.effective_plan[kernel.id]):
            raise ExportError(
                say("{file} disagrees with the plan about layer {layer}; nothing was written.",
                    file=path.name, layer=kernel.name)
            )  # fmt: skip
    write_atomically(path, data)
    check = say("Read back: every one of {count} {count:layer|layers} has its precision.", count=len(network.tunable))
    return Written(target, path, (path,), handover, (check,))


def _alike(kernel: Kernel, a: Scheme, b: Scheme) -> bool:
    """Whether two schemes are one; for a weight with one channel a scale per channel is one per tensor."""
    if sides(kernel)[0] == 1 and {a.weights.granularity, b.weights.granularity} == {"tensor", "channel"}:
        a = replace(a, weights=replace(a.weights, granularity=b.weights.granularity))
    return a == b


def _activations(network: Network, plan: Plan, ranges: Ranges) -> Iterator[dict[str, Any]]:
    """Every float activation: AIMET gives those that are not listed 8 bits."""
    formats = input_formats(network, plan)
    names = [info.name for info in network.graph.inputs]
    names += [name for node in network.graph.nodes for name in node.outputs if name]
    for name in dict.fromkeys(names):
        info = network.tensors.get(name)
        if info is None or (info.dtype.kind != "f" and info.dtype.name != "bfloat16"):
            continue
        form = formats.get(name)
        if form is None:
            yield {"name": name, "dtype": "FLOAT", "bw": 16, "enc_type": "PER_TENSOR"}
        else:
            yield {"name": name, **_activation(name, form, ranges, network)}


def _activation(name: str, form: ActivationFormat, ranges: Ranges, network: Network) -> dict[str, Any]:
    found = ranges.of(name, form)
    if found is None:
        kernel = next(k for k in network.tunable if k.weight is not None and k.weight.activation == name)
        found = range_of(kernel, form, ranges)  # says whose range it is
    scale, zero = activation_params(Range(found.low, found.high), form)
    offset = -(2 ** (form.bits - 1)) if form.symmetric else -zero
    return {
        "dtype": "INT", "bw": form.bits, "enc_type": "PER_TENSOR", "is_sym": form.symmetric, "scale": [scale],
        "offset": [offset],
    }  # fmt: skip


def _parameters(network: Network, plan: Plan, cancel: CancelToken) -> Iterator[dict[str, Any]]:
    """Every weight, and the other float constants that layers read."""
    done: set[str] = set()
    for kernel in network.tunable:
        cancel.check()
        assert kernel.weight is not None
        if kernel.weight.origin not in done:
            done.add(kernel.weight.origin)
            yield {"name": kernel.weight.origin, **_weight(kernel, plan[kernel.id])}
    for kernel in network.kernels:
        for constant, array in kernel.constants.items():
            name = network.graph.origins.get(constant, constant)
            if name not in done and array.dtype.kind == "f" and array.size > 1 and constant in network.graph.constants:
                done.add(name)
                yield {"name": name, "dtype": "FLOAT", "bw": 16, "enc_type": "PER_TENSOR"}


def _weight(kernel: Kernel, scheme: Scheme) -> dict[str, Any]:
    form = scheme.weights
    if form.floating:
        return {"dtype": "FLOAT", "bw": form.bits, "enc_type": "PER_TENSOR"}
    made = quantized(kernel, scheme)
    entry: dict[str, Any] = {
        "dtype": "INT",
        "bw": form.bits,
        "enc_type": {"tensor": "PER_TENSOR", "channel": "PER_CHANNEL", "group": "PER_BLOCK"}[form.granularity],
        "is_sym": form.symmetric,
        "scale": made.scales.reshape(-1).tolist(),
        "offset": _offsets(made),
    }
    if form.granularity == "group":
        entry["block_size"] = made.group
    return entry


def _offsets(made: QuantizedWeight) -> list[int]:
    """Our codes count from -2^(b-1)."""
    lowest = 2 ** (made.format.bits - 1)
    offsets: list[int] = (-(lowest + made.zero_points.astype(np.int64))).reshape(-1).tolist()
    return offsets


def _old_form(entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One entry per scale, with the range spelt out; booleans are texts."""
    if entry["dtype"] == "FLOAT":
        return [{"bitwidth": entry["bw"], "dtype": "float"}]
    steps = 2 ** entry["bw"] - 1
    return [
        {
            "bitwidth": entry["bw"], "dtype": "int", "is_symmetric": str(entry["is_sym"]), "scale": scale,
            "offset": offset, "min": offset * scale, "max": (steps + offset) * scale,
        }
        for scale, offset in zip(entry["scale"], entry["offset"], strict=True)
    ]  # fmt: skip
