"""ATC's files: what the script passes, what stays in floats, and the preprocessing."""

from __future__ import annotations

import configparser
import json

import numpy as np
import pytest
from export_cases import run_with_fakes
from handmade import Step, network
from PIL import Image
from schemas import AIPP, CALIBRATION, read

from engine.interop.aipp import aipp
from engine.interop.handover import Extras
from engine.interop.pictures import ImageOptions, picture
from engine.interop.textproto import text_proto
from engine.precision.scheme import FP16, FP32, INT8


def test_the_script_passes_what_the_folder_holds(case, tmp_path):
    case.export("atc", tmp_path / "out", soc_version="Ascend310B1")
    convert, look = run_with_fakes(tmp_path / "out" / "atc.sh", "atc")
    flags = dict(flag.removeprefix("--").split("=", 1) for flag in convert)
    assert flags["soc_version"] == "Ascend310B1"
    assert flags["input_shape"] == "image:1,3,16,16"
    assert flags["precision_mode"] == "force_fp16"
    assert (tmp_path / "out" / flags["model"]).is_file()
    assert (tmp_path / "out" / flags["compression_optimize_conf"]).is_file()
    assert "keep_dtype" not in flags
    assert "--mode=1" in look


def test_calibration_settings_name_the_samples(case, tmp_path):
    case.export("atc", tmp_path / "out")
    lines = (tmp_path / "out" / "compress_opt.conf").read_text().splitlines()
    settings = dict(line.strip().split(": ", 1) for line in lines if ": " in line)
    assert settings["input_shape"] == "image:3,3,16,16"
    data = np.fromfile(tmp_path / "out" / settings["input_data_dir"], np.float32)
    np.testing.assert_array_equal(data, np.concatenate([f["image"].reshape(-1) for f in case.samples.feeds]))
    found = read(CALIBRATION, "AMCTConfig", (tmp_path / "out" / settings["config_file"]).read_text())
    assert list(found.skip_layers) == ["/pw/Conv"]


def test_layers_at_fp32_are_kept_in_four_ways(case, tmp_path):
    written = case.with_plan(FP16, FP32, FP16, FP32).export("atc", tmp_path / "out")
    assert not written.handover.changes
    folder = tmp_path / "out"
    assert (folder / "keep_dtype.txt").read_text().split() == ["/dw/Conv", "/head/Gemm"]
    ini = configparser.ConfigParser(delimiters=("=",))
    ini.optionxform = str
    ini.read(folder / "op_precision.ini")
    assert dict(ini["ByNodeName"]) == dict.fromkeys(["/dw/Conv", "/head/Gemm"], "enable_float_32_execution")
    # Conv2D is not on the black list: other convolutions run in FP16.
    assert json.loads((folder / "mixlist.json").read_text()) == {
        "black-list": {"to-add": ["MatMulV2"], "to-remove": []},
        "white-list": {"to-add": [], "to-remove": []},
    }
    assert (folder / "customize_dtypes.cfg").read_text().splitlines() == [
        "/stem/Conv::InputDtype:float16,float16,float16,OutputDtype:float16",
        "/dw/Conv::InputDtype:float32,float32,OutputDtype:float32",
        "/pw/Conv::InputDtype:float16,float16,float16,OutputDtype:float16",
        "/head/Gemm::InputDtype:float32,float32,float32,OutputDtype:float32",
    ]
    (convert, _) = run_with_fakes(folder / "atc.sh", "atc")
    assert "--keep_dtype=keep_dtype.txt" in convert
    assert not any("compression" in flag for flag in convert)


@pytest.mark.parametrize("channels", ["RGB", "BGR"])
def test_the_model_does_with_pixels_what_mixbit_does(case, tmp_path, channels):
    options = ImageOptions(mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225), channels=channels)
    case.with_plan(INT8).export("atc", tmp_path / "out", Extras(samples=case.samples, images={"": options}))
    (op,) = read(AIPP, "InsertOps", (tmp_path / "out" / "aipp.cfg").read_text()).aipp_op
    assert (op.aipp_mode, op.src_image_size_w, op.src_image_size_h, op.related_input_rank) == (1, 16, 16, 0)
    pixels = np.random.default_rng(0).integers(0, 256, (16, 16, 3), np.uint8)
    Image.fromarray(pixels).save(tmp_path / "p.png")
    ours = picture(tmp_path / "p.png", case.network.graph.inputs[0], options)
    swapped = pixels[..., ::-1] if op.rbuv_swap_switch else pixels
    theirs = np.stack(
        [
            (swapped[..., c].astype(np.float32) - getattr(op, f"mean_chn_{c}") - getattr(op, f"min_chn_{c}"))
            * getattr(op, f"var_reci_chn_{c}")
            for c in range(3)
        ]
    )
    np.testing.assert_allclose(theirs, ours, atol=1e-4)
    convert, _ = run_with_fakes(tmp_path / "out" / "atc.sh", "atc")
    assert "--insert_op_conf=aipp.cfg" in convert


def test_gray_pictures_have_one_channel():
    inputs = {"x": np.zeros((1, 1, 8, 9), np.float32)}
    net = network(inputs, ["y"], [Step([("Relu", ["x"], ["y"], {})], ["y"])])
    text = text_proto(aipp(net, {"x": ImageOptions(channels="GRAY", mean=(0.5,), std=(0.25,))}))
    (op,) = read(AIPP, "InsertOps", text).aipp_op
    assert (op.input_format, op.src_image_size_w, op.src_image_size_h) == (4, 9, 8)
    assert (op.min_chn_0, op.HasField("min_chn_1")) == (127.5, False)
    assert op.var_reci_chn_0 == pytest.approx(4 / 255, rel=1e-6)
