"""Decomposed functions that were not recognised because something outside needs a tensor inside."""

from __future__ import annotations

from collections.abc import Iterator

from engine.fusion.activations import find_activations
from engine.fusion.norms import find_norms
from engine.fusion.ops import ELEMENTWISE, VIEWS
from engine.fusion.regions import Region
from engine.fusion.rotary import find_rotaries
from engine.fusion.view import View

_FINDERS = (find_rotaries, find_norms, find_activations)
_TELLTALES = frozenset({
    "Erf", "Tanh", "Sigmoid", "HardSigmoid", "Softplus", "ReduceMean", "ReduceL2", "ReduceSumSquare", "ReduceMax",
    "Neg",
})  # fmt: skip
"""Operators that stand in the middle of such functions."""
_JOINING = ELEMENTWISE | VIEWS | _TELLTALES | {"ReduceSum", "Slice", "Split", "Concat"}
_NODES, _STEPS = 24, 8
"""Size of the neighbourhood that is searched, and how far it reaches."""

Miss = tuple[str, frozenset[int], str]
"""Name of the function, its nodes, the tensor inside that is needed outside."""


def near_misses(view: View) -> Iterator[Miss]:
    """Look around each telltale that is in no named function, as if nothing else were in the model."""
    named = {at for finder in _FINDERS for region in finder(view) if len(region.nodes) > 1 for at in region.nodes}
    reported: set[frozenset[int]] = set()
    for at, op in enumerate(view.ops):
        if op not in _TELLTALES or at in named:
            continue
        near = _neighbourhood(view, at)
        readers = {reader for name in _leaking(view, near) for reader in view.read_by(name)}
        for without in (None, *sorted((readers & near) - {at})) if readers or _shows(view, near) else ():
            miss = _search(view, at, near - {without})
            if miss is not None and miss[1] not in reported:
                reported.add(miss[1])
                yield miss
            if miss is not None:
                break


def _neighbourhood(view: View, at: int) -> frozenset[int]:
    near, edge = {at}, [at]
    for _ in range(_STEPS):
        following = [reader for node in edge for name in view.outputs[node] for reader in view.read_by(name)]
        leading = [view.producer[name] for node in edge for name in view.inputs[node] if name in view.producer]
        edge = [
            node for node in dict.fromkeys((*following, *leading)) if node not in near and view.ops[node] in _JOINING
        ]
        if len(near) + len(edge) > _NODES:
            break
        near.update(edge)
    return frozenset(near)


def _leaking(view: View, near: frozenset[int]) -> list[str]:
    """Tensors with several readers: one of them may be the one too many."""
    return [name for node in near for name in view.outputs[node] if len(view.read_by(name)) > 1]


def _shows(view: View, near: frozenset[int]) -> bool:
    return any(name in view.results for node in near for name in view.outputs[node])


def _search(view: View, at: int, near: frozenset[int] | frozenset[int | None]) -> Miss | None:
    """A named function around a node in a view of its neighbourhood alone, and what leaves it in the whole view."""
    places = sorted(node for node in near if node is not None)
    read = {name for node in places for name in view.inputs[node]}
    ends = [name for node in places for name in view.outputs[node] if name not in read]
    part = View([view.nodes[node] for node in places], view.constants, view.tensors, ends)
    for finder in _FINDERS:
        for region in finder(part):
            nodes = frozenset(places[node] for node in region.nodes)
            if at in nodes and len(nodes) > 1:
                tensor = _leak(view, region, nodes, places)
                return None if tensor is None else (region.labels[-1], nodes, tensor)
    return None


def _leak(view: View, region: Region, nodes: frozenset[int], places: list[int]) -> str | None:
    """The first tensor inside that the whole model needs elsewhere."""
    last = places[region.last]
    inside = (name for node in sorted(nodes - {last}) for name in view.outputs[node])
    return next((name for name in inside if view.leaves(name, nodes)), None)
