"""Rotary position embedding: y = x * cos + rotate_half(x) * sin, one kernel per rotated tensor."""

from __future__ import annotations

from collections.abc import Iterator

from engine.fusion.regions import Region
from engine.fusion.types import Kind
from engine.fusion.view import View


def find_rotaries(view: View) -> Iterator[Region]:
    """Add(Mul(x, cos), Mul(Concat(Neg(Slice(x)), Slice(x)), sin)), the halves cut by Slice or Split."""
    for at, op in enumerate(view.ops):
        if op != "Add" or len(view.inputs[at]) != 2:
            continue
        products = [_made_by(view, name, "Mul", at) for name in view.inputs[at]]
        for straight, turned in (products, products[::-1]):
            if straight is not None and turned is not None:
                nodes = _rotation(view, straight, turned)
                if nodes:
                    yield Region.of({at, *nodes}, at, Kind.ELEMENTWISE, "Rotary")
                    break


def _made_by(view: View, tensor: str, op: str, reader: int) -> int | None:
    at = view.producer.get(tensor)
    return at if at is not None and view.ops[at] == op and view.sole_reader(tensor) == reader else None


def _rotation(view: View, straight: int, turned: int) -> set[int]:
    """Nodes of both products if the second turns what the first takes as it is; else empty."""
    for name in view.inputs[turned]:
        concat = _made_by(view, name, "Concat", turned)
        if concat is None or len(view.inputs[concat]) != 2:
            continue
        negated, plain = view.inputs[concat]
        neg = _made_by(view, negated, "Neg", concat)
        if neg is None:
            continue
        halves = {view.producer.get(view.inputs[neg][0]), view.producer.get(plain)} - {None}
        cuts = {at for at in halves if at is not None and view.ops[at] in ("Slice", "Split")}
        sources = {view.inputs[at][0] for at in cuts}
        nodes = {straight, turned, concat, neg, *cuts}
        closed = all(not view.leaves(out, nodes) for at in cuts for out in view.outputs[at])
        if len(cuts) == len(halves) and len(sources) == 1 and closed and sources <= set(view.inputs[straight]):
            return nodes
    return set()
