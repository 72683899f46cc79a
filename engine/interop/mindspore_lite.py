"""MindSpore Lite: quant.cfg and the call of converter_lite. One conversion has one integer width and a skip list.

Format: MindSpore Lite documentation, "post-training quantization" of the converter's configuration file.
"""

from __future__ import annotations

import configparser
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Literal

import onnx

from engine.errors import ExportError
from engine.fusion.types import Kernel, Kind, Network
from engine.interop.bundle import MODEL, Bundle, bundle, command, input_shapes, quote, shell, written
from engine.interop.bundle_parts import put_calibration, put_float_model
from engine.interop.calibration_files import sample_places
from engine.interop.float_model import refuse_quantized, run_once
from engine.interop.handover import NO_EXTRAS, Extras, Handover, Written, hand_over
from engine.interop.layer_names import LayerNames, layer_names
from engine.interop.mindspore_ops import spelled_for_mindspore
from engine.interop.nearest import CONVOLUTIONS, PRODUCTS, Ability, nearest, weight_on_the_right
from engine.interop.order import Order
from engine.interop.targets import MINDSPORE_LITE, option
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, Scheme
from engine.text import Text, say

OPSETS = range(7, 22)
Mode = Literal["weight4", "weight8", "full8"]
_TITLE = say("MindSpore Lite")


def check_mindspore_lite(network: Network, plan: Plan, *, extras: Extras = NO_EXTRAS) -> Handover:
    """INT4 or INT8 weights with FP16 activations, or INT8 throughout: one of the three for the whole model.

    Raises:
        ExportError: The model is quantized already.
    """
    refuse_quantized(network, _TITLE)
    mode = mode_of(network, plan, extras)
    notes = [say("4-D inputs of the converted model are in NHWC order.")]
    if mode == "full8":
        notes.append(say("Additions, pooling and the like between INT8 layers are quantized as well."))
    return hand_over(network, plan, lambda kernel, asked: _rule(mode, kernel, asked), notes)


def mode_of(network: Network, plan: Plan, extras: Extras) -> Mode:
    """The mode that was chosen, or the one that keeps most weights in the precision the plan asks for."""
    chosen = option(extras, MINDSPORE_LITE, "mode")
    if chosen in ("weight4", "weight8", "full8"):
        return chosen  # type: ignore[return-value]
    sizes: dict[Mode, int] = {"full8": 0, "weight4": 0, "weight8": 0}
    for kernel in network.tunable:
        assert kernel.weight is not None
        scheme = plan.scheme(kernel.id)
        if not scheme.weights.floating:
            mode: Mode = "full8" if not scheme.activations.floating else "weight8"
            sizes["weight4" if scheme.weights.bits <= 4 else mode] += prod(kernel.weight.shape)
    return max(sizes, key=lambda mode: sizes[mode])


def _rule(mode: Mode, kernel: Kernel, asked: Scheme) -> tuple[Scheme, Text | None]:
    if mode == "weight4" and not asked.weights.floating and asked.weights.bits > 4:
        return FP16, say("One conversion of MindSpore Lite has one width, here 4 bits; this layer stays FP16.")
    if mode == "full8":
        ability = Ability(
            _TITLE, _refuses, lambda kernel: (8,), lambda kernel, bits: ("channel",), symmetric=True,
            activation_symmetric=False,
        )  # fmt: skip
    else:
        ability = Ability(
            _TITLE, _refuses_weights, lambda kernel: (int(mode[-1]),), lambda kernel, bits: ("channel",),
            symmetric=False, activation_widths=(),
        )  # fmt: skip
    return nearest(ability, kernel, asked)


def _refuses(kernel: Kernel) -> Text | None:
    if kernel.kind not in CONVOLUTIONS | PRODUCTS:
        return say("MindSpore Lite quantizes convolutions and matrix products only; this layer stays FP16.")
    assert kernel.weight is not None
    if kernel.kind in CONVOLUTIONS and len(kernel.weight.shape) > 4:
        return say("MindSpore Lite has no convolution over three axes; this layer stays in floats.")
    if kernel.kind in PRODUCTS and not weight_on_the_right(kernel):
        return say("MindSpore Lite quantizes products whose weight is a matrix on the right only.")
    return None


def _refuses_weights(kernel: Kernel) -> Text | None:
    if kernel.kind is Kind.DEPTHWISE:
        return say("MindSpore Lite leaves depthwise convolutions in floats where it quantizes weights only.")
    return _refuses(kernel)


def export_mindspore_lite(order: Order) -> Written:
    """Write the folder.

    Raises:
        ExportError: It can't be written, or the converter can't take the model.
    """
    network, plan, extras = order.network, order.plan, order.extras
    handover = check_mindspore_lite(network, plan, extras=extras)
    mode, names = mode_of(network, plan, extras), layer_names(network)
    effective = handover.effective_plan
    with bundle(MINDSPORE_LITE, order, handover, names) as made:
        put_float_model(made, order, names, opsets=OPSETS)
        made.notes += _respelled(made.folder / MODEL, network, names)
        count = put_calibration(made, order, names, channels_last=True) if mode == "full8" else 0
        made.text("quant.cfg", _ini(settings(network, effective, names, mode, count)), "what the converter quantizes")
        made.text("convert.sh", _script(network, names), "runs converter_lite", executable=True)
        made.steps.append("Run convert.sh where converter_lite is installed; it ends with CONVERT RESULT SUCCESS:0.")
        _read_back(made, network, effective, names)
    return written(MINDSPORE_LITE, order, handover, made)


def _respelled(path: Path, network: Network, names: LayerNames) -> list[Text]:
    """Spell what the converter refuses or misreads with other operators; run the model once more."""
    model = onnx.load(path, load_external_data=False)
    replaced = spelled_for_mindspore(model)
    if not replaced:
        return []
    path.write_bytes(model.SerializeToString())
    run_once(network, names, path)
    return [
        say(
            "{count} {op} {count:is|are} spelled with operators that the converter reads as ONNX means them.",
            count=count,
            op=op,
        )
        for op, count in replaced.items()
    ]


def settings(network: Network, plan: Plan, names: LayerNames, mode: Mode, samples: int) -> dict[str, dict[str, str]]:
    """Sections and keys of quant.cfg; none if no layer is quantized."""
    skipped = [
        names.anchors[kernel.id]
        for kernel in network.kernels
        if names.anchors[kernel.id] and _listed(kernel) and (not kernel.tunable or plan[kernel.id].weights.floating)
    ]
    if all(plan[kernel.id].weights.floating for kernel in network.tunable):
        return {}
    common = {
        "quant_type": "FULL_QUANT" if mode == "full8" else "WEIGHT_QUANT",
        "bit_num": mode[-1],
        "min_quant_weight_size": "0",
        "min_quant_weight_channel": "1",
    }
    if skipped:
        common["skip_quant_node"] = ",".join(skipped)
    if mode != "full8":
        return {"common_quant_param": common}
    places = ",".join(f"{name}:./calibration/{place}" for name, place in sample_places(network, names).items())
    return {
        # No debug_info_save_path: for its tables the converter sorts every tensor of every sample, most of its time.
        "common_quant_param": common,
        "data_preprocess_param": {"calibrate_path": places, "calibrate_size": str(samples), "input_type": "BIN"},
        "full_quant_param": {
            "activation_quant_method": "MAX_MIN",
            "per_channel": "true",
            "bias_correction": "false",
        },
    }


def _listed(kernel: Kernel) -> bool:
    """Whether the converter would look at a layer at all."""
    return kernel.kind in CONVOLUTIONS | PRODUCTS or kernel.kind in (Kind.EMBEDDING, Kind.RECURRENT)


def _ini(sections: Mapping[str, Mapping[str, str]]) -> str:
    lines: list[str] = []
    for section, values in sections.items():
        lines += [f"[{section}]", *(f"{key}={value}" for key, value in values.items()), ""]
    return "\n".join(lines) or "# No layer is quantized.\n"


def _script(network: Network, names: LayerNames) -> str:
    arguments: Sequence[str] = [
        "--fmk=ONNX",
        f"--modelFile={MODEL}",
        "--outputFile=model",
        "--configFile=quant.cfg",
        "--fp16=on",
        f"--inputShape={quote(input_shapes(network, names))}",
        "--saveType=MINDIR_LITE",
    ]
    return shell([command("converter_lite", arguments)], "Converts the model to model.ms; float weights become FP16.")


def _read_back(made: Bundle, network: Network, plan: Plan, names: LayerNames) -> None:
    """Compare the skip list with the plan.

    Raises:
        ExportError: If they differ.
    """
    read = configparser.ConfigParser(delimiters=("=",), comment_prefixes=("#",), interpolation=None)
    read.read_string((made.folder / "quant.cfg").read_text())
    quantized = {names.anchors[k.id] for k in network.tunable if not plan[k.id].weights.floating}
    common = dict(read["common_quant_param"]) if read.has_section("common_quant_param") else {}
    skipped = set(filter(None, common.get("skip_quant_node", "").split(",")))
    found = {names.anchors[k.id] for k in network.tunable if common and _listed(k)} - skipped
    if found != quantized:
        raise ExportError(
            say("{file} disagrees with the plan about layer {layer}; nothing was written.",
                file="quant.cfg", layer=min(found ^ quantized))
        )  # fmt: skip
    made.checks.append(say("Read back: {count} quantized {count:layer|layers}, as in the plan.", count=len(found)))
