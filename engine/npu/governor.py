"""Governors: what sets the operating point from temperature and power, once per period."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.npu.device import Device

Governor = Callable[[int, float, Sequence[float]], int]
"""(level now, watched temperature in C, power in W of every level now) -> next level."""
_DWELL = 10
"""Periods between two rises of the power allocator: without, it flips between two levels every other period."""
_INTEGRAL = 0.1
"""Integral gain of the power allocator, as a part of its proportional gain per period."""


def governor(device: Device, kind: str | None = None) -> Governor:
    """A governor by its name; the one that the profile names by default."""
    kind = kind or device.text("dvfs.governor")
    if kind == "step-wise":
        return _step_wise(device)
    if kind == "power-allocator":
        return _power_allocator(device)
    if kind == "power-cap":
        cap = device.number("dvfs.sustainable")
        return lambda level, temperature, watts: _within(watts, cap)
    return lambda level, temperature, watts: len(watts) - 1


def _step_wise(device: Device) -> Governor:
    """Each trip allows a highest level: down at once, up one level when cooled below the trip by the hysteresis."""
    trips = device.numbers("dvfs.trips")
    levels = [int(level) for level in device.numbers("dvfs.levels")]
    hysteresis = device.number("dvfs.hysteresis")

    def allowed(temperature: float, top: int) -> int:
        highest = top
        for trip, level in zip(trips, levels, strict=True):
            if temperature >= trip:
                highest = min(highest, level)
        return highest

    def decide(level: int, temperature: float, watts: Sequence[float]) -> int:
        top = len(watts) - 1
        now = allowed(temperature, top)
        if now < level:
            return now
        return min(level + 1, allowed(temperature + hysteresis, top)) if level < now else level

    return decide


def _power_allocator(device: Device) -> Governor:
    """A power budget from the distance to the target, proportional and integral, as Linux' governor of that name."""
    target, switch_on = device.number("dvfs.target"), device.number("dvfs.switch_on")
    sustainable = device.number("dvfs.sustainable")
    gain = sustainable / max(target - switch_on, 1.0)
    integral = 0.0
    since_rise = _DWELL

    def decide(level: int, temperature: float, watts: Sequence[float]) -> int:
        nonlocal integral, since_rise
        since_rise += 1
        if temperature < switch_on:
            integral, wanted = 0.0, len(watts) - 1
        else:
            error = target - temperature
            if abs(error) < 1.0:  # far from the target the integral would only wind up
                integral += error
            proportional = gain * error * (2.0 if error > 0 else 1.0)
            wanted = _within(watts, sustainable + proportional + gain * _INTEGRAL * integral)
        if wanted <= level:
            return wanted
        if since_rise < _DWELL:
            return level
        since_rise = 0
        return level + 1

    return decide


def _within(watts: Sequence[float], budget: float) -> int:
    return max((level for level, power in enumerate(watts) if power <= budget), default=0)
