"""From a kernel and a scheme to the ONNX nodes that compute it: one function for the preview and for the exported file.

What both have: the activation that meets the weight goes through QuantizeLinear + DequantizeLinear (integer formats) or
a Cast to half and back, behind a multiplication where the method scales its channels; the bias of an 8-bit kernel is
rounded to int32 in units of activation scale x weight scale, as integer hardware (and ONNX Runtime, when it loads a QDQ
file) does; half kernels round their bias and their results.
What differs is only how a rounded weight is spelt: as a float constant in the preview, as packed integers in front of a
DequantizeLinear in a file.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
import onnx
from onnx import helper

from engine.errors import PlanError
from engine.fusion.types import Kernel, Kind, Weight
from engine.graph.types import Array, TensorInfo
from engine.numerics.activations import half_pair, integer_pair, name_of
from engine.numerics.scaling import beside
from engine.numerics.table_rows import by_row, row_finder
from engine.numerics.weight_nodes import WeightNodes, bias_nodes, packed_weight, preview_weight
from engine.precision.scheme import FP32, ActivationFormat, Scheme
from engine.quant.folding import input_axis
from engine.quant.ranges import QuantParams, Ranges, Rounding, activation_params, range_for
from engine.quant.scaling import PLAIN, Scaling
from engine.quant.weights import QuantizedWeight, fake_quantize, quantize_weight
from engine.text import say

FLOATS = frozenset({"float16", "float32", "float64", "bfloat16"})
"""Names of the dtypes that a scheme can round."""

SCALED_INPUT = "mixbit/scaled"
SCALED_OUTPUT = "mixbit/unscaled"
"""Ends of the names of activations that are divided by a scale, and of results before they are multiplied by one."""


@dataclass(frozen=True, eq=False, slots=True)
class Lowered:
    """A kernel, ready to be put into a model."""

    nodes: tuple[onnx.NodeProto, ...]
    """In runnable order; protos of the kernel itself are shared, not to be changed."""
    constants: Mapping[str, Array]
    """All that the nodes read besides `Kernel.inputs`; int4 arrays have the dtype `ml_dtypes.int4`."""
    nonfinite_weights: int = 0
    """Weights that are NaN or infinite, or overflow in FP16."""


def lower(
    kernel: Kernel,
    scheme: Scheme,
    ranges: Ranges,
    tensors: Mapping[str, TensorInfo],
    packed: bool,
    *,
    opset: int = 21,
    quantized: QuantizedWeight | None = None,
    halves: Collection[str] = (),
    rows: Array | None = None,
) -> Lowered:
    """Write a kernel's nodes under a scheme.

    Args:
        kernel: The kernel; one without a weight can only be rounded to half.
        scheme: What to round.
        ranges: Static ranges; must hold `kernel.weight.activation` if the scheme quantizes activations statically.
        tensors: Every activation by name.
        packed: Spell weights as packed integers + DequantizeLinear (needs opset 21) instead of float constants.
        opset: Version of ONNX's own operators in the model that the nodes go into; BF16 needs 13 (see `for_scheme`).
        quantized: The rounded `kernel.weight`, if it is at hand.
        halves: Inputs whose values fit the scheme's floats of 16 bits already: rounding them again would change nothing
            and is left out.
        rows: Rows of the table that are gathered, of which a preview needs no others.

    Raises:
        PlanError: If a range is missing or the format does not exist.
    """
    if scheme == FP32:
        return Lowered(tuple(node.proto for node in kernel.nodes), kernel.constants)
    nodes = [_copy(node.proto) for node in kernel.nodes]
    work = _Work(kernel, scheme, tensors, opset, nodes, dict(kernel.constants), rows)
    if quantized is None and kernel.weight is not None and scheme.method != "rtn":
        quantized = ranges.rounding.weight(kernel, kernel.weight, scheme)
    if quantized is not None:
        work.scaling = quantized.scaling
    params = _activation(work, ranges, halves)
    nonfinite = _weights(work, params, packed, quantized, ranges.rounding) if kernel.weight is not None else 0
    if is_half(scheme.activations):
        _round_results(work)
    read = _names_read(work.nodes)
    constants = {name: array for name, array in work.constants.items() if name in read}
    return Lowered(tuple(work.nodes), constants, nonfinite)


@dataclass(slots=True)
class _Work:
    """What the steps change."""

    kernel: Kernel
    scheme: Scheme
    tensors: Mapping[str, TensorInfo]
    opset: int
    nodes: list[onnx.NodeProto]
    constants: dict[str, Array]
    rows: Array | None
    start: int = 0
    """How many nodes have been put in front of the kernel's first one."""
    scaling: Scaling = PLAIN
    """How the codes of the weight are scaled."""
    scaled_inputs: bool = False
    """Whether the weight meets a scaled activation."""

    @property
    def anchor(self) -> onnx.NodeProto:
        """The node that reads the weight."""
        return self.nodes[self.kernel.anchor + self.start]

    def in_front(self, at: int, nodes: list[onnx.NodeProto], constants: Mapping[str, Array]) -> None:
        """Insert nodes before position `at` of the kernel's own nodes."""
        self.nodes[at + self.start : at + self.start] = nodes
        self.start += len(nodes)
        self.constants.update(constants)


def _activation(work: _Work, ranges: Ranges, halves: Collection[str]) -> QuantParams | None:
    """Round what goes into the anchor (into the kernel, if it has no weight). Returns static integer parameters."""
    kernel, form = work.kernel, work.scheme.activations
    weight = kernel.weight
    if form.floating and form.bits >= 32 and work.scaling.inputs is None:
        return None
    if weight is None:
        for name in kernel.inputs if is_half(form) else ():
            prefix = f"{kernel.id}/mixbit/{name}"
            if name not in halves and (made := half_pair(name, prefix, work.tensors, brain=form.brain)) is not None:
                work.in_front(0, made.nodes, made.constants)
                for node in work.nodes[work.start :]:
                    _rename(node.input, name, made.output)
        return None
    name = weight.activation
    if not name or name not in work.tensors or name_of(work.tensors[name].dtype) not in FLOATS:
        return None
    prefix = f"{kernel.id}/mixbit/activation"
    params = None
    tensors = work.tensors
    if work.scaling.inputs is not None:
        name, halves = _scale_inputs(work, weight, work.scaling.inputs), ()
        tensors = {name: replace(work.tensors[weight.activation], name=name)}
    if form.floating:
        known = name in halves or form.bits >= 32
        made = None if known else half_pair(name, prefix, tensors, brain=form.brain)
    else:
        params = _static(kernel, work.scheme, ranges) if form.static else None
        made = integer_pair(name, prefix, tensors, form, params, work.opset)
    if made is not None:
        work.in_front(kernel.anchor, made.nodes, made.constants)
        _rename(work.anchor.input, name, made.output)
    return params


def _scale_inputs(work: _Work, weight: Weight, inputs: Array) -> str:
    """Divide the activation by the scale of its channels; returns the name of the result.

    A power of two: multiplying by its inverse is the same.
    """
    info = work.tensors[weight.activation]
    name = f"{work.kernel.id}/{SCALED_INPUT}"
    factor = beside(1 / inputs, input_axis(work.kernel) or 0, len(info.shape))
    constants = {f"{name}/factor": factor.astype(info.dtype)}
    node = helper.make_node("Mul", [weight.activation, f"{name}/factor"], [name])
    work.in_front(work.kernel.anchor, [node], constants)
    _rename(work.anchor.input, weight.activation, name)
    work.scaled_inputs = True
    return name


def _scale_outputs(work: _Work, weight: Weight) -> None:
    """Multiply what the product and its bias give by the scale of its channels."""
    outputs = work.scaling.outputs
    assert outputs is not None
    anchor = work.anchor
    result = anchor.output[0]
    last = next((n for n in work.nodes if weight.bias and weight.bias in n.input and result in n.input), anchor)
    at = next(i for i, node in enumerate(work.nodes) if node is last)
    result, name = last.output[0], f"{work.kernel.id}/{SCALED_OUTPUT}"
    info = work.tensors.get(result)
    rank = len(info.shape) if info is not None else len(weight.shape)
    axis = 1 if anchor.op_type == "Conv" else -1
    dtype = work.kernel.constants[weight.constant].dtype
    work.constants[f"{name}/factor"] = beside(outputs, axis, rank).astype(dtype)
    last.output[0] = name
    node = helper.make_node("Mul", [name, f"{name}/factor"], [result])
    work.nodes.insert(at + 1, node)


def _static(kernel: Kernel, scheme: Scheme, ranges: Ranges) -> QuantParams:
    assert kernel.weight is not None
    form = scheme.activations
    found = range_for(kernel, scheme, ranges)
    if found is None:
        raise PlanError(
            say(
                "Layer {name} needs the range of {tensor}, and the calibration has none; calibrate again.",
                name=kernel.name,
                tensor=kernel.weight.activation,
            )
        )
    scale, zero = activation_params(found, form)
    # The float32 that the model will hold; never zero, never infinite.
    limits = np.finfo(np.float32)
    return QuantParams(float(np.float32(min(max(scale, float(limits.tiny)), float(limits.max)))), zero)


def _weights(
    work: _Work, params: QuantParams | None, packed: bool, quantized: QuantizedWeight | None, rounding: Rounding
) -> int:
    """Round all weights and the bias; returns how many weights are not finite."""
    first, *more = work.kernel.weights
    scales, nonfinite = _weight(work, first, packed, quantized, rounding, f"{work.kernel.id}/mixbit/weight")
    shift = rounding.shift(work.kernel, work.scheme) if work.scheme.corrected else None
    bias = first.bias if shift is None else _shifted_bias(work, first, shift)
    if packed and work.scaling.outputs is not None:
        _scale_outputs(work, first)
    if bias and bias in work.constants:
        _bias(work, bias, scales, params, packed)
    for number, other in enumerate(more):
        prefix = f"{work.kernel.id}/mixbit/weight.{number + 2}"
        nonfinite += _weight(work, other, packed, None, rounding, prefix)[1]
    return nonfinite


def _weight(
    work: _Work, weight: Weight, packed: bool, quantized: QuantizedWeight | None, rounding: Rounding, prefix: str
) -> tuple[Array | None, int]:
    """Round one weight; returns its scales (None for floats) and how many of its values are not finite."""
    scheme = work.scheme
    original = work.constants[weight.constant]
    if quantized is None and scheme.method != "rtn":  # one more weight of a recurrent layer
        quantized = rounding.weight(work.kernel, weight, scheme)
    elif packed and quantized is None:
        quantized = quantize_weight(original, weight, scheme.weights)
    scales: Array | None
    if quantized is None:
        rows = work.rows if by_row(weight, scheme.weights) else None
        some = original if rows is None else original[rows]
        values, scales, nonfinite = fake_quantize(some, weight, scheme.weights)
        if rows is not None:
            _find_rows(work, rows, len(original), prefix)
        made = preview_weight(values, weight, scheme.weights, original.dtype)
    else:
        scales, nonfinite = None if scheme.weights.floating else quantized.scales, quantized.nonfinite
        if packed:
            made = packed_weight(weight, quantized, original.dtype, prefix, beside=scheme.activations)
        else:
            values = quantized.dequantize(scaled_inputs=work.scaled_inputs)
            made = preview_weight(values, weight, scheme.weights, original.dtype)
    _put(work, work.kernel.anchor, made, weight.constant, work.anchor)
    return scales, nonfinite


def _find_rows(work: _Work, rows: Array, size: int, prefix: str) -> None:
    """Have the anchor gather from these rows of its table."""
    found = row_finder(work.anchor.input[1], rows, size, prefix)
    work.in_front(work.kernel.anchor, [found.node], found.constants)
    work.anchor.input[1] = found.output


def _shifted_bias(work: _Work, weight: Weight, shift: Array) -> str:
    """Add to the bias; where the anchor has none, it gets one. Returns its name."""
    if weight.bias:
        bias = work.constants[weight.bias]
        with np.errstate(over="ignore"):  # overflow shows in the result
            work.constants[weight.bias] = (bias.astype(np.float32) + shift.reshape(bias.shape)).astype(bias.dtype)
        return weight.bias
    name = f"{work.kernel.id}/mixbit/shift"
    with np.errstate(over="ignore"):
        work.constants[name] = shift.astype(work.constants[weight.constant].dtype)
    del work.anchor.input[2:]
    work.anchor.input.append(name)
    return name


def _bias(work: _Work, name: str, scales: Array | None, params: QuantParams | None, packed: bool) -> None:
    reader = next((i for i, node in enumerate(work.nodes) if name in node.input), None)
    rounded = bias_nodes(
        name, work.constants[name], scales, params, work.scheme.activations,
        f"{work.kernel.id}/mixbit/bias", packed, scaled=_has_factors(work.kernel, work.anchor),
        outputs=work.scaling.outputs,
    )  # fmt: skip
    if reader is not None and rounded is not None:
        _put(work, reader - work.start, rounded, name, work.nodes[reader])


def _put(work: _Work, at: int, made: WeightNodes, name: str, reader: onnx.NodeProto) -> None:
    # The nodes read constants only, so the front of the kernel is as good a place as any, but beside the reader the
    # file reads better.
    work.in_front(at, made.nodes, made.constants)
    _rename(reader.input, name, made.output)


def _round_results(work: _Work) -> None:
    """Write each float result through half (or bfloat16). Readers inside the kernel keep the unrounded value."""
    brain = work.scheme.activations.brain
    for output in work.kernel.outputs:
        info = work.tensors.get(output)
        if info is None or name_of(info.dtype) not in FLOATS:
            continue
        full = f"{work.kernel.id}/mixbit/full/{output}"
        prefix = f"{work.kernel.id}/mixbit/half/{output}"
        made = half_pair(full, prefix, {full: replace(info, name=full)}, output, brain=brain)
        if made is None:
            continue
        for node in work.nodes:
            _rename(node.input, output, full)
            _rename(node.output, output, full)
        work.nodes.extend(made.nodes)


def is_half(form: ActivationFormat) -> bool:
    """Whether results are rounded to half, or to the other floats of 16 bits."""
    return form.floating and form.bits == 16


def _has_factors(kernel: Kernel, anchor: onnx.NodeProto) -> bool:
    """Whether a Gemm scales its product or its bias, or a recurrent layer adds two products in different units."""
    return kernel.kind is Kind.RECURRENT or any(
        attribute.name in ("alpha", "beta") and attribute.f != 1.0 for attribute in anchor.attribute
    )


def _copy(proto: onnx.NodeProto) -> onnx.NodeProto:
    made = onnx.NodeProto()
    made.CopyFrom(proto)
    return made


def _rename(names: object, old: str, new: str) -> None:
    for at, name in enumerate(names):  # type: ignore[arg-type, var-annotated]
        if name == old:
            names[at] = new  # type: ignore[index]


def _names_read(nodes: list[onnx.NodeProto]) -> set[str]:
    """Names that nodes read, inside their subgraphs too."""
    read: set[str] = set()
    for node in nodes:
        read.update(node.input)
        for attribute in node.attribute:
            graphs = [attribute.g] if attribute.HasField("g") else list(attribute.graphs)
            for graph in graphs:
                read |= _names_read(list(graph.node)) | {output.name for output in graph.output}
    return read
