"""What the timeline shows, read from a session: bars by lane in arrays, ready to be culled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.graph.types import Array
from engine.npu.results import Bar, KernelCost, Simulation
from gui.plots.table import Table

if TYPE_CHECKING:
    from engine.session import Session

LANES = ("Kernel", "MTE2", "MTE1", "Cube", "Vector", "MTE3", "CPU")


@dataclass(frozen=True, eq=False, slots=True)
class LaneBars:
    """Bars of one lane by start; they don't overlap, so they are sorted by end as well."""

    start: Array
    end: Array
    kernel: Array
    launch: Array
    """True for launch overhead."""
    transfer: Array
    tiles: Array

    def visible(self, low: float, high: float) -> slice:
        """The bars that touch [low, high]."""
        return slice(int(np.searchsorted(self.end, low)), int(np.searchsorted(self.start, high, side="right")))


@dataclass(frozen=True, eq=False, slots=True)
class Rate:
    """Traffic on the memory port: `gb_s[i]` holds from `edges[i]` to `edges[i + 1]`."""

    edges: Array
    gb_s: Array


@dataclass(frozen=True, eq=False, slots=True)
class TimelineData:
    """One run."""

    lanes: dict[str, LaneBars]
    costs: tuple[KernelCost, ...]
    index: dict[str, int]
    """Kernel id -> position in `costs`."""
    start: Array
    """Start of each kernel in us."""
    total_us: float
    run_us: float
    invocation_us: float
    ddr: Rate
    ddr_peak_gb_s: float

    def kernel_at(self, us: float) -> int | None:
        """Position of the kernel that runs at a time."""
        i = int(np.searchsorted(self.start, us, side="right")) - 1
        if i < 0 or us > self.costs[i].start_us + self.costs[i].latency_us:
            return None
        return i

    def extent(self, i: int) -> tuple[float, float]:
        """Start and end of a kernel in us."""
        cost = self.costs[i]
        return cost.start_us, cost.start_us + cost.latency_us


@dataclass(frozen=True, slots=True)
class AreaTotals:
    """What happens in a stretch of time."""

    kernels: int
    us: float
    ddr_bytes: float
    busy: dict[str, float]
    """Part of the stretch in which a unit works, by lane."""


def timeline_data(session: Session) -> TimelineData | None:
    """Gather the bars; None before the first simulation."""
    simulation = session.figures.simulation
    if simulation is None or not simulation.kernels:
        return None
    lanes = {lane: _lane([bar for bar in simulation.bars if bar.lane == lane]) for lane in LANES}
    costs = simulation.kernels
    ends = [float(lane.end[-1]) for lane in lanes.values() if lane.end.size]
    return TimelineData(
        lanes,
        costs,
        {cost.kernel: i for i, cost in enumerate(costs)},
        np.array([cost.start_us for cost in costs], float),
        max([simulation.latency_us, *ends]),
        simulation.latency_us,
        simulation.invocation_us,
        _rate(simulation, lanes),
        session.device.number("port.ddr"),
    )


def area_totals(data: TimelineData, low: float, high: float) -> AreaTotals:
    """Kernels that run in [low, high], its length, and the bytes that cross the memory port in it."""
    ends = np.array([cost.start_us + cost.latency_us for cost in data.costs])
    inside = int(np.count_nonzero((data.start < high) & (ends > low)))
    edges, gb_s = data.ddr.edges, data.ddr.gb_s
    busy = {lane: _busy(bars, low, high) for lane, bars in data.lanes.items() if lane != "Kernel"}
    if not gb_s.size:
        return AreaTotals(inside, high - low, 0.0, busy)
    overlap = np.clip(np.minimum(edges[1:], high) - np.maximum(edges[:-1], low), 0, None)
    return AreaTotals(inside, high - low, float((overlap * gb_s).sum() * 1e3), busy)


def _busy(bars: LaneBars, low: float, high: float) -> float:
    """Part of [low, high] that the bars of a lane take."""
    overlap = np.clip(np.minimum(bars.end, high) - np.maximum(bars.start, low), 0, None)
    return float(overlap.sum() / (high - low)) if high > low else 0.0


def timeline_table(data: TimelineData, names: Sequence[str]) -> Table:
    """One row per bar."""
    rows = [
        (lane, kernel, names[kernel], _role(bars, i), float(bars.start[i]), float(bars.end[i] - bars.start[i]))
        for lane, bars in data.lanes.items()
        for i, kernel in enumerate(bars.kernel.tolist())
    ]
    return Table(("lane", "index", "kernel", "part", "start_us", "duration_us"), rows)


def _role(bars: LaneBars, i: int) -> str:
    return "launch" if bars.launch[i] else "transfer" if bars.transfer[i] else "compute"


def _lane(bars: list[Bar]) -> LaneBars:
    bars = sorted(bars, key=lambda bar: bar.start_us)
    return LaneBars(
        np.array([bar.start_us for bar in bars], float),
        np.array([bar.start_us + bar.duration_us for bar in bars], float),
        np.array([bar.kernel for bar in bars], np.int64),
        np.array([bar.role == "launch" for bar in bars], bool),
        np.array([bar.role == "transfer" for bar in bars], bool),
        np.array([bar.tiles for bar in bars], np.int64),
    )


def _rate(simulation: Simulation, lanes: dict[str, LaneBars]) -> Rate:
    """Bytes of each kernel spread evenly over its transfers: reads over MTE2, writes over MTE3."""
    starts, ends, rates = [], [], []
    for name, volume in (
        ("MTE2", [cost.ddr_read_bytes for cost in simulation.kernels]),
        ("MTE3", [cost.ddr_write_bytes for cost in simulation.kernels]),
    ):
        lane = lanes[name]
        if not lane.start.size:
            continue
        long = lane.end - lane.start
        busy = np.bincount(lane.kernel, weights=long, minlength=len(volume))
        rate = np.divide(np.array(volume, float), busy, out=np.zeros(len(busy)), where=busy > 0) / 1e3
        starts.append(lane.start)
        ends.append(lane.end)
        rates.append(rate[lane.kernel])
    if not starts:
        return Rate(np.empty(0), np.empty(0))
    start, end, rate = np.concatenate(starts), np.concatenate(ends), np.concatenate(rates)
    edges = np.concatenate([start, end])
    change = np.concatenate([rate, -rate])
    order = np.argsort(edges, kind="stable")
    level = np.cumsum(change[order])[:-1]
    return Rate(edges[order], np.maximum(level, 0.0))
