"""Operators respelled for MindSpore Lite give what they gave, and the rest of a model stays."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper

from engine.interop.handover import Extras
from engine.interop.mindspore_ops import spelled_for_mindspore
from engine.interop.targets import target
from engine.precision.presets import preset
from engine.session.work import open_network


def model_of(*nodes, dtype=TensorProto.FLOAT):
    values = [helper.make_tensor_value_info(n, dtype, [2, 50]) for n in ("x", "y")]
    graph = helper.make_graph(list(nodes), "g", values[:1], values[1:])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def run(model):
    x = np.linspace(-6, 6, 100, dtype=np.float32).reshape(2, 50)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


@pytest.mark.parametrize(
    ("node", "ops"),
    [
        (helper.make_node("HardSwish", ["x"], ["y"], "act"), ["HardSigmoid", "Mul"]),
        (helper.make_node("HardSigmoid", ["x"], ["y"], "act"), ["Mul", "Add", "Clip"]),
        (helper.make_node("HardSigmoid", ["x"], ["y"], "act", alpha=0.7, beta=0.1), ["Mul", "Add", "Clip"]),
        (helper.make_node("HardSigmoid", ["x"], ["y"], "act", alpha=1 / 6, beta=0.5), ["HardSigmoid"]),
    ],
)
def test_the_result_stays_and_so_does_the_name_of_what_gives_it(node, ops):
    model = model_of(node)
    before = run(model)
    replaced = spelled_for_mindspore(model)
    onnx.checker.check_model(model)
    assert [n.op_type for n in model.graph.node] == ops
    assert replaced == ({} if ops == ["HardSigmoid"] else {node.op_type: 1})
    assert model.graph.node[-1].name == "act"
    np.testing.assert_allclose(run(model), before, atol=1e-6)


def test_names_in_use_are_not_taken_twice():
    model = model_of(
        helper.make_node("HardSwish", ["x"], ["a_gate"], "a"), helper.make_node("HardSwish", ["a_gate"], ["y"], "b")
    )
    before = run(model)
    spelled_for_mindspore(model)
    assert len({n.name for n in model.graph.node}) == 4
    np.testing.assert_allclose(run(model), before, atol=1e-6)


def test_the_export_says_what_it_has_respelled(tmp_path):
    graph = model_of(
        helper.make_node("MatMul", ["x", "w"], ["m"], "fc"), helper.make_node("HardSwish", ["m"], ["y"], "act")
    )
    weight = np.random.default_rng(0).standard_normal((50, 50)).astype(np.float32)
    graph.graph.initializer.append(onnx.numpy_helper.from_array(weight, "w"))
    onnx.save(graph, tmp_path / "m.onnx")
    network = open_network(tmp_path / "m.onnx")
    extras = Extras(options={"mode": "weight8"})
    made = target("mindspore_lite").export(network, preset(network, "int8"), None, tmp_path / "out", extras=extras)
    ops = [n.op_type for n in onnx.load(tmp_path / "out" / "model.onnx").graph.node]
    assert ops == ["MatMul", "HardSigmoid", "Mul"]
    assert made.files
    assert "1 HardSwish is spelled" in (tmp_path / "out" / "handover.txt").read_text()
