"""What the values of an input mean, so that a run on made-up values is one that the model can do.

An input may be a shape, a list of axes, a count or an index: random numbers there give a run that fails, although the
model is sound. What its readers do with it says what it has to be, and the shapes that are known say how much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import prod

import numpy as np
import onnx

from engine.graph.place import NO_MEANING, Known, Meaning, Place
from engine.graph.roles import role_of
from engine.graph.subgraphs import subgraphs
from engine.graph.types import Array, TensorInfo

_SAME = frozenset({"Cast", "Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten"})
"""Operators that hand on all values of their first input in their order."""
_PART = frozenset({"Slice", "Split", "Transpose", "Expand", "Tile", "Where", "Max", "Min", "Pad", "Abs"})
"""Operators whose results are values of their inputs (or, of Abs, as large)."""
Values = Callable[[str], Array | None]


def meanings(
    nodes: Sequence[onnx.NodeProto], inputs: Iterable[TensorInfo], shapes: Mapping[str, tuple[int, ...]], values: Values
) -> dict[str, Meaning]:
    """The meaning of each input that has one.

    Args:
        nodes: In runnable order.
        inputs: The model's inputs.
        shapes: Shapes by tensor, as far as they are known: inputs, constants, activations, outputs as declared.
        values: Gives the value of a constant of few elements; None for everything else.
    """
    named = {info.name: info for info in inputs}
    known = Known({**shapes, **{name: info.shape for name, info in named.items()}}, values)
    found: dict[str, Meaning] = {}
    _visit(nodes, known, found)
    return {name: _fitting(found[name], info) for name, info in named.items() if name in found}


def _visit(nodes: Sequence[onnx.NodeProto], known: Known, found: dict[str, Meaning]) -> None:
    """From the last node to the first: what a tensor means is known before the node that makes it is reached."""
    for node in reversed(nodes):
        for body in subgraphs(node):
            _visit(body.node, known, found)
        _hand_back(node, known, found)
        for at, name in enumerate(node.input):
            role = role_of(node, at) if name else None
            meaning = role(Place(node, at, known)) if role is not None else NO_MEANING
            if meaning is not NO_MEANING:
                found[name] = _both(meaning, found.get(name, NO_MEANING))


def _hand_back(node: onnx.NodeProto, known: Known, found: dict[str, Meaning]) -> None:
    """What a node's result has to be is what its inputs have to be, where it only passes values on."""
    meaning = found.get(node.output[0]) if node.output and node.domain in ("", "ai.onnx") else None
    if meaning is None or not node.input:
        return
    if node.op_type in _SAME:
        found[node.input[0]] = _both(found.get(node.input[0], NO_MEANING), meaning)
    elif node.op_type in _PART:
        for name in node.input:
            found[name] = _both(found.get(name, NO_MEANING), replace(meaning, fixed=None))
    elif node.op_type == "Concat":
        start = 0
        for name in node.input:
            size = prod(known.shapes.get(name, (0,)))
            fixed = meaning.fixed
            part = None if fixed is None or fixed.ndim != 1 else fixed[start : start + size]
            found[name] = _both(found.get(name, NO_MEANING), replace(meaning, fixed=part))
            start += size


def _both(one: Meaning, other: Meaning) -> Meaning:
    """What fits two readers; the first decides where they want different values."""
    below = [each.below for each in (one, other) if each.below is not None]
    return Meaning(
        fixed=one.fixed if one.fixed is not None else other.fixed,
        below=min(below) if below else None,
        columns=one.columns or other.columns,
        positive=one.positive or other.positive,
        text=one.text if one.text != NO_MEANING.text else other.text,
    )


def _fitting(meaning: Meaning, info: TensorInfo) -> Meaning:
    """The same for an input of that shape and dtype; fixed values of another number are worth nothing."""
    fixed = meaning.fixed
    if fixed is not None:
        whole = prod(info.shape)
        if fixed.size == 1 < whole:
            fixed = np.broadcast_to(fixed.reshape(()), info.shape)
        fixed = fixed.reshape(info.shape).astype(info.dtype) if fixed.size == whole else None
    columns = meaning.columns if info.shape and len(meaning.columns) == info.shape[-1] else ()
    return replace(meaning, fixed=fixed, columns=columns)
