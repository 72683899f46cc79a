"""Power and latency of a workload at every operating point."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

import numpy as np

from engine.graph.types import Array
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
    work = _Work.of(simulation)
    for clock, volts in zip(clocks, voltages, strict=True):
        fraction, squared = clock / nominal, (volts / top) ** 2
        if points and scenario.clock_cap is not None and fraction > scenario.clock_cap * (1 + 1e-9):
            break
        latency = work.latency_at(fraction)
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
    return _Work.of(simulation).latency_at(clock)


@dataclass(frozen=True, eq=False, slots=True)
class _Work:
    """What of a run scales with the clock, kernel by kernel: read once for all clocks."""

    compute_us: Array
    transfer_us: Array
    rest_us: float
    """All that neither computes nor moves data: launches, waiting, the invocation itself."""

    @staticmethod
    def of(simulation: Simulation) -> _Work:
        kernels = simulation.kernels
        compute = np.array([max(k.cube_us, k.vector_us, k.mte1_us) for k in kernels], float)
        transfer = np.array([max(k.mte2_us, k.mte3_us) for k in kernels], float)
        whole = np.array([k.latency_us for k in kernels], float)
        rest = simulation.invocation_us + float((whole - np.maximum(compute, transfer)).sum())
        return _Work(compute, transfer, rest)

    def latency_at(self, clock: float) -> float:
        """Latency in us of one run at a fraction of the nominal clock."""
        return self.rest_us + float(np.maximum(self.compute_us / clock, self.transfer_us).sum())


def leakage(point: OperatingPoint, die_c: float, fold_k: float) -> float:
    """Leakage in W of a die at a temperature: grows e-fold every `fold_k`, up to HOTTEST_C."""
    return point.leakage_w * exp((min(die_c, HOTTEST_C) - 25.0) / fold_k)
