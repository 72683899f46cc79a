"""Kernels that compute alike share an opened session, and get the bits that a session of their own gives."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from convolutions import mobile, networks
from handmade import Step, network, samples_like
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.fusion.types import Kind
from engine.numerics import Evaluator, alike
from engine.numerics.alike import Alikes, FedSession
from engine.numerics.layout import block_size
from engine.precision.plan import Plan
from engine.precision.scheme import BF16, FP16, FP32, INT4, INT8, W4A8, W8A16, Scheme

BLOCKS = block_size() > 1 and 16 % block_size() == 0
"""Whether this processor computes convolutions of 16 channels in blocks; without them nothing is shared."""
SCHEMES = (FP32, FP16, BF16, INT8, INT4, W4A8, W8A16, Scheme(INT8.weights, replace(INT8.activations, static=False)))


def row(*limits, sizes=(3, 3), factors=()):
    """Convolutions of 16 channels in a row, each with its own upper limit, behind one that brings blocks."""
    rng = np.random.default_rng(7)
    steps, last = [], "x"
    for at, (limit, size) in enumerate(zip((9, *limits), (1, *sizes), strict=True)):
        weight = rng.standard_normal((16, 16, size, size)).astype(np.float32) / np.float32(4 * size)
        constants = {
            f"w{at}": weight, f"b{at}": rng.standard_normal(16).astype(np.float32),
            f"lo{at}": np.float32(-1), f"hi{at}": np.float32(limit),
        }  # fmt: skip
        constants |= {f"m{at}": np.float32((1, *factors)[at])} if factors else {}
        nodes = [
            ("Conv", [last, f"w{at}", f"b{at}"], [f"c{at}"], {"pads": [size // 2] * 4}),
            ("Clip", [f"c{at}", f"lo{at}", f"hi{at}"], [f"t{at}"], {}),
            *([("Mul", [f"t{at}", f"m{at}"], [f"s{at}"], {})] if factors else []),
        ]
        last = f"s{at}" if factors else f"t{at}"
        steps.append(Step(nodes, [last], constants, Kind.CONV, f"w{at}", activation=nodes[0][1][0], bias=f"b{at}"))
    steps.append(Step([("GlobalAveragePool", [last], ["y"], {})], ["y"]))
    inputs = {"x": np.zeros((1, 16, 9, 9), np.float32)}
    return network(inputs, ["y"], steps), inputs


def forms(net, inputs, *schemes):
    """How many sessions were opened to share, and what sessions the convolutions behind the first got."""
    with closing(Evaluator(net, samples_like(inputs, 1))) as evaluator:
        evaluator.prepare()
        sessions = evaluator._shared.sessions
        sessions.alikes.clear()
        sessions._ready.clear()
        made = [sessions.get(kernel, scheme) for scheme in schemes for kernel in net.tunable[1:]]
        return len(sessions.alikes._opened), made


def results(net, samples, plan):
    with closing(Evaluator(net, samples)) as evaluator:
        errors = evaluator.evaluate(plan)
        cells = [(kernel.id, scheme) for kernel in net.tunable for scheme in (INT8, INT4, FP16)]
        values = {name: np.array(a) for _, outputs in evaluator.values(plan, 0) for name, a in outputs.items()}
        return errors.accumulated, list(evaluator.local_errors(cells)), values


def compare(net, inputs, schemes):
    plan = Plan({kernel.id: scheme for kernel, scheme in zip(net.tunable, schemes, strict=False)})
    samples = samples_like(inputs, 2)
    shared = results(net, samples, plan)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Alikes, "session", lambda *given: None)
        own = results(net, samples, plan)
    assert shared[:2] == own[:2]
    for name, array in own[2].items():
        np.testing.assert_array_equal(shared[2][name], array)


@given(networks(), st.lists(st.sampled_from(SCHEMES), min_size=7, max_size=7))
@settings(max_examples=20, deadline=None)
def test_a_shared_session_gives_the_bits_of_one_of_its_own(made, schemes):
    compare(*made, schemes)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme(scheme):
    compare(*mobile(), (scheme,) * 5)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_kernels_that_differ_in_their_constants_share(scheme):
    count, made = forms(*row(1.5, 1.5, 1.5, sizes=(3, 3, 3)), scheme)
    assert count == BLOCKS
    assert [isinstance(session, FedSession) for session in made] == [BLOCKS] * 3
    assert len({id(getattr(session, "_opened", session)) for session in made}) == (1 if BLOCKS else 3)
    assert len(set(map(id, made))) == 3


def test_kernels_that_compute_otherwise_do_not():
    assert forms(*row(1.5, 1.25), FP16)[0] == 2 * BLOCKS  # a limit is part of what is computed
    assert forms(*row(1.5, 1.5, sizes=(3, 5)), FP16)[0] == 2 * BLOCKS  # pads are
    assert forms(*row(1.5, 1.5), FP16, INT8)[0] == 2 * BLOCKS  # formats of activations are
    assert forms(*row(1.5, 1.5), FP16, INT4)[0] == 1 * BLOCKS  # those of weights are not
    assert forms(*row(1.5, 1.5, factors=(2, 2)), FP16)[0] == 1 * BLOCKS
    assert forms(*row(1.5, 1.5, factors=(2, 3)), FP16)[0] == 2 * BLOCKS  # a factor inside the model is


def test_many_threads_open_one_session():
    net, inputs = row(1.5, 1.5, 1.5, 1.5, sizes=(3, 3, 3, 3))
    with closing(Evaluator(net, samples_like(inputs, 1))) as evaluator, ThreadPoolExecutor(4) as pool:
        evaluator.prepare()
        made = list(pool.map(lambda kernel: evaluator.session(kernel, INT8), net.tunable[1:]))
        assert len({id(getattr(session, "_opened", session)) for session in made}) == (1 if BLOCKS else 4)


def test_what_does_not_open_without_its_sizes_has_a_session_of_its_own(monkeypatch):
    def refuse(*given):
        raise RuntimeError("no shapes")

    net, inputs = mobile()
    samples, plan = samples_like(inputs, 2), Plan({kernel.id: INT8 for kernel in mobile()[0].tunable})
    shared = results(net, samples, plan)
    monkeypatch.setattr(alike, "open_session", refuse)
    assert results(net, samples, plan)[:2] == shared[:2]
    assert not any(isinstance(session, FedSession) for session in forms(net, inputs, INT8)[1])


def test_what_was_handed_out_outlives_the_rest():
    net, inputs = mobile()
    with closing(Evaluator(net, samples_like(inputs, 1))) as evaluator:
        evaluator.prepare()
        kernel = net.kernels[1]
        session = evaluator.session(kernel, INT8)
        feed = {kernel.inputs[0]: evaluator.kept(0)[kernel.inputs[0]].array}
        before = session.run(None, feed)[0].copy()
        evaluator._shared.sessions.close()
        assert not evaluator._shared.sessions.alikes._opened
        np.testing.assert_array_equal(session.run(None, feed)[0], before)
