"""What is done differently for a large model: one sample first, layers in stages, calibration in the same sessions."""

from __future__ import annotations

from collections import Counter
from contextlib import closing

import numpy as np
import pytest
from handmade import Step, network, samples_like, small_net

from engine.errors import Cancelled
from engine.fusion.types import Kind
from engine.numerics import Evaluator, SampleSet, calibrate, plan_run, samples_within, state
from engine.numerics.budget import shares
from engine.numerics.buffers import activation_bytes
from engine.numerics.sessions import Sessions
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT8
from engine.progress import CancelToken
from engine.quant.ranges import Ranges


@pytest.fixture
def runs(monkeypatch):
    """How often each sample has run each kernel under a plan."""
    found: Counter[tuple[int, int]] = Counter()
    run = state.SampleState._run

    def counted(self, kernel, session):
        found[self._sample, kernel.index] += 1
        run(self, kernel, session)

    monkeypatch.setattr(state.SampleState, "_run", counted)
    return found


def test_the_first_sample_is_measured_alone_and_not_run_again(runs):
    net, inputs = small_net()
    samples = samples_like(inputs, 3)
    plan = Plan({kernel.id: FP16 for kernel in net.tunable})
    with closing(Evaluator(net, SampleSet(samples.feeds[:1], "tests"), ranges=Ranges())) as alone:
        wanted = alone.evaluate(plan, accumulated=False)
    with closing(Evaluator(net, samples, ranges=Ranges())) as fresh:
        whole = fresh.evaluate(plan)
    runs.clear()
    with closing(Evaluator(net, samples, ranges=Ranges())) as evaluator:
        first = evaluator.first_look(plan)
        assert (first.samples, first.remaining) == (1, 2)
        assert first.output == wanted.output
        assert {sample for sample, _ in runs} == {0}
        found = evaluator.evaluate(plan)
        assert (found.samples, found.remaining) == (3, 0)
        assert found.output == whole.output
        assert found.accumulated == whole.accumulated
        assert set(runs.values()) == {1}
        assert evaluator.first_look(plan).remaining == 0, "once all have run they are what is measured"


def test_a_first_look_that_was_cancelled_leaves_nothing_behind():
    net, inputs = small_net()
    samples = samples_like(inputs, 3)
    plan = Plan({kernel.id: FP16 for kernel in net.tunable})
    cancel = CancelToken()
    cancel.cancel()
    with closing(Evaluator(net, samples, ranges=Ranges())) as fresh:
        whole = fresh.evaluate(plan)
    with closing(Evaluator(net, samples, ranges=Ranges())) as evaluator:
        with pytest.raises(Cancelled):
            evaluator.first_look(plan, cancel=cancel)
        evaluator.first_look(plan)
        with pytest.raises(Cancelled):
            evaluator.prepare(cancel=cancel)
        assert evaluator.evaluate(plan).output == whole.output


def test_sessions_that_do_not_fit_together_are_built_once_for_all_samples(monkeypatch):
    net, inputs = small_net()
    samples = samples_like(inputs, 4)
    plan = Plan({kernel.id: INT8 for kernel in net.tunable})
    built: Counter[tuple[int, str]] = Counter()
    build = Sessions._build

    def counted(self, kernel, scheme, halves):
        built[kernel.index, str(scheme)] += 1
        return build(self, kernel, scheme, halves)

    monkeypatch.setattr(Sessions, "_build", counted)
    with closing(Evaluator(net, samples)) as roomy:
        wanted = roomy.evaluate(plan)
        ranges = roomy.ranges
    built.clear()
    with closing(Evaluator(net, samples, ranges=ranges)) as evaluator:
        evaluator._shared.sessions.limit = 1
        found = evaluator.evaluate(plan)
        assert len(evaluator._shared.sessions._ready) == 1
    assert found.output == wanted.output
    assert found.accumulated == wanted.accumulated
    tunable = {kernel.index for kernel in net.tunable}
    assert all(count == 1 for (at, _), count in built.items() if at in tunable), built


def test_stages_hold_what_fits():
    net, _ = small_net()
    sizes = [sum(array.nbytes for array in kernel.constants.values()) for kernel in net.kernels]
    assert plan_run.staged(net.kernels, sum(sizes)) == [list(net.kernels)]
    assert plan_run.staged([], 1) == [[]]
    for limit in (1, max(sizes), sum(sizes) - 1):
        stages = plan_run.staged(net.kernels, limit)
        assert [kernel for stage in stages for kernel in stage] == list(net.kernels)
        held = [sum(sizes[kernel.index] for kernel in stage) for stage in stages]
        assert all(size <= limit or len(stage) == 1 for size, stage in zip(held, stages, strict=True))


@pytest.mark.parametrize("observer", ["minmax", "entropy"])
def test_calibration_in_the_sessions_of_the_reference_gives_the_same_ranges(observer):
    net, inputs = small_net()
    samples, others = samples_like(inputs, 3), samples_like(inputs, 2)
    wanted = calibrate(net, samples, observer=observer)
    with closing(Evaluator(net, others, ranges=Ranges())) as evaluator:
        asked = []

        def reference(feeds, names, *, cancel):
            asked.append(tuple(names))
            return evaluator.reference_values(feeds, names, cancel=cancel)

        found = calibrate(net, samples, observer=observer, reference=reference)
    assert len(asked) == 1
    assert set(found.ranges) == set(wanted.ranges)
    for name, given in wanted.ranges.items():
        assert found.ranges[name].low == pytest.approx(given.low, rel=1e-4, abs=1e-4)
        assert found.ranges[name].high == pytest.approx(given.high, rel=1e-4, abs=1e-4)
        np.testing.assert_allclose(found.spans[name], wanted.spans[name], rtol=1e-4, atol=1e-4)


def test_an_activation_inside_a_kernel_is_watched_in_a_session_of_the_whole_network():
    x = {"x": np.random.default_rng(0).standard_normal((3, 8)).astype(np.float32)}
    step = Step(
        [("Abs", ["x"], ["inner"], {}), ("MatMul", ["inner", "w"], ["y"], {})],
        ["y"], {"w": np.eye(8, dtype=np.float32)}, Kind.MATMUL, "w", (1,), (0,), "inner", anchor=1,
    )  # fmt: skip
    net = network(x, ["y"], [step])

    def reference(feeds, names, *, cancel):
        raise AssertionError("it knows what leaves a kernel only")

    found = calibrate(net, SampleSet([x], "tests"), reference=reference)
    assert found.ranges["inner"].high == float(np.abs(x["x"]).max())


def test_samples_leave_room_for_the_sessions_of_reference_and_plan():
    net, _ = small_net()
    weights = sum(array.nbytes for kernel in net.kernels for array in kernel.constants.values())
    least = 256 << 20
    limit = least + 10 * activation_bytes(net)
    assert samples_within(net, limit) == 5
    assert samples_within(net, least - 1) == 0
    buffers, sessions = shares(net, 5, limit)
    assert 2 * 5 * activation_bytes(net) <= buffers
    assert sessions == least >= 2 * weights
