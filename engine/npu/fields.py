"""The fields of a device profile: key, unit, shape, allowed range and meaning. The file format is this table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Shape = Literal["number", "integer", "flag", "list", "text"]


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a profile; ranges are inclusive."""

    key: str
    unit: str
    meaning: str
    low: float = 0.0
    high: float = 1e9
    shape: Shape = "number"
    length: int = 0
    """Entries of a list; 0 = any number of at least one."""
    choices: tuple[str, ...] = ()
    absent: float | None = None
    """What a profile has that was written before the field existed; None = the field must be there."""

    @property
    def group(self) -> str:
        """Heading that the field stands under."""
        return self.key.split(".", 1)[0]


_TINY = 1e-6
FIELDS: tuple[Field, ...] = (
    Field("core.count", "cores", "AI cores that share a kernel", 1, 256, "integer"),
    Field("core.clock", "MHz", "Nominal clock of Cube, Vector and transfer engines", 1, 10_000),
    Field("core.fixpipe", "flag", "Requantization, ReLU and residual add on the way out of L0C", shape="flag"),
    Field("cube.fp16", "elements", "M, K, N of one Cube cycle in FP16", 1, 1024, "list", 3),
    Field("cube.int8", "elements", "M, K, N of one Cube cycle in INT8", 1, 1024, "list", 3),
    Field("cube.int4", "elements", "M, K, N of one Cube cycle in INT4", 1, 1024, "list", 3),
    Field("cube.native_int4", "flag", "Whether the Cube multiplies INT4 by INT4", shape="flag"),
    Field("cube.issue", "cycles", "Cycles to start one L0 tile", 0, 1000),
    Field("cube.efficiency", "fraction", "Reached part of the Cube's cycles", 0.01, 1),
    Field("vector.one_source", "B/cycle", "Vector rate of one-operand instructions and conversions", _TINY, 65536),
    Field("vector.two_source", "B/cycle", "Vector rate of two-operand instructions", _TINY, 65536),
    Field("vector.exp", "B/cycle", "Vector rate of exp and ln", _TINY, 65536),
    Field("vector.div", "B/cycle", "Vector rate of division and square root", _TINY, 65536),
    Field("vector.reduce", "B/cycle", "Vector rate of cross-lane reductions", _TINY, 65536),
    Field("vector.issue", "cycles", "Cycles to start one pass over a tile", 0, 1000),
    Field("vector.efficiency", "fraction", "Reached part of the Vector's cycles", 0.01, 1),
    Field("buffer.l0a", "KiB", "L0A, left operand of the Cube", 1, 65536),
    Field("buffer.l0b", "KiB", "L0B, right operand of the Cube", 1, 65536),
    Field("buffer.l0c", "KiB", "L0C, accumulators of the Cube", 1, 65536),
    Field("buffer.l1", "KiB", "L1 per core", 1, 1_048_576),
    Field("buffer.ub", "KiB", "Unified buffer of the Vector unit", 1, 1_048_576),
    Field("buffer.l2", "KiB", "L2 shared by the cores; 0 = none", 0, 16_777_216),
    Field("buffer.l2_share", "fraction", "Part of L2 that activations may fill before they go to DDR", 0, 1),
    Field(
        "buffer.l2_slices",
        "flag",
        "Whether a batch is cut into slices whose activations fit L2",
        shape="flag",
        absent=0.0,
    ),
    Field("port.l1_l0a", "B/cycle", "L1 to L0A", _TINY, 65536),
    Field("port.l1_l0b", "B/cycle", "L1 to L0B", _TINY, 65536),
    Field("port.l1_efficiency", "fraction", "Reached part of the L1 ports", 0.01, 1),
    Field("port.out", "B/cycle", "Out of a core, after the Cube or the Vector", _TINY, 65536),
    Field("port.l2_read", "B/cycle", "L2 into one core; 0 = no L2", 0, 65536),
    Field("port.l2_write", "B/cycle", "One core into L2; 0 = no L2", 0, 65536),
    Field("port.l2_efficiency", "fraction", "Reached part of the L2 ports", 0.01, 1),
    Field("port.ddr", "GB/s", "Memory bandwidth of the chip", _TINY, 100_000),
    Field("port.ddr_efficiency", "fraction", "Reached part of the memory bandwidth", 0.01, 1),
    Field("port.burst", "cycles", "Latency of a transfer before its first byte", 0, 100_000),
    Field("port.transpose", "B/cycle", "Rate of layout conversions and transposes", _TINY, 65536),
    Field("launch.cube", "us", "Launch of a kernel that uses the Cube", 0, 1e6),
    Field("launch.vector", "us", "Launch of a Vector kernel", 0, 1e6),
    Field("launch.movement", "us", "Launch of a kernel that moves data", 0, 1e6),
    Field("launch.invocation", "us", "Cost of one run before its first kernel", 0, 1e7),
    Field(
        "launch.ahead",
        "flag",
        "Whether a kernel that doesn't read what the one before wrote is launched while that one runs",
        shape="flag",
        absent=0.0,
    ),
    Field("launch.overlap", "fraction", "Part of the second-longest unit that is not hidden", 0, 1),
    Field("launch.prefetch", "KiB", "Weights of the next kernel that may be loaded ahead; 0 = none", 0, 1_048_576),
    Field("cpu.sync", "us", "Hand-over between NPU and CPU, each way", 0, 1e7),
    Field("cpu.copy", "GB/s", "Copy between NPU and CPU memory, each way", _TINY, 100_000),
    Field("cpu.rate", "GFLOP/s", "Arithmetic of the CPU that takes over", _TINY, 1e6),
    Field("cpu.bandwidth", "GB/s", "Memory bandwidth that the CPU reaches", _TINY, 100_000),
    Field("storage.bandwidth", "MB/s", "Reading the model from storage", _TINY, 1e6),
    Field("storage.init", "ms", "Initialising the runtime at the first load", 0, 1e6),
    Field("start.parse", "MB/s", "Parsing a model file", _TINY, 1e6),
    Field("start.load_kernel", "ms", "Loading one kernel of a compiled model", 0, 1e5),
    Field("start.compile_kernel", "ms", "Compiling one kernel on the device", 0, 1e6),
    Field("start.settle", "us", "Voltage and clock settle before an idle NPU runs", 0, 1e7),
    Field("start.page_fault", "us", "First touch of a page of 4 KiB", 0, 1e4),
    Field("energy.mac_fp16", "pJ", "One FP16 multiply-accumulate, all of the Cube", 0, 1e5),
    Field("energy.mac_int8", "pJ", "One INT8 multiply-accumulate, all of the Cube", 0, 1e5),
    Field("energy.mac_int4", "pJ", "One INT4 multiply-accumulate, all of the Cube", 0, 1e5),
    Field("energy.vector", "pJ/B", "One byte through the Vector unit", 0, 1e5),
    Field("energy.l0", "pJ/B", "One byte out of L0", 0, 1e5),
    Field("energy.l1", "pJ/B", "One byte out of L1 or UB", 0, 1e5),
    Field("energy.l2", "pJ/B", "One byte in or out of L2", 0, 1e5),
    Field("energy.ddr", "pJ/B", "One byte in or out of memory, interface included", 0, 1e5),
    Field("power.idle", "W", "NPU domain clocked but idle, without leakage", 0, 1000),
    Field("power.cpu", "W", "CPU while it runs a fallback", 0, 1000),
    Field("power.base", "W", "Rest of the device, always on", 0, 1000),
    Field("power.leakage", "W", "Leakage at 25 C and the nominal voltage", 0, 1000),
    Field("power.leakage_fold", "K", "Temperature rise that multiplies leakage by e", 1, 1000),
    Field("thermal.capacity", "J/K", "Heat capacity of die, package, skin", 1e-4, 1e7, "list", 3),
    Field("thermal.resistance", "K/W", "Die to package, package to skin, skin to air", 1e-4, 1e4, "list", 3),
    Field("thermal.sensor", "", "Node that the governor watches", shape="text", choices=("die", "package", "skin")),
    Field("dvfs.clocks", "MHz", "Clock of every operating point, rising", 1, 10_000, "list"),
    Field("dvfs.voltages", "V", "Voltage of every operating point", 0.1, 5, "list"),
    Field(
        "dvfs.governor",
        "",
        "What lowers the clock",
        shape="text",
        choices=("step-wise", "power-allocator", "fixed", "power-cap"),
    ),
    Field("dvfs.period", "s", "Time between two decisions of the governor", 0.05, 60),
    Field("dvfs.trips", "C", "Trip temperatures, rising", -50, 200, "list"),
    Field("dvfs.levels", "index", "Highest operating point from each trip on", 0, 1000, "list"),
    Field("dvfs.hysteresis", "K", "Cooling below a trip before the clock rises again", 0, 50),
    Field("dvfs.target", "C", "Temperature that the power allocator holds", -50, 200),
    Field("dvfs.switch_on", "C", "Temperature from which the power allocator works", -50, 200),
    Field("dvfs.sustainable", "W", "Power that holds the target; also the cap of the power-cap governor", _TINY, 1000),
    Field("limit.package", "MB", "Largest model file that ships", _TINY, 1e6),
    Field("limit.memory", "MB", "Memory that a model may use", _TINY, 1e7),
    Field("band.convolution", "fraction", "Error band of latency, convolutional networks", 0, 10),
    Field("band.other", "fraction", "Error band of latency, all other networks", 0, 10),
)
BY_KEY: dict[str, Field] = {field.key: field for field in FIELDS}
