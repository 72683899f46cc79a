"""Calls in forms that people try: taken where the meaning is plain, else one sentence with what was probably meant."""

import json
from dataclasses import replace

import numpy as np
import pytest

from engine.cli import main
from engine.precision.notation import title_of
from engine.precision.scheme import INT8


def refused(capsys, *arguments):
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    told = capsys.readouterr()
    assert told.out == ""
    return told.err.splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("net.onnx", "evaluate", "--preset", "int8"), "the command comes first: mixbit evaluate net.onnx …"),
        (("my net.onnx", "plan"), 'the command comes first: mixbit plan "my net.onnx" …'),
        (("net.onnx", "--preset", "int8"), "mixbit net.onnx alone opens the window"),
        (("eval", "net.onnx"), "there is no command eval; did you mean evaluate?"),
        (("Inspect", "net.onnx"), "did you mean inspect?"),
        (("quantise", "net.onnx"), "there is no command quantise; did you mean export?"),
        (("brew", "net.onnx"), "there is no command brew: choose one of inspect, evaluate,"),
        (("evaluate", "net.onnx", "--plan", "int8"), "there is no file int8; for the preset write --preset int8"),
        (("evaluate", "net.onnx", "--preset", "p.json"), "p.json is a file: write --plan p.json"),
    ],
)
def test_what_was_meant_is_said(capsys, arguments, sentence):
    assert sentence in refused(capsys, *arguments)


def test_a_folder_is_no_command(capsys, tmp_path):
    assert "is a folder: mixbit opens an .onnx file" in refused(capsys, str(tmp_path), "--json")


def test_options_of_all_commands_may_stand_first(capsys, cnn_path):
    assert main(["--json", "--quiet", "inspect", str(cnn_path)]) == 0
    assert json.loads(capsys.readouterr().out)["kernels"]


@pytest.mark.parametrize("arguments", [("plan",), ("export", "--to", "qdq")])
def test_a_folder_gets_no_file_of_its_name(capsys, cnn_path, tmp_path, arguments):
    name, *options = arguments
    for folder in (tmp_path / "there", f"{tmp_path / 'new'}/"):
        (tmp_path / "there").mkdir(exist_ok=True)
        assert main([name, str(cnn_path), "--preset", "int8", *options, "--out", str(folder), "--quiet"]) == 1
        assert "is a folder; add the name of the file" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_a_target_that_is_a_folder_takes_one(capsys, cnn_path, tmp_path):
    call = [
        "export",
        str(cnn_path),
        "--preset",
        "int8",
        "--to",
        "amct_ptq",
        "--out",
        f"{tmp_path / 'amct'}/",
        "--quiet",
    ]
    assert main(call) == 0
    assert (tmp_path / "amct").is_dir()
    for line in capsys.readouterr().out.splitlines():
        assert " becomes W8A8 there" not in line  # that is what INT8 means: the grain is what differs


def test_a_dump_of_the_reference_says_nothing_of_calibration(capsys, cnn_path, tmp_path):
    np.savez(tmp_path / "d.npz", image=np.zeros((3, 1, 3, 16, 16), np.float32)[:, 0])
    call = ["dump", str(cnn_path), "--data", str(tmp_path / "d.npz"), "--out", str(tmp_path / "dump"), "--quiet"]
    assert main(call) == 0
    assert "alibrat" not in capsys.readouterr().out
    assert main([*call[:-2], str(tmp_path / "int8"), "--quiet", "--preset", "int8"]) == 0
    said = capsys.readouterr().out
    assert "Calibrated on the evaluation samples" in said
    assert "error at the output" not in said, "a dump says no error, and one sample is what it takes by itself"


def test_what_an_export_changes_is_told_apart_from_what_was_asked():
    assert title_of(INT8) == "INT8"
    assert title_of(replace(INT8, method="gptq")) == "INT8 GPTQ"
    assert title_of(replace(INT8, weights=replace(INT8.weights, granularity="tensor"))) == "W8A8 tensor"


def test_a_missing_file_is_looked_for_in_a_folder_that_reads_well(capsys, tmp_path, monkeypatch):
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert main(["inspect", "../no.onnx", "--quiet"]) == 1
    assert capsys.readouterr().err == f"mixbit: There is no file no.onnx in {tmp_path}.\n"
