"""Schemes, plans, presets and plan files."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from dataclasses import replace

import msgspec
import pytest
from small_models import small_cnn

from engine.errors import ExportError, PlanError
from engine.fusion.types import Kind
from engine.precision import (
    BF16,
    FP16,
    FP32,
    INT4,
    INT8,
    W4A8,
    Plan,
    family,
    label,
    load_plan,
    preset,
    save_plan,
    spread,
)
from engine.precision.scheme import PRESETS, ActivationFormat, Scheme, WeightFormat
from engine.session.work import open_network

ODD = Scheme(WeightFormat(3, symmetric=False, granularity="group", group=64), ActivationFormat(16))


def test_presets_are_what_the_design_says():
    assert (INT4.weights.bits, INT4.weights.symmetric, INT4.weights.group) == (4, False, 32)
    assert (INT4.activations.bits, INT4.activations.floating) == (16, True)
    assert (INT8.weights.bits, INT8.weights.symmetric, INT8.weights.granularity) == (8, True, "channel")
    assert (INT8.activations.bits, INT8.activations.symmetric, INT8.activations.static) == (8, False, True)


@pytest.mark.parametrize(
    ("scheme", "group", "name"),
    [
        (INT4, "INT4", "INT4"),
        (INT8, "INT8", "INT8"),
        (FP16, "FP16", "FP16"),
        (W4A8, "INT4", "W4A8"),
        (ODD, "INT4", "W3AI16"),
        (Scheme(ODD.weights, INT4.activations), "INT4", "W3A16"),
        (FP32, "FP32", "FP32"),
        (BF16, "FP16", "BF16"),
        (Scheme(INT4.weights, BF16.activations), "INT4", "W4AB16"),
        (Scheme(BF16.weights, INT8.activations), "FP16", "WB16A8"),
    ],
)
def test_family_and_label(scheme, group, name):
    assert (family(scheme), label(scheme)) == (group, name)


def test_a_plan_is_a_value():
    plan = Plan({"a": INT8, "b": FP16}, "first")
    edited = plan.with_schemes({"b": INT4})
    assert (plan["b"], edited["b"]) == (FP16, INT4)
    assert plan == Plan({"b": FP16, "a": INT8}, "another name")
    assert hash(plan) == hash(Plan({"b": FP16, "a": INT8}))
    assert plan != edited
    assert edited.difference(plan) == ("b",)
    assert Plan({"a": INT8}).difference(plan) == ("b",)
    assert plan.scheme("unknown") == FP32
    with pytest.raises(TypeError):
        plan.schemes["a"] = INT4


def test_int4_for_many_leaves_depthwise_at_int8_but_one_alone_gets_it(cnn):
    depthwise = next(k for k in cnn.tunable if k.kind is Kind.DEPTHWISE)
    many = preset(cnn, "int4")
    assert many[depthwise.id] == INT8
    assert {many[k.id] for k in cnn.tunable if k is not depthwise} == {INT4}
    assert spread([depthwise], INT4) == {depthwise.id: INT4}


def test_first_and_last_fp16(cnn):
    plan = preset(cnn, "first_last_fp16")
    schemes = [plan[k.id] for k in cnn.tunable]
    assert schemes[0] == schemes[-1] == FP16
    assert set(schemes[1:-1]) == {INT8}


def test_an_unknown_preset_lists_what_there_is(cnn):
    with pytest.raises(PlanError, match=r"int5.*int4"):
        preset(cnn, "int5")


def test_plan_file_round_trip_keeps_odd_schemes(cnn, tmp_path):
    plan = preset(cnn, "int8").with_schemes({cnn.tunable[0].id: ODD}, "mine")
    save_plan(plan, cnn, tmp_path / "p.json")
    read = load_plan(tmp_path / "p.json", cnn)
    assert read == plan
    assert read.name == "mine"
    written = json.loads((tmp_path / "p.json").read_text())
    assert written["version"] == 1
    assert written["model"]["sha256"] == cnn.graph.sha256
    assert [k["weight"] for k in written["kernels"]] == ["stem.weight", "dw.weight", "pw.weight", "head.weight"]


def test_only_brain_floats_need_a_newer_plan_file(cnn, tmp_path):
    """Older versions read all else: neither the version nor the fields of other schemes have changed."""
    mixed = Scheme(ODD.weights, BF16.activations)
    first, second = (k.id for k in cnn.tunable[:2])
    plan = preset(cnn, "int8").with_schemes({first: ODD, second: replace(INT4, method="gptq")})
    save_plan(plan, cnn, tmp_path / "p.json")
    assert "brain" not in (tmp_path / "p.json").read_text()
    plan = plan.with_schemes({first: BF16, second: mixed})
    save_plan(plan, cnn, tmp_path / "p.json")
    assert load_plan(tmp_path / "p.json", cnn) == plan
    written = json.loads((tmp_path / "p.json").read_text())
    assert written["version"] == 3
    assert written["kernels"][0]["scheme"] == "bf16"
    assert written["kernels"][1]["scheme"]["activations"]["brain"] is True
    assert "brain" not in written["kernels"][1]["scheme"]["weights"]


def test_a_plan_for_another_model_is_refused_unless_asked_for(cnn, tmp_path):
    other = open_network(small_cnn(tmp_path / "other.onnx", seed=1))
    save_plan(preset(other, "int8"), other, tmp_path / "p.json")
    with pytest.raises(PlanError, match=r"p\.json.*other\.onnx.*small_cnn\.onnx"):
        load_plan(tmp_path / "p.json", cnn)
    assert load_plan(tmp_path / "p.json", cnn, any_model=True) == preset(cnn, "int8")


def _edited(cnn, tmp_path, edit):
    save_plan(preset(cnn, "int8"), cnn, tmp_path / "p.json")
    content = json.loads((tmp_path / "p.json").read_text())
    edit(content)
    (tmp_path / "p.json").write_text(json.dumps(content))
    return tmp_path / "p.json"


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda c: c.update(version=99), "newer Mixbit"),
        (lambda c: c.update(format="other"), "not a Mixbit plan"),
        (lambda c: c["kernels"][0].update(scheme="int5"), "int5"),
        (lambda c: c["kernels"][0].update(scheme=_with_bits(5)), "5 bits"),
        (lambda c: c["kernels"][0].update(scheme=_with_group(0)), "group of 0"),
        (lambda c: c["kernels"][0].update(id="gone", weight="gone"), "gone"),
        (lambda c: c["kernels"][0].pop("weight"), "weight"),
        (lambda c: c["kernels"][0].update(colour="red"), "colour"),
        (lambda c: c.update(version=-1), "version -1"),
        (lambda c: c.update(version=99, colour="red"), "newer Mixbit"),
        (lambda c: c["kernels"].append(c["kernels"][0]), "stem twice"),
        (lambda c: c["kernels"][0].update(scheme={**_with_group(32), "colour": 1}), "stem has a field colour"),
        (lambda c: c["kernels"][0].update(scheme=_with_weights(groups=64)), "stem has a field groups"),
        (lambda c: c["kernels"][0].update(scheme=_with_weights(brain=True)), "stem: BF16"),
        (lambda c: c["kernels"][0].update(scheme=_with_weights(bits=16, brain=True)), "stem: the field brain"),
    ],
)
def test_a_damaged_plan_is_refused_with_its_field(cnn, tmp_path, edit, words):
    path = _edited(cnn, tmp_path, edit)
    with pytest.raises(PlanError, match=words) as refused:
        load_plan(path, cnn)
    assert "\n" not in str(refused.value)


def _with_bits(bits):
    return msgspec.to_builtins(Scheme(WeightFormat(bits), ActivationFormat(8)))


def _with_weights(**more):
    scheme = _with_group(32)
    return {**scheme, "weights": {**scheme["weights"], **more}}


def _with_group(group):
    return msgspec.to_builtins(Scheme(WeightFormat(4, granularity="group", group=group), ActivationFormat(8)))


def test_an_unwritable_place_is_named_and_nothing_is_left_behind(cnn, tmp_path):
    with pytest.raises(ExportError, match=r"nowhere"):
        save_plan(preset(cnn, "int8"), cnn, tmp_path / "nowhere" / "p.json")
    (tmp_path / "dir").mkdir()
    with pytest.raises(ExportError, match=r"dir"):
        save_plan(preset(cnn, "int8"), cnn, tmp_path / "dir")
    assert [p.name for p in tmp_path.iterdir() if p.name.endswith(".part")] == []


def test_binary_rubbish_is_no_plan(cnn, tmp_path):
    (tmp_path / "p.json").write_bytes(bytes(range(256)))
    with pytest.raises(PlanError, match="not a Mixbit plan"):
        load_plan(tmp_path / "p.json", cnn)
    with pytest.raises(PlanError, match=r"missing\.json can't be read"):
        load_plan(tmp_path / "missing.json", cnn)


def test_equal_schemes_have_one_hash_and_files_know_nothing_of_it():
    for scheme in PRESETS.values():
        written = msgspec.json.encode(scheme)
        assert b"hash" not in written
        read = msgspec.json.decode(written, type=Scheme)
        assert read == scheme
        assert hash(read) == hash(scheme)
        assert hash(replace(scheme, method="gptq")) == hash(replace(read, method="gptq")) != hash(scheme)
        assert repr(read) == repr(scheme)


def test_copies_and_other_processes_have_equal_schemes():
    for scheme in (*PRESETS.values(), Scheme(INT4.weights, INT4.activations, "gptq", corrected=True)):
        for made in (copy.copy(scheme), copy.deepcopy(scheme), pickle.loads(pickle.dumps(scheme))):
            assert made == scheme
            assert hash(made) == hash(scheme)
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer) in {pickle.loads(bytes.fromhex(sys.argv[1])): 1})"
    data = pickle.dumps(INT8)
    child = subprocess.run([sys.executable, "-c", code, data.hex()], input=data, capture_output=True, check=True)
    assert child.stdout.strip() == b"True"
