"""dopt, the quantizer of HarmonyOS' CANN Kit, and OMG, its converter: INT8 or FP16 per layer on Kirin phones.

Formats: CANN Kit guide, "lightweighting" (config.prototxt, calibration .bin) and OMG's command line.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.errors import ExportError
from engine.fusion.types import Kernel, Network
from engine.interop.bundle import MODEL, Bundle, bundle, command, input_shapes, quote, shell, written
from engine.interop.bundle_parts import put_float_model
from engine.interop.calibration_files import read_dopt, sample_places, write_dopt
from engine.interop.float_model import refuse_dynamic, refuse_quantized
from engine.interop.handover import NO_EXTRAS, Extras, Handover, Written, hand_over
from engine.interop.layer_names import LayerNames, layer_names
from engine.interop.nearest import CONVOLUTIONS, PRODUCTS, Ability, nearest, weight_on_the_right
from engine.interop.order import Order
from engine.interop.targets import DOPT, option
from engine.interop.textproto import Message, Value, Word, parse, text_proto
from engine.precision.plan import Plan
from engine.progress import CancelToken
from engine.text import Text, say

OPSETS = range(7, 19)
_TITLE = say("dopt (Kirin)")
_FOLDER = "@FOLDER@"
"""Stands for the export's own folder; dopt wants absolute paths, and the folder may be moved before it runs."""


def check_dopt(network: Network, plan: Plan, *, extras: Extras = NO_EXTRAS) -> Handover:
    """INT8 or FP16 per layer; INT4 is promoted, and all INT8 layers have activations of one width.

    Raises:
        ExportError: The model is quantized already, or has shapes that depend on values.
    """
    refuse_quantized(network, _TITLE)
    refuse_dynamic(network, _TITLE)
    for info in network.graph.inputs:
        if info.dtype.kind != "f":
            raise ExportError(
                say("Input {name} holds {dtype}, and dopt calibrates with float inputs only.",
                    name=info.name, dtype=info.dtype.name)
            )  # fmt: skip
    ability = Ability(
        _TITLE, _refuses, lambda kernel: (8,), symmetric=True, activation_widths=(_activation_bits(network, plan),),
    )  # fmt: skip
    return hand_over(network, plan, lambda kernel, asked: nearest(ability, kernel, asked))


def _refuses(kernel: Kernel) -> Text | None:
    if kernel.kind not in CONVOLUTIONS | PRODUCTS:
        return say("dopt quantizes convolutions, Gemm and MatMul only; this layer stays FP16.")
    assert kernel.weight is not None
    if kernel.kind in CONVOLUTIONS and len(kernel.weight.shape) > 4:
        return say("The phone has no convolution over three axes in integers; this layer stays FP16.")
    if kernel.kind in PRODUCTS and not weight_on_the_right(kernel):
        return say("dopt quantizes products whose weight is a matrix on the right only.")
    return None


def _activation_bits(network: Network, plan: Plan) -> int:
    """16 only if every layer that is to have integer activations wants 16: the strategy holds for the whole model."""
    widths = {
        plan.scheme(kernel.id).activations.bits
        for kernel in network.tunable
        if not plan.scheme(kernel.id).weights.floating and not plan.scheme(kernel.id).activations.floating
    }
    return 16 if widths == {16} else 8


def export_dopt(order: Order) -> Written:
    """Write the folder.

    Raises:
        ExportError: It can't be written, or dopt can't take the model.
    """
    network, plan, extras = order.network, order.plan, order.extras
    handover = check_dopt(network, plan, extras=extras)
    names = layer_names(network)
    effective = handover.effective_plan
    with bundle(DOPT, order, handover, names) as made:
        put_float_model(made, order, names, opsets=OPSETS)
        _samples(made, network, names, extras, order.cancel)
        excluded = names.weights if option(extras, DOPT, "exclude") == "weight" else names.anchors
        text = text_proto(config(network, effective, names, excluded))
        made.text("config.prototxt", text, "what dopt quantizes; dopt.sh fills in the folder")
        made.text("dopt.sh", _dopt_script(network, names), "runs dopt; set DOPT to its folder", executable=True)
        platform = option(extras, DOPT, "platform")
        made.text("omg.sh", _omg_script(network, names, platform), "runs OMG; set OMG to its path", executable=True)
        made.steps += ["DOPT=.../tools_dopt/dopt_onnx_py3 ./dopt.sh (Python 3.10)", "OMG=.../omg ./omg.sh"]
        order.progress(0.9, say("Reading {file} back", file="config.prototxt"))
        _read_back(made, network, effective, excluded, names, extras)
    return written(DOPT, order, handover, made)


def _samples(made: Bundle, network: Network, names: LayerNames, extras: Extras, cancel: CancelToken) -> None:
    if extras.samples is None:
        made.notes.append(say("No calibration samples were handed over; put one .bin per input into calibration/."))
        return
    write_dopt(extras.samples, network, names, made.folder / "calibration", cancel=cancel)
    made.files.append(("calibration/", "one .bin per input: header, then all samples in float32"))


def config(network: Network, plan: Plan, names: LayerNames, excluded: Mapping[str, str]) -> Message:
    """The configuration: one strategy, one block per input, one list of layers that stay float."""
    floats = [excluded[kernel.id] for kernel in _known(network) if plan[kernel.id].weights.floating]
    bits = {plan[k.id].activations.bits for k in network.tunable if not plan[k.id].weights.floating}
    blocks: list[tuple[str, Value]] = [
        (
            "preprocess_parameter",
            [("input_type", Word("BINARY")), ("input_file_path", f"{_FOLDER}/calibration/{place}.bin")],
        )
        for place in sample_places(network, names).values()
    ]
    return [
        ("strategy", f"Quant_INT{max(bits, default=8)}-8"),
        ("device", Word("USE_CPU")),
        *blocks,
        *[("exclude_op", name) for name in floats],
    ]


def _known(network: Network) -> list[Kernel]:
    """Layers that dopt would quantize; an exclude list with other names stops it."""
    return [kernel for kernel in network.tunable if _refuses(kernel) is None]


def _dopt_script(network: Network, names: LayerNames) -> str:
    outputs = ";".join(names.tensors[info.name] for info in network.graph.outputs)
    arguments = [
        "-m 0",
        "--framework 5",
        f"--model {MODEL}",
        "--cal_conf config.here.prototxt",
        f"--input_shape {quote(input_shapes(network, names))}",
        f"--out_nodes {quote(outputs)}",
        "--output quantized.onnx",
        "--compress_conf quant_param",
        "--device_idx 0",
    ]
    lines = [
        "here=$(pwd | sed 's/[&|\\\\]/\\\\&/g')",
        f'sed "s|{_FOLDER}|$here|" config.prototxt > config.here.prototxt',
        command('python "${DOPT:?set it to the folder of dopt_so.py}/dopt_so.py"', arguments),
    ]
    return shell(lines, "Quantizes the model with dopt; the integers go into quant_param.")


def _omg_script(network: Network, names: LayerNames, platform: str) -> str:
    arguments = [
        "--model quantized.onnx",
        "--framework 5",
        "--output model",
        "--target omc",
        f"--platform {platform}",
        f"--input_shape {quote(input_shapes(network, names))}",
        "--compress_conf quant_param",
    ]
    return shell([command('"${OMG:-omg}"', arguments)], "Converts the quantized model for the phone.")


def _read_back(
    made: Bundle,
    network: Network,
    plan: Plan,
    excluded: Mapping[str, str],
    names: LayerNames,
    extras: Extras,
) -> None:
    """Compare the configuration and the calibration data with what they were made of.

    Raises:
        ExportError: If they differ.
    """
    message = parse((made.folder / "config.prototxt").read_text())
    found = {value for name, value in message if name == "exclude_op"}
    wanted = {excluded[k.id] for k in _known(network) if plan[k.id].weights.floating}
    if found != wanted:
        raise ExportError(
            say("{file} disagrees with the plan about layer {layer}; nothing was written.",
                file="config.prototxt", layer=min(map(str, found ^ wanted)))
        )  # fmt: skip
    if extras.samples is not None:
        for info, place in zip(network.graph.inputs, sample_places(network, names).values(), strict=True):
            values = read_dopt(made.folder / "calibration" / f"{place}.bin")
            last = np.asarray(extras.samples.feeds[-1][info.name], np.float32)
            if not np.array_equal(values.reshape(-1)[-last.size :], last.reshape(-1), equal_nan=True):
                raise ExportError(
                    say("{file} doesn't hold the samples; nothing was written.", file=f"{place}.bin")
                )  # fmt: skip
    made.checks.append(
        say(
            "Read back: {count} {count:layer stays|layers stay} float, as in the plan; calibration data as given.",
            count=len(found),
        )
    )
