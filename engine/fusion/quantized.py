"""Idioms of quantized files: pairs of Quantize and Dequantize, and integer products with their scales.

Both say how numbers are stored rather than what is computed, so every rule set keeps them together: a pair belongs to
the kernel that makes the tensor, and where that one computes nothing, to the one that reads it.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.fusion.epilogue import ANCHORS
from engine.fusion.kinds import kind_of
from engine.fusion.labels import label_node
from engine.fusion.regions import Partition, Region
from engine.fusion.types import Kind
from engine.fusion.view import View

PAIR = "QDQ"
_QUANTIZE = frozenset({"QuantizeLinear", "com.microsoft.QuantizeLinear", "DynamicQuantizeLinear"})
_DEQUANTIZE = frozenset({"DequantizeLinear", "com.microsoft.DequantizeLinear"})
_REQUANTIZING = frozenset({Kind.POOL, Kind.REDUCE, Kind.SOFTMAX, Kind.NORM, Kind.EMBEDDING, Kind.RECURRENT})
"""Kinds that compute and are no anchors of `extended`."""


def find_pairs(view: View) -> Iterator[Region]:
    """Each Quantize with the one Dequantize that reads all its outputs."""
    for at, op in enumerate(view.ops):
        if op in _QUANTIZE:
            readers = {reader for name in view.outputs[at] for reader in view.read_by(name)}
            behind = next(iter(readers), at)
            closed = not any(view.leaves(name, {at, behind}) for name in view.outputs[at])
            if len(readers) == 1 and closed and view.ops[behind] in _DEQUANTIZE:
                yield Region.of((at, behind), behind, Kind.ELEMENTWISE, PAIR)


def find_integer_products(view: View) -> Iterator[Region]:
    """MatMulInteger or ConvInteger with the Cast and the Mul that scale its sums, and its own DynamicQuantizeLinear."""
    for at, op in enumerate(view.ops):
        if op not in ("MatMulInteger", "ConvInteger"):
            continue
        nodes = {at}
        cast = view.sole_reader(view.outputs[at][0])
        if cast is not None and view.ops[cast] == "Cast":
            nodes |= {cast, *_scaling(view, cast)}
        source = view.producer.get(view.nodes[at].inputs[0])
        if source is not None and view.ops[source] == "DynamicQuantizeLinear":
            made = view.outputs[source]
            nodes |= set() if any(view.leaves(name, nodes) for name in made) else {source}
        yield Region.of(nodes, at, kind_of(view, at), label_node(view, at))


def _scaling(view: View, cast: int) -> set[int]:
    """The Mul behind a Cast, and the Mul of both scales in front of that."""
    tensor = view.outputs[cast][0]
    scale = view.sole_reader(tensor)
    if scale is None or view.ops[scale] != "Mul" or view.shape(view.outputs[scale][0]) != view.shape(tensor):
        return set()
    both = {view.producer.get(name) for name in view.inputs[scale] if name != tensor}
    products = [at for at in both if at is not None and view.ops[at] == "Mul"]
    return {scale, *(at for at in products if view.sole_reader(view.outputs[at][0]) == scale)}


def take_pairs(partition: Partition, view: View) -> None:
    """Give the pairs that no anchor took to the kernels around them."""
    for region in list(partition):
        if region.labels == (PAIR,):
            entry, result = view.inputs[region.nodes[0]][0], view.outputs[region.last][0]
            before, after = _owner(partition, view.producer.get(entry)), _sole_owner(partition, view, result)
            if before and before.kind in _REQUANTIZING and _reads_all(region, before, view, partition):
                partition.put(before.joined(region.nodes, PAIR))
            elif after and after.kind in ANCHORS and result in view.inputs[after.anchor]:
                partition.put(after.joined(region.nodes, PAIR))


def _reads_all(pair: Region, before: Region, view: View, partition: Partition) -> bool:
    """Whether a pair is the only one that needs anything of the region in front of it."""
    return len(partition.outputs(before)) == 1 and not view.leaves(view.inputs[pair.nodes[0]][0], frozenset(pair.nodes))


def _owner(partition: Partition, at: int | None) -> Region | None:
    return None if at is None else partition.owner(at)


def _sole_owner(partition: Partition, view: View, tensor: str) -> Region | None:
    """The one region that reads a tensor."""
    if tensor in view.results:
        return None
    owners = {id(owner): owner for at in view.read_by(tensor) if (owner := partition.owner(at)) is not None}
    return next(iter(owners.values())) if len(owners) == 1 else None
