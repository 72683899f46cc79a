"""Why a kernel takes the time it takes, and what would lift that: one sentence, with figures of its `KernelCost`."""

from __future__ import annotations

from engine.npu.formats import Mode
from engine.npu.results import Bound
from engine.npu.schedule import Slot
from engine.npu.timing import Body
from engine.text import Text, say


def bound(body: Body, slot: Slot, launch: float, ddr: float) -> Bound:
    """The longest of launch, units and transfers.

    Args:
        body: The kernel's times and bytes.
        slot: Its place in the schedule.
        launch: us of its launches, that of a layout conversion included.
        ddr: Memory bandwidth in bytes per us.
    """
    if body.cpu:
        return "CPU"
    if slot.latency <= 0.0:
        return "-"
    waits = body.weights_read > 0.0 and body.weights_read >= body.mte2 * ddr / 2
    reading: Bound = "DDR weights" if waits else "DDR read"
    candidates: tuple[tuple[float, Bound], ...] = (
        (launch, "Launch"),
        (slot.mte2, reading),
        (body.cube, "Cube"),
        (body.vector, "Vector"),
        (body.mte1, "MTE1"),
        (body.mte3, "DDR write"),
    )
    return max(candidates)[1]


def why(
    limit: Bound,
    slot: Slot,
    launch: float,
    weight_bytes: int,
    mode: Mode,
    reason: Text | None,
    joins: bool,
    convert: float,
) -> Text:
    """The sentence for a bound.

    Args:
        limit: What the kernel is bound by.
        slot: Its place in the schedule.
        launch: us of its launches.
        weight_bytes: Bytes of weights that it reads.
        mode: How it runs.
        reason: Why it runs on the CPU, or why its scheme doesn't run natively.
        joins: Whether it joins or splits whole channel blocks in place.
        convert: us of converting the layout of its inputs.
    """
    if limit == "CPU":
        return say(
            "Runs on the CPU ({reason}), with two hand-overs; replacing the operator would keep it on the NPU.",
            reason=reason or "",
        )
    if limit == "-":
        if joins:
            return say("Costs nothing: its parts already lie side by side in memory.")
        return say("Costs nothing: it only renames a tensor.")
    if reason is not None:
        return say("Runs in FP16, because its scheme is not native here: {reason}", reason=reason)
    if convert > slot.latency / 2:
        return say("Spends most of its time on converting the layout of its input; keep one layout around it.")
    if limit == "Launch":
        return say(
            "Launching takes {launch} µs, longer than any unit works; fusing it with a neighbour would help.",
            launch=f"{launch:.1f}",
        )
    if limit == "DDR weights":
        return say(
            "Reading takes {time} µs, most of it for {size} of weights; fewer weight bits would help.",
            time=f"{slot.mte2:.1f}",
            size=_size(weight_bytes),
        )
    if limit == "DDR read":
        return say(
            "Reading its activations takes {time} µs; INT8 activations or fusing it with its producer would help.",
            time=f"{slot.mte2:.1f}",
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


def _size(nbytes: int) -> str:
    if nbytes < 1024:
        return f"{nbytes} B"
    return f"{nbytes / 1024:.1f} KiB" if nbytes < 1024**2 * 0.99995 else f"{nbytes / 1024**2:.2f} MiB"
