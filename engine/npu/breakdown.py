"""Everything that the model says about one kernel: tile, bytes, formulas with their numbers, and what would lift it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

from engine.errors import PlanError
from engine.fusion.types import Kernel, Network
from engine.npu.chip import WIDTH, Chip
from engine.npu.device import Device
from engine.npu.formats import supports
from engine.npu.matrix import matrix
from engine.npu.operators import NO_PASSES
from engine.npu.results import KernelCost
from engine.npu.simulate import Inside, inside, simulate
from engine.npu.tiling import tile
from engine.npu.timing import cube_work
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT4, INT8, label
from engine.text import Text, say

_FACTOR = 2.0
"""What "faster" means in the list of what would lift a kernel."""
_LEAST_GAIN_US = 0.005


@dataclass(frozen=True, slots=True)
class Line:
    """A figure with its formula, both as text in the units that they name."""

    name: Text
    value: str
    formula: Text | str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Lines under a heading."""

    title: Text
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Lift:
    """A change, and the kernel's latency with it."""

    change: Text
    latency_us: float
    gain_us: float


@dataclass(frozen=True, eq=False, slots=True)
class Breakdown:
    """A kernel's cost taken apart."""

    cost: KernelCost
    sections: tuple[Section, ...]
    lifts: tuple[Lift, ...]
    """Largest gain first; changes that gain nothing are left out."""


def find_kernel(network: Network, wanted: str) -> Kernel:
    """A kernel by id, number, whole name, or the only name that ends with what is given.

    Raises:
        PlanError: none, or several.
    """
    exact = [k for k in network.kernels if wanted in (k.id, k.name, str(k.index), f"#{k.index}")]
    found = exact or [k for k in network.kernels if k.name.endswith(wanted)] if wanted else []
    if len(found) == 1:
        return found[0]
    if not found:
        raise PlanError(
            say("There is no kernel {kernel}; mixbit inspect lists numbers, ids and names.", kernel=wanted or '""')
        )
    names = ", ".join(f"#{k.index} {k.name}" for k in found[:5])
    raise PlanError(
        say("{kernel} is the name of several kernels ({names}); give a number.", kernel=wanted, names=names)
    )


def breakdown(network: Network, plan: Plan, device: Device, kernel: Kernel) -> Breakdown:
    """Take the simulated cost of a kernel apart."""
    cost = simulate(network, plan, device).kernels[kernel.index]
    found = inside(network, plan, device, kernel.index)
    sections = [_work(found, device.chip)]
    if found.on_cpu is None and found.body.latency:
        sections += [*_tiling(found, device.chip), _bytes(found, device.chip)]
    sections.append(_time(found, cost, device.chip))
    return Breakdown(cost, tuple(sections), _lifts(network, plan, device, kernel, found))


def _work(found: Inside, chip: Chip) -> Section:
    work = found.work
    lines = [Line(say("Runs in"), found.mode.cube.upper(), _formats(found))]
    product = work.product
    m, n, k, groups, taps = product.m, product.n, product.k, product.groups, product.taps
    if groups:
        times = f" × {groups}" if groups > 1 else ""
        lines.append(Line(say("Product M × K × N"), f"{m} × {k} × {n}{times}", f"K = {k // taps} × {taps}"))
        lines.append(Line(say("Multiply-accumulates"), f"{work.macs:,}", f"{m} × {k} × {n}{times}"))
    free = work.vector_free if chip.fixpipe and work.unit == "Cube" else NO_PASSES
    for name, count, spared in zip(_pass_names(), work.vector, free, strict=True):
        if count:
            note = say("{count} of them free on the way out of L0C", count=f"{spared:,.0f}") if spared else ""
            lines.append(Line(name, f"{count:,.0f}", note))
    return Section(say("Work"), tuple(lines))


def _pass_names() -> tuple[Text, ...]:
    return (
        say("Vector elements, one source"),
        say("Vector elements, two sources"),
        say("Vector elements, exp and ln"),
        say("Vector elements, division and root"),
        say("Vector elements, reductions"),
    )


def _formats(found: Inside) -> Text:
    form = found.mode.weights
    weights = f"{'FP' if form.floating else 'INT'}{form.bits}"
    activations = "INT8" if found.mode.integer_in else "FP16"
    if found.mode.unpack:
        return say(
            "weights {weights}, widened by the Vector unit; activations {activations}",
            weights=weights,
            activations=activations,
        )
    return say("weights {weights}, activations {activations}", weights=weights, activations=activations)


def _tiling(found: Inside, chip: Chip) -> list[Section]:
    if not found.body.cube:
        return []
    precision = found.mode.cube
    m0, k0, n0 = chip.cube[precision]
    product = matrix(found.work, precision, found.moved.channels_first, chip)
    level = chip.level0[precision]
    cut = tile(product.m, product.n, product.k, level)
    work = cube_work(found.work, found.mode, found.moved, found.weight_bytes, chip)
    width = WIDTH[precision]
    times = f" × {product.groups}" if product.groups > 1 else ""
    twice = (cut.m * m0 * cut.k * k0 * width, cut.k * k0 * cut.n * n0 * width, cut.m * m0 * cut.n * n0 * 4)
    useful = found.work.macs / product.macs if product.macs else 1.0
    lines = (
        Line(
            say("Blocks M × K × N"),
            f"{product.m} × {product.k} × {product.n}{times}",
            say(
                "of {block}; {useful} % of them is no padding",
                block=f"{m0} × {k0} × {n0}",
                useful=f"{100 * useful:.0f}",
            ),
        ),
        Line(
            say("L0 tile M × K × N"),
            f"{cut.m * m0} × {cut.k * k0} × {cut.n * n0}",
            say("{blocks} blocks", blocks=f"{cut.m} × {cut.k} × {cut.n}"),
        ),
        Line(
            say("In L0A, L0B, L0C"),
            ", ".join(f"{2 * nbytes / 1024:g}" for nbytes in twice) + " KiB",
            say("twice each: one is filled while the other is used"),
        ),
        Line(
            say("Tiles"),
            f"{work.tiles:,}",
            f"⌈{product.m}/{cut.m}⌉ × ⌈{product.n}/{cut.n}⌉ × ⌈{product.k}/{cut.k}⌉{times}",
        ),
        Line(
            say("Reads of activations, weights"),
            f"{work.activation_reads}, {work.weight_reads}",
            say("half of {size} KiB L1 holds what stays", size=f"{chip.l1 / 1024:g}"),
        ),
        Line(say("Cores"), f"{product.cores}", say("of {count}", count=chip.cores)),
    )
    return [Section(say("Tile"), lines)]


def _bytes(found: Inside, chip: Chip) -> Section:
    body, moved = found.body, found.moved
    whole = (moved.read_bytes + moved.write_bytes) / body.slices
    spilled = max(0.0, 1.0 - chip.l2_room / whole) if whole else 0.0
    lines = [
        Line(say("Activations in"), f"{moved.read_bytes:,} B"),
        Line(say("Weights and constants"), f"{found.weight_bytes:,} B"),
        Line(say("Activations out"), f"{moved.write_bytes:,} B"),
        Line(say("From and to memory"), f"{body.ddr_read + body.ddr_write:,.0f} B", _spill_words(spilled, chip)),
    ]
    if body.l2:
        lines.append(Line(say("Through L2"), f"{body.l2:,.0f} B"))
    lines.append(Line(say("Through L1 and UB"), f"{body.l1:,.0f} B"))
    if body.l0:
        lines.append(Line(say("Into L0"), f"{body.l0:,.0f} B"))
    if moved.convert_bytes:
        lines.append(Line(say("Layout conversion"), f"{moved.convert_bytes:,} B"))
    return Section(say("Bytes"), tuple(lines))


def _spill_words(spilled: float, chip: Chip) -> Text:
    if not chip.l2_read:
        return say("all: there is no L2")
    return say("weights, and {share} % of the activations, which do not fit L2", share=f"{100 * spilled:.0f}")


def _time(found: Inside, cost: KernelCost, chip: Chip) -> Section:
    body = found.body
    if found.on_cpu is not None:
        formula = say("2 × {sync} µs hand-over, copies both ways, arithmetic", sync=f"{chip.cpu_sync_us:g}")
        return Section(say("Time"), (Line(say("CPU"), _us(body.cpu), formula),))
    note = say("once for each of {count} slices of the batch", count=body.slices) if body.slices > 1 else ""
    if cost.launch_us + _LEAST_GAIN_US < body.launch:
        note = say("of {launch} µs, the rest during the kernel before", launch=f"{body.launch:.2f}")
    lines = [Line(say("Launch"), _us(_launch(found, cost, chip)), note)]
    if body.convert:
        lines.append(Line(say("Layout conversion"), _us(body.convert), say("with a launch of its own")))
    if body.cube:
        lines.append(Line(say("Cube"), _us(body.cube), _cube_formula(found, chip)))
    if body.mte1:
        lines.append(Line(say("MTE1"), _us(body.mte1), say("{size} B from L1 to L0", size=f"{body.l0:,.0f}")))
    if body.vector:
        size = f"{body.vector_bytes:,.0f}"
        lines.append(Line(say("Vector"), _us(body.vector), say("{size} B through the Vector unit", size=size)))
    if cost.mte2_us:
        lines.append(Line(say("MTE2"), _us(cost.mte2_us), _read_formula(found, cost, chip)))
    if body.mte3:
        lines.append(Line(say("MTE3"), _us(body.mte3), say("{size} B out", size=f"{found.moved.write_bytes:,}")))
    lines.append(Line(say("Fill and drain"), _us(body.fill + body.drain), f"{body.fill:.2f} + {body.drain:.2f}"))
    lines.append(Line(say("Latency"), _us(cost.latency_us), _latency_formula(found, cost, chip)))
    return Section(say("Time"), tuple(lines))


def _launch(found: Inside, cost: KernelCost, chip: Chip) -> float:
    """Us that the run waits for the kernel's own launch."""
    return cost.launch_us - (chip.launch_movement_us if found.body.convert else 0.0)


def _cube_formula(found: Inside, chip: Chip) -> Text:
    precision = found.mode.cube
    product = matrix(found.work, precision, found.moved.channels_first, chip)
    cut = tile(product.m, product.n, product.k, chip.level0[precision])
    return say(
        "{groups} × ({issue} × {tiles} tiles + {blocks} blocks) cycles at {mhz} MHz × {efficiency}, {cores} cores",
        groups=product.groups,
        issue=f"{chip.level0[precision].issue:g}",
        tiles=f"{cut.tiles:,}",
        blocks=f"{product.m * product.n * product.k:,}",
        mhz=f"{1.0 / chip.cycle_us:g}",
        efficiency=f"{chip.cube_efficiency:g}",
        cores=product.cores,
    )


def _read_formula(found: Inside, cost: KernelCost, chip: Chip) -> Text:
    body = found.body
    size, rate = f"{body.ddr_read:,.0f}", f"{chip.ddr / 1e3:.1f}"
    moved = body.convert - chip.launch_movement_us if body.convert else 0.0
    ahead = body.mte2 + moved - cost.mte2_us
    if ahead > _LEAST_GAIN_US:
        return say(
            "{size} B from memory at {rate} GB/s, {ahead} µs of it during the kernel before",
            size=size,
            rate=rate,
            ahead=f"{ahead:.2f}",
        )
    return say("{size} B from memory at {rate} GB/s", size=size, rate=rate)


def _latency_formula(found: Inside, cost: KernelCost, chip: Chip) -> Text:
    body, launch = found.body, _launch(found, cost, chip)
    rest = cost.latency_us - launch - body.convert - body.drain
    # Launched ahead, a kernel reads its first tile early; prefetched weights shorten what comes after that.
    fill = min(body.fill, max(0.0, rest - body.steady)) if launch < body.launch else body.fill
    return say(
        "launch {launch} + conversion {convert} + fill {fill} + longest unit {steady} + drain {drain}",
        launch=f"{launch:.2f}",
        convert=f"{body.convert:.2f}",
        fill=f"{fill:.2f}",
        steady=f"{rest - fill:.2f}",
        drain=f"{body.drain:.2f}",
    )


def _us(value: float) -> str:
    return f"{value:.2f} µs"


def _lifts(network: Network, plan: Plan, device: Device, kernel: Kernel, found: Inside) -> tuple[Lift, ...]:
    now = found.body_on(device.chip).latency
    lifts = []
    for change, chip in _changed(device.chip):
        after = found.body_on(chip).latency
        lifts.append(Lift(change, after, now - after))
    if kernel.tunable and found.on_cpu is None:
        planned = plan.scheme(kernel.id)
        for other in (FP16, INT8, INT4):
            if other != planned and supports(device, kernel, other) is None:
                tried = inside(network, plan.with_schemes({kernel.id: other}), device, kernel.index)
                after = tried.body.latency
                change = say("{scheme} instead of {now}", scheme=label(other), now=label(planned))
                lifts.append(Lift(change, after, now - after))
    useful = [lift for lift in lifts if lift.gain_us > _LEAST_GAIN_US]
    return tuple(sorted(useful, key=lambda lift: lift.latency_us))


def _changed(chip: Chip) -> list[tuple[Text, Chip]]:
    """The chip with one thing better at a time."""
    quick = {
        name: level._replace(a_cycles=level.a_cycles / _FACTOR, b_cycles=level.b_cycles / _FACTOR)
        for name, level in chip.level0.items()
    }
    one, two, exp, div, reduce = (us / _FACTOR for us in chip.vector)
    ports = replace(chip, l2_read=chip.l2_read * _FACTOR, l2_write=chip.l2_write * _FACTOR, out=chip.out * _FACTOR)
    vector = replace(chip, vector=(one, two, exp, div, reduce), vector_issue_us=chip.vector_issue_us / _FACTOR)
    cpu = replace(
        chip,
        cpu_copy=chip.cpu_copy * _FACTOR,
        cpu_macs=chip.cpu_macs * _FACTOR,
        cpu_bandwidth=chip.cpu_bandwidth * _FACTOR,
    )
    launch = replace(chip, launch_cube_us=0.0, launch_vector_us=0.0, launch_movement_us=0.0)
    return [
        (say("No launch, if fused"), launch),
        (say("Twice the memory bandwidth"), replace(chip, ddr=chip.ddr * _FACTOR)),
        (say("Twice the ports of L2 and out of the core"), ports),
        (say("An L2 that holds all activations"), replace(chip, l2_room=inf) if chip.l2_read else chip),
        (say("Twice the Cube"), replace(chip, cube_efficiency=chip.cube_efficiency * _FACTOR)),
        (say("Twice the ports from L1 to L0"), replace(chip, level0=quick)),
        (say("Twice the Vector unit"), vector),
        (say("Twice the CPU and its copies"), cpu),
    ]
