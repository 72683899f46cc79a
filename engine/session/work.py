"""The steps of the main job as plain functions: what the window runs in the background and the command line in turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from engine.errors import DataError
from engine.fusion import fuse
from engine.fusion.types import Network, Rules
from engine.graph import load, read_inputs
from engine.graph.limits import DEFAULT_LIMIT
from engine.interop.samples import SYNTHETIC, DataSource, load_samples
from engine.npu import Device, simulate, sustain
from engine.npu.results import Scenario
from engine.numerics import Evaluator, calibrate, samples_within, synthetic_samples
from engine.numerics.results import Evaluation
from engine.numerics.rounded import RoundedWeights
from engine.numerics.samples import SampleSet
from engine.precision.plan import Plan
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.quant import plan_bytes
from engine.quant.ranges import Ranges
from engine.session.sample_doubts import doubts_about, look_at, rows_of, same_samples
from engine.session.sizes import Load, load_at_some_size
from engine.session.state import DataInfo, Figures
from engine.text import Text, say
from engine.tuning.context import context_of

SYNTHETIC_SAMPLES = 8
CALIBRATION_SAMPLES = 128
MOST_EVALUATION_SAMPLES = 256
_ACTIVATION_BYTES = 512 << 20
_KERNEL_RUNS = 4096
_LARGE_BYTES = 256 << 20
"""Weights from which on they are held once only, and a first sample is measured before all others."""
FEWEST_SAMPLES = 4


def open_network(
    path: Path,
    shapes: Mapping[str, Sequence[int]] | None = None,
    rules: Rules = "edge",
    *,
    memory_limit: int = DEFAULT_LIMIT,
    progress: Progress = no_progress,
    cancel: CancelToken = NEVER,
) -> Network:
    """Load a model and fuse it; free dimensions that are not in `shapes` take their proposals, or other usual sizes.

    Raises:
        ModelError: As `engine.graph.load`; `TooBigError` if it needs more than `memory_limit` bytes,
            `SizesRefusedError` if it does not run at sizes that were chosen.
    """
    inputs = read_inputs(path, memory_limit=memory_limit)
    cancel.check()
    opened = loader(path, memory_limit=memory_limit, progress=progress, cancel=cancel)
    graph = load_at_some_size(path, inputs, shapes or {}, opened, cancel)
    cancel.check()
    progress(0.92, say("Fusing"))
    return fuse(graph, rules, cancel=cancel)


def loader(path: Path, *, memory_limit: int, progress: Progress, cancel: CancelToken) -> Load:
    """Opens one file at any sizes."""

    def loading(fraction: float, text: Text) -> None:
        progress(fraction * 0.9, text)

    return lambda shapes: load(path, shapes=shapes, memory_limit=memory_limit, progress=loading, cancel=cancel)


def default_samples(network: Network) -> int:
    """How many evaluation samples keep a toggle quick: 8 to 256, as long as both limits hold.

    All activations together stay below 512 MiB, and one evaluation below 4,096 kernel runs. Less than 8, but not less
    than 4, if the evaluator would otherwise have to build sessions anew in each run or keep activations in a file.
    """
    each = max(1, sum(info.nbytes for info in network.tensors.values()))
    runs = _KERNEL_RUNS // max(1, len(network.kernels))
    least = min(SYNTHETIC_SAMPLES, max(FEWEST_SAMPLES, samples_within(network)))
    return min(MOST_EVALUATION_SAMPLES, max(least, min(_ACTIVATION_BYTES // each, runs)))


@dataclass(frozen=True, eq=False, slots=True)
class Prepared:
    """Data, ranges and an evaluator that has run the reference."""

    evaluator: Evaluator
    ranges: Ranges
    calibration: SampleSet
    evaluation: SampleSet
    info: DataInfo
    first: Evaluation | None = None
    """What the plan that was asked for first gave."""


@dataclass(frozen=True, slots=True)
class First:
    """A plan whose error at the output somebody waits for."""

    plan: Plan
    found: Callable[[Evaluation], None]
    """Called in the working thread, as soon as it is known; of a large model with what one sample gives before."""

    def comes_first(self, network: Network, count: int) -> bool:
        """Whether it can be measured before calibration: nothing depends on ranges or calibration samples.

        Calibration of a large model then runs in the sessions of the reference, if these can stay.
        """
        floats = all(s.activations.floating and s.rounded == s for s in set(self.plan.values()))
        return floats and (not is_large(network) or count <= samples_within(network))


def is_large(network: Network) -> bool:
    """Whether nothing but the weights decides how long it takes to begin."""
    return sum(array.nbytes for kernel in network.kernels for array in kernel.constants.values()) > _LARGE_BYTES


def prepare(
    network: Network,
    calibration: DataSource = SYNTHETIC,
    evaluation: DataSource = SYNTHETIC,
    *,
    observer: str = "minmax",
    samples: int | None = None,
    kept: RoundedWeights | None = None,
    first: First | None = None,
    touch: bool = True,
    progress: Progress = no_progress,
    cancel: CancelToken = NEVER,
) -> Prepared:
    """Read the data, calibrate the activation ranges, and run the reference; the last before calibration for `first`.

    Args:
        network: what runs.
        calibration: samples for the ranges.
        evaluation: samples for the errors; synthetic ones if none are given.
        observer: a name in `engine.quant.OBSERVERS`.
        samples: at most so many evaluation samples (default: the source's own limit, else `default_samples`).
        kept: where weights that methods have rounded are kept for other data and models.
        first: what is to be measured as soon as possible.
        touch: as for `Evaluator`.
        progress: fraction and what is being done.
        cancel: stops between samples and kernels.
    """
    inputs = network.graph.inputs
    count = samples if samples is not None else evaluation.limit or default_samples(network)
    if count < 1:
        raise DataError(say("At least one evaluation sample is needed; {count} were asked for.", count=count))
    notes: list[Text] = []
    if samples is None and not evaluation.limit and count < SYNTHETIC_SAMPLES:
        notes.append(
            say(
                "Evaluated on {count} samples instead of {usual}: the activations of more would leave too little "
                "memory for the weights, and each change of the plan would take far longer.",
                count=count,
                usual=SYNTHETIC_SAMPLES,
            )
        )
    if evaluation.kind == "synthetic" and calibration.kind != "synthetic":
        evaluation = calibration
        notes.append(say("Evaluated on the calibration samples: errors are too optimistic; give separate samples."))
    elif evaluation.kind != "synthetic" and (calibration.kind == "synthetic" or same_samples(calibration, evaluation)):
        calibration = evaluation if calibration.kind == "synthetic" else calibration
        notes.append(say("Calibrated on the evaluation samples: errors are too optimistic; give separate samples."))
    if evaluation.kind == "synthetic":
        count = min(count, SYNTHETIC_SAMPLES)
    early = first if first is not None and first.comes_first(network, count) else None
    large = is_large(network)
    evaluator, ev, found = None, None, None
    try:
        if early is not None:
            ev = _samples(network, evaluation, count, 2, _part(progress, 0, 0.1), cancel)
            evaluator = Evaluator(network, ev, ranges=Ranges(), touch=touch)
            if large:
                early.found(evaluator.first_look(early.plan, progress=_part(progress, 0.1, 0.25), cancel=cancel))
            evaluator.prepare(progress=_part(progress, 0.1, 0.4), cancel=cancel)
            found = evaluator.evaluate(early.plan, accumulated=False, cancel=cancel)
            early.found(found)
        cal = _samples(
            network, calibration, calibration.limit or CALIBRATION_SAMPLES, 1, _part(progress, 0.4, 0.5), cancel
        )
        if ev is None:
            ev = _samples(network, evaluation, count, 2, _part(progress, 0.5, 0.55), cancel)
        notes += dict.fromkeys((*cal.notes, *ev.notes))
        seen = look_at(network, calibration, cal, cancel), look_at(network, evaluation, ev, cancel)
        part = _part(progress, 0.55, 0.8 if evaluator is None else 1.0)
        running = evaluator.reference_values if evaluator is not None and large else None
        ranges = calibrate(
            network, cal, observer=observer, kept=kept, reference=running, progress=part, cancel=cancel
        )  # fmt: skip
        notes += doubts_about(network, *seen, ranges)
        if evaluator is None:
            evaluator = Evaluator(network, ev, ranges=ranges, touch=touch)
        evaluator.take_ranges(ranges)
        evaluator.prepare(progress=_part(progress, 0.8, 1.0), cancel=cancel)
    except BaseException:
        if evaluator is not None:
            evaluator.close()
        raise
    if not inputs:
        notes.append(say("The model has no inputs, so every sample is the same."))
    info = DataInfo(
        cal.source,
        len(cal),
        cal.available or len(cal),
        ev.source,
        len(ev),
        ev.available or len(ev),
        cal.synthetic or ev.synthetic,
        ev.labels is not None,
        observer,
        tuple(notes),
        rows_of(*seen, ranges),
        f"{network.graph.sha256[:16]} {context_of(network, ev, ranges)}",
    )
    return Prepared(evaluator, ranges, cal, ev, info, found)


def not_measurable(network: Network, evaluation: Evaluation) -> Text | None:
    """Which layer makes errors unmeasurable, because its reference holds NaN or Inf although all samples are finite."""
    sums = evaluation.accumulated
    broken = [kernel for kernel in network.kernels if kernel.id in sums and sums[kernel.id].unmeasured]
    if not broken:
        return None
    return say(
        "{layer} gives {count} values that are NaN or Inf in full precision, although the samples are finite: the "
        "error of {layers} layers can't be measured; check the model and the preprocessing.",
        layer=broken[0].name,
        count=sums[broken[0].id].unmeasured,
        layers=len(broken),
    )


def simulate_plan(network: Network, plan: Plan, device: Device, scenario: Scenario) -> Figures:
    """Size, timeline, memory, energy and heat of a plan; no errors."""
    return warm(cost_plan(network, plan, device), device, scenario)


def cost_plan(network: Network, plan: Plan, device: Device) -> Figures:
    """Size, timeline, memory and energy of one run."""
    return Figures(plan, plan_bytes(network, plan), simulate(network, plan, device), warmed=False)


def warm(figures: Figures, device: Device, scenario: Scenario) -> Figures:
    """The same with the heat of many runs."""
    assert figures.simulation is not None
    return replace(figures, sustained=sustain(figures.simulation, device, scenario), warmed=True)


def _samples(
    network: Network, source: DataSource, limit: int, seed: int, progress: Progress, cancel: CancelToken
) -> SampleSet:
    if source.kind == "synthetic":
        return synthetic_samples(network.graph, min(limit, SYNTHETIC_SAMPLES), seed)
    found = load_samples(source, network.graph.inputs, limit=limit, progress=progress, cancel=cancel)
    return found if found.labels is None else replace(found, labels=np.asarray(found.labels))


def _part(progress: Progress, low: float, high: float) -> Progress:
    return lambda fraction, text: progress(low + (high - low) * fraction, text)
