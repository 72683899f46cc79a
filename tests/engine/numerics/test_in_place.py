"""Results that are rounded where they lie, against results with memory of their own."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest
from convolutions import mobile, networks
from handmade import samples_like
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper

from engine.numerics import Evaluator, sessions
from engine.numerics.in_place import full_results, lent
from engine.numerics.layout import block_size
from engine.precision.plan import Plan
from engine.precision.scheme import BF16, FP16, INT4, INT8


def apart(patch):
    """Every result has memory of its own."""
    patch.setattr(sessions, "full_results", lambda nodes, outputs: {})


@given(networks(), st.lists(st.sampled_from([FP16, BF16, INT4, INT8]), min_size=8, max_size=8))
@settings(max_examples=20, deadline=None)
def test_any_plan_gives_the_same_bits(made, schemes):
    net, inputs = made
    plan = Plan({kernel.id: scheme for kernel, scheme in zip(net.tunable, schemes, strict=False)})
    cells = [(kernel.id, scheme) for kernel in net.tunable for scheme in (FP16, INT4, INT8, BF16)]
    found = []
    with closing(Evaluator(net, samples_like(inputs, 2))) as evaluator:
        found.append(
            (list(evaluator.local_errors(cells)), evaluator.evaluate(plan).accumulated, evaluator.output(plan))
        )
        ranges = evaluator.ranges
    with pytest.MonkeyPatch.context() as patch:
        apart(patch)
        with closing(Evaluator(net, samples_like(inputs, 2), ranges=ranges)) as evaluator:
            found.append(
                (list(evaluator.local_errors(cells)), evaluator.evaluate(plan).accumulated, evaluator.output(plan))
            )
    assert found[0][:2] == found[1][:2]
    for one, other in zip(found[0][2], found[1][2], strict=True):
        for name, array in one.items():
            np.testing.assert_array_equal(array, other[name])


def test_convolutions_in_blocks_round_to_half_where_the_result_lies():
    net, inputs = mobile()
    with closing(Evaluator(net, samples_like(inputs, 1))) as evaluator:
        evaluator.prepare()
        kernel = net.kernels[1]
        full = lent(evaluator.session(kernel, FP16))
        assert list(full.values()) == (list(kernel.outputs) if block_size() else [])
        assert not lent(evaluator.session(kernel, INT8))


def test_only_a_result_that_nothing_else_reads_gives_up_its_memory():
    cast, node = lambda a, b: helper.make_node("Cast", [a], [b], to=1), helper.make_node
    pair = [cast("full", "half"), cast("half", "y")]
    relu = node("Relu", ["x"], ["full"])
    assert full_results([relu, *pair], ["y"]) == {"full": "y"}
    assert full_results(pair, ["y"]) == {}, "an input is not to be written to"
    assert full_results([relu, *pair, node("Neg", ["full"], ["z"])], ["y", "z"]) == {}
    assert full_results([relu, *pair, node("Neg", ["half"], ["z"])], ["y", "z"]) == {}
    assert full_results([relu, *pair], ["y", "half"]) == {}
    assert full_results([relu, *pair], ["y", "full"]) == {}
    assert full_results([relu, cast("full", "y")], ["y"]) == {}
