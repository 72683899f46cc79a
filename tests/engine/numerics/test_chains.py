"""Several kernels in one session, against the same kernels one by one."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from convolutions import mobile, networks
from handmade import samples_like
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import Cancelled
from engine.fusion import fuse
from engine.graph import load, read_inputs
from engine.numerics import Evaluator, chains, sessions, state, synthetic_samples
from engine.numerics.layout import block_size
from engine.numerics.sessions import ChainAt
from engine.precision.plan import Plan
from engine.precision.scheme import BF16, FP16, INT4, INT8
from engine.progress import CancelToken

SAMPLES = Path(__file__).parents[3] / "sample_models"
NO_BLOCKS = not block_size()


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(chains, "PAUSE_SECONDS", 0)


def forget(evaluator):
    """Every value and every figure but the reference's."""
    shared = evaluator._shared
    shared.chains.settle()
    evaluator._plans.clear()
    shared.outputs._found.clear()
    keep = set(shared.reference_keys)
    shared.totals._found = {key: found for key, found in shared.totals._found.items() if key in keep}
    for each in evaluator._states:
        each._keys = [-1] * len(each._keys)
        each.sums = [None] * len(each.sums)
        for value in each._own.values():
            value.array.view(np.uint8)[...] = 0


def everything(evaluator, plan):
    """Output error, all accumulated errors and all values under a plan."""
    output = evaluator.evaluate(plan, accumulated=False).output
    found = evaluator.evaluate(plan)
    assert found.output == output
    values = [
        {name: array.tobytes() for _, arrays in evaluator.values(plan, sample) for name, array in arrays.items()}
        for sample in range(len(evaluator.samples))
    ]
    return output, found.accumulated, values


def counted(monkeypatch):
    """The lengths of the chains that run from now on."""
    ran, run = [], state.SampleState._run_chain

    def counting(self, chain, want):
        ran.append(len(chain.kernels))
        run(self, chain, want)

    monkeypatch.setattr(state.SampleState, "_run_chain", counting)
    return ran


@given(networks(), st.lists(st.sampled_from([FP16, BF16, INT4, INT8]), min_size=8, max_size=8))
@settings(max_examples=20, deadline=None)
def test_chains_give_the_same_bits(made, schemes):
    net, inputs = made
    plan = Plan({kernel.id: scheme for kernel, scheme in zip(net.tunable, schemes, strict=False)})
    with closing(Evaluator(net, samples_like(inputs, 2))) as evaluator:
        before = everything(evaluator, plan)
        for cached in (chains._CACHED_BYTES, 0):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(chains, "_CACHED_BYTES", cached)
                evaluator._shared.sessions.close()
                for _ in range(2):  # one by one, and then in chains
                    forget(evaluator)
                    assert everything(evaluator, plan) == before


@pytest.mark.parametrize("name", ["page_orientation", "mobile_vision_encoder"])
def test_real_models_give_the_same_bits(name, monkeypatch):
    path = SAMPLES / name / f"{name}.onnx"
    graph = load(path, shapes={item.name: item.proposal for item in read_inputs(path)})
    net = fuse(graph, "edge")
    tunable = net.tunable
    rng = np.random.default_rng(0)
    mixed = {k.id: (FP16, INT8, INT4)[at] for k, at in zip(tunable, rng.integers(3, size=len(tunable)), strict=True)}
    with closing(Evaluator(net, synthetic_samples(graph, 2))) as evaluator:
        for schemes in ({k.id: FP16 for k in tunable}, {k.id: INT8 for k in tunable}, mixed):
            before = everything(evaluator, Plan(schemes))
            forget(evaluator)
            with monkeypatch.context() as patch:
                ran = counted(patch)
                assert everything(evaluator, Plan(schemes)) == before
            expected = len(evaluator._shared.chains._parts) * 2
            assert len(ran) == expected
            assert NO_BLOCKS or ran
        # and after a toggle, of which the chains behind know nothing
        toggled = Plan({**mixed, tunable[0].id: INT8 if mixed[tunable[0].id] != INT8 else FP16})
        with monkeypatch.context() as patch:
            ran = counted(patch)
            after = everything(evaluator, toggled)
        assert len(ran) == expected - (2 if evaluator._shared.chains._parts[:1] else 0)
        ranges = evaluator.ranges
    monkeypatch.setattr(chains, "cut", lambda network, layout: ())
    with closing(Evaluator(net, synthetic_samples(graph, 2), ranges=ranges)) as plain:
        assert everything(plain, toggled) == after


def deep():
    """A network with a chain, and a plan of it that has run."""
    net, inputs = mobile()
    evaluator = Evaluator(net, samples_like(inputs, 2))
    plan = Plan({kernel.id: FP16 for kernel in net.tunable})
    return net, evaluator, plan


def sessions_of_chains(evaluator):
    return [ready for at, ready in evaluator._shared.sessions._ready.items() if ready.chain is not None]


def test_nothing_is_put_together_while_somebody_evaluates(monkeypatch):
    net, evaluator, plan = deep()
    with closing(evaluator):
        monkeypatch.setattr(chains, "PAUSE_SECONDS", 60)
        evaluator.evaluate(plan)
        waiting = evaluator._shared.chains._thread
        assert NO_BLOCKS or waiting.is_alive()
        evaluator.evaluate(Plan({net.tunable[0].id: INT8}))  # what waited for a pause is of no interest any more
        if waiting is not None:
            waiting.join(20)
            assert not waiting.is_alive() or evaluator._shared.chains._thread is waiting
        assert not sessions_of_chains(evaluator)
    assert not any(thread.name == "mixbit-chains" for thread in threading.enumerate())


def test_forks_run_chains_and_put_none_together():
    net, evaluator, plan = deep()
    with closing(evaluator):
        evaluator.prepare()
        with closing(evaluator.fork()) as fork:
            fork.evaluate(plan)
            assert evaluator._shared.chains._thread is None
        evaluator.evaluate(Plan(plan.schemes | {net.tunable[0].id: INT8}))
        evaluator._shared.chains.settle()
        assert NO_BLOCKS or sessions_of_chains(evaluator)


def test_chains_count_among_the_sessions_and_go_with_their_kernels():
    _, evaluator, plan = deep()
    with closing(evaluator):
        evaluator.evaluate(plan)
        evaluator._shared.chains.settle()
        sessions = evaluator._shared.sessions
        assert sessions.nbytes == sum(ready.nbytes for ready in sessions._ready.values())
        if not NO_BLOCKS:
            (chain,) = sessions_of_chains(evaluator)
            assert chain.nbytes > 0
            sessions.drop(chain.chain.kernels[1], INT8)
            assert sessions_of_chains(evaluator) == [chain]
            sessions.drop(chain.chain.kernels[1], FP16)
            assert not sessions_of_chains(evaluator)
        assert sessions.nbytes == sum(ready.nbytes for ready in sessions._ready.values())


def test_chains_are_short_and_only_of_small_networks(monkeypatch):
    net, evaluator, _ = deep()
    with closing(evaluator):
        layout = evaluator.layout
    parts = chains.cut(net, layout)
    assert NO_BLOCKS or parts
    assert all(part[-1].index - part[0].index + 1 == len(part) > 1 for part in parts)
    monkeypatch.setattr(chains, "_SECONDS", 0)
    assert not chains.cut(net, layout), "a kernel that takes long is by itself"
    monkeypatch.setattr(chains, "_SECONDS", 1)
    monkeypatch.setattr(chains, "_MOST", 2)
    assert all(len(part) == 2 for part in chains.cut(net, layout))
    monkeypatch.setattr(chains, "_WEIGHT_BYTES", 1)
    assert not chains.cut(net, layout)


def test_a_cancel_is_answered_between_chains_and_leaves_what_has_run():
    _, evaluator, plan = deep()
    with closing(evaluator):
        before = everything(evaluator, plan)
        forget(evaluator)
        token = CancelToken()
        token.cancel()
        with pytest.raises(Cancelled):
            evaluator.evaluate(plan, cancel=token)
        assert everything(evaluator, plan) == before


def test_few_chains_of_the_same_kernels_are_kept():
    net, inputs = mobile()
    kinds = itertools.product((INT4, INT8, FP16), repeat=2)
    plans = [Plan({k.id: (one, other)[k.index % 2] for k in net.tunable}) for one, other in kinds]
    with closing(Evaluator(net, samples_like(inputs, 1))) as evaluator:
        shared, most = evaluator._shared, 0
        for plan in plans:
            evaluator.evaluate(plan)
            shared.chains.settle()
            kept = Counter(at.first for at in shared.sessions._ready if isinstance(at, ChainAt))
            most = max(most, *kept.values()) if kept else most
    assert most == (0 if NO_BLOCKS else sessions._CHAINS)
