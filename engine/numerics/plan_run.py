"""One run of a plan over samples: sessions first, then the kernels, in stages whose sessions fit the budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import onnxruntime as ort

from engine.fusion.types import Kernel
from engine.numerics.outputs import OutputSums, compare_outputs, compare_samples
from engine.numerics.shared import Shared
from engine.numerics.state import SampleState
from engine.numerics.workers import Workers
from engine.precision.scheme import Scheme
from engine.progress import CancelToken, Progress
from engine.text import say

SMALL_OUTPUTS = 1 << 14
"""Elements of the model's outputs up to which all samples are compared in one go: such a comparison is nothing but
calls, which take several times as long where each follows a network that has emptied the caches."""

_TOGETHER = 16
"""Samples that are compared between two looks at a cancel."""


@dataclass(frozen=True, eq=False, slots=True)
class PlanRun:
    """What is to be run."""

    schemes: tuple[Scheme, ...]
    """By kernel index."""
    keys: tuple[int, ...]
    """Content that is wanted, by kernel index; may be a prefix."""
    measure: Sequence[bool]
    """Whether the kernel's error is to be found."""
    gate: Callable[[], None] | None
    """Called between kernels; may wait."""
    progress: Progress
    cancel: CancelToken


def run_plan(
    shared: Shared,
    states: Sequence[SampleState],
    workers: Workers,
    run: PlanRun,
    compared: dict[int, OutputSums] | None = None,
) -> None:
    """Bring samples to the content of a plan.

    Args:
        shared: Sessions and reference.
        states: The first samples, or all.
        workers: Build sessions and run samples.
        run: What is to be run.
        compared: If it is given: gets the errors of the outputs, by sample.

    Raises:
        ModelError: If ONNX Runtime can't run a layer.
        Cancelled: If asked to stop; what has run is kept.
    """
    schemes, keys, cancel = run.schemes, run.keys, run.cancel
    kernels = shared.network.kernels
    chains = shared.chains.ready(schemes)
    stale = sorted({at for state in states for at in state.stale(keys)})
    halves = {at: shared.wiring.halves(at, schemes) for at in stale}
    absent = [at for at in stale if not shared.sessions.has(kernels[at], schemes[at], halves[at])]
    stages = staged([kernels[at] for at in stale], shared.sessions.limit)
    ready: dict[int, ort.InferenceSession] = {}
    done: list[int] = []
    work = len(stale) * len(states) + len(absent) or 1
    text = say("Running the plan")

    def tick() -> None:
        run.progress(min(1.0, len(done) / work), text)

    def build(at: int) -> None:
        cancel.check()
        if run.gate is not None:
            run.gate()
        ready[at] = shared.sessions.get(kernels[at], schemes[at], halves[at])
        done.append(1)

    small = sum(array.size for array in shared.output_arrays(shared.values[0]).values()) <= SMALL_OUTPUTS
    for number, stage in enumerate(stages, 1):
        last = number == len(stages)
        upto = len(keys) if last else stage[-1].index + 1

        def advance(sample: int, upto: int = upto, last: bool = last) -> None:
            states[sample].advance(
                schemes, keys[:upto], run.measure[:upto], cancel, run.gate, done, ready, chains
            )  # fmt: skip
            if compared is not None and last and not small:
                compared[sample] = compare(shared, states[sample], sample)

        ready.clear()
        missing = [k.index for k in stage if not shared.sessions.has(k, schemes[k.index], halves[k.index])]
        there = [k.index for k in stage if k.index not in set(missing)]
        ready.update((at, shared.sessions.get(kernels[at], schemes[at], halves[at])) for at in there)
        workers.map(build, missing, cancel=cancel, tick=tick)
        workers.map(advance, range(len(states)), cancel=cancel, tick=tick)
    if compared is not None and small:
        for first in range(0, len(states), _TOGETHER):
            cancel.check()
            some = range(first, min(first + _TOGETHER, len(states)))
            compared.update(zip(some, compare_small(shared, [states[at] for at in some], some), strict=True))


def staged(kernels: Sequence[Kernel], limit: int) -> list[list[Kernel]]:
    """Kernels in a row whose constants take at most `limit` bytes together, or a single one; at least one stage.

    Samples go through a stage one after the other: were each to go through the whole network by itself, all sessions
    that don't fit would be built anew for each of them.
    """
    stages: list[list[Kernel]] = [[]]
    held = 0
    for kernel in kernels:
        size = sum(array.nbytes for array in kernel.constants.values())
        if stages[-1] and held + size > limit:
            stages.append([])
            held = 0
        stages[-1].append(kernel)
        held += size
    return stages


def compare(shared: Shared, state: SampleState, sample: int) -> OutputSums:
    """Errors of the model's outputs for one sample."""
    assert shared.reading is not None
    results, references = shared.output_arrays(state.values), shared.output_arrays(shared.values[sample])
    return compare_outputs(shared.reading, results, references, shared.labels(sample), state.output_sums())


def compare_small(shared: Shared, states: Sequence[SampleState], samples: Sequence[int]) -> list[OutputSums]:
    """The same of several samples whose outputs are small."""
    assert shared.reading is not None
    return compare_samples(
        shared.reading,
        [shared.output_arrays(state.values) for state in states],
        [shared.output_arrays(shared.values[sample]) for sample in samples],
        [shared.labels(sample) for sample in samples],
        [state.output_sums() for state in states],
    )
