"""A model with several outputs: each has its figures, an exact one is called exact, integers are not measured."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

from engine.cli import main


@pytest.fixture
def model(tmp_path: Path) -> Path:
    rng = np.random.default_rng(6)
    weights = {"a": rng.standard_normal((16, 8)).astype(np.float32), "b": rng.standard_normal((16, 8)) * 100}
    node = helper.make_node
    names = {"small": TensorProto.FLOAT, "large": TensorProto.FLOAT, "same": TensorProto.FLOAT, "at": TensorProto.INT64}
    graph = helper.make_graph(
        [
            node("MatMul", ["x", "a"], ["small"], "/small"),
            node("MatMul", ["x", "b"], ["large"], "/large"),
            node("Relu", ["x"], ["same"], "/same"),
            node("ArgMax", ["x"], ["at"], "/at", axis=1),
        ],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 16])],
        [helper.make_tensor_value_info(name, kind, None) for name, kind in names.items()],
        [numpy_helper.from_array(np.asarray(array, np.float32), name) for name, array in weights.items()],
    )
    path = tmp_path / "several.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def test_every_output_has_its_figures(model: Path, tmp_path: Path, capsys) -> None:
    x = np.random.default_rng(7).standard_normal((4, 16)).astype(np.float32)
    np.savez(tmp_path / "x.npz", x=x)
    arguments = ["evaluate", str(model), "--preset", "int4", "--data", str(tmp_path / "x.npz")]
    assert main([*arguments, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    found = {each["name"]: each for each in printed["outputs"]}
    assert list(found) == ["small", "large", "same", "at"]

    out = tmp_path / "out.onnx"
    assert main(["export", str(model), "--to", "qdq", "--preset", "int4", "--out", str(out), "--json"]) == 0
    capsys.readouterr()
    plain = ort.SessionOptions()  # optimised, INT4 products round their other side to INT8
    plain.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    wrong = ort.InferenceSession(out, plain).run(["small", "large"], {"x": x})
    right = ort.InferenceSession(model).run(["small", "large"], {"x": x})
    for name, result, reference in zip(("small", "large"), wrong, right, strict=True):
        noise = np.square(np.asarray(result, np.float64) - reference).sum()
        expected = 10 * np.log10(np.square(np.asarray(reference, np.float64)).sum() / noise)
        assert found[name]["sqnr_db"] == pytest.approx(expected, abs=0.01)
        assert 0.9 < found[name]["cosine"] < 1
        assert found[name]["exact"] is False
    errors = [np.asarray(result, np.float64) - ref for result, ref in zip(wrong, right, strict=True)]
    errors.append(np.zeros_like(x, np.float64))  # "same"
    values = np.concatenate([error.ravel() for error in errors])
    assert printed["output"]["mse"] == pytest.approx(np.square(values).mean(), rel=1e-3)
    assert printed["output"]["max_abs"] == pytest.approx(np.abs(values).max(), rel=1e-3)
    assert found["same"] == {"name": "same", "sqnr_db": None, "cosine": 1.0, "exact": True}
    assert found["at"] == {"name": "at", "sqnr_db": None, "cosine": None, "exact": False}

    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert [line.split()[1:] for line in text.splitlines() if line.startswith(("same ", "at "))] == [
        ["exact", "1.00000"],
        ["–", "–"],
    ]


def test_one_output_needs_no_table(cnn_path: Path, capsys) -> None:
    assert main(["evaluate", str(cnn_path), "--preset", "int8"]) == 0
    assert "scaled to unit power" not in capsys.readouterr().out
