"""Regions: sets of nodes that will become one kernel, and the table of which node is already taken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from engine.fusion.types import Kind
from engine.fusion.view import View


@dataclass(frozen=True, slots=True)
class Region:
    """Nodes of a kernel to be.

    What happens inside stays inside: no tensor of a region is read elsewhere, except the outputs of its last node. That
    keeps every cut of the network into regions free of circles: a way out of a region starts at its end.
    """

    nodes: tuple[int, ...]
    """Positions, ascending."""
    anchor: int
    kind: Kind
    labels: tuple[str, ...]
    """What it does, step by step; '' entries are not shown."""
    bias: int | None = None
    """The Add right behind the anchor whose constant is the anchor's bias."""

    @property
    def last(self) -> int:
        """Position of the node that writes the region's outputs."""
        return self.nodes[-1]

    def joined(self, nodes: Iterable[int], *labels: str) -> Region:
        """This region with more nodes behind it."""
        return replace(self, nodes=tuple(sorted({*self.nodes, *nodes})), labels=(*self.labels, *labels))


class Partition:
    """Which region each node belongs to. Regions are only ever added or replaced by larger ones."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._owner: dict[int, Region] = {}

    def owner(self, at: int) -> Region | None:
        """The region of a node, or None."""
        return self._owner.get(at)

    def free(self, nodes: Iterable[int]) -> bool:
        """Whether none of the nodes is taken."""
        return all(at not in self._owner for at in nodes)

    def put(self, region: Region) -> None:
        """Add a region; nodes that belonged to others now belong to it, and those others must lie inside it."""
        self._owner.update(dict.fromkeys(region.nodes, region))

    def __iter__(self) -> Iterator[Region]:
        """All regions, each once, in an order that can be run."""
        seen = {id(region): region for region in self._owner.values()}
        return iter(sorted(seen.values(), key=lambda region: region.last))

    def outputs(self, region: Region) -> tuple[str, ...]:
        """Tensors of a region that are needed outside of it."""
        inside = frozenset(region.nodes)
        return tuple(name for at in region.nodes for name in self.view.outputs[at] if self.view.leaves(name, inside))
