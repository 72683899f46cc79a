"""What a simulation gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import msgspec

from engine.graph.types import Array
from engine.text import Text

Unit = Literal["Cube", "Vector", "MTE", "CPU", "-"]
Lane = Literal["Kernel", "MTE2", "MTE1", "Cube", "Vector", "MTE3", "CPU"]
Bound = Literal["Launch", "Cube", "Vector", "MTE1", "DDR weights", "DDR read", "DDR write", "CPU", "-"]


class KernelCost(msgspec.Struct, frozen=True, gc=False):
    """What one launch costs. Busy times per unit overlap; `latency_us` is what the run gets longer by."""

    kernel: str
    """Kernel id."""
    unit: Unit
    start_us: float
    latency_us: float
    launch_us: float
    cube_us: float
    vector_us: float
    mte1_us: float
    mte2_us: float
    mte3_us: float
    cpu_us: float
    ddr_read_bytes: int
    ddr_write_bytes: int
    weight_bytes: int
    """Bytes of weights and other constants among `ddr_read_bytes`: looked-up rows only, re-reads included."""
    energy_uj: float
    bound: Bound
    why: Text
    """One sentence: what it is bound by and what would lift it."""
    tiles: int
    """Tiles the kernel is cut into."""


class Bar(msgspec.Struct, frozen=True, gc=False):
    """A stretch of time on a lane of the timeline."""

    lane: Lane
    kernel: int
    """Kernel index."""
    start_us: float
    duration_us: float
    role: Literal["compute", "transfer", "launch", "cpu"]
    tiles: int = 1


class Buffer(msgspec.Struct, frozen=True, gc=False):
    """A tensor in the planned memory, alive in kernels first..last (both included)."""

    tensor: str
    kind: Literal["activation", "workspace", "weights"]
    offset: int
    nbytes: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """Addresses of all activations.

    `peak_bytes` is the height of the plan, `lower_bound_bytes` the largest live set.
    """

    buffers: tuple[Buffer, ...]
    peak_bytes: int
    lower_bound_bytes: int
    peak_kernel: int
    live_bytes: tuple[int, ...]
    """Live bytes at each kernel."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """One run of the network on a device."""

    device: str
    band: float
    """Stated error band of the device profile: 0.14 means +-14 %."""
    latency_us: float
    invocation_us: float
    """Part of the latency that is paid once per run, before the first kernel."""
    energy_uj: float
    energy_parts: Mapping[str, float]
    """Energy in uJ by part: 'DDR', 'Cube', 'Vector', 'SRAM', 'Idle', 'CPU'."""
    memory: MemoryPlan
    kernels: tuple[KernelCost, ...]
    """In execution order, one per kernel of the network."""
    bars: tuple[Bar, ...]

    @property
    def launch_us(self) -> float:
        """Time spent on launches."""
        return sum(k.launch_us for k in self.kernels)

    @property
    def power_w(self) -> float:
        """Mean power while running back to back."""
        return self.energy_uj / self.latency_us if self.latency_us else 0.0


@dataclass(frozen=True, slots=True)
class Scenario:
    """Sustained use."""

    minutes: float = 30.0
    runs_per_second: float | None = None
    """None = back to back."""
    ambient_c: float = 25.0
    governor: str | None = None
    """What lowers the clock; None = the device's own governor."""
    clock_cap: float | None = None
    """Highest clock that may be used, as a fraction of the nominal one; None = no cap."""


@dataclass(frozen=True, eq=False, slots=True)
class Sustained:
    """Minutes of use: arrays over time and the figures read off them."""

    scenario: Scenario
    time_s: Array
    power_w: Array
    die_c: Array
    package_c: Array
    skin_c: Array
    clock: Array
    """Fraction of the nominal clock."""
    latency_us: Array
    throttled_at_s: float | None
    trips_c: tuple[float, ...]
    notes: tuple[Text, ...] = ()
    """What of the scenario could not be kept."""

    @property
    def final_latency_us(self) -> float:
        """Latency at the end."""
        return float(self.latency_us[-1])

    @property
    def final_skin_c(self) -> float:
        """Skin temperature at the end."""
        return float(self.skin_c[-1])
