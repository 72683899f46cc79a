"""Made-up results for the fake network: real types, values from a seeded generator and simple rules."""

import zlib
from math import inf

import numpy as np

from engine.fusion.types import Kernel, Kind, Network
from engine.npu.results import Bar, Buffer, KernelCost, MemoryPlan, Scenario, Simulation, Sustained
from engine.numerics.results import ErrorSums, Evaluation, OutputError
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme, family, label
from engine.quant.sizes import PlanBytes
from engine.session.state import Figures, SensitivityCell
from engine.text import say

BITS = {"INT4": 5.0, "INT8": 8.0, "FP16": 16.0, "FP32": 32.0}


def _wobble(*what: object) -> float:
    """A number in [-1, 1] that depends on its arguments only."""
    return zlib.crc32(repr(what).encode()) / 2**31 - 1


def sums(sqnr_db: float, elements: int = 1000) -> ErrorSums:
    noise = 0.0 if sqnr_db == inf else elements * 10 ** (-sqnr_db / 10)
    return ErrorSums(noise, float(elements), float(elements) + noise, elements)


def local_db(kernel: Kernel, scheme: Scheme) -> float:
    base = {"INT4": 21.0, "INT8": 36.0, "FP16": 68.0, "FP32": 140.0}[family(scheme)]
    return base + 5 * _wobble(kernel.id, label(scheme))


def size_of(network: Network, plan: Plan) -> PlanBytes:
    per_kernel = {k.id: int(k.params * BITS[family(plan.scheme(k.id))] / 8) for k in network.tunable}
    families = {"INT4": 0, "INT8": 0, "FP16": 0, "FP32": 0, "other": 40_000}
    for kernel in network.tunable:
        families[family(plan.scheme(kernel.id))] += per_kernel[kernel.id]
    return PlanBytes(sum(families.values()), families, per_kernel)


def simulation_of(network: Network, plan: Plan) -> Simulation:
    start, costs, bars = 0.0, [], []
    for kernel in network.kernels:
        cost = _cost(network, kernel, plan, start)
        costs.append(cost)
        bars += _bars(cost, kernel)
        start += cost.latency_us
    return Simulation(
        "kirin9030", 0.14, start + 60, 60.0, sum(c.energy_uj for c in costs),
        {"DDR": 1900.0, "Cube": 760.0, "SRAM": 90.0, "Vector": 60.0, "Idle": 460.0, "CPU": 40.0},
        _memory(network, plan), tuple(costs), tuple(bars),
    )  # fmt: skip


def _cost(network: Network, kernel: Kernel, plan: Plan, start: float) -> KernelCost:
    bits = BITS[family(plan.scheme(kernel.id))] if kernel.tunable else 16.0
    out = network.tensors[kernel.outputs[0]].elements
    read, weight = int(out * 2 * 0.9), int(kernel.params * bits / 8)
    cube = 0.0 if kernel.kind in (Kind.DEPTHWISE, Kind.POOL, Kind.OTHER) else kernel.macs / 2.2e6
    vector = kernel.macs / 4e5 if kernel.kind is Kind.DEPTHWISE else out / 3e5
    mte2, mte3 = (read + weight) / 2.2e4, out * 2 / 2.4e4
    cpu = 338.0 if kernel.kind is Kind.OTHER else 0.0
    busy = max(cube, vector, mte2, mte3, cpu)
    bounds = {"Cube": cube, "Vector": vector, "DDR read": mte2 * 0.99, "DDR write": mte3, "CPU": cpu, "Launch": 5.0}
    bound = max(bounds, key=lambda name: bounds[name])
    return KernelCost(
        kernel.id, "CPU" if cpu else "Vector" if not cube else "Cube", start, busy + 6.4, 6.4, cube, vector, mte2 / 4,
        mte2, mte3, cpu, read, out * 2, weight, busy * 1.3 + 4, bound,  # type: ignore[arg-type]
        say("Bound by {bound}: fewer bytes or a larger tile would help.", bound=bound), max(1, int(busy // 8)),
    )  # fmt: skip


def _bars(cost: KernelCost, kernel: Kernel) -> list[Bar]:
    begin = cost.start_us + cost.launch_us
    parts = (
        ("MTE2", 0.0, cost.mte2_us, "transfer"), ("MTE1", 2.0, cost.mte1_us, "transfer"),
        ("Cube", 3.0, cost.cube_us, "compute"), ("Vector", 4.0, cost.vector_us, "compute"),
        ("MTE3", 5.0, cost.mte3_us, "transfer"), ("CPU", 0.0, cost.cpu_us, "cpu"),
    )  # fmt: skip
    room = cost.latency_us - cost.launch_us
    bars = [Bar("Kernel", kernel.index, cost.start_us, cost.launch_us, "launch")]
    bars.append(Bar("Kernel", kernel.index, begin, room, "cpu" if cost.cpu_us else "compute"))
    for lane, late, long, role in parts:
        if long > 0.05:
            late = min(late, room * 0.2)
            bars.append(Bar(lane, kernel.index, begin + late, min(long, room - late), role, cost.tiles))  # type: ignore[arg-type]
    return bars


def _memory(network: Network, plan: Plan) -> MemoryPlan:
    buffers, live = [], []
    for kernel in network.kernels:
        out = kernel.outputs[0]
        bits = 8 if kernel.tunable and family(plan.scheme(kernel.id)) == "INT8" else 16
        nbytes = network.tensors[out].elements * bits // 8
        offset = 0 if kernel.index % 2 else max((b.offset + b.nbytes for b in buffers[-1:]), default=0)
        buffers.append(Buffer(out, "activation", offset, nbytes, kernel.index, min(kernel.index + 1, 55)))
        live.append(sum(b.nbytes for b in buffers[-2:]))
    peak = max(b.offset + b.nbytes for b in buffers)
    return MemoryPlan(tuple(buffers), peak, max(live), int(np.argmax(live)), tuple(live))


def sustained_of(simulation: Simulation, scenario: Scenario) -> Sustained:
    time = np.linspace(0, scenario.minutes * 60, 600)
    clock = np.where(time < 570, 1.0, np.where(time < 780, 0.9, 0.82))
    warm = 1 - np.exp(-time / 300)
    return Sustained(
        scenario, time, 4.75 * clock, 25 + 35 * warm * clock, 25 + 26 * warm * clock, 25 + 17.2 * warm, clock,
        simulation.latency_us / clock, 570.0, (39.5, 42.0, 44.0),
    )  # fmt: skip


def evaluation_of(network: Network, plan: Plan) -> Evaluation:
    noise, accumulated = 0.0, {}
    for kernel in network.kernels:
        if kernel.tunable:
            noise = noise * 0.93 + 0.35 * 10 ** (-local_db(kernel, plan.scheme(kernel.id)) / 10)
        if kernel.kind is not Kind.OTHER:
            accumulated[kernel.id] = sums(-10 * np.log10(noise + 1e-12))
    output = OutputError(sums(-10 * np.log10(noise + 1e-12)), 0.8, 0.0084, 0.969, 0.995, 0.712, 0.721)
    return Evaluation(output, accumulated, False, 256, 0.041)


def figures_of(network: Network, plan: Plan, scenario: Scenario) -> Figures:
    simulation = simulation_of(network, plan)
    return Figures(
        plan, size_of(network, plan), simulation, sustained_of(simulation, scenario), evaluation_of(network, plan)
    )


def cell_of(kernel: Kernel, scheme: Scheme) -> SensitivityCell:
    return SensitivityCell(
        kernel.id, scheme, local_db(kernel, scheme) + 8 * _wobble(kernel.id), 10 ** (-local_db(kernel, scheme) / 10)
    )
