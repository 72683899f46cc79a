"""Bringing a file's graph into one plain form: constants apart, live nodes only, in an order that can be run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import onnx
from onnx import helper

from engine.errors import ModelError
from engine.graph.subgraphs import reads
from engine.text import Text, say


@dataclass(frozen=True, slots=True)
class Arranged:
    """Nodes that the outputs need, in runnable order, and the constants that the file stores."""

    nodes: tuple[onnx.NodeProto, ...]
    stored: Mapping[str, onnx.TensorProto]
    """Initializers and the values of Constant nodes, by the name that nodes read."""
    outputs: tuple[str, ...]


def arrange(model: onnx.ModelProto, path: Path) -> Arranged:
    """Separate constants, drop what no output needs, sort.

    Raises:
        ModelError: The nodes form a circle, something is read that nobody writes, or two write the same.
    """
    graph = model.graph
    _name_apart(graph)
    stored: dict[str, onnx.TensorProto] = {}
    for tensor in graph.initializer:
        _store(tensor, stored, path)
    _check_written_once(graph, path)
    nodes = []
    for node in graph.node:
        value = constant_value(node)
        if value is None:
            nodes.append(node)
        else:
            _store(value, stored, path)
    outputs = tuple(dict.fromkeys(value.name for value in graph.output))
    if not outputs:
        raise ModelError(say("{file} has no outputs, so there is nothing to run.", file=path.name))
    if "" in outputs:
        raise ModelError(say("{file} has an output without a name: the file is damaged.", file=path.name))
    known = {value.name for value in graph.input} | set(stored)
    return Arranged(live_in_order(nodes, outputs, known, path), stored, outputs)


def _store(tensor: onnx.TensorProto, stored: dict[str, onnx.TensorProto], path: Path) -> None:
    """Of two stored tensors of one name ONNX Runtime takes the first or the last, depending on their size."""
    if stored.setdefault(tensor.name, tensor) != tensor:
        raise ModelError(
            say(
                "{file} stores two different tensors under the name {tensor}, so nobody knows which is meant.",
                file=path.name,
                tensor=tensor.name,
            )
        )


def _check_written_once(graph: onnx.GraphProto, path: Path) -> None:
    """What is computed has a name that nothing else has, as ONNX Runtime demands."""
    known = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
    inputs = [value.name for value in graph.input]
    twice = next((name for name in inputs if inputs.count(name) > 1), "") if len(set(inputs)) < len(inputs) else ""
    for node in graph.node:
        if node.op_type != "Constant":
            twice = twice or next((name for name in node.output if name and name in known), "")
            known.update(node.output)
    if twice:
        raise ModelError(
            say(
                "{file}: two things have the name {tensor}, so nobody knows which is meant.",
                file=path.name,
                tensor=twice,
            )
        )


def _name_apart(graph: onnx.GraphProto) -> None:
    """Give each node a name of its own: the runtime refuses two of one name, and other tools write them."""
    taken = {node.name for node in graph.node}
    counts: dict[str, int] = {}
    for node in graph.node:
        name, counts[node.name] = node.name, counts.get(node.name, 0) + 1
        while name and counts[name] > 1 and node.name in taken:
            node.name = f"{name}_{counts[name]}"
            counts[name] += node.name in taken
        taken.add(node.name)


def constant_value(node: onnx.NodeProto) -> onnx.TensorProto | None:
    """The dense tensor that a Constant node makes, named like its output; None for every other node."""
    if node.op_type != "Constant" or node.domain not in ("", "ai.onnx") or len(node.attribute) != 1:
        return None
    attribute = node.attribute[0]
    if attribute.name == "value" and attribute.HasField("t"):
        tensor = onnx.TensorProto()
        tensor.CopyFrom(attribute.t)
        tensor.name = node.output[0]
        return tensor
    kinds = {
        "value_float": onnx.TensorProto.FLOAT,
        "value_int": onnx.TensorProto.INT64,
        "value_string": onnx.TensorProto.STRING,
    }
    kind = kinds.get(attribute.name.removesuffix("s"))
    if kind is None:
        return None
    value = helper.get_attribute_value(attribute)
    several = attribute.name.endswith("s")
    return helper.make_tensor(node.output[0], kind, [len(value)] if several else [], value if several else [value])


def live_in_order(
    nodes: Sequence[onnx.NodeProto], outputs: Iterable[str], known: set[str], path: Path
) -> tuple[onnx.NodeProto, ...]:
    """The nodes that `outputs` need, each behind its producers; file order where that is one already.

    Raises:
        ModelError: A circle, or a tensor that is neither known nor written by a node.
    """
    producer = {name: index for index, node in enumerate(nodes) for name in node.output if name}
    needs = [reads(node) for node in nodes]
    done, order, open_nodes = set[int](), list[int](), set[int]()
    for output in outputs:
        stack = [(output, -1)]
        while stack:
            name, reader = stack.pop()
            if name == "":  # all inputs of `reader` are there
                open_nodes.discard(reader)
                done.add(reader)
                order.append(reader)
                continue
            if name in known and name not in producer:
                continue
            index = producer.get(name)
            if index is None:
                raise ModelError(_undefined(name, nodes[reader] if reader >= 0 else None, path))
            if index in done:
                continue
            if index in open_nodes:
                raise ModelError(
                    say("{file}: the node that makes {tensor} depends on its own result.", file=path.name, tensor=name)
                )
            open_nodes.add(index)
            stack.append(("", index))
            stack.extend((need, index) for need in reversed(needs[index]))
    kept = sorted(done) if _runs_in_file_order(needs, producer, done) else order
    return tuple(nodes[index] for index in kept)


def _runs_in_file_order(needs: Sequence[Sequence[str]], producer: Mapping[str, int], kept: set[int]) -> bool:
    return all(producer.get(name, -1) < index for index in kept for name in needs[index])


def _undefined(name: str, node: onnx.NodeProto | None, path: Path) -> Text:
    if node is None:
        return say("{file}: nothing computes the output {tensor}.", file=path.name, tensor=name)
    return say(
        "{file}: the {op} node {node} reads {tensor}, which nothing computes.",
        file=path.name,
        op=node.op_type,
        node=node.name or node.output[0],
        tensor=name,
    )
