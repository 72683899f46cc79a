"""What sweep and search say where there is nothing to measure, or nothing to find."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from engine.cli import main

RNG = np.random.default_rng(0)
W1, W2, W3 = (RNG.standard_normal(shape).astype(np.float32) for shape in ((64, 32), (32, 8), (64, 8)))


def _saved(path: Path, nodes, **constants) -> str:
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", [1, 64]), ("y", [1, 8])))
    weights = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph([helper.make_node(op, ins, [out]) for op, ins, out in nodes], "g", [x], [y], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return str(path)


@pytest.mark.parametrize("command", [["sweep"], ["sweep", "--mode", "one-in"], ["search", "--max-size-mb", "1"]])
def test_nan_in_full_precision_is_said(tmp_path: Path, capsys, command: list[str]) -> None:
    nodes = [("MatMul", ["x", "a"], "p"), ("Sub", ["p", "b"], "q"), ("Sqrt", ["q"], "r"), ("MatMul", ["r", "c"], "y")]
    model = _saved(tmp_path / "nan.onnx", nodes, a=W1, b=np.full(32, 50, np.float32), c=W2)
    assert main([command[0], model, *command[1:], "--quiet"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("mixbit: All values of y are NaN or Inf in full precision")
    assert "check the model and the preprocessing" in said
    assert len(said.splitlines()) == 1


def test_layers_without_effect_are_named(tmp_path: Path, capsys) -> None:
    nodes = [("MatMul", ["x", "a"], "p"), ("Relu", ["p"], "q"), ("MatMul", ["q", "b"], "r"), ("Mul", ["r", "z"], "s"),
             ("MatMul", ["x", "c"], "t"), ("Add", ["s", "t"], "y")]  # fmt: skip
    model = _saved(tmp_path / "dead.onnx", nodes, a=W1, b=W2, c=W3, z=np.zeros(8, np.float32))
    for mode in ("estimated", "one-in"):
        assert main(["sweep", model, "--mode", mode, "--schemes", "int4,int8", "--quiet"]) == 0
        (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("No effect")]
        assert len(line.partition(": ")[2].split(", ")) == 2


def test_what_is_missed_has_its_name_and_unit(tmp_path: Path, capsys) -> None:
    nodes = [("MatMul", ["x", "a"], "p"), ("Relu", ["p"], "q"), ("MatMul", ["q", "b"], "y")]
    model = _saved(tmp_path / "ok.onnx", nodes, a=W1, b=W2)
    assert main(["search", model, "--max-size-mb", "0.000001", "--min-sqnr-db", "90", "--quiet"]) == 0
    shown = capsys.readouterr().out
    assert "not met: model size, by " in shown
    assert any(line.startswith("not met: output SQNR") and " dB;" in line for line in shown.splitlines())
    with pytest.raises(SystemExit):
        main(["search", model, "--max-size-mb", "-1"])
    assert "must be above zero" in capsys.readouterr().err
