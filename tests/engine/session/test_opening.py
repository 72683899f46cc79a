"""What a session starts with: the precision that the file has, within the memory that the user allows."""

import json
import logging
import queue
import time

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_dynamic, quantize_static

from engine.cli import main
from engine.fusion import fuse
from engine.graph import load, synthetic_feeds
from engine.npu import load_device, simulate
from engine.precision import FP16, INT8, preset
from engine.session import Session, checks
from engine.session.launching import fusion_report, saved_launch_us
from engine.session.opening import opening_plan, stored_note
from engine.session.samples import find_sample
from engine.session.work import open_network


class Samples(CalibrationDataReader):
    def __init__(self, path):
        self._feeds = iter([synthetic_feeds(load(path).inputs, seed) for seed in range(3)])

    def get_next(self):
        return next(self._feeds, None)


@pytest.fixture
def quantized_path(tmp_path, cnn_path):
    logging.getLogger().setLevel(logging.ERROR)
    path = tmp_path / "quantized.onnx"
    quantize_static(cnn_path, path, Samples(cnn_path), quant_format=QuantFormat.QDQ, per_channel=True)
    return path


@pytest.fixture
def session(tmp_path):
    calls: queue.Queue = queue.Queue()
    made = Session(dispatch=calls.put, settings=tmp_path / "settings")

    def settle(seconds=30.0):
        end = time.monotonic() + seconds
        while made.jobs.active or not calls.empty():
            try:
                calls.get(timeout=0.05)()
            except queue.Empty:
                assert time.monotonic() < end

    made.settle = settle
    yield made
    made.close()


def said(session):
    return [str(entry.text) for entry in session.log]


def test_a_quantized_file_opens_with_its_own_precision(session, quantized_path):
    session.open_model(quantized_path)
    session.settle()
    assert dict(session.plan) == {kernel.id: INT8 for kernel in session.network.tunable}
    assert session.plan.name == "stored"
    assert not session.modified
    assert "The plan starts with the precision that the file has: 4 × INT8." in said(session)


def test_a_file_in_floats_opens_in_fp16(session, cnn_path):
    session.open_model(cnn_path)
    session.settle()
    assert session.plan == preset(session.network, "fp16")
    assert not any("precision that the file has" in line for line in said(session))


def test_layers_that_compute_with_codes_keep_their_precision(tmp_path, cnn_path):
    quantize_dynamic(cnn_path, tmp_path / "dynamic.onnx")
    network = fuse(load(tmp_path / "dynamic.onnx"))
    assert not any(scheme != FP16 for scheme in opening_plan(network).values())
    assert "keep the precision" in str(stored_note(network))


def big(path):
    """20 MB of constants that the file does not hold."""
    nodes = [
        helper.make_node("ConstantOfShape", ["s"], ["c"]),
        helper.make_node("ReduceMax", ["c"], ["m"], keepdims=0),
        helper.make_node("Add", ["x", "m"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "big",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4])],
        [numpy_helper.from_array(np.array([5_000_000]), "s")],
    )
    path.write_bytes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
    )
    return path


def test_a_model_beyond_the_limit_is_asked_about(session, tmp_path):
    path, asked = big(tmp_path / "big.onnx"), []
    session.memory_limit = 10_000_000
    session.open_model(path)
    session.settle()
    assert session.network is None
    assert "more than the memory limit" in str(session.last_error)  # nobody to ask: refused
    session.ask_memory = lambda error, answer: asked.append((error.need, answer))
    session.open_model(path)
    session.settle()
    (need, answer) = asked.pop()
    assert need >= 20_000_000
    answer(None)
    session.settle()
    assert session.network is None
    session.open_model(path)
    session.settle()
    asked.pop()[1](100_000_000)
    session.settle()
    assert session.network is not None
    assert session.memory_limit == 100_000_000


def test_an_input_beyond_the_limit_is_asked_about_too(session, cnn_path):
    asked = []
    session.memory_limit = 1000
    session.ask_memory = lambda error, answer: asked.append((str(error), error.need, answer))
    session.open_model(cnn_path)
    session.settle()
    words, need, answer = asked.pop()
    assert "input image of shape 1×3×16×16 would need 3.07e-06 GB" in words
    assert need == 4 * 3 * 16 * 16
    answer(100_000_000)
    session.settle()
    assert session.network is not None


def test_an_answer_that_comes_too_late_counts_for_nothing(session, tmp_path, cnn_path):
    asked = []
    session.memory_limit = 10_000_000
    session.ask_memory = lambda error, answer: asked.append(answer)
    session.open_model(big(tmp_path / "big.onnx"))
    session.settle()
    session.open_model(cnn_path)
    session.settle()
    asked.pop()(100_000_000)
    session.settle()
    assert session.path == cnn_path
    assert session.memory_limit == 10_000_000


def test_the_command_line_has_the_limit_as_an_option(tmp_path, capsys):
    path = big(tmp_path / "big.onnx")
    assert main(["inspect", str(path), "--quiet", "--memory-limit", "0.01"]) == 1
    assert "more than the memory limit of 0.01 GB" in capsys.readouterr().err
    assert main(["inspect", str(path), "--quiet", "--memory-limit", "1"]) == 0


def test_launches_before_and_after():
    device = load_device("kirin9030")
    cnn = open_network(find_sample("mobile_vision_encoder").model)
    plan = preset(cnn, "fp16")
    report = fusion_report(cnn, plan, device)
    here = simulate(cnn, plan, device)
    cloud = fuse(cnn.graph, "cloud")
    assert report.edge.launch_us == pytest.approx(sum(cost.launch_us for cost in here.kernels))
    assert report.of("edge").latency_us == here.latency_us
    assert report.edge.share == pytest.approx(here.launch_us / here.latency_us)
    assert report.nodes.launches > report.cloud.launches > report.edge.launches
    # Node by node, all that the cloud rules join (the BatchNorm, activations) would be launched as well.
    more = len(cnn.graph.nodes) - len(cloud.kernels)
    assert report.nodes.launches - report.cloud.launches == more
    assert report.nodes.launch_us - report.cloud.launch_us == pytest.approx(more * saved_launch_us(device))
    assert report.nodes.share is None
    assert fusion_report(cloud, plan, device).not_fused
    assert not report.not_fused


def test_inspect_explains_fusion(capsys):
    model = "sample:mobile_vision_encoder"
    assert main(["inspect", model, "--fusion", "cloud", "--explain", "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)["launches"]
    assert found["edge"]["launches"] < found["cloud"]["launches"] < found["node_by_node"]["launches"]
    assert 0 < found["edge"]["share"] < 1
    assert all(each["reason"] and each["others"] for each in found["not_fused"])
    assert main(["inspect", model, "--fusion", "cloud", "--explain", "--quiet"]) == 0
    out = capsys.readouterr().out
    assert "share of latency" in out
    assert "cloud rules *" in out
    assert "stayed apart" in out


def test_what_a_file_declares_is_not_read_again_by_whoever_looks_at_the_open_model(session, cnn_path, monkeypatch):
    """That takes 60 ms of a 30-layer decoder, and Preflight looks on the window's thread."""
    session.open_model(cnn_path)
    session.settle()
    read = []
    monkeypatch.setattr(checks, "read_inputs", lambda path: read.append(path) or ())
    free = checks.free_inputs(session.network.graph.path, session.network.graph.sha256)
    assert not read
    monkeypatch.undo()
    checks._known.clear()
    assert free == checks.free_inputs(session.network.graph.path, session.network.graph.sha256)
