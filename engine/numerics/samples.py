"""Samples: what the network is fed with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.graph.types import Array
from engine.text import Text


@dataclass(frozen=True, eq=False, slots=True)
class SampleSet:
    """Feeds that fit the model's inputs, one per run of the network."""

    feeds: Sequence[Mapping[str, Array]]
    """Each maps every input name to an array of exactly its dtype and shape."""
    source: str
    """Where they come from, for people."""
    synthetic: bool = False
    names: tuple[str, ...] = ()
    labels: Array | None = None
    """Class per sample, [samples] or [samples, positions]; -1 where there is none."""

    available: int = 0
    """How many samples the source holds; 0 where these are all."""
    notes: tuple[Text, ...] = ()
    """What a user should know about them."""

    def __len__(self) -> int:
        return len(self.feeds)


def evenly(total: int, limit: int | None) -> list[int]:
    """Positions of at most `limit` samples out of `total`, spread from first to last.

    Sources are often sorted by class or page: the first few would be all of one kind.
    """
    if limit is None or limit >= total:
        return list(range(total))
    return [(2 * i + 1) * total // (2 * limit) for i in range(limit)]
