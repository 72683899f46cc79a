"""What a target can't do and what happens instead, known before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.fusion.types import Kernel, Network
from engine.interop.pictures import ImageOptions
from engine.npu import Device, latency_us
from engine.npu.results import Simulation, Sustained
from engine.numerics import Evaluator
from engine.numerics.results import ErrorSums, Evaluation
from engine.numerics.samples import SampleSet
from engine.precision.plan import Plan
from engine.precision.scheme import ActivationFormat, Scheme, WeightFormat, float_name, label
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.quant.sizes import PlanBytes, plan_bytes
from engine.text import Text

Rule = Callable[[Kernel, Scheme], tuple[Scheme, Text | None]]
"""The scheme that a target runs a kernel in, and why that is not the one asked for."""


@dataclass(frozen=True, slots=True)
class Change:
    """A kernel that the target runs in another scheme than the plan asks for."""

    kernel: str
    """Kernel id."""
    name: str
    asked: Scheme
    gets: Scheme
    reason: Text


@dataclass(frozen=True, slots=True)
class Handover:
    """A plan as a target will really run it."""

    effective_plan: Plan
    """A scheme for every tunable kernel; to be measured in the place of the plan."""
    changes: tuple[Change, ...] = ()
    notes: tuple[Text, ...] = ()
    """What else the reader of the files should know: renamed nodes, opsets, parts the target decides itself."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a hand-over does to size, latency and output error; None where nobody measured."""

    asked_bytes: int
    gets_bytes: int
    asked_latency_us: float | None = None
    gets_latency_us: float | None = None
    asked_sqnr_db: float | None = None
    gets_sqnr_db: float | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Measured:
    """Figures of the plan that tables, overlays and reports show; None where nothing is known yet."""

    size: PlanBytes | None = None
    simulation: Simulation | None = None
    sustained: Sustained | None = None
    evaluation: Evaluation | None = None
    local: Mapping[tuple[str, Scheme], ErrorSums] = field(default_factory=dict)
    sensitivity: Mapping[tuple[str, Scheme], float] = field(default_factory=dict)
    """Output SQNR in dB when only this kernel takes the scheme."""
    calibration: str = ""
    """Where the calibration samples come from, for people."""
    evaluated_on: str = ""
    estimated: Mapping[tuple[str, Scheme], tuple[float, str]] = field(default_factory=dict)
    """The same as `sensitivity`, predicted: dB, and where it holds ("output", or "logits": before the last softmax)."""


@dataclass(frozen=True, eq=False, slots=True)
class Extras:
    """What a target may want beside the plan. Each target says what it does without."""

    samples: SampleSet | None = None
    """Calibration samples to hand over."""
    images: Mapping[str, ImageOptions] = field(default_factory=dict)
    """By input name: how pictures become feeds."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Values of the target's options; what is missing takes its default."""
    measured: Measured = field(default_factory=Measured)
    effect: Effect | None = None
    """Goes into the hand-over report."""
    translate: Callable[[Text], str] = str
    """Turns sentences into the reader's language, in pages for people."""


NO_EXTRAS = Extras()


@dataclass(frozen=True, slots=True)
class Written:
    """What an export has put on the disk."""

    target: str
    path: Path
    files: tuple[Path, ...]
    handover: Handover
    checks: tuple[Text, ...]
    """What was read back and compared with the plan."""


def hand_over(network: Network, plan: Plan, rule: Rule, notes: Iterable[Text] = ()) -> Handover:
    """Put every tunable kernel through a target's rule.

    Args:
        network: The network.
        plan: What the user wants; kernels that it doesn't list are at FP32.
        rule: The target's.
        notes: What holds for the whole model.
    """
    schemes: dict[str, Scheme] = {}
    changes = []
    for kernel in network.tunable:
        asked = plan.scheme(kernel.id)
        gets, reason = rule(kernel, asked)
        schemes[kernel.id] = gets
        if gets != asked:
            assert reason is not None
            changes.append(Change(kernel.id, kernel.name, asked, gets, reason))
    return Handover(Plan(schemes, plan.name), tuple(changes), tuple(notes))


def measure_effect(
    network: Network,
    plan: Plan,
    handover: Handover,
    *,
    device: Device | None = None,
    evaluator: Evaluator | None = None,
    progress: Progress = no_progress,
    cancel: CancelToken = NEVER,
) -> Effect:
    """Size, latency and output error of the plan and of what the target makes of it.

    Args:
        network: The network.
        plan: What the user wants.
        handover: What the target will run.
        device: Simulates the latency; None leaves it open.
        evaluator: Measures the error; None leaves it open.
        progress: Told about.
        cancel: Checked inside the evaluation.

    Raises:
        PlanError: A scheme that can't be run.
        Cancelled: If asked to stop.
    """
    gets = handover.effective_plan
    sqnr: list[float | None] = [None, None]
    if evaluator is not None:
        for at, each in enumerate((plan, gets)):
            found = evaluator.evaluate(each, accumulated=False, progress=progress, cancel=cancel)
            sqnr[at] = found.output.sqnr_db
    return Effect(
        plan_bytes(network, plan).total,
        plan_bytes(network, gets).total,
        latency_us(network, plan, device) if device is not None else None,
        latency_us(network, gets, device) if device is not None else None,
        *sqnr,
    )


def spell(scheme: Scheme) -> str:
    """A scheme in full, short enough for a list: 'INT4 (w4 asym g32, a fp16)'."""
    return f"{label(scheme)} (w{_weights(scheme.weights)}, a{_activations(scheme.activations)})"


def _weights(form: WeightFormat) -> str:
    if form.floating:
        return f" {float_name(form).lower()}"
    grain = f"g{form.group}" if form.granularity == "group" else f"per {form.granularity}"
    return f"{form.bits} {'sym' if form.symmetric else 'asym'} {grain}"


def _activations(form: ActivationFormat) -> str:
    if form.floating:
        return f" {float_name(form).lower()}"
    return f"{form.bits} {'sym' if form.symmetric else 'asym'}{'' if form.static else ' dynamic'}"
