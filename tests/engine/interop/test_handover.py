"""What targets make of plans: their rules, what is reported, and what it costs."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from export_cases import plan_of
from handmade import Step, network
from hypothesis import given, settings
from hypothesis import strategies as st
from kinds import KINDS as KERNELS

from engine.errors import ExportError
from engine.fusion.types import Kind
from engine.interop.handover import Extras, measure_effect, spell
from engine.interop.handover_report import report_text
from engine.interop.targets import TARGETS, target
from engine.npu import latency_us, load_device
from engine.numerics import Evaluator
from engine.precision.plan import Plan
from engine.precision.scheme import (
    BF16,
    BRAIN,
    FP16,
    FP32,
    HALF,
    INT4,
    INT8,
    W4A8,
    W8A16,
    ActivationFormat,
    Scheme,
    WeightFormat,
)
from engine.quant.sizes import plan_bytes
from engine.text import say

SCHEMES = st.one_of(
    st.sampled_from([FP16, BF16, FP32]),
    st.builds(
        Scheme,
        st.builds(
            lambda bits, symmetric, grain, group: WeightFormat(
                bits, symmetric=symmetric, granularity=grain, group=group if grain == "group" else 0
            ),
            st.sampled_from([2, 3, 4, 8, 16]),
            st.booleans(),
            st.sampled_from(["tensor", "channel", "group"]),
            st.sampled_from([16, 20, 32, 64, 200]),
        ),
        st.sampled_from(
            [HALF, BRAIN, ActivationFormat(8), ActivationFormat(8, symmetric=True), ActivationFormat(16),
             ActivationFormat(8, static=False), ActivationFormat(4)]
        ),
    ),
)  # fmt: skip


@cache
def network_of(kind):
    return KERNELS[kind](np.random.default_rng(0), 17)[0]


@given(kind=st.sampled_from(sorted(KERNELS)), scheme=SCHEMES, name=st.sampled_from([t.name for t in TARGETS]))
@settings(max_examples=150, deadline=None)
def test_a_target_runs_what_it_promises_and_never_fewer_bits(kind, scheme, name):
    network = network_of(kind)
    plan = plan_of(network, scheme)
    if name == "dopt" and kind == "embedding":
        with pytest.raises(ExportError, match="int64"):  # a table of indices has no float input to calibrate with
            target(name).check(network, plan)
        return
    found = target(name).check(network, plan)
    for change in found.changes:
        assert change.asked != change.gets == found.effective_plan[change.kernel]
        assert str(change.reason)
        asked, gets = change.asked.weights, change.gets.weights
        if not asked.floating:
            assert gets.floating or gets.bits >= asked.bits
        elif gets != asked:
            assert gets.floating  # a float layer is never quantized behind the user's back
    assert set(found.effective_plan) == {kernel.id for kernel in network.tunable}
    again = target(name).check(network, found.effective_plan)
    assert again.effective_plan == found.effective_plan
    assert not again.changes


def gets(case, name, *schemes, **options):
    """Layer name -> scheme that a target runs, for schemes in turn."""
    found = target(name).check(case.network, plan_of(case.network, *schemes), Extras(options=options))
    return {case.network.by_id(i).name: scheme for i, scheme in found.effective_plan.items()}, found


PER_TENSOR = Scheme(WeightFormat(8, granularity="tensor"), ActivationFormat(8))
W4A4 = Scheme(WeightFormat(4), ActivationFormat(4))
W4_CHANNEL = Scheme(WeightFormat(4, symmetric=False), HALF)


@pytest.mark.parametrize(
    ("name", "options", "wanted"),
    [
        ("qdq", {}, [INT4, INT4, INT4, INT4]),
        ("rules", {}, [INT4, INT4, INT4, INT4]),
        ("amct_ptq", {}, [INT8, INT8, INT8, PER_TENSOR]),
        ("amct_qat", {}, [W4A4, W4A4, W4A4, Scheme(WeightFormat(4, granularity="tensor"), ActivationFormat(4))]),
        ("atc", {}, [INT8, INT8, INT8, PER_TENSOR]),
        ("dopt", {}, [INT8, INT8, INT8, INT8]),
        ("mindspore_lite", {}, [W4_CHANNEL, FP16, W4_CHANNEL, W4_CHANNEL]),
        ("mindspore_lite", {"mode": "full8"}, [INT8, INT8, INT8, INT8]),
        ("matmul_nbits", {}, [INT4, INT4, INT4, INT4]),
    ],
)
def test_what_becomes_of_all_int4(case, name, options, wanted):
    found, handover = gets(case, name, INT4, **options)
    assert list(found.values()) == wanted
    assert len(handover.changes) == sum(scheme != INT4 for scheme in wanted)


def test_reasons_name_what_the_target_lacks(case):
    _, found = gets(case, "amct_ptq", INT4, INT8, FP16, INT8)
    assert [(c.name, str(c.reason)) for c in found.changes] == [
        ("stem", "AMCT (post-training) has no 4-bit weights for this layer; they become INT8."),
        ("head", "AMCT (post-training) gives the weights of this layer one scale per tensor."),
    ]
    _, found = gets(case, "mindspore_lite", INT4, INT8, INT8, INT4, mode="weight4")
    assert {str(c.reason) for c in found.changes if c.asked == INT8} == {
        "One conversion of MindSpore Lite has one width, here 4 bits; this layer stays FP16."
    }
    _, found = gets(case, "dopt", FP32)
    assert {str(c.reason) for c in found.changes} == {"dopt (Kirin) runs in FP16 what it doesn't quantize."}


def test_targets_without_bf16_say_what_runs_instead(case):
    for entry in TARGETS:
        effective, found = gets(case, entry.name, BF16)
        if BF16 in effective.values():
            assert not found.changes
            continue
        assert set(effective.values()) <= {FP16, FP32}
        assert len(found.changes) == 4
        if entry.name not in ("rules", "rules_cpp"):
            assert all("this layer runs in FP" in str(change.reason) for change in found.changes)
    kept = {entry.name for entry in TARGETS if BF16 in gets(case, entry.name, BF16)[0].values()}
    assert {"qdq", "plan", "csv"} <= kept
    assert kept.isdisjoint({"amct_ptq", "atc", "dopt", "dopt_lm", "tensorrt", "aimet", "qnn", "ort_recipe", "nncf"})


def test_mindspore_lite_takes_the_mode_that_most_weights_ask_for(case):
    assert gets(case, "mindspore_lite", INT4, FP16, FP16, FP16)[0]["stem"] == W4_CHANNEL
    assert gets(case, "mindspore_lite", W8A16)[0]["head"].activations == HALF
    assert gets(case, "mindspore_lite", INT4, INT8, INT8, INT8)[0]["stem"] == INT8


def test_dopt_has_one_activation_width(case):
    wide = Scheme(WeightFormat(8), ActivationFormat(16))
    assert set(gets(case, "dopt", wide)[0].values()) == {wide}
    assert gets(case, "dopt", wide, INT8)[0]["stem"] == INT8


def test_targets_of_tensors_give_all_readers_the_same():
    """Two products read one tensor: one wants INT8, the other FP16."""
    rng = np.random.default_rng(0)
    weight = lambda: rng.standard_normal((32, 8)).astype(np.float32)
    steps = [
        Step([("MatMul", ["x", name], [f"y{name}"], {})], [f"y{name}"], {name: weight()}, Kind.MATMUL, name, (1,), (0,),
             "x")
        for name in ("a", "b")
    ]  # fmt: skip
    net = network({"x": rng.standard_normal((4, 32)).astype(np.float32)}, ["ya", "yb"], steps)
    wide = Scheme(WeightFormat(8), ActivationFormat(16))
    (change,) = target("aimet").check(net, plan_of(net, INT8, wide)).changes
    assert (change.asked, change.gets) == (INT8, wide)
    found = target("aimet").check(net, plan_of(net, INT8, FP16))
    (change,) = found.changes
    assert change.gets == Scheme(WeightFormat(16, floating=True), ActivationFormat(8))
    assert "tensor x" in str(change.reason)


def test_the_effect_is_that_of_the_plan_as_it_runs(case):
    device = load_device("kirin9030")
    handover = target("amct_ptq").check(case.network, case.plan)
    evaluator = Evaluator(case.network, case.samples, ranges=case.ranges)
    try:
        effect = measure_effect(case.network, case.plan, handover, device=device, evaluator=evaluator)
        wanted = evaluator.evaluate(handover.effective_plan).output.sqnr_db
    finally:
        evaluator.close()
    assert effect.asked_bytes == plan_bytes(case.network, case.plan).total
    assert effect.gets_bytes == plan_bytes(case.network, handover.effective_plan).total != effect.asked_bytes
    assert effect.gets_latency_us == latency_us(case.network, handover.effective_plan, device)
    assert effect.gets_sqnr_db == wanted != effect.asked_sqnr_db
    report = report_text(case.network, case.plan, say("X"), handover, effect=effect)
    assert f"output SQNR          {effect.asked_sqnr_db:.2f} -> {wanted:.2f} dB" in report
    assert f"{effect.gets_bytes:,} bytes" in report
    unmeasured = measure_effect(case.network, case.plan, handover)
    assert (unmeasured.gets_latency_us, unmeasured.gets_sqnr_db) == (None, None)


def test_the_report_groups_layers_by_what_happens_to_them(case):
    plan = plan_of(case.network, INT4)
    text = report_text(case.network, plan, say("dopt"), target("dopt").check(case.network, plan))
    assert f"4 layers: {spell(INT4)} -> {spell(INT8)}" in text
    assert "stem, dw, pw, head" in text
    plan = Plan({k.id: INT8 for k in case.network.tunable})
    assert "Changes: none" in report_text(case.network, plan, say("dopt"), target("dopt").check(case.network, plan))


@pytest.mark.parametrize(("scheme", "text"), [
    (INT4, "INT4 (w4 asym g32, a fp16)"),
    (INT8, "INT8 (w8 sym per channel, a8 asym)"),
    (FP16, "FP16 (w fp16, a fp16)"),
    (W4A8, "W4A8 (w4 asym g32, a8 asym)"),
    (Scheme(WeightFormat(8), ActivationFormat(8, static=False)), "W8A8 (w8 sym per channel, a8 asym dynamic)"),
])  # fmt: skip
def test_schemes_are_spelt_in_full(scheme, text):
    assert spell(scheme) == text
