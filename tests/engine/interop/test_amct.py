"""AMCT files against its schemas, and the numbers in them against their definitions."""

from __future__ import annotations

import json

import numpy as np
import onnx
import pytest
from export_cases import run_with_fakes
from schemas import CALIBRATION, RECORD, RETRAIN, read

from engine.errors import PlanError
from engine.interop.amct_qat import read_mixed_precision
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT4, INT8, ActivationFormat, Scheme, WeightFormat

NODES = ["/stem/Conv", "/dw/Conv", "/pw/Conv", "/head/Gemm"]


def test_the_simplified_configuration_fits_its_schema(case, tmp_path):
    case.export("amct_ptq", tmp_path / "out")
    found = read(CALIBRATION, "AMCTConfig", (tmp_path / "out" / "ptq.cfg").read_text())
    assert found.batch_num == 3
    assert list(found.skip_layers) == ["/pw/Conv"]
    assert list(found.skip_layer_types) == ["AveragePool"]
    assert not found.override_layer_configs
    assert found.HasField("common_config")


def test_what_differs_from_the_default_is_said_layer_by_layer(case, tmp_path):
    symmetric = Scheme(WeightFormat(8, granularity="tensor"), ActivationFormat(16, symmetric=True))
    case.with_plan(symmetric, INT8).export("amct_ptq", tmp_path / "out")
    found = read(CALIBRATION, "AMCTConfig", (tmp_path / "out" / "ptq.cfg").read_text())
    overrides = {entry.layer_name: entry.calibration_config for entry in found.override_layer_configs}
    assert set(overrides) == {"/stem/Conv", "/pw/Conv"}
    stem = overrides["/stem/Conv"]
    assert stem.arq_quantize.channel_wise is False
    assert (stem.ifmr_quantize.asymmetric, stem.ifmr_quantize.dst_type) == (False, 2)
    layers = json.loads((tmp_path / "out" / "config.json").read_text())
    assert layers["/stem/Conv"]["activation_quant_params"]["num_bits"] == 16
    assert layers["/stem/Conv"]["weight_quant_params"]["channel_wise"] is False


def test_the_full_configuration_lists_the_layers_of_the_model(case, tmp_path):
    case.export("amct_ptq", tmp_path / "out")
    layers = json.loads((tmp_path / "out" / "config.json").read_text())
    assert [name for name in layers if name.startswith("/")] == NODES
    assert [layers[name]["quant_enable"] for name in NODES] == [True, True, False, True]
    assert layers["/head/Gemm"]["weight_quant_params"] == {
        "num_bits": 8, "wts_algo": "arq_quantize", "channel_wise": False,
    }  # fmt: skip
    written = {node.name for node in onnx.load(tmp_path / "out" / "model.onnx").graph.node}
    assert set(NODES) <= written


def test_the_record_holds_the_scales_by_their_definition(case, tmp_path):
    case.export("amct_ptq", tmp_path / "out")
    found = read(RECORD, "ScaleOffsetRecord", (tmp_path / "out" / "record.txt").read_text())
    records = {entry.key: entry.value for entry in found.record}
    assert set(records) == set(NODES) - {"/pw/Conv"}
    stem = case.network.tunable[0]
    weight = stem.constants[stem.weight.constant]
    np.testing.assert_allclose(records["/stem/Conv"].scale_w, np.abs(weight).max((1, 2, 3)) / 127, rtol=1e-5)
    assert list(records["/stem/Conv"].offset_w) == [0] * 16
    low, high = case.ranges.ranges["image"].low, case.ranges.ranges["image"].high
    scale = (max(high, 0) - min(low, 0)) / 255
    assert records["/stem/Conv"].scale_d == pytest.approx(scale, rel=1e-5)
    # int8 code = round(value / scale) + offset: the least value becomes -128.
    assert round(min(low, 0) / scale) + records["/stem/Conv"].offset_d == pytest.approx(-128, abs=1)
    assert len(records["/head/Gemm"].scale_w) == 1


def test_the_script_calls_amct_with_files_that_exist(case, tmp_path):
    case.export("amct_ptq", tmp_path / "out")
    (call,) = run_with_fakes(tmp_path / "out" / "amct.sh", "amct_onnx")
    values = dict(zip(call[1::2], call[2::2], strict=True))
    assert call[0] == "calibration"
    assert (tmp_path / "out" / values["--model"]).is_file()
    assert (tmp_path / "out" / values["--calibration_config"]).is_file()
    assert values["--input_shape"] == "image:1,3,16,16"
    samples = sorted((tmp_path / "out" / values["--data_dir"]).iterdir())
    assert len(samples) == int(values["--batch_num"]) == 3
    np.testing.assert_array_equal(
        np.fromfile(samples[2], np.float32), case.samples.feeds[2]["image"].reshape(-1)
    )  # fmt: skip


def test_the_training_configuration_fits_its_schema(case, tmp_path):
    case.export("amct_qat", tmp_path / "out")
    found = read(RETRAIN, "AMCTRetrainConfig", (tmp_path / "out" / "qat.cfg").read_text())
    assert list(found.quant_skip_layers) == ["pw"]
    overrides = {entry.layer_name: entry for entry in found.override_layer_configs}
    assert set(overrides) == {"stem"}
    data, weights = overrides["stem"].retrain_data_quant_config, overrides["stem"].retrain_weight_quant_config
    assert (data.ulq_quantize.dst_type, weights.arq_retrain.dst_type) == (0, 0)  # INT4
    assert weights.arq_retrain.channel_wise
    assert data.ulq_quantize.clip_max_min.clip_max == pytest.approx(case.ranges.ranges["image"].high, rel=1e-5)
    assert found.retrain_weight_quant_config.arq_retrain.dst_type == 1  # INT8


def test_node_names_on_request(case, tmp_path):
    case.export("amct_qat", tmp_path / "out", names="node")
    assert set(json.loads((tmp_path / "out" / "small_cnn_qat_mixed_precision.json").read_text())) == set(NODES)


def test_bits_go_out_and_come_back(case, tmp_path):
    written = case.export("amct_qat", tmp_path / "out")
    path = tmp_path / "out" / "small_cnn_qat_mixed_precision.json"
    assert {name: entry["num_bits"] for name, entry in json.loads(path.read_text()).items()} == {
        "stem": 4, "dw": 8, "pw": 16, "head": 8,
    }  # fmt: skip
    found = read_mixed_precision(path, case.network, Plan())
    assert found.plan == written.handover.effective_plan
    assert not found.unmatched
    assert not found.untouched


def test_foreign_bits_are_matched_by_name(case, tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"/stem/Conv": {"num_bits": 16}, "elsewhere": {"num_bits": 4}}')
    base = Plan({k.id: INT4 for k in case.network.tunable})
    found = read_mixed_precision(path, case.network, base)
    assert [found.plan[k.id] for k in case.network.tunable] == [FP16, INT4, INT4, INT4]
    assert found.unmatched == ("elsewhere",)


@pytest.mark.parametrize("text", ["", "[]", '{"a": {"num_bits": 5}}', '{"a": 4}', "\xff"])
def test_other_files_are_refused(case, tmp_path, text):
    path = tmp_path / "x.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(PlanError, match=r"x\.json is no mixed-precision file of AMCT"):
        read_mixed_precision(path, case.network, Plan())
    with pytest.raises(PlanError, match="can't be read"):
        read_mixed_precision(tmp_path / "none.json", case.network, Plan())
