"""ATC, the converter for Ascend devices: script, precision files, calibration settings, AIPP.

Formats: CANN documentation of ATC (--keep_dtype, --customize_dtypes, --op_precision_mode, --modify_mixlist,
--compression_optimize_conf, --insert_op_conf).
"""

from __future__ import annotations

import configparser
from collections.abc import Sequence

import msgspec

from engine.errors import ExportError
from engine.fusion.types import Kernel, Network
from engine.interop import amct
from engine.interop.aipp import aipp
from engine.interop.amct_ptq import quantizable, simplified
from engine.interop.bundle import MODEL, Bundle, bundle, command, input_shapes, quote, shell, written
from engine.interop.bundle_parts import put_float_model
from engine.interop.calibration_files import sample_places, write_stacked
from engine.interop.float_model import refuse_quantized
from engine.interop.handover import NO_EXTRAS, Extras, Handover, Written, hand_over
from engine.interop.layer_names import LayerNames, layer_names
from engine.interop.nearest import Ability, nearest
from engine.interop.order import Order
from engine.interop.targets import ATC, option
from engine.interop.textproto import Message, parse, text_proto
from engine.precision.plan import Plan
from engine.precision.scheme import FP32
from engine.progress import CancelToken
from engine.text import say

OPSETS = range(7, 18)
"""ONNX 1.12."""
_ABILITY = Ability(
    say("ATC"), amct.refuses, lambda kernel: (8,), amct.grains, symmetric=True, activation_widths=(8, 16), floating=None
)
_TYPES = {"Conv": "Conv2D", "ConvTranspose": "Conv2DTranspose", "Gemm": "MatMulV2", "MatMul": "BatchMatMulV2"}
"""ONNX operator -> operator of Ascend's IR."""


def check_atc(network: Network, plan: Plan, *, extras: Extras = NO_EXTRAS) -> Handover:
    """INT8, FP16 or FP32 per layer; INT4 is promoted.

    Raises:
        ExportError: The model is quantized already.
    """
    refuse_quantized(network, _ABILITY.title)
    notes = [say("Rules on layers that ATC fuses away have no effect; atc.sh writes model.json to look them up.")]
    handover = hand_over(network, plan, lambda kernel, asked: nearest(_ABILITY, kernel, asked))
    if _int8(network, handover.effective_plan):
        notes.append(say("ATC calibrates INT8 layers on a device that must be reachable where atc.sh runs."))
    return Handover(handover.effective_plan, handover.changes, tuple(notes))


def export_atc(order: Order) -> Written:
    """Write the folder.

    Raises:
        ExportError: It can't be written, or ATC can't take the model.
    """
    network, plan, path, extras = order.network, order.plan, order.path, order.extras
    handover = check_atc(network, plan, extras=extras)
    names = layer_names(network)
    effective = handover.effective_plan
    soc = option(extras, ATC, "soc_version")
    with bundle(ATC, order, handover, names) as made:
        put_float_model(made, order, names, opsets=OPSETS)
        flags = [
            "--framework=5", f"--model={MODEL}", "--output=model", f"--soc_version={quote(soc)}",
            f"--input_shape={quote(input_shapes(network, names))}", "--precision_mode=force_fp16",
        ]  # fmt: skip
        flags += _floats(made, network, effective, names)
        if _int8(network, effective):
            flags += _calibration(made, network, effective, names, soc, extras, order.cancel)
        blocks = aipp(network, extras.images)
        if blocks:
            made.text("aipp.cfg", text_proto(blocks), "preprocessing from 8-bit pictures, inside the model")
            made.notes.append(say("With aipp.cfg the model takes 8-bit pictures instead of normalised floats."))
            flags.append("--insert_op_conf=aipp.cfg")
        made.text("atc.sh", _script(flags, bool(_fp32(network, effective))), "runs ATC", executable=True)
        made.steps.append("Run atc.sh where the CANN toolkit is set up.")
        order.progress(0.9, say("Reading {file} back", file=path.name))
        _read_back(made, network, effective, names, blocks)
    return written(ATC, order, handover, made)


def _int8(network: Network, plan: Plan) -> list[Kernel]:
    return [kernel for kernel in network.tunable if not plan[kernel.id].weights.floating]


def _fp32(network: Network, plan: Plan) -> list[Kernel]:
    return [kernel for kernel in network.tunable if plan[kernel.id] == FP32]


def _floats(made: Bundle, network: Network, plan: Plan, names: LayerNames) -> list[str]:
    """Files for layers that stay in floats, and the flag for those at FP32."""
    lines = []
    for kernel in network.tunable:
        scheme = plan[kernel.id]
        if scheme.weights.floating:
            dtype = f"float{scheme.weights.bits}"
            inputs = ",".join([dtype] * len([n for n in kernel.nodes[kernel.anchor].inputs if n]))
            lines.append(f"{names.anchors[kernel.id]}::InputDtype:{inputs},OutputDtype:{dtype}")
    if lines:
        made.text("customize_dtypes.cfg", "\n".join([*lines, ""]), "types of float layers, for --customize_dtypes")
    kept = _fp32(network, plan)
    if not kept:
        return []
    nodes = [names.anchors[kernel.id] for kernel in kept]
    made.text("keep_dtype.txt", "\n".join([*nodes, ""]), "layers that stay FP32, for --keep_dtype")
    ini = ["[ByNodeName]", *(f"{node}=enable_float_32_execution" for node in nodes), ""]
    made.text("op_precision.ini", "\n".join(ini), "the same by implementation, for --op_precision_mode")
    black = sorted(_whole_types(network, plan))
    lists = {"black-list": {"to-add": black, "to-remove": []}, "white-list": {"to-add": [], "to-remove": []}}
    text = msgspec.json.format(msgspec.json.encode(lists), indent=2).decode() + "\n"
    made.text("mixlist.json", text, "the same by operator type, for --modify_mixlist")
    return ["--keep_dtype=keep_dtype.txt"]


def _whole_types(network: Network, plan: Plan) -> set[str]:
    """Operator types of Ascend's IR of which every layer stays FP32."""
    kept: dict[str, bool] = {}
    for kernel in network.tunable:
        kind = _TYPES.get(kernel.nodes[kernel.anchor].op_type)
        if kind is not None:
            kept[kind] = kept.get(kind, True) and plan[kernel.id] == FP32
    return {kind for kind, whole in kept.items() if whole}


def _calibration(
    made: Bundle, network: Network, plan: Plan, names: LayerNames, soc: str, extras: Extras, cancel: CancelToken
) -> list[str]:
    """Settings of the AMCT calibration that runs inside ATC."""
    made.text("ptq.cfg", text_proto(simplified(network, plan, names, 1)), "which layers are INT8")
    count = 1
    if extras.samples is None:
        made.notes.append(say("No calibration samples were handed over; put one raw file per input into calibration/."))
    else:
        count = len(extras.samples)
        write_stacked(extras.samples, network, names, made.folder / "calibration", cancel=cancel)
        made.files.append(("calibration/", "one raw file per input, all samples"))
    places = sample_places(network, names)
    shapes = [
        f"{names.tensors[info.name]}:{','.join(map(str, (info.shape[0] * count, *info.shape[1:])))}"
        for info in network.graph.inputs
        if info.shape
    ]
    # Not quite a text proto: values stand without quotes.
    settings = [
        "calibration:",
        "{",
        f"    input_data_dir: {','.join(f'./calibration/{place}.bin' for place in places.values())}",
        f"    input_shape: {';'.join(shapes)}",
        "    config_file: ./ptq.cfg",
        f"    infer_soc: {soc}",
        "    infer_device_id: 0",
        "}",
        "",
    ]
    made.text("compress_opt.conf", "\n".join(settings), "calibration inside ATC")
    return ["--compression_optimize_conf=compress_opt.conf"]


def _script(flags: Sequence[str], mixed: bool) -> str:
    lines = [command("atc", flags), "", "# Which layers were fused, and what they run in:"]
    lines.append("atc --mode=1 --om=model.om --json=model.json")
    if mixed:
        lines += [
            "",
            "# Instead of --precision_mode=force_fp16 --keep_dtype=keep_dtype.txt, one of these may be used:",
            "#   --customize_dtypes=customize_dtypes.cfg",
            "#   --op_precision_mode=op_precision.ini",
            "#   --precision_mode=allow_mix_precision --modify_mixlist=mixlist.json",
        ]
    return shell(lines, "Converts the model with ATC.")


def _read_back(made: Bundle, network: Network, plan: Plan, names: LayerNames, blocks: Message) -> None:
    """Compare what the files say about each layer with the plan.

    Raises:
        ExportError: If they differ.
    """
    folder = made.folder
    fp32 = {names.anchors[kernel.id] for kernel in _fp32(network, plan)}
    if fp32:
        ini = configparser.ConfigParser(delimiters=("=",), comment_prefixes=())
        ini.optionxform = str  # type: ignore[assignment, method-assign]
        ini.read_string((folder / "op_precision.ini").read_text())
        _same("op_precision.ini", set(ini["ByNodeName"]), fp32)
        _same("keep_dtype.txt", set((folder / "keep_dtype.txt").read_text().split()), fp32)
    int8 = {names.anchors[kernel.id] for kernel in _int8(network, plan)}
    if int8:
        message = parse((folder / "ptq.cfg").read_text())
        skipped = {str(value) for name, value in message if name == "skip_layers"}
        _same("ptq.cfg", set(quantizable(network, names)) - skipped, int8)
    floats = {names.anchors[kernel.id] for kernel in network.tunable} - int8
    if floats:
        lines = (folder / "customize_dtypes.cfg").read_text().splitlines()
        _same("customize_dtypes.cfg", {line.partition("::")[0] for line in lines}, floats)
    if blocks:
        found = parse((folder / "aipp.cfg").read_text())
        _same("aipp.cfg", {str(dict(b)["related_input_rank"]) for _, b in found if isinstance(b, list)},
              {str(dict(b)["related_input_rank"]) for _, b in blocks if isinstance(b, list)})  # fmt: skip
    made.checks.append(
        say(
            "Read back: {int8} INT8, {fp32} FP32 and {half} FP16 layers, as in the plan.",
            int8=len(int8),
            fp32=len(fp32),
            half=len(floats) - len(fp32),
        )
    )


def _same(file: str, found: set[str], wanted: set[str]) -> None:
    if found != wanted:
        raise ExportError(
            say("{file} disagrees with the plan about layer {layer}; nothing was written.",
                file=file, layer=min(found ^ wanted))
        )  # fmt: skip
