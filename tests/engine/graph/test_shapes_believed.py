"""Shapes that ONNX's inference gets wrong are those of the run."""

import numpy as np
import onnxruntime as ort
from build import N, model, save, weights

from engine.interop.qdq import export_qdq
from engine.numerics import Evaluator, calibrate, synthetic_samples
from engine.precision.plan import Plan
from engine.precision.presets import preset
from engine.session.work import open_network


def test_a_transposed_convolution_with_less_than_its_input_as_output_shape(tmp_path):
    """The inference ends behind batch and channels, here and in all that follows."""
    nodes = [N("ConvTranspose", ["x", "w", "b"], ["c"], output_shape=[5, 4]), N("Sigmoid", ["c"], ["y"])]
    path = save(model(nodes, {"x": (1, 4, 6, 6)}, ["y"], {"w": weights(4, 5, 3, 3), "b": weights(5)}), tmp_path)
    network = open_network(path)
    assert network.tensors["y"].shape == (1, 5, 5, 4)
    samples = synthetic_samples(network.graph, 1)
    evaluator = Evaluator(network, samples, ranges=calibrate(network, samples))
    try:
        (found,) = evaluator.output(Plan())
        np.testing.assert_allclose(found["y"], run(path, samples), rtol=1e-5)
        plan = preset(network, "int8")
        export_qdq(network, plan, evaluator.ranges, tmp_path / "int8.onnx")
        (preview,) = evaluator.output(plan)
        np.testing.assert_allclose(preview["y"], run(tmp_path / "int8.onnx", samples), rtol=1e-3)
    finally:
        evaluator.close()


def run(path, samples):
    options = ort.SessionOptions()
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return session.run(None, dict(samples.feeds[0]))[0]
