"""Layers that ONNX Runtime's optimizer has fused are layers like others, and compute the same."""

import numpy as np
import pytest
from build import N, model, save, weights
from numpy.testing import assert_allclose
from onnxruntime import InferenceSession

from engine.graph import synthetic_feeds
from engine.numerics import Evaluator, SampleSet
from engine.precision.plan import Plan
from engine.session.work import open_network

MS = "com.microsoft"
PICTURE, ROWS = (1, 3, 6, 5), (2, 5, 8)
CONV = {"w": weights(4, 3, 3, 3), "b": weights(4)}
CASES = {
    "FusedConv": ("FusedConv", ["x", "w", "b"], {"pads": [1, 1, 1, 1], "activation": "Relu"}, {"x": PICTURE}, CONV),
    "FusedConv without an activation": ("FusedConv", ["x", "w"], {}, {"x": PICTURE}, CONV),
    "FusedConv with LeakyRelu": (
        "FusedConv", ["x", "w", "b"], {"activation": "LeakyRelu", "activation_params": [0.2]}, {"x": PICTURE}, CONV,
    ),
    "FusedConv with Clip": (
        "FusedConv", ["x", "w", "b"], {"activation": "Clip", "activation_params": [-0.1, 0.3]}, {"x": PICTURE}, CONV,
    ),
    "FusedConv with HardSigmoid": (
        "FusedConv", ["x", "w"], {"activation": "HardSigmoid", "activation_params": [0.3, 0.4]}, {"x": PICTURE}, CONV,
    ),
    "FusedConv with a sum": (
        "FusedConv", ["x", "w", "b", "z"], {"activation": "Relu"}, {"x": PICTURE, "z": (1, 4, 4, 3)}, CONV,
    ),
    "FusedGemm": (
        "FusedGemm", ["x", "w", "b"], {"transB": 1, "alpha": 0.5, "activation": "Tanh"}, {"x": (2, 8)},
        {"w": weights(6, 8), "b": weights(6)},
    ),
    "FusedMatMul": (
        "FusedMatMul", ["x", "w"], {"transB": 1, "alpha": 0.25}, {"x": ROWS}, {"w": weights(6, 8)},
    ),
    "Attention": (
        "Attention", ["x", "w", "b"], {"num_heads": 2}, {"x": ROWS}, {"w": weights(8, 24), "b": weights(24)},
    ),
    "Attention of unlike sizes, causal": (
        "Attention", ["x", "w", "b"], {"num_heads": 2, "unidirectional": 1, "qkv_hidden_sizes": [8, 8, 4]}, {"x": ROWS},
        {"w": weights(8, 20), "b": weights(20)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_fused_layer_has_a_switch_and_gives_what_the_file_gives(name, tmp_path):
    op, inputs, given, fed, stored = CASES[name]
    node = N(op, inputs, ["y"], "layer", domain=MS, **given)
    path = save(
        model([node], fed, ["y"], {key: stored[key] for key in inputs if key in stored}, domains=[MS]), tmp_path
    )
    network = open_network(path)
    (layer,) = network.tunable
    assert layer.weight.origin == "w"
    feeds = synthetic_feeds(network.graph.inputs, 4)
    evaluator = Evaluator(network, SampleSet([feeds], "drawn"))
    try:
        (found,) = evaluator.output(Plan())
    finally:
        evaluator.close()
    session = InferenceSession(str(path), providers=["CPUExecutionProvider"])
    assert_allclose(found["y"], session.run(None, feeds)[0], rtol=1e-4, atol=1e-5)


def test_what_has_no_counterpart_stays(tmp_path):
    node = N("FusedMatMul", ["x", "w"], ["y"], domain=MS, transBatchB=1)
    path = save(model([node], {"x": (5, 2, 8)}, ["y"], {"w": weights(8, 5, 6)}, domains=[MS]), tmp_path)
    assert [kernel.tunable for kernel in open_network(path).kernels] == [False]
    computed = N("FusedMatMul", ["x", "x"], ["y"], domain=MS, transB=1)
    network = open_network(save(model([computed], {"x": ROWS}, ["y"], domains=[MS]), tmp_path))
    assert [node.op_type for node in network.graph.nodes] == [f"{MS}.FusedMatMul"]
    assert np.asarray(network.tensors["y"].shape).tolist() == [2, 5, 5]
