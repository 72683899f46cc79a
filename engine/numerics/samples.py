"""Samples: what the network is fed with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.graph.types import Array


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

    def __len__(self) -> int:
        return len(self.feeds)
