"""What the thermal plots show, read from a session."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor
from typing import TYPE_CHECKING

import numpy as np

from engine.graph.types import Array
from engine.npu.answers import Answers, answers
from engine.npu.results import Scenario, Sustained
from gui.plots.table import Table
from gui.plots.ticks import round_up

if TYPE_CHECKING:
    from engine.session import Session


@dataclass(frozen=True, eq=False, slots=True)
class ThermalData:
    """Minutes of use, time in minutes."""

    run: Sustained
    minutes: Array
    previous: Sustained | None
    """Of the previous plan under the same scenario."""
    answers: Answers

    @property
    def throttled_at(self) -> float | None:
        """Minutes until the clock goes down for the first time."""
        seconds = self.run.throttled_at_s
        return None if seconds is None else seconds / 60

    def temperature_range(self) -> tuple[float, float]:
        """Tens of degrees around the curves and the trips near them."""
        curves = np.concatenate([self.run.die_c, self.run.package_c, self.run.skin_c])
        low, high = float(curves.min()), float(curves.max())
        near = [trip for trip in self.run.trips_c if trip <= high + 15]
        return float(floor((low - 1) / 10) * 10), float(ceil((max([high, *near]) + 2) / 10) * 10)

    def power_range(self) -> tuple[float, float]:
        """From zero to a round number above the highest power."""
        return 0.0, round_up(float(self.run.power_w.max()) * 1.05, 3)

    def clock_range(self) -> tuple[float, float]:
        """Percent of the nominal clock, with room above 100."""
        lowest = float(self.run.clock.min()) * 100
        return float(max(0, floor((lowest - 6) / 20) * 20)), 106.0

    def latency_range(self) -> tuple[float, float]:
        """Microseconds, close around the curve so that a few percent show."""
        values = [self.run.latency_us] if self.previous is None else [self.run.latency_us, self.previous.latency_us]
        low, high = min(float(v.min()) for v in values), max(float(v.max()) for v in values)
        pad = max(0.12 * (high - low), 0.03 * high)
        return max(0.0, low - pad), high + pad

    def at(self, minute: float) -> int:
        """Index of the sample nearest to a time."""
        return int(np.abs(self.minutes - minute).argmin())


def thermal_data(session: Session) -> ThermalData | None:
    """Gather the curves; None before the first simulation."""
    run = session.figures.sustained
    if run is None or not len(run.time_s):
        return None
    before = session.previous
    other = before.sustained if before is not None and before.plan != session.plan else None
    if other is not None and other.scenario != run.scenario:
        other = None
    simulation = session.figures.simulation
    if simulation is None:
        return None
    return ThermalData(run, run.time_s / 60, other, answers(simulation, session.device, run))


def thermal_table(data: ThermalData) -> Table:
    """One row per sample of time."""
    run = data.run
    columns = (run.time_s, run.power_w, run.die_c, run.package_c, run.skin_c, run.clock * 100, run.latency_us)
    header = ("time_s", "power_w", "die_c", "package_c", "skin_c", "clock_percent", "latency_us")
    return Table(header, [tuple(float(v) for v in row) for row in zip(*columns, strict=True)])


def back_to_back(scenario: Scenario) -> bool:
    """Whether one run follows the other without a pause."""
    return scenario.runs_per_second is None
