"""Minutes of use: power, temperatures, clock and latency over time."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, inf

import numpy as np

from engine.errors import DeviceError
from engine.npu.device import Device
from engine.npu.fields import BY_KEY
from engine.npu.governor import governor
from engine.npu.power import OperatingPoint, leakage, operating_points
from engine.npu.results import Scenario, Simulation, Sustained
from engine.npu.thermal import NODES, of_device, step
from engine.progress import NEVER, CancelToken
from engine.text import Text, say

LONGEST_MINUTES = 1440.0
_STEP_S = 0.5
"""Longest time between two updates of leakage; the thermal network itself is exact for any step."""
_SAMPLES = 4000
"""Points of time that are handed back at most."""
_CHECK_EVERY = 2048


def sustain(
    simulation: Simulation, device: Device, scenario: Scenario | None = None, *, cancel: CancelToken = NEVER
) -> Sustained:
    """Run a workload for minutes, from a device at ambient temperature.

    The three-node network is stepped exactly, with power held constant over steps of at most half a second; leakage
    follows the die from step to step, the governor decides once per period.

    Raises:
        DeviceError: a scenario without an end, or an impossible rate or temperature.
        Cancelled: `cancel` was raised.
    """
    chosen = scenario or Scenario()
    check(chosen)
    points = operating_points(simulation, device, chosen)
    period = device.number("dvfs.period")
    per_decision = ceil(period / _STEP_S)
    seconds = period / per_decision
    steps = max(1, round(chosen.minutes * 60 / seconds))
    track = _run(points, device, chosen, seconds, steps, per_decision, cancel)
    thin = max(1, -(-steps // _SAMPLES))
    kept = np.append(np.arange(0, steps - 1, thin), steps - 1)
    time = (np.arange(steps) + 1.0) * seconds
    levels = track[:, 4].astype(np.intp)
    slowed = np.flatnonzero(levels < len(points) - 1)
    return Sustained(
        scenario=chosen,
        time_s=time[kept],
        power_w=track[kept, 3],
        die_c=track[kept, 0],
        package_c=track[kept, 1],
        skin_c=track[kept, 2],
        clock=np.array([point.clock for point in points])[levels[kept]],
        latency_us=np.array([point.latency_us for point in points])[levels[kept]],
        throttled_at_s=float(time[slowed[0]]) if slowed.size else None,
        trips_c=device.numbers("dvfs.trips"),
        notes=_notes(chosen, points, int(levels.min())),
    )


def check(scenario: Scenario) -> None:
    """Refuse a scenario that has no end or can't be.

    Raises:
        DeviceError: names the field.
    """
    if not 0 < scenario.minutes <= LONGEST_MINUTES:
        raise DeviceError(
            say(
                "Scenario: minutes is {value}, but must be above 0 and at most {longest}.",
                value=scenario.minutes,
                longest=f"{LONGEST_MINUTES:g}",
            )
        )
    rate = scenario.runs_per_second
    if rate is not None and not 0 < rate < inf:
        raise DeviceError(say("Scenario: runs per second is {value}, but must be above 0.", value=rate))
    known = BY_KEY["dvfs.governor"].choices
    if scenario.governor is not None and scenario.governor not in known:
        raise DeviceError(
            say(
                "Scenario: governor is {value}, but must be one of {choices}.",
                value=scenario.governor,
                choices=", ".join(known),
            )
        )
    if scenario.clock_cap is not None and not 0 < scenario.clock_cap <= 10:
        raise DeviceError(
            say("Scenario: clock cap is {value}, but must be above 0, as a part of the nominal clock.",
                value=scenario.clock_cap)
        )  # fmt: skip
    if not -40 <= scenario.ambient_c <= 85:
        raise DeviceError(
            say("Scenario: ambient temperature is {value} C, but must be -40 to 85.", value=scenario.ambient_c)
        )


def _notes(scenario: Scenario, points: Sequence[OperatingPoint], lowest: int) -> tuple[Text, ...]:
    """What is said when the device can't run as often as was asked for; it then runs back to back."""
    rate = scenario.runs_per_second
    if rate is None:
        return ()
    fastest, slowest = 1e6 / max(points[-1].latency_us, 1e-9), 1e6 / max(points[lowest].latency_us, 1e-9)
    if fastest < rate:
        return (
            say(
                "{rate} runs per second were asked for, but the device manages {most}, so it runs back to back.",
                rate=f"{rate:g}",
                most=f"{fastest:.4g}",
            ),
        )
    if slowest < rate:
        return (
            say(
                "{rate} runs per second were asked for, but the throttled device manages only {most}.",
                rate=f"{rate:g}",
                most=f"{slowest:.4g}",
            ),
        )
    return ()


def _run(
    points: tuple[OperatingPoint, ...],
    device: Device,
    scenario: Scenario,
    seconds: float,
    steps: int,
    per_decision: int,
    cancel: CancelToken,
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """float64 [steps, 5]: die, package, skin in C, power in W, level, each at the end of its step."""
    matrices = step(of_device(device), seconds)
    # Plain floats: three-by-three products of numpy cost ten times the arithmetic.
    (a00, a01, a02), (a10, a11, a12), (a20, a21, a22) = matrices.a.tolist()
    b0, b1, b2 = matrices.b[:, 0].tolist()
    ambient = scenario.ambient_c
    air0, air1, air2 = (matrices.b[:, 1] * ambient).tolist()
    decide = governor(device, scenario.governor)
    sensor = NODES.index(device.text("thermal.sensor"))
    fold = device.number("power.leakage_fold")
    level = len(points) - 1
    die = package = skin = ambient
    rows: list[tuple[float, float, float, float, int]] = []
    for count in range(steps):
        if count % _CHECK_EVERY == 0:
            cancel.check()
        if count % per_decision == 0:
            watts = [point.watts + leakage(point, die, fold) for point in points]
            level = decide(level, (die, package, skin)[sensor], watts)
        point = points[level]
        power = point.watts + leakage(point, die, fold)
        die, package, skin = (
            a00 * die + a01 * package + a02 * skin + b0 * power + air0,
            a10 * die + a11 * package + a12 * skin + b1 * power + air1,
            a20 * die + a21 * package + a22 * skin + b2 * power + air2,
        )
        rows.append((die, package, skin, power, level))
    return np.array(rows, np.float64)
