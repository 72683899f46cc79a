"""Tensors in channel blocks against the same network in plain order."""

from __future__ import annotations

import platform
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from convolutions import mobile, networks
from handmade import Step, network, run_whole, samples_like, whole_model
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.fusion.types import Kind
from engine.numerics import Evaluator, blocks, layout
from engine.numerics.blocks import blocked, filter_blocks, suits, unblocked
from engine.numerics.layout import block_size, choose_layout
from engine.numerics.lowering import lower
from engine.numerics.relayout import Rewritten
from engine.numerics.sessions import Sessions
from engine.precision.plan import Plan
from engine.precision.scheme import BF16, FP16, FP32, INT4, INT8, W4A8, W8A16, Scheme
from engine.progress import NEVER
from engine.tuning import replay

DYNAMIC = Scheme(INT8.weights, replace(INT8.activations, static=False))
SCHEMES = (FP32, FP16, BF16, INT8, INT4, W4A8, W8A16, DYNAMIC)


def in_plain_order(evaluator, kernel, scheme):
    """A session of a kernel as it would be without blocks."""
    net = evaluator.network
    return Sessions(net, evaluator.ranges, 1 << 30, layout.Layout(net.tensors)).get(kernel, scheme)


@given(networks(), st.lists(st.sampled_from(SCHEMES), min_size=8, max_size=8))
@settings(max_examples=25, deadline=None)
def test_any_plan_is_the_same_in_blocks_and_in_plain_order(made, schemes):
    net, inputs = made
    samples = samples_like(inputs, 2)
    plan = Plan({kernel.id: scheme for kernel, scheme in zip(net.tunable, schemes, strict=False)})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "block_size", lambda: 0)
        plain = Evaluator(net, samples)
    with closing(plain), closing(Evaluator(net, samples, ranges=plain.evaluate(plan) and plain.ranges)) as found:
        assert not plain._shared.layout.blocks
        cells = [(kernel, scheme) for kernel, scheme in plan.items()]
        for (_, _, a), (_, _, b) in zip(plain.local_errors(cells), found.local_errors(cells), strict=True):
            assert a.elements == b.elements
            assert a.reference_power == pytest.approx(b.reference_power, rel=1e-4)
        for kernel in net.kernels:
            before, after = (each.capture(kernel.id, plan, 1) for each in (plain, found))
            np.testing.assert_allclose(after.reference, before.reference, rtol=1e-4, atol=1e-5)
            for name, array in after.reference_inputs.items():
                np.testing.assert_allclose(array, before.reference_inputs[name], rtol=1e-4, atol=1e-5)
        if all(scheme in (FP32, FP16) for scheme in plan.values()):  # else roundings flip, as between any two runs
            for a, b in zip(plain.output(plan), found.output(plan), strict=True):
                for name in a:
                    np.testing.assert_allclose(b[name], a[name], rtol=5e-3, atol=5e-3)


@given(networks(), st.sampled_from([1, 2, 12]), st.sampled_from([{}, {0: INT4, 1: FP16}]))
@settings(max_examples=25, deadline=None)
def test_sessions_of_several_kernels_keep_the_order_too(made, count, base):
    net, inputs = made
    plan = Plan({net.tunable[at].id: scheme for at, scheme in base.items() if at < len(net.tunable)})
    with pytest.MonkeyPatch.context() as patch, closing(Evaluator(net, samples_like(inputs, 2))) as evaluator:
        patch.setattr(replay, "_BLOCKS", count)
        with closing(replay.Replay(evaluator, plan)) as sweep:
            sweep.prepare(NEVER)
            for kernel in net.tunable:
                begun = sweep.begin(kernel.id, FP16, NEVER, outputs=True)
                sweep.finish(begun, NEVER)
                outputs = [begun.outputs[sample] for sample in range(2)]
                for got, want in zip(outputs, evaluator.output(plan.with_schemes({kernel.id: FP16})), strict=True):
                    for name, array in want.items():
                        np.testing.assert_allclose(got[name], array, rtol=5e-3, atol=5e-3)


def test_the_reference_in_blocks_is_what_onnx_runtime_computes():
    net, inputs = mobile()
    samples = samples_like(inputs, 2)
    with closing(Evaluator(net, samples)) as evaluator:
        for feeds, outputs in zip(samples.feeds, evaluator.output(Plan()), strict=True):
            np.testing.assert_allclose(outputs["y"], run_whole(whole_model(net), feeds)[0], rtol=1e-4, atol=1e-4)
        values = dict(evaluator.values(Plan(), 0))
        names = [name for kernel in net.kernels for name in kernel.outputs]
        whole = whole_model(net)
        whole.graph.output.extend(type(whole.graph.output[0])(name=name) for name in names if name != "y")
        want = dict(zip([o.name for o in whole.graph.output], run_whole(whole, samples.feeds[0]), strict=True))
        for outputs in values.values():
            for name, array in outputs.items():
                np.testing.assert_allclose(array, want[name], rtol=1e-4, atol=1e-4)
                np.testing.assert_array_equal(evaluator.reference(0)[name].numpy(net.tensors[name]), array)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_one_kernel_in_blocks_is_the_plain_one_to_60_db(scheme):
    net, inputs = mobile()
    with closing(Evaluator(net, samples_like(inputs, 1))) as evaluator:
        evaluator.prepare()
        for kernel in net.tunable:
            feeds = {n: evaluator.reference(0)[n].numpy(net.tensors[n]) for n in kernel.inputs}
            (want,) = in_plain_order(evaluator, kernel, scheme).run(None, feeds)
            found = evaluator.capture(kernel.id, Plan({kernel.id: scheme}), 0).result
            noise = float(np.sum((found.astype(np.float64) - want) ** 2))
            assert noise <= 1e-6 * float(np.sum(want.astype(np.float64) ** 2))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_stem_is_computed_in_blocks_however_its_input_is_rounded(scheme):
    net, inputs = mobile()
    with closing(Evaluator(net, samples_like(inputs, 1))) as evaluator:
        evaluator.prepare()
        found = rewritten(evaluator, net.kernels[0], scheme)
    in_blocks = [node.op_type for node in found.nodes if node.domain == blocks.DOMAIN]
    assert in_blocks == (["Conv"] if block_size() else [])
    assert found.natural == ({"a"} if block_size() else set())


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_convolution_takes_its_hard_swish_along(scheme):
    rng = np.random.default_rng(3)
    steps = [
        Step([("Conv", ["x", "w"], ["c"], {"pads": [1] * 4}), ("HardSwish", ["c"], ["a"], {})], ["a"],
             {"w": rng.standard_normal((32, 3, 3, 3)).astype(np.float32)}, Kind.CONV, "w", activation="x"),
        Step([("GlobalAveragePool", ["a"], ["y"], {})], ["y"]),
    ]  # fmt: skip
    inputs = {"x": rng.standard_normal((1, 3, 8, 8)).astype(np.float32)}
    net = network(inputs, ["y"], steps)
    samples = samples_like(inputs, 1)
    with closing(Evaluator(net, samples)) as evaluator:
        evaluator.prepare()
        found = rewritten(evaluator, net.kernels[0], scheme)
        fuses = bool(block_size()) and layout.fuses_hard_swish(block_size())
        assert any(node.op_type == "HardSwish" for node in found.nodes) != fuses
        (want,) = in_plain_order(evaluator, net.kernels[0], scheme).run(None, samples.feeds[0])
        got = evaluator.capture(net.kernels[0].id, Plan({net.kernels[0].id: scheme}), 0).result
        assert np.sum((got - want) ** 2) <= 1e-6 * np.sum(want**2)


def rewritten(evaluator, kernel, scheme):
    shared = evaluator._shared
    lowered = lower(kernel, scheme, evaluator.ranges, shared.network.graph.tensors, False)
    if not shared.layout.touches(kernel):  # no blocks on this processor: it runs as it is
        return Rewritten(lowered.nodes, lowered.constants, frozenset(), frozenset())
    return shared.layout.rewrite(lowered, kernel.inputs, kernel.outputs)


def test_what_is_kept_in_blocks():
    net, _ = mobile()
    found = choose_layout(net)
    if platform.machine().lower() not in ("x86_64", "amd64"):
        assert not found.blocks
        return
    assert block_size() in (8, 16)
    assert found.blocks == {"a", "b", "c"}  # the reader of "d" makes 10 channels, and "y" leaves
    assert found.of("a") == block_size()
    assert found.of("e") == found.of("x") == 0
    assert not any(found.touches(kernel) for kernel in net.kernels[5:])


def test_operators_that_disagree_are_not_used(monkeypatch):
    net, _ = mobile()
    monkeypatch.setattr(layout, "_run", lambda nodes, constants, feeds, outputs: {
        name: np.arange(128.0).reshape(shape) if len(outputs) == 1 else np.full(shape, float(len(nodes)))
        for name, shape in outputs.items()
    })  # fmt: skip
    assert not layout._agrees(8)
    monkeypatch.setattr(layout, "block_size", block_size.__wrapped__)
    assert not choose_layout(net).blocks
    monkeypatch.setattr(layout.platform, "machine", lambda: "aarch64")
    assert layout.block_size() == 0


def test_blocks_and_back():
    plain = np.arange(2 * 16 * 3 * 5, dtype=np.float32).reshape(2, 16, 3, 5)
    found = blocked(plain, 8)
    assert found.reshape(2, 2, 3, 5, 8)[1, 1, 2, 4, 3] == plain[1, 11, 2, 4]
    np.testing.assert_array_equal(unblocked(found, 8), plain)
    assert suits((1, 16, 1, 1), 8)
    assert not any(suits(shape, 8) for shape in ((1, 12, 3, 3), (16,), (1, 0, 3, 3), None))
    assert not suits((1, 16, 3, 3), 0)
    assert filter_blocks(np.zeros((12, 8, 1, 1)), 1, 8) is None
    assert filter_blocks(np.zeros((16, 4, 1, 1)), 2, 8) is None
