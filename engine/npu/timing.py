"""Timing of one kernel: busy time of every unit, bytes by level, and the time its pipeline takes.

Cube cycles are issue * tiles + blocks; a transfer takes bytes / rate after a burst latency; the pipeline takes fill +
the longest unit + a part of the second longest + drain. Times in us, sizes in bytes.
"""

from __future__ import annotations

import msgspec

from engine.fusion.types import Kind
from engine.npu.activations import Traffic
from engine.npu.chip import WIDTH, Chip
from engine.npu.formats import Mode
from engine.npu.matrix import matrix
from engine.npu.tiling import reads, tile
from engine.npu.workload import Workload

CORE_ELEMENTS = 8192
"""Elements of a Vector kernel that are worth a core of their own."""
HALF = 2
"""Bytes of an FP16 element."""


class Work(msgspec.Struct, frozen=True, gc=False):
    """What the units have to do for one kernel; input of the pipeline equation."""

    launch: float
    cores: int
    cube: float
    mte1: float
    vector: float
    vector_bytes: float
    l0: float
    """Bytes into L0."""
    macs: int
    """Multiply-accumulates of the Cube, padding included."""
    weights: float
    """Bytes of weights, once."""
    weight_reads: int
    activation_reads: int
    tiles: int
    on_vector: bool
    """Whether a depthwise convolution runs on the Vector unit because that is faster."""


class Body(msgspec.Struct, frozen=True, gc=False):
    """One kernel without its neighbours. Busy times overlap."""

    launch: float
    convert: float
    """Layout conversion before the kernel can start, its launch included."""
    fill: float
    steady: float
    """Time of the pipeline between fill and drain."""
    hidden: float
    """`steady` if all reading were done ahead."""
    drain: float
    cube: float
    vector: float
    mte1: float
    mte2: float
    mte3: float
    cpu: float
    ddr_read: float
    ddr_write: float
    l2: float
    l1: float
    l0: float
    vector_bytes: float
    macs: int
    weights: float
    """Bytes of weights and other constants, once."""
    weights_read: float
    """The same as often as they are read; part of `ddr_read`."""
    tiles: int
    on_vector: bool
    slices: int
    """Slices of the batch, each with a launch of its own."""

    @property
    def latency(self) -> float:
        """Us from launch to end when nothing was loaded ahead."""
        return self.launch + self.convert + self.fill + self.steady + self.drain + self.cpu


def cube_work(work: Workload, mode: Mode, moved: Traffic, weight_bytes: int, chip: Chip) -> Work:
    """Units' work of a matrix product or convolution."""
    product = matrix(work, mode.cube, moved.channels_first, chip)
    level = chip.level0[mode.cube]
    found = tile(product.m, product.n, product.k, level)
    cores = product.cores
    share = product.groups * chip.cycle_us / cores
    cube = found.cube_cycles * share / chip.cube_efficiency
    mte1 = found.mte1_cycles * share
    vector, vector_bytes = vector_time(work, chip, cores)
    extra = moved.cast_elements * HALF * (2.0 if mode.dynamic else 1.0)
    if mode.unpack:
        extra += work.weight_elements * WIDTH[mode.cube]
    vector += extra * chip.vector[0] / cores
    vector_bytes += extra
    if work.kind is Kind.DEPTHWISE:
        direct = work.macs * float(HALF)
        direct_us = direct * chip.vector[1] / cores
        if direct_us + vector < max(cube, mte1, vector):
            return Work(
                chip.launch_cube_us, cores, 0.0, 0.0, direct_us + vector, vector_bytes + direct, 0.0, 0,
                weight_bytes, 1, 1, ub_tiles(moved, chip), True,
            )  # fmt: skip
    right = work.weight_elements * WIDTH[mode.cube]
    a_reads = b_reads = 1
    if right and work.product.stationary:
        b_reads = product.groups if right > chip.l1 / 2 else 1
    elif right and product.groups == 1:
        nbytes = moved.read_bytes + moved.write_bytes
        spill = _spill(nbytes / l2_slices(nbytes, moved.batch, chip), chip)
        a_us = moved.read_bytes * _ports(spill, cores, chip)[0]
        again = reads(
            moved.read_bytes, right, a_us, weight_bytes / chip.ddr, chip.l1 / 2,
            (-(-product.m // found.m), -(-product.n // found.n)),
        )  # fmt: skip
        a_reads, b_reads = again.a, again.b
    return Work(
        chip.launch_cube_us, cores, cube, mte1, vector, vector_bytes, found.l0_bytes * product.groups, product.macs,
        weight_bytes, b_reads, a_reads, found.tiles * product.groups, False,
    )  # fmt: skip


def vector_work(work: Workload, moved: Traffic, weight_bytes: int, chip: Chip) -> Work:
    """Units' work of a Vector kernel."""
    cores = max(1, min(chip.cores, -(-work.largest // CORE_ELEMENTS)))
    vector, vector_bytes = vector_time(work, chip, cores)
    tiles = ub_tiles(moved, chip)
    vector += tiles * sum(1 for count in work.vector if count) * chip.vector_issue_us / cores
    return Work(
        chip.launch_vector_us, cores, 0.0, 0.0, vector, vector_bytes, 0.0, 0, weight_bytes, 1, 1, tiles, False
    )  # fmt: skip


def movement_work(work: Workload, moved: Traffic, weight_bytes: int, chip: Chip) -> Work:
    """Units' work of a kernel that moves data; a change of order goes through the Vector unit."""
    vector = moved.write_bytes / chip.transpose / chip.cores if work.reorders else 0.0
    launch = chip.launch_movement_us if work.moves else 0.0
    return Work(
        launch, chip.cores, 0.0, 0.0, vector, moved.write_bytes if work.reorders else 0.0, 0.0, 0,
        weight_bytes, 1, 1, ub_tiles(moved, chip) if work.moves else 0, False,
    )  # fmt: skip


def vector_time(work: Workload, chip: Chip, cores: int) -> tuple[float, float]:
    """Us and bytes of the Vector passes that a kernel needs on this device."""
    free = work.vector_free if chip.fixpipe else None
    time = moved = 0.0
    for kind, elements in enumerate(work.vector):
        if elements:
            nbytes = (elements - (free[kind] if free else 0.0)) * HALF
            time += nbytes * chip.vector[kind]
            moved += nbytes
    return time / cores, moved


def ub_tiles(moved: Traffic, chip: Chip) -> int:
    """Tiles that a kernel without the Cube is cut into: input and output of one, twice, fit UB."""
    return max(1, int(-(-2 * (moved.read_bytes + moved.write_bytes) // int(chip.ub))))


def pipeline(work: Work, moved: Traffic, chip: Chip) -> Body:
    """Put transfers and compute together."""
    read, write, weights_once = moved.read_bytes, moved.write_bytes, work.weights
    slices = l2_slices(read + write, moved.batch, chip)
    spill = _spill((read + write) / slices, chip)
    read_us, write_us = _ports(spill, work.cores, chip)
    activations = read * work.activation_reads
    weights = weights_once * work.weight_reads
    ddr_read, ddr_write = weights + activations * spill, write * spill
    # Conditions instead of min and max: this runs for every kernel of a first simulation.
    mte2, mte3, through = ddr_read / chip.ddr, write * write_us, 0.0
    if chip.l2_read:
        ports, through = (weights + activations) * read_us, activations + write
        mte2 = ports if ports > mte2 else mte2
    room, out_room = chip.l1 / 4 if work.cube else chip.ub / 4, chip.ub / 4
    first_in = (read if read < room else room) * read_us
    first_in += (weights_once if weights_once < room / 2 else room / 2) / chip.ddr
    last_out = (write if write < out_room else out_room) * write_us
    compute, moving = work.cube if work.cube > work.vector else work.vector, mte2 if mte2 > mte3 else mte3
    compute = work.mte1 if work.mte1 > compute else compute
    second = chip.overlap * (compute if compute < moving else moving)
    hidden = (compute if compute > mte3 - last_out else mte3 - last_out) + second
    reading = mte2 - first_in + second
    bus = (ddr_read + ddr_write) / chip.ddr - first_in - last_out + second
    steady = hidden if hidden > reading else reading
    steady = bus if bus > steady else steady
    burst = chip.burst_us if steady > 0.0 else 0.0
    turned = _conversion(moved.convert_bytes, chip) if moved.convert_bytes else _NO_CONVERSION
    return Body(
        work.launch * slices, turned.time, burst + first_in, steady, hidden, burst + last_out, work.cube, work.vector,
        work.mte1, mte2, mte3, 0.0, ddr_read + turned.ddr, ddr_write + turned.ddr, through + turned.l2,
        weights + activations + work.l0 + write, work.l0, work.vector_bytes, work.macs, weights_once,
        weights, work.tiles, work.on_vector, slices,
    )  # fmt: skip


class _Conversion(msgspec.Struct, frozen=True, gc=False):
    time: float
    ddr: float
    """Bytes of DDR, each way."""
    l2: float
    """Bytes of L2, both ways."""


_NO_CONVERSION = _Conversion(0.0, 0.0, 0.0)


def _conversion(nbytes: int, chip: Chip) -> _Conversion:
    """Turning a tensor from one layout into another: a launch, then the slower of moving and reordering."""
    spill = _spill(2 * nbytes, chip)
    read_us, write_us = _ports(spill, 1, chip)
    ends = max(nbytes * max(read_us, write_us), 2 * nbytes * spill / chip.ddr)
    time = chip.launch_movement_us + max(ends, nbytes / chip.transpose)
    return _Conversion(time, nbytes * spill, 2.0 * nbytes if chip.l2_read else 0.0)


def l2_slices(nbytes: int, batch: int, chip: Chip) -> int:
    """Slices of a batch of which each has its activations in L2, as far as the batch can be cut.

    Kernels in a row run slice by slice, so what one wrote is still there when the next reads it; weights stay, too.
    """
    if not chip.l2_slices or batch <= 1 or nbytes <= chip.l2_room or not chip.l2_room:
        return 1
    return min(batch, -int(-nbytes // chip.l2_room))


def _spill(nbytes: float, chip: Chip) -> float:
    """The part of a kernel's activations that L2 can't hold and that goes to DDR."""
    return 1.0 - chip.l2_room / nbytes if nbytes > chip.l2_room else 0.0


def _ports(spill: float, cores: int, chip: Chip) -> tuple[float, float]:
    """Time in us of an activation byte into the cores and out of them."""
    slow = spill / chip.ddr if chip.l2_read else 1.0 / chip.ddr
    inward, outward = slow, 1.0 / (chip.out * cores)
    if chip.l2_read:
        port_in, port_out = 1.0 / (chip.l2_read * cores), 1.0 / (chip.l2_write * cores)
        inward = port_in if port_in > slow else slow
        outward = port_out if port_out > outward else outward
    return inward, slow if slow > outward else outward


def cpu_body(work: Workload, moved: Traffic, weight_bytes: int, chip: Chip) -> Body:
    """Time of a kernel that falls back to the CPU: hand over, copy out, compute, copy back, hand over.

    The CPU reads the tensors flat and in FP32, so copies count four bytes per element of FP16.
    """
    out, back = 2.0 * moved.read_bytes, 2.0 * moved.write_bytes
    arithmetic = (work.macs + sum(work.vector) / 2) / chip.cpu_macs
    touched = (out + back + weight_bytes) / chip.cpu_bandwidth
    cpu = 2 * chip.cpu_sync_us + (out + back) / chip.cpu_copy + max(arithmetic, touched)
    return Body(
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, cpu, out + weight_bytes, back, 0.0, 0.0, 0.0, 0.0, 0,
        weight_bytes, weight_bytes, 1, False, 1,
    )  # fmt: skip
