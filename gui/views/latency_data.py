"""What the latency plot shows, read from a session."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from engine.graph.types import Array
from engine.npu.results import KernelCost, Simulation
from gui.plots.kernels import KernelColumns
from gui.plots.table import Table

if TYPE_CHECKING:
    from engine.session import Session

CUT = 2.5
"""A bar may be this many times as long as the 95th percentile before the axis leaves it out."""


@dataclass(frozen=True, eq=False, slots=True)
class LatencyBars:
    """Latency in us by kernel index; NaN where the simulation has no such kernel."""

    total: Array
    launch: Array
    previous: Array
    """Under the previous plan; all NaN when it is the same plan or not simulated."""
    costs: tuple[KernelCost | None, ...]
    run_us: float
    band: float
    invocation_us: float

    def top(self) -> float:
        """Upper end for an axis: the longest bar, or what most bars need when a few are far longer."""
        known = self.total[np.isfinite(self.total)]
        if not known.size:
            return 1.0
        longest, usual = float(known.max()), float(np.percentile(known, 95))
        return longest if longest <= CUT * usual else usual * 1.25


def latency_bars(session: Session, columns: KernelColumns) -> LatencyBars | None:
    """Gather the bars; None before the first simulation."""
    simulation = session.figures.simulation
    if simulation is None:
        return None
    before = session.previous
    old = before.simulation if before is not None and before.plan != session.plan else None
    now = _by_kernel(simulation)
    costs = tuple(now.get(i) for i in columns.ids)
    earlier = _by_kernel(old) if old else {}
    return LatencyBars(
        np.array([c.latency_us if c else nan for c in costs], float),
        np.array([c.launch_us if c else nan for c in costs], float),
        np.array([earlier[i].latency_us if i in earlier else nan for i in columns.ids], float),
        costs,
        simulation.latency_us,
        simulation.band,
        simulation.invocation_us,
    )


def latency_table(bars: LatencyBars, columns: KernelColumns) -> Table:
    """One row per kernel."""
    rows: list[tuple[str | int | float | None, ...]] = []
    for i, cost in enumerate(bars.costs):
        old = float(bars.previous[i])
        known = (cost.latency_us, cost.launch_us, cost.unit, cost.bound) if cost else (None, None, "", "")
        rows.append((i, columns.names[i], columns.labels[i], *known, None if np.isnan(old) else old))
    header = ("index", "kernel", "scheme", "latency_us", "launch_us", "unit", "bound", "previous_latency_us")
    return Table(header, rows)


def _by_kernel(simulation: Simulation) -> dict[str, KernelCost]:
    return {cost.kernel: cost for cost in simulation.kernels}
