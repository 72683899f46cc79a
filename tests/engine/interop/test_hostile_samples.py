"""Data that is broken, hostile or merely in another form: read exactly, or refused in one sentence."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile

import ml_dtypes
import numpy as np
import pytest
from PIL import Image

from engine.errors import Cancelled, DataError
from engine.graph.types import TensorInfo
from engine.interop import kept_samples, stacks
from engine.interop.arrays import RawOptions
from engine.interop.kept_samples import as_feeds, room_for
from engine.interop.pictures import ImageOptions
from engine.interop.samples import DataSource, guess_source, load_samples
from engine.progress import CancelToken

X = TensorInfo("x", np.dtype(np.float32), (1, 4))


def info(dtype, name="x", shape=(1, 4)):
    return TensorInfo(name, np.dtype(dtype), shape)


def saved(path, array):
    np.save(path, array)
    return path


def refusal(path, *inputs, kind=None, **options):
    def read():
        source = guess_source(path) if kind is None else DataSource(kind, str(path), **options)
        load_samples(source, inputs or [X])

    with pytest.raises(DataError) as refused:
        read()
    sentence = str(refused.value)
    assert "\n" not in sentence
    assert len(sentence) < 900
    return sentence


# values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("ending", ["npy", "npz", "bin"])
def test_a_sample_that_is_not_finite_is_named_by_file_sample_and_input(tmp_path, value, ending):
    data = np.ones((9, 4), np.float32)
    data[7, 2] = value
    path = tmp_path / f"d.{ending}"
    {"npy": lambda: np.save(path, data), "npz": lambda: np.savez(path, x=data), "bin": lambda: data.tofile(path)}[
        ending
    ]()
    sentence = refusal(path)
    assert str(path) in sentence
    assert "sample 7 " in sentence
    assert "input x" in sentence
    assert "not finite" in sentence


@pytest.mark.parametrize(
    ("stored", "wanted"),
    [
        (np.array([[0, 1, 254, 300]], np.int64), np.uint8),
        (np.array([[0, 1, 2, 2**64 - 1]], np.uint64), np.int64),
        (np.array([[0, 1, 2, -1]], np.int8), np.uint32),
        (np.array([[0, 1, 2, 1e300]], np.float64), np.float32),
        (np.array([[0, 1, 2, 70000]], np.float32), np.float16),
        (np.array([[0, 1, 2, -1e39]], np.float64), ml_dtypes.bfloat16),
    ],
)
def test_a_value_that_the_input_cannot_hold_is_refused_and_named(tmp_path, stored, wanted):
    sentence = refusal(saved(tmp_path / "d.npy", stored), info(wanted))
    assert "sample 0 " in sentence
    assert np.dtype(wanted).name in sentence
    assert str(stored[0, 3]).lstrip("-")[:3] in sentence


@pytest.mark.parametrize(
    ("stored", "wanted"),
    [
        (np.array([[0, 1, 254, 255]], np.int64), np.uint8),
        (np.array([[-128, 0, 1, 127]], np.int64), np.int8),
        (np.array([[2**63 - 1, 0, 1, 2]], np.uint64), np.int64),
        (np.array([[1.5, -2.25, 0, 3]], ">f8"), np.float32),
        (np.array([[1, 0, 1, 1]], np.bool_), np.bool_),
        (np.array([["a", "b", "", "雨"]]), np.object_),
    ],
)
def test_what_fits_arrives_with_the_same_value(tmp_path, stored, wanted):
    got = load_samples(guess_source(saved(tmp_path / "d.npy", stored)), [info(wanted)]).feeds[0]["x"]
    assert got.dtype == np.dtype(wanted)
    assert got.tolist() == stored.tolist()


def test_bfloat16_survives_a_file_that_does_not_know_it(tmp_path):
    stored = np.array([[1.5, -3, 0.0078125, 256]], ml_dtypes.bfloat16)
    got = load_samples(guess_source(saved(tmp_path / "d.npy", stored)), [info(ml_dtypes.bfloat16)]).feeds[0]["x"]
    np.testing.assert_array_equal(got, stored)


@pytest.mark.parametrize(
    ("stored", "wanted"),
    [(np.zeros((1, 4), np.float32), np.int64), (np.zeros((1, 4), np.int32), np.float32), (np.zeros((1, 4)), np.bool_)],
)
def test_kinds_are_never_mixed(tmp_path, stored, wanted):
    assert "convert it first" in refusal(saved(tmp_path / "d.npy", stored), info(wanted))


# files ------------------------------------------------------------------------------------------------------------


def _header(text: bytes) -> bytes:
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


def _encrypted(path):
    """A zip whose one member says that it is encrypted."""
    np.savez(path, x=np.zeros((2, 4), np.float32))
    data = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + place] |= 1
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("name", "make", "words"),
    [
        (
            "d.npy",
            lambda p: p.write_bytes(
                _header(b"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 4), }\n")
            ),
            ["cut off", "99999999999"],
        ),
        (
            "d.npy",
            lambda p: p.write_bytes(_header(b"{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 4), }\n")),
            ["cut off"],
        ),
        ("d.npy", lambda p: p.write_bytes(_header(b"{'descr': '<f4', (((\n")), ["NumPy"]),
        ("d.npy", lambda p: p.write_bytes(_header(b"{'a': " * 500)), ["NumPy"]),
        ("d.npy", lambda p: p.write_bytes(b"\x93NUMPY\x09\x00"), ["d.npy"]),
        ("d.npy", lambda p: p.write_text("1, 2, 3, 4"), ["no NumPy data"]),
        ("d.npy", lambda p: p.mkdir() or (p / "a.txt").write_text("-"), ["holds no pictures"]),
        ("d.npz", _encrypted, ["encrypted"]),
        ("d.npz", lambda p: np.savez(p, x=np.zeros((2, 4), np.float32), labels=np.array(3)), ["labels", "[]"]),
        ("d.npz", lambda p: np.savez(p, x=np.zeros((2, 4), np.float32), labels=np.zeros(2)), ["labels", "float64"]),
        ("d.npz", lambda p: zipfile.ZipFile(p, "w").close(), ["no array named x"]),
        ("x" * 5000 + ".npy", lambda p: None, ["can't be read", "x…x"]),
        ("a\0b.npy", lambda p: None, ["does not exist"]),
    ],
)
def test_a_broken_file_is_refused(tmp_path, name, make, words):
    path = tmp_path / name
    make(path)
    sentence = refusal(path)
    for word in words:
        assert word in sentence


def test_a_small_file_that_expands_to_a_huge_array_is_refused_before_it_does(tmp_path, monkeypatch):
    monkeypatch.setattr(stacks, "LARGE", 1 << 20)
    np.savez_compressed(tmp_path / "d.npz", x=np.zeros((1 << 21, 4), np.float32))
    np.savez_compressed(tmp_path / "small.npz", x=np.zeros((1 << 12, 4), np.float32))
    tracemalloc.start()
    try:
        assert "expand" in refusal(tmp_path / "d.npz")
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()
    assert len(load_samples(guess_source(tmp_path / "small.npz"), [X], limit=2)) == 2


@pytest.mark.parametrize("ending", ["npy", "npz", "bin"])
def test_only_the_wanted_samples_are_read(tmp_path, ending):
    """1 GB on paper, holes on the disk: reading it all would take 1 GB of memory."""
    path, rows, wide = tmp_path / f"d.{ending}", 1000, info(np.float32, shape=(1, 65536))
    data = np.arange(40 * 65536, dtype=np.float32).reshape(40, 65536)
    if ending == "npz":
        np.savez(path, x=data)
        rows = 40
    else:
        header = _header(b"{'descr': '<f4', 'fortran_order': False, 'shape': (1000, 65536), }\n")
        with path.open("wb") as stream:
            stream.write(header if ending == "npy" else b"")
            start = stream.tell()
            stream.truncate(start + rows * 65536 * 4)
            stream.seek(start + 500 * 65536 * 4)
            stream.write(data[39].tobytes())
    tracemalloc.start()
    try:
        samples = load_samples(guess_source(path), [wide], limit=1)
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()
    assert samples.available == rows
    wanted = data[20] if ending == "npz" else data[39]
    np.testing.assert_array_equal(samples.feeds[0]["x"][0], wanted)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_column_order_and_stacks_of_one_sample(tmp_path, save):
    data = np.arange(24, dtype=np.float32).reshape(6, 4)
    save(tmp_path / "d.npz", x=np.asfortranarray(data))
    np.save(tmp_path / "f.npy", np.asfortranarray(data))
    np.save(tmp_path / "one.npy", data[3])
    for name in ("d.npz", "f.npy"):
        got = load_samples(guess_source(tmp_path / name), [X], limit=2)
        assert [feed["x"].tolist() for feed in got.feeds] == [data[1:2].tolist(), data[4:5].tolist()]
    assert load_samples(guess_source(tmp_path / "one.npy"), [X]).feeds[0]["x"].tolist() == [data[3].tolist()]
    scalar = info(np.int64, shape=())
    np.save(tmp_path / "s.npy", np.array(16000))
    assert load_samples(guess_source(tmp_path / "s.npy"), [scalar]).feeds[0]["x"].shape == ()
    np.save(tmp_path / "s3.npy", np.array([[1, 2], [3, 4]]))
    assert "wants []" in refusal(tmp_path / "s3.npy", scalar)


def test_a_folder_of_npz_files_is_one_stack(tmp_path):
    for i in range(3):
        np.savez(tmp_path / f"{i}.npz", x=np.full((2, 4), i, np.float32), m=np.full((2, 1), i, np.int64))
    got = load_samples(guess_source(tmp_path), [X, info(np.int64, "m", (1, 1))])
    assert [int(feed["m"][0, 0]) for feed in got.feeds] == [0, 0, 1, 1, 2, 2]


def test_labels_of_a_batched_input_go_with_their_rows(tmp_path):
    np.savez(tmp_path / "d.npz", x=np.zeros((6, 4), np.float32), labels=np.arange(6, dtype=np.uint16))
    got = load_samples(guess_source(tmp_path / "d.npz"), [info(np.float32, shape=(2, 4))])
    assert got.labels.tolist() == [[0, 1], [2, 3], [4, 5]]


def test_many_samples_go_to_a_file_and_keep_their_values(tmp_path, monkeypatch):
    data = np.random.default_rng(0).standard_normal((50, 4)).astype(np.float32)
    room = room_for([X, info(np.int16, "y", (2,))], 50, limit=100)
    assert isinstance(room["x"].base, np.ndarray)
    for i in range(50):
        room["x"][i, 0], room["y"][i] = data[i], i
    feeds = as_feeds(room, 50)
    np.testing.assert_array_equal([feed["x"][0] for feed in feeds], data)
    assert feeds[49]["y"].tolist() == [49, 49]
    monkeypatch.setattr(kept_samples.shutil, "disk_usage", lambda path: _Full())
    with pytest.raises(DataError, match="temporary folder"):
        room_for([X], 50, limit=100)


class _Full:
    free = 100


def test_an_input_named_like_a_path_never_leaves_the_folder(tmp_path):
    inside = tmp_path / "data"
    inside.mkdir()
    for name in ("x", "y"):
        np.save(tmp_path / f"{name}.npy", np.zeros((1, 4), np.float32))
    (tmp_path / "y").mkdir()
    (tmp_path / "y" / "a.bin").write_bytes(bytes(16))
    np.save(inside / "x.npy", np.ones((1, 4), np.float32))
    outside = info(np.float32, "../y")
    for kind in ("arrays", "raw"):
        assert "../y" in refusal(inside, X if kind == "arrays" else outside, outside, kind=kind)
    assert "/etc" in refusal(inside, X, info(np.float32, "/etc"), kind="arrays")
    (inside / "serving").mkdir()
    np.save(inside / "serving" / "in:0.npy", np.full((1, 4), 2, np.float32))
    np.save(inside / "_y.npy", np.full((1, 4), 3, np.float32))  # as an export would name it
    got = load_samples(DataSource("arrays", str(inside)), [info(np.float32, "serving/in:0"), outside])
    assert (got.feeds[0]["serving/in:0"].max(), got.feeds[0]["../y"].max()) == (2, 3)


@pytest.mark.parametrize("dtype", ["foo", "float64", "", "O"])
def test_a_raw_type_that_does_not_fit_is_refused(tmp_path, dtype):
    (tmp_path / "d.bin").write_bytes(bytes(16))
    sentence = refusal(tmp_path / "d.bin", kind="raw", raw={"x": RawOptions(dtype, (1, 4))})
    assert "wants float32 [1, 4]" in sentence


def test_a_cancel_stops_the_walk_through_a_folder(tmp_path):
    (tmp_path / "a").mkdir()
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        guess_source(tmp_path, token)


# pictures ---------------------------------------------------------------------------------------------------------

IMAGE = TensorInfo("image", np.dtype(np.float32), (1, 3, 4, 6))


def _picture(folder, name="a.png"):
    folder.mkdir(exist_ok=True)
    Image.fromarray(np.zeros((4, 6, 3), np.uint8)).save(folder / name)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"resize": (0, 0)}, "0×0"),
        ({"resize": (20_000, 4)}, "20000×4"),
        ({"resize": (-4, 4)}, "-4×4"),
        ({"std": (1.0, 0.0, 1.0)}, "standard deviation"),
        ({"std": (1.0, float("nan"), 1.0)}, "standard deviation"),
        ({"std": (1.0, -1.0, 1.0)}, "standard deviation"),
        ({"std": ()}, "standard deviation"),
        ({"mean": (float("nan"), 0.0, 0.0)}, "Mean"),
        ({"mean": (float("inf"), 0.0, 0.0)}, "Mean"),
        ({"scale": float("nan")}, "scale"),
        ({"scale": 0.0}, "scale"),
        ({"mean": (0.1, 0.2)}, "2 values"),
        ({"std": (1e-42, 1.0, 1.0), "mean": (1.0, 0.0, 0.0)}, "beyond"),
    ],
)
def test_impossible_preprocessing_is_refused(tmp_path, options, words):
    _picture(tmp_path)
    sentence = refusal(tmp_path, IMAGE, kind="images", images={"image": ImageOptions(**options)})
    assert words in sentence
    assert "image" in sentence


def test_preprocess_json_with_impossible_options_is_refused_when_it_is_found(tmp_path):
    _picture(tmp_path)
    (tmp_path / "preprocess.json").write_text('{"resize": [0, 0]}')
    with pytest.raises(DataError, match="0×0"):
        guess_source(tmp_path)
    (tmp_path / "preprocess.json").write_bytes(b"\xff\xfe{\x00")
    with pytest.raises(DataError, match=r"preprocess\.json"):
        guess_source(tmp_path)


def _damaged():
    buffer = io.BytesIO()
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (40, 40, 3), np.uint8)).save(buffer, "PNG")
    whole = buffer.getvalue()
    jpeg = io.BytesIO()
    Image.new("RGB", (40, 40)).save(jpeg, "JPEG")
    yield "cut.png", whole[: len(whole) // 2]
    yield "empty.png", b""
    yield "sum.png", whole[:200] + b"\xff" * 60 + whole[260:]
    yield "cut.jpg", jpeg.getvalue()[:200]
    yield "head.tif", b"II*\x00\xff\xff\xff\xff"
    yield "no.webp", b"RIFF\x00\x00\x00\x00WEBPVP8 "
    yield "huge.bmp", b"BM" + struct.pack("<IHHIIiiHH", 54, 0, 0, 54, 40, 60_000, 60_000, 1, 24) + bytes(24)


@pytest.mark.parametrize(("name", "data"), _damaged())
def test_a_damaged_picture_is_refused(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    assert name in refusal(tmp_path, IMAGE)


def test_two_picture_inputs_need_as_many_pictures_each(tmp_path):
    for name, count in (("a", 2), ("b", 3)):
        for i in range(count):
            _picture(tmp_path / name, f"{i}.png")
    inputs = [TensorInfo(n, np.dtype(np.float32), (1, 3, 4, 6)) for n in "ab"]
    assert "a: 2, b: 3" in refusal(tmp_path, *inputs)


def test_hidden_files_are_no_pictures(tmp_path):
    _picture(tmp_path)
    (tmp_path / "._a.png").write_bytes(b"what a file manager leaves behind")
    assert len(load_samples(guess_source(tmp_path), [IMAGE])) == 1


# labels -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [("utf-8", b""), ("utf-8", b"\xef\xbb\xbf"), ("gbk", b""), ("gb18030", b""), ("utf-16", b""), ("utf-16-be", b"")],
)
def test_labels_in_the_encodings_that_spreadsheets_write(tmp_path, encoding, mark):
    for name in ("猫.png", "狗.png"):
        _picture(tmp_path, name)
    (tmp_path / "labels.csv").write_bytes(mark + "文件,标签\r\n猫.png,7\r\n狗.png, 2 \r\n".encode(encoding))
    got = load_samples(guess_source(tmp_path), [IMAGE])
    assert dict(zip(got.names, got.labels.tolist(), strict=True)) == {"猫.png": 7, "狗.png": 2}
    assert not any("label" in str(note) for note in got.notes)


def test_labels_by_path_come_before_bare_names_and_gaps_are_told(tmp_path):
    for folder in ("cats", "dogs", "birds"):
        _picture(tmp_path / folder, "1.png")
    _picture(tmp_path, "2.png")
    (tmp_path / "labels.csv").write_text("cats/1.png,0\ndogs\\1.png,1\n1.png,9\n")
    got = load_samples(guess_source(tmp_path), [IMAGE])
    assert got.labels.tolist() == [-1, 9, 0, 1]
    assert "1 of 4" in str(got.notes[0])


def test_labels_that_match_nothing_are_told(tmp_path):
    _picture(tmp_path / "val")
    (tmp_path / "labels.csv").write_text("other.png,1\n")
    got = load_samples(guess_source(tmp_path / "val"), [IMAGE])
    assert got.labels is None
    assert "other.png" in str(got.notes[0])
    (tmp_path / "labels.csv").rename(tmp_path / "val" / "labels.csv")
    assert "a.png" in refusal(tmp_path / "val", IMAGE)


@pytest.mark.parametrize(
    "data", [b"a.png,cat\n", b"a.png," + b"9" * 30 + b"\n", b"a.png,1.5\n", b"\x00\xff\xff" * 9, b"\xff\xfea"]
)
def test_labels_that_are_no_numbers_or_no_text_are_refused(tmp_path, data):
    _picture(tmp_path)
    (tmp_path / "labels.csv").write_bytes(data)
    assert "labels.csv" in refusal(tmp_path, IMAGE)
