"""A size limit that formats without native support keep out of reach: what is in the way, why, and what to do."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from engine.cli import main
from engine.npu import load_device, supports
from engine.precision.scheme import BF16, FP16, INT4, INT8
from engine.session.work import open_network
from engine.tuning.search.costs import native_choices
from engine.tuning.search.problem import Choices

WORDS, WIDTH = 512, 128


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """An embedding, which the phone has in FP16 only, in front of a matrix product."""
    rng = np.random.default_rng(5)
    weights = {"table": rng.standard_normal((WORDS, WIDTH)), "w": rng.standard_normal((WIDTH, WIDTH)) / 8}
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "ids"], ["e"], "/words"),
            helper.make_node("MatMul", ["e", "w"], ["y"], "/dense"),
        ],
        "g",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, [1, 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 8, WIDTH])],
        [numpy_helper.from_array(array.astype(np.float32), name) for name, array in weights.items()],
    )
    path = tmp_path / "words.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def _search(path: Path, capsys, *more: str) -> dict:
    arguments = ["search", str(path), "--device", "kirin9030", "--samples", "1", "--max-size-mb", "0.06"]
    assert main([*arguments, *more, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_search_names_what_keeps_a_plan_large(model: Path, capsys) -> None:
    found = _search(model, capsys)
    assert "size_bytes" in found["overdrawn"]
    (held,) = found["held_back"]
    network = open_network(model)
    words = next(k for k in network.tunable if "words" in k.name)
    assert held["kernels"] == [words.id]
    assert held["scheme"] == "FP16"
    assert held["size_bytes"] == WORDS * WIDTH * 2
    assert held["smallest_bytes"] < held["size_bytes"] / 3
    assert held["reason"] == str(supports(load_device("kirin9030"), words, INT4))
    for part in (words.name, "128.0", held["reason"]):
        assert part in held["text"]
    assert main(["search", str(model), "--device", "kirin9030", "--samples", "1", "--max-size-mb", "0.06"]) == 0
    out = capsys.readouterr().out
    assert held["text"] in out
    assert "--allow-non-native" in out


def test_formats_that_are_not_native_can_be_allowed(model: Path, capsys) -> None:
    found = _search(model, capsys, "--allow-non-native")
    assert not found["overdrawn"]
    assert found["held_back"] == []
    words = next(k for k in open_network(model).tunable if "words" in k.name)
    assert found["plan"][words.id] == "INT4"


def test_a_limit_that_is_kept_says_nothing(model: Path, capsys) -> None:
    assert _search(model, capsys, "--max-size-mb", "1")["held_back"] == []


@pytest.mark.parametrize(("preset", "told"), [("int4", 1), ("fp16", 0), ("fp32", 0)])
def test_simulate_says_what_the_device_builds_in_half(model: Path, capsys, preset: str, told: int) -> None:
    assert main(["simulate", str(model), "--device", "kirin9030", "--preset", preset, "--json"]) == 0
    notes = [note for note in json.loads(capsys.readouterr().out)["notes"] if "is not native" in note]
    assert len(notes) == told
    assert all("words" in note and "dense" not in note for note in notes)


def test_simulate_says_that_bf16_is_built_in_half(model: Path, capsys) -> None:
    assert main(["simulate", str(model), "--device", "kirin9030", "--preset", "bf16", "--json"]) == 0
    (note,) = [note for note in json.loads(capsys.readouterr().out)["notes"] if "is not native" in note]
    assert note.startswith("BF16 is not native for")
    assert "words" in note
    assert "dense" in note


def test_a_search_takes_bf16_only_where_it_may_take_what_is_not_native(model: Path) -> None:
    network, device = open_network(model), load_device("kirin9030")
    native = native_choices(network, Choices((INT8, FP16, BF16)), device)
    for kernel in network.tunable:
        assert FP16 in native.of(kernel.id)
        assert BF16 not in native.of(kernel.id)
