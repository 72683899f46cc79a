"""Seeded synthetic samples, for a model that nobody has given data for."""

from __future__ import annotations

from engine.graph import synthetic_feeds
from engine.graph.types import Graph
from engine.numerics.samples import SampleSet

_SAME_VALUES = frozenset({"Cast", "Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Transpose", "Expand"})


def synthetic_samples(graph: Graph, count: int, seed: int = 0) -> SampleSet:
    """Random samples that fit the model's inputs; the same for the same seed, and sample i the same for every count.

    Args:
        graph: The model.
        count: How many.
        seed: Seed.
    """
    limits = table_rows(graph)
    feeds = [synthetic_feeds(graph.inputs, seed * 1_000_003 + number, limits=limits) for number in range(count)]
    names = tuple(f"synthetic {number + 1}" for number in range(count))
    return SampleSet(feeds, "synthetic", synthetic=True, names=names)


def table_rows(graph: Graph) -> dict[str, int]:
    """For each input that indexes a constant table: how many rows the (smallest) table has."""
    carries = {info.name: info.name for info in graph.inputs if info.dtype.kind in "iu"}
    rows: dict[str, int] = {}
    for node in graph.nodes:
        read = node.inputs
        if node.op_type in _SAME_VALUES and read[0] in carries:
            carries[node.outputs[0]] = carries[read[0]]
        if node.op_type != "Gather" or read[1] not in carries or read[0] not in graph.constants:
            continue
        axis = next((a.i for a in node.proto.attribute if a.name == "axis"), 0)
        source, size = carries[read[1]], graph.constants[read[0]].shape[axis]
        rows[source] = min(size, rows.get(source, size))
    return rows
