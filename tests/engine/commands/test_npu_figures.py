"""evaluate --metrics msaccucmp: figures of every kernel's values, as a pair of dumps would give them."""

from __future__ import annotations

import json

import pytest

from engine.cli import main
from engine.numerics import Evaluator, calibrate, synthetic_samples
from engine.numerics.npu_metrics import NPU_METRICS, npu_errors
from engine.precision.presets import preset


def test_figures_of_every_kernel(capsys, cnn_path, cnn):
    assert main(["evaluate", str(cnn_path), "--preset", "int8", "--metrics", "msaccucmp", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    figures = found["msaccucmp"]
    assert set(figures) == {kernel["id"] for kernel in found["kernels"]}
    assert all(tuple(row) == NPU_METRICS for row in figures.values())
    samples = synthetic_samples(cnn.graph, 8, 2)
    evaluator = Evaluator(cnn, samples, ranges=calibrate(cnn, synthetic_samples(cnn.graph, 8, 1)))
    try:
        outputs = [evaluator.output(plan)[0]["logits"] for plan in (preset(cnn, "int8"), preset(cnn, "fp32"))]
    finally:
        evaluator.close()
    wanted = npu_errors(*outputs).by_name()
    for name, value in figures[cnn.kernels[-1].id].items():
        assert value == wanted[name] if isinstance(value, str) else value == pytest.approx(wanted[name], rel=1e-6)


def test_they_are_a_choice(capsys, cnn_path):
    assert main(["evaluate", str(cnn_path), "--preset", "int8", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["msaccucmp"] == {}
    assert main(["evaluate", str(cnn_path), "--preset", "int8", "--metrics", "msaccucmp", "--quiet"]) == 0
    assert "KullbackLeiblerDivergence" in capsys.readouterr().out
