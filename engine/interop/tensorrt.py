"""TensorRT: a QDQ model that its parser takes, the call of trtexec, and a precision string for versions up to 10.

TensorRT quantizes symmetrically: no zero points, neither in weights nor in activations. INT4 exists for the weights of
products, in blocks. From version 11 on a network's types are those of the graph, so the model says everything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import onnx

from engine.errors import ExportError
from engine.fusion.types import Kernel, Network
from engine.interop.bundle import Bundle, bundle, command, shell, written
from engine.interop.handover import NO_EXTRAS, Extras, Handover, Written, hand_over
from engine.interop.layer_names import layer_names
from engine.interop.nearest import CONVOLUTIONS, PRODUCTS, Ability, dividing, nearest, weight_on_the_right
from engine.interop.order import Order
from engine.interop.qdq import export_qdq
from engine.interop.targets import TENSORRT
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme
from engine.text import Text, say

_QDQ = "quantized.onnx"
_LAYERS = "layer_precisions.txt"
_SEPARATORS = re.compile(r"[,:*\"\s]")


_TITLE = say("TensorRT")
_GROUPS = (64, 128)
"""Block sizes of INT4 weights."""


def check_tensorrt(network: Network, plan: Plan, *, extras: Extras = NO_EXTRAS) -> Handover:
    """INT8 or FP16 per layer; INT4 weights with FP16 activations for products."""
    notes = (say("INT4 needs TensorRT 10 or newer; layer_precisions.txt is for versions up to 10."),)
    return hand_over(network, plan, _rule, notes)


def _rule(kernel: Kernel, asked: Scheme) -> tuple[Scheme, Text | None]:
    weight_only = asked.activations.floating and asked.weights.bits <= 4 and _blocks(kernel)
    return nearest(_INT4 if weight_only else _INT8, kernel, asked)


def _refuses(kernel: Kernel) -> Text | None:
    if kernel.kind not in CONVOLUTIONS | PRODUCTS:
        return say("TensorRT quantizes convolutions and matrix products; this layer stays FP16.")
    if kernel.kind in PRODUCTS and not weight_on_the_right(kernel):
        return say("TensorRT quantizes products whose weight is a matrix on the right only.")
    return None


def _blocks(kernel: Kernel) -> bool:
    return kernel.kind in PRODUCTS and weight_on_the_right(kernel) and bool(dividing(_GROUPS, kernel))


_INT8 = Ability(_TITLE, _refuses, lambda kernel: (8,), symmetric=True, activation_symmetric=True, takes_rounded=True)
_INT4 = Ability(
    _TITLE,
    _refuses,
    lambda kernel: (4,),
    lambda kernel, bits: ("group",),
    groups=lambda kernel: dividing(_GROUPS, kernel),
    symmetric=True,
    activation_widths=(),
    weight_only=True,
    takes_rounded=True,
)


def export_tensorrt(order: Order) -> Written:
    """Write the folder.

    Raises:
        ExportError: It can't be written.
        PlanError: A range is missing.
    """
    network, plan = order.network, order.plan
    handover = check_tensorrt(network, plan, extras=order.extras)
    names = layer_names(network)
    effective = handover.effective_plan
    with bundle(TENSORRT, order, handover, names) as made:
        export_qdq(
            network, effective, order.calibrated, made.folder / _QDQ, progress=order.progress, cancel=order.cancel
        )
        made.files.append((_QDQ, "the model, precision in the graph; run once by ONNX Runtime"))
        anchors = _anchors(made, network)
        layers = ",".join(f"{node}:{_kind(effective[kernel])}" for kernel, node in anchors.items())
        made.text(_LAYERS, layers + "\n", "the same as a string for --layerPrecisions, versions up to 10")
        made.text("trtexec.sh", _script(), "builds an engine", executable=True)
        made.steps.append("Run trtexec.sh where TensorRT is installed.")
        _read_back(made, anchors, effective)
    return written(TENSORRT, order, handover, made)


def _kind(scheme: Scheme) -> str:
    return "fp16" if scheme.weights.floating or scheme.activations.floating else "int8"


def _anchors(made: Bundle, network: Network) -> dict[str, str]:
    """Kernel id -> node of the written model that multiplies with the weight."""
    nodes = onnx.load(made.folder / _QDQ, load_external_data=False).graph.node
    names = {node.name for node in nodes}
    found = {}
    for kernel in network.tunable:
        name = f"{kernel.name}/{kernel.nodes[kernel.anchor].proto.op_type}"
        if name in names and not _SEPARATORS.search(name):
            found[kernel.id] = name
        else:
            made.notes.append(say("Layer {name} can't be named in layer_precisions.txt.", name=kernel.name))
    return found


def _script() -> str:
    lines = [
        "# TensorRT 11 and newer take all types from the model.",
        command("trtexec", [f"--onnx={_QDQ}", "--saveEngine=model.plan", "${TRT_FLAGS:-}"]),
        "",
        "# Up to TensorRT 10, types may be forced as well:",
        '#   TRT_FLAGS="--fp16 --int8 --precisionConstraints=obey --layerPrecisions=$(cat layer_precisions.txt)"',
    ]
    return shell(lines, "Builds an engine with trtexec.")


def _read_back(made: Bundle, anchors: Mapping[str, str], plan: Plan) -> None:
    """Compare the precision string with the plan.

    Raises:
        ExportError: If they differ.
    """
    text = (made.folder / _LAYERS).read_text().strip()
    found = dict(entry.rsplit(":", 1) for entry in text.split(",") if entry)
    for kernel, node in anchors.items():
        if found.get(node) != _kind(plan[kernel]):
            raise ExportError(
                say("{file} disagrees with the plan about layer {layer}; nothing was written.",
                    file=_LAYERS, layer=node)
            )  # fmt: skip
    made.checks.append(
        say("Run by ONNX Runtime; {count} {count:layer|layers} in the precision string.", count=len(found))
    )
