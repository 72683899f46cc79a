"""A layer whose reference holds NaN has no error, and says so everywhere."""

from __future__ import annotations

import json
import queue
import time
from contextlib import suppress

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from engine.cli import main
from engine.session import Session


@pytest.fixture
def logarithm(tmp_path):
    """A Gemm, the logarithm of what it gives (negative numbers among it), another Gemm; a Gemm beside them."""
    rng = np.random.default_rng(0)
    weights = {f"w{i}": rng.standard_normal((16, 16)).astype(np.float32) for i in range(3)}
    nodes = [
        helper.make_node("Gemm", [x, w], [y], y) for x, w, y in (("x", "w0", "a"), ("l", "w1", "b"), ("x", "w2", "c"))
    ]
    nodes.insert(1, helper.make_node("Log", ["a"], ["l"], "log"))
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "g",
        [value("x", TensorProto.FLOAT, [1, 16])],
        [value("b", TensorProto.FLOAT, [1, 16]), value("c", TensorProto.FLOAT, [1, 16])],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    path = tmp_path / "logarithm.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def test_the_command_line_says_which_layer_and_calls_nothing_exact(logarithm, capsys):
    assert main(["evaluate", str(logarithm), "--preset", "int8", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    broken, behind, beside = found["kernels"]
    assert broken["unmeasured"] > 0
    assert behind["unmeasured"] > 0
    assert (beside["unmeasured"], broken["accumulated_sqnr_db"]) == (0, None)
    assert 10 < beside["accumulated_sqnr_db"] < 60
    assert found["output"]["unmeasured"] > 0
    (note,) = (note for note in found["notes"] if "measured" in note)
    assert note.startswith(f"{broken['name']} gives {broken['unmeasured']} values")
    assert main(["evaluate", str(logarithm), "--preset", "int8"]) == 0
    printed = capsys.readouterr().out
    assert "not measurable" in printed
    assert "exact" not in printed


def settle(session, calls):
    end = time.monotonic() + 30
    while session.jobs.active or not calls.empty():
        assert time.monotonic() < end
        with suppress(queue.Empty):
            calls.get(timeout=0.05)()


def test_the_session_warns_once(logarithm):
    calls: queue.Queue = queue.Queue()
    session = Session(dispatch=calls.put)
    try:
        session.open_model(logarithm)
        settle(session, calls)
        session.apply_preset("int8")
        settle(session, calls)
        warnings = [entry for entry in session.log if "can't be measured" in str(entry.text)]
        assert [entry.level for entry in warnings] == ["warning"]
        assert np.isnan(session.figures.evaluation.output.sqnr_db)
    finally:
        session.close()
