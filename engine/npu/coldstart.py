"""The way from the file to the first result, in parts, and what the usual counter-measures do to it.

read = file / storage bandwidth; parse = file / parse rate; load or compile = kernels * time per kernel; re-layout = the
weights read and written once by the CPU; first run = a run at the lowest clock (until the governor's first decision)
behind the settling of the voltage, plus a page fault for every 4 KiB of weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.fusion.types import Network
from engine.npu.device import Device
from engine.npu.power import latency_at
from engine.npu.results import Simulation
from engine.precision.plan import Plan
from engine.quant.sizes import plan_bytes

Stage = Literal["read", "parse", "init", "compile", "load", "relayout", "warm-up", "first run"]
PAGE = 4096


@dataclass(frozen=True, slots=True)
class Measures:
    """Counter-measures against a slow first result."""

    preload: bool = False
    """The program loads the model when it starts, before anybody asks for a result."""
    compiled: bool = True
    """The model is compiled already: offline, or by an earlier start that kept the result."""
    warm_up: bool = False
    """One run on dummy input follows the loading at once."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the way."""

    stage: Stage
    us: float
    ahead: bool
    """Whether it is over before the first result is asked for."""


@dataclass(frozen=True, slots=True)
class ColdStart:
    """The way to the first result."""

    measures: Measures
    parts: tuple[Part, ...]
    """In order; parts that take no time are left out."""
    file_bytes: int
    steady_us: float
    """Latency of every later run."""

    @property
    def wait_us(self) -> float:
        """From the request to the first result."""
        return sum(part.us for part in self.parts if not part.ahead)

    @property
    def ahead_us(self) -> float:
        """Work that is done before the request."""
        return sum(part.us for part in self.parts if part.ahead)

    @property
    def total_us(self) -> float:
        """All work up to the first result."""
        return sum(part.us for part in self.parts)


def cold_start(
    network: Network, plan: Plan, simulation: Simulation, device: Device, measures: Measures | None = None
) -> ColdStart:
    """Put the parts of a cold start together.

    Args:
        network: The model.
        plan: Decides how large its file is.
        simulation: One warm run of it on the device.
        device: The device.
        measures: Counter-measures; a compiled model and nothing else by default.
    """
    chosen = measures or Measures()
    size = plan_bytes(network, plan).total
    weights = sum(cost.weight_bytes for cost in simulation.kernels)
    launched = sum(1 for cost in simulation.kernels if cost.latency_us > 0.0)
    ahead = chosen.preload
    cold = _first_run(simulation, device, weights)
    parts = [
        Part("read", size / device.number("storage.bandwidth"), ahead),
        Part("parse", size / device.number("start.parse"), ahead),
        Part("init", device.number("storage.init") * 1e3, ahead),
    ]
    if chosen.compiled:
        parts.append(Part("load", launched * device.number("start.load_kernel") * 1e3, ahead))
    else:
        parts.append(Part("compile", launched * device.number("start.compile_kernel") * 1e3, ahead))
        parts.append(Part("relayout", 2 * size / (device.number("cpu.bandwidth") * 1e3), ahead))
    if chosen.warm_up:
        parts.append(Part("warm-up", cold, ahead))
    parts.append(Part("first run", simulation.latency_us if chosen.warm_up else cold, False))
    return ColdStart(chosen, tuple(part for part in parts if part.us > 0.0), size, simulation.latency_us)


def _first_run(simulation: Simulation, device: Device, weights: int) -> float:
    """Us of a run from idle: slow until the governor has decided for the first time, then at the nominal clock."""
    slowest = device.numbers("dvfs.clocks")[0] / device.number("core.clock")
    slow, quick = latency_at(simulation, slowest), simulation.latency_us
    patience = device.number("dvfs.period") * 1e6
    run = slow if slow <= patience else patience + (1.0 - patience / slow) * quick
    return device.number("start.settle") + run + weights / PAGE * device.number("start.page_fault")
