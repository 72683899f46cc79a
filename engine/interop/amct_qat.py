"""AMCT quantization-aware training: qat.cfg and the mixed-precision JSON that its search writes and reads.

Formats: message AMCTRetrainConfig of AMCT's PyTorch edition; `{"<layer>": {"num_bits": 4 | 8 | 16}}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from engine.errors import ExportError, PlanError
from engine.files import decode_json
from engine.fusion.types import Kernel, Network
from engine.interop import amct
from engine.interop.bundle import Bundle, bundle, written
from engine.interop.handover import NO_EXTRAS, Extras, Handover, Written, hand_over
from engine.interop.kernel_index import Imported, KernelIndex
from engine.interop.layer_names import layer_names
from engine.interop.nearest import Ability, nearest
from engine.interop.order import Order
from engine.interop.scales import range_of
from engine.interop.targets import AMCT_QAT, option
from engine.interop.textproto import Message, Value, Word, parse, text_proto
from engine.misshapen import form_words
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT4, INT8, Scheme
from engine.quant.ranges import Ranges
from engine.text import Text, say

_ABILITY = Ability(
    say("AMCT (training)"), amct.refuses, lambda kernel: (4, 8), amct.grains, symmetric=True,
    activation_widths=(4, 8), follow=True, activation_symmetric=False,
)  # fmt: skip
_ASKED: Mapping[int, Scheme] = {4: INT4, 8: INT8, 16: FP16}


class _Bits(msgspec.Struct):
    num_bits: Literal[4, 8, 16]


def check_amct_qat(network: Network, plan: Plan, *, extras: Extras = NO_EXTRAS) -> Handover:
    """INT4, INT8 or FP16 per layer; weights and activations always have the same width."""
    notes = (say("Errors measured here are those before training; AMCT trains the weights to make up for them."),)
    return hand_over(network, plan, _rule, notes)


def _rule(kernel: Kernel, asked: Scheme) -> tuple[Scheme, Text | None]:
    return nearest(_ABILITY, kernel, asked)


def export_amct_qat(order: Order) -> Written:
    """Write the folder.

    Raises:
        ExportError: It can't be written.
        PlanError: A range is missing.
    """
    network, plan, extras = order.network, order.plan, order.extras
    handover = check_amct_qat(network, plan, extras=extras)
    names = layer_names(network)
    layers = names.modules if option(extras, AMCT_QAT, "names") == "module" else names.anchors
    effective = handover.effective_plan
    json_name = f"{network.graph.path.stem or 'model'}_qat_mixed_precision.json"
    with bundle(AMCT_QAT, order, handover, names) as made:
        order.progress(0.0, say("Writing {file}", file="qat.cfg"))
        made.text(
            "qat.cfg", text_proto(qat_config(network, effective, order.calibrated, layers)), "training configuration"
        )
        order.cancel.check()
        bits = {layers[kernel.id]: _Bits(_width(effective[kernel.id])) for kernel in _layers(network)}
        data = msgspec.json.format(msgspec.json.encode(bits), indent=2).decode() + "\n"
        made.text(json_name, data, "bits per layer, as auto_mixed_precision_search writes them")
        made.steps.append("Pass qat.cfg to amct_pytorch.create_quant_retrain_config as config_defination.")
        _read_back(made, network, effective, layers, json_name)
    return written(AMCT_QAT, order, handover, made)


def _layers(network: Network) -> list[Kernel]:
    """Layers that AMCT knows; others must not be named."""
    return [kernel for kernel in network.tunable if amct.refuses(kernel) is None]


def _width(scheme: Scheme) -> Literal[4, 8, 16]:
    return 16 if scheme.weights.floating else 4 if scheme.weights.bits == 4 else 8


def qat_config(network: Network, plan: Plan, ranges: Ranges, layers: Mapping[str, str]) -> Message:
    """The AMCTRetrainConfig message: INT8 by default, INT4 and coarser scales by layer, FP16 skipped."""
    skipped: list[tuple[str, Value]] = []
    overrides: list[tuple[str, Value]] = []
    for kernel in _layers(network):
        scheme, name = plan[kernel.id], layers[kernel.id]
        if scheme.weights.floating:
            skipped.append(("quant_skip_layers", name))
        elif scheme.weights.bits == 4 or scheme.weights.granularity != amct.grains(kernel, 8)[0]:
            overrides.append(("override_layer_configs", [("layer_name", name), *_quant(kernel, scheme, ranges)]))
    return [
        ("batch_num", 1),
        ("retrain_data_quant_config", [("ulq_quantize", [("dst_type", Word("INT8"))])]),
        ("retrain_weight_quant_config", [("arq_retrain", [("dst_type", Word("INT8"))])]),
        *skipped,
        *overrides,
    ]


def _quant(kernel: Kernel, scheme: Scheme, ranges: Ranges) -> list[tuple[str, Value]]:
    found = range_of(kernel, scheme.activations, ranges)
    data: list[tuple[str, Value]] = []
    if found.low < 0 < found.high:
        data.append(("clip_max_min", [("clip_max", float(found.high)), ("clip_min", float(found.low))]))
    elif found.low >= 0:
        data.append(("fixed_min", True))
    word = Word(f"INT{scheme.weights.bits}")
    weights: list[tuple[str, Value]] = [("dst_type", word), ("channel_wise", scheme.weights.granularity == "channel")]
    return [
        ("retrain_data_quant_config", [("ulq_quantize", [*data, ("dst_type", word)])]),
        ("retrain_weight_quant_config", [("arq_retrain", weights)]),
    ]


def read_mixed_precision(path: Path, network: Network, base: Plan) -> Imported:
    """Read a mixed-precision JSON as a plan: what AMCT would run with these bits.

    Raises:
        PlanError: Another kind of file, an ambiguous name, or no layer of this model.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PlanError(say("{path} can't be read ({reason}).", path=path, reason=error.strerror)) from error
    return plan_of_bits(decode_bits(data, str(path)), network, base)


def decode_bits(data: bytes, path: str) -> dict[str, int]:
    """Layer -> bits; errors as in `read_mixed_precision`."""
    try:
        return {name: found.num_bits for name, found in decode_json(data, dict[str, _Bits]).items()}
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PlanError(
            say("{path} is no mixed-precision file of AMCT: {reason}.", path=path, reason=form_words(error))
        ) from error


def plan_of_bits(bits: Mapping[str, int], network: Network, base: Plan) -> Imported:
    """Match bits to layers; errors as in `read_mixed_precision`."""
    index = KernelIndex(network)
    asked = {name: _ASKED[width] for name, width in bits.items()}
    source = say("mixed-precision JSON of AMCT")
    found = index.plan(network, asked, base, source)
    named = {kernel.id for name in asked for kernel in index.find(name)}
    gets = {kernel.id: _rule(kernel, found.plan[kernel.id])[0] for kernel in network.tunable if kernel.id in named}
    return Imported(found.plan.with_schemes(gets), source, found.unmatched, found.untouched)


def _read_back(made: Bundle, network: Network, plan: Plan, layers: Mapping[str, str], json_name: str) -> None:
    """Compare both files with the plan.

    Raises:
        ExportError: If they differ.
    """
    in_json = decode_bits((made.folder / json_name).read_bytes(), json_name)
    in_cfg = _bits_of(parse((made.folder / "qat.cfg").read_text()))
    for kernel in _layers(network):
        name, wanted = layers[kernel.id], _width(plan[kernel.id])
        for file, found in ((json_name, in_json.get(name)), ("qat.cfg", in_cfg.get(name, 8))):
            if found != wanted:
                raise ExportError(
                    say("{file} disagrees with the plan about layer {layer}; nothing was written.",
                        file=file, layer=name)
                )  # fmt: skip
    made.checks.append(say("Read back: {count} {count:layer|layers} in two files, as in the plan.", count=len(in_json)))


def _bits_of(message: Message) -> dict[str, int]:
    """Bits of the layers that a configuration names."""
    bits = {str(value): 16 for name, value in message if name == "quant_skip_layers"}
    for name, value in message:
        if name == "override_layer_configs" and isinstance(value, list):
            entry = dict(value)
            types = _words(value)
            bits[str(entry["layer_name"])] = 4 if "INT4" in types else 8
    return bits


def _words(message: Message) -> set[str]:
    found: set[str] = set()
    for _, value in message:
        if isinstance(value, Word):
            found.add(str(value))
        elif not isinstance(value, (bool, int, float, str)):
            found |= _words(value)
    return found
