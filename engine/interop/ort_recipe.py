"""A Python script that repeats the plan with ONNX Runtime's own quantization tools, for those who build from source.

Two passes: `quantize_static` for layers with integer activations, `MatMulNBitsQuantizer` for products with integer
weights alone. What neither takes stays in FP32.
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
from engine.interop.nearest import CONVOLUTIONS, PRODUCTS, Ability, nearest, weight_on_the_right
from engine.interop.order import Order
from engine.interop.scripts import assignments, compare_constants
from engine.interop.targets import ORT_RECIPE
from engine.precision.plan import Plan
from engine.precision.scheme import FP32, Granularity, Scheme, WeightFormat
from engine.text import Text, say

_TITLE = say("ONNX Runtime quantization")
_GROUPS = (16, 32, 64, 128, 256)
_SCRIPT = "quantize.py"


def check_ort_recipe(network: Network, plan: Plan, *, extras: Extras = NO_EXTRAS) -> Handover:
    """INT8 or INT4 weights with INT8 activations, INT4 or INT8 groups for MatMul with float activations, else FP32.

    Raises:
        ExportError: The model is quantized already.
    """
    refuse_quantized(network, _TITLE)
    notes = (say("The script needs onnxruntime with onnx, and onnx_ir for the second pass."),)
    return hand_over(network, plan, _rule, notes)


def _refuses(kernel: Kernel) -> Text | None:
    if kernel.kind not in CONVOLUTIONS | PRODUCTS:
        return say("The recipe quantizes convolutions, Gemm and MatMul only; this layer stays FP32.")
    assert kernel.weight is not None
    if kernel.kind in PRODUCTS and not weight_on_the_right(kernel):
        return say("The recipe quantizes products whose weight is a matrix on the right only; this layer stays FP32.")
    return None


def _static_grains(kernel: Kernel, bits: int) -> tuple[Granularity, ...]:
    # Scales per channel need an axis; a transposed convolution's is counted per group.
    return ("tensor",) if kernel.kind is Kind.CONV_TRANSPOSE else ("channel", "tensor")


_STATIC = Ability(
    _TITLE, _refuses, lambda kernel: (4, 8), _static_grains, symmetric=True, activation_symmetric=False, floating=FP32,
)  # fmt: skip


def _rule(kernel: Kernel, asked: Scheme) -> tuple[Scheme, Text | None]:
    grouped = asked.activations.floating and not asked.weights.floating and kernel.kind is Kind.MATMUL
    if not grouped or _refuses(kernel) is not None or asked.weights.bits > 8:
        return nearest(_STATIC, kernel, asked)
    form = asked.weights
    bits = 4 if form.bits <= 4 else 8
    wanted = form.group if form.granularity == "group" else _GROUPS[-1]
    group = max((size for size in _GROUPS if size <= wanted), default=_GROUPS[0])
    weights = WeightFormat(bits, symmetric=form.symmetric, granularity="group", group=group)
    gets = Scheme(weights, FP32.activations)
    if gets == asked:
        return asked, None
    return gets, say("MatMulNBitsQuantizer leaves activations in FP32 and takes groups of 16 to 256.")


def export_ort_recipe(order: Order) -> Written:
    """Write the folder.

    Raises:
        ExportError: It can't be written.
    """
    network, plan = order.network, order.plan
    handover = check_ort_recipe(network, plan, extras=order.extras)
    names = layer_names(network)
    with bundle(ORT_RECIPE, order, handover, names) as made:
        put_float_model(made, order, names)
        put_calibration(made, order, names)
        values = recipe(network, handover.effective_plan, names)
        made.text(_SCRIPT, _script(values), "writes quantized.onnx")
        made.steps.append(f"python {_SCRIPT}")
        made.checks.append(compare_constants(made.folder / _SCRIPT, values))
    return written(ORT_RECIPE, order, handover, made)


def recipe(network: Network, plan: Plan, names: LayerNames) -> dict[str, Any]:
    """The constants of the script."""
    static: list[str] = []
    overrides: dict[str, dict[str, int]] = {}
    passes: dict[tuple[int, int, bool], list[str]] = {}
    for kernel in network.tunable:
        scheme, node = plan[kernel.id], names.anchors[kernel.id]
        if scheme.weights.floating:
            continue
        if scheme.activations.floating:
            form = scheme.weights
            passes.setdefault((form.bits, form.group, form.symmetric), []).append(node)
            continue
        static.append(node)
        entry = _override(kernel, scheme.weights)
        if entry:
            overrides[names.weights[kernel.id]] = entry
    inputs = {
        names.tensors[info.name]: (place, info.dtype.name, list(info.shape))
        for info, place in zip(network.graph.inputs, sample_places(network, names).values(), strict=True)
    }
    return {
        "INPUTS": inputs,
        "STATIC": static,
        "OVERRIDES": overrides,
        "WEIGHT_ONLY": [
            {"bits": bits, "block_size": group, "is_symmetric": symmetric, "nodes_to_include": nodes}
            for (bits, group, symmetric), nodes in passes.items()
        ],
    }


def _override(kernel: Kernel, form: WeightFormat) -> dict[str, int]:
    """What differs from INT8 per channel, symmetric."""
    assert kernel.weight is not None
    if form.granularity == "tensor":
        return {"bits": form.bits}
    return {"bits": 4, "axis": kernel.weight.channel_axes[0]} if form.bits == 4 else {}


def _script(values: dict[str, Any]) -> str:
    return f'''"""Quantizes model.onnx as planned with Mixbit. Run: python {_SCRIPT}"""

import shutil
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

HERE = Path(__file__).resolve().parent
SOURCE, RESULT = HERE / "{MODEL}", HERE / "quantized.onnx"

# input -> folder of its samples, dtype, shape
# STATIC: nodes with integer weights and activations; OVERRIDES: weights that are not INT8 per channel
# WEIGHT_ONLY: products with integer weights and float activations, one pass each
{assignments(values)}


class Samples(CalibrationDataReader):
    """One feed per sample, out of calibration/."""

    def __init__(self):
        folders = {{name: HERE / "calibration" / entry[0] for name, entry in INPUTS.items()}}
        count = min((len(list(folder.glob("*.bin"))) for folder in folders.values()), default=0)
        if not count:
            raise SystemExit("put calibration samples into " + str(HERE / "calibration"))
        self.feeds = iter([{{name: self.read(name, folders[name], i) for name in INPUTS}} for i in range(count)])

    @staticmethod
    def read(name, folder, number):
        _, dtype, shape = INPUTS[name]
        return np.fromfile(folder / f"{{number:05d}}.bin", dtype).reshape(shape)

    def get_next(self):
        return next(self.feeds, None)


def ranges(weight, bits, axis=None):
    """Ranges of a weight, for each channel or for all, of which the scale comes out as max |w| / (2^(bits-1) - 1)."""
    peaks = np.abs(weight).max(axis=None if axis is None else tuple(a for a in range(weight.ndim) if a != axis))
    scales = np.where(peaks > 0, peaks, 1) / (2 ** (bits - 1) - 1)
    kind = {{"quant_type": QuantType.QInt4 if bits == 4 else QuantType.QInt8, "symmetric": True}}
    if axis is not None:
        kind["axis"] = axis
    steps = 15 if bits == 4 else 254
    return [{{**kind, "rmin": np.float32(-s * steps / 2), "rmax": np.float32(s * steps / 2)}} for s in np.ravel(scales)]


def main():
    if STATIC:
        weights = {{w.name: w for w in onnx.load(SOURCE).graph.initializer if w.name in OVERRIDES}}
        overrides = {{name: ranges(numpy_helper.to_array(weights[name]), **entry) for name, entry in OVERRIDES.items()}}
        quantize_static(
            str(SOURCE), str(RESULT), Samples(), quant_format=QuantFormat.QDQ, per_channel=True,
            activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, nodes_to_quantize=STATIC,
            extra_options={{
                "TensorQuantOverrides": overrides,
                "WeightSymmetric": True,
                "ActivationSymmetric": False,
                # What meets a weight is rounded, results are not: so the plan was measured.
                "OpTypesToExcludeOutputQuantization": ["Conv", "ConvTranspose", "Gemm", "MatMul"],
            }},
        )
    else:
        shutil.copyfile(SOURCE, RESULT)
    if WEIGHT_ONLY:
        from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

        model = onnx.load(RESULT)
        for settings in WEIGHT_ONLY:
            quantizer = MatMulNBitsQuantizer(model, accuracy_level=1, **settings)
            quantizer.process()
            model = quantizer.model.model
        onnx.save(model, RESULT)
    print("wrote", RESULT)


if __name__ == "__main__":
    main()
'''
