"""AMCT post-training quantization: simplified configuration, full configuration, quantization factors, script.

Formats: message AMCTConfig and the JSON of `create_quant_config` (CANN documentation), ScaleOffsetRecord.
"""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from engine.errors import ExportError
from engine.fusion.types import Kernel, Kind, Network
from engine.interop import amct
from engine.interop.bundle import MODEL, Bundle, bundle, command, input_shapes, quote, shell, written
from engine.interop.bundle_parts import put_calibration, put_float_model
from engine.interop.calibration_files import sample_places
from engine.interop.float_model import refuse_quantized
from engine.interop.handover import NO_EXTRAS, Extras, Handover, Written, hand_over
from engine.interop.layer_names import LayerNames, layer_names
from engine.interop.nearest import Ability, nearest
from engine.interop.order import Order
from engine.interop.scales import quantized, static_params
from engine.interop.targets import AMCT_PTQ
from engine.interop.textproto import Message, Value, Word, parse, text_proto
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme
from engine.progress import CancelToken
from engine.quant.ranges import Ranges
from engine.text import say

OPSETS = range(11, 12)
"""Of the ONNX edition."""
_ABILITY = Ability(
    say("AMCT (post-training)"), amct.refuses, lambda kernel: (8,), amct.grains, symmetric=True,
    activation_widths=(8, 16),
)  # fmt: skip
_LEAST_SCALE = float(np.finfo(np.float32).eps)
"""The smallest scale that a record may hold."""


def check_amct_ptq(network: Network, plan: Plan, *, extras: Extras = NO_EXTRAS) -> Handover:
    """INT8 or FP16 per layer; INT4 is promoted.

    Raises:
        ExportError: The model is quantized already.
    """
    refuse_quantized(network, _ABILITY.title)
    notes = (say("AMCT calibrates by itself (IFMR); record.txt holds Mixbit's own scales for tools that take them."),)
    return hand_over(network, plan, lambda kernel, asked: nearest(_ABILITY, kernel, asked), notes)


def export_amct_ptq(order: Order) -> Written:
    """Write the folder.

    Raises:
        ExportError: It can't be written, or AMCT can't take the model.
        PlanError: A range is missing.
    """
    network, plan = order.network, order.plan
    handover = check_amct_ptq(network, plan, extras=order.extras)
    names = layer_names(network)
    effective = handover.effective_plan
    with bundle(AMCT_PTQ, order, handover, names) as made:
        put_float_model(made, order, names, opsets=OPSETS)
        batches = put_calibration(made, order, names)
        made.text("ptq.cfg", text_proto(simplified(network, effective, names, batches)), "simplified configuration")
        made.text("config.json", _json(full(network, effective, names, batches)), "full configuration")
        order.progress(0.5, say("Writing {file}", file="record.txt"))
        record = factors(network, effective, order.calibrated, names, order.cancel)
        made.text("record.txt", text_proto(record), "scales of Mixbit's calibration, per layer")
        made.text("amct.sh", _script(network, names, batches), "runs AMCT (ONNX edition)", executable=True)
        made.steps += ["Run amct.sh where amct_onnx is installed.", "Convert result/model_deploy_model.onnx with atc."]
        _read_back(made, network, effective, names)
    return written(AMCT_PTQ, order, handover, made)


def quantizable(network: Network, names: LayerNames) -> dict[str, Kernel]:
    """Layers that AMCT would quantize by itself, by node name: those it doesn't know must not be listed."""
    found = {}
    for kernel in network.kernels:
        product = kernel.kind is Kind.MATMUL_DYNAMIC and kernel.nodes[kernel.anchor].op_type == "MatMul"
        if product or (kernel.tunable and amct.refuses(kernel) is None):
            found[names.anchors[kernel.id]] = kernel
    return found


def simplified(network: Network, plan: Plan, names: LayerNames, batches: int) -> Message:
    """The AMCTConfig message: INT8 by default, exceptions by layer."""
    skipped: list[tuple[str, Value]] = []
    overrides: list[tuple[str, Value]] = []
    for name, kernel in quantizable(network, names).items():
        scheme = plan.scheme(kernel.id)
        if not kernel.tunable or scheme.weights.floating:
            skipped.append(("skip_layers", name))
            continue
        calibration = _override(kernel, scheme)
        if calibration:
            overrides.append(
                ("override_layer_configs", [("layer_name", name), ("calibration_config", calibration)])
            )  # fmt: skip
    return [
        ("batch_num", batches),
        ("activation_offset", True),
        *skipped,
        # Pooling has no weights, and the plan leaves it in FP16.
        ("skip_layer_types", "AveragePool"),
        ("common_config", [("arq_quantize", []), ("ifmr_quantize", [])]),
        *overrides,
        ("do_fusion", True),
    ]


def _override(kernel: Kernel, scheme: Scheme) -> Message:
    weights: list[tuple[str, Value]] = []
    activations: list[tuple[str, Value]] = []
    if scheme.weights.granularity != amct.grains(kernel, 8)[0]:
        weights.append(("channel_wise", False))
    if scheme.activations.symmetric:
        activations.append(("asymmetric", False))
    if scheme.activations.bits == 16:
        activations.append(("dst_type", Word("INT16")))
    if not weights and not activations:
        return []
    return [("arq_quantize", weights), ("ifmr_quantize", activations)]


def full(network: Network, plan: Plan, names: LayerNames, batches: int) -> dict[str, Any]:
    """The JSON that `create_quant_config` makes, one entry per layer."""
    layers: dict[str, Any] = {
        "version": 1, "batch_num": batches, "activation_offset": True, "do_fusion": True, "skip_fusion_layers": [],
    }  # fmt: skip
    for name, kernel in quantizable(network, names).items():
        scheme = plan.scheme(kernel.id)
        if not kernel.tunable or scheme.weights.floating:
            layers[name] = {"quant_enable": False}
            continue
        layers[name] = {
            "quant_enable": True,
            "activation_quant_params": {
                "num_bits": scheme.activations.bits, "act_algo": "ifmr", "max_percentile": 0.999999,
                "min_percentile": 0.999999, "search_range": [0.7, 1.3], "search_step": 0.01,
                "asymmetric": not scheme.activations.symmetric,
            },
            "weight_quant_params": {
                "num_bits": 8, "wts_algo": "arq_quantize",
                "channel_wise": scheme.weights.granularity == "channel",
            },
        }  # fmt: skip
    return layers


def factors(network: Network, plan: Plan, ranges: Ranges, names: LayerNames, cancel: CancelToken) -> Message:
    """The ScaleOffsetRecord message: int8 code = round(value / scale) + offset."""
    records: list[tuple[str, Value]] = []
    for kernel in network.tunable:
        cancel.check()
        scheme = plan[kernel.id]
        if scheme.weights.floating:
            continue
        params, made = static_params(kernel, scheme.activations, ranges), quantized(kernel, scheme)
        bits = scheme.activations.bits
        # Ours count from 0, AMCT's from -2^(bits - 1).
        offset = 0 if scheme.activations.symmetric else params.zero_point - 2 ** (bits - 1)
        value: list[tuple[str, Value]] = [("scale_d", max(params.scale, _LEAST_SCALE)), ("offset_d", offset)]
        value += [("scale_w", max(float(scale), _LEAST_SCALE)) for scale in made.scales[:, 0]]
        value += [("offset_w", 0)] * made.scales.shape[0]
        value += [("act_type", f"INT{bits}"), ("wts_type", "INT8")]
        records.append(("record", [("key", names.anchors[kernel.id]), ("value", value)]))
    return records


def _script(network: Network, names: LayerNames, batches: int) -> str:
    inputs = network.graph.inputs
    folders = ";".join(f"calibration/{place}" for place in sample_places(network, names).values())
    arguments = [
        f"--model {MODEL}",
        "--save_path result/model",
        f"--input_shape {quote(input_shapes(network, names))}",
        f"--data_dir {quote(folders)}",
        f"--data_types {quote(';'.join(info.dtype.name for info in inputs))}",
        "--calibration_config ptq.cfg",
        f"--batch_num {batches}",
    ]
    lines = ["mkdir -p result", command("amct_onnx calibration", arguments)]
    return shell(lines, "Quantizes the model with AMCT for ONNX.")


def _json(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def _read_back(made: Bundle, network: Network, plan: Plan, names: LayerNames) -> None:
    """Compare what the three files say about each layer with the plan.

    Raises:
        ExportError: If they differ.
    """
    known = quantizable(network, names)
    message = parse((made.folder / "ptq.cfg").read_text())
    skipped = {value for name, value in message if name == "skip_layers"}
    in_cfg = {name for name in known if name not in skipped}
    layers = msgspec.json.decode((made.folder / "config.json").read_bytes())
    in_json = {name for name in known if layers[name]["quant_enable"]}
    record = parse((made.folder / "record.txt").read_text())
    in_record = {dict(entry)["key"] for _, entry in record if isinstance(entry, list)}
    asked = {
        names.anchors[kernel.id] for kernel in network.tunable if not plan[kernel.id].weights.floating
    }  # fmt: skip
    for file, found in (("ptq.cfg", in_cfg), ("config.json", in_json), ("record.txt", in_record)):
        if found != asked:
            odd = sorted(map(str, found ^ asked))[0]
            raise ExportError(
                say("{file} disagrees with the plan about layer {layer}; nothing was written.", file=file, layer=odd)
            )
    made.checks.append(
        say("Read back: {count} INT8 {count:layer|layers} in three files, as in the plan.", count=len(asked))
    )
