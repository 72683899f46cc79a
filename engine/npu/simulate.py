"""Simulate one run of a network under a plan on a device.

What doesn't depend on the plan is computed once per network; what a kernel costs in one format, once per device. A
changed plan so only pays for the kernels that it changes, the schedule and the memory plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import ceil
from weakref import WeakKeyDictionary

from engine.fusion.types import Kernel, Kind, Network
from engine.npu.activations import Stored, Traffic, storage, traffic
from engine.npu.chip import Chip
from engine.npu.device import Device
from engine.npu.energy import PARTS, Energy, kernel_energy
from engine.npu.explain import bound, why
from engine.npu.formats import HALF_MODE, Mode, mode, supports
from engine.npu.memory import plan_storage
from engine.npu.operators import placement
from engine.npu.results import KernelCost, MemoryPlan, Simulation, Unit
from engine.npu.schedule import Slot, bars, schedule
from engine.npu.timing import Body, cpu_body, cube_work, movement_work, pipeline, vector_work
from engine.npu.workload import Workload, only_precision, workload
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme
from engine.quant.sizes import weight_bytes
from engine.text import Text

_CONVOLUTIONAL = frozenset({Kind.CONV, Kind.DEPTHWISE, Kind.CONV_TRANSPOSE})
_KEPT = 8
"""Memory plans kept per network."""


@dataclass(frozen=True, slots=True)
class _Format:
    """What one scheme means for one kernel on one device."""

    mode: Mode
    weight_bytes: int
    reason: Text | None


@dataclass(eq=False)
class _OnDevice:
    """What is known of a network on one device."""

    places: tuple[Text | None, ...]
    """Why a kernel runs on the CPU, or None."""
    band: float
    formats: dict[tuple[int, Scheme | None], _Format] = field(default_factory=dict)
    bodies: dict[tuple[int, Mode, int, Traffic], Body] = field(default_factory=dict)


@dataclass(eq=False)
class _Known:
    """What is known of a network."""

    work: tuple[Workload, ...]
    devices: WeakKeyDictionary[Device, _OnDevice] = field(default_factory=WeakKeyDictionary)
    places: dict[str, tuple[Text | None, ...]] = field(default_factory=dict)
    """Why kernels run on the CPU, by family of devices."""
    memory: dict[tuple[int, ...], MemoryPlan] = field(default_factory=dict)


_known: WeakKeyDictionary[Network, _Known] = WeakKeyDictionary()


def simulate(network: Network, plan: Plan, device: Device) -> Simulation:
    """Latency, timeline, energy and memory of one run.

    Kernels without a precision switch run in FP16; so does a kernel whose scheme the device doesn't run natively
    (see `supports`), and its `why` says so.
    """
    known = _of(network)
    here = _on(known, network, device)
    chip = device.chip
    formats = [_format(here, kernel, plan, device) for kernel in network.kernels]
    modes = [entry.mode for entry in formats]
    stored = storage(network, known.work, modes)
    bodies = [_body(here, item, entry, stored, chip) for item, entry in zip(known.work, formats, strict=True)]
    slots, end = schedule(bodies, chip)
    costs: list[KernelCost] = []
    totals = [0.0] * len(PARTS)
    totals[4] = chip.idle_w * chip.invocation_us
    for kernel, item, entry, body, slot in zip(network.kernels, known.work, formats, bodies, slots, strict=True):
        energy = kernel_energy(body, entry.mode.cube, slot.latency, chip)
        for position, part in enumerate(energy):
            totals[position] += part
        costs.append(_cost(kernel, item, entry, body, slot, energy, here.places[item.index], chip))
    return Simulation(
        device=device.name,
        band=here.band,
        latency_us=end,
        invocation_us=chip.invocation_us,
        energy_uj=sum(totals),
        energy_parts=dict(zip(PARTS, totals, strict=True)),
        memory=_memory(known, network, stored),
        kernels=tuple(costs),
        bars=bars(bodies, slots, chip),
    )


def latency_us(network: Network, plan: Plan, device: Device) -> float:
    """Only the latency of `simulate`, for callers that try many plans or devices."""
    known = _of(network)
    here = _on(known, network, device)
    formats = [_format(here, kernel, plan, device) for kernel in network.kernels]
    stored = storage(network, known.work, [entry.mode for entry in formats])
    bodies = [_body(here, item, entry, stored, device.chip) for item, entry in zip(known.work, formats, strict=True)]
    return schedule(bodies, device.chip)[1]


def plan_memory(network: Network, plan: Plan, device: Device | None = None) -> MemoryPlan:
    """Addresses of all activations under a plan.

    Args:
        network: The network.
        plan: Decides which tensors are stored in INT8.
        device: Decides which schemes run natively; without one, all do.
    """
    known = _of(network)
    if device is None:
        modes = [_ideal(plan.scheme(kernel.id)) if kernel.tunable else HALF_MODE for kernel in network.kernels]
    else:
        here = _on(known, network, device)
        modes = [_format(here, kernel, plan, device).mode for kernel in network.kernels]
    return _memory(known, network, storage(network, known.work, modes))


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
    latency_on: Callable[[Chip], float]
    """Latency in us of this kernel, without its neighbours, on a chip with other numbers."""


def inside(network: Network, plan: Plan, device: Device, index: int) -> Inside:
    """The intermediate values of one kernel's cost, as `simulate` finds them."""
    return insides(network, plan, device, (index,))[0]


def insides(network: Network, plan: Plan, device: Device, indices: Iterable[int] | None = None) -> tuple[Inside, ...]:
    """The same for some kernels, or for all."""
    known = _of(network)
    here = _on(known, network, device)
    formats = [_format(here, kernel, plan, device) for kernel in network.kernels]
    stored = storage(network, known.work, [entry.mode for entry in formats])

    def one(index: int) -> Inside:
        item, entry, reason = known.work[index], formats[index], here.places[index]
        moved = traffic(item, entry.mode, stored)
        return Inside(
            item,
            entry.mode,
            _constant_bytes(item, entry),
            moved,
            reason,
            _body(here, item, entry, stored, device.chip),
            lambda chip: _timed(item, entry, moved, reason is not None, chip).latency,
        )

    return tuple(one(index) for index in (range(len(network.kernels)) if indices is None else indices))


def workloads(network: Network) -> tuple[Workload, ...]:
    """What every kernel has to do, in execution order."""
    return _of(network).work


def _of(network: Network) -> _Known:
    known = _known.get(network)
    if known is None:
        known = _Known(tuple(workload(kernel, network) for kernel in network.kernels))
        _known[network] = known
    return known


def _on(known: _Known, network: Network, device: Device) -> _OnDevice:
    here = known.devices.get(device)
    if here is None:
        kinds = {kernel.kind for kernel in network.kernels}
        convolutional = bool(kinds & _CONVOLUTIONAL) and not kinds & {Kind.MATMUL_DYNAMIC, Kind.SOFTMAX, Kind.NORM}
        family = device.operators
        places = known.places.get(family)
        if places is None:
            places = known.places[family] = tuple(_cpu_reason(kernel, network, family) for kernel in network.kernels)
        here = _OnDevice(
            places,
            device.number("band.convolution" if convolutional else "band.other"),
        )
        known.devices[device] = here
    return here


def _cpu_reason(kernel: Kernel, network: Network, family: str) -> Text | None:
    for node in kernel.nodes:
        if only_precision(node, kernel):
            continue
        first = network.tensors.get(node.inputs[0]) if node.inputs else None
        place, reason = placement(node, len(first.shape) if first is not None else 0, family)
        if place != "npu":
            return reason
    return None


def _format(here: _OnDevice, kernel: Kernel, plan: Plan, device: Device) -> _Format:
    scheme = plan.scheme(kernel.id) if kernel.tunable else None
    key = (kernel.index, scheme)
    found = here.formats.get(key)
    if found is None:
        chosen = HALF_MODE if scheme is None else mode(device, kernel, scheme)
        weights = sum(weight_bytes(weight, chosen.weights) for weight in kernel.weights)
        # That FP32 runs as FP16 goes without saying; `supports` says it where the scheme is chosen.
        reason = supports(device, kernel, scheme) if scheme is not None and not scheme.weights.floating else None
        found = here.formats[key] = _Format(chosen, weights, reason)
    return found


def _ideal(scheme: Scheme) -> Mode:
    integer = not scheme.activations.floating and scheme.activations.bits <= 8
    return Mode("int8" if integer else "fp16", scheme.weights, False, integer, False)


def _body(here: _OnDevice, item: Workload, entry: _Format, stored: dict[str, Stored], chip: Chip) -> Body:
    moved = traffic(item, entry.mode, stored)
    key = (item.index, entry.mode, entry.weight_bytes, moved)
    found = here.bodies.get(key)
    if found is None:
        found = here.bodies[key] = _timed(item, entry, moved, here.places[item.index] is not None, chip)
    return found


def _timed(item: Workload, entry: _Format, moved: Traffic, on_cpu: bool, chip: Chip) -> Body:
    nbytes = _constant_bytes(item, entry)
    if on_cpu:
        return cpu_body(item, moved, nbytes, chip)
    if item.unit == "Cube":
        return pipeline(cube_work(item, entry.mode, moved, nbytes, chip), moved, chip)
    if item.unit == "Vector":
        return pipeline(vector_work(item, moved, nbytes, chip), moved, chip)
    if not item.moves and not moved.convert_bytes:
        moved = moved._replace(read_bytes=0, write_bytes=0)
    return pipeline(movement_work(item, moved, nbytes, chip), moved, chip)


def _constant_bytes(item: Workload, entry: _Format) -> int:
    return ceil(entry.weight_bytes * item.weight_share) + 2 * item.constant_elements


def _cost(
    kernel: Kernel,
    item: Workload,
    entry: _Format,
    body: Body,
    slot: Slot,
    energy: Energy,
    on_cpu: Text | None,
    chip: Chip,
) -> KernelCost:
    launch = body.launch + (chip.launch_movement_us if body.convert else 0.0)
    unit: Unit = "CPU" if on_cpu is not None else "Vector" if body.on_vector else item.unit
    limit, weights = bound(body, slot, launch, chip.ddr), round(body.weights_read)
    reason = on_cpu if on_cpu is not None else entry.reason
    return KernelCost(
        kernel=kernel.id,
        unit=unit,
        start_us=slot.start,
        latency_us=slot.latency,
        launch_us=launch,
        cube_us=body.cube,
        vector_us=body.vector,
        mte1_us=body.mte1,
        mte2_us=slot.mte2,
        mte3_us=body.mte3,
        cpu_us=body.cpu,
        ddr_read_bytes=round(body.ddr_read),
        ddr_write_bytes=round(body.ddr_write),
        weight_bytes=weights,
        energy_uj=energy.total,
        bound=limit,
        why=why(limit, slot, launch, weights, entry.mode, reason, item.joins, body.convert),
        tiles=body.tiles,
    )


def _memory(known: _Known, network: Network, stored: dict[str, Stored]) -> MemoryPlan:
    key = tuple(entry.nbytes for entry in stored.values())
    found = known.memory.get(key)
    if found is None:
        while len(known.memory) >= _KEPT:
            known.memory.pop(next(iter(known.memory)), None)
        found = known.memory[key] = plan_storage(network, known.work, stored)
    return found
