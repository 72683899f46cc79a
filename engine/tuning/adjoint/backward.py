"""Going backwards through the nodes of a segment."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import onnx

from engine.tuning.adjoint import (  # noqa: F401 - the rules enter themselves in the table
    binary,
    convolutions,
    moves,
    norms,
    pooling,
    products,
    reductions,
    unary,
)
from engine.tuning.adjoint.call import RULES, ZERO, Blocked, Call, Segment, qualified
from engine.tuning.adjoint.tape import Sym, Tape, attributes_of

_SEVERAL = frozenset({"Split", "SkipLayerNormalization", "SkipSimplifiedLayerNormalization"})
"""Operators whose rule looks at all outputs. Elsewhere a side output (a mean, indices) must have no gradient."""


@dataclass(frozen=True, eq=False, slots=True)
class Found:
    """Gradients of the tensors that were asked for."""

    total: Mapping[str, Sym]
    """By tensor; absent where nothing comes back (the gradient is zero) or where it is blocked."""
    parts: Mapping[tuple[int, int], Sym]
    """What a node alone sends back: (position in the segment, input) -> gradient."""
    blocked: Mapping[str, str]
    """Tensors whose gradient can't be found -> the operator in the way."""


def backward(segment: Segment, tape: Tape, given: Mapping[str, Sym], wanted: Collection[str]) -> Found:
    """Write the nodes that bring gradients back.

    Args:
        segment: What to go through.
        tape: Where nodes go.
        given: Gradients by tensor (outputs of the segment, usually).
        wanted: Tensors whose gradient is asked for, inputs or results of nodes.
    """
    reached = _reached(segment, wanted)
    arrived: dict[str, list[Sym]] = {name: [g] for name, g in given.items()}
    parts: dict[tuple[int, int], Sym] = {}
    dead: dict[str, str] = {}
    for at in reversed(range(len(segment.nodes))):
        node = segment.nodes[at]
        sources = [name for name in dict.fromkeys(names_read(node)) if name in reached]
        if not sources or (node.op_type in ZERO and not node.domain):
            continue
        why = next((dead[name] for name in node.output if name in dead), None)
        gradients = tuple(_take(arrived, name, tape) if name else None for name in node.output)
        if why is None and all(g is None for g in gradients):
            continue
        made: list[Sym | None] = []
        if why is None:
            try:
                made = _apply(segment, tape, node, gradients, reached)
            except Blocked as blocked:
                why = str(blocked)
        if why is not None:  # all that feeds this node has an incomplete gradient
            dead.update(dict.fromkeys(sources, why))
            continue
        for place, g in enumerate(made):
            if g is not None:
                arrived.setdefault(node.input[place], []).append(g)
                parts[at, place] = g
    total = {}
    for name in wanted:
        g = None if name in dead else _take(arrived, name, tape)
        if g is not None:
            total[name] = g
    return Found(total, parts, {name: dead[name] for name in wanted if name in dead})


def names_read(node: onnx.NodeProto) -> Iterator[str]:
    """What a node reads, its bodies included."""
    yield from (name for name in node.input if name)
    for attribute in node.attribute:
        for graph in [attribute.g] if attribute.HasField("g") else attribute.graphs:
            own = {tensor.name for tensor in graph.initializer} | {info.name for info in graph.input}
            own |= {name for inner in graph.node for name in inner.output}
            for inner in graph.node:
                yield from (name for name in names_read(inner) if name not in own)
            yield from (info.name for info in graph.output if info.name not in own)


def _reached(segment: Segment, wanted: Collection[str]) -> set[str]:
    """Tensors on a way from a wanted one; others need no gradient.

    Integers count too where they come from something else than a comparison: an operator without a rule may turn them
    back into floats.
    """
    reached = set(wanted)
    for node in segment.nodes:
        if any(name in reached for name in names_read(node)):
            settled = node.op_type in ZERO or node.op_type == "Cast"
            reached.update(name for name in node.output if name in segment.floats or (name and not settled))
    return reached


def _take(arrived: dict[str, list[Sym]], name: str, tape: Tape) -> Sym | None:
    """The sum of all that came back to a tensor."""
    found = arrived.get(name)
    if not found:
        return None
    if len(found) > 1:
        arrived[name] = found = [tape.op("Sum", *found) if len(found) > 2 else found[0] + found[1]]
    return found[0]


def _apply(
    segment: Segment, tape: Tape, node: onnx.NodeProto, gradients: tuple[Sym | None, ...], reached: set[str]
) -> list[Sym | None]:
    """The gradients of a node's wanted inputs.

    Raises:
        Blocked: If there is no rule for it.
    """
    function = RULES.get(qualified(node))
    if function is None or (node.op_type not in _SEVERAL and any(g is not None for g in gradients[1:])):
        raise Blocked(qualified(node))
    captured = set(names_read(node)) - set(node.input)
    if captured & reached:
        raise Blocked(qualified(node))
    wanted = frozenset(
        at
        for at, name in enumerate(node.input)
        if name in reached and name in segment.floats and name not in segment.constants
    )
    call = Call(tape, segment, node, attributes_of(node), wanted, gradients)
    g = gradients[0]
    if g is None:
        g = tape.sym(tape.constant(np.zeros(call.result_shape(), np.float32)))
    return [made if at in wanted else None for at, made in enumerate(function(call, g))]
