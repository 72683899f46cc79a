"""`measured` and `jitter` on the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

from engine.cli import main
from engine.npu import load_device, simulate
from engine.precision.presets import preset


@pytest.fixture
def profile(cnn, tmp_path):
    start = load_device("kirin9030")
    real = start.edited({"launch.cube": 2 * start.number("launch.cube")})
    run = simulate(cnn, preset(cnn, "int8"), real)
    rows = [f"{k.outputs[0]},{c.latency_us}" for k, c in zip(cnn.kernels, run.kernels, strict=True) if c.latency_us]
    (tmp_path / "p.csv").write_text("name,time(us)\n" + "\n".join([*rows, "zebra,3"]))
    return tmp_path / "p.csv"


def test_measured_and_fit(cnn, profile, tmp_path, capsys):
    out = tmp_path / "mine.json"
    assert main(["measured", str(cnn.graph.path), str(profile), "--preset", "int8", "--fit", str(out), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    one = found["profiles"][0]
    assert one["unmatched"] == ["zebra"]
    ratios = [k["ratio"] for k in one["kernels"]]
    assert max(ratios) > 1.3
    cube = next(p for p in found["fit"]["parameters"] if p["key"] == "launch.cube")
    assert cube["value"] == pytest.approx(2 * cube["before"], rel=0.05)
    assert load_device(out).name == "mine"
    assert main(["measured", str(cnn.graph.path), str(profile), "--device", str(out), "--preset", "int8"]) == 0
    assert "of no kernel" in capsys.readouterr().out


def test_jitter(tmp_path, capsys):
    values = 1000 + np.random.default_rng(0).normal(0, 5, 100)
    (tmp_path / "l.txt").write_text("\n".join(map(str, values)))
    assert main(["jitter", str(tmp_path / "l.txt"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["percentiles_us"]["50"] == pytest.approx(np.median(values))
    assert (found["outliers"], found["periodic"], found["drift"]) == ([], None, None)
    assert main(["jitter", str(tmp_path / "nothing.txt")]) == 1
    assert "can't be read" in capsys.readouterr().err


def test_times_that_nobody_measures_are_refused(cnn_path, tmp_path, capsys):
    (tmp_path / "l.txt").write_text("1000\n" * 30 + "1e308\n")
    assert main(["jitter", str(tmp_path / "l.txt")]) == 1
    assert "run 31 would have taken 1e+308" in capsys.readouterr().err
    (tmp_path / "p.csv").write_text("name,duration(us)\nstem,5\ndw,1e308\n")
    assert main(["measured", str(cnn_path), str(tmp_path / "p.csv")]) == 1
    assert "dw would have taken 1e+308" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [["simulate", "--cap", "101"], ["simulate", "--top", "-3"], ["simulate", "--hold-us", "nan"],
     ["check", "--max-size-mb", "inf"], ["check", "--max-latency-us", "0"]],
)  # fmt: skip
def test_options_that_cannot_be_meant_are_wrong_usage(cnn_path, arguments, capsys):
    with pytest.raises(SystemExit) as refused:
        main([arguments[0], str(cnn_path), "--preset", "int8", *arguments[1:]])
    assert refused.value.code == 2
    assert arguments[1] in capsys.readouterr().err
