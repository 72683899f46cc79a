"""The backward graph of one kernel: gradients in, gradients out, and what rounding its tensors would do on the way.

Inputs are the reference's own tensors (nothing of the forward pass is run again but what lies hidden inside the
kernel), gradients of the kernel's outputs, and constants. Outputs are the gradients of its inputs, the gradient at the
anchor's result, and for each activation format the products <gradient, rounding error> by channel.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import onnx
from onnx import helper

from engine.fusion.types import Kernel, Kind
from engine.graph.types import Array, TensorInfo
from engine.numerics.activations import half_pair, integer_pair, onnx_type, rounds
from engine.numerics.models import IR_VERSION, Built, tensor_proto
from engine.numerics.runtime import ALL, EXTENDED
from engine.precision.scheme import ActivationFormat
from engine.quant.ranges import QuantParams
from engine.tuning.adjoint import Found, Sym, Tape, backward
from engine.tuning.adjoint.backward import names_read
from engine.tuning.estimate.canonical import Canonical

_FLOAT = np.dtype(np.float32)
_CONVOLUTIONAL = frozenset({Kind.CONV, Kind.DEPTHWISE, Kind.CONV_TRANSPOSE})


class Port(NamedTuple):
    """An input or output of a backward session."""

    role: Literal["value", "constant", "gradient", "scale", "zero", "input", "anchor", "activation", "result", "bias"]
    """Inputs: value, constant, gradient, scale, zero. Outputs: input, anchor, activation, result, bias."""
    name: str = ""
    """Canonical name of the tensor it belongs to."""
    form: ActivationFormat | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a backward session is built for; names are canonical."""

    gradients: tuple[str, ...]
    """Outputs of the kernel whose gradient is there."""
    inputs: tuple[str, ...]
    """Inputs whose gradient is asked for."""
    tunable: bool
    """Whether the gradient at the anchor and the products below are asked for."""
    activation: str = ""
    """The tensor that meets the weight."""
    formats: tuple[ActivationFormat, ...] = ()
    """Whose rounding errors of that tensor are asked for."""
    results: tuple[ActivationFormat, ...] = ()
    """Floats of 16 bits whose rounding errors of the kernel's results are asked for."""
    bias: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class KernelGraph:
    """A backward graph, or why there is less of it than asked for."""

    model: Built | None
    """None if nothing has to be computed."""
    level: str
    """Optimisation level that suits it."""
    inputs: Mapping[str, Port]
    outputs: Mapping[str, Port]
    aliases: Mapping[Port, str]
    """Outputs that are an incoming gradient unchanged: port -> canonical name of the kernel's output."""
    blocked: Mapping[str, str]
    """Canonical inputs whose gradient can't be found -> operator in the way; '' stands for the anchor."""


def channel_axis(kernel: Kernel, rank: int) -> int:
    """The axis of a kernel's activations along which errors are summed by channel."""
    return 1 if kernel.kind in _CONVOLUTIONAL and rank > 2 else max(0, rank - 1)


def products(a: Sym, b: Sym, shape: tuple[int, ...], axis: int) -> Sym:
    """Sum of products by channel, [channels]."""
    product = a * b
    if not shape:
        return product.reshape([1])
    return product.sum([at for at in range(len(shape)) if at != axis], keep=False)


def build(kernel: Kernel, made: Canonical, wanted: Wanted) -> KernelGraph:
    """Write the backward graph of a kernel."""
    tape = Tape("b")
    segment = made.segment
    arrived = {name: tape.sym(f"g/{name}") for name in wanted.gradients}
    anchor = segment.nodes[made.anchor].output[0]
    targets = list(wanted.inputs)
    if wanted.tunable:
        targets += [anchor, *([wanted.activation] if wanted.formats else [])]
    found = backward(segment, tape, arrived, targets)
    ends: dict[Port, Sym] = {Port("input", name): found.total[name] for name in wanted.inputs if name in found.total}
    scales: dict[str, Port] = {}
    blocked = {name: why for name, why in found.blocked.items() if name in wanted.inputs}
    if wanted.tunable and anchor not in found.total:
        blocked[""] = found.blocked.get(anchor, "comparisons")
    elif wanted.tunable:
        ends |= _tunable_ends(kernel, made, wanted, tape, found, scales)
    incoming = {sym.name: name for name, sym in arrived.items()}
    aliases = {port: incoming[sym.name] for port, sym in ends.items() if sym.name in incoming}
    ends = {port: sym for port, sym in ends.items() if port not in aliases}
    if not ends:
        return KernelGraph(None, ALL, {}, {}, aliases, blocked)
    return _finished(kernel, made, tape, ends, scales, aliases, blocked)


def _tunable_ends(
    kernel: Kernel, made: Canonical, wanted: Wanted, tape: Tape, found: Found, scales: dict[str, Port]
) -> dict[Port, Sym]:
    """What a kernel with a weight gives besides the gradients of its inputs."""
    segment = made.segment
    node = segment.nodes[made.anchor]
    gradient = found.total[node.output[0]]
    shape = segment.shapes[node.output[0]]
    ends = {Port("anchor"): gradient}
    if wanted.bias:
        axis = channel_axis(kernel, len(shape))
        ends[Port("bias")] = gradient.sum([at for at in range(len(shape)) if at != axis], keep=False)
    places = [at for at, name in enumerate(node.input) if name == wanted.activation]
    part = found.parts.get((made.anchor, places[0])) if places else None
    for form in wanted.formats if part is not None else ():
        error = _rounding_error(wanted.activation, form, made, tape, scales)
        if error is not None and part is not None:
            shape = segment.shapes[wanted.activation]
            axis = channel_axis(kernel, len(shape))
            ends[Port("activation", wanted.activation, form)] = products(part, error, shape, axis)
    for form in wanted.results:
        for name in wanted.gradients:
            error = _rounding_error(name, form, made, tape, scales)
            if error is not None:
                shape = segment.shapes[name]
                axis = channel_axis(kernel, len(shape))
                ends[Port("result", name, form)] = products(tape.sym(f"g/{name}"), error, shape, axis)
    return ends


def _rounding_error(
    name: str, form: ActivationFormat, made: Canonical, tape: Tape, scales: dict[str, Port]
) -> Sym | None:
    """What rounding adds to a tensor; None if it adds nothing."""
    info = TensorInfo(name, _FLOAT, made.segment.shapes[name])
    kind = "b" if form.brain else "f" if form.floating else "s" if form.symmetric else "a"
    prefix = f"r/{name}/{form.bits}{kind}{form.static:d}"
    if form.floating:
        if form.bits != 16 or not rounds(made.dtypes.get(name, _FLOAT), form.brain):
            return None
        pair = half_pair(name, prefix, {name: info}, brain=form.brain)
    else:
        pair = integer_pair(
            name, prefix, {name: info}, form, QuantParams(1.0, 0) if form.static else None, made.segment.opset
        )
    if pair is None:
        return None
    tape.nodes.extend(pair.nodes)
    for constant, array in pair.constants.items():
        if form.static and not form.floating:  # the layer's own range, handed over at every run
            scales[constant] = Port("scale" if array.dtype == _FLOAT else "zero", name, form)
        else:
            tape.constants[constant] = array
    return tape.sym(pair.output) - tape.sym(name)


def _finished(
    kernel: Kernel,
    made: Canonical,
    tape: Tape,
    ends: Mapping[Port, Sym],
    scales: Mapping[str, Port],
    aliases: Mapping[Port, str],
    blocked: Mapping[str, str],
) -> KernelGraph:
    segment = made.segment
    available = {made.short[name] for name in (*kernel.inputs, *kernel.outputs)}
    nodes, read = _needed([*segment.nodes, *tape.nodes], {sym.name for sym in ends.values()}, available)
    inputs: dict[str, Port] = {}
    infos: list[onnx.ValueInfoProto] = []
    casts: list[onnx.NodeProto] = []
    for name in sorted(read & (available | segment.parameters)):
        inputs[name] = Port("value" if name in available else "constant", name)
        declare(name, made.dtypes.get(name, _FLOAT), segment.shapes[name], name in segment.floats, infos, casts)
    for name in sorted(f"g/{name}" for name in available if f"g/{name}" in read):
        inputs[name] = Port("gradient", name[2:])
        infos.append(helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, segment.shapes[name[2:]]))
    for name in sorted(set(scales) & read):
        port = scales[name]
        inputs[name] = port
        assert port.form is not None
        kind = onnx.TensorProto.FLOAT if port.role == "scale" else onnx_type(code_dtype(port.form))
        infos.append(helper.make_tensor_value_info(name, kind, ()))
    constants = {name: array for name, array in {**segment.constants, **tape.constants}.items() if name in read}
    outputs = {sym.name: port for port, sym in ends.items()}
    double = {port: sym.name for port, sym in ends.items() if outputs[sym.name] != port}
    nodes += [helper.make_node("Identity", [name], [f"copy/{at}"]) for at, name in enumerate(double.values())]
    outputs |= {f"copy/{at}": port for at, port in enumerate(double)}
    model = as_model([*casts, *nodes], infos, list(outputs), constants, segment.opset)
    declared = {(info.name if info.name in inputs else info.name.removesuffix("/raw")): info.name for info in infos}
    ports = {declared[name]: port for name, port in inputs.items()}
    return KernelGraph(model, level_of(kernel), ports, outputs, aliases, blocked)


def code_dtype(form: ActivationFormat) -> np.dtype[Any]:
    """Integer dtype of the codes of an activation format."""
    return np.dtype(f"{'int' if form.symmetric else 'uint'}{form.bits}")


def declare(
    name: str,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    floating: bool,
    infos: list[onnx.ValueInfoProto],
    casts: list[onnx.NodeProto],
) -> None:
    """An input in its own dtype; other floats than float32 are cast behind it."""
    if floating and dtype != _FLOAT:
        raw = f"{name}/raw"
        casts.append(helper.make_node("Cast", [raw], [name], to=onnx.TensorProto.FLOAT))
        infos.append(helper.make_tensor_value_info(raw, onnx_type(dtype), shape))
    else:
        infos.append(helper.make_tensor_value_info(name, onnx_type(dtype), shape))


def _needed(
    nodes: list[onnx.NodeProto], wanted: Iterable[str], available: set[str]
) -> tuple[list[onnx.NodeProto], set[str]]:
    """Nodes that the wanted tensors depend on, and all that they read; what is available is not computed."""
    read = set(wanted)
    kept = []
    for node in reversed(nodes):
        if any(name in read and name not in available for name in node.output):
            kept.append(_without(node, available))
            read.update(names_read(node))
    return kept[::-1], read


def _without(node: onnx.NodeProto, available: set[str]) -> onnx.NodeProto:
    """A node that doesn't write what is available already."""
    if not any(name in available for name in node.output):
        return node
    made = onnx.NodeProto()
    made.CopyFrom(node)
    for at, name in enumerate(made.output):
        if name in available:
            made.output[at] = ""
    return made


def as_model(
    nodes: list[onnx.NodeProto],
    infos: list[onnx.ValueInfoProto],
    outputs: list[str],
    constants: Mapping[str, Array],
    opset: int,
) -> Built:
    """A model whose big constants stay outside the protobuf."""
    graph = helper.make_graph(nodes, "backward", infos, [onnx.ValueInfoProto(name=name) for name in outputs])
    outside = {}
    for name, array in constants.items():
        graph.initializer.append(tensor := tensor_proto(name, array))
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            outside[name] = array
    domains = {"": opset, **{node.domain: 1 for node in nodes if node.domain not in ("", "ai.onnx")}}
    imports = [helper.make_opsetid(domain, version) for domain, version in domains.items()]
    return Built(helper.make_model(graph, opset_imports=imports, ir_version=IR_VERSION), outside)


def level_of(kernel: Kernel) -> str:
    """1x1 convolutions are faster in plain layout, which the highest level takes away; all others gain by it."""
    if kernel.kind is not Kind.CONV or kernel.weight is None:
        return ALL
    return EXTENDED if all(size == 1 for size in kernel.weight.shape[2:]) else ALL
