"""Taking the branch of an If whose condition is known: its nodes become nodes of the graph."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import onnx

from engine.graph.arrange import Arranged, constant_value, live_in_order
from engine.graph.subgraphs import reads, rename_captured


def known_conditions(arranged: Arranged, constants: frozenset[str]) -> tuple[str, ...]:
    """Conditions of If nodes that are among the constants."""
    return tuple(dict.fromkeys(n.input[0] for n in arranged.nodes if n.op_type == "If" and n.input[0] in constants))


def take_branches(arranged: Arranged, conditions: Mapping[str, bool], inputs: set[str], path: Path) -> Arranged:
    """Replace each If with a known condition by the nodes of the branch that is taken.

    Args:
        arranged: The graph.
        conditions: Value of each known condition.
        inputs: Names of the model's inputs.
        path: The file, for messages.
    """
    stored = dict(arranged.stored)
    taken = inputs | set(stored) | {name for node in arranged.nodes for name in node.output}
    nodes: list[onnx.NodeProto] = []
    for node in arranged.nodes:
        if node.op_type == "If" and node.input[0] in conditions:
            wanted = "then_branch" if conditions[node.input[0]] else "else_branch"
            body = next(entry.g for entry in node.attribute if entry.name == wanted)
            nodes.extend(_unfolded(node, body, taken, stored))
        else:
            nodes.append(node)
    known = inputs | set(stored)
    return Arranged(live_in_order(nodes, arranged.outputs, known, path), stored, arranged.outputs)


def _unfolded(
    owner: onnx.NodeProto,
    body: onnx.GraphProto,
    taken: set[str],
    stored: dict[str, onnx.TensorProto],
) -> list[onnx.NodeProto]:
    own = [tensor.name for tensor in body.initializer]
    own += [name for node in body.node for name in node.output if name]
    renames = {name: _free_name(name, owner.output[0], taken) for name in dict.fromkeys(own)}
    for tensor in body.initializer:
        copy = onnx.TensorProto()
        copy.CopyFrom(tensor)
        copy.name = renames[tensor.name]
        stored[copy.name] = copy
    nodes = []
    for node in body.node:
        renamed = _renamed(node, renames)
        value = constant_value(renamed)
        if value is None:
            nodes.append(renamed)
        else:
            stored[value.name] = value
    for inner, outer in zip(body.output, owner.output, strict=True):
        if outer:
            source = renames.get(inner.name, inner.name)
            nodes.append(onnx.helper.make_node("Identity", [source], [outer]))
    return nodes


def _free_name(name: str, owner: str, taken: set[str]) -> str:
    candidate, count = name, 1
    while candidate in taken:
        candidate = f"{owner}/{name}" if count == 1 else f"{owner}/{name}.{count}"
        count += 1
    taken.add(candidate)
    return candidate


def _renamed(node: onnx.NodeProto, renames: dict[str, str]) -> onnx.NodeProto:
    copy = onnx.NodeProto()
    copy.CopyFrom(node)
    if any(name in renames for name in reads(node)):
        for index, name in enumerate(copy.input):
            copy.input[index] = renames.get(name, name)
        rename_captured(copy, renames)
    for index, name in enumerate(copy.output):
        copy.output[index] = renames.get(name, name)
    return copy
