"""Chip: the profile in the units of the timing model (bytes, us, uJ), converted once per device."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from engine.npu.tiling import Level0

Precision = Literal["fp16", "int8", "int4"]
WIDTH: Mapping[Precision, float] = {"fp16": 2.0, "int8": 1.0, "int4": 0.5}
"""Bytes per element in the Cube's buffers."""


@dataclass(frozen=True, eq=False, slots=True)
class Chip:
    """Rates are bytes per us, times are us, sizes are bytes, energies are uJ."""

    cores: int
    cycle_us: float
    fixpipe: bool
    native_int4: bool
    cube: Mapping[Precision, tuple[int, int, int]]
    """M, K, N of one Cube cycle."""
    level0: Mapping[Precision, Level0]
    """L0 in Cube blocks."""
    cube_efficiency: float
    vector: tuple[float, float, float, float, float]
    """us per byte of one core for one-source, two-source, exp, div and reduce instructions."""
    vector_issue_us: float
    l1: float
    ub: float
    l2_room: float
    """Bytes of activations that stay in L2."""
    l2_slices: bool
    """Whether a batch is cut into slices whose activations stay in L2."""
    out: float
    l2_read: float
    """Bytes per us of one core; 0 = no L2."""
    l2_write: float
    ddr: float
    """Bytes per us of the chip."""
    burst_us: float
    transpose: float
    launch_cube_us: float
    launch_vector_us: float
    launch_movement_us: float
    invocation_us: float
    overlap: float
    ahead: bool
    """Whether a kernel that doesn't wait for the one before is launched while that one runs."""
    prefetch: float
    cpu_sync_us: float
    cpu_copy: float
    cpu_macs: float
    """Multiply-accumulates per us."""
    cpu_bandwidth: float
    mac_uj: Mapping[Precision, float]
    vector_uj: float
    l0_uj: float
    l1_uj: float
    l2_uj: float
    ddr_uj: float
    idle_w: float
    """Clocked but idle, with leakage at 25 C."""
    cpu_w: float


def chip(number: Callable[[str], float], numbers: Callable[[str], tuple[float, ...]]) -> Chip:
    """Convert a profile. `number` and `numbers` look a field up in the units of the file."""
    cycle_us = 1.0 / number("core.clock")
    kib, pico = 1024.0, 1e-6  # 1 pJ = 1e-6 uJ
    vector = number("vector.efficiency")

    def pass_us(kind: str) -> float:
        return cycle_us / (number(f"vector.{kind}") * vector)

    def cube(precision: str) -> tuple[int, int, int]:
        m0, k0, n0 = numbers(f"cube.{precision}")
        return int(m0), int(k0), int(n0)

    return Chip(
        cores=int(number("core.count")),
        cycle_us=cycle_us,
        fixpipe=bool(number("core.fixpipe")),
        native_int4=bool(number("cube.native_int4")),
        cube={"fp16": cube("fp16"), "int8": cube("int8"), "int4": cube("int4")},
        level0={precision: _level0(cube(precision), width, number) for precision, width in WIDTH.items()},
        cube_efficiency=number("cube.efficiency"),
        vector=(pass_us("one_source"), pass_us("two_source"), pass_us("exp"), pass_us("div"), pass_us("reduce")),
        vector_issue_us=number("vector.issue") * cycle_us,
        l1=number("buffer.l1") * kib,
        ub=number("buffer.ub") * kib,
        l2_room=number("buffer.l2") * kib * number("buffer.l2_share"),
        l2_slices=bool(number("buffer.l2_slices")),
        out=number("port.out") / cycle_us,
        l2_read=number("port.l2_read") * number("port.l2_efficiency") / cycle_us,
        l2_write=number("port.l2_write") * number("port.l2_efficiency") / cycle_us,
        ddr=number("port.ddr") * 1e3 * number("port.ddr_efficiency"),
        burst_us=number("port.burst") * cycle_us,
        transpose=number("port.transpose") / cycle_us,
        launch_cube_us=number("launch.cube"),
        launch_vector_us=number("launch.vector"),
        launch_movement_us=number("launch.movement"),
        invocation_us=number("launch.invocation"),
        overlap=number("launch.overlap"),
        ahead=bool(number("launch.ahead")),
        prefetch=number("launch.prefetch") * kib,
        cpu_sync_us=number("cpu.sync"),
        cpu_copy=number("cpu.copy") * 1e3,
        cpu_macs=number("cpu.rate") * 1e3 / 2,
        cpu_bandwidth=number("cpu.bandwidth") * 1e3,
        mac_uj={
            "fp16": number("energy.mac_fp16") * pico,
            "int8": number("energy.mac_int8") * pico,
            "int4": number("energy.mac_int4") * pico,
        },
        vector_uj=number("energy.vector") * pico,
        l0_uj=number("energy.l0") * pico,
        l1_uj=number("energy.l1") * pico,
        l2_uj=number("energy.l2") * pico,
        ddr_uj=number("energy.ddr") * pico,
        idle_w=number("power.idle") + number("power.leakage"),
        cpu_w=number("power.cpu"),
    )


def _level0(cube: tuple[int, int, int], width: float, number: Callable[[str], float]) -> Level0:
    """Half of each buffer in blocks (the other half is being filled or emptied), and the cycles to bring a block."""
    m0, k0, n0 = cube
    a_bytes, b_bytes, c_bytes = m0 * k0 * width, k0 * n0 * width, m0 * n0 * 4.0
    efficiency = number("port.l1_efficiency")

    def blocks(buffer: str, block: float) -> int:
        return int(number(f"buffer.{buffer}") * 512 // block)

    return Level0(
        blocks("l0a", a_bytes),
        blocks("l0b", b_bytes),
        blocks("l0c", c_bytes),
        a_bytes / (number("port.l1_l0a") * efficiency),
        b_bytes / (number("port.l1_l0b") * efficiency),
        a_bytes,
        b_bytes,
        number("cube.issue"),
    )
