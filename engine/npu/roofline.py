"""Roofline of a device: the ceilings that a kernel's arithmetic intensity meets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.fusion.types import Network
from engine.npu.device import Device
from engine.npu.results import Simulation


@dataclass(frozen=True, slots=True)
class Roof:
    """Ceilings of a device."""

    peak_gmacs: Mapping[str, float]
    """Cube, in 1e9 multiply-accumulates per second, by "FP16", "INT8" and "INT4" (the last only where it is native)."""
    ddr_gbps: float
    """Memory, in 1e9 bytes per second; what the profile says is reached."""


@dataclass(frozen=True, slots=True)
class Point:
    """A kernel in the roofline."""

    kernel: str
    intensity: float
    """Multiply-accumulates per byte from and to memory."""
    gmacs: float
    """1e9 multiply-accumulates per second, launch included."""


def roof(device: Device) -> Roof:
    """The ceilings of a device."""
    rate = device.number("core.count") * device.number("core.clock") / 1e3
    peaks = {}
    for name in ("fp16", "int8", "int4"):
        m, k, n = device.numbers(f"cube.{name}")
        if name != "int4" or device.number("cube.native_int4"):
            peaks[name.upper()] = m * k * n * rate
    return Roof(peaks, device.number("port.ddr") * device.number("port.ddr_efficiency"))


def roofline_points(network: Network, simulation: Simulation) -> tuple[Point, ...]:
    """Every kernel that multiplies and touches memory, in execution order."""
    points = []
    for kernel, cost in zip(network.kernels, simulation.kernels, strict=True):
        moved = cost.ddr_read_bytes + cost.ddr_write_bytes
        if kernel.macs and moved and cost.latency_us > 0:
            points.append(Point(kernel.id, kernel.macs / moved, kernel.macs / cost.latency_us / 1e3))
    return tuple(points)
