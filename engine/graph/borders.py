"""Inputs and outputs that no numpy array holds become tensors that one does.

Samples, error figures and exported files know tensors of numpy's own types. A sequence, an optional value or a map at
the border of a model, and a type such as bfloat16 or int4, is made from such a tensor, or read as one, by nodes that
are put in front of the model or behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import onnx
from onnx import TensorProto, TypeProto, helper

from engine.errors import ModelError
from engine.graph.simplify import renamed
from engine.graph.subgraphs import reads
from engine.text import Text, say

_TYPE = TensorProto.DataType
_FED_AS = {
    "BFLOAT16": _TYPE.FLOAT, "FLOAT8E4M3FN": _TYPE.FLOAT, "FLOAT8E4M3FNUZ": _TYPE.FLOAT, "FLOAT8E5M2": _TYPE.FLOAT,
    "FLOAT8E5M2FNUZ": _TYPE.FLOAT, "FLOAT8E8M0": _TYPE.FLOAT, "FLOAT4E2M1": _TYPE.FLOAT, "INT4": _TYPE.INT8,
    "UINT4": _TYPE.UINT8, "INT2": _TYPE.INT8, "UINT2": _TYPE.UINT8,
}  # fmt: skip
"""Name of an element type that numpy lacks, and the type that holds each of its values."""
_MAP_READERS = ("CastMap", "DictVectorizer")
"""Operators of ai.onnx.ml that make a tensor of a map."""
_MADE_OF_TENSORS = (
    "SequenceConstruct", "SequenceInsert", "SequenceErase", "SequenceEmpty", "SequenceMap", "SplitToSequence",
    "Optional", "ZipMap",
)  # fmt: skip
"""Operators whose results are never tensors."""


def plain_borders(graph: onnx.GraphProto, path: Path) -> tuple[Text, ...]:
    """Change inputs and outputs in place.

    Args:
        graph: The model's graph, sparse tensors filled in.
        path: The file, for messages.

    Returns:
        A note for each input and output that was changed.

    Raises:
        ModelError: A map or sequence that no tensor stands behind.
    """
    taken = _names(graph)
    return (*_plain_inputs(graph, taken, path), *_plain_outputs(graph, taken, path))


def _names(graph: onnx.GraphProto) -> set[str]:
    names = {value.name for value in (*graph.input, *graph.output)} | {tensor.name for tensor in graph.initializer}
    return names.union(*(node.output for node in graph.node), *(reads(node) for node in graph.node))


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _plain_inputs(graph: onnx.GraphProto, taken: set[str], path: Path) -> Iterable[Text]:
    filled = {tensor.name for tensor in graph.initializer}
    made: list[onnx.NodeProto] = []
    renames: dict[str, str] = {}
    notes = []
    for value in [each for each in graph.input if each.name not in filled]:
        kind = value.type.WhichOneof("value") or ""
        if kind == "map_type":
            _feed_behind_map(graph, value, path)
            notes.append(say("Input {input} is a map: the tensor that is made of it is fed.", input=value.name))
            continue
        steps, tensor = _wrappings(value.type)
        if not steps or tensor is None:
            continue
        name = value.name
        for op, to in steps:
            renames[value.name] = _free(f"{value.name}/{op}", taken)
            made.append(_node(op, name, renames[value.name], to))
            name = renames[value.name]
        notes.append(_fed_note(value, tensor))
        value.type.CopyFrom(TypeProto(tensor_type=tensor))
    if made:
        nodes = [*made, *(renamed(node, renames) for node in graph.node)]
        del graph.node[:]
        graph.node.extend(nodes)
    return notes


def _node(op: str, source: str, result: str, to: int | None = None) -> onnx.NodeProto:
    node = onnx.NodeProto(op_type=op, input=[source], output=[result])
    if to is not None:
        node.attribute.append(helper.make_attribute("to", to))
    return node


def _wrappings(kind: TypeProto) -> tuple[list[tuple[str, int | None]], TypeProto.Tensor | None]:
    """Operators that make such a value of a tensor, innermost first (a Cast with its type), and that tensor's type."""
    which = kind.WhichOneof("value")
    if which == "sequence_type":
        steps, tensor = _wrappings(kind.sequence_type.elem_type)
        return [*steps, ("SequenceConstruct", None)], tensor
    if which == "optional_type":
        steps, tensor = _wrappings(kind.optional_type.elem_type)
        return [*steps, ("Optional", None)], tensor
    if which != "tensor_type" or kind.tensor_type.elem_type not in _TYPE.values():
        return [], None  # nothing to feed: who reads the inputs refuses it
    tensor = TypeProto.Tensor()
    tensor.CopyFrom(kind.tensor_type)
    wider = _wider(tensor.elem_type)
    if wider is None:
        return [], tensor
    own, tensor.elem_type = tensor.elem_type, wider
    return [("Cast", own)], tensor


def _wider(element: int) -> int | None:
    return _FED_AS.get(_TYPE.Name(element)) if element in _TYPE.values() else None


def _fed_note(value: onnx.ValueInfoProto, tensor: TypeProto.Tensor) -> Text:
    kind = _TYPE.Name(tensor.elem_type).lower()
    if value.type.HasField("tensor_type"):
        own = _TYPE.Name(value.type.tensor_type.elem_type).lower()
        return say(
            "Input {input} is of type {own}: it is fed as {kind} and cast.", input=value.name, own=own, kind=kind
        )
    return say("Input {input} is a sequence or optional: it is fed one tensor.", input=value.name)


def _feed_behind_map(graph: onnx.GraphProto, value: onnx.ValueInfoProto, path: Path) -> None:
    """Make the tensors that the model makes of a map its inputs."""
    readers = [node for node in graph.node if value.name in reads(node)]
    if not readers or any(node.op_type not in _MAP_READERS for node in readers):
        raise ModelError(
            say(
                "{file}: input {input} is a map that the model reads as a whole: feed its values as a tensor.",
                file=path.name,
                input=value.name,
            )
        )
    for node in readers:
        attributes = {entry.name: helper.get_attribute_value(entry) for entry in node.attribute}
        if node.op_type == "DictVectorizer":
            element = value.type.map_type.value_type.tensor_type.elem_type
            width = len(attributes.get("string_vocabulary") or attributes.get("int64_vocabulary") or [])
        else:
            element = {b"TO_STRING": _TYPE.STRING, b"TO_INT64": _TYPE.INT64}.get(
                attributes.get("cast_to", b""), _TYPE.FLOAT
            )
            width = attributes.get("max_map", 0) if attributes.get("map_form") == b"SPARSE" else 0
        shape = [1, width or f"{value.name}.size"]
        graph.input.append(helper.make_tensor_value_info(node.output[0], element, shape))
        graph.node.remove(node)
    graph.input.remove(value)


def _plain_outputs(graph: onnx.GraphProto, taken: set[str], path: Path) -> Iterable[Text]:
    producer = {name: node for node in graph.node for name in node.output if name}
    constant = {tensor.name for tensor in graph.initializer}
    constant |= {node.output[0] for node in graph.node if node.op_type == "Constant"}
    kept: list[onnx.ValueInfoProto] = []
    renames: dict[str, str] = {}
    made, notes = [], []
    for value in graph.output:
        kind, node = value.type.WhichOneof("value"), producer.get(value.name)
        wider = _wider(value.type.tensor_type.elem_type) if kind == "tensor_type" else None
        if wider is not None and node is not None and value.name not in renames:
            renames[value.name] = _free(f"{value.name}/own", taken)
            made.append(_node("Cast", renames[value.name], value.name, wider))
            notes.append(
                say(
                    "Output {output} is of type {own}: it is read as {kind}.",
                    output=value.name,
                    own=_TYPE.Name(value.type.tensor_type.elem_type).lower(),
                    kind=_TYPE.Name(wider).lower(),
                )
            )
        elif node is not None and (kind not in (None, "tensor_type") or node.op_type in _MADE_OF_TENSORS):
            parts = _tensors_behind(value.name, producer, constant)
            if not parts:
                raise ModelError(
                    say("{file}: no tensor stands behind the output {output}.", file=path.name, output=value.name)
                )
            kept += [onnx.ValueInfoProto(name=name) for name in parts]
            notes.append(
                say(
                    "Output {output} is no tensor: read is what it is made of, {parts}.",
                    output=value.name,
                    parts=", ".join(parts),
                )
            )
            continue
        kept.append(value)
    if notes:
        nodes = [*(renamed(node, renames) for node in graph.node), *made]
        outputs = [onnx.ValueInfoProto(name=name) for name in dict.fromkeys(value.name for value in kept)]
        del graph.node[:], graph.output[:]
        graph.node.extend(nodes)
        graph.output.extend(outputs)
    return notes


def _tensors_behind(name: str, producer: dict[str, onnx.NodeProto], constant: set[str]) -> Sequence[str]:
    """The computed tensors that a sequence, optional value or map is made of."""
    found: dict[str, None] = {}
    stack, seen = [name], set[str]()
    while stack:
        node = producer.get(stack.pop())
        for read in reversed(reads(node)) if node is not None else ():
            behind = producer.get(read)
            if read in constant or read in seen:
                continue
            seen.add(read)
            if behind is not None and behind.op_type in (*_MADE_OF_TENSORS, "Identity"):
                stack.append(read)
            else:
                found[read] = None
    return list(found)
