"""TensorRT's string and Model Explorer's node data."""

from __future__ import annotations

import json

import numpy as np
import onnx
import pytest
from export_cases import run_with_fakes
from handmade import run_whole

from engine.errors import ExportError
from engine.interop.handover import Extras, Measured
from engine.npu import load_device, simulate
from engine.precision.scheme import FP16, INT4, INT8
from engine.quant.sizes import plan_bytes


def test_tensorrt_gets_a_model_without_zero_points(case, tmp_path):
    case.with_plan(INT8, FP16).export("tensorrt", tmp_path / "out")
    model = onnx.load(tmp_path / "out" / "quantized.onnx")
    stored = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    quantized = [node for node in model.graph.node if node.op_type in ("QuantizeLinear", "DequantizeLinear")]
    assert quantized
    for node in quantized:
        if len(node.input) > 2:
            assert not np.any(stored[node.input[2]])
            assert stored[node.input[2]].dtype == np.int8
    assert run_whole(str(tmp_path / "out" / "quantized.onnx"), case.samples.feeds[0])[0].shape == (1, 10)
    names = {node.name for node in model.graph.node}
    layers = dict(e.rsplit(":", 1) for e in (tmp_path / "out" / "layer_precisions.txt").read_text().strip().split(","))
    assert layers == {"stem/Conv": "int8", "dw/Conv": "fp16", "pw/Conv": "int8", "head/Gemm": "fp16"}
    assert set(layers) <= names
    (call,) = run_with_fakes(tmp_path / "out" / "trtexec.sh", "trtexec", TRT_FLAGS="--fp16 --int8")
    assert call == ["--onnx=quantized.onnx", "--saveEngine=model.plan", "--fp16", "--int8"]


def test_node_data_by_the_names_of_the_file(case, tmp_path):
    case.with_plan(INT4, INT8, FP16).export("model_explorer", tmp_path / "x.json")
    (graph,) = json.loads((tmp_path / "x.json").read_text()).items()
    assert graph[0] == "small_cnn"  # the name of the graph in the file
    results = graph[1]["results"]
    assert {name: entry["value"] for name, entry in results.items()} == {
        "/stem/Conv": 4, "/stem/act": 4, "/dw/Conv": 8, "/dw/act": 8, "/pw/Conv": 16, "/head/Gemm": 4,
    }  # fmt: skip
    names = {node.name for node in onnx.load(case.network.graph.path).graph.node}
    assert set(results) <= names
    assert all(entry["bgColor"].startswith("#") for entry in results.values())


def test_costs_have_a_gradient_and_what_is_unknown_is_refused(case, tmp_path):
    measured = Measured(simulation=simulate(case.network, case.plan, load_device("kirin9030")))
    extras = Extras(measured=measured, options={"value": "latency_us"})
    case.export("model_explorer", tmp_path / "x.json", extras)
    (graph,) = json.loads((tmp_path / "x.json").read_text()).values()
    assert graph["results"]["/head/Gemm"]["value"] == measured.simulation.kernels[-1].latency_us
    assert [stop["stop"] for stop in graph["gradient"]] == [0, 0.5, 1]
    case.export("model_explorer", tmp_path / "y.json", value="weight_bytes")
    (graph,) = json.loads((tmp_path / "y.json").read_text()).values()
    sizes = plan_bytes(case.network, case.plan).per_kernel
    assert graph["results"]["/stem/Conv"]["value"] == sizes[case.network.tunable[0].id]
    with pytest.raises(ExportError, match="nothing is known of local_sqnr_db yet"):
        case.export("model_explorer", tmp_path / "z.json", value="local_sqnr_db")
