"""Models that are quantized already: what is one kernel, and what is known about its precision."""

import logging

import numpy as np
import onnx
import pytest
from build import F32, N, model, save, weights
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static
from rebuild import largest_difference
from small_models import small_cnn

from engine.fusion import Kind, Stored, fuse
from engine.graph import StoredFormat, load, synthetic_feeds
from engine.npu import simulate
from engine.npu.profiles import load_device
from engine.precision import Plan

U8 = StoredFormat(8, symmetric=False)
CODES = {"s": F32(0.05), "z": np.uint8(120)}


class Samples(CalibrationDataReader):
    def __init__(self, path):
        self._feeds = iter([synthetic_feeds(load(path).inputs, seed) for seed in range(3)])

    def get_next(self):
        return next(self._feeds, None)


@pytest.fixture(autouse=True)
def _quiet(caplog):
    caplog.set_level(logging.ERROR)


def static(folder, **options):
    path = small_cnn(folder / "cnn.onnx")
    quantize_static(path, folder / "q.onnx", Samples(path), **options)
    return load(folder / "q.onnx")


def fused(nodes, inputs, constants, folder, rules="edge", **options):
    return fuse(load(save(model(nodes, inputs, ["y"], constants, **options), folder)), rules)


@pytest.mark.parametrize("rules", ["edge", "cloud"])
@pytest.mark.parametrize("dedicated", [False, True])
def test_qdq_model_of_the_runtimes_own_quantizer(rules, dedicated, tmp_path):
    options = {"DedicatedQDQPair": dedicated}
    graph = static(tmp_path, quant_format=QuantFormat.QDQ, per_channel=True, extra_options=options)
    network = fuse(graph, rules)
    assert [kernel.op for kernel in network.tunable] == [
        "QDQ + Conv 3×3 s2 + QDQ",  # the quantizer leaves BatchNorm where it is
        "DWConv 3×3 + QDQ",  # and has its codes end at 0 instead of a ReLU
        "Conv 1×1 + QDQ",
        "QDQ + Gemm + QDQ",  # behind a Flatten, which computes nothing
    ]
    assert all(kernel.stored.weights == StoredFormat(8, granularity="channel") for kernel in network.tunable)
    assert all(kernel.stored.activations == U8 and not kernel.stored.dynamic for kernel in network.tunable)
    pooled = next(kernel for kernel in network.kernels if kernel.kind is Kind.POOL)
    assert pooled.op == "GlobalAvgPool + QDQ"
    assert largest_difference(network) < 1e-6


def test_limits_are_what_the_codes_stand_for(tmp_path):
    graph = static(tmp_path, quant_format=QuantFormat.QDQ)
    stored = fuse(graph).tunable[0].stored
    file = onnx.load(graph.path)
    values = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in file.graph.initializer}
    first = next(node for node in file.graph.node if node.op_type == "QuantizeLinear" and node.input[0] == "image")
    scale, zero = float(values[first.input[1]]), int(values[first.input[2]])
    assert values[first.input[2]].dtype == np.int8
    assert stored.limits == pytest.approx(((-128 - zero) * scale, (127 - zero) * scale))


@pytest.mark.parametrize("rules", ["edge", "cloud"])
def test_operators_on_codes(rules, tmp_path):
    graph = static(tmp_path, quant_format=QuantFormat.QOperator, per_channel=True)
    network = fuse(graph, rules)
    products = [kernel for kernel in network.kernels if kernel.macs]
    assert [kernel.kind for kernel in products] == [Kind.CONV, Kind.DEPTHWISE, Kind.CONV, Kind.GEMM]
    assert [kernel.op.split(" + ")[0] for kernel in products] == ["QConv 3×3 s2", "QDWConv 3×3", "QConv 1×1", "QGemm"]
    for kernel in products:
        assert kernel.weight is None
        assert "already quantized in the file" in str(kernel.why_not)
        assert kernel.stored.weights == StoredFormat(8, granularity="channel")
        assert kernel.stored.activations == U8
        assert kernel.stored.limits is not None
    assert all("not known" not in str(kernel.why_not) for kernel in network.kernels)
    assert largest_difference(network) < 1e-6


@pytest.mark.parametrize("rules", ["edge", "cloud"])
def test_dynamic_products_are_one_kernel_with_their_scales(rules, tmp_path):
    nodes = [
        N("MatMul", ["x", "w"], ["m"], "/q/MatMul"),
        N("Add", ["m", "b"], ["q"], "/q/Add"),
        N("MatMul", ["x", "v"], ["k"], "/k/MatMul"),
        N("Relu", ["q"], ["r"]),
        N("MatMul", ["r", "u"], ["l"], "/l/MatMul"),
        N("Add", ["l", "k"], ["y"]),
    ]
    constants = {"w": weights(16, 16), "b": weights(16), "v": weights(16, 8, seed=1), "u": weights(16, 8, seed=2)}
    save(model(nodes, {"x": (4, 16)}, ["y"], constants), tmp_path)
    quantize_dynamic(tmp_path / "model.onnx", tmp_path / "q.onnx", weight_type=QuantType.QInt8, per_channel=True)
    network = fuse(load(tmp_path / "q.onnx"), rules)
    quantize, *products = network.kernels[:4]
    assert (quantize.op, quantize.kind) == ("Quantize", Kind.ELEMENTWISE)  # its codes go to two products
    shown = {kernel.name: kernel.op for kernel in products}
    assert shown["q"] == "QMatMul + Bias + ReLU"
    assert shown["k"] == "QMatMul"
    assert shown["l"] == ("QMatMul + Add" if rules == "edge" else "QMatMul")
    for kernel in products:
        assert kernel.stored == Stored(StoredFormat(8, granularity="channel"), U8, dynamic=True)
        assert kernel.macs == 4 * 16 * (16 if kernel.name == "q" else 8)
    own = next(kernel for kernel in products if kernel.name == "l")
    assert "DynamicQuantizeLinear" in [node.op_type for node in own.nodes]
    assert largest_difference(network) < 1e-6


def test_blocks_of_four_bits(tmp_path):
    attributes = {"K": 32, "N": 8, "bits": 4, "block_size": 16, "domain": "com.microsoft"}
    constants = {"w": np.zeros((8, 2, 8), np.uint8), "s": np.ones(16, F32), "z": np.zeros(8, np.uint8)}
    for names, symmetric in ((["x", "w", "s"], True), (["x", "w", "s", "z"], False)):
        (kernel,) = fused(
            [N("MatMulNBits", names, ["y"], **attributes)], {"x": (2, 32)}, constants, tmp_path,
            domains=["com.microsoft"],
        ).kernels  # fmt: skip
        assert (kernel.op, kernel.macs) == ("QMatMul", 2 * 32 * 8)
        assert kernel.params == 32 * 8 + 16  # two codes in a byte, and the scales
        assert kernel.stored == Stored(StoredFormat(4, False, symmetric, "group", 16))


def test_half_and_behind_dequantize_blocks(tmp_path):
    half = weights(16, 8).astype(np.float16)
    (kernel,) = fused([N("MatMul", ["x", "w"], ["y"])], {"x": (np.float16, (2, 16))}, {"w": half}, tmp_path).kernels
    assert kernel.stored == Stored(StoredFormat(16, floating=True), StoredFormat(16, floating=True))
    nodes = [N("DequantizeLinear", ["q", "s"], ["w"], axis=0), N("MatMul", ["x", "w"], ["y"])]
    constants = {"q": np.ones((16, 8), np.int8), "s": np.full(16, 0.1, F32)}
    (kernel,) = fused(nodes, {"x": (2, 16)}, constants, tmp_path).kernels
    assert kernel.stored == Stored(StoredFormat(8, granularity="channel"))
    (kernel,) = fused([N("MatMul", ["x", "w"], ["y"])], {"x": (2, 16)}, {"w": weights(16, 8)}, tmp_path).kernels
    assert kernel.stored is None


def test_folding_a_norm_makes_scales_per_channel(tmp_path):
    nodes = [
        N("DequantizeLinear", ["q", "s"], ["w"]),
        N("Conv", ["x", "w"], ["c"]),
        N("BatchNormalization", ["c", "g", "b", "b", "g"], ["y"]),
    ]
    constants = {"q": np.ones((4, 2, 1, 1), np.int8), "s": F32(0.1), "g": weights(4) ** 2 + 1, "b": weights(4)}
    (kernel,) = fused(nodes, {"x": (1, 2, 3, 3)}, constants, tmp_path).kernels
    assert kernel.stored.weights.granularity == "channel"


def test_a_pair_that_several_read_stays_by_itself_and_so_does_one_behind_a_second_output(tmp_path):
    pair = [N("QuantizeLinear", ["x", "s", "z"], ["q"]), N("DequantizeLinear", ["q", "s", "z"], ["d"])]
    nodes = [*pair, N("MatMul", ["d", "w"], ["a"]), N("MatMul", ["d", "v"], ["b"]), N("Add", ["a", "b"], ["y"])]
    constants = {**CODES, "w": weights(4, 4), "v": weights(4, 4, seed=1)}
    network = fused(nodes, {"x": (2, 4)}, constants, tmp_path)
    assert [kernel.op for kernel in network.kernels] == ["QDQ", "MatMul", "MatMul + Add"]
    assert all(kernel.stored is None for kernel in network.kernels)  # the weights are floats
    nodes = [
        N("MaxPool", ["x"], ["p", "i"], kernel_shape=[2, 2]),
        N("QuantizeLinear", ["p", "s", "z"], ["q"]),
        N("DequantizeLinear", ["q", "s", "z"], ["d"]),
        N("Cast", ["i"], ["f"], to=1),
        N("Add", ["d", "f"], ["y"]),
    ]
    network = fused(nodes, {"x": (1, 2, 4, 4)}, CODES, tmp_path)
    assert network.kernels[0].op == "MaxPool 2×2"
    assert largest_difference(network) == 0


def test_pairs_inside_kernels_are_precision_and_no_work(tmp_path):
    """The device takes the precision that the pairs name; one by itself is an operator, which this phone lacks."""
    network = fuse(static(tmp_path, quant_format=QuantFormat.QDQ, per_channel=True))
    device = load_device("kirin9030")
    units = {kernel.id: simulate(network, Plan(), device).kernels[kernel.index].unit for kernel in network.kernels}
    assert all(units[kernel.id] == "Cube" for kernel in network.tunable)
    nodes = [N("QuantizeLinear", ["x", "s", "z"], ["q"]), N("DequantizeLinear", ["q", "s", "z"], ["y"])]
    alone = fused(nodes, {"x": (2, 4)}, CODES, tmp_path)
    assert simulate(alone, Plan(), device).kernels[0].unit == "CPU"
    assert "quantized already" in str(network.graph.notes[0])
    assert str(len([n for n in network.graph.nodes if "quantize" in n.op_type.lower()])) in str(network.graph.notes[0])


def test_weights_that_are_codes_count_as_parameters(tmp_path):
    """An operator on codes has as many weights as one on floats; several in a byte count each."""
    net = fuse(static(tmp_path, quant_format=QuantFormat.QOperator), "edge")
    (tmp_path / "float").mkdir()
    plain = fuse(load(small_cnn(tmp_path / "float" / "cnn.onnx")), "edge")
    counted = [kernel.params for kernel in net.kernels if kernel.stored is not None]
    assert counted == [int(np.prod(kernel.weight.shape)) for kernel in plain.tunable]


def test_a_table_that_is_not_looked_up_by_row_says_why_it_has_no_switch(tmp_path):
    table = {"t": np.ones((4, 6), np.float32)}
    nodes = [N("Cast", ["x"], ["i"], to=onnx.TensorProto.INT64), N("Gather", ["t", "i"], ["y"], axis=1)]
    kernel = next(k for k in fused(nodes, {"x": (2,)}, table, tmp_path).kernels if "y" in k.outputs)
    assert not kernel.tunable
    assert "not looked up by row" in str(kernel.why_not)
