"""Schemes of a kernel side by side in one session, against each scheme by itself."""

from __future__ import annotations

import gc
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from convolutions import mobile, networks
from handmade import samples_like, small_net
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper

from engine.errors import ModelError
from engine.numerics import Evaluator, local
from engine.numerics.layout import block_size
from engine.numerics.sessions import Sessions
from engine.numerics.sums import PIECE, error_sums, error_sums_of, power_sums
from engine.numerics.versions import join
from engine.precision.scheme import BF16, FP16, FP32, INT4, INT8, W4A8, W8A16, Scheme

SCHEMES = (FP32, FP16, BF16, INT8, INT4, W4A8, W8A16, Scheme(INT8.weights, replace(INT8.activations, static=False)))


def compare(net, inputs, schemes):
    samples = samples_like(inputs, 2)
    with closing(Evaluator(net, samples)) as joined, closing(Evaluator(net, samples)) as single:
        cells = [(kernel.id, scheme) for kernel in net.tunable for scheme in schemes]
        found = list(joined.local_errors(cells))
        assert [(kernel, scheme) for kernel, scheme, _ in found] == cells
        for (kernel, scheme), (_, _, sums) in zip(cells, found, strict=True):
            ((_, _, alone),) = single.local_errors([(kernel, scheme)])
            assert sums == alone, (kernel, scheme)


@given(networks(), st.lists(st.sampled_from(SCHEMES), min_size=2, max_size=4, unique=True))
@settings(max_examples=20, deadline=None)
def test_schemes_side_by_side_have_the_errors_of_each_by_itself(made, schemes):
    compare(*made, schemes)


@pytest.mark.parametrize("made", [small_net, mobile])
def test_all_schemes_at_once(made):
    compare(*made(), SCHEMES)


@pytest.fixture
def opened(monkeypatch):
    """Kernels and schemes whose sessions were opened, together and one by one."""
    found = [], []
    together, build = Sessions.together, Sessions._build

    def several(self, kernel, schemes, *more):
        found[0].append((kernel.id, *schemes))
        return together(self, kernel, schemes, *more)

    def one(self, kernel, scheme, *more):
        if scheme != FP32:
            found[1].append((kernel.id, scheme))
        return build(self, kernel, scheme, *more)

    monkeypatch.setattr(Sessions, "together", several)
    monkeypatch.setattr(Sessions, "_build", one)
    return found


def test_one_session_per_kernel_unless_they_are_open_already(opened):
    net, inputs = small_net()
    with closing(Evaluator(net, samples_like(inputs, 2))) as evaluator:
        cells = [(kernel.id, scheme) for kernel in net.tunable for scheme in (INT4, INT8)]
        list(evaluator.local_errors(cells[:1]))
        assert opened == ([], cells[:1])  # one scheme of one kernel
        list(evaluator.local_errors(cells))
        assert set(opened[0]) == {(kernel.id, INT4, INT8) for kernel in net.tunable[1:]}
        assert set(opened[1]) == {cells[0], cells[1]}


def test_large_kernels_are_run_scheme_by_scheme(opened, monkeypatch):
    monkeypatch.setattr(local, "_MOST_BYTES", 0)
    net, inputs = small_net()
    with closing(Evaluator(net, samples_like(inputs, 2))) as evaluator:
        list(evaluator.local_errors((kernel.id, scheme) for kernel in net.tunable for scheme in (INT4, INT8)))
    assert not opened[0]
    assert len(opened[1]) == 2 * len(net.tunable)


def test_what_cannot_be_opened_together_is_tried_one_by_one(monkeypatch):
    def refuse(*_):
        raise ModelError("no")

    monkeypatch.setattr(Sessions, "together", refuse)
    net, inputs = small_net()
    with closing(Evaluator(net, samples_like(inputs, 2))) as evaluator:
        cells = [(kernel.id, scheme) for kernel in net.tunable for scheme in (INT4, INT8)]
        assert len(list(evaluator.local_errors(cells))) == len(cells)


def test_the_longest_of_a_few_kernels_is_begun_first(monkeypatch):
    begun = []
    run = local.LocalErrors._run
    monkeypatch.setattr(
        local.LocalErrors, "_run", lambda self, kernel, *more: (begun.append(kernel), run(self, kernel, *more))[1]
    )
    net, inputs = mobile()
    with closing(Evaluator(net, samples_like(inputs, 2), workers=1)) as evaluator:
        cells = [(kernel.id, scheme) for kernel in net.tunable for scheme in (INT4, INT8)]
        assert [(kernel, scheme) for kernel, scheme, _ in evaluator.local_errors(cells)] == cells
    assert begun[0] is max(begun[:2], key=lambda kernel: net.tensors[kernel.outputs[0]].elements)
    assert {kernel.id for kernel in begun} == {kernel.id for kernel in net.tunable}


def test_what_versions_have_in_common_is_there_once():
    node = helper.make_node
    large = np.zeros(1000, np.float32)

    def version(scale):
        nodes = [
            node("Cast", ["x"], ["h"], "cast", to=10),
            node("Cast", ["h"], ["c"], "back", to=1),
            node("Mul", ["c", "s"], ["y"], "mul"),
            node("Add", ["c", "w"], ["z"], "add"),
        ]
        return nodes, {"s": np.asarray(scale, np.float32), "w": large}

    found = join([version(1), version(2), version(1)], ["y", "z"])
    assert [made.op_type for made in found.nodes] == ["Cast", "Cast", "Mul", "Add", "Mul"]
    assert len({made.name for made in found.nodes}) == 5
    first, second, third = found.results
    assert first == third == {"y": "y", "z": "z"}
    assert second["z"] == "z"
    assert second["y"] != "y"
    assert found.constants["w"] is large
    assert len(found.constants) == 3


def test_operators_that_differ_in_anything_stay_apart():
    node = helper.make_node
    made = [
        ([node("Cast", ["x"], ["y"], to=10)], {}),
        ([node("Cast", ["x"], ["y"], to=1)], {}),
        ([node("Cast", ["x"], ["y"], to=1, domain="other")], {}),
        ([node("Relu", ["x"], ["y"])], {}),
        ([node("Relu", ["v"], ["y"])], {}),
    ]
    found = join(made, ["y"])
    assert len(found.nodes) == len({result["y"] for result in found.results}) == 5


def test_kernels_with_bodies_have_no_such_form():
    body = helper.make_graph([helper.make_node("Identity", ["x"], ["b"])], "body", [], [])
    branch = helper.make_node("If", ["c"], ["y"], then_branch=body, else_branch=body)
    assert join([([branch], {}), ([branch], {})], ["y"]) is None


@pytest.mark.parametrize("spoil", ["nothing", "nan", "inf", "huge", "tiny", "half", "shape"])
def test_sums_of_several_results_are_those_of_each(spoil):
    rng = np.random.default_rng(3)
    dtype = np.float16 if spoil == "half" else np.float32
    wanted = rng.standard_normal((3, PIECE // 2 + 5)).astype(dtype)
    results = (wanted + 1e-3 * rng.standard_normal((3, *wanted.shape))).astype(dtype)
    if spoil in ("nan", "inf", "huge"):
        results[1, 0, 7] = {"nan": np.nan, "inf": np.inf, "huge": 3e38}[spoil]
        wanted[2, 3] = np.nan if spoil == "nan" else wanted[2, 3]
    if spoil == "tiny":
        wanted, results = wanted * np.float32(1e-30), results * np.float32(1e-30)
    known, scratch = power_sums(wanted), np.empty((4, PIECE), np.float32)
    found = error_sums_of(results, wanted, known, scratch)
    assert found == [error_sums(result, wanted, known, scratch[0]) for result in results]


def test_weights_that_a_session_reads_in_place_live_as_long_as_it():
    net, inputs = mobile()
    with closing(Evaluator(net, samples_like(inputs, 1))) as evaluator:
        evaluator.prepare()
        kernel = net.kernels[1]
        session = evaluator._shared.sessions.get(kernel, INT8)
        if not block_size():  # in plain order ONNX Runtime copies weights as small as these
            assert not hasattr(session, "held")
            return
        (weight,) = [array for array in session.held[1].values() if array.ndim == 4]
        feed = {kernel.inputs[0]: evaluator._shared.values[0][kernel.inputs[0]].array}
        before = session.run(None, feed)[0].copy()
        evaluator._shared.sessions.close()
        gc.collect()
        rubbish = [np.full(weight.shape, np.nan, np.float32) for _ in range(50)]
        np.testing.assert_array_equal(session.run(None, feed)[0], before)
        weight *= 2  # no copy was made: what opening a session costs
        assert not np.array_equal(session.run(None, feed)[0], before)
        del rubbish


def test_schemes_that_differ_in_their_weights_alone_share_the_nodes(monkeypatch):
    written = []
    lowered = Sessions._lowered

    def lower(self, kernel, scheme, *more):
        written.append((kernel.id, scheme))
        return lowered(self, kernel, scheme, *more)

    monkeypatch.setattr(Sessions, "_lowered", lower)
    net, inputs = mobile()
    with closing(Evaluator(net, samples_like(inputs, 1))) as evaluator:
        evaluator.prepare()
        written.clear()
        list(evaluator.local_errors((kernel.id, s) for kernel in net.tunable for s in (INT4, INT8, FP16, W8A16, W4A8)))
    assert {scheme for _, scheme in written} == {INT4, INT8, W4A8}  # beside integers a bias depends on the weights
    assert len(written) == 3 * len(net.tunable)
