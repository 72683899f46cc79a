"""How well an estimate foresaw the exact sweep, said in figures that the window can show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from engine.precision.scheme import Scheme
from engine.tuning.estimate import Estimates
from engine.tuning.exact import ExactCell
from engine.tuning.metrics import damage

_DEAD = 1e-12
"""Damage below that is rounding noise of float32, in no particular order."""
_WORST = 10


@dataclass(frozen=True, slots=True)
class Agreement:
    """Predicted against measured, over the cells measured so far."""

    cells: int
    rank: float
    """Spearman correlation over all of them; nan for fewer than three."""
    by_scheme: Mapping[Scheme, float]
    worst_found: Mapping[Scheme, int]
    """Of the ten worst kernels by the exact sweep, how many are among the ten worst by the estimate."""
    median_db: float
    """Median of |predicted / measured damage|, in dB."""


def agree(estimates: Estimates, exact: Iterable[ExactCell]) -> Agreement:
    """Compare an estimate with exact cells of the same metric."""
    pairs: dict[Scheme, list[tuple[float, float]]] = {}
    for cell in exact:
        found = estimates.cells.get((cell.kernel, cell.scheme))
        measured = damage(estimates.metric, cell.value(estimates.metric))
        if found is not None and measured > _DEAD and found.damage > 0:
            pairs.setdefault(cell.scheme, []).append((found.damage, measured))
    every = [pair for found in pairs.values() for pair in found]
    errors = [abs(10 * np.log10(ours / theirs)) for ours, theirs in every]
    return Agreement(
        cells=len(every),
        rank=spearman(every),
        by_scheme={scheme: spearman(found) for scheme, found in pairs.items()},
        worst_found={scheme: _shared_worst(found) for scheme, found in pairs.items()},
        median_db=float(np.median(errors)) if errors else nan,
    )


def spearman(pairs: Sequence[tuple[float, float]]) -> float:
    """Rank correlation; equal values share their mean rank. nan for fewer than three pairs or a constant side."""
    if len(pairs) < 3:
        return nan
    left, right = (_ranks([pair[side] for pair in pairs]) for side in (0, 1))
    spread = float(np.sqrt((left @ left) * (right @ right)))
    return float(left @ right) / spread if spread else nan


def _ranks(values: Sequence[float]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Centred ranks."""
    _, place, counts = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return np.asarray(ranks - ranks.mean(), np.float64)


def _shared_worst(pairs: Sequence[tuple[float, float]]) -> int:
    ours, theirs = ({int(at) for at in np.argsort([-pair[side] for pair in pairs])[:_WORST]} for side in (0, 1))
    return len(ours & theirs)
