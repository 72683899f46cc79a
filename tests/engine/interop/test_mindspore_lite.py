"""MindSpore Lite: the three modes, the skip list, calibration data in the converted layout."""

from __future__ import annotations

import configparser

import numpy as np
import pytest
from export_cases import run_with_fakes

from engine.precision.scheme import FP16, INT4, INT8, W8A16


def settings(folder):
    found = configparser.ConfigParser(delimiters=("=",), interpolation=None)
    found.optionxform = str
    found.read(folder / "quant.cfg")
    return {name: dict(found[name]) for name in found.sections()}


def test_weights_in_four_bits(case, tmp_path):
    case.with_plan(INT4, INT4, FP16, INT4).export("mindspore_lite", tmp_path / "out")
    (section,) = settings(tmp_path / "out").items()
    assert section == (
        "common_quant_param",
        {
            "quant_type": "WEIGHT_QUANT",
            "bit_num": "4",
            "min_quant_weight_size": "0",
            "min_quant_weight_channel": "1",
            "skip_quant_node": "/dw/Conv,/pw/Conv",  # depthwise layers stay in floats anyway
        },
    )
    assert not (tmp_path / "out" / "calibration").exists()


def test_weights_in_eight_bits(case, tmp_path):
    case.with_plan(W8A16).export("mindspore_lite", tmp_path / "out")
    common = settings(tmp_path / "out")["common_quant_param"]
    assert (common["quant_type"], common["bit_num"]) == ("WEIGHT_QUANT", "8")


def test_everything_in_eight_bits_is_calibrated_in_nhwc(case, tmp_path):
    case.with_plan(INT8, INT8, FP16, INT8).export("mindspore_lite", tmp_path / "out")
    found = settings(tmp_path / "out")
    assert found["common_quant_param"]["quant_type"] == "FULL_QUANT"
    assert found["common_quant_param"]["skip_quant_node"] == "/pw/Conv"
    assert "debug_info_save_path" not in found["common_quant_param"]  # minutes instead of seconds
    assert found["full_quant_param"]["per_channel"] == "true"
    data = found["data_preprocess_param"]
    assert (data["calibrate_size"], data["input_type"]) == ("3", "BIN")
    name, folder = data["calibrate_path"].split(":")
    assert name == "image"
    files = sorted((tmp_path / "out" / folder).iterdir())
    assert len(files) == 3
    wanted = case.samples.feeds[1]["image"].transpose(0, 2, 3, 1)
    np.testing.assert_array_equal(np.fromfile(files[1], np.float32).reshape(wanted.shape), wanted)


def test_nothing_quantized_leaves_no_section(case, tmp_path):
    case.with_plan(FP16).export("mindspore_lite", tmp_path / "out")
    assert settings(tmp_path / "out") == {}


@pytest.mark.parametrize("plan", [(INT4,), (INT8,)])
def test_the_script_names_files_that_exist(case, plan, tmp_path):
    case.with_plan(*plan).export("mindspore_lite", tmp_path / "out")
    (call,) = run_with_fakes(tmp_path / "out" / "convert.sh", "converter_lite")
    flags = dict(flag.removeprefix("--").split("=", 1) for flag in call)
    assert (flags["fmk"], flags["fp16"], flags["inputShape"]) == ("ONNX", "on", "image:1,3,16,16")
    assert all((tmp_path / "out" / flags[name]).is_file() for name in ("modelFile", "configFile"))
