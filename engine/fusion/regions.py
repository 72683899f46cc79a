"""Regions: sets of nodes that will become one kernel, and the table of which node is already taken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
    steps: tuple[tuple[int, str], ...]
    """What it does: position and label of each step; '' is not shown."""
    bias: int | None = None
    """The Add right behind the anchor whose constant is the anchor's bias."""

    @property
    def last(self) -> int:
        """Position of the node that writes the region's outputs."""
        return self.nodes[-1]

    @classmethod
    def of(cls, nodes: Iterable[int], anchor: int, kind: Kind, label: str) -> Region:
        """A region of one step."""
        ordered = tuple(sorted(set(nodes)))
        return cls(ordered, anchor, kind, ((ordered[-1], label),))

    def joined(self, nodes: Iterable[int], label: str) -> Region:
        """This region with one more step."""
        return self.followed([(tuple(nodes), label)])

    def followed(self, steps: Sequence[tuple[Sequence[int], str]]) -> Region:
        """This region with more steps: nodes and label of each."""
        more = {at for nodes, _ in steps for at in nodes}
        labelled = tuple(sorted((*self.steps, *((max(nodes), label) for nodes, label in steps))))
        return replace(self, nodes=tuple(sorted({*self.nodes, *more})), steps=labelled)

    def merged(self, others: Sequence[Region]) -> Region:
        """This region with regions in front of it; of its own kind if they all are, else a movement."""
        every = (self, *others)
        return replace(
            self,
            nodes=tuple(sorted(at for region in every for at in region.nodes)),
            kind=self.kind if all(region.kind is self.kind for region in others) else Kind.MOVEMENT,
            steps=tuple(sorted(step for region in every for step in region.steps)),
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels in the order of the steps."""
        return tuple(label for _, label in self.steps)


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
