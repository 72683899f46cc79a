"""Checks of the simulation: CPU fallback, islands, launches, gaps, memory, size, heat, load."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.fusion.types import Kernel
from engine.interop.preflight.finding import LISTED, Facts, Finding, names, share
from engine.interop.report_units import amount, clock, latency
from engine.npu.results import Simulation
from engine.npu.usage import WELL_USED, Cause, usage
from engine.precision.scheme import Scheme, label
from engine.text import Text, say

MOST_LOAD = 0.80
"""Above this part of the time there is no reserve for a slower clock or another app."""
SLOWER = 1.02
"""A kernel counts as slower from 2 % over its FP16 latency."""
ISLAND = 3
"""Kernels up to which a run of low precision counts as an island."""


def on_cpu(facts: Facts, simulation: Simulation) -> Iterator[Finding]:
    """Kernels that the NPU doesn't run; worst where the NPU has to wait for them."""
    units = [cost.unit for cost in simulation.kernels]
    busy = [i for i, unit in enumerate(units) if unit != "CPU"]
    pairs = [(k, c) for k, c in zip(facts.network.kernels, simulation.kernels, strict=True) if c.unit == "CPU"]
    pairs.sort(key=lambda pair: -pair[1].latency_us)
    advice = say("Replace it by operators that the device has, or take it out of the model and run it yourself.")

    def between(kernel: Kernel) -> bool:
        return bool(busy) and busy[0] < kernel.index < busy[-1]

    for kernel, cost in pairs[:LISTED]:
        inside = between(kernel)
        yield Finding(
            "cpu",
            "error" if inside else "warning",
            say("{kernel} runs on the CPU between kernels of the NPU", kernel=kernel.name)
            if inside
            else say("{kernel} runs on the CPU", kernel=kernel.name),
            say("{why} It takes {time}, {part} of the run.", why=cost.why, time=latency(cost.latency_us),
                part=_part(cost.latency_us, simulation)),
            advice,
            (kernel.index,),
            cost.latency_us,
            place="timeline",
        )  # fmt: skip
    rest = pairs[LISTED:]
    if rest:
        total = sum(cost.latency_us for _, cost in rest)
        yield Finding(
            "cpu",
            "error" if any(between(k) for k, _ in rest) else "warning",
            say("{count} more {count:kernel runs|kernels run} on the CPU", count=len(rest)),
            say("{kernels}: {time}, {part} of the run.", kernels=names(k for k, _ in rest), time=latency(total),
                part=_part(total, simulation)),
            advice,
            tuple(k.index for k, _ in rest),
            total,
            place="timeline",
        )  # fmt: skip


def slower(facts: Facts, simulation: Simulation) -> Iterator[Finding]:
    """Kernels that their scheme makes slower than FP16."""
    base = facts.baseline
    if base is None or len(base.kernels) != len(simulation.kernels):
        return
    groups: dict[Scheme, list[tuple[Kernel, float]]] = {}
    for kernel, now, before in zip(facts.network.kernels, simulation.kernels, base.kernels, strict=True):
        if kernel.tunable and now.latency_us > before.latency_us * SLOWER:
            more = now.latency_us - before.latency_us
            groups.setdefault(facts.plan.scheme(kernel.id), []).append((kernel, more))
    for scheme, group in groups.items():
        group.sort(key=lambda pair: -pair[1])
        total = sum(more for _, more in group)
        yield Finding(
            "slower",
            "warning",
            say(
                "{scheme} makes {count} {count:kernel|kernels} slower than FP16", scheme=label(scheme), count=len(group)
            ),
            say("{kernels}: +{time}.", kernels=names(k for k, _ in group), time=latency(total)),
            say("Give them FP16, unless the smaller package is worth it."),
            tuple(k.index for k, _ in group),
            total,
        )


def islands(facts: Facts, simulation: Simulation) -> Iterator[Finding]:
    """Short runs of integer kernels between float ones whose conversions cost more than they save.

    An island's balance is its kernels' latency, and that of the kernels that read it, against the same in FP16: the
    conversions at its shores are in there.
    """
    base = facts.baseline
    if base is None or len(base.kernels) != len(simulation.kernels):
        return
    lost: list[tuple[float, list[Kernel]]] = []
    for run in _runs(facts):
        inside = {k.index for k in run}
        outputs = {name for k in run for name in k.outputs}
        shore = [k for k in facts.network.kernels if k.index not in inside and outputs.intersection(k.inputs)]
        balance = sum(simulation.kernels[k.index].latency_us - base.kernels[k.index].latency_us for k in (*run, *shore))
        if balance > 0:
            lost.append((balance, run))
    if not lost:
        return
    lost.sort(key=lambda pair: -pair[0])
    kernels = [k for _, run in lost for k in run]
    total = sum(balance for balance, _ in lost)
    yield Finding(
        "island",
        "warning",
        say(
            "{count} {count:island|islands} of low precision {count:costs more than it saves|cost more than they save}",
            count=len(lost),
        ),
        say("{kernels}: their conversions cost {time} more than they win.", kernels=names(kernels),
            time=latency(total)),
        say("Quantize their neighbours too, or give the islands FP16."),
        tuple(k.index for k in kernels),
        total,
    )  # fmt: skip


def launches(simulation: Simulation) -> Iterator[Finding]:
    """Kernels that are over before the next can be launched."""
    bound = [i for i, cost in enumerate(simulation.kernels) if cost.bound == "Launch"]
    if not bound:
        return
    yield Finding(
        "launch",
        "info",
        say("{count} {count:kernel is|kernels are} launch-bound", count=len(bound)),
        say("All launches take {time}, {part} of the run.", time=latency(simulation.launch_us),
            part=_part(simulation.launch_us, simulation)),
        say("Fewer bits don't help them; fewer kernels do: fuse, or take small branches out."),
        tuple(bound),
        simulation.launch_us,
        place="timeline",
    )  # fmt: skip


_WAITS: Mapping[Cause, Text] = {
    "Invocation": say("the invocation"),
    "Launch": say("launches"),
    "CPU": say("kernels on the CPU"),
    "First transfer": say("the first transfer"),
}
"""What the NPU waits for, within a sentence."""


def gaps(simulation: Simulation) -> Iterator[Finding]:
    """An NPU that waits."""
    found = usage(simulation)
    if found.utilization >= WELL_USED:
        return
    idle = simulation.latency_us - found.busy_us
    causes = found.gaps_by_cause()
    most = next(iter(causes), None)
    waits = _WAITS[most] if most is not None else "-"
    worst = max(found.gaps, key=lambda gap: gap.duration_us, default=None)
    yield Finding(
        "utilization",
        "warning",
        say("The NPU works {part} of the run", part=share(found.utilization)),
        say(
            "{time} of each run nothing works, mostly waiting for {cause}.",
            time=latency(idle),
            cause=waits,
        ),
        say("Larger batches or fewer, larger kernels fill the gaps; the Timeline shows where they are."),
        (worst.kernel,) if worst is not None and worst.kernel >= 0 else (),
        idle,
        place="timeline",
    )


def load(facts: Facts) -> Iterator[Finding]:
    """A planned rate that leaves no reserve."""
    rate, sustained = facts.scenario.runs_per_second, facts.sustained
    if rate is None or sustained is None:
        return
    planned = rate * sustained.final_latency_us / 1e6
    if planned <= MOST_LOAD:
        return
    yield Finding(
        "load",
        "error" if planned > 1 else "warning",
        say("{rate} runs per second take {part} of the time", rate=f"{rate:g}", part=share(planned)),
        say("One run takes {time} in the end.", time=latency(sustained.final_latency_us)),
        say("Plan for at most 80 %: run less often, or make the model faster."),
        cost_us=sustained.final_latency_us,
        place="thermal",
    )


def throttling(facts: Facts) -> Iterator[Finding]:
    """A device that gets too warm."""
    sustained = facts.sustained
    if sustained is None or sustained.throttled_at_s is None:
        return
    yield Finding(
        "throttling",
        "warning",
        say("The device throttles after {time} min", time=clock(sustained.throttled_at_s)),
        say("Latency {time} at the end, skin {skin} °C.", time=latency(sustained.final_latency_us),
            skin=f"{sustained.final_skin_c:.1f}"),
        say("Run less often, or use fewer bits where that saves energy."),
        place="thermal",
    )  # fmt: skip


def budgets(facts: Facts) -> Iterator[Finding]:
    """Package, memory and latency over what is allowed."""
    limits, simulation, size = facts.limits, facts.simulation, facts.size
    allowed = _package_limit(facts)
    if size is not None and allowed is not None and size.total > allowed:
        over = size.total - allowed
        yield Finding(
            "package",
            "error",
            say("The package is {over} over its limit", over=amount(over)),
            say("{have} of weights, {allowed} allowed.", have=amount(size.total), allowed=amount(allowed)),
            say("Give the largest kernels INT4, or let the search find the cheapest ones."),
            cost_bytes=over,
            place="summary",
        )
    if simulation is None:
        return
    peak = simulation.memory.peak_bytes
    if limits.max_peak_bytes is not None and peak > limits.max_peak_bytes:
        kernel = facts.network.kernels[simulation.memory.peak_kernel]
        yield Finding(
            "memory",
            "error",
            say("Peak memory is {over} over its budget", over=amount(peak - limits.max_peak_bytes)),
            say("{have} while {kernel} runs, {allowed} allowed.", have=amount(peak), kernel=kernel.name,
                allowed=amount(limits.max_peak_bytes)),
            say("Use a smaller input there, or INT8 activations; the Memory view shows what lives at that time."),
            (kernel.index,),
            cost_bytes=peak - limits.max_peak_bytes,
            place="memory",
        )  # fmt: skip
    if limits.max_latency_us is not None and simulation.latency_us > limits.max_latency_us:
        over_us = simulation.latency_us - limits.max_latency_us
        yield Finding(
            "latency",
            "error",
            say("One run is {over} over its budget", over=latency(over_us)),
            say("{have} simulated, {allowed} allowed.", have=latency(simulation.latency_us),
                allowed=latency(limits.max_latency_us)),
            say("Let the search find a faster plan, or fewer kernels on the way."),
            cost_us=over_us,
            place="summary",
        )  # fmt: skip


def _package_limit(facts: Facts) -> int | None:
    """The smaller of what is required and what the device's store takes."""
    store = facts.device.values.get("limit.package")
    limits = [facts.limits.max_size_bytes]
    if store is not None and isinstance(store.value, float):
        limits.append(round(store.value * 1e6))
    return min((limit for limit in limits if limit is not None), default=None)


def _runs(facts: Facts) -> Iterator[list[Kernel]]:
    """Connected integer kernels with float ones around, short ones only."""
    low = {k.index: k for k in facts.network.tunable if not facts.plan.scheme(k.id).activations.floating}
    if len(low) == len(facts.network.tunable):
        return
    producer = {name: k.index for k in facts.network.kernels for name in k.outputs}
    parent = {index: index for index in low}

    def root(index: int) -> int:
        while parent[index] != index:
            index = parent[index]
        return index

    for index, kernel in low.items():
        for name in kernel.inputs:
            before = producer.get(name)
            if before in parent:
                parent[root(index)] = root(before)
    groups: dict[int, list[Kernel]] = {}
    for index, kernel in low.items():
        groups.setdefault(root(index), []).append(kernel)
    yield from (run for run in groups.values() if len(run) <= ISLAND)


def _part(us: float, simulation: Simulation) -> str:
    return share(us / simulation.latency_us if simulation.latency_us else 0.0)
