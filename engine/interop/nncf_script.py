"""A Python script that repeats the plan with NNCF on the ONNX model.

`nncf.quantize` for layers with integer activations (INT8), then `nncf.compress_weights` for MatMul with integer weights
alone (INT4 or INT8). What neither takes stays in floats.
"""

from __future__ import annotations

from typing import Any

from engine.fusion.types import Kernel, Kind, Network
from engine.interop.bundle import MODEL, bundle, written
from engine.interop.bundle_parts import put_calibration, put_float_model
from engine.interop.calibration_files import sample_places
from engine.interop.float_model import refuse_quantized
from engine.interop.handover import NO_EXTRAS, Extras, Handover, Written, hand_over
from engine.interop.layer_names import LayerNames, layer_names
from engine.interop.nearest import CONVOLUTIONS, PRODUCTS, Ability, nearest, sides, weight_on_the_right
from engine.interop.order import Order
from engine.interop.scripts import assignments, compare_constants
from engine.interop.targets import NNCF
from engine.precision.plan import Plan
from engine.precision.scheme import FP32, Granularity, Scheme, WeightFormat
from engine.text import Text, say

_TITLE = say("NNCF")
_GROUPS = (16, 32, 64, 128, 256)
_SCRIPT = "nncf_plan.py"
OPSETS = range(21, 22)
"""From here on NNCF writes DequantizeLinear in blocks, below MatMulNBits nodes that ONNX Runtime may refuse."""


def check_nncf(network: Network, plan: Plan, *, extras: Extras = NO_EXTRAS) -> Handover:
    """INT8 with INT8 activations, INT4 or INT8 weights with float activations, else FP32.

    Raises:
        ExportError: The model is quantized already.
    """
    refuse_quantized(network, _TITLE)
    return hand_over(network, plan, _rule)


def _refuses(kernel: Kernel) -> Text | None:
    if kernel.kind not in CONVOLUTIONS | PRODUCTS:
        return say("NNCF quantizes convolutions, Gemm and MatMul; this layer stays in floats.")
    if kernel.kind in PRODUCTS and not weight_on_the_right(kernel):
        return say("NNCF quantizes products whose weight is a matrix on the right; this layer stays in floats.")
    return None


_STATIC = Ability(
    _TITLE, _refuses, lambda kernel: (8,), lambda kernel, bits: ("channel",), symmetric=True,
    activation_symmetric=False, floating=FP32,
)  # fmt: skip


def _rule(kernel: Kernel, asked: Scheme) -> tuple[Scheme, Text | None]:
    # Compressed weights of convolutions come out of NNCF in a form that ONNX Runtime refuses.
    if asked.weights.floating or not asked.activations.floating or kernel.kind is not Kind.MATMUL:
        return nearest(_STATIC, kernel, asked)
    if (reason := _refuses(kernel)) is not None:
        return FP32, reason
    weights = _compressed(kernel, asked.weights)
    if weights is None:
        return FP32, say("{target} has no integer weights of {bits} bits for this layer; it stays in floats.",
                         target=_TITLE, bits=asked.weights.bits)  # fmt: skip
    gets = Scheme(weights, FP32.activations)
    if gets == asked:
        return asked, None
    if weights.bits != asked.weights.bits:
        return gets, say("NNCF knows weights of 4 and 8 bits.")
    return gets, say("NNCF leaves activations in FP32 where it compresses weights; groups must divide the rows.")


def _compressed(kernel: Kernel, asked: WeightFormat) -> WeightFormat | None:
    if asked.bits > 8:
        return None
    if asked.bits > 4:
        return WeightFormat(8, symmetric=False, granularity="channel")
    wanted = asked.group if asked.granularity == "group" else 0
    group = max((size for size in _GROUPS if size <= wanted and sides(kernel)[1] % size == 0), default=0)
    grain: Granularity = "group" if group else "channel"
    return WeightFormat(4, symmetric=asked.symmetric, granularity=grain, group=group)


def export_nncf(order: Order) -> Written:
    """Write the folder.

    Raises:
        ExportError: It can't be written.
    """
    network, plan = order.network, order.plan
    handover = check_nncf(network, plan, extras=order.extras)
    names = layer_names(network)
    with bundle(NNCF, order, handover, names) as made:
        put_float_model(made, order, names, opsets=OPSETS)
        put_calibration(made, order, names)
        values = recipe(network, handover.effective_plan, names)
        made.text(_SCRIPT, _script(values), "writes quantized.onnx")
        made.steps.append(f"pip install nncf onnx onnxruntime; python {_SCRIPT}")
        made.checks.append(compare_constants(made.folder / _SCRIPT, values))
    return written(NNCF, order, handover, made)


def recipe(network: Network, plan: Plan, names: LayerNames) -> dict[str, Any]:
    """The constants of the script. NNCF is told what to leave alone, so each pass lists the rest of the nodes."""
    static: list[str] = []
    passes: dict[tuple[str, int], list[str]] = {}
    for kernel in network.tunable:
        scheme, node = plan[kernel.id], names.anchors[kernel.id]
        form = scheme.weights
        if form.floating:
            continue
        if not scheme.activations.floating:
            static.append(node)
            continue
        kind = "INT8_ASYM" if form.bits == 8 else "INT4_SYM" if form.symmetric else "INT4_ASYM"
        passes.setdefault((kind, form.group or -1), []).append(node)
    places = sample_places(network, names)
    return {
        "INPUTS": {
            names.tensors[info.name]: (place, info.dtype.name, list(info.shape))
            for info, place in zip(network.graph.inputs, places.values(), strict=True)
        },
        "STATIC": static,
        "WEIGHT_ONLY": [{"mode": kind, "group_size": group, "nodes": nodes} for (kind, group), nodes in passes.items()],
    }


def _script(values: dict[str, Any]) -> str:
    return f'''"""Quantizes model.onnx as planned with Mixbit. Run: python {_SCRIPT}"""

from pathlib import Path

import nncf
import numpy as np
import onnx

HERE = Path(__file__).resolve().parent

# input -> folder of its samples, dtype, shape
# STATIC: nodes with integer weights and activations
# WEIGHT_ONLY: nodes with integer weights and float activations, by mode and group size
{assignments(values)}


def samples():
    """One feed per sample, out of calibration/."""
    folders = {{name: HERE / "calibration" / entry[0] for name, entry in INPUTS.items()}}
    count = min((len(list(folder.glob("*.bin"))) for folder in folders.values()), default=0)
    if not count:
        raise SystemExit("put calibration samples into " + str(HERE / "calibration"))
    return [{{name: read(name, folders[name], i) for name in INPUTS}} for i in range(count)]


def read(name, folder, number):
    _, dtype, shape = INPUTS[name]
    return np.fromfile(folder / f"{{number:05d}}.bin", dtype).reshape(shape)


def everything_but(model, nodes):
    kept = set(nodes)
    return nncf.IgnoredScope(names=[n.name for n in model.graph.node if n.name and n.name not in kept], validate=False)


def main():
    model = onnx.load(HERE / "{MODEL}")
    if STATIC:
        feeds = samples()
        model = nncf.quantize(
            model, nncf.Dataset(feeds), subset_size=len(feeds), preset=nncf.QuantizationPreset.MIXED,
            ignored_scope=everything_but(model, STATIC),
        )
    for entry in WEIGHT_ONLY:
        mode = getattr(nncf.CompressWeightsMode, entry["mode"])
        settings = {{}}
        if entry["mode"] != "INT8_ASYM":
            settings = {{"group_size": entry["group_size"], "ratio": 1.0, "all_layers": True}}
        scope = everything_but(model, entry["nodes"])
        model = nncf.compress_weights(model, mode=mode, ignored_scope=scope, **settings)
    if all(entry.domain != "com.microsoft" for entry in model.opset_import):  # of MatMulNBits nodes
        model.opset_import.append(onnx.helper.make_opsetid("com.microsoft", 1))
    onnx.save(model, HERE / "quantized.onnx")
    print("wrote", HERE / "quantized.onnx")


if __name__ == "__main__":
    main()
'''
