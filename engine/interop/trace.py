"""The simulated run as a Chrome trace: JSON that Perfetto (ui.perfetto.dev) and chrome://tracing open.

Format: Trace Event Format, JSON object form. One process, one thread per unit; "X" events with `ts` and `dur` in us
never overlap on a thread; "C" events are counters; "s" and "f" events are arrows from the kernel that writes a tensor
to the kernels that read it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from engine.errors import ExportError
from engine.files import write_atomically
from engine.fusion.types import Network
from engine.interop.handover import NO_EXTRAS, Extras, Handover, Written, hand_over
from engine.interop.order import Order
from engine.npu.results import Bar, Lane, Simulation
from engine.npu.usage import usage
from engine.precision.plan import Plan
from engine.precision.scheme import label
from engine.text import say
from engine.version import VERSION

_LITTLE_US = 1e-4
"""Far below what a trace resolves, far above what is lost in a float of some seconds."""
PROCESS = 1
THREADS: Mapping[Lane, tuple[int, str]] = {
    "Kernel": (1, "Kernel"),
    "MTE2": (2, "MTE2 in"),
    "MTE1": (3, "MTE1 L1-L0"),
    "Cube": (4, "Cube"),
    "Vector": (5, "Vector"),
    "MTE3": (6, "MTE3 out"),
    "CPU": (7, "CPU"),
}
"""Thread id and name by lane; the ids are the order as well."""
Event = dict[str, Any]


def check_trace(network: Network, plan: Plan, *, extras: Extras = NO_EXTRAS) -> Handover:
    """The plan is shown as it is."""
    return hand_over(network, plan, lambda kernel, asked: (asked, None))


def export_trace(order: Order) -> Written:
    """Write the timeline of the simulated run.

    Raises:
        ExportError: The file can't be written, or nothing has been simulated yet.
    """
    network, plan, path = order.network, order.plan, order.path
    simulation = simulated(order.extras, path)
    events = list(trace_events(network, plan, simulation))
    order.cancel.check()
    write_atomically(path, msgspec.json.encode(document(network, plan, simulation, events)))
    slices = sum(event["ph"] == "X" for event in events)
    check = say(
        "{count} {count:bar|bars} of {kernels} {kernels:kernel|kernels}.", count=slices, kernels=len(simulation.kernels)
    )
    return Written("trace", path, (path,), check_trace(network, plan), (check,))


def simulated(extras: Extras, path: Path) -> Simulation:
    """The simulation that an export is about.

    Raises:
        ExportError: There is none yet.
    """
    if extras.measured.simulation is None:
        raise ExportError(say("{path}: the plan has not been simulated yet; export again when it has.", path=path))
    return extras.measured.simulation


def document(network: Network, plan: Plan, simulation: Simulation, events: list[Event]) -> dict[str, Any]:
    """The whole file."""
    found = usage(simulation)
    return {
        "traceEvents": events,
        "displayTimeUnit": "ns",
        "otherData": {
            "model": network.graph.path.name,
            "sha256": network.graph.sha256,
            "plan": plan.name,
            "device": simulation.device,
            "latency_us": simulation.latency_us,
            "error_band": simulation.band,
            "utilization": found.utilization,
            "energy_uj": simulation.energy_uj,
            "peak_bytes": simulation.memory.peak_bytes,
            "source": f"Mixbit {VERSION}, simulated",
        },
    }


def trace_events(network: Network, plan: Plan, simulation: Simulation) -> Iterator[Event]:
    """All events: names, bars, counters, arrows."""
    yield from _names(simulation)
    if simulation.invocation_us > 0.0:
        yield _slice("invocation", "launch", "Kernel", 0.0, simulation.invocation_us, {})
    for bar in simulation.bars:
        if bar.duration_us > 0.0:
            yield _bar(bar, network, plan, simulation)
    yield from _memory(simulation)
    yield from _traffic(simulation)
    yield from _power(simulation)
    yield from _arrows(network, simulation)


def _names(simulation: Simulation) -> Iterator[Event]:
    yield _meta("process_name", 0, {"name": f"{simulation.device} (simulated)"})
    for tid, name in THREADS.values():
        yield _meta("thread_name", tid, {"name": name})
        yield _meta("thread_sort_index", tid, {"sort_index": tid})


def _bar(bar: Bar, network: Network, plan: Plan, simulation: Simulation) -> Event:
    kernel, cost = network.kernels[bar.kernel], simulation.kernels[bar.kernel]
    args: dict[str, Any] = {"kernel": kernel.index, "id": kernel.id, "op": kernel.op, "tiles": bar.tiles}
    if kernel.tunable:
        args["scheme"] = label(plan.scheme(kernel.id))
    if bar.lane == "Kernel" and bar.role != "launch":
        args |= {
            "bound": cost.bound,
            "why": str(cost.why),
            "latency_us": cost.latency_us,
            "ddr_read_bytes": cost.ddr_read_bytes,
            "ddr_write_bytes": cost.ddr_write_bytes,
            "energy_uj": cost.energy_uj,
        }
    name = f"launch {kernel.name}" if bar.role == "launch" else kernel.name
    return _slice(name, bar.role, bar.lane, bar.start_us, bar.duration_us, args)


def _memory(simulation: Simulation) -> Iterator[Event]:
    for cost, live in zip(simulation.kernels, simulation.memory.live_bytes, strict=False):
        yield _counter("activations alive", cost.start_us, {"bytes": live})
    yield _counter("activations alive", simulation.latency_us, {"bytes": 0})


def _traffic(simulation: Simulation) -> Iterator[Event]:
    """Mean rate of memory traffic in GB/s while a kernel runs: bytes / us / 1000."""
    for cost in simulation.kernels:
        moved = cost.ddr_read_bytes + cost.ddr_write_bytes
        rate = moved / cost.latency_us / 1e3 if cost.latency_us else 0.0
        yield _counter("memory traffic", cost.start_us, {"GB/s": rate})
    yield _counter("memory traffic", simulation.latency_us, {"GB/s": 0.0})


def _power(simulation: Simulation) -> Iterator[Event]:
    """Mean power of the NPU in W while a kernel runs: uJ / us."""
    for cost in simulation.kernels:
        yield _counter("NPU power", cost.start_us, {"W": cost.energy_uj / cost.latency_us if cost.latency_us else 0.0})
    yield _counter("NPU power", simulation.latency_us, {"W": 0.0})


def _arrows(network: Network, simulation: Simulation) -> Iterator[Event]:
    """From the end of the writer's bar to the start of each reader's; both lie inside these bars, as viewers ask."""
    bars = {bar.kernel: bar for bar in simulation.bars if bar.lane == "Kernel" and bar.role != "launch"}
    writers = {name: kernel.index for kernel in network.kernels for name in kernel.outputs}
    number = 0
    tid = THREADS["Kernel"][0]
    for kernel in network.kernels:
        for name in kernel.inputs:
            writer = writers.get(name)
            if writer is None or writer not in bars or kernel.index not in bars:
                continue
            number += 1
            source, target = bars[writer], bars[kernel.index]
            common = {"name": "tensor", "cat": "tensor", "id": number, "pid": PROCESS, "tid": tid}
            yield {**common, "ph": "s", "ts": source.start_us + source.duration_us / 2, "args": {"tensor": name}}
            yield {**common, "ph": "f", "bp": "e", "ts": target.start_us + target.duration_us / 2}


def _slice(name: str, cat: str, lane: Lane, start_us: float, duration_us: float, args: Mapping[str, Any]) -> Event:
    tid, _ = THREADS[lane]
    begin, end = round(start_us * 1e3), round((start_us + duration_us) * 1e3)
    # Perfetto cuts ts and dur down to whole ns, each by itself, and drops a bar that then overlaps its neighbour: both
    # stand a little off the whole number, so that no cut makes a bar begin earlier or end later than it does.
    ts, dur = begin / 1e3 + 2 * _LITTLE_US, max(_LITTLE_US, (end - begin) / 1e3 - _LITTLE_US)
    event = {"ph": "X", "name": name, "cat": cat, "pid": PROCESS, "tid": tid, "ts": ts, "dur": dur}
    return {**event, "args": dict(args)}


def _meta(name: str, tid: int, args: Mapping[str, Any]) -> Event:
    return {"ph": "M", "name": name, "pid": PROCESS, "tid": tid, "ts": 0, "args": dict(args)}


def _counter(name: str, at_us: float, values: Mapping[str, float]) -> Event:
    return {"ph": "C", "name": name, "pid": PROCESS, "tid": 0, "ts": at_us, "args": dict(values)}
