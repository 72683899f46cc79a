"""Scripts for other libraries: they run, or at least hold the plan."""

from __future__ import annotations

import ast
import logging
import runpy

import numpy as np
import onnx
import pytest
from export_cases import case_of
from handmade import run_whole

from engine.errors import ExportError
from engine.interop.scripts import compare_constants, python_literal
from engine.numerics import Evaluator
from engine.paths import sample_models
from engine.precision.scheme import FP16, INT4, INT8, W4A8


def constants(script):
    found = {}
    for node in ast.parse(script.read_text()).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id != "HERE":
            found[node.targets[0].id] = ast.literal_eval(node.value)
    return found


@pytest.mark.parametrize("schemes", [(INT8,), (W4A8, INT8, FP16, INT8)])
def test_quantize_py_writes_what_the_preview_shows(case, schemes, tmp_path, capsys):
    case = case.with_plan(*schemes)
    written = case.export("ort_recipe", tmp_path / "out")
    logging.disable(logging.WARNING)
    try:
        runpy.run_path(str(tmp_path / "out" / "quantize.py"), run_name="__main__")
    finally:
        logging.disable(logging.NOTSET)
    capsys.readouterr()
    evaluator = Evaluator(case.network, case.samples, ranges=case.ranges)
    try:
        previews = evaluator.output(written.handover.effective_plan)
    finally:
        evaluator.close()
    for feeds, preview in zip(case.samples.feeds, previews, strict=True):
        result = run_whole(str(tmp_path / "out" / "quantized.onnx"), feeds)[0]
        noise = np.sum((result - preview["logits"]) ** 2)
        assert 10 * np.log10(np.sum(preview["logits"] ** 2) / noise) > 35


def test_weights_alone_are_a_second_pass(tmp_path):
    decoder = case_of(sample_models() / "swiglu_decoder" / "swiglu_decoder.onnx", INT4, INT8)
    decoder.export("ort_recipe", tmp_path / "ort")
    found = constants(tmp_path / "ort" / "quantize.py")
    (weight_only,) = found["WEIGHT_ONLY"]
    assert {k: weight_only[k] for k in ("bits", "block_size", "is_symmetric")} == {
        "bits": 4, "block_size": 32, "is_symmetric": False,
    }  # fmt: skip
    assert not set(weight_only["nodes_to_include"]) & set(found["STATIC"])
    decoder.export("nncf", tmp_path / "nncf")
    found = constants(tmp_path / "nncf" / "nncf_plan.py")
    assert [(p["mode"], p["group_size"]) for p in found["WEIGHT_ONLY"]] == [("INT4_ASYM", 32)]
    model = onnx.load(tmp_path / "nncf" / "model.onnx")
    names = {node.name for node in model.graph.node}
    assert {*found["STATIC"], *found["WEIGHT_ONLY"][0]["nodes"]} <= names
    assert model.opset_import[0].version == 21


def test_literals_and_their_comparison(tmp_path):
    value = {"a" * 60: ["it's", '"', "\\", "名"] * 20, "b": [{"x": 1.5, "y": None}], "c": (1, "t", [2])}
    assert ast.literal_eval(python_literal(value)) == value
    script = tmp_path / "s.py"
    script.write_text(f"VALUE = {python_literal(value)}\n")
    compare_constants(script, {"VALUE": value})
    with pytest.raises(ExportError, match=r"s\.py doesn't hold the plan"):
        compare_constants(script, {"VALUE": {**value, "b": 0}})
