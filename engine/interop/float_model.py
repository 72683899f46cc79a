"""The model itself, ready to be handed to a converter: in floats, every node named, shapes fixed, constants folded."""

from __future__ import annotations

from pathlib import Path

import onnx
import onnxruntime as ort
from onnx import helper

from engine.errors import ExportError
from engine.fusion.types import Network
from engine.graph.types import Array
from engine.interop.explicit import write_out
from engine.interop.layer_names import LayerNames
from engine.interop.model_file import write_model
from engine.interop.opsets import at_opset
from engine.interop.qdq import EXTERNAL_ABOVE
from engine.numerics.models import has_bodies, value_info
from engine.numerics.runtime import first_line, options
from engine.numerics.synthetic import synthetic_samples
from engine.progress import NEVER, CancelToken
from engine.text import Text, say

QUANTIZED = frozenset({"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "MatMulInteger", "ConvInteger"})
"""Operators that mean that a model is quantized already; so do all that begin with QLinear."""


def quantized_nodes(network: Network) -> tuple[str, ...]:
    """Names of nodes that quantize or compute in integers."""
    return tuple(
        node.proto.name or node.proto.op_type
        for node in network.graph.nodes
        if node.proto.op_type in QUANTIZED or node.proto.op_type.startswith("QLinear")
    )


def refuse_quantized(network: Network, target: Text) -> None:
    """Raise ExportError if the model holds quantized nodes, which the target's converter rejects."""
    found = quantized_nodes(network)
    if found:
        raise ExportError(
            say(
                "{target} rejects models that are quantized already, and {model} has {count} such nodes "
                "(the first is {node}); start from the float model.",
                target=target,
                model=network.graph.path.name,
                count=len(found),
                node=found[0],
            )
        )


def refuse_dynamic(network: Network, target: Text) -> None:
    """Raise ExportError if shapes depend on the values of the inputs."""
    if network.graph.dynamic:
        raise ExportError(
            say(
                "{target} wants fixed shapes, and in {model} the shape of {tensor} depends on the input values.",
                target=target,
                model=network.graph.path.name,
                tensor=min(network.graph.dynamic),
            )
        )


def write_float_model(
    network: Network,
    names: LayerNames,
    path: Path,
    *,
    opsets: range | None = None,
    external_above: int = EXTERNAL_ABOVE,
    cancel: CancelToken = NEVER,
) -> tuple[Text, ...]:
    """Write the model, open the file with ONNX Runtime and run it once.

    Args:
        network: The model; what the file holds is its graph before BatchNorms were folded.
        names: What its nodes and tensors are called.
        path: The file, in a folder that nobody sees yet.
        opsets: Opsets that the target reads; another one is converted where that works.
        external_above: Bytes of constants from which on they go to `path` + ".data".
        cancel: Checked between constants.

    Returns:
        What the reader of the files should know about the model.

    Raises:
        ExportError: ONNX Runtime can't run what was written.
        Cancelled: If asked to stop.
    """
    for loose in (False, True):
        model, constants = build_float_model(network, names, loose)
        notes = _written(network, names, model, constants, path, opsets, external_above, cancel)
        try:
            run_once(network, names, path)
            break
        except ExportError:  # a branch that never runs may be impossible with these shapes: leave them open
            if loose or not has_bodies(model.graph.node):
                raise
    return notes


def _written(
    network: Network,
    names: LayerNames,
    model: onnx.ModelProto,
    constants: dict[str, Array],
    path: Path,
    opsets: range | None,
    external_above: int,
    cancel: CancelToken,
) -> tuple[Text, ...]:
    notes: tuple[Text, ...] = ()
    own = network.graph.opsets.get("", 1)
    if opsets is not None and own not in opsets:
        wanted = opsets[0] if own < opsets[0] else opsets[-1]
        feeds = list(synthetic_samples(network.graph, 1).feeds[0].values())
        converted = at_opset(model, constants, wanted, feeds)
        if converted is None:
            notes = (_not_converted(own, opsets),)
        else:
            model, constants = converted
            notes = (say("The model was converted from opset {own} to {wanted}.", own=own, wanted=wanted),)
    cancel.check()
    write_model(model, constants, path, external_above=external_above, cancel=cancel)
    cancel.check()
    return notes


def _not_converted(own: int, opsets: range) -> Text:
    if len(opsets) == 1:
        return say(
            "The model is at opset {own} and this target reads {wanted}; it could not be converted: export it again at "
            "opset {wanted}.",
            own=own,
            wanted=opsets[0],
        )
    return say(
        "The model is at opset {own} and this target reads {first} to {last}; it could not be converted: export it "
        "again at opset {last}.",
        own=own,
        first=opsets[0],
        last=opsets[-1],
    )


def build_float_model(
    network: Network, names: LayerNames, loose: bool = False
) -> tuple[onnx.ModelProto, dict[str, Array]]:
    """The model without its initializers, and these; inputs and outputs with their shapes or (loose) their ranks."""
    graph = network.graph
    opset = graph.opsets.get("", 1)
    model = onnx.ModelProto(producer_name="mixbit")
    model.graph.name = graph.path.stem or "model"
    read: dict[str, None] = {}
    for node, name in zip(graph.nodes, names.nodes, strict=True):
        made = onnx.NodeProto()
        made.CopyFrom(node.proto)
        made.name = name
        made.doc_string = ""
        del made.metadata_props[:]
        write_out(made, lambda tensor: _shape(network, tensor), opset)
        made.input[:] = [names.tensors.get(tensor, tensor) for tensor in made.input]
        made.output[:] = [names.tensors.get(tensor, tensor) for tensor in made.output]
        model.graph.node.append(made)
        read.update(dict.fromkeys(tensor for tensor in node.inputs if tensor in graph.constants))
    read.update(dict.fromkeys(info.name for info in graph.outputs if info.name in graph.constants))
    for declared, infos in ((model.graph.input, graph.inputs), (model.graph.output, graph.outputs)):
        for info in infos:
            made_info = value_info(info.name, graph, loose)
            made_info.name = names.tensors[info.name]
            declared.append(made_info)
    used = {("" if node.domain == "ai.onnx" else node.domain) for node in model.graph.node}
    for domain, version in {"": opset, **{d: graph.opsets.get(d, 1) for d in sorted(used)}}.items():
        model.opset_import.append(helper.make_opsetid(domain, version))
    model.functions.extend(graph.functions)
    oldest = helper.find_min_ir_version_for(list(model.opset_import), ignore_unknown=True)
    model.ir_version = max(oldest, 4)  # from 4 on, initializers need not be inputs
    return model, {names.tensors[tensor]: graph.constants[tensor] for tensor in read}


def _shape(network: Network, tensor: str) -> tuple[int, ...] | None:
    if tensor in network.graph.constants:
        return tuple(network.graph.constants[tensor].shape)
    info = network.graph.tensors.get(tensor)
    return info.shape if info is not None and tensor not in network.graph.dynamic else None


def run_once(network: Network, names: LayerNames, path: Path) -> None:
    """Open a written model as a reader would, and run it.

    Raises:
        ExportError: ONNX Runtime refuses it, or its outputs are not the model's.
    """
    graph = network.graph
    try:
        session = ort.InferenceSession(str(path), options(threads=1, shared=False), providers=["CPUExecutionProvider"])
        feeds = {names.tensors[name]: array for name, array in synthetic_samples(graph, 1).feeds[0].items()}
        results = session.run(None, {item.name: feeds[item.name] for item in session.get_inputs()})
    except Exception as error:  # ONNX Runtime has a class of its own for each status code
        raise ExportError(
            say(
                "{file}: ONNX Runtime can't run the model that was to be handed over ({reason}); nothing was written.",
                file=path.name,
                reason=first_line(error),
            )
        ) from error
    for info, item, result in zip(graph.outputs, session.get_outputs(), results, strict=True):
        fits = info.name in graph.dynamic or getattr(result, "shape", info.shape) == info.shape
        if item.name != names.tensors[info.name] or not fits:
            raise ExportError(
                say(
                    "{file}: output {name} is not as in the model; nothing was written.", file=path.name, name=info.name
                )
            )
