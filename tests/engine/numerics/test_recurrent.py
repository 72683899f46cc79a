"""Recurrent layers and Einsum: both weights of a kernel take its scheme, in the preview and in the file."""

from __future__ import annotations

import numpy as np
import onnxruntime as ort
import pytest
from build import N, model, quiet, save, weights
from handmade import run_whole, samples_like

from engine.fusion import fuse
from engine.graph import load
from engine.interop.qdq import export_qdq
from engine.npu import simulate
from engine.npu.profiles import load_device
from engine.numerics import Evaluator, calibrate
from engine.precision import Plan
from engine.precision.scheme import BF16, FP16, INT4, INT8, W8A16, ActivationFormat, Scheme, WeightFormat
from engine.quant import plan_bytes
from engine.tuning.estimate import estimate

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
W8 = Scheme(WeightFormat(8), ActivationFormat(32, floating=True))


def recurrent(op, folder, directions=2, width=20, hidden=8):
    rows = GATES[op] * hidden
    constants = {
        "w": weights(directions, rows, width),
        "r": weights(directions, rows, hidden, scale=0.3),
        "b": weights(directions, 2 * rows, scale=0.1),
    }
    direction = "bidirectional" if directions == 2 else "forward"
    node = N(op, ["x", "w", "r", "b"], ["h"], "/encoder/rnn", hidden_size=hidden, direction=direction)
    path = save(model([node], {"x": (6, 1, width)}, ["h"], constants, opset=21), folder)
    return fuse(load(path)), constants, path


def rounded(weight):
    """Symmetric 8 bits, one scale per row."""
    scale = np.abs(weight).max(axis=-1, keepdims=True) / np.float32(127)
    return (np.rint(weight / scale) * scale).astype(np.float32)


def previewed(network, samples, plan, ranges):
    evaluator = Evaluator(network, samples, ranges=ranges)
    try:
        return [found["h"] for found in evaluator.output(plan)]
    finally:
        evaluator.close()


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("directions", [1, 2])
def test_input_and_state_weights_are_rounded_together(op, directions, tmp_path):
    network, constants, path = recurrent(op, tmp_path, directions)
    (kernel,) = network.kernels
    assert [weight.constant for weight in kernel.weights] == ["w", "r"]
    assert [weight.activation for weight in kernel.weights] == ["x", ""]
    assert kernel.weight.bias == "b"
    samples = samples_like({"x": np.zeros((6, 1, 20), np.float32)})
    found = previewed(network, samples, Plan({kernel.id: W8}), calibrate(network, samples))
    changed = {**constants, "w": rounded(constants["w"]), "r": rounded(constants["r"])}
    other = save(model([network.graph.nodes[0].proto], {"x": (6, 1, 20)}, ["h"], changed, opset=21), tmp_path, "r.onnx")
    session = ort.InferenceSession(str(other), quiet(), providers=["CPUExecutionProvider"])
    exact = ort.InferenceSession(str(path), quiet(), providers=["CPUExecutionProvider"])
    for feeds, result in zip(samples.feeds, found, strict=True):
        np.testing.assert_allclose(result, session.run(None, dict(feeds))[0], rtol=1e-5, atol=1e-6)
        assert np.abs(result - exact.run(None, dict(feeds))[0]).max() > 1e-4


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("scheme", [FP16, BF16, INT8, W8A16, INT4], ids=["fp16", "bf16", "int8", "w8a16", "int4"])
def test_the_file_computes_what_the_preview_shows(op, scheme, tmp_path):
    network, _, _ = recurrent(op, tmp_path)
    samples = samples_like({"x": np.zeros((6, 1, 20), np.float32)})
    ranges, plan = calibrate(network, samples), Plan({network.kernels[0].id: scheme})
    export_qdq(network, plan, ranges, tmp_path / "q.onnx")
    for feeds, preview in zip(samples.feeds, previewed(network, samples, plan, ranges), strict=True):
        (result,) = run_whole(str(tmp_path / "q.onnx"), dict(feeds))
        noise = np.sum((result - preview).astype(np.float64) ** 2)
        assert noise < 1e-6 * np.sum(preview.astype(np.float64) ** 2)  # 60 dB


def test_both_weights_count_in_size_and_time(tmp_path):
    network, constants, _ = recurrent("LSTM", tmp_path, directions=1, width=128, hidden=128)
    (kernel,) = network.kernels
    w, r, b = (constants[name].size for name in "wrb")
    rows = 4 * 128
    assert plan_bytes(network, Plan()).total == 4 * (w + r + b)
    assert plan_bytes(network, Plan({kernel.id: FP16})).total == 2 * (w + r + b)
    assert plan_bytes(network, Plan({kernel.id: INT8})).total == w + r + 2 * 4 * rows + 2 * b
    device = load_device("ascend310b1")
    half, integer = (simulate(network, Plan({kernel.id: s}), device).kernels[0] for s in (FP16, INT8))
    assert half.weight_bytes == 2 * (w + r + b)
    assert half.weight_bytes - integer.weight_bytes == (w + r) - 2 * 4 * rows  # codes, and a float scale per row


def test_einsum_with_a_constant_operand(tmp_path):
    constants = {"w": weights(4, 16, 6)}
    node = N("Einsum", ["x", "w"], ["h"], equation="bhk,hkn->bnh")
    network = fuse(load(save(model([node], {"x": (3, 4, 16)}, ["h"], constants, opset=21), tmp_path)))
    (kernel,) = network.kernels
    assert (kernel.weight.channel_axes, kernel.weight.reduction_axes) == ((0, 2), (1,))
    samples = samples_like({"x": np.zeros((3, 4, 16), np.float32)})
    ranges = calibrate(network, samples)
    found = previewed(network, samples, Plan({kernel.id: W8}), ranges)
    values = rounded(constants["w"].transpose(0, 2, 1)).transpose(0, 2, 1)
    for feeds, result in zip(samples.feeds, found, strict=True):
        np.testing.assert_allclose(result, np.einsum("bhk,hkn->bnh", feeds["x"], values), rtol=1e-5, atol=1e-5)
    plan = Plan({kernel.id: INT8})
    export_qdq(network, plan, ranges, tmp_path / "q.onnx")
    for feeds, preview in zip(samples.feeds, previewed(network, samples, plan, ranges), strict=True):
        np.testing.assert_allclose(run_whole(str(tmp_path / "q.onnx"), dict(feeds))[0], preview, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("rounded", [False, True])
def test_layers_whose_gradient_says_nothing_are_measured_instead(rounded, tmp_path):
    """A recurrent layer is no linear function of its weights; what is rounded inside a kernel no other hands over."""
    if rounded:
        nodes = [
            N("QuantizeLinear", ["x", "s", "z"], ["q"]),
            N("DequantizeLinear", ["q", "s", "z"], ["d"]),
            N("MatMul", ["d", "v"], ["h"]),
        ]
        constants = {"v": weights(20, 4), "s": np.float32(0.05), "z": np.uint8(128)}
        network = fuse(load(save(model(nodes, {"x": (6, 1, 20)}, ["h"], constants), tmp_path)))
    else:
        network, _, _ = recurrent("LSTM", tmp_path)
    samples = samples_like({"x": np.zeros((6, 1, 20), np.float32)}, 2)
    evaluator = Evaluator(network, samples, ranges=calibrate(network, samples))
    try:
        found = estimate(evaluator, (INT8,))
    finally:
        evaluator.close()
    assert found.cells == {}
    assert "is measured, not estimated" in str(found.blocked[network.kernels[0].id])
