"""An operator that an NPU leaves to the CPU breaks fusion: its neighbours stay on the NPU."""

import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from engine.fusion.ops import ALONE, ELEMENTWISE
from engine.npu import load_device, simulate
from engine.paths import resources
from engine.precision.plan import Plan
from engine.session.work import open_network

SUPPORT = json.loads((resources() / "operators" / "support.json").read_text(encoding="utf-8"))["operators"]
PAIRS = {"QuantizeLinear", "DequantizeLinear"}
"""Part of the layers that they quantize."""


def test_the_list_is_that_of_the_support_table():
    left = {
        op for op in ELEMENTWISE for family in ("kirin", "ascend") if SUPPORT.get(op, {}).get(family, "npu") != "npu"
    }
    assert left - PAIRS == ALONE


@pytest.mark.parametrize("op", ["Asinh", "Celu"])
def test_only_the_operator_itself_runs_on_the_cpu(tmp_path, op):
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"], name="first"),
        helper.make_node(op, ["a"], ["b"], name="odd"),
        helper.make_node("Abs", ["b"], ["c"], name="even"),
        helper.make_node("Conv", ["c", "w"], ["y"], name="last"),
    ]
    shape = (1, 8, 8, 8)
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(np.ones((8, 8, 1, 1), np.float32), "w")],
    )  # fmt: skip
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "m.onnx")
    network = open_network(tmp_path / "m.onnx")
    run = simulate(network, Plan(), load_device("kirin9030"))
    assert [cost.unit for cost in run.kernels].count("CPU") == 1
    (fallen,) = [kernel for kernel, cost in zip(network.kernels, run.kernels, strict=True) if cost.unit == "CPU"]
    assert [node.proto.op_type for node in fallen.nodes] == [op]
