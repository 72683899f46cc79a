"""Precisions out of somebody else's files: what a file is, what fits, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import onnx
import pytest
from export_cases import plan_of
from handmade import small_net
from onnx import helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

from engine.errors import PlanError
from engine.interop import imports
from engine.interop.imports import import_plan
from engine.interop.own_precisions import plan_of_model
from engine.interop.qdq import export_qdq
from engine.interop.rules_file import Rules, read_rules, rules_of
from engine.precision.plan import Plan
from engine.precision.scheme import BF16, FP16, FP32, INT4, INT8, W8A16, ActivationFormat, Scheme, WeightFormat
from engine.session.work import open_network


@pytest.mark.parametrize("name", ["rules", "plan", "amct_qat", "dopt_lm", "aimet", "qnn", "qdq"])
def test_what_is_exported_can_be_imported_without_saying_what_it_is(case, tmp_path, name):
    case = case.with_plan(INT8, FP16, INT8, FP16)
    written = case.export(name, tmp_path / "x.onnx" if name == "qdq" else tmp_path / "x.json")
    path = next(f for f in written.files if f.suffix in (".onnx", ".json"))
    found = import_plan(path, case.network, Plan())
    if name == "dopt_lm":  # it doesn't say whether there are zero points
        assert [s.weights.bits for s in found.plan.values()] == [8, 16, 8, 16]
    else:
        assert found.plan == written.handover.effective_plan
    assert not found.unmatched
    assert not found.untouched
    assert str(found.source)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("x.json", "", "of no known kind: it is neither an ONNX model nor JSON"),
        ("x.json", "{}", "of no known kind; a plan can come from"),
        ("x.json", "[1, 2]", "of no known kind; a plan can come from"),
        ("x.json", '{"a": {"bits": 4}}', "of no known kind; a plan can come from"),
        ("x.json", '{"format": "mixbit-rules", "version": 1}', "is not a rule file"),
        ("x.json", '{"format": "mixbit-rules", "version": 9, "default": "int8"}', "written by a newer Mixbit"),
        ("x.onnx", "no model", "is not an ONNX model"),
        ("x.onnx", "", "is empty"),
        ("none.json", None, "can't be read"),
        ("none.onnx", None, "can't be read"),
    ],
)
def test_other_files_are_refused_in_one_sentence(case, tmp_path, name, text, reason):
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(PlanError) as refused:
        import_plan(tmp_path / name, case.network, Plan())
    assert reason in str(refused.value)
    assert name in str(refused.value)


def test_huge_files_are_not_read(case, tmp_path, monkeypatch):
    monkeypatch.setattr(imports, "_AT_MOST", 10)
    (tmp_path / "x.json").write_text("x" * 11)
    with pytest.raises(PlanError, match="files of at most 1 GB"):
        import_plan(tmp_path / "x.json", case.network, Plan())


# rules --------------------------------------------------------------------------------------------------------------


def test_rules_find_patterns_that_say_it_shortly():
    net, _ = small_net()
    kernel = net.kernels[0]
    blocks = ("q_proj", "up_proj")
    names = [f"layers.{n}.{block}" for n in range(12) for block in blocks] + ["head[0]", "head"]
    kernels = tuple(replace(kernel, id=name, name=name, index=at) for at, name in enumerate(names))
    net = replace(net, kernels=kernels)
    plan = Plan({n: INT8 if n.endswith("q_proj") else FP16 if n == "head[0]" else INT4 for n in names})
    rules = rules_of(net, plan)
    assert rules == Rules("mixbit-rules", 1, "int4", ["*.q_proj"], ["head[[]0]"], "handmade.onnx")
    assert all(rules.scheme(name) == plan[name] for name in names)


def test_a_pattern_that_would_match_a_layer_too_many_is_not_used():
    net, _ = small_net()
    names = ["a.1", "a.2", "a.3", "b.1"]
    kernels = tuple(replace(net.kernels[0], id=name, name=name, index=at) for at, name in enumerate(names))
    net = replace(net, kernels=kernels)
    rules = rules_of(net, Plan(dict(zip(names, (FP16, FP16, INT4, FP16), strict=True))))
    assert rules.keep_fp16 == ["*.1", "a.2"]


def test_rules_written_by_hand(case, tmp_path):
    path = tmp_path / "r.json"
    text = {"format": "mixbit-rules", "version": 1, "default": "int4", "keep_fp16": ["head", "x*"], "keep_int8": ["?w"]}
    path.write_text(json.dumps(text))
    found = read_rules(path, case.network, Plan())
    assert list(found.plan.values()) == [INT4, INT8, INT8, FP16]
    assert found.unmatched == ("x*",)


def test_rules_as_a_header_are_cpp_literals(case, tmp_path):
    written = case.export("rules_cpp", tmp_path / "r.h")
    text = (tmp_path / "r.h").read_text()
    assert '    "int4",\n    {"dw", "head"},\n    {"pw"},\n};' in text
    assert "struct QuantConfig" in text
    assert written.handover.effective_plan == case.plan


# the precisions that a model has by itself --------------------------------------------------------------------------


IN_16 = WeightFormat(4, symmetric=False, granularity="group", group=16)


def without_notes(path):
    model = onnx.load(path)
    del model.metadata_props[:]
    onnx.save(model, path)


@pytest.mark.parametrize(
    "schemes",
    [
        (INT8, FP16, W8A16, Scheme(IN_16, ActivationFormat(8))),
        (Scheme(WeightFormat(4), ActivationFormat(8, symmetric=True)), INT8, FP16, Scheme(IN_16, FP16.activations)),
        (Scheme(WeightFormat(8, granularity="tensor"), ActivationFormat(16)), W8A16,
         Scheme(WeightFormat(8, symmetric=False), ActivationFormat(8, static=False)), FP16),
        (BF16, FP16, BF16, Scheme(IN_16, BF16.activations)),
    ],
)  # fmt: skip
def test_the_nodes_of_a_model_tell_its_precisions(case, schemes, tmp_path):
    plan = plan_of(case.network, *schemes)
    export_qdq(case.network, plan, case.ranges, tmp_path / "q.onnx")
    without_notes(tmp_path / "q.onnx")
    assert plan_of_model(tmp_path / "q.onnx", case.network, Plan()).plan == plan
    # The quantized model itself may be the one that is open.
    opened = open_network(tmp_path / "q.onnx")
    found = plan_of_model(tmp_path / "q.onnx", opened, Plan()).plan
    assert [found[k.id] for k in opened.tunable] == list(plan.values())


def test_a_mixbit_export_tells_every_detail(case, tmp_path):
    odd = Scheme(WeightFormat(3, symmetric=False, granularity="group", group=16), FP16.activations)
    plan = plan_of(case.network, odd, INT8, FP32, INT4)
    export_qdq(case.network, plan, case.ranges, tmp_path / "q.onnx")
    assert plan_of_model(tmp_path / "q.onnx", case.network, Plan()).plan == plan


class _Reader(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


def test_a_model_that_onnx_runtime_quantized(case, tmp_path):
    source, result = str(case.network.graph.path), tmp_path / "q.onnx"
    quantize_static(
        source, str(result), _Reader(case.samples.feeds), quant_format=QuantFormat.QDQ, per_channel=True,
        weight_type=QuantType.QInt8, activation_type=QuantType.QUInt8, nodes_to_exclude=["/pw/Conv"],
    )  # fmt: skip
    found = plan_of_model(result, case.network, Plan({k.id: FP32 for k in case.network.tunable}))
    assert [found.plan[k.id] for k in case.network.tunable] == [INT8, INT8, FP32, INT8]
    assert found.untouched == ("pw",)


def test_a_float_model_has_nothing_to_tell(case):
    with pytest.raises(PlanError, match=r"small_cnn\.onnx quantizes none of the layers of small_cnn\.onnx"):
        plan_of_model(case.network.graph.path, case.network, Plan())


def test_unsigned_codes_around_their_middle_are_symmetric(tmp_path):
    weight = np.random.default_rng(0).integers(0, 256, (8, 4), np.uint8)
    arrays = {"w": weight, "s": np.float32(0.01), "z": np.uint8(128)}
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "s", "z"], ["d"], "d"),
        helper.make_node("MatMul", ["x", "d"], ["y"], "m"),
    ]
    infos = [helper.make_tensor_value_info(n, 1, s) for n, s in (("x", [2, 8]), ("y", [2, 4]))]
    stored = [numpy_helper.from_array(np.asarray(a), n) for n, a in arrays.items()]
    graph = helper.make_graph(nodes, "g", infos[:1], infos[1:], stored)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "m.onnx")
    net = open_network(tmp_path / "m.onnx")
    (scheme,) = plan_of_model(tmp_path / "m.onnx", net, Plan()).plan.values()
    assert scheme == Scheme(WeightFormat(8, granularity="tensor"), FP16.activations)
