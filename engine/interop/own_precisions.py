"""The precisions that a quantized ONNX model has by itself, as a plan.

Read from the nodes around each layer: DequantizeLinear in front of the weight, QuantizeLinear and DequantizeLinear in
front of the activation, casts to half. The file need not be the one that is open: layers are matched by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import onnx
from onnx import TensorProto, helper

from engine.errors import ModelError, PlanError
from engine.fusion.types import Kernel, Network
from engine.graph.arrays import TensorReader
from engine.graph.wire import read_model
from engine.interop.kernel_index import Imported
from engine.precision.plan import Plan
from engine.precision.planfile import PlanFile, scheme_from_name
from engine.precision.scheme import BF16, BRAIN, FP16, HALF, ActivationFormat, Scheme, WeightFormat
from engine.text import say

_BITS: Mapping[int, int] = {
    TensorProto.INT4: 4, TensorProto.UINT4: 4, TensorProto.INT8: 8, TensorProto.UINT8: 8, TensorProto.INT16: 16,
    TensorProto.UINT16: 16,
}  # fmt: skip
_FLOATS: Mapping[int, WeightFormat] = {
    TensorProto.FLOAT16: FP16.weights, TensorProto.BFLOAT16: BF16.weights,
}  # fmt: skip
_THROUGH = frozenset({"Reshape", "Transpose", "Identity", "Squeeze", "Unsqueeze", "Flatten", "Max"})
"""Operators between a weight and what dequantizes it that change no value."""
_STEPS = 12


@dataclass(frozen=True, slots=True)
class _File:
    """An ONNX file, by name."""

    producers: Mapping[str, onnx.NodeProto]
    nodes: Mapping[str, onnx.NodeProto]
    stored: Mapping[str, TensorProto]
    plan: str
    """The plan that a Mixbit export holds, as JSON, or ''."""
    reader: TensorReader


def plan_of_model(path: Path, network: Network, base: Plan) -> Imported:
    """Read the precisions of a model file.

    Args:
        path: A quantized ONNX model; may be the one that is open.
        network: The open model.
        base: What layers keep that the file has in floats without casts.

    Raises:
        PlanError: The file can't be read, or quantizes none of the open model's layers.
    """
    file = _open(path)
    schemes: dict[str, Scheme] = {}
    written = _written(file)
    for kernel in network.tunable:
        if kernel.id in written or kernel.name in written:
            schemes[kernel.id] = written.get(kernel.id) or written[kernel.name]
            continue
        node = _node(file, kernel)
        if node is not None and (scheme := _scheme(file, node, kernel)) is not None:
            schemes[kernel.id] = scheme
    if not schemes:
        raise PlanError(
            say("{path} quantizes none of the layers of {model}.", path=path, model=network.graph.path.name)
        )
    untouched = tuple(kernel.name for kernel in network.tunable if kernel.id not in schemes)
    return Imported(base.with_schemes(schemes), say("quantized model {file}", file=path.name), (), untouched)


def _open(path: Path) -> _File:
    try:
        real = path.resolve(strict=True)
        model = read_model(real)
    except OSError as error:
        raise PlanError(say("{path} can't be read ({reason}).", path=path, reason=error.strerror)) from error
    except ModelError as error:
        raise PlanError(error.text) from error
    graph = model.graph
    stored = {tensor.name: tensor for tensor in graph.initializer}
    for node in graph.node:
        for attribute in node.attribute if node.op_type == "Constant" else ():
            if attribute.HasField("t"):
                stored[node.output[0]] = attribute.t
    producers = {name: node for node in graph.node for name in node.output if name}
    nodes = {node.name: node for node in graph.node if node.name}
    notes = {entry.key: entry.value for entry in model.metadata_props}
    return _File(producers, nodes, stored, notes.get("mixbit.plan", ""), TensorReader(real))


def _written(file: _File) -> Mapping[str, Scheme]:
    """Schemes by kernel id and by display name, out of the plan in the file."""
    if not file.plan:
        return {}
    try:
        entries = msgspec.json.decode(file.plan, type=PlanFile).kernels
        found = [(entry, scheme_from_name(entry.scheme, entry.name)) for entry in entries]
    except (msgspec.DecodeError, PlanError):  # written by a newer version; the nodes tell as well
        return {}
    return {**{entry.name: scheme for entry, scheme in found}, **{entry.id: scheme for entry, scheme in found}}


def _node(file: _File, kernel: Kernel) -> onnx.NodeProto | None:
    """The layer's own node: by what it writes, by its name, or by the name that a Mixbit export gives it."""
    anchor = kernel.nodes[kernel.anchor].proto
    for output in (kernel.id, *anchor.output):
        found = file.producers.get(output)
        if found is not None and found.op_type == anchor.op_type:
            return found
    for name in (anchor.name, f"{kernel.name}/{anchor.op_type}"):
        found = file.nodes.get(name)
        if found is not None and found.op_type == anchor.op_type:
            return found
    return None


def _scheme(file: _File, node: onnx.NodeProto, kernel: Kernel) -> Scheme | None:
    assert kernel.weight is not None
    slot = list(kernel.nodes[kernel.anchor].inputs).index(kernel.weight.constant)
    if slot >= len(node.input):
        return None
    weights = _weights(file, node.input[slot])
    if weights is None:
        return None
    others = [name for at, name in enumerate(node.input[:2]) if at != slot]
    activations = _activations(file, others[0]) if others and kernel.weight.activation else HALF
    if weights.brain and activations.floating:
        return BF16
    return Scheme(weights, activations)


def _weights(file: _File, name: str) -> WeightFormat | None:
    """The format of a weight; None for plain floats."""
    for _ in range(_STEPS):
        stored = file.stored.get(name)
        if stored is not None:
            return _FLOATS.get(stored.data_type)
        node = file.producers.get(name)
        if node is None:
            return None
        if node.op_type == "DequantizeLinear":
            return _integers(file, node)
        if node.op_type == "Cast" and (form := _FLOATS.get(_type(file, node.input[0]) or 0)) is not None:
            return form
        if node.op_type not in _THROUGH and node.op_type != "Cast":
            return None
        name = node.input[0]
    return None


def _integers(file: _File, node: onnx.NodeProto) -> WeightFormat | None:
    """What a DequantizeLinear in front of a weight says; its codes may be quantized from floats just before."""
    codes, scale = _type(file, node.input[0]), file.stored.get(node.input[1])
    zero = file.stored.get(node.input[2]) if len(node.input) > 2 else None
    if codes is None and zero is not None:
        codes = zero.data_type
    if codes is None or codes not in _BITS or scale is None:
        return None
    given = {entry.name: helper.get_attribute_value(entry) for entry in node.attribute}
    group = int(given.get("block_size", 0))
    count = int(np.prod(scale.dims)) if scale.dims else 1
    form = WeightFormat(_BITS[codes], symmetric=_centred(file, zero, codes))
    if group:
        return WeightFormat(form.bits, symmetric=form.symmetric, granularity="group", group=group)
    return WeightFormat(form.bits, symmetric=form.symmetric, granularity="channel" if count > 1 else "tensor")


def _activations(file: _File, name: str) -> ActivationFormat:
    for _ in range(_STEPS):
        node = file.producers.get(name)
        if node is None:
            return HALF
        if node.op_type == "DequantizeLinear":
            zero = file.stored.get(node.input[2]) if len(node.input) > 2 else None
            codes = zero.data_type if zero is not None else _type(file, node.input[0])
            if codes is None or codes not in _BITS:
                return HALF
            static = node.input[1] in file.stored
            return ActivationFormat(_BITS[codes], symmetric=static and _centred(file, zero, codes), static=static)
        if node.op_type == "Cast" and _type(file, node.input[0]) == TensorProto.BFLOAT16:
            return BRAIN
        if node.op_type not in _THROUGH:
            return HALF
        name = node.input[0]
    return HALF


def _type(file: _File, name: str) -> int | None:
    """Element type of a stored tensor, or of what a Cast or QuantizeLinear writes."""
    stored = file.stored.get(name)
    if stored is not None:
        return int(stored.data_type)
    node = file.producers.get(name)
    if node is None:
        return None
    if node.op_type == "QuantizeLinear":
        zero = file.stored.get(node.input[2]) if len(node.input) > 2 else None
        kind = next((entry.i for entry in node.attribute if entry.name == "output_dtype"), 0)
        return int(zero.data_type) if zero is not None else int(kind or TensorProto.UINT8)
    if node.op_type == "Cast":
        return int(next(entry.i for entry in node.attribute if entry.name == "to"))
    return None


def _centred(file: _File, zero: TensorProto | None, codes: int) -> bool:
    """Whether codes have no zero point: none is stored, or it is the middle of the type."""
    unsigned = codes in (TensorProto.UINT4, TensorProto.UINT8, TensorProto.UINT16)
    if zero is None:
        return not unsigned
    middle = 2 ** (_BITS[codes] - 1) if unsigned else 0
    return bool(np.all(file.reader.array(zero).astype(np.int64) == middle))
