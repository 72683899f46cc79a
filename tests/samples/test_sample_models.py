"""The sample models as they are shipped: real figures, disjoint data, licences, and no wish for torch."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from PIL import Image

FOLDERS = sorted(p.parent for p in (Path(__file__).parents[2] / "sample_models").glob("*/sample.json"))
LARGEST_BYTES = 15_000_000


def card(folder: Path) -> dict:
    return json.loads((folder / "sample.json").read_text(encoding="utf-8"))


def pictures(folder: Path) -> tuple[dict[str, np.ndarray], np.ndarray]:
    how = json.loads((folder.parent / "preprocess.json").read_text(encoding="utf-8"))
    with (folder / "labels.csv").open(encoding="utf-8") as stream:
        rows = list(csv.reader(stream))[1:]
    pixels = np.stack([np.asarray(Image.open(folder / file).convert(how["channels"][::-1])) for file, _ in rows])
    values = (pixels[..., ::-1] * np.float32(how["scale"]) - np.float32(how["mean"])) / np.float32(how["std"])
    return {how["input"]: values.transpose(0, 3, 1, 2)}, np.array([int(label) for _, label in rows])


def data(path: Path) -> tuple[dict[str, np.ndarray], np.ndarray]:
    if path.is_dir():
        return pictures(path)
    with np.load(path) as arrays:
        return {name: arrays[name] for name in arrays.files if name != "labels"}, arrays["labels"]


def test_there_are_three_and_they_stay_small():
    assert [f.name for f in FOLDERS] == ["mobile_vision_encoder", "page_orientation", "swiglu_decoder"]
    assert sum(p.stat().st_size for p in FOLDERS[0].parent.rglob("*") if p.is_file()) < LARGEST_BYTES


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)
def test_onnxruntime_finds_the_stated_accuracy_on_held_out_samples(folder: Path):
    stated = card(folder)
    feeds, labels = data(folder / stated["evaluation"])
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(folder / stated["model"], options)
    right = counted = 0
    for start in range(0, len(labels), 16):
        scores = session.run(None, {name: array[start : start + 16] for name, array in feeds.items()})[0]
        wanted = labels[start : start + 16]
        right += int(np.sum((scores.argmax(-1) == wanted) & (wanted >= 0)))
        counted += int(np.sum(wanted >= 0))
    assert len(labels) == stated["reference"]["samples"] >= 160
    # Another processor may round a near tie the other way.
    assert right / counted == pytest.approx(stated["reference"]["accuracy"], abs=1.5 / counted)
    assert right / counted >= 0.94


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)
def test_calibration_and_evaluation_share_no_sample(folder: Path):
    stated = card(folder)
    seen, _ = data(folder / stated["calibration"])
    held_out, labels = data(folder / stated["evaluation"])
    for name, array in seen.items():
        assert len(array) >= 100
        assert len(held_out[name]) == len(labels)
        assert not {row.tobytes() for row in array} & {row.tobytes() for row in held_out[name]}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)
def test_the_model_fits_its_data_and_its_card(folder: Path):
    stated = card(folder)
    model = onnx.load(folder / stated["model"])
    onnx.checker.check_model(model, full_check=True)
    feeds, _ = data(folder / stated["evaluation"])
    inputs = {i.name: i.type.tensor_type for i in model.graph.input}
    assert inputs.keys() == feeds.keys() == stated["shapes"].keys()
    for name, array in feeds.items():
        assert onnx.helper.tensor_dtype_to_np_dtype(inputs[name].elem_type) == array.dtype
        assert list(array.shape[1:]) == stated["shapes"][name][1:]
        assert inputs[name].shape.dim[0].dim_param  # any batch


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)
def test_words_in_two_languages_and_where_all_comes_from(folder: Path):
    stated = card(folder)
    assert all(stated[key][language] for key in ("title", "description") for language in ("en", "zh"))
    assert (folder / "NOTICE").read_text(encoding="utf-8")
    assert stated["licence"].keys() == {"model", "data", "origin"}
    assert (folder.parents[1] / stated["made_by"]).is_file()


def test_the_encoder_keeps_batch_normalization_and_names():
    model = onnx.load(FOLDERS[0] / "mobile_vision_encoder.onnx")
    assert [n.op_type for n in model.graph.node].count("BatchNormalization") == 4
    assert {i.name for i in model.graph.initializer} >= {"stem.conv.weight", "depthwise.conv.weight", "head.weight"}


def test_the_decoder_has_its_usual_names():
    model = onnx.load(FOLDERS[2] / "swiglu_decoder.onnx")
    parts = ["mlp.gate_proj", "mlp.up_proj", "mlp.down_proj", *(f"self_attn.{p}_proj" for p in "qkvo")]
    names = {i.name for i in model.graph.initializer}
    assert names >= {f"model.layers.{layer}.{part}.weight" for layer in range(3) for part in parts}
    assert "lm_head.weight" in names
