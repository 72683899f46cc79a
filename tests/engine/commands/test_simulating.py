"""`mixbit simulate` and `mixbit devices`: everything that the model knows is printed and emitted."""

from __future__ import annotations

import csv
import json

import pytest

from engine.cli import main

DEVICE = ("--preset", "int8", "--device", "kirin9030", "--minutes", "1")


@pytest.fixture
def run(capsys):
    def call(*arguments: object) -> dict:
        assert main([str(argument) for argument in (*arguments, "--json")]) == 0
        return json.loads(capsys.readouterr().out)

    return call


def test_utilization_and_top_kernels(run, cnn_path):
    found = run("simulate", cnn_path, *DEVICE, "--top", 2)
    used = found["utilization"]
    assert used["npu"] * found["latency_us"] + sum(used["gaps_us"].values()) == pytest.approx(found["latency_us"])
    assert len(used["top"]) == 2
    longest = max(kernel["latency_us"] for kernel in found["kernels"])
    assert used["top"][0]["latency_us"] == longest
    assert used["top"][0]["share"] == pytest.approx(longest / found["latency_us"])
    assert used["advice"]


def test_explain_takes_one_kernel_apart(run, cnn_path, capsys):
    found = run("simulate", cnn_path, *DEVICE, "--explain", "0")
    kernel = found["kernels"][0]
    assert found["explained"]["kernel"] == kernel["id"]
    assert found["explained"]["latency_us"] == kernel["latency_us"]
    assert [section["title"] for section in found["explained"]["sections"]] == ["Work", "Tile", "Bytes", "Time"]
    assert all(lift["latency_us"] < kernel["latency_us"] for lift in found["explained"]["lifts"])
    assert main(["simulate", str(cnn_path), *DEVICE, "--explain", kernel["name"]]) == 0
    out = capsys.readouterr().out
    assert "What would lift it" in out
    assert "L0 tile M × K × N" in out


def test_an_unknown_kernel_is_refused_in_one_line(cnn_path, capsys):
    assert main(["simulate", str(cnn_path), *DEVICE, "--explain", "nothing"]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "mixbit: There is no kernel nothing; mixbit inspect lists numbers, ids and names."
    ]


def test_cold_start_and_its_counter_measures(run, cnn_path):
    late = run("simulate", cnn_path, *DEVICE)["cold_start"]
    early = run("simulate", cnn_path, *DEVICE, "--preload", "--warm-up")["cold_start"]
    online = run("simulate", cnn_path, *DEVICE, "--compile-online")["cold_start"]
    assert early["wait_us"] < late["wait_us"] < online["wait_us"]
    assert early["wait_us"] == pytest.approx(late["steady_us"])
    assert sum(part["us"] for part in online["parts"]) == pytest.approx(online["wait_us"])


def test_frames_in_a_row(run, cnn_path):
    slow = run("simulate", cnn_path, *DEVICE)["frames"]
    quick = run("simulate", cnn_path, *DEVICE, "--pipeline", "double-buffered", "--zero-copy", "--no-layout",
                "--preprocess-us", 0)["frames"]  # fmt: skip
    assert quick["frames_per_second"] > slow["frames_per_second"]
    assert quick["steps_us"]["copy in"] == quick["steps_us"]["preprocess"] == 0
    paced = run("simulate", cnn_path, *DEVICE, "--fps", 30)["frames"]
    assert paced["frames_per_second"] == pytest.approx(30)
    assert paced["waits_for"] == "next frame"


def test_governor_cap_and_a_latency_to_hold(run, cnn_path):
    free = run("simulate", cnn_path, *DEVICE)
    capped = run("simulate", cnn_path, *DEVICE, "--cap", 45, "--governor", "fixed")
    assert capped["sustained"]["latency_us"] > free["sustained"]["latency_us"]
    held = run("simulate", cnn_path, *DEVICE, "--hold-us", 1.05 * free["latency_us"])
    assert held["answers"]["held"]["latency_us"] <= 1.05 * free["latency_us"]
    assert any("clock" in note for note in held["notes"])


def test_files_are_written(run, cnn_path, tmp_path):
    found = run("simulate", cnn_path, *DEVICE, "--trace", tmp_path / "t.json", "--csv", tmp_path / "t.csv")
    assert found["written"] == [str(tmp_path / "t.json"), str(tmp_path / "t.csv")]
    assert json.loads((tmp_path / "t.json").read_text())["otherData"]["latency_us"] == found["latency_us"]
    with (tmp_path / "t.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == len(found["kernels"])


def test_the_model_is_never_written_over(cnn_path, capsys):
    before = cnn_path.read_bytes()
    assert main(["simulate", str(cnn_path), *DEVICE, "--trace", str(cnn_path)]) == 1
    assert "is never written" in capsys.readouterr().err
    assert cnn_path.read_bytes() == before


def test_export_writes_a_trace_without_any_samples(cnn_path, tmp_path):
    arguments = ["export", str(cnn_path), "--preset", "int8", "--to", "trace", "--out", str(tmp_path / "t.json")]
    assert main(arguments) == 0
    assert json.loads((tmp_path / "t.json").read_text())["traceEvents"]


def test_everything_is_printed(cnn_path, capsys):
    assert main(["simulate", str(cnn_path), *DEVICE, "--hold-us", "1e6"]) == 0
    out = capsys.readouterr().out
    for words in ("kernels by time", "busy part of the run", "cold start:", "frames,",
                  "clock that is never throttled", "(simulated)", "without ever throttling"):  # fmt: skip
        assert words in out


def test_work_inside_a_run_and_runs_within_a_frame_have_names_of_their_own(run, cnn_path, capsys):
    found = run("simulate", cnn_path, *DEVICE)
    assert main(["simulate", str(cnn_path), *DEVICE]) == 0
    out = capsys.readouterr().out
    inside, frame = found["utilization"]["npu"], found["frames"]["npu_utilization"]
    assert inside < frame  # launches count for the frame only
    assert f"The NPU works only {100 * inside:.0f} % of the run" in out
    assert f"of the time per frame the run takes {frame:.0%} (its launches and gaps included)" in out
    assert "% busy" not in out


def test_devices_lists_values_with_unit_and_origin(run, capsys):
    (shown,) = run("devices", "kirin9030")["devices"]
    clock = next(value for value in shown["values"] if value["key"] == "core.clock")
    assert (clock["value"], clock["unit"], clock["origin"]) == (960.0, "MHz", "assumed")
    assert main(["devices", "ascend310"]) == 0
    out = capsys.readouterr().out
    assert "port.ddr" in out
    assert "45.6" in out
    assert main(["devices", "abacus"]) == 1
    assert "There is no device abacus" in capsys.readouterr().err
