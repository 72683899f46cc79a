"""What the Layers table says of the current plan against plan B: A minus B, per kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from engine.graph.types import Array
from engine.session.state import Figures

if TYPE_CHECKING:
    from engine.session import Session


@dataclass(frozen=True, eq=False, slots=True)
class Deltas:
    """Columns [kernels]; NaN = not known, or no plan B is chosen."""

    db: Array
    """Accumulated SQNR."""
    us: Array
    """Latency."""
    weight_bytes: Array


def deltas_of(session: Session, ids: Sequence[str]) -> Deltas:
    """The differences of the plan on show to plan B."""
    b = session.kept.b
    if b is None:
        unknown = np.full(len(ids), nan)
        return Deltas(unknown, unknown, unknown)
    mine, other = (_columns(figures, ids) for figures in (session.figures, b))
    with np.errstate(invalid="ignore"):  # two exact outputs: infinity minus infinity
        differences = [one - two for one, two in zip(mine, other, strict=True)]
    return Deltas(*(np.where(np.isfinite(d), d, nan) for d in differences))


def _columns(figures: Figures, ids: Sequence[str]) -> tuple[Array, Array, Array]:
    accumulated = figures.evaluation.accumulated if figures.evaluation is not None else {}
    costs = {c.kernel: c.latency_us for c in figures.simulation.kernels} if figures.simulation is not None else {}
    sizes = figures.size.per_kernel if figures.size is not None else {}
    return (
        np.array([accumulated[i].sqnr_db if i in accumulated else nan for i in ids], float),
        np.array([costs.get(i, nan) for i in ids], float),
        np.array([sizes.get(i, nan) for i in ids], float),
    )
