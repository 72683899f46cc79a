"""Why a kernel takes the time it takes, and what would lift that: one sentence."""

from __future__ import annotations

from engine.npu.chip import Chip
from engine.npu.formats import Mode
from engine.npu.results import Bound
from engine.npu.schedule import Slot
from engine.npu.timing import Body
from engine.text import Text, say


def bound(body: Body, slot: Slot, ddr: float) -> Bound:
    """The longest of launch, units and transfers; `ddr` is the memory bandwidth in bytes per us."""
    if body.cpu:
        return "CPU"
    if slot.latency <= 0.0:
        return "-"
    reading: Bound = "DDR weights" if body.weights >= body.mte2 * ddr / 2 else "DDR read"
    candidates: tuple[tuple[float, Bound], ...] = (
        (body.launch, "Launch"),
        (slot.mte2, reading),
        (body.cube, "Cube"),
        (body.vector, "Vector"),
        (body.mte1, "MTE1"),
        (body.mte3, "DDR write"),
    )
    return max(candidates)[1]


def why(body: Body, slot: Slot, limit: Bound, mode: Mode, reason: Text | None, chip: Chip) -> Text:
    """The sentence for a bound.

    Args:
        body: The kernel's times and bytes.
        slot: Its place in the schedule.
        limit: What `bound` said.
        mode: How it runs.
        reason: Why it runs on the CPU, or why its scheme doesn't run natively.
        chip: The device.
    """
    if limit == "CPU":
        return say(
            "Runs on the CPU ({reason}), with two hand-overs; replacing the operator would keep it on the NPU.",
            reason=reason or "",
        )
    if limit == "-":
        return say("Only renames a tensor; costs nothing.")
    if reason is not None:
        return say("Runs in FP16, because its scheme is not native here: {reason}", reason=reason)
    if body.convert > slot.latency / 2:
        return say("Spends most of its time on converting the layout of its input; keep one layout around it.")
    if limit == "Launch":
        return say(
            "Launching takes {launch} µs, longer than any unit works; fusing it with a neighbour would help.",
            launch=f"{body.launch:.1f}",
        )
    if limit == "DDR weights":
        return say(
            "Waits for {kilobytes} kB of weights at {rate} GB/s; fewer weight bits would help.",
            kilobytes=f"{body.weights / 1e3:.0f}",
            rate=f"{chip.ddr / 1e3:.0f}",
        )
    if limit == "DDR read":
        return say(
            "Waits for {kilobytes} kB of activations; INT8 activations or fusing it with its producer would help.",
            kilobytes=f"{max(0.0, body.l1 - body.l0) / 1e3:.0f}",
        )
    if limit == "DDR write":
        return say("Writing its output takes longest; INT8 outputs or fusing it with its reader would help.")
    if limit == "MTE1":
        return say(
            "Filling L0 takes longest: tiles are used too few times; a larger batch or more channels would help."
        )
    if limit == "Vector":
        if mode.unpack:
            return say(
                "Widening the packed weights keeps the Vector unit busy longest; INT8 with INT8 activations needs none."
            )
        return say("The Vector unit works longest; cheaper activations or fewer passes would help.")
    if mode.cube == "fp16":
        return say("The Cube works longest; INT8 weights with INT8 activations would double its rate.")
    return say("The Cube works longest, already in integers; only less arithmetic would help.")
