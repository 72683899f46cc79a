"""A model that is quantized already opens with its own plan, and that plan changes nothing."""

import logging

import numpy as np
import pytest
from build import F32, N, model, save, weights
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from small_models import small_cnn

from engine.fusion import fuse
from engine.graph import load, synthetic_feeds
from engine.interop.qdq import export_qdq
from engine.numerics import Evaluator, calibrate, synthetic_samples
from engine.precision import FP16, INT4, INT8, W4A8, W8A16, Plan, stored_plan, stored_scheme
from engine.precision.scheme import BF16, HALF, ActivationFormat, Scheme, WeightFormat


class Samples(CalibrationDataReader):
    def __init__(self, path):
        self._feeds = iter([synthetic_feeds(load(path).inputs, seed) for seed in range(3)])

    def get_next(self):
        return next(self._feeds, None)


def quantized(folder, **options):
    logging.getLogger().setLevel(logging.ERROR)
    path = small_cnn(folder / "cnn.onnx")
    quantize_static(path, folder / "q.onnx", Samples(path), quant_format=QuantFormat.QDQ, per_channel=True, **options)
    return fuse(load(folder / "q.onnx"))


SYMMETRIC = {"activation_type": QuantType.QInt8, "extra_options": {"ActivationSymmetric": True}}


@pytest.mark.parametrize(
    ("options", "scheme"),
    [({}, INT8), (SYMMETRIC, Scheme(INT8.weights, ActivationFormat(8, symmetric=True)))],
    ids=["asymmetric", "symmetric"],
)
def test_the_plan_of_the_file_gives_the_results_of_the_file(options, scheme, tmp_path):
    network = quantized(tmp_path, **options)
    plan = stored_plan(network)
    assert dict(plan) == {kernel.id: scheme for kernel in network.tunable}
    samples = synthetic_samples(network.graph, 3, 5)
    evaluator = Evaluator(network, samples, ranges=calibrate(network, samples))
    try:
        assert evaluator.evaluate(plan).output.sums.noise < 1e-12 * evaluator.evaluate(plan).output.sums.reference_power
        other = Plan({kernel.id: INT4 for kernel in network.tunable})
        assert evaluator.evaluate(other).output.sums.noise > 0
    finally:
        evaluator.close()


def only(nodes, constants, folder, kind=F32, **options):
    (kernel,) = fuse(load(save(model(nodes, {"x": (kind, (2, 32))}, ["y"], constants, **options), folder))).kernels
    return kernel


def test_schemes_of_single_kernels(tmp_path):
    product = N("MatMul", ["x", "w"], ["y"])
    assert stored_scheme(only([product], {"w": weights(32, 8)}, tmp_path)) is None
    assert stored_scheme(only([product], {"w": weights(32, 8).astype(np.float16)}, tmp_path, np.float16)) == FP16
    dequantize = N("DequantizeLinear", ["q", "s"], ["w"], axis=1)
    constants = {"q": np.ones((32, 8), np.int8), "s": np.full(8, 0.1, F32)}
    assert stored_scheme(only([dequantize, product], constants, tmp_path)) == W8A16
    blocks = {"K": 32, "N": 8, "bits": 4, "block_size": 16, "domain": "com.microsoft"}
    constants = {"w": np.zeros((8, 2, 8), np.uint8), "s": np.ones(16, F32), "z": np.zeros(8, np.uint8)}
    node = N("MatMulNBits", ["x", "w", "s", "z"], ["y"], **blocks)
    kernel = only([node], constants, tmp_path, domains=["com.microsoft"])
    assert stored_scheme(kernel) == Scheme(WeightFormat(4, symmetric=False, granularity="group", group=16), HALF)
    constants = {"w": np.ones((32, 8), np.int8)}
    dynamic = [
        N("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]),
        N("MatMulInteger", ["q", "w", "z"], ["i"]),
        N("Cast", ["i"], ["f"], to=1),
        N("Mul", ["f", "s"], ["y"]),
    ]
    kernel = only(dynamic, constants, tmp_path)
    assert stored_scheme(kernel) == Scheme(WeightFormat(8, granularity="tensor"), ActivationFormat(8, static=False))


@pytest.mark.parametrize("scheme", [INT8, INT4, W4A8, FP16, BF16], ids=["int8", "int4", "w4a8", "fp16", "bf16"])
def test_an_exported_plan_comes_back_when_the_file_is_opened(scheme, tmp_path):
    nodes = [N("MatMul", ["x", "w"], ["m"], "/a/MatMul"), N("Relu", ["m"], ["r"]), N("MatMul", ["r", "v"], ["y"], "/b")]
    constants = {"w": weights(64, 48), "v": weights(48, 32)}
    network = fuse(load(save(model(nodes, {"x": (4, 64)}, ["y"], constants, opset=21), tmp_path)))
    plan = Plan({kernel.id: scheme for kernel in network.tunable})
    samples = synthetic_samples(network.graph, 2, 1)
    export_qdq(network, plan, calibrate(network, samples), tmp_path / "q.onnx")
    opened = fuse(load(tmp_path / "q.onnx"))
    assert list(stored_plan(opened).values()) == [scheme, scheme]
