"""What will hurt on the device, and why: read off results that exist, nothing computed anew and nothing guessed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QCoreApplication

from engine.fusion.types import Kernel, Network
from engine.npu.results import KernelCost, Simulation
from engine.precision.scheme import label
from gui import format as form
from gui.i18n import text as translated
from gui.views.layers_rows import Support

if TYPE_CHECKING:
    from engine.session import Session

translate = QCoreApplication.translate

Severity = Literal["bad", "warn", "info"]
SLOWER = 1.02
"""A kernel counts as slower from 2 % over its FP16 latency."""
LISTED = 3
"""CPU kernels that get an entry of their own; the others share one."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One entry: a hazard, its price, and the kernels it is about."""

    severity: Severity
    title: str
    detail: str
    kernels: tuple[int, ...]
    """Kernel indices, the most telling one first."""


def findings(session: Session, support: Support | None = None) -> list[Finding]:
    """All entries, worst first; `support` remembers what the device says about schemes."""
    if session.network is None:
        return []
    simulation = session.figures.simulation
    if simulation is not None and len(simulation.kernels) != len(session.network.kernels):
        simulation = None
    found = [
        *_unmeasured(session, session.network),
        *_overflows(session, session.network),
        *_not_native(session, session.network, support or Support(session)),
        *_imprecise(session, session.network),
    ]
    if simulation is not None:
        found += [
            *_on_cpu(session.network, simulation),
            *_slower(session, session.network, simulation),
            *_launch_bound(simulation),
        ]
    found += _throttling(session)
    return sorted(found, key=lambda f: ("bad", "warn", "info").index(f.severity))


def names(kernels: list[Kernel], most: int = 3) -> str:
    """A few kernel names, and how many more there are."""
    shown = ", ".join(k.name for k in kernels[:most])
    rest = len(kernels) - most
    return shown if rest <= 0 else translate("Preflight", "{0} and {1} more").format(shown, rest)


def _on_cpu(network: Network, simulation: Simulation) -> Iterator[Finding]:
    pairs = [(k, c) for k, c in zip(network.kernels, simulation.kernels, strict=True) if c.unit == "CPU"]
    pairs.sort(key=lambda pair: -pair[1].latency_us)
    for kernel, cost in pairs[:LISTED]:
        title = translate("Preflight", "{0} runs on the CPU").format(kernel.name)
        yield Finding("bad", title, f"{translated(cost.why)} · {_share([cost], simulation)}", (kernel.index,))
    rest = pairs[LISTED:]
    if rest:
        title = translate("Preflight", "%n more kernel(s) run on the CPU", "", len(rest))
        detail = f"{names([k for k, _ in rest])} · {_share([c for _, c in rest], simulation)}"
        yield Finding("bad", title, detail, tuple(k.index for k, _ in rest))


def _share(costs: list[KernelCost], simulation: Simulation) -> str:
    total = sum(c.latency_us for c in costs)
    part = total / simulation.latency_us if simulation.latency_us else 0.0
    return translate("Preflight", "{0}, {1} of the run").format(form.latency_us(total), form.percent(part))


def _slower(session: Session, network: Network, simulation: Simulation) -> Iterator[Finding]:
    base = session.baseline.simulation if session.baseline else None
    if base is None or len(base.kernels) != len(simulation.kernels):
        return
    by_label: dict[str, list[tuple[Kernel, float]]] = {}
    for kernel, now, before in zip(network.kernels, simulation.kernels, base.kernels, strict=True):
        if kernel.tunable and now.latency_us > before.latency_us * SLOWER:
            extra = now.latency_us - before.latency_us
            by_label.setdefault(label(session.plan.scheme(kernel.id)), []).append((kernel, extra))
    for name, group in by_label.items():
        group.sort(key=lambda pair: -pair[1])
        title = translate("Preflight", "{0} makes %n kernel(s) slower than FP16", "", len(group)).format(name)
        price = form.signed(form.latency_us(sum(more for _, more in group)))
        yield Finding("warn", title, f"{names([k for k, _ in group])} · {price}", tuple(k.index for k, _ in group))


def _launch_bound(simulation: Simulation) -> Iterator[Finding]:
    bound = [(i, c) for i, c in enumerate(simulation.kernels) if c.bound == "Launch"]
    if not bound:
        return
    title = translate("Preflight", "%n kernel(s) are launch-bound", "", len(bound))
    # The share is that of all launches, as in the Summary: two figures for one word would contradict each other.
    share = simulation.launch_us / simulation.latency_us if simulation.latency_us else 0.0
    detail = translate("Preflight", "all launches take {0}, {1} of the run").format(
        form.latency_us(simulation.launch_us), form.percent(share)
    )
    yield Finding("info", title, detail, tuple(i for i, _ in bound))


def _not_native(session: Session, network: Network, support: Support) -> Iterator[Finding]:
    groups: dict[tuple[str, str], list[Kernel]] = {}
    for kernel in network.tunable:
        scheme = session.plan.scheme(kernel.id)
        reason = support.why_not(kernel.id, scheme)
        if reason is not None:
            groups.setdefault((label(scheme), translated(reason)), []).append(kernel)
    for (name, why), kernels in groups.items():
        title = translate("Preflight", "{0} is not native for %n kernel(s)", "", len(kernels)).format(name)
        yield Finding("warn", title, f"{names(kernels, 2)} · {why}", tuple(k.index for k in kernels))


def _imprecise(session: Session, network: Network) -> Iterator[Finding]:
    """Kernels whose own error is already above what the output may have."""
    required = session.budgets.min_sqnr_db
    if required is None:
        return
    worst = []
    for kernel in network.tunable:
        sums = session.local.get((kernel.id, session.plan.scheme(kernel.id)))
        if sums is not None and not sums.nonfinite and sums.sqnr_db < required:
            worst.append((sums.sqnr_db, kernel))
    if not worst:
        return
    worst.sort(key=lambda pair: pair[0])
    title = translate("Preflight", "%n kernel(s) alone miss the required SQNR", "", len(worst))
    first = worst[0]
    detail = translate("Preflight", "worst: {0} with {1} local, {2} required").format(
        first[1].name, form.sqnr(first[0]), form.sqnr(required)
    )
    yield Finding("warn", title, detail, tuple(k.index for _, k in worst))


def _unmeasured(session: Session, network: Network) -> Iterator[Finding]:
    """Kernels whose reference holds NaN or infinity: one entry, the first kernel in front."""
    evaluation = session.figures.evaluation
    if evaluation is None:
        return
    sums = evaluation.accumulated
    broken = [k for k in network.kernels if k.id in sums and sums[k.id].unmeasured]
    if broken:
        title = translate("Preflight", "{0} gives NaN or infinity in full precision").format(broken[0].name)
        detail = translate("Preflight", "the error of %n kernel(s) can't be measured", "", len(broken))
        yield Finding("bad", title, detail, tuple(k.index for k in broken))


def _overflows(session: Session, network: Network) -> Iterator[Finding]:
    for kernel in network.tunable:
        scheme = session.plan.scheme(kernel.id)
        sums = session.local.get((kernel.id, scheme))
        if sums is not None and sums.nonfinite:
            title = translate("Preflight", "{0} overflows in {1}").format(kernel.name, label(scheme))
            detail = translate("Preflight", "%n value(s) are NaN or infinite on the samples", "", sums.nonfinite)
            yield Finding("bad", title, detail, (kernel.index,))


def _throttling(session: Session) -> Iterator[Finding]:
    sustained = session.figures.sustained
    if sustained is None or sustained.throttled_at_s is None:
        return
    title = translate("Preflight", "The device throttles after {0}").format(form.clock_time(sustained.throttled_at_s))
    detail = translate("Preflight", "latency {0} at the end, skin {1}").format(
        form.run_latency(sustained.final_latency_us), form.temperature(sustained.final_skin_c)
    )
    yield Finding("warn", title, detail, ())
