"""What an estimate gives back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import inf

from engine.precision.scheme import Scheme
from engine.text import Text
from engine.tuning.metrics import Metric, Point, figure

CellKey = tuple[str, Scheme]
"""Kernel id and scheme."""


@dataclass(frozen=True, slots=True)
class EstimatedCell:
    """Predicted effect of one kernel in one scheme, all else as in the reference."""

    kernel: str
    scheme: Scheme
    damage: float
    """Predicted noise over signal, or nats: adds up over kernels."""
    value: float
    """The same as the metric's figure (dB for SQNR); capped where the prediction is known to saturate."""
    spread_db: float
    """How far the damage differs between samples: standard error of the mean, in dB."""


@dataclass(frozen=True, slots=True)
class Estimates:
    """A ranked table from a few backward passes. Figures of an exact sweep are never mixed in."""

    metric: Metric
    point: Point
    cells: Mapping[CellKey, EstimatedCell]
    blocked: Mapping[str, Text]
    """Kernels without an estimate -> why; the exact sweep serves them."""
    probes: int
    """Per sample."""
    samples: int
    """Samples that went in so far."""
    complete: bool
    """Whether those are all that are to be looked at."""
    unit_vectors: bool
    """Whether the estimate is exact to first order."""
    synthetic: bool
    seconds: float
    saturation: float = inf
    """Damage at which the network has no more to lose, read off an exact cell; inf if not known."""
    schemes: tuple[Scheme, ...] = field(default=())

    def worst_first(self, keys: Iterable[CellKey] | None = None) -> list[EstimatedCell]:
        """Cells by falling damage; all of them, or those asked for that have an estimate."""
        chosen = self.cells.values() if keys is None else [self.cells[key] for key in keys if key in self.cells]
        return sorted(chosen, key=lambda cell: cell.damage, reverse=True)

    def capped(self, kernel: str, scheme: Scheme, exact: float) -> Estimates:
        """Estimates bent by the exact damage of one cell, best the worst one: N / (1 + N / C).

        Linear predictions go on where a network has nothing more to lose; ranks stay as they are.
        """
        cell = self.cells.get((kernel, scheme))
        if cell is None or not 0 < exact < cell.damage:
            return self
        limit = cell.damage * exact / (cell.damage - exact)
        cells = {
            key: replace(each, value=figure(self.metric, each.damage / (1 + each.damage / limit)))
            for key, each in self.cells.items()
        }
        return replace(self, cells=cells, saturation=limit)
