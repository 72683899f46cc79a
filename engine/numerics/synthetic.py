"""Seeded synthetic samples, for a model that nobody has given data for."""

from __future__ import annotations

from engine.graph import synthetic_feeds
from engine.graph.meanings import meanings
from engine.graph.place import Meaning
from engine.graph.types import Array, Graph
from engine.numerics.samples import SampleSet

_LISTED = 64
"""Elements of a constant that may say which axes or sizes are meant."""


def synthetic_samples(graph: Graph, count: int, seed: int = 0) -> SampleSet:
    """Random samples that fit the model's inputs; the same for the same seed, and sample i the same for every count.

    What decides sizes (the shape that a Reshape reads) is as in the trial run, so that all tensors have their sizes.

    Args:
        graph: The model.
        count: How many.
        seed: Seed.
    """
    known = meanings_of(graph)
    feeds = [
        synthetic_feeds(graph.inputs, seed * 1_000_003 + number, known=known, fill=graph.fill)
        for number in range(count)
    ]
    names = tuple(f"synthetic {number + 1}" for number in range(count))
    return SampleSet(feeds, "synthetic", synthetic=True, names=names)


def meanings_of(graph: Graph) -> dict[str, Meaning]:
    """What inputs have to be, by all shapes of the trial run."""

    def value(name: str) -> Array | None:
        array = graph.constants.get(name)
        return array if array is not None and array.size <= _LISTED else None

    shapes = {name: info.shape for name, info in graph.tensors.items()}
    shapes.update((name, array.shape) for name, array in graph.constants.items())
    return meanings([node.proto for node in graph.nodes], graph.inputs, shapes, value)
