"""What the Kernel inspector says about one kernel, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from engine.fusion.types import Kernel
from engine.npu.results import KernelCost
from engine.precision.plan import Plan
from engine.precision.scheme import FP32, Scheme, float_name, label
from engine.precision.stored import stored_scheme
from gui import format as form
from gui.i18n import text as translated
from gui.views.layers_rows import SEGMENTS, shown_evaluation
from gui.views.price import Pricer
from gui.views.scheme_words import method_words

if TYPE_CHECKING:
    from engine.session import Session
    from engine.session.state import SensitivityCell

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True)
class Fact:
    """A label with its value, and a quiet remark at the right end."""

    name: str
    value: str
    remark: str = ""
    tip: str = ""
    quiet: bool = False
    """The value is the name of something, not a figure."""


@dataclass(frozen=True, slots=True)
class Share:
    """Busy time of one unit."""

    name: str
    us: float
    of_latency: float
    role: str
    """"launch", "largest" or ""."""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The kernel in another scheme; a figure that is not known is None."""

    scheme: Scheme
    now: bool
    latency_us: float | None = None
    energy_uj: float | None = None
    local_db: float | None = None
    output_db: float | None = None
    """Output SQNR with only this kernel quantized, from a sweep."""
    refused: str = ""
    """Why the device has no native kernel for it."""
    estimated: bool = False
    """The output SQNR has not been measured yet."""

    @property
    def output_figure(self) -> str:
        """Output SQNR without its unit, marked while it is an estimate."""
        figure = form.sqnr_figure(self.output_db)
        return f"≈{figure}" if self.estimated and self.output_db is not None else figure


def cost_of(session: Session, kernel: Kernel) -> KernelCost | None:
    """The kernel's cost in the current simulation."""
    simulation = session.figures.simulation
    if simulation is None or kernel.index >= len(simulation.kernels):
        return None
    cost = simulation.kernels[kernel.index]
    return cost if cost.kernel == kernel.id else None


def shapes_line(session: Session, kernel: Kernel) -> str:
    """Shapes in and out: "[1, 144, 56, 56] → [1, 144, 56, 56]"."""
    assert session.network is not None
    tensors = session.network.tensors

    def shape(name: str) -> str:
        info = tensors.get(name)
        return "[" + ", ".join(str(d) for d in info.shape) + "]" if info is not None else "[?]"

    into = (
        shape(kernel.weight.activation if kernel.weight and kernel.weight.activation else kernel.inputs[0])
        if kernel.inputs
        else ""
    )
    out = shape(kernel.outputs[0]) if kernel.outputs else ""
    return " → ".join(part for part in (into, out) if part)


def format_facts(session: Session, kernel: Kernel) -> list[Fact]:
    """How weights and activations are stored, and the calibrated range."""
    scheme = session.plan.scheme(kernel.id)
    facts = [
        Fact(translate("Kernel", "Weights"), weights_words(scheme), quiet=True),
        *([] if scheme.weights.floating else [Fact(translate("Kernel", "Rounding"), method_words(scheme), quiet=True)]),
        Fact(translate("Kernel", "Activations"), activations_words(scheme), quiet=True),
    ]
    activation = kernel.weight.activation if kernel.weight is not None else ""
    found = session.ranges.of(activation, scheme.activations) if session.ranges else None
    if found is not None and session.ranges is not None:
        samples = translate("Kernel", "on %n sample(s)", "", session.ranges.samples)
        words = f"[{form.fixed(found.low, 2)}, {form.fixed(found.high, 2)}]"
        facts.append(Fact(translate("Kernel", "Input range"), words, samples, quiet=True))
    return facts


def stored_facts(kernel: Kernel) -> list[Fact]:
    """The precision of a kernel without a switch that the file holds in integers or in half precision."""
    scheme = stored_scheme(kernel)
    if scheme is None:
        return []
    origin = translate("Kernel", "in the file")
    return [
        Fact(translate("Kernel", "Weights"), weights_words(scheme), origin, quiet=True),
        Fact(translate("Kernel", "Activations"), activations_words(scheme), origin, quiet=True),
    ]


def weights_words(scheme: Scheme) -> str:
    """Weight format: "INT4 asymmetric, groups of 32"."""
    weights = scheme.weights
    if weights.floating:
        return float_name(weights)
    sign = translate("Kernel", "symmetric") if weights.symmetric else translate("Kernel", "asymmetric")
    if weights.granularity == "group":
        scale = translate("Kernel", "groups of {0}").format(weights.group)
    elif weights.granularity == "channel":
        scale = translate("Kernel", "per channel")
    else:
        scale = translate("Kernel", "per tensor")
    return f"INT{weights.bits} {sign}, {scale}"


def activations_words(scheme: Scheme) -> str:
    """Activation format: "INT8 asymmetric, static"."""
    form_ = scheme.activations
    if form_.floating:
        return float_name(form_)
    sign = translate("Kernel", "symmetric") if form_.symmetric else translate("Kernel", "asymmetric")
    when = translate("Kernel", "static") if form_.static else translate("Kernel", "dynamic")
    return f"INT{form_.bits} {sign}, {when}"


def error_facts(session: Session, kernel: Kernel) -> list[Fact]:
    """Local and accumulated error and sensitivity under the current plan."""
    scheme = session.plan.scheme(kernel.id)
    facts = []
    mark = "~" if session.data is not None and session.data.synthetic else ""
    local = session.local.get((kernel.id, scheme))
    if local is not None and kernel.tunable:
        facts.append(Fact(translate("Kernel", "Local"), mark + form.sqnr(local.sqnr_db), _cosine(local.cosine)))
    evaluation = shown_evaluation(session)
    sums = evaluation.accumulated.get(kernel.id) if evaluation is not None else None
    if sums is not None:
        stale = session.staleness.stale and kernel.index >= session.staleness.from_kernel
        words = ("≈" if stale else mark) + form.sqnr(sums.sqnr_db)
        facts.append(Fact(translate("Kernel", "Accumulated"), words, "" if stale else _cosine(sums.cosine)))
    cell = session.sensitivity.get((kernel.id, scheme))
    if cell is not None:
        kind = translate("Kernel", "estimate") if cell.kind == "estimated" else ""
        kl = f"KL {form.scientific(cell.kl)}" if cell.kl is not None else ""
        figure = _alone_db(cell)
        if figure is None and kl:  # an estimate of logits has no SQNR
            figure_words, kl = mark + kl, ""
        else:
            figure_words = form.MISSING if figure is None else mark + form.sqnr(figure)
        remark = " · ".join(part for part in (kl, kind) if part)
        facts.append(Fact(translate("Kernel", "Output, alone"), figure_words, remark))
    return facts


def _alone_db(cell: SensitivityCell) -> float | None:
    """Output SQNR of a cell; that in front of the last softmax where only that is known."""
    return cell.logits_db if cell.sqnr_db is None else cell.sqnr_db


def _cosine(value: float) -> str:
    return translate("Kernel", "cosine {0}").format(form.cosine(value))


def shares(cost: KernelCost) -> list[Share]:
    """Where the time goes; units work side by side, so the parts add up to more than the whole."""
    if cost.unit == "CPU":
        rows = [("CPU", cost.cpu_us)]
    else:
        rows = [
            (translate("Kernel", "MTE2 in"), cost.mte2_us),
            ("MTE1 L1→L0", cost.mte1_us),
            ("Cube", cost.cube_us),
            ("Vector", cost.vector_us),
            (translate("Kernel", "MTE3 out"), cost.mte3_us),
        ]
    largest = max(us for _, us in rows)
    total = cost.latency_us or 1.0
    found = [Share(translate("Kernel", "Launch"), cost.launch_us, cost.launch_us / total, "launch")]
    for name, us in rows:
        found.append(Share(name, us, us / total, "largest" if us == largest and us > 0 else ""))
    return found


def traffic_facts(cost: KernelCost) -> list[Fact]:
    """Bytes over DDR and how the kernel is cut up."""
    moved = cost.mte2_us, cost.mte3_us
    return [
        Fact(translate("Kernel", "DDR read"), form.bytes_(cost.ddr_read_bytes), form.latency_us(moved[0])),
        Fact(translate("Kernel", "of it weights"), form.bytes_(cost.weight_bytes)),
        Fact(translate("Kernel", "DDR write"), form.bytes_(cost.ddr_write_bytes), form.latency_us(moved[1])),
        Fact(translate("Kernel", "Tiles"), form.integer(cost.tiles)),
        Fact(translate("Kernel", "Energy"), form.energy_uj(cost.energy_uj)),
    ]


def node_facts(kernel: Kernel) -> list[Fact]:
    """The ONNX nodes that were fused."""
    facts = []
    for node in kernel.nodes:
        name = node.proto.name or next((o for o in node.outputs if o), "")
        facts.append(Fact(name, "", node.op_type, tip=f"{name}\n{node.op_type}", quiet=True))
    return facts


def candidates(session: Session, kernel: Kernel) -> list[Scheme]:
    """Schemes of the what-if table: the three presets, and the current one if it is none of them."""
    now = session.plan.scheme(kernel.id)
    listed = list(SEGMENTS.values())
    return listed if now in listed or now == FP32 else [now, *listed]


def plan_with(session: Session, kernel: Kernel, scheme: Scheme) -> Plan:
    """The current plan with only this kernel changed."""
    return session.plan.with_schemes({kernel.id: scheme}, "")


def what_if(session: Session, kernel: Kernel, pricer: Pricer) -> list[WhatIf]:
    """What each scheme would do to this kernel: simulated cost, measured errors."""
    rows = []
    for scheme in candidates(session, kernel):
        price = pricer.known(plan_with(session, kernel, scheme))
        cost = price.simulation.kernels[kernel.index] if price is not None else None
        local = session.local.get((kernel.id, scheme))
        cell = session.sensitivity.get((kernel.id, scheme))
        reason = session.supports(kernel.id, scheme)
        rows.append(
            WhatIf(
                scheme,
                scheme == session.plan.scheme(kernel.id),
                None if cost is None else cost.latency_us,
                None if cost is None else cost.energy_uj,
                None if local is None or isnan(local.sqnr_db) else local.sqnr_db,
                None if cell is None else _alone_db(cell),
                "" if reason is None else translated(reason),
                estimated=cell is not None and cell.kind == "estimated",
            )
        )
    return rows


def what_if_words(row: WhatIf) -> str:
    """A row as a sentence, for screen readers."""
    figures = [
        form.latency_us(row.latency_us),
        form.sqnr(row.local_db),
        form.with_unit(row.output_figure, "dB"),
        form.energy_uj(row.energy_uj),
    ]
    return f"{label(row.scheme)}: " + ", ".join([*figures, row.refused] if row.refused else figures)


def refusals(rows: Sequence[WhatIf]) -> str:
    """Why schemes have no native kernel, one line each; equal reasons share a line."""
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        if row.refused:
            by_reason.setdefault(row.refused, []).append(label(row.scheme))
    return "\n".join(f"{', '.join(names)}: {reason}" for reason, names in by_reason.items())
