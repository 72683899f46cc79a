"""The error of a plan from one sample, before the others have run: with a large model that is worth a lot."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from engine.numerics.outputs import OutputSums, total
from engine.numerics.plan_run import PlanRun, run_plan
from engine.numerics.reference import begin_reference
from engine.numerics.results import Evaluation
from engine.numerics.shared import Shared
from engine.numerics.state import SampleState
from engine.numerics.workers import Workers
from engine.precision.plan import Plan
from engine.progress import CancelToken, Progress


def look_first(
    shared: Shared,
    workers: Workers,
    plan: Plan,
    gate: Callable[[], None] | None,
    progress: Progress,
    cancel: CancelToken,
) -> tuple[SampleState, Evaluation]:
    """Run reference and plan of the first sample.

    Args:
        shared: Nothing of it has run; the sample's reference is kept.
        workers: One runs the reference, the others build the plan's sessions meanwhile.
        plan: The plan.
        gate: Called between kernels; may wait.
        progress: Told about.
        cancel: Checked between kernels.

    Returns:
        The sample with the plan's values, and what it gave at the output.

    Raises:
        ModelError, DataError, Cancelled: As `begin_reference`.
        PlanError: If a scheme can't be run.
    """
    started = time.perf_counter()
    schemes = shared.wiring.schemes(plan)
    keys = shared.wiring.keys(schemes)
    changed = [at for at, key in enumerate(keys) if key != shared.reference_keys[at]]

    def build(at: int) -> None:
        cancel.check()
        shared.sessions.get(shared.network.kernels[at], schemes[at], shared.wiring.halves(at, schemes))

    begin_reference(shared, (0,), workers, progress, cancel, [partial(build, at) for at in changed])
    state = SampleState(shared, 0)
    compared: dict[int, OutputSums] = {}
    run_plan(shared, [state], workers, PlanRun(schemes, keys, [False] * len(keys), gate, progress, cancel), compared)
    assert shared.reading is not None
    return state, Evaluation(
        output=total(tuple(compared.values()), shared.reading),
        accumulated={},
        synthetic=shared.samples.synthetic,
        samples=1,
        seconds=time.perf_counter() - started,
        remaining=len(shared.samples) - 1,
    )
