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
    mte2: float
    """us of reading inside the kernel: what was loaded ahead is left out, layout conversion counts."""
    ahead: float
    """us of its weights that were loaded during the kernel before."""


def schedule(bodies: Sequence[Body], chip: Chip) -> tuple[list[Slot], float]:
    """Place kernels one after the other.

    Returns:
        One slot per kernel and the end of the last one, both counted from the start of the run (invocation included).
    """
    now, ahead = chip.invocation_us, 0.0
    slots: list[Slot] = []
    for position, body in enumerate(bodies):
        steady = max(body.hidden, body.steady - ahead) if ahead else body.steady
        reading = max(0.0, body.mte2 - ahead)
        before = body.launch + body.convert
        latency = before + body.fill + steady + body.drain + body.cpu
        moved = body.convert - chip.launch_movement_us if body.convert else 0.0
        slots.append(Slot(now, latency, reading + moved, ahead))
        now += latency
        ahead = 0.0
        if chip.prefetch and position + 1 < len(bodies) and not body.cpu:
            following = bodies[position + 1]
            if following.weights and not following.cpu:
                free = latency - before - reading
                ahead = min(min(following.weights, chip.prefetch) / chip.ddr, free, following.mte2)
    return slots, now


def bars(bodies: Sequence[Body], slots: Sequence[Slot], chip: Chip) -> tuple[Bar, ...]:
    """Bars of the timeline. Each shows the busy time of a unit; bars of one lane never overlap.

    Reading starts with the kernel, writing ends with it; computing is drawn against the end of the pipeline, because
    the last tile is computed after it was read.
    """
    drawn: list[Bar] = []
    add = drawn.append
    for index, (body, slot) in enumerate(zip(bodies, slots, strict=True)):
        start, end = slot.start, slot.start + slot.latency
        if body.launch:
            add(Bar("Kernel", index, start, body.launch, "launch"))
        begin = start + body.launch
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
