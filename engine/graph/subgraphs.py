"""Tensors that nodes with subgraphs (If, Loop, Scan) read from outside without listing them as inputs."""

from __future__ import annotations

from collections.abc import Iterator

import onnx


def subgraphs(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    """The bodies of a node; none for most."""
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def captured(node: onnx.NodeProto) -> tuple[str, ...]:
    """Names that the bodies of a node read but do not define, in order of use, without repetition."""
    names: dict[str, None] = {}
    for body in subgraphs(node):
        names.update(dict.fromkeys(_free(body)))
    return tuple(names)


def reads(node: onnx.NodeProto) -> tuple[str, ...]:
    """All tensors a node needs: its inputs, then what its bodies capture; no '' and no repetition."""
    names = dict.fromkeys(name for name in node.input if name)
    if node.attribute:
        names.update(dict.fromkeys(captured(node)))
    return tuple(names)


def _free(body: onnx.GraphProto) -> Iterator[str]:
    known = {value.name for value in body.input}
    known.update(tensor.name for tensor in body.initializer)
    known.update(tensor.values.name for tensor in body.sparse_initializer)
    known.update(name for node in body.node for name in node.output)
    for node in body.node:
        yield from (name for name in reads(node) if name not in known)
    yield from (value.name for value in body.output if value.name not in known)


def rename_captured(node: onnx.NodeProto, renames: dict[str, str]) -> None:
    """Rename what the bodies of a node read from outside, in place."""
    for body in subgraphs(node):
        free = set(_free(body))  # once: bodies may be nested deeply
        hit = {old: new for old, new in renames.items() if old in free}
        if hit:
            _rename(body, hit)


def _rename(body: onnx.GraphProto, renames: dict[str, str]) -> None:
    for node in body.node:
        for index, name in enumerate(node.input):
            if name in renames:
                node.input[index] = renames[name]
        rename_captured(node, renames)
    for value in body.output:
        if value.name in renames:  # a body's output must be its own: read through an Identity
            inner = f"{value.name}.inner"
            body.node.add(op_type="Identity", input=[renames[value.name]], output=[inner])
            value.name = inner
