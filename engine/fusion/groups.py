"""Elementwise nodes in a row become one kernel, and so do movements in a row."""

from __future__ import annotations

from collections.abc import Callable

from engine.fusion.ops import CHAINED_MOVEMENT
from engine.fusion.regions import Partition, Region
from engine.fusion.types import Kind
from engine.fusion.view import View


def merge_chains(partition: Partition, view: View) -> None:
    """Join neighbours of the same family; elementwise first."""
    _merge(partition, view, lambda region: region.kind is Kind.ELEMENTWISE and _single(view, region))
    _merge(partition, view, lambda region: all(view.ops[at] in CHAINED_MOVEMENT for at in region.nodes))


def _single(view: View, region: Region) -> bool:
    return all(len(view.outputs[at]) == 1 for at in region.nodes)


def _merge(partition: Partition, view: View, member: Callable[[Region], bool]) -> None:
    """Let each member take in the members that only it reads, from the end of the network to its start."""
    for region in reversed(list(partition)):
        current = partition.owner(region.last)
        if current is not region or not member(region):
            continue
        while (other := _feeding(partition, view, region, member)) is not None:
            region = region.merged(other, region.kind if region.kind is other.kind else Kind.MOVEMENT)
            partition.put(region)


def _feeding(partition: Partition, view: View, region: Region, member: Callable[[Region], bool]) -> Region | None:
    inside = frozenset(region.nodes)
    for at in reversed(region.nodes):
        for name in view.inputs[at]:
            producer = view.producer.get(name)
            owner = None if producer is None or producer in inside else partition.owner(producer)
            if owner is None or owner is region or not member(owner):
                continue
            if all(not view.leaves(out, inside) for out in partition.outputs(owner)):
                return owner
    return None
