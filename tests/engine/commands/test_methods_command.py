"""mixbit methods, and --method where a plan is named."""

from __future__ import annotations

import json

import pytest

from engine.cli import main


@pytest.fixture
def run(capsys):
    def call(*arguments: object) -> dict:
        code = main([*map(str, arguments), "--json"])
        out, err = capsys.readouterr()
        assert (code, err) == (0, "")
        return json.loads(out)

    return call


def test_methods_are_compared_and_the_best_become_a_plan(run, cnn_path, tmp_path):
    path = tmp_path / "plan.json"
    found = run("methods", cnn_path, "--preset", "int4", "--out", path)
    assert found["output"]["after_db"] > found["output"]["before_db"]
    assert [row["method"] for row in found["everywhere"]][:4] == ["rtn", "mse", "hqq", "gptq"]
    for kernel in found["kernels"]:
        rows = {row["method"]: row for row in kernel["methods"]}
        assert rows["rtn"]["local_gain_db"] == rows["rtn"]["output_gain_db"] == 0
        assert kernel["chosen"] in rows
        assert ("gptq" in rows) is (kernel["scheme"] == "INT4")
    evaluated = run("evaluate", cnn_path, "--plan", path)
    assert evaluated["output"]["sqnr_db"] == pytest.approx(found["output"]["after_db"], abs=1e-9)


def test_some_methods_only_and_without_the_output(run, cnn_path):
    found = run("methods", cnn_path, "--preset", "int8", "--only", "rtn,gptq", "--local")
    assert {row["method"] for k in found["kernels"] for row in k["methods"]} == {"rtn", "gptq", "rtn+bias", "gptq+bias"}
    assert all(row["output_gain_db"] is None for k in found["kernels"] for row in k["methods"])


def test_method_goes_into_evaluation_plan_and_export(run, cnn_path, tmp_path):
    rounded = run("evaluate", cnn_path, "--preset", "int4")
    found = run("evaluate", cnn_path, "--preset", "int4", "--method", "gptq+bias")
    assert [k["scheme"] for k in found["kernels"] if k["scheme"]] == [
        "INT4 GPTQ+b",
        "INT8",
        "INT4 GPTQ+b",
        "INT4 GPTQ+b",
    ]
    assert found["output"]["sqnr_db"] != rounded["output"]["sqnr_db"]
    assert found["size_bytes"] == rounded["size_bytes"]
    run("plan", cnn_path, "--preset", "int4", "--method", "gptq+bias", "--out", tmp_path / "p.json")
    again = run("evaluate", cnn_path, "--plan", tmp_path / "p.json")
    assert again["output"] == found["output"]
    written = run(
        "export", cnn_path, "--preset", "int4", "--method", "gptq", "--to", "qdq", "--out", tmp_path / "m.onnx"
    )
    assert written["changes"] == []
    other = run(
        "export", cnn_path, "--preset", "int8", "--method", "gptq", "--to", "ort_recipe", "--out", tmp_path / "r"
    )
    assert {c["reason"] for c in other["changes"] if c["asked"] == "INT8 GPTQ" and c["gets"] == "INT8"} == {
        "ONNX Runtime quantization rounds the weights by itself, to nearest."
    }


def test_the_table_for_people(cnn_path, capsys):
    assert main(["methods", str(cnn_path), "--preset", "int4", "--quiet"]) == 0
    out = capsys.readouterr().out
    assert "gptq everywhere: output SQNR" in out
    assert "gain over rounding to nearest in dB, on the kernel / at the output" in out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--preset", "fp16"), "No kernel of this plan has integer weights"),
        (("--preset", "int4", "--out", "MODEL"), "is never written"),
    ],
)
def test_refusals_are_one_sentence(cnn_path, capsys, arguments, reason):
    assert main(["methods", str(cnn_path), *(str(cnn_path) if a == "MODEL" else a for a in arguments)]) == 1
    err = capsys.readouterr().err
    assert reason in err
    assert err.count("\n") == 1


def test_unknown_methods_are_wrong_usage(cnn_path, capsys):
    for arguments in (("methods", "--only", "rtn,best"), ("evaluate", "--method", "best")):
        with pytest.raises(SystemExit) as stopped:
            main([arguments[0], str(cnn_path), "--preset", "int4", *arguments[1:]])
        assert stopped.value.code == 2
    assert "is none of rtn, mse, hqq, gptq" in capsys.readouterr().err
