"""What people want to know of minutes of use: when it throttles, what is left, and which clock never gets there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

from engine.errors import DeviceError
from engine.npu.device import Device
from engine.npu.power import OperatingPoint, leakage, operating_points
from engine.npu.results import Scenario, Simulation, Sustained
from engine.npu.sustain import check
from engine.npu.thermal import NODES, of_device, steady
from engine.text import Text, say


@dataclass(frozen=True, slots=True)
class Cap:
    """An operating point that is kept."""

    clock: float
    """Fraction of the nominal clock."""
    latency_us: float
    sensor_c: float
    """Where the temperature that the governor watches ends up."""
    watts: float
    """Power once it has."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What minutes of use come to."""

    throttled_at_s: float | None
    sustained_latency_us: float
    """At the end of the scenario."""
    sustained_fps: float
    """Runs per second at the end: as many as are asked for, if the device manages them."""
    cool: Cap
    """The highest clock that the governor never lowers; the lowest one in any case, because there is none below it."""
    wanted_us: float | None
    held: Cap | None
    """The lowest clock that keeps `wanted_us`; None if none does, or if nothing was asked."""

    @property
    def holds(self) -> bool:
        """Whether the wanted latency can be kept for ever without throttling."""
        return self.held is not None and self.held.clock <= self.cool.clock * (1 + 1e-9)


def answers(simulation: Simulation, device: Device, sustained: Sustained, latency_us: float | None = None) -> Answers:
    """Read the answers off a run of minutes.

    Args:
        simulation: One run.
        device: What it runs on.
        sustained: Minutes of it.
        latency_us: A latency that should be kept without throttling.

    Raises:
        DeviceError: an impossible latency.
    """
    if latency_us is not None and not 0 < latency_us < inf:
        raise DeviceError(say("The latency to hold is {value} us, but must be above 0.", value=latency_us))
    scenario = sustained.scenario
    final = sustained.final_latency_us
    most = 1e6 / final if final else 0.0
    rate = scenario.runs_per_second
    open_scenario = replace(scenario, clock_cap=None)
    return Answers(
        sustained.throttled_at_s,
        final,
        most if rate is None else min(rate, most),
        _cool(simulation, device, open_scenario),
        latency_us,
        None if latency_us is None else _holding(simulation, device, open_scenario, latency_us),
    )


def cool_clock(simulation: Simulation, device: Device, scenario: Scenario | None = None) -> float:
    """Highest clock (fraction of nominal) that the governor never lowers."""
    found = _cool(simulation, device, scenario or Scenario())
    return found.clock


def hold_words(found: Answers) -> Text | None:
    """Whether the wanted latency can be kept, as a sentence; None if nothing was asked."""
    if found.wanted_us is None:
        return None
    wanted = f"{found.wanted_us / 1e3:.3g}"
    if found.held is None:
        return say("No clock of this device reaches {wanted} ms.", wanted=wanted)
    clock = f"{100 * found.held.clock:.0f}"
    if found.holds:
        return say("A clock cap of {clock} % holds {wanted} ms without ever throttling.", clock=clock, wanted=wanted)
    return say(
        "{wanted} ms needs {clock} % of the clock and so throttles in time; {cool} % stays cool at {latency} ms.",
        wanted=wanted,
        clock=clock,
        cool=f"{100 * found.cool.clock:.0f}",
        latency=f"{found.cool.latency_us / 1e3:.3g}",
    )


def _cool(simulation: Simulation, device: Device, scenario: Scenario) -> Cap:
    check(scenario)
    points = operating_points(simulation, device, scenario)
    for level in reversed(range(1, len(points))):
        found = _kept(points[level], device, scenario)
        if not _lowered(level, found, points[level], device, scenario):
            return found
    return _kept(points[0], device, scenario)


def _lowered(level: int, kept: Cap, point: OperatingPoint, device: Device, scenario: Scenario) -> bool:
    """Whether the governor leaves an operating point once temperatures have settled on it."""
    kind = scenario.governor or device.text("dvfs.governor")
    if kind == "step-wise":
        trips, levels = device.numbers("dvfs.trips"), device.numbers("dvfs.levels")
        return any(kept.sensor_c >= trip and allowed < level for trip, allowed in zip(trips, levels, strict=True))
    if kind == "power-allocator":
        return kept.sensor_c > device.number("dvfs.target")
    if kind == "power-cap":
        return kept.watts > device.number("dvfs.sustainable")
    return False


def _holding(simulation: Simulation, device: Device, scenario: Scenario, latency_us: float) -> Cap | None:
    for point in operating_points(simulation, device, scenario):
        if point.latency_us <= latency_us * (1 + 1e-9):
            return _kept(point, device, scenario)
    return None


def _kept(point: OperatingPoint, device: Device, scenario: Scenario) -> Cap:
    """Where temperatures end at one operating point; leakage and temperature settle on each other."""
    net, fold = of_device(device), device.number("power.leakage_fold")
    die = scenario.ambient_c
    for _ in range(100):  # far more rounds than settling ever takes
        watts = point.watts + leakage(point, die, fold)
        temperatures = steady(net, watts, scenario.ambient_c)
        if abs(float(temperatures[0]) - die) < 1e-6:
            break
        die = float(temperatures[0])
    sensor = NODES.index(device.text("thermal.sensor"))
    return Cap(point.clock, point.latency_us, float(temperatures[sensor]), watts)
