"""The incremental evaluator against whole models run from scratch."""

from __future__ import annotations

import numpy as np
import pytest
from handmade import run_whole, samples_like, small_net, whole_model
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.numerics import Evaluator
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, FP32, INT4, INT8, W4A8, W8A16

SCHEMES = (FP32, FP16, INT8, INT4, W4A8, W8A16)


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
