"""Power and latency of a workload at every operating point."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

from engine.npu.device import Device
from engine.npu.results import Scenario, Simulation

HOTTEST_C = 150.0
"""Leakage stops growing here: a real device has shut down, and a runaway must not end in infinity."""


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """The workload at one clock and voltage."""

    clock: float
    """Fraction of the nominal clock."""
    latency_us: float
    watts: float
    """Mean power without leakage, rest of the device included."""
    leakage_w: float
    """Leakage at 25 C."""


def operating_points(simulation: Simulation, device: Device, scenario: Scenario) -> tuple[OperatingPoint, ...]:
    """The workload at every operating point that may be used, slowest first; the slowest always may.

    Switched energy scales with voltage squared, memory and CPU energy don't; a run repeats every
    max(latency, 1 / runs per second).
    """
    clocks, voltages = device.numbers("dvfs.clocks"), device.numbers("dvfs.voltages")
    nominal, top = device.number("core.clock"), voltages[-1]
    parts = simulation.energy_parts
    switched = parts["Cube"] + parts["Vector"] + parts["SRAM"]
    fixed = parts["DDR"] + parts["CPU"]
    period_us = 1e6 / scenario.runs_per_second if scenario.runs_per_second else 0.0
    points: list[OperatingPoint] = []
    for clock, volts in zip(clocks, voltages, strict=True):
        fraction, squared = clock / nominal, (volts / top) ** 2
        if points and scenario.clock_cap is not None and fraction > scenario.clock_cap * (1 + 1e-9):
            break
        latency = latency_at(simulation, fraction)
        every = max(latency, period_us, 1e-9)
        idle = device.number("power.idle") * squared * fraction
        watts = (switched * squared + fixed) / every + idle + device.number("power.base")
        points.append(OperatingPoint(fraction, latency, watts, device.number("power.leakage") * squared))
    return tuple(points)


def latency_at(simulation: Simulation, clock: float) -> float:
    """Latency in us of one run at a fraction of the nominal clock.

    Only computing scales with the clock (Cube, Vector and the L1 ports of a kernel, together as its compute part).
    Transfers to and from memory run on the memory's clock; launches and the CPU have their own. L2 is counted with the
    transfers, which is slightly too kind to low clocks.
    """
    total = simulation.invocation_us
    for kernel in simulation.kernels:
        compute = max(kernel.cube_us, kernel.vector_us, kernel.mte1_us)
        transfer = max(kernel.mte2_us, kernel.mte3_us)
        rest = kernel.latency_us - max(compute, transfer)
        total += rest + max(compute / clock, transfer)
    return total


def leakage(point: OperatingPoint, die_c: float, fold_k: float) -> float:
    """Leakage in W of a die at a temperature: grows e-fold every `fold_k`, up to HOTTEST_C."""
    return point.leakage_w * exp((min(die_c, HOTTEST_C) - 25.0) / fold_k)
