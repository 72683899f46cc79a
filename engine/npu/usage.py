"""How busy the NPU is over one run: time per unit, stretches in which nothing works, and what they wait for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec
import numpy as np

from engine.graph.types import Array
from engine.npu.results import Bar, KernelCost, Lane, Simulation
from engine.text import Text, say

Cause = Literal["Invocation", "Launch", "CPU", "First transfer"]
"""What a gap waits for: the start of the run, the launch of a kernel, a kernel on the CPU, or a transfer's latency."""
UNITS: tuple[Lane, ...] = ("Cube", "Vector", "MTE1", "MTE2", "MTE3")
WELL_USED = 0.70
"""Rule of thumb: an NPU that is busy for a smaller part of a run is kept waiting by something worth finding."""
_LEAST_US = 1e-6
Span = tuple[float, float]


class Gap(msgspec.Struct, frozen=True, gc=False):
    """A stretch in which no unit of the NPU works."""

    start_us: float
    duration_us: float
    cause: Cause
    kernel: int
    """Index of the kernel that it belongs to; -1 for the invocation."""


@dataclass(frozen=True, slots=True)
class Usage:
    """One run seen by its units."""

    latency_us: float
    unit_us: Mapping[Lane, float]
    """Busy time by unit."""
    busy_us: float
    """Time in which at least one unit works."""
    compute_us: float
    """Time in which the Cube or the Vector unit works."""
    gaps: tuple[Gap, ...]
    """In order of time. `busy_us` and all gaps together are the latency."""

    @property
    def utilization(self) -> float:
        """Part of the run in which at least one unit works."""
        return self.busy_us / self.latency_us if self.latency_us else 0.0

    @property
    def compute_utilization(self) -> float:
        """Part of the run in which the Cube or the Vector unit works."""
        return self.compute_us / self.latency_us if self.latency_us else 0.0

    @property
    def well_used(self) -> bool:
        """Whether the rule of thumb is kept."""
        return self.utilization >= WELL_USED

    def gaps_by_cause(self) -> dict[Cause, float]:
        """Us of gaps by cause, longest first; causes without a gap are left out."""
        found: dict[Cause, float] = {}
        for gap in self.gaps:
            found[gap.cause] = found.get(gap.cause, 0.0) + gap.duration_us
        return dict(sorted(found.items(), key=lambda entry: -entry[1]))


def usage(simulation: Simulation) -> Usage:
    """Count the busy time of a run and name its gaps."""
    spans = {
        lane: _union([(bar.start_us, bar.start_us + bar.duration_us) for bar in bars if bar.duration_us > 0.0])
        for lane, bars in _by_lane(simulation.bars).items()
    }
    busy = _union(np.concatenate(list(spans.values())))
    compute = _union(np.concatenate([spans["Cube"], spans["Vector"]]))
    return Usage(
        simulation.latency_us,
        {lane: _length(found) for lane, found in spans.items()},
        _length(busy),
        _length(compute),
        tuple(_gaps(busy.tolist(), simulation)),
    )


def _by_lane(bars: Iterable[Bar]) -> dict[Lane, list[Bar]]:
    lanes: dict[Lane, list[Bar]] = {lane: [] for lane in UNITS}
    for bar in bars:
        if bar.lane in lanes:
            lanes[bar.lane].append(bar)
    return lanes


def advice(found: Usage) -> Text:
    """The rule of thumb in one sentence: whether gaps are worth looking for, and what the largest ones wait for."""
    percent = f"{100 * found.utilization:.0f}"
    if found.well_used:
        return say("The NPU works {percent} % of the run, so its gaps cost little.", percent=percent)
    causes = found.gaps_by_cause()
    cause: Cause = next(iter(causes), "Launch")
    share = f"{100 * causes.get(cause, 0.0) / found.latency_us:.0f}" if found.latency_us else "0"
    if cause == "Launch":
        return say(
            "The NPU works only {percent} % of the run. Launches take {share} %: fuse more, or run larger batches.",
            percent=percent,
            share=share,
        )
    if cause == "CPU":
        return say(
            "The NPU works only {percent} % of the run. It waits for the CPU {share} %: replace the operators that "
            "fall back.",
            percent=percent,
            share=share,
        )
    if cause == "Invocation":
        return say(
            "The NPU works only {percent} % of the run. The call itself takes {share} %: run several inputs per call, "
            "or queue calls asynchronously.",
            percent=percent,
            share=share,
        )
    return say(
        "The NPU works only {percent} % of the run. First bytes are waited for {share} %: kernels are too small for "
        "their transfers.",
        percent=percent,
        share=share,
    )


def top_kernels(simulation: Simulation, count: int | None = None) -> tuple[KernelCost, ...]:
    """Kernels by latency, longest first; equal ones in execution order."""
    ranked = sorted(simulation.kernels, key=lambda cost: (-cost.latency_us, cost.start_us))
    return tuple(ranked if count is None else ranked[:count])


def _gaps(busy: Iterable[Sequence[float]], simulation: Simulation) -> Iterable[Gap]:
    """What `busy` leaves of the run, cut where the cause changes."""
    causes = _causes(simulation)
    place = 0
    for low, high in _complement(busy, simulation.latency_us):
        while place and causes[place - 1][1] > low:
            place -= 1
        at = low
        while at < high - _LEAST_US:
            while place < len(causes) - 1 and causes[place][1] <= at + _LEAST_US:
                place += 1
            _, until, cause, kernel = causes[place]
            end = min(high, until) if place < len(causes) - 1 else high
            if end - at > _LEAST_US:
                yield Gap(at, end - at, cause, kernel)
            at = max(end, at + _LEAST_US)


def _causes(simulation: Simulation) -> list[tuple[float, float, Cause, int]]:
    """The whole run as stretches (start, end, cause, kernel): what the NPU waits for there if it waits."""
    found: list[tuple[float, float, Cause, int]] = [(0.0, simulation.invocation_us, "Invocation", -1)]
    launches = {bar.kernel: bar for bar in simulation.bars if bar.role == "launch"}
    for index, cost in enumerate(simulation.kernels):
        start, end = cost.start_us, cost.start_us + cost.latency_us
        if cost.cpu_us:
            found.append((start, end, "CPU", index))
            continue
        # A layout conversion has a launch of its own: what the launch bar leaves of `launch_us` comes right behind it.
        launched = start + cost.launch_us if index in launches or cost.launch_us else start
        found.append((start, min(launched, end), "Launch", index))
        found.append((min(launched, end), end, "First transfer", index))
    return found


def _union(spans: Sequence[Span] | Array) -> Array:
    """Spans that touch or overlap as one, in order of time: an array of (start, end)."""
    if not len(spans):
        return np.empty((0, 2))
    given = np.asarray(spans, float)
    starts, ends = given[np.argsort(given[:, 0], kind="stable")].T
    until = np.maximum.accumulate(ends)
    begins = np.flatnonzero(np.concatenate([[True], starts[1:] > until[:-1]]))
    return np.column_stack([starts[begins], until[np.append(begins[1:], len(starts)) - 1]])


def _complement(spans: Iterable[Sequence[float]], end: float) -> Iterable[Span]:
    at = 0.0
    for low, high in spans:
        if low > at:
            yield at, min(low, end)
        at = high
    if at < end:
        yield at, end


def _length(spans: Array) -> float:
    return float(np.sum(spans[:, 1] - spans[:, 0]))
