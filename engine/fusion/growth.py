"""Growing small regions from one tensor: how decomposed functions (GELU, SiLU, LayerNorm ...) are found.

Exporters write y = f(x) as a handful of primitive nodes in many orders. Instead of one template per order, a region is
grown from a node that reads x, forwards through nodes that read only x, constants and the region itself. Whenever all
but one of its tensors stay inside, it is a function of x alone, and its list of operators says which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.fusion.ops import BINARY, VIEWS
from engine.fusion.view import View, scalar


@dataclass(frozen=True, slots=True)
class Closure:
    """Nodes that compute one tensor from one other tensor."""

    entry: str
    nodes: tuple[int, ...]
    output: str


def closures(view: View, start: int, joins: Callable[[int], bool], limit: int) -> Iterator[Closure]:
    """All closed regions that begin with node `start`, by growing size.

    Args:
        view: The nodes.
        start: A node with one activation input (it may read it twice): the entry.
        joins: Whether a node may take part.
        limit: Largest number of nodes.
    """
    entries = set(view.inputs[start])
    if len(entries) != 1 or not joins(start):
        return
    (entry,) = entries
    nodes, inside = {start}, set(view.outputs[start])
    while True:
        open_tensors = [name for at in nodes for name in view.outputs[at] if view.leaves(name, nodes)]
        if len(open_tensors) == 1:
            yield Closure(entry, tuple(sorted(nodes)), open_tensors[0])
        step = _next(view, nodes, inside, entry, joins)
        if step is None or len(nodes) + len(step) > limit:
            return
        nodes.update(step)
        inside.update(name for at in step for name in view.outputs[at])


def _next(view: View, nodes: set[int], inside: set[str], entry: str, joins: Callable[[int], bool]) -> set[int] | None:
    """The earliest node that reads the region and needs nothing else, with the nodes it needs beside the region."""
    candidates = sorted({at for name in inside for at in view.read_by(name)} - nodes)
    for at in candidates:
        step = {at}
        if joins(at) and all(_reach(view, name, inside, entry, joins, step, 3) for name in view.inputs[at]):
            return step
    return None


def _reach(
    view: View, tensor: str, inside: set[str], entry: str, joins: Callable[[int], bool], step: set[int], depth: int
) -> bool:
    """Whether a tensor comes from the region or, by way of at most `depth` nodes, from the entry; collects these."""
    if tensor in inside or tensor == entry:
        return True
    at = view.producer.get(tensor)
    if at is None or depth == 0 or not joins(at) or view.sole_reader(tensor) is None:
        return False
    step.add(at)
    return bool(view.inputs[at]) and all(
        _reach(view, name, inside, entry, joins, step, depth - 1) for name in view.inputs[at]
    )


def signature(view: View, nodes: tuple[int, ...]) -> Counter[str]:
    """Operators of a region, '.c' behind those that meet a constant operand; casts and views don't count."""
    return Counter(
        view.ops[at] + (".c" if view.ops[at] in BINARY and view.constant_input(at) is not None else "")
        for at in nodes
        if view.ops[at] != "Cast" and view.ops[at] not in VIEWS
    )


def scalars(view: View, nodes: tuple[int, ...]) -> list[float]:
    """All constants of one element in a region."""
    values = (scalar(view.constants[name]) for at in nodes for name in view.nodes[at].inputs if name in view.constants)
    return [value for value in values if value is not None]


def near(values: list[float], wanted: float) -> bool:
    """Whether one of the values is `wanted` to a thousandth (exporters round, and half precision rounds more)."""
    return any(abs(value - wanted) <= 1e-3 * abs(wanted) for value in values)
