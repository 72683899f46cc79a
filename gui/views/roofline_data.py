"""What the roofline shows, read from a session."""

from __future__ import annotations

from dataclasses import dataclass
from math import log10
from typing import TYPE_CHECKING

import numpy as np

from engine.graph.types import Array
from gui.plots.kernels import KernelColumns
from gui.plots.table import Table

if TYPE_CHECKING:
    from engine.session import Session


@dataclass(frozen=True, slots=True)
class Roof:
    """A ceiling: TOPS that a unit reaches, or 0 for the slope of a memory."""

    name: str
    family: str
    tops: float


@dataclass(frozen=True, eq=False, slots=True)
class RooflineData:
    """Points in logarithms of base 10."""

    kernels: Array
    """Kernel index of each point."""
    intensity: Array
    """log10 of multiply-accumulates per byte that crosses the memory port."""
    tops: Array
    """log10 of achieved TOPS; one multiply-accumulate is two operations."""
    latency_us: Array
    roofs: tuple[Roof, ...]
    ddr_gb_s: float

    def memory_roof(self, intensity: float) -> float:
        """log10 TOPS that the memory allows at an intensity (log10)."""
        return intensity + log10(2 * self.ddr_gb_s * 1e-3)

    def ridge(self, tops: float) -> float:
        """Intensity (log10) at which a ceiling meets the memory's slope."""
        return log10(tops) - log10(2 * self.ddr_gb_s * 1e-3)

    def ranges(self) -> tuple[float, float, float, float]:
        """X and y ranges around points and roofs."""
        highest = max(log10(roof.tops) for roof in self.roofs)
        x0, x1 = (
            float(self.intensity.min()) - 0.3,
            max(float(self.intensity.max()) + 0.3, self.ridge(10**highest) + 0.5),
        )
        y0 = min(float(self.tops.min()) - 0.3, highest - 2)
        return x0, x1, y0, highest + 0.35


def roofline_data(session: Session) -> RooflineData | None:
    """Gather the points; None before the first simulation or without a kernel that multiplies."""
    network, simulation = session.network, session.figures.simulation
    if network is None or simulation is None:
        return None
    macs = {kernel.id: kernel.macs for kernel in network.kernels}
    found = []
    for i, cost in enumerate(simulation.kernels):
        moved = cost.ddr_read_bytes + cost.ddr_write_bytes
        if cost.unit in ("Cube", "Vector") and macs.get(cost.kernel) and moved and cost.latency_us > 0:
            work = macs[cost.kernel]
            found.append((i, log10(work / moved), log10(2 * work / cost.latency_us * 1e-6), cost.latency_us))
    if not found:
        return None
    columns = np.array(found, float).T
    chip = session.device.chip
    roofs = []
    for precision, family, name in (("int8", "INT8", "INT8"), ("fp16", "FP16", "FP16, W4A16")):
        m, k, n = chip.cube[precision]  # type: ignore[index]
        roofs.append(Roof(name, family, 2 * m * k * n * chip.cores / chip.cycle_us * 1e-6))
    return RooflineData(
        columns[0].astype(int), columns[1], columns[2], columns[3], tuple(roofs), session.device.number("port.ddr")
    )


def roofline_table(data: RooflineData, columns: KernelColumns) -> Table:
    """One row per point."""
    rows = [
        (int(k), columns.names[int(k)], columns.labels[int(k)], float(10**x), float(10**y), float(t))
        for k, x, y, t in zip(data.kernels, data.intensity, data.tops, data.latency_us, strict=True)
    ]
    return Table(("index", "kernel", "scheme", "macs_per_ddr_byte", "tops", "latency_us"), rows)
