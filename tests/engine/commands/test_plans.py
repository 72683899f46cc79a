"""`mixbit plans`: figures side by side and what differs, held against the other commands."""

from __future__ import annotations

import json

import pytest
from driving import Driver

from engine.cli import main
from engine.precision.scheme import FP16, INT4, INT8
from engine.session.difference import differences, transitions
from engine.session.work import open_network


@pytest.fixture
def run(capsys):
    def call(*arguments: object) -> dict:
        code = main([*map(str, arguments), "--json"])
        out, err = capsys.readouterr()
        assert (code, err) == (0, "")
        return json.loads(out)

    return call


def test_figures_are_those_of_the_single_commands(run, cnn_path, tmp_path):
    run("plan", cnn_path, "--preset", "first_last_fp16", "--out", tmp_path / "ends.json")
    found = run("plans", cnn_path, "int8", tmp_path / "ends.json", "int4", "--errors", "--device", "ascend310b1")
    assert [plan["name"] for plan in found["plans"]] == ["int8", "ends.json", "int4"]
    for plan, choice in zip(found["plans"], (["--preset", "int8"], ["--plan", tmp_path / "ends.json"]), strict=False):
        alone = run("simulate", cnn_path, *choice, "--device", "ascend310b1")
        assert plan["latency_us"] == alone["latency_us"]
        assert plan["peak_bytes"] == alone["peak_bytes"]
        measured = run("evaluate", cnn_path, *choice)
        assert plan["sqnr_db"] == measured["output"]["sqnr_db"]
        assert plan["size_bytes"] == measured["size_bytes"]
    ends, int4 = found["differences"]
    assert (ends["a"], ends["b"], int4["b"]) == ("int8", "ends.json", "int4")
    assert ends["transitions"] == [
        {"a": "INT8", "b": "FP16", "kernels": 2}, {"a": "INT8", "b": "INT8", "kernels": 2}
    ]  # fmt: skip
    assert [k["name"] for k in ends["kernels"]] == ["stem", "head"]
    assert found["synthetic_data"] is True
    for entry in found["differences"]:
        for kernel in entry["kernels"]:
            assert kernel["a"] != kernel["b"]
            assert all(kernel[key]["a"] is not None for key in ("size_bytes", "latency_us", "accumulated_sqnr_db"))


def test_sizes_of_all_differences_add_up(run, cnn_path):
    found = run("plans", cnn_path, "fp16", "int4")
    a, b = (plan["size_bytes"] for plan in found["plans"])
    (entry,) = found["differences"]
    assert sum(k["size_bytes"]["a"] - k["size_bytes"]["b"] for k in entry["kernels"]) == a - b
    assert {plan["sqnr_db"] for plan in found["plans"]} == {None}
    assert found["synthetic_data"] is None


def test_a_project_gives_its_plan_and_all_that_it_keeps(run, tmp_path, cnn_path, capsys):
    driver = Driver(tmp_path)
    session = driver.open(cnn_path)
    session.apply_preset("int8")
    session.keep_plan("eight")
    session.apply_preset("int4")
    session.save_project(tmp_path / "work.mixbit")
    session.close()
    found = run("plans", cnn_path, tmp_path / "work.mixbit")
    assert [plan["name"] for plan in found["plans"]] == ["work.mixbit", "eight"]
    assert main(["plans", str(cnn_path), str(tmp_path / "work.mixbit"), "fp16"]) == 0
    assert "A work.mixbit, B eight: 3 kernels differ" in capsys.readouterr().out


def test_refusals(capsys, cnn_path, tmp_path):
    for words, sentence in (
        (["int8"], "at least two plans"),
        (["int8", "nothing.json"], "nothing.json can't be read"),
        (["int8", str(cnn_path)], "is not a Mixbit plan"),
    ):
        assert main(["plans", str(cnn_path), *words]) == 1
        err = capsys.readouterr().err
        assert sentence in err
        assert err.count("\n") == 1


def test_transitions_count_every_kernel_and_unknown_figures_stay_unknown(cnn_path):
    from engine.precision.plan import Plan
    from engine.session.state import Figures

    network = open_network(cnn_path)
    ids = [k.id for k in network.tunable]
    a = Plan(dict(zip(ids, (FP16, INT8, INT8, INT4), strict=True)))
    b = Plan(dict(zip(ids, (INT8, INT8, FP16, INT8), strict=True)))
    assert transitions(network, a, b) == {
        ("FP16", "INT8"): 1, ("INT4", "INT8"): 1, ("INT8", "FP16"): 1, ("INT8", "INT8"): 1
    }  # fmt: skip
    found = differences(network, Figures(a), Figures(b))
    assert [(d.kernel, d.a, d.b) for d in found] == [(ids[0], FP16, INT8), (ids[2], INT8, FP16), (ids[3], INT4, INT8)]
    assert {d.latency_us.change for d in found} == {None}


def test_a_plan_with_a_weight_method_that_does_not_exist_is_refused_wherever_it_is_named(cnn_path, tmp_path, capsys):
    assert main(["plan", str(cnn_path), "--preset", "int8", "--out", str(tmp_path / "p.json")]) == 0
    content = json.loads((tmp_path / "p.json").read_text())
    content["kernels"][0]["scheme"] = {"weights": {"bits": 4}, "activations": {"bits": 8}, "method": "evil"}
    (tmp_path / "p.json").write_text(json.dumps(content))
    for command in (["simulate"], ["evaluate"], ["check"], ["dump", "--out", str(tmp_path / "d")]):
        assert main([command[0], str(cnn_path), "--plan", str(tmp_path / "p.json"), *command[1:]]) == 1
        assert "'evil'; choose one of" in capsys.readouterr().err
    assert main(["plans", str(cnn_path), "int8", str(tmp_path / "p.json")]) == 1
    assert "'evil'; choose one of" in capsys.readouterr().err
