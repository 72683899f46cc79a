"""The quantizers of the CANN Kit: configuration, calibration data, scripts; strategies for language models."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import onnx
import pytest
from export_cases import case_of, run_with_fakes
from kinds import embedding
from schemas import DOPT, read

from engine.errors import ExportError, PlanError
from engine.interop.calibration_files import dopt_header, read_dopt
from engine.interop.dopt_lm import decode_strategies, plan_of_strategies
from engine.interop.targets import target
from engine.paths import sample_models
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, FP32, INT4, INT8, W4A8, W8A16, ActivationFormat, Scheme, WeightFormat


def test_the_configuration_fits_its_schema_and_names_weights_of_the_model(case, tmp_path):
    case.export("dopt", tmp_path / "out")
    found = read(DOPT, "Config", (tmp_path / "out" / "config.prototxt").read_text())
    assert (found.strategy, found.device) == ("Quant_INT8-8", 0)
    assert [p.input_type for p in found.preprocess_parameter] == [1]
    assert list(found.exclude_op) == ["pw.weight"]
    stored = {tensor.name for tensor in onnx.load(tmp_path / "out" / "model.onnx").graph.initializer}
    assert set(found.exclude_op) <= stored


def test_node_names_and_wide_activations_on_request(case, tmp_path):
    wide = Scheme(WeightFormat(8), ActivationFormat(16))
    case.with_plan(wide, FP16).export("dopt", tmp_path / "out", exclude="node", platform="kirinx90")
    found = read(DOPT, "Config", (tmp_path / "out" / "config.prototxt").read_text())
    assert found.strategy == "Quant_INT16-8"
    assert list(found.exclude_op) == ["/dw/Conv", "/head/Gemm"]
    (call,) = run_with_fakes(tmp_path / "out" / "omg.sh", "omg")
    assert call[call.index("--platform") + 1] == "kirinx90"


def test_calibration_data_has_the_header_and_all_samples(case, tmp_path):
    case.export("dopt", tmp_path / "out")
    data = (tmp_path / "out" / "calibration" / "image.bin").read_bytes()
    assert struct.unpack("<5i", data[:20]) == (510, 3, 3, 16, 16)
    values = np.frombuffer(data, "<f4", offset=20)
    np.testing.assert_array_equal(values, np.concatenate([f["image"].reshape(-1) for f in case.samples.feeds]))


@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (6,), (2, 7), (1, 2, 3, 4, 5)])
def test_headers_of_other_ranks(shape, tmp_path):
    assert dopt_header(shape) == ([510, *shape] if len(shape) == 4 else [610, len(shape), *shape])
    values = np.arange(np.prod(shape), dtype="<f4").reshape(shape)
    (tmp_path / "x.bin").write_bytes(np.asarray(dopt_header(shape), "<i4").tobytes() + values.tobytes())
    np.testing.assert_array_equal(read_dopt(tmp_path / "x.bin"), values)


def test_the_script_fills_in_its_folder_wherever_it_lies(case, tmp_path):
    place = tmp_path / "a & b|c"
    place.mkdir()
    case.export("dopt", place / "out")
    (call,) = run_with_fakes(place / "out" / "dopt.sh", "python", DOPT="/opt/dopt")
    assert call[0] == "/opt/dopt/dopt_so.py"
    values = dict(zip(call[1::2], call[2::2], strict=True))
    assert values["--input_shape"] == "image:1,3,16,16"
    assert values["--out_nodes"] == "logits"
    found = read(DOPT, "Config", (place / "out" / values["--cal_conf"]).read_text())
    assert found.preprocess_parameter[0].input_file_path == str(place / "out" / "calibration" / "image.bin")
    for file in (Path(found.preprocess_parameter[0].input_file_path), place / "out" / values["--model"]):
        assert file.is_file()


def test_models_that_dopt_cannot_calibrate_are_refused():
    net, _ = embedding(np.random.default_rng(0), 17)
    with pytest.raises(ExportError, match="Input i holds int64, and dopt calibrates with float inputs only"):
        target("dopt").check(net, Plan())


@pytest.fixture(scope="module")
def decoder():
    return case_of(sample_models() / "swiglu_decoder" / "swiglu_decoder.onnx", INT4, INT8, FP16, W4A8, W8A16, FP32)


def test_strategies_go_out_in_module_names_and_come_back(decoder, tmp_path):
    written = decoder.export("dopt_lm", tmp_path / "out")
    layers = json.loads((tmp_path / "out" / "dopt_config.json").read_text())["layer_strategy"]
    assert layers["model.embed_tokens"] == {"quant_strategy": "Quant_Embed_MinMax"}
    assert layers["model.layers.0.self_attn.q_proj"] == {
        "quant_strategy": "Quant_act_weight_eco", "type": "<class 'torch.nn.modules.linear.Linear'>",
        "weight": {"bit": 8, "group_size": 32}, "input": {"bit": 8},
    }  # fmt: skip
    assert layers["model.layers.0.self_attn.k_proj"] == {"quant_strategy": "float"}
    assert layers["model.layers.0.self_attn.v_proj"]["weight"] == {"bit": 4, "group_size": 32}
    data = (tmp_path / "out" / "dopt_config.json").read_bytes()
    found = plan_of_strategies(decode_strategies(data, "x"), decoder.network, Plan()).plan
    keys = lambda plan: [(s.weights.bits, s.weights.group, s.activations.bits) for s in plan.values()]
    assert keys(found) == keys(written.handover.effective_plan)


def test_both_spellings_of_the_root_are_read(decoder):
    for root in ("layer_strategy", "layer_stategy"):
        text = f'{{"{root}": {{"lm_head": {{"quant_strategy": "float"}}, "x.y": {{"quant_strategy": "float"}}}}}}'
        found = plan_of_strategies(decode_strategies(text.encode(), "x"), decoder.network, Plan())
        assert list(found.plan.values()) == [FP16]
        assert found.unmatched == ("x.y",)


@pytest.mark.parametrize("text", [b"{}", b"[]", b'{"layer_strategy": {"a": {"weight": {"bit": 5}}}}', b"x"])
def test_other_files_are_no_strategies(text):
    with pytest.raises(PlanError, match=r"x\.json is no configuration of dopt_lm"):
        decode_strategies(text, "x.json")


def test_the_script_for_language_models(decoder, tmp_path):
    decoder.export("dopt_lm", tmp_path / "out")
    (call,) = run_with_fakes(tmp_path / "out" / "dopt_lm.sh", "python", DOPT_LM="/opt/lm", MODEL="/m")
    values = dict(zip(call[1::2], call[2::2], strict=True))
    assert (values["--w-bits"], values["--group-size"], values["--model-path"]) == ("4", "32", "/m")
    yaml = (tmp_path / "out" / values["--optimize-config"]).read_text()
    assert "quant_param_2: true" in yaml
    decoder.with_plan(INT8).export("dopt_lm", tmp_path / "x90", platform="kirinx90")
    assert "quant_param_2: false" in (tmp_path / "x90" / "config.yaml").read_text()
