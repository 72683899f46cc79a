"""Whatever a user hands over: one sentence that names the file and the field, nothing else on either stream."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine.cli import main


@pytest.fixture
def refused(capsys):
    def call(*arguments: object) -> str:
        assert main([*map(str, arguments), "--json"]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert err.count("\n") == 1
        return err

    return call


@pytest.fixture
def pictures(tmp_path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    pixels = np.random.default_rng(0).integers(0, 255, (16, 16, 3), np.uint8)
    Image.fromarray(pixels).save(folder / "a.png")
    return folder


def evaluate(model: Path, data: Path) -> tuple[object, ...]:
    return ("evaluate", model, "--preset", "int8", "--data", data)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ('{"input": "other"}', ("other", "image")),
        ('{"foo": 1}', ("preprocess.json", "foo")),
        ("{", ("preprocess.json", "JSON")),
        ('{"std": [0, 1, 1]}', ("preprocess.json", "standard deviation")),
        ('{"resize": [0, 1]}', ("preprocess.json", "resized")),
    ],
)
def test_options_of_pictures_are_refused_with_their_file(refused, cnn_path, pictures, options, words):
    (pictures / "preprocess.json").write_text(options)
    sentence = refused(*evaluate(cnn_path, pictures))
    assert all(word in sentence for word in words)
    assert "input  " not in sentence


def test_a_label_that_is_no_class_is_refused(refused, cnn_path, pictures):
    (pictures / "labels.csv").write_text("a.png,1000\n")
    assert "Label 1000 is no class" in refused(*evaluate(cnn_path, pictures))


def test_a_damaged_header_of_an_array_names_no_python_object(refused, cnn_path, tmp_path):
    path = tmp_path / "x.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + b"__import__('os').system('false')".ljust(117) + b"\n")
    assert "NumPy header is damaged" in refused(*evaluate(cnn_path, path))


def test_a_pipe_is_no_data(refused, cnn_path, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert "a device or a pipe" in refused(*evaluate(cnn_path, tmp_path / "pipe"))


def test_huge_values_are_measured_without_a_warning(cnn_path, tmp_path, capsys):
    images = np.random.default_rng(0).random((3, 3, 16, 16), np.float32) * np.float32(3e38)
    np.save(tmp_path / "big.npy", images)
    assert main([*map(str, evaluate(cnn_path, tmp_path / "big.npy")), "--json"]) == 0  # a warning is an error here
    row = json.loads(capsys.readouterr().out)["data"][0]
    assert row["std"] == pytest.approx(images[0].astype(np.float64).std(), rel=1e-6)


def test_a_scheme_that_can_not_be_is_refused_with_the_name_of_the_plan(refused, cnn_path, tmp_path, capsys):
    path = tmp_path / "plan.json"
    assert main(["plan", str(cnn_path), "--preset", "int8", "--out", str(path)]) == 0
    capsys.readouterr()
    plan = json.loads(path.read_text())
    plan["kernels"][0]["scheme"] = "int9"
    path.write_text(json.dumps(plan))
    sentence = refused("evaluate", cnn_path, "--plan", path)
    assert str(path) in sentence
    assert "int9" in sentence


def test_layers_that_a_plan_leaves_out_are_counted(cnn_path, tmp_path, capsys):
    path = tmp_path / "plan.json"
    assert main(["plan", str(cnn_path), "--preset", "int8", "--out", str(path)]) == 0
    plan = json.loads(path.read_text())
    left = len(plan["kernels"]) - 1
    path.write_text(json.dumps({**plan, "kernels": plan["kernels"][:1]}))
    for command in (["evaluate"], ["simulate"], ["export", "--to", "qdq", "--out", tmp_path / "q.onnx"]):
        capsys.readouterr()
        name, *options = map(str, command)
        assert main([name, str(cnn_path), "--plan", str(path), "--json", *options]) == 0
        notes = json.loads(capsys.readouterr().out)["notes"]
        assert f"no scheme for {left} of {left + 1} layers" in notes[0]


def test_a_file_of_another_kind_is_no_device_whatever_its_fields_are(refused, cnn_path, tmp_path, capsys):
    path = tmp_path / "plan.json"
    assert main(["plan", str(cnn_path), "--preset", "int8", "--out", str(path)]) == 0
    capsys.readouterr()
    assert "format is mixbit-plan 1" in refused("devices", path)
    newer = {"format": "mixbit-device", "version": 2, "something": "new"}
    path.write_text(json.dumps(newer))
    assert "mixbit-device 2" in refused("devices", path)


def test_two_shapes_for_one_input_are_refused_and_the_same_twice_is_not(refused, cnn_path, capsys):
    same = ["--shape", "image=1,3,16,16"]
    assert main(["inspect", str(cnn_path), *same, *same]) == 0
    capsys.readouterr()
    assert "names input image twice" in refused("inspect", cnn_path, *same, "--shape", "image=2,3,16,16")


def test_a_small_memory_limit_has_its_digits(refused, cnn_path):
    assert "limit of 1e-05 GB" in refused("inspect", cnn_path, "--memory-limit", "0.00001")


def test_a_path_that_the_system_refuses_is_one_sentence(refused, cnn_path, tmp_path):
    assert "too long" in refused("dump", cnn_path, "--out", tmp_path / ("a" * 300))


def test_a_store_is_never_put_beside_a_pipe(refused, cnn_path, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "no ordinary file" in refused("sweep", cnn_path, "--mode", "one-in", "--samples", 2, "--out", pipe)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("pipe-")]


@pytest.mark.parametrize(
    "arguments",
    [
        ("export", "--preset", "int8", "--to", "qdq", "--out"),
        ("export", "--preset", "int8", "--to", "atc", "--out"),
        ("search", "--out"),
        ("methods", "--preset", "int8", "--out"),
        ("sweep", "--mode", "one-in", "--out"),
        ("dump", "--out"),
        ("simulate", "--preset", "int8", "--trace"),
    ],
)
@pytest.mark.parametrize("place", ["missing/x", "model"])
def test_where_nothing_can_be_written_is_known_before_the_work(
    refused, cnn_path, tmp_path, arguments, place, monkeypatch
):
    def work(*_, **__):
        raise AssertionError("long work for nothing")

    monkeypatch.setattr("engine.session.work.prepare", work)
    monkeypatch.setattr("engine.session.work.simulate_plan", work)
    path = cnn_path if place == "model" else tmp_path / place
    command, *options = arguments
    assert ("never written" if place == "model" else "No such file") in refused(command, cnn_path, *options, path)


def test_errors_of_the_system_and_missing_memory_are_one_sentence(refused, monkeypatch):
    def fails_with(error: BaseException):
        def run(*_):
            raise error

        monkeypatch.setattr("engine.cli.simulating.list_devices", run)

    fails_with(OSError(13, "Permission denied", "/some/where"))
    assert refused("devices") == "mixbit: /some/where can't be used (Permission denied).\n"
    fails_with(OSError(24, "Too many open files"))
    assert "Too many open files" in refused("devices")
    fails_with(MemoryError())
    assert "not enough memory" in refused("devices")


def _into(monkeypatch, stream: io.BufferedIOBase, encoding: str) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(stream, encoding=encoding, write_through=False))


def test_json_is_utf8_and_names_that_are_not_are_escaped(cnn_path, pictures, monkeypatch):
    (pictures / "a.png").rename(pictures / os.fsdecode(b"\xff.png"))
    out = io.BytesIO()
    _into(monkeypatch, out, "gbk")
    assert main([*map(str, evaluate(cnn_path, pictures)), "--json"]) == 0
    assert json.loads(out.getvalue().decode("utf-8"))["data"][0]["sample"] == "\\udcff.png"


def test_a_terminal_that_lacks_a_sign_of_a_table_gets_it_escaped(cnn_path, monkeypatch):
    out = io.BytesIO()
    _into(monkeypatch, out, "ascii")
    assert main(["simulate", str(cnn_path), "--preset", "int8"]) == 0
    assert b"latency \\xb5s" in out.getvalue()


def test_a_full_disk_behind_standard_output_is_one_sentence(monkeypatch, capsys):
    with open("/dev/full", "wb") as full:
        _into(monkeypatch, full, "utf-8")
        assert main(["devices", "--json"]) == 1
        sys.stdout.detach()
    assert capsys.readouterr().err == "mixbit: What was found can't be printed (No space left on device).\n"


def test_a_closed_standard_output_is_no_traceback(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["devices"]) == 0
