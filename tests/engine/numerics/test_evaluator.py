"""The incremental evaluator against whole models run from scratch."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from contextlib import closing
from itertools import product

import numpy as np
import pytest
from handmade import Step, network, run_whole, samples_like, small_net, whole_model
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper

from engine.errors import Cancelled, DataError, ModelError, PlanError
from engine.numerics import Evaluator, SampleSet, calibrate, plan_run, state, wiring
from engine.numerics import evaluator as evaluator_module
from engine.numerics.shared import Memo
from engine.precision.plan import Plan
from engine.precision.scheme import BF16, FP16, FP32, INT4, INT8, W4A8, W8A16, Scheme, WeightFormat
from engine.progress import NEVER, CancelToken

SCHEMES = (FP32, FP16, BF16, INT8, INT4, W4A8, W8A16)


@pytest.fixture(scope="module")
def made():
    net, inputs = small_net()
    samples = samples_like(inputs, 5)
    evaluator = Evaluator(net, samples)
    evaluator.prepare()
    yield net, samples, evaluator
    evaluator.close()


def test_the_reference_is_what_onnx_runtime_computes(made):
    net, samples, evaluator = made
    for feeds, outputs in zip(samples.feeds, evaluator.output(Plan()), strict=True):
        np.testing.assert_allclose(outputs["y"], run_whole(whole_model(net), feeds)[0], rtol=1e-4, atol=1e-4)
    found = evaluator.evaluate(Plan())
    assert found.output.sqnr_db == np.inf
    assert found.output.top1_agreement == 1.0
    assert set(found.accumulated) == {k.id for k in net.kernels}
    assert all(sums.noise == 0 and sums.reference_power > 0 for sums in found.accumulated.values())


@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from(SCHEMES)), min_size=1, max_size=8))
@settings(max_examples=25, deadline=None)
def test_toggles_give_what_a_fresh_evaluator_gives(made, toggles):
    net, samples, evaluator = made
    plan = Plan()
    for at, scheme in toggles:
        plan = plan.with_schemes({net.kernels[at].id: scheme})
        evaluator.evaluate(plan)
    fresh = Evaluator(net, samples, ranges=evaluator.ranges)
    try:
        want, found = fresh.evaluate(plan), evaluator.evaluate(plan)
        for kernel, sums in want.accumulated.items():
            assert found.accumulated[kernel] == sums
        assert found.output == want.output
        for a, b in zip(fresh.output(plan), evaluator.output(plan), strict=True):
            np.testing.assert_array_equal(a["y"], b["y"])
    finally:
        fresh.close()


def test_local_errors_are_those_of_one_kernel_on_reference_inputs(made):
    net, samples, evaluator = made
    cells = [(k.id, s) for k in net.kernels for s in (INT8, INT4, FP16)]
    found = list(evaluator.local_errors(cells))
    assert [(k, s) for k, s, _ in found] == [c for c in cells if net.by_id(c[0]).tunable]
    alone = evaluator.evaluate(Plan({net.kernels[2].id: INT4}))
    assert (
        next(sums for k, s, sums in found if k == net.kernels[2].id and s == INT4)
        == (alone.accumulated[net.kernels[2].id])
    )
    # The second kernel's output, computed by hand from the reference's own input.
    total = 0.0
    for sample in range(len(samples)):
        shot = evaluator.capture(net.kernels[4].id, Plan({net.kernels[4].id: FP16}), sample)
        half = lambda a: a.astype(np.float16).astype(np.float64)
        w, b = (half(net.kernels[4].constants[n]) for n in ("w4", "b4"))
        want = half((half(shot.reference_inputs["f"]) @ w.T + b).astype(np.float32))
        np.testing.assert_allclose(shot.result, want, rtol=2e-3, atol=1e-3)
        total += float(np.sum((shot.result.astype(np.float64) - shot.reference) ** 2))
    sums = next(sums for k, s, sums in found if k == net.kernels[4].id and s == FP16)
    assert sums.noise == pytest.approx(total, rel=1e-5)


def test_captures_are_copies_of_any_plan_and_change_nothing(made):
    net, _, evaluator = made
    plan = Plan({k.id: INT8 for k in net.tunable})
    before = evaluator.evaluate(plan)
    shot = evaluator.capture(net.kernels[1].id, Plan({net.kernels[0].id: INT4}), 2)
    assert shot.tensor == "b"
    assert set(shot.result_inputs) == {"a"}
    again = evaluator.capture(net.kernels[1].id, plan, 2)
    assert not np.array_equal(again.result, shot.result)
    np.testing.assert_array_equal(again.reference, shot.reference)
    direct = np.sum((shot.result.astype(np.float64) - shot.reference) ** 2)
    assert shot.sums.noise == pytest.approx(float(direct), rel=1e-6)
    assert evaluator.evaluate(plan).output == before.output
    np.testing.assert_array_equal(evaluator.capture(net.kernels[1].id, plan, 2).result, again.result)


def test_a_known_plan_costs_nothing(made):
    net, _, evaluator = made
    plans = [Plan({k.id: s for k in net.tunable}) for s in (INT8, FP16, INT4)]
    for plan in plans:
        evaluator.evaluate(plan)
    taken = []
    for plan in plans * 10:
        start = time.perf_counter()
        evaluator.evaluate(plan)
        taken.append(time.perf_counter() - start)
    assert min(taken) < 1e-3


def test_output_first_and_the_kernels_afterwards(made):
    net, _, evaluator = made
    tensor = Scheme(WeightFormat(8, granularity="tensor"), INT8.activations)  # which no other test uses
    plan = Plan({net.kernels[0].id: tensor, net.kernels[4].id: FP16})
    first = evaluator.evaluate(plan, accumulated=False)
    assert net.kernels[2].id not in first.accumulated
    full = evaluator.evaluate(plan)
    assert full.output == first.output
    assert set(full.accumulated) == {k.id for k in net.kernels}


def test_a_fork_has_values_of_its_own_and_steps_aside():
    net, inputs = small_net()
    evaluator = Evaluator(net, samples_like(inputs, 3))
    asked = threading.Semaphore(0)
    going = threading.Event()

    def gate() -> None:
        asked.release()
        assert going.wait(5)

    fork = evaluator.fork(gate)
    try:
        evaluator.prepare()
        sweep = Plan({net.kernels[0].id: INT4})
        results = []
        thread = threading.Thread(target=lambda: results.append(fork.evaluate(sweep)))
        thread.start()
        assert asked.acquire(timeout=5)  # the fork waits between two kernels
        mine = evaluator.evaluate(Plan({net.kernels[1].id: INT8}))
        assert not results
        going.set()
        thread.join(5)
        assert results[0].accumulated == evaluator.evaluate(sweep).accumulated
        assert mine.output.sqnr_db != results[0].output.sqnr_db
    finally:
        going.set()
        fork.close()
        evaluator.close()


def test_cancel_is_answered_while_a_kernel_runs_and_the_next_plan_waits_for_it(monkeypatch):
    net, inputs = small_net()
    samples = samples_like(inputs, 6)
    evaluator = Evaluator(net, samples)
    evaluator.prepare()
    token, entered, leave = CancelToken(), threading.Event(), threading.Event()
    original = state.SampleState._run

    def slow(self, kernel, session):
        # One worker is held up in the middle of a sample, the other one is free.
        if kernel.index == 2 and not entered.is_set():
            entered.set()
            leave.wait(5)
        return original(self, kernel, session)

    plan, other = (Plan({k.id: s for k in net.tunable}) for s in (INT8, FP16))
    monkeypatch.setattr(state.SampleState, "_run", slow)
    answered: list[object] = []

    def run(wanted: Plan, cancel: CancelToken) -> None:
        try:
            answered.append(evaluator.evaluate(wanted, cancel=cancel))
        except Cancelled:
            answered.append(time.perf_counter())

    threads = [threading.Thread(target=run, args=(plan, token)), threading.Thread(target=run, args=(other, NEVER))]
    try:
        threads[0].start()
        assert entered.wait(5)
        asked = time.perf_counter()
        token.cancel()
        threads[0].join(5)
        assert answered[0] - asked < 0.1
        threads[1].start()
        threads[1].join(0.2)
        assert threads[1].is_alive()  # the sample that is held up must not be touched by somebody else
        leave.set()
        threads[1].join(5)
        fresh = Evaluator(net, samples, ranges=evaluator.ranges)
        try:
            assert answered[1].accumulated == fresh.evaluate(other).accumulated
            assert evaluator.evaluate(plan).accumulated == fresh.evaluate(plan).accumulated
        finally:
            fresh.close()
    finally:
        leave.set()
        evaluator.close()


@pytest.mark.parametrize("ticks", range(6))
def test_cancel_at_any_point_leaves_a_usable_evaluator(ticks):
    net, inputs = small_net()
    samples = samples_like(inputs, 3)
    evaluator = Evaluator(net, samples, ranges=calibrate(net, samples))
    plan = Plan({k.id: FP16 for k in net.tunable})
    token = _AfterSomeChecks(ticks * 8)
    try:
        with pytest.raises(Cancelled):
            evaluator.evaluate(plan, cancel=token)
        want = Evaluator(net, samples, ranges=evaluator.ranges)
        try:
            assert evaluator.evaluate(plan).accumulated == want.evaluate(plan).accumulated
        finally:
            want.close()
    finally:
        evaluator.close()


class _AfterSomeChecks(CancelToken):
    """Cancelled after so many questions: kernels and waits ask in turn, so every phase is hit."""

    def __init__(self, checks: int) -> None:
        super().__init__()
        self._left = checks

    def check(self) -> None:
        self._left -= 1
        if self._left < 0:
            self.cancel()
        super().check()


def test_memory_over_the_limit_goes_to_a_file_and_sessions_are_built_again():
    # Buffers of 64 KB and more are spilled: make some.
    rng = np.random.default_rng(0)
    big = {"x": rng.standard_normal((1, 3, 64, 64)).astype(np.float32)}
    net = rebuilt(big)
    samples = samples_like(big, 2)
    plain, tight = Evaluator(net, samples), Evaluator(net, samples, memory_limit=0)
    tight._shared.sessions.limit = 1
    plans = [Plan({k.id: INT8 for k in net.tunable}), Plan({net.kernels[1].id: INT4}), Plan()]
    try:
        for plan in plans:
            assert tight.evaluate(plan).accumulated == plain.evaluate(plan).accumulated
        store = tight._shared.store
        assert store.file_bytes > 0
        assert store.memory_bytes < plain._shared.store.memory_bytes / 10
        assert len(tight._shared.sessions._ready) == 1
    finally:
        plain.close()
        tight.close()


def rebuilt(inputs):
    net, _ = small_net()
    steps = []
    for kernel in net.kernels:
        nodes = [
            (n.proto.op_type, list(n.proto.input), list(n.proto.output),
             {a.name: helper.get_attribute_value(a) for a in n.proto.attribute})
            for n in kernel.nodes
        ]  # fmt: skip
        w = kernel.weight
        steps.append(
            Step(nodes, kernel.outputs, dict(kernel.constants), kernel.kind, w.constant if w else "",
                 w.channel_axes if w else (0,), w.reduction_axes if w else (1,), w.activation if w else "",
                 w.bias if w else "")
        )  # fmt: skip
    return network(inputs, ["y"], steps)


def test_bad_questions_are_refused(made):
    net, samples, evaluator = made
    with pytest.raises(DataError, match="no samples"):
        Evaluator(net, SampleSet([], "none"))
    with pytest.raises(PlanError, match="no layer nothing"):
        evaluator.capture("nothing", Plan())
    with pytest.raises(PlanError, match="no layer nothing"):
        evaluator.local_errors([("nothing", INT8)])
    with pytest.raises(DataError, match="no sample 99"):
        evaluator.capture(net.kernels[0].id, Plan(), 99)
    bare = Evaluator(net, samples, ranges=calibrate(net, samples, observer="minmax"))
    bare._shared.sessions.ranges = type(bare.ranges)({}, "minmax", 0)
    try:
        with pytest.raises(PlanError, match="layer0 needs the range of x"):
            bare.evaluate(Plan({net.kernels[0].id: INT8}))
        assert bare.evaluate(Plan({net.kernels[0].id: INT4})).output.sqnr_db > 10
    finally:
        bare.close()


def test_a_layer_that_cannot_run_is_named():
    inputs = small_net()[1]
    broken = network(
        {"x": inputs["x"], "i": np.array([0])},
        ["y"],
        [Step([("Gather", ["x", "i"], ["y"], {"axis": 1})], ["y"])],
    )
    samples = SampleSet([{"x": inputs["x"], "i": np.array([77])}], "tests")
    evaluator = Evaluator(broken, samples)
    try:
        with pytest.raises(ModelError, match="layer0 can't be run"):
            evaluator.evaluate(Plan())
    finally:
        evaluator.close()


def test_who_rounds_to_half_is_asked_for_the_plan_at_hand(made):
    """Half by half, and every mixture with 8 bits, gives what sessions give that round every input themselves."""
    net, samples, evaluator = made
    plain = Evaluator(net, samples, ranges=evaluator.ranges)
    plain._shared.wiring.halves = lambda index, schemes: frozenset()
    try:
        for plan in (Plan({k.id: FP16 for k in net.tunable}), Plan({net.kernels[0].id: FP16, net.kernels[1].id: INT4}),
                     Plan({net.kernels[1].id: INT4, net.kernels[2].id: FP16, net.kernels[0].id: INT8}),
                     Plan({k.id: BF16 for k in net.tunable}),
                     Plan({net.kernels[0].id: BF16, net.kernels[1].id: FP16, net.kernels[2].id: BF16})):  # fmt: skip
            assert evaluator.evaluate(plan).accumulated == plain.evaluate(plan).accumulated
    finally:
        plain.close()
    wiring = evaluator._shared.wiring
    half = (FP16, FP16, INT4, FP32, INT8)
    assert [wiring.halves(k.index, half) for k in net.kernels[:3]] == [frozenset(), {"a"}, {"b", "a"}]
    assert wiring.halves(1, (INT8, FP16, FP16, FP32, FP16)) == frozenset()
    assert wiring.halves(1, (BF16, FP16, FP16, FP32, FP16)) == frozenset()
    assert wiring.halves(2, (BF16, FP16, BF16, FP32, FP16)) == {"a"}


def test_a_kernel_on_the_same_tensors_is_not_put_together_again(monkeypatch):
    net, inputs = small_net()
    ids = [kernel.id for kernel in net.tunable]
    first, second = (Plan(dict.fromkeys(ids, FP16) | {ids[0]: scheme}) for scheme in (INT8, W4A8))
    counts = []
    with closing(Evaluator(net, samples_like(inputs, 2))) as evaluator:
        for plan in (first, second):
            evaluator.evaluate(plan)
        bind = state.bind
        monkeypatch.setattr(state, "bind", lambda session, kernel, *more: counts.append(kernel.id) or bind(
            session, kernel, *more))  # fmt: skip
        evaluator._plans.clear()
        evaluator._shared.outputs._found.clear()
        evaluator.evaluate(first)
    assert set(counts) == {ids[0]}, "what stands behind has its session and its tensors as before"


def test_small_outputs_are_compared_when_all_samples_have_run_and_large_ones_each_by_its_worker(monkeypatch):
    net, inputs = small_net()
    plan = Plan({kernel.id: INT8 for kernel in net.tunable})
    found = []
    for most in (1 << 14, 0):
        monkeypatch.setattr(plan_run, "SMALL_OUTPUTS", most)
        with closing(Evaluator(net, samples_like(inputs, 3), workers=1)) as evaluator:
            advance, order = state.SampleState.advance, []
            evaluator.prepare()
            with monkeypatch.context() as patch:
                for name in ("compare", "compare_small"):
                    whole = getattr(plan_run, name)
                    patch.setattr(plan_run, name, lambda *more, n=name, c=whole, o=order: o.append(n) or c(*more))
                patch.setattr(state.SampleState, "advance",
                              lambda self, *more, a=advance, o=order: o.append("run") or a(self, *more))  # fmt: skip
                found.append((order, evaluator.evaluate(plan).output))
    assert found[0][0] == ["run"] * 3 + ["compare_small"]
    assert found[1][0] == ["run", "compare"] * 3
    assert found[0][1] == found[1][1]


def test_what_a_kernel_was_put_together_with_keeps_no_session():
    net, inputs = small_net()
    kernel = net.tunable[0]
    with closing(Evaluator(net, samples_like(inputs, 1))) as evaluator:
        evaluator.evaluate(Plan({kernel.id: INT8}))
        alive = weakref.ref(evaluator._shared.sessions.get(kernel, INT8))
        evaluator._shared.sessions.drop(kernel, INT8)
        gc.collect()
        assert alive() is None
        before = evaluator.evaluate(Plan({kernel.id: INT8}))
        evaluator.evaluate(Plan())
        evaluator._plans.clear()
        evaluator._shared.outputs._found.clear()
        assert evaluator.evaluate(Plan({kernel.id: INT8})).output == before.output


def test_outputs_of_few_plans_are_kept_and_the_oldest_go_first():
    """A plan's outputs sample by sample are the largest thing that is remembered of it."""
    net, inputs = small_net()
    evaluator = Evaluator(net, samples_like(inputs, 3))
    assert evaluator._shared.outputs._most <= 256
    evaluator._shared.outputs = Memo(4)
    kernels = [kernel.id for kernel in net.tunable]
    plans = [Plan({kernel: scheme}) for kernel in kernels[:3] for scheme in (FP16, INT4)]
    found = [evaluator.evaluate(plan).output.sums for plan in plans]
    assert len(evaluator._shared.outputs._found) <= 4
    evaluator._plans.clear()
    assert [evaluator.evaluate(plan).output.sums for plan in plans] == found


def test_leading_a_run_finds_local_errors_on_the_way_and_changes_no_figure():
    net, inputs = small_net()
    samples = samples_like(inputs, 5)
    one, other = Evaluator(net, samples), Evaluator(net, samples)
    try:
        first, second = net.tunable[:2]
        base = Plan({k.id: FP16 for k in net.tunable})
        one.evaluate(base)
        plan = base.with_schemes({first.id: INT8})
        one.lead(plan, [(first.id, INT8)])
        runs: list[int] = []
        one._local._run = lambda *_: runs.append(1)  # what is known by now needs no run of its own
        found = list(one.local_errors([(first.id, INT8)]))
        assert found == list(other.local_errors([(first.id, INT8)]))
        assert not runs
        assert one.evaluate(plan).output == other.evaluate(plan).output
        assert one.evaluate(plan).accumulated == other.evaluate(plan).accumulated
        # A kernel behind it reads values that are rounded already: its own error is another one.
        later = plan.with_schemes({second.id: INT4})
        before = len(one._shared.totals._found)
        one.lead(later, [(second.id, INT4)])
        assert len(one._shared.totals._found) == before
        with pytest.raises(PlanError, match="no layer"):
            one.lead(plan, [("absent", INT8)])
    finally:
        one.close()
        other.close()


def test_buffers_of_plans_may_wait_for_the_first_plan():
    net, inputs = small_net()
    samples = samples_like(inputs, 2)
    plan = Plan({net.tunable[0].id: INT4})
    with closing(Evaluator(net, samples)) as ready, closing(Evaluator(net, samples, touch=False)) as waiting:
        ready.prepare()
        waiting.prepare()
        assert waiting._shared.store.memory_bytes == ready._shared.store.memory_bytes / 2
        waiting.evaluate(Plan())
        assert waiting._shared.store.memory_bytes == ready._shared.store.memory_bytes / 2
        assert waiting.evaluate(plan).output == ready.evaluate(plan).output
        assert waiting._shared.store.memory_bytes == ready._shared.store.memory_bytes


def test_what_is_remembered_of_thousands_of_edits_is_bounded_and_stays_right(made, monkeypatch):
    net, samples, evaluator = made
    kernels = len(net.kernels)
    monkeypatch.setattr(wiring, "_MOST_KEYS", 60)
    monkeypatch.setattr(evaluator_module, "_MOST_HELD", 80)
    tunable = [k.id for k in net.kernels if k.tunable]
    plans = [Plan(dict(zip(tunable, chosen, strict=False))) for chosen in product((FP32, FP16, INT8, INT4), repeat=3)]
    with closing(Evaluator(net, samples, ranges=evaluator.ranges)) as small:
        reference = small.evaluate(Plan())
        for plan in (*plans, *plans):
            assert small.evaluate(plan).output == evaluator.evaluate(plan).output
            assert len(small._shared.wiring._keys) <= 60
            assert sum(len(p) + len(e.accumulated) for (p, _), e in small._plans.items()) <= 80
        assert small._shared.reference_keys == tuple(range(kernels))
        assert small.evaluate(Plan({tunable[0]: FP32})).accumulated == reference.accumulated
        list(small.local_errors([(tunable[0], INT4)]))
        assert max(small._shared.wiring._keys.values()) >= 60  # numbers are never given twice


class Forgetful(Memo):
    """Loses everything as soon as something is put in, as others may put in very much at any time."""

    def put(self, key, figure):
        self._found.clear()
        super().put(key, figure)


def test_figures_that_are_forgotten_meanwhile_are_handed_out(made):
    net, samples, evaluator = made
    cells = [(kernel.id, scheme) for kernel in net.tunable for scheme in (INT8, INT4, FP16)]
    with closing(Evaluator(net, samples, ranges=evaluator.ranges)) as forgetful:
        forgetful.prepare()
        forgetful._shared.totals = Forgetful()
        wanted = list(evaluator.local_errors(cells))
        known = [cell for cell in cells if cell[1] == INT8]
        assert list(forgetful.local_errors(known)) == [found for found in wanted if found[1] == INT8]
        assert list(forgetful.local_errors(cells)) == wanted


def test_errors_of_layers_that_are_forgotten_meanwhile_are_in_the_evaluation(made):
    net, samples, evaluator = made
    plan = Plan({kernel.id: INT8 for kernel in net.tunable})
    first, last = net.kernels[0].id, net.kernels[-1].id
    with closing(Evaluator(net, samples, ranges=evaluator.ranges)) as forgetful:
        forgetful.evaluate(plan, accumulated={first})
        forgetful._shared.totals.__class__ = Forgetful
        found = forgetful.evaluate(plan, accumulated={first, last}).accumulated
        wanted = evaluator.evaluate(plan).accumulated
        assert {name: found[name] for name in (first, last)} == {name: wanted[name] for name in (first, last)}
