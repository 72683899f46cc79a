"""GroupNorm as exporters write it: InstanceNormalization between two Reshapes, then scale and shift per channel."""

from __future__ import annotations

from collections.abc import Iterator

from engine.fusion.regions import Region
from engine.fusion.types import Kind
from engine.fusion.view import View


def find_group_norms(view: View) -> Iterator[Region]:
    """Reshape to groups, InstanceNormalization, Reshape back, and the Mul and Add by constants behind them."""
    for at, op in enumerate(view.ops):
        if op != "InstanceNormalization":
            continue
        before = view.producer.get(view.nodes[at].inputs[0])
        after = view.sole_reader(view.outputs[at][0])
        if before is None or after is None or view.ops[before] != "Reshape" or view.ops[after] != "Reshape":
            continue
        if view.sole_reader(view.outputs[before][0]) != at:
            continue
        if view.shape(view.outputs[after][0]) == view.shape(view.nodes[before].inputs[0]):
            yield Region.of((before, at, after, *_tail(view, after)), at, Kind.NORM, "GroupNorm")


def _tail(view: View, at: int) -> list[int]:
    """The scale and the shift, as far as they are there."""
    tail = []
    for op in ("Mul", "Add"):
        following = view.sole_reader(view.outputs[at][0])
        if following is None or view.ops[following] != op or view.constant_input(following) is None:
            break
        if view.shape(view.outputs[following][0]) != view.shape(view.outputs[at][0]):
            break
        tail.append(following)
        at = following
    return tail
