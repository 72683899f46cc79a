"""Schedule: kernels in order, each after the one before; weights of the next kernel are loaded while MTE2 is free."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from engine.npu.chip import Chip
from engine.npu.results import Bar
from engine.npu.timing import Body


class Slot(msgspec.Struct, frozen=True, gc=False):
    """When one kernel runs."""

    start: float
    latency: float
    launch: float
    """us of its launch that the run waits for; the rest passed during the kernel before."""
    mte2: float
    """us of reading inside the kernel: what was loaded ahead is left out, layout conversion counts."""
    ahead: float
    """us of reading during the kernel before."""


def schedule(bodies: Sequence[Body], chip: Chip, sources: Sequence[Sequence[int]]) -> tuple[list[Slot], float]:
    """Place kernels one after the other.

    Where the device launches ahead, a kernel that doesn't read what the one before wrote (a branch beside it) is
    launched, and reads its first tile, while that one runs.

    Args:
        bodies: Every kernel by itself, in order.
        chip: The device.
        sources: Kernels that make what each kernel reads.

    Returns:
        One slot per kernel and the end of the last one, both counted from the start of the run (invocation included).
    """
    now, ahead = chip.invocation_us, 0.0
    slots: list[Slot] = []
    waits = _waits(bodies, sources) if chip.ahead else None
    during = idle_mte2 = 0.0
    for position, body in enumerate(bodies):
        launch, first = body.launch, 0.0
        if waits is not None and not waits[position]:
            launch = max(0.0, body.launch - during)
            if not launch and not body.convert:
                first = min(body.fill, idle_mte2, during - body.launch)
        steady = max(body.hidden, body.steady - ahead) if ahead else body.steady
        early = min(ahead + first, body.mte2)
        reading = max(0.0, body.mte2 - early)
        before = launch + body.convert
        latency = before + body.fill - first + steady + body.drain + body.cpu
        moved = body.convert - chip.launch_movement_us if body.convert else 0.0
        slots.append(Slot(now, latency, launch, reading + moved, early))
        now += latency
        free = latency - before - reading
        ahead = 0.0
        if chip.prefetch and position + 1 < len(bodies) and not body.cpu:
            following = bodies[position + 1]
            if following.weights and not following.cpu:
                ahead = min(min(following.weights, chip.prefetch) / chip.ddr, free, following.mte2)
        if latency > 0.0:  # a kernel that only renames lets the one before it count
            during, idle_mte2 = (0.0, 0.0) if body.cpu else (latency - launch, max(0.0, free - ahead))
    return slots, now


def _waits(bodies: Sequence[Body], sources: Sequence[Sequence[int]]) -> list[bool]:
    """Whether each kernel reads what the last kernel before it wrote, or runs on the CPU."""
    ready: list[int] = []
    waits: list[bool] = []
    last = -1
    for index, body in enumerate(bodies):
        newest = max([ready[source] for source in sources[index]], default=-1)
        runs = body.latency > 0.0
        waits.append(not runs or newest >= last or body.cpu > 0.0)
        ready.append(index if runs else newest)
        last = index if runs else last
    return waits


def bars(bodies: Sequence[Body], slots: Sequence[Slot], chip: Chip) -> tuple[Bar, ...]:
    """Bars of the timeline. Each shows the busy time of a unit; bars of one lane never overlap.

    Reading starts with the kernel, writing ends with it; computing is drawn against the end of the pipeline, because
    the last tile is computed after it was read.
    """
    drawn: list[Bar] = []
    add = drawn.append
    for index, (body, slot) in enumerate(zip(bodies, slots, strict=True)):
        start, end = slot.start, slot.start + slot.latency
        if slot.launch:
            add(Bar("Kernel", index, start, slot.launch, "launch"))
        begin = start + slot.launch
        if end > begin:
            add(Bar("Kernel", index, begin, end - begin, "cpu" if body.cpu else "compute", max(1, body.tiles)))
        if body.cpu:
            add(Bar("CPU", index, end - body.cpu, body.cpu, "cpu"))
            continue
        tiles = max(1, body.tiles)
        if slot.ahead:
            add(Bar("MTE2", index, start - slot.ahead, slot.ahead, "transfer"))
        moved = body.convert - chip.launch_movement_us if body.convert else 0.0
        if moved:
            add(Bar("MTE2", index, begin + chip.launch_movement_us, moved, "transfer"))
        begin += body.convert
        reading = slot.mte2 - moved
        if reading > 0.0:
            add(Bar("MTE2", index, begin, reading, "transfer", tiles))
        done = end - body.drain
        compute = done - max(body.cube, body.vector)
        if body.mte1:
            add(Bar("MTE1", index, min(compute, done - body.mte1), body.mte1, "transfer", tiles))
        if body.cube:
            add(Bar("Cube", index, done - body.cube, body.cube, "compute", tiles))
        if body.vector:
            add(Bar("Vector", index, done - body.vector, body.vector, "compute", tiles))
        if body.mte3:
            add(Bar("MTE3", index, end - body.mte3, body.mte3, "transfer", tiles))
    return tuple(drawn)
