"""Simulate one run of a network under a plan on a device."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from engine.fusion.types import Kernel, Network
from engine.npu.activations import Traffic, storage, traffic
from engine.npu.chip import Chip
from engine.npu.device import Device
from engine.npu.energy import PARTS, kernel_energy
from engine.npu.explain import bound, why
from engine.npu.formats import HALF_MODE, Mode
from engine.npu.known import (
    Format,
    bodies_of,
    constant_bytes,
    formats_of,
    known_of,
    memory_of,
    on_device,
    stored_of,
    timed,
)
from engine.npu.results import KernelCost, MemoryPlan, Simulation, Unit
from engine.npu.schedule import Slot, bars, schedule
from engine.npu.timing import Body
from engine.npu.workload import Workload
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme
from engine.text import Text


def simulate(network: Network, plan: Plan, device: Device) -> Simulation:
    """Latency, timeline, energy and memory of one run.

    Kernels without a precision switch run in FP16; so does a kernel whose scheme the device doesn't run natively
    (see `supports`), and its `why` says so.
    """
    known = known_of(network)
    here = on_device(known, network, device)
    chip = device.chip
    formats = formats_of(here, network, plan, device)
    stored = stored_of(known, network, formats)
    bodies = bodies_of(known, here, formats, stored, chip)
    slots, end = schedule(bodies, chip, known.sources)
    costs: list[KernelCost] = []
    ddr = cube = vector = sram = idle = cpu = 0.0
    idle += chip.idle_w * chip.invocation_us
    rows = zip(network.kernels, known.work, formats, bodies, slots, here.places, strict=True)
    for kernel, item, entry, body, slot, on_cpu in rows:
        energy = kernel_energy(body, entry.mode.cube, slot.latency, chip)
        ddr += energy.ddr
        cube += energy.cube
        vector += energy.vector
        sram += energy.sram
        idle += energy.idle
        cpu += energy.cpu
        costs.append(_cost(kernel, item, entry, body, slot, energy.total, on_cpu, chip))
    totals = (ddr, cube, vector, sram, idle, cpu)
    return Simulation(
        device=device.name,
        band=here.band,
        latency_us=end,
        invocation_us=chip.invocation_us,
        energy_uj=sum(totals),
        energy_parts=dict(zip(PARTS, totals, strict=True)),
        memory=memory_of(known, network, stored),
        kernels=tuple(costs),
        bars=bars(bodies, slots, chip),
    )


def latency_us(network: Network, plan: Plan, device: Device) -> float:
    """Only the latency of `simulate`, for callers that try many plans or devices."""
    known = known_of(network)
    here = on_device(known, network, device)
    formats = formats_of(here, network, plan, device)
    bodies = bodies_of(known, here, formats, stored_of(known, network, formats), device.chip)
    return schedule(bodies, device.chip, known.sources)[1]


def plan_memory(network: Network, plan: Plan, device: Device | None = None) -> MemoryPlan:
    """Addresses of all activations under a plan.

    Args:
        network: The network.
        plan: Decides which tensors are stored in INT8.
        device: Decides which schemes run natively; without one, all do.
    """
    known = known_of(network)
    if device is None:
        modes = [_ideal(plan.scheme(kernel.id)) if kernel.tunable else HALF_MODE for kernel in network.kernels]
    else:
        modes = [entry.mode for entry in formats_of(on_device(known, network, device), network, plan, device)]
    return memory_of(known, network, storage(network, known.work, modes))


@dataclass(frozen=True, eq=False, slots=True)
class Inside:
    """What a kernel's cost is made of, for those who explain it."""

    work: Workload
    mode: Mode
    weight_bytes: int
    """Bytes of weights and other constants that one run reads."""
    moved: Traffic
    on_cpu: Text | None
    body: Body
    body_on: Callable[[Chip], Body]
    """The same kernel, without its neighbours, on a chip with other numbers."""


def inside(network: Network, plan: Plan, device: Device, index: int) -> Inside:
    """The intermediate values of one kernel's cost, as `simulate` finds them."""
    return insides(network, plan, device, (index,))[0]


def insides(network: Network, plan: Plan, device: Device, indices: Iterable[int] | None = None) -> tuple[Inside, ...]:
    """The same for some kernels, or for all."""
    known = known_of(network)
    here = on_device(known, network, device)
    formats = formats_of(here, network, plan, device)
    stored = stored_of(known, network, formats)
    bodies = bodies_of(known, here, formats, stored, device.chip)

    def one(index: int) -> Inside:
        item, entry, reason = known.work[index], formats[index], here.places[index]
        moved = traffic(item, entry.mode, stored)
        return Inside(
            item,
            entry.mode,
            constant_bytes(item, entry),
            moved,
            reason,
            bodies[index],
            lambda chip: timed(item, entry, moved, reason is not None, chip),
        )

    return tuple(one(index) for index in (range(len(network.kernels)) if indices is None else indices))


def workloads(network: Network) -> tuple[Workload, ...]:
    """What every kernel has to do, in execution order."""
    return known_of(network).work


def _ideal(scheme: Scheme) -> Mode:
    integer = not scheme.activations.floating and scheme.activations.bits <= 8
    return Mode("int8" if integer else "fp16", scheme.weights, False, integer, False)


def _cost(
    kernel: Kernel,
    item: Workload,
    entry: Format,
    body: Body,
    slot: Slot,
    energy_uj: float,
    on_cpu: Text | None,
    chip: Chip,
) -> KernelCost:
    launch = slot.launch + (chip.launch_movement_us if body.convert else 0.0)
    unit: Unit = "CPU" if on_cpu is not None else "Vector" if body.on_vector else item.unit
    limit, weights = bound(body, slot, launch, chip.ddr), round(body.weights_read)
    reason = on_cpu if on_cpu is not None else entry.reason
    return KernelCost(
        kernel.id,
        unit,
        slot.start,
        slot.latency,
        launch,
        body.cube,
        body.vector,
        body.mte1,
        slot.mte2,
        body.mte3,
        body.cpu,
        round(body.ddr_read),
        round(body.ddr_write),
        weights,
        energy_uj,
        limit,
        why(limit, slot, launch, weights, entry.mode, reason, item.joins, body.convert),
        body.tiles,
    )
