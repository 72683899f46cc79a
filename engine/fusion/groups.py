"""Elementwise nodes in a row become one kernel, and so do movements in a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.fusion.ops import ALONE, CHAINED_MOVEMENT
from engine.fusion.regions import Partition, Region
from engine.fusion.types import Kind
from engine.fusion.view import View


def merge_chains(partition: Partition, view: View) -> None:
    """Join neighbours of the same family; elementwise first."""
    _merge(partition, view, lambda region: region.kind is Kind.ELEMENTWISE and _single(view, region))
    _merge(partition, view, lambda region: all(view.ops[at] in CHAINED_MOVEMENT for at in region.nodes))


def _single(view: View, region: Region) -> bool:
    return all(len(view.outputs[at]) == 1 and view.ops[at] not in ALONE for at in region.nodes)


def _merge(partition: Partition, view: View, member: Callable[[Region], bool]) -> None:
    """Let each member take in the members that only it reads, from the end of the network to its start."""
    for region in reversed(list(partition)):
        if partition.owner(region.last) is not region or not member(region):
            continue
        inside = set(region.nodes)
        taken = []
        # Whenever a region joins, those that feed it are looked at again: this may have been their last outside reader.
        waiting = list(_feeding(partition, view, region))
        while waiting:
            other = waiting.pop()
            if inside.issuperset(other.nodes) or not member(other):
                continue
            if any(view.leaves(name, inside) for name in partition.outputs(other)):
                continue
            inside.update(other.nodes)
            taken.append(other)
            waiting.extend(_feeding(partition, view, other))
        if taken:
            partition.put(region.merged(taken))


def _feeding(partition: Partition, view: View, region: Region) -> Iterator[Region]:
    """Regions that write what a region reads."""
    for at in region.nodes:
        for name in view.inputs[at]:
            producer = view.producer.get(name)
            owner = None if producer is None else partition.owner(producer)
            if owner is not None and owner is not region:
                yield owner
