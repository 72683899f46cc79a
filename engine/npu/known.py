"""What is known of a network, and of a network on a device: found once, shared by all plans.

What doesn't depend on the plan is computed once per network; what a kernel costs in one format, once per device. A
changed plan so only pays for the kernels that it changes, the schedule and the memory plan. Kernels of one shape (the
blocks of a deep network) are timed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from weakref import WeakKeyDictionary

import msgspec

from engine.fusion.types import Kernel, Kind, Network
from engine.npu.activations import Stored, Traffic, storage, traffic
from engine.npu.chip import Chip, Precision
from engine.npu.device import Device
from engine.npu.formats import HALF_MODE, Mode, mode, supports
from engine.npu.memory import plan_storage
from engine.npu.operators import placement
from engine.npu.results import MemoryPlan
from engine.npu.timing import Body, cpu_body, cube_work, movement_work, pipeline, vector_work
from engine.npu.workload import Workload, only_precision, shape_key, work_of
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme
from engine.quant.sizes import weight_bytes
from engine.text import Text

_CONVOLUTIONAL = frozenset({Kind.CONV, Kind.DEPTHWISE, Kind.CONV_TRANSPOSE})
_KEPT = 8
"""Memory plans kept per network."""


class Format(msgspec.Struct, frozen=True, eq=False):
    """What one scheme means for one kernel on one device."""

    mode: Mode
    weight_bytes: int
    reason: Text | None
    """Why the scheme doesn't run natively."""
    bodies: dict[Traffic, Body]
    """What the kernel costs, by what it moves."""


@dataclass(eq=False, slots=True, weakref_slot=True)
class OnDevice:
    """What is known of a network on one device."""

    places: tuple[Text | None, ...]
    """Why a kernel runs on the CPU, or None."""
    band: float
    formats: dict[Scheme | None, dict[int, Format]] = field(default_factory=dict)
    """By scheme and kernel index."""
    timed: dict[tuple[int, bool, Precision, bool, bool, int, Traffic], Body] = field(default_factory=dict)
    """By shape, whether it runs on the CPU, how it computes, and what it reads."""


@dataclass(eq=False, slots=True)
class Known:
    """What is known of a network."""

    work: tuple[Workload, ...]
    shapes: tuple[int, ...]
    """One number per kernel; kernels with equal numbers differ in their names only."""
    sources: tuple[tuple[int, ...], ...]
    """Kernels that make what each kernel reads."""
    devices: WeakKeyDictionary[Device, OnDevice] = field(default_factory=WeakKeyDictionary)
    places: dict[str, tuple[Text | None, ...]] = field(default_factory=dict)
    """Why kernels run on the CPU, by family of devices."""
    memory: dict[tuple[int, ...], MemoryPlan] = field(default_factory=dict)


_known: WeakKeyDictionary[Network, Known] = WeakKeyDictionary()


def known_of(network: Network) -> Known:
    """What is known of a network."""
    known = _known.get(network)
    if known is None:
        work = work_of(network)
        numbers: dict[object, int] = {}
        shapes = tuple(numbers.setdefault(shape_key(item), len(numbers)) for item in work)
        known = _known[network] = Known(work, shapes, _sources(work))
    return known


def forget(network: Network) -> None:
    """Drop what is known of a network, for those who measure how long finding it takes."""
    _known.pop(network, None)


def on_device(known: Known, network: Network, device: Device) -> OnDevice:
    """What is known of a network on a device."""
    here = known.devices.get(device)
    if here is None:
        kinds = {kernel.kind for kernel in network.kernels}
        convolutional = bool(kinds & _CONVOLUTIONAL) and not kinds & {Kind.MATMUL_DYNAMIC, Kind.SOFTMAX, Kind.NORM}
        family = device.operators
        places = known.places.get(family)
        if places is None:
            places = known.places[family] = tuple(_cpu_reason(kernel, network, family) for kernel in network.kernels)
        here = OnDevice(
            places,
            device.number("band.convolution" if convolutional else "band.other"),
        )
        known.devices[device] = here
    return here


def formats_of(here: OnDevice, network: Network, plan: Plan, device: Device) -> list[Format]:
    """What the plan means for every kernel."""
    found: list[Format] = []
    last: Scheme | None = None
    table = here.formats.setdefault(None, {})
    for kernel in network.kernels:
        scheme = plan.scheme(kernel.id) if kernel.weight is not None else None
        if scheme is not last:  # neighbours mostly share a scheme; looking one up hashes all of it
            last, table = scheme, here.formats.setdefault(scheme, {})
        entry = table.get(kernel.index)
        if entry is None:
            entry = table[kernel.index] = _format(kernel, scheme, device)
        found.append(entry)
    return found


def stored_of(known: Known, network: Network, formats: Sequence[Format]) -> dict[str, Stored]:
    """How activations lie in memory."""
    return storage(network, known.work, [entry.mode for entry in formats])


def bodies_of(
    known: Known, here: OnDevice, formats: Sequence[Format], stored: dict[str, Stored], chip: Chip
) -> list[Body]:
    """What every kernel costs without its neighbours."""
    found = []
    for item, shape, entry, place in zip(known.work, known.shapes, formats, here.places, strict=True):
        moved = traffic(item, entry.mode, stored)
        body = entry.bodies.get(moved)
        if body is None:
            runs = entry.mode  # spelled out: hashing all of it takes longer
            key = (shape, place is not None, runs.cube, runs.unpack, runs.dynamic, entry.weight_bytes, moved)
            body = here.timed.get(key)
            if body is None:
                body = here.timed[key] = timed(item, entry, moved, place is not None, chip)
            entry.bodies[moved] = body
        found.append(body)
    return found


def memory_of(known: Known, network: Network, stored: dict[str, Stored]) -> MemoryPlan:
    """Addresses of all activations; plans for the same sizes are found again."""
    key = tuple([entry.nbytes for entry in stored.values()])
    found = known.memory.get(key)
    if found is None:
        while len(known.memory) >= _KEPT:
            known.memory.pop(next(iter(known.memory)), None)
        found = known.memory[key] = plan_storage(network, known.work, stored)
    return found


def timed(item: Workload, entry: Format, moved: Traffic, on_cpu: bool, chip: Chip) -> Body:
    """What one kernel costs on a chip."""
    nbytes = constant_bytes(item, entry)
    if on_cpu:
        return cpu_body(item, moved, nbytes, chip)
    if item.unit == "Cube":
        return pipeline(cube_work(item, entry.mode, moved, nbytes, chip), moved, chip)
    if item.unit == "Vector":
        return pipeline(vector_work(item, moved, nbytes, chip), moved, chip)
    if not item.moves and not moved.convert_bytes:
        moved = Traffic(0, 0, moved.cast_elements, moved.convert_bytes, moved.channels_first, moved.batch)
    return pipeline(movement_work(item, moved, nbytes, chip), moved, chip)


def constant_bytes(item: Workload, entry: Format) -> int:
    """Bytes of weights and other constants that one run reads."""
    return ceil(entry.weight_bytes * item.weight_share) + 2 * item.constant_elements


def _format(kernel: Kernel, scheme: Scheme | None, device: Device) -> Format:
    chosen = HALF_MODE if scheme is None else mode(device, kernel, scheme)
    weights = sum([weight_bytes(weight, chosen.weights) for weight in kernel.weights])
    # That FP32 runs as FP16 goes without saying; `supports` says it where the scheme is chosen.
    said = scheme is not None and (scheme.brain or not scheme.weights.floating)
    reason = supports(device, kernel, scheme) if scheme is not None and said else None
    return Format(chosen, weights, reason, {})


def _sources(work: Sequence[Workload]) -> tuple[tuple[int, ...], ...]:
    makers: dict[str, int] = {}
    found = []
    for item in work:
        found.append(tuple([makers[use.tensor] for use in item.inputs if use.tensor in makers]))
        for use in item.outputs:
            makers[use.tensor] = item.index
    return tuple(found)


def _cpu_reason(kernel: Kernel, network: Network, family: str) -> Text | None:
    for node in kernel.nodes:
        if only_precision(node, kernel):
            continue
        first = network.tensors.get(node.inputs[0]) if node.inputs else None
        place, reason = placement(node, len(first.shape) if first is not None else 0, family)
        if place != "npu":
            return reason
    return None
