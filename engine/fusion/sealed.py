"""Nodes that hand each other what no array holds stay in one kernel: sequences, optional values, int4 and the like.

A kernel's results are compared, kept and exported as arrays, so a kernel must not end in the middle of a sequence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.fusion.kinds import kind_of
from engine.fusion.labels import join_labels, label_node
from engine.fusion.regions import Partition, Region
from engine.fusion.types import Kind, Weight
from engine.fusion.view import View
from engine.fusion.weights import find_weights
from engine.graph.newest import QUANTIZED
from engine.graph.types import is_array
from engine.text import Text, say


def find_sealed(view: View, partition: Partition) -> Iterator[Region]:
    """Regions around all tensors that are no arrays, unless a region encloses them already."""
    groups: list[set[int]] = []
    for name, start in view.producer.items():
        if name in view.tensors and not is_array(view.tensors[name].dtype):
            group = {start, *view.read_by(name)}
            owner = partition.owner(start)
            if owner is None or not group.issubset(owner.nodes):
                groups.append(group)
    for group in _apart([_closed(view, partition, group) for group in groups], view, partition):
        steps = [((at,), label_node(view, at)) for at in sorted(group)]
        kinds = {kind_of(view, at) for at in group}
        kind = kinds.pop() if kinds == {Kind.ELEMENTWISE} else Kind.OTHER
        last = max(group)
        yield Region(tuple(sorted(group)), last, kind, tuple((at, label) for (at,), label in steps))


def why_sealed(view: View, region: Region) -> Text | None:
    """Why a kernel has no switch although there are layers with weights in it; None if that is not so."""
    names = (name for at in region.nodes for name in view.outputs[at])
    if region.kind is not Kind.OTHER or all(is_array(view.tensors[name].dtype) for name in names):
        return None
    layers = [at for at in region.nodes if find_weights(view, at, None, {})]
    if not layers:
        return None
    return say(
        "{layers} in it stands between the parts of a sequence, which no kernel can hand on",
        layers=join_labels(tuple(label_node(view, at) for at in layers)),
    )


def why_too_new(opset: int, weights: Sequence[Weight]) -> Text | None:
    """Why a kernel with weights has no switch in a model that nothing older can say (`engine.graph.newest`)."""
    if not weights or opset <= QUANTIZED:
        return None
    return say(
        "operator set {opset} is newer than the quantizers of ONNX Runtime ({newest}): "
        "export the model for an older one",
        opset=opset,
        newest=QUANTIZED,
    )


def _apart(groups: list[set[int]], view: View, partition: Partition) -> list[set[int]]:
    """Groups with a node in common become one."""
    found: list[set[int]] = []
    for group in groups:
        while touching := next((other for other in found if other & group), None):
            found.remove(touching)
            group = _closed(view, partition, group | touching)
        found.append(group)
    return found


def _closed(view: View, partition: Partition, group: set[int]) -> set[int]:
    """With all nodes that read something of the group before its last node runs, and whole regions."""
    group = set(group)
    waiting = list(group)
    while waiting:
        at = waiting.pop()
        last = max(group)
        owner = partition.owner(at)
        more = set(owner.nodes) if owner is not None else set()
        more.update(reader for name in view.outputs[at] for reader in view.read_by(name) if reader < last)
        if max(more, default=0) > last:
            waiting = list(group | more)  # what came too late for the old end may be inside now
        waiting += more - group
        group |= more
    return group
