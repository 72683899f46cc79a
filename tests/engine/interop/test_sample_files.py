"""Samples from files: what fits is read exactly, what doesn't is refused with one sentence."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from engine.errors import DataError
from engine.graph.types import TensorInfo
from engine.interop.arrays import RawOptions
from engine.interop.pictures import ImageOptions
from engine.interop.samples import DataSource, guess_source, load_samples

F32 = np.dtype(np.float32)
IMAGE = TensorInfo("image", F32, (1, 3, 4, 6))
IDS = TensorInfo("ids", np.dtype(np.int64), (1, 5))


def _picture(path, height=4, width=6, seed=0):
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    Image.fromarray(pixels).save(path)
    return pixels


def test_picture_is_normalised_as_promised(tmp_path):
    pixels = _picture(tmp_path / "a.png")
    options = ImageOptions(mean=(0.1, 0.2, 0.3), std=(0.5, 0.6, 0.7), channels="BGR")
    samples = load_samples(DataSource("images", str(tmp_path), images={"image": options}), [IMAGE])
    want = ((pixels[..., ::-1] / 255 - [0.1, 0.2, 0.3]) / [0.5, 0.6, 0.7]).transpose(2, 0, 1)[None]
    got = samples.feeds[0]["image"]
    assert got.dtype == F32
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_nhwc_gray_and_centre_crop(tmp_path):
    pixels = np.zeros((8, 24), np.uint8)
    pixels[:, 6:18] = 200  # what is left after covering 4x6 from 8x24 is the middle
    Image.fromarray(pixels).save(tmp_path / "a.png")
    info = TensorInfo("x", F32, (1, 4, 6, 1))
    options = ImageOptions(channels="GRAY", layout="NHWC", crop="center", scale=1.0)
    got = load_samples(DataSource("images", str(tmp_path), images={"x": options}), [info]).feeds[0]["x"]
    assert got.shape == (1, 4, 6, 1)
    assert got.min() > 100


def test_preprocess_json_labels_and_batches(tmp_path):
    for i in range(5):
        _picture(tmp_path / f"{i}.png", seed=i)
    (tmp_path / "preprocess.json").write_text(json.dumps({"input": "image", "scale": 1.0}))
    (tmp_path / "labels.csv").write_text("".join(f"{i}.png,{i}\n" for i in range(5)))
    two = TensorInfo("image", F32, (2, 3, 4, 6))
    samples = load_samples(guess_source(tmp_path), [two])
    assert len(samples) == 2  # the fifth picture fills no batch
    assert samples.feeds[0]["image"].max() > 1.0
    np.testing.assert_array_equal(samples.labels, [[0, 1], [2, 3]])


def test_npz_by_input_name_with_labels(tmp_path):
    path = tmp_path / "data.npz"
    image = np.arange(3 * 72, dtype=np.float32).reshape(3, 3, 4, 6)
    np.savez(path, image=image, ids=np.ones((3, 5), np.int32), labels=np.arange(3))
    samples = load_samples(guess_source(path), [IMAGE, IDS])
    assert (len(samples), samples.available) == (3, 3)
    np.testing.assert_array_equal(samples.feeds[1]["image"], image[1:2])
    assert samples.feeds[0]["ids"].dtype == np.int64
    np.testing.assert_array_equal(samples.labels, [0, 1, 2])


def test_fewer_samples_are_spread_over_all_and_keep_their_labels(tmp_path):
    image = np.arange(12 * 72, dtype=np.float32).reshape(12, 3, 4, 6)
    np.savez(tmp_path / "d.npz", image=image, labels=np.arange(12))
    samples = load_samples(guess_source(tmp_path / "d.npz"), [IMAGE], limit=3)
    np.testing.assert_array_equal(samples.labels, [2, 6, 10])
    np.testing.assert_array_equal(samples.feeds[2]["image"], image[10:11])
    assert samples.available == 12
    (tmp_path / "pictures").mkdir()
    for i in range(12):
        _picture(tmp_path / "pictures" / f"{i:02}.png", seed=i)
    (tmp_path / "pictures" / "labels.csv").write_text("".join(f"{i:02}.png,{i}\n" for i in range(12)))
    pictures = load_samples(guess_source(tmp_path / "pictures"), [IMAGE], limit=3)
    np.testing.assert_array_equal(pictures.labels, [2, 6, 10])
    assert pictures.names == ("02.png", "06.png", "10.png")
    assert pictures.available == 12


def test_raw_files_are_cut_by_the_size_of_a_sample(tmp_path):
    values = np.arange(2 * 72, dtype=np.float32)
    values.tofile(tmp_path / "x.bin")
    source = DataSource("raw", str(tmp_path / "x.bin"), raw={"image": RawOptions("float32", (1, 3, 4, 6))})
    samples = load_samples(source, [IMAGE])
    np.testing.assert_array_equal(samples.feeds[1]["image"].ravel(), values[72:])


def _npz(tmp_path, **arrays):
    path = tmp_path / "d.npz"
    np.savez(path, **arrays)
    return path


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda p: _npz(p, image=np.zeros((2, 3, 4, 5), np.float32)),
            ["d.npz", "image", "[1, 3, 4, 6]", "[2, 3, 4, 5]"],
        ),
        (lambda p: _npz(p, image=np.zeros((2, 3, 4, 6), np.uint8)), ["image", "float32", "uint8"]),
        (lambda p: _npz(p, image=np.zeros((2, 3, 4, 6), np.float32), labels=np.zeros(1, int)), ["labels", "2 samples"]),
        (lambda p: _npz(p, image=np.zeros((0, 3, 4, 6), np.float32)), ["no sample"]),
        (lambda p: _write(p / "d.npz", b"PK\x03\x04 not a zip"), ["d.npz", "NumPy"]),
        (lambda p: _write(p / "d.npy", b"\x93NUMPY\x01\x00v\x00{'descr'"), ["d.npy", "NumPy"]),
        (lambda p: _write(p / "d.npy", b""), ["d.npy", "NumPy"]),
        (lambda p: _write(p / "a.png", b"no picture"), ["a.png", "picture"]),
        (lambda p: _write(p / "a.txt", b"text"), ["a.txt", "can't be read as data"]),
        (lambda p: p / "missing", ["missing", "does not exist"]),
        (lambda p: p, ["holds no pictures"]),
        (lambda p: _write(p / "x.bin", b"123"), ["x.bin", "3 bytes", "288"]),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(tmp_path, make, words):
    path = make(tmp_path)
    with pytest.raises(DataError) as refused:
        load_samples(guess_source(path), [IMAGE])
    sentence = str(refused.value)
    assert "\n" not in sentence
    for word in words:
        assert word in sentence


def _write(path, data):
    path.write_bytes(data)
    return path


def test_pickles_are_never_loaded(tmp_path):
    path = tmp_path / "evil.npy"
    np.save(path, np.array([{"a": 1}], object), allow_pickle=True)
    with pytest.raises(DataError, match=r"evil\.npy"):
        load_samples(guess_source(path), [IMAGE])


def test_wrong_picture_size_after_resizing_names_both_sizes(tmp_path):
    _picture(tmp_path / "a.png")
    source = DataSource("images", str(tmp_path), images={"image": ImageOptions(resize=(8, 8))})
    with pytest.raises(DataError, match=r"8×8.*4×6"):
        load_samples(source, [IMAGE])


def test_channels_that_do_not_fit_name_the_layout(tmp_path):
    _picture(tmp_path / "a.png")
    source = DataSource("images", str(tmp_path), images={"image": ImageOptions(layout="NHWC")})
    with pytest.raises(DataError, match=r"layout NHWC"):
        load_samples(source, [IMAGE])


def test_bad_preprocess_file_names_the_field(tmp_path):
    _picture(tmp_path / "a.png")
    (tmp_path / "preprocess.json").write_text('{"layout": "CHWN"}')
    with pytest.raises(DataError, match=r"preprocess\.json.*layout"):
        guess_source(tmp_path)


@pytest.mark.parametrize("said", [False, True])
def test_what_is_assumed_of_pictures_is_said(tmp_path, said):
    pixels = _picture(tmp_path / "a.png", 9, 13)
    if said:
        (tmp_path / "preprocess.json").write_text("{}")
    samples = load_samples(guess_source(tmp_path), [IMAGE])
    assert samples.feeds[0]["image"].max() <= pixels.max() / 255
    assert [str(note) for note in samples.notes] == [
        "Nothing says how pictures become input image: they are stretched to its size, with channels in the order RGB "
        "and pixels 0..1. If the model was trained otherwise, put a preprocess.json beside the pictures."
    ] * (not said)
