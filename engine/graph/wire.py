"""Reading an ONNX file without its weights.

A model file is a protobuf message whose bulk is the raw data of tensors. Parsing it whole copies every weight twice and
holds Python's interpreter lock for it. Here the file is mapped into memory and its messages are walked by their length
prefixes; the data of every big tensor stays in the file, and the parsed model refers to it the way ONNX refers to
external data: this file's own name, offset and length.

Wire format: https://protobuf.dev/programming-guides/encoding; field numbers from onnx.proto.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator
from pathlib import Path

import onnx
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

from engine.errors import ModelError
from engine.text import say

KEEP_BYTES = 1024
"""Tensors up to this size stay in the message: shape inference must be able to read them."""

_MODEL_GRAPH, _GRAPH_NODE, _GRAPH_INITIALIZER = 7, 1, 5
_NODE_OPERATOR, _NODE_ATTRIBUTE, _ATTRIBUTE_TENSOR = 4, 5, 5
_TENSOR_DATA_TYPE, _TENSOR_FLOAT_DATA, _TENSOR_RAW_DATA, _TENSOR_LOCATION = 2, 4, 9, 14
_BYTES, _VARINT = 2, 0
_FIXED = {1: 8, 5: 4}

Field = tuple[int, int, int, int, int]
"""Number, wire type, start of the key, start of the value, end of the value."""


class WireError(ValueError):
    """The bytes are no protobuf message, or end too early."""


def read_model(path: Path) -> onnx.ModelProto:
    """Parse the file; big tensors become references to the file itself.

    Raises:
        ModelError: The file is empty, cut short or not an ONNX model.
    """
    with path.open("rb") as file:
        size = file.seek(0, 2)
        if size == 0:
            raise ModelError(say("The model file {file} is empty.", file=path.name))
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            try:
                slim = _Slimmer(data, path.name).model()
            except WireError as error:
                raise ModelError(
                    say(
                        "{file} is not an ONNX model, or the file is cut short: fetch or export it again.",
                        file=path.name,
                    )
                ) from error
    model = onnx.ModelProto()
    try:
        model.ParseFromString(slim)
    except DecodeError as error:
        raise ModelError(say("{file} is not an ONNX model: its contents can't be read.", file=path.name)) from error
    if not model.HasField("graph") or not model.opset_import:
        raise ModelError(
            say("{file} is not an ONNX model: it holds no graph or names no operator set.", file=path.name)
        )
    labels = (model.producer_name, model.producer_version, *(entry.domain for entry in model.opset_import))
    if not all(isinstance(text, str) for text in (*labels, *_texts(model.graph))):
        raise ModelError(say("{file} holds names that are no valid text: the file is damaged.", file=path.name))
    return model


def _texts(graph: onnx.GraphProto) -> Iterator[object]:
    """Every name and label in a graph. protobuf gives bytes where the file holds no valid UTF-8."""
    for tensor in graph.initializer:
        yield tensor.name
        yield from (entry.value for entry in tensor.external_data)
    for value in (*graph.input, *graph.output):
        yield value.name
        yield from (dim.dim_param for dim in value.type.tensor_type.shape.dim)
    for node in graph.node:
        yield from (node.name, node.op_type, node.domain, *node.input, *node.output)
        yield from (entry.value for entry in node.metadata_props)
        for attribute in node.attribute:
            yield from (attribute.name, attribute.t.name)
            for body in (*([attribute.g] if attribute.HasField("g") else ()), *attribute.graphs):
                yield from _texts(body)


def _varint(data: mmap.mmap, at: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while at < end and shift < 64:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise WireError


def _fields(data: mmap.mmap, start: int, end: int) -> Iterator[Field]:
    at = start
    while at < end:
        key_at = at
        key, at = _varint(data, at, end)
        wire = key & 7
        value_at = at
        if wire == _VARINT:
            _, at = _varint(data, at, end)
        elif wire == _BYTES:
            length, value_at = _varint(data, at, end)
            at = value_at + length
        elif wire in _FIXED:
            at += _FIXED[wire]
        else:
            raise WireError
        if at > end or key >> 3 == 0:
            raise WireError
        yield key >> 3, wire, key_at, value_at, at


def _encode(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _message(number: int, body: bytes) -> bytes:
    return _encode(number << 3 | _BYTES) + _encode(len(body)) + body


class _Slimmer:
    """Copies a message and leaves big tensor data behind."""

    def __init__(self, data: mmap.mmap, location: str) -> None:
        self._data = data
        self._location = location

    def model(self) -> bytes:
        return self._copy(0, len(self._data), {_MODEL_GRAPH: self._graph})

    def _copy(self, start: int, end: int, inner: dict[int, Callable[[int, int], bytes]]) -> bytes:
        out = bytearray()
        for number, wire, key_at, value_at, value_end in _fields(self._data, start, end):
            change = inner.get(number) if wire == _BYTES and value_end - value_at > KEEP_BYTES else None
            if change is None:
                out += self._data[key_at:value_end]
            else:
                out += _message(number, change(value_at, value_end))
        return bytes(out)

    def _graph(self, start: int, end: int) -> bytes:
        return self._copy(start, end, {_GRAPH_NODE: self._node, _GRAPH_INITIALIZER: self._tensor})

    def _node(self, start: int, end: int) -> bytes:
        """Only Constant nodes: they become initializers, and no other tensor in a node may lie outside the message."""
        for number, _, _, value_at, value_end in _fields(self._data, start, end):
            if number == _NODE_OPERATOR and self._data[value_at:value_end] == b"Constant":
                return self._copy(start, end, {_NODE_ATTRIBUTE: self._attribute})
        return self._data[start:end]

    def _attribute(self, start: int, end: int) -> bytes:
        return self._copy(start, end, {_ATTRIBUTE_TENSOR: self._tensor})

    def _tensor(self, start: int, end: int) -> bytes:
        """A tensor whose data is one contiguous piece of raw data (or packed floats, which look the same)."""
        rest, pieces, data_type, plain = bytearray(), [], 0, True
        for number, wire, key_at, value_at, value_end in _fields(self._data, start, end):
            if number == _TENSOR_DATA_TYPE and wire == _VARINT:
                data_type, _ = _varint(self._data, value_at, value_end)
            if number in (_TENSOR_RAW_DATA, _TENSOR_FLOAT_DATA) and wire == _BYTES:
                pieces.append((number, value_at, value_end))
                continue
            plain = plain and number != _TENSOR_LOCATION
            rest += self._data[key_at:value_end]
        whole = len(pieces) == 1 and (pieces[0][0] == _TENSOR_RAW_DATA or data_type == onnx.TensorProto.FLOAT)
        if not (plain and whole) or data_type == onnx.TensorProto.STRING:
            return self._data[start:end]
        _, first, last = pieces[0]
        reference = onnx.TensorProto(data_location=onnx.TensorProto.EXTERNAL)
        for key, value in (("location", self._location), ("offset", str(first)), ("length", str(last - first))):
            reference.external_data.add(key=key, value=value)
        return bytes(rest) + bytes(reference.SerializeToString())
