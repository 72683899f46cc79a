"""Which constant is the weight, along which axes, how many products, and why there is none."""

import numpy as np
import onnx
import pytest
from build import F32, N, ints, model, save, value, weights
from onnx import helper, numpy_helper
from rebuild import largest_difference, run_original

from engine.fusion import Kind, fuse
from engine.graph import load


def conv(**options):
    return N("Conv", ["x", "w"], ["y"], **options)


def transposed(**options):
    return N("ConvTranspose", ["x", "w"], ["y"], **options)


def matmul(*inputs):
    return N("MatMul", inputs, ["y"])


def einsum(equation, *inputs):
    return N("Einsum", inputs or ["x", "w"], ["y"], equation=equation)


def gemm(*inputs, **options):
    return N("Gemm", inputs, ["y"], **options)


BIASED = N("Conv", ["x", "w", "b"], ["y"])
CASES = {  # node, input shape, weight shape, channel axes, reduction axes, kind, products
    "conv": (BIASED, (2, 4, 6, 6), (8, 4, 3, 3), (0,), (1, 2, 3), Kind.CONV, 2 * 8 * 16 * 36),
    "depthwise": (conv(group=4), (1, 4, 6, 6), (4, 1, 3, 3), (0,), (1, 2, 3), Kind.DEPTHWISE, 4 * 16 * 9),
    "multiplier": (conv(group=4), (1, 4, 6, 6), (8, 1, 3, 3), (0,), (1, 2, 3), Kind.DEPTHWISE, 8 * 16 * 9),
    "grouped": (conv(group=2), (1, 4, 6, 6), (6, 2, 1, 1), (0,), (1, 2, 3), Kind.CONV, 6 * 36 * 2),
    "conv 1-d": (conv(), (1, 4, 10), (8, 4, 3), (0,), (1, 2), Kind.CONV, 8 * 8 * 12),
    "conv 3-d": (conv(), (1, 2, 4, 4, 4), (3, 2, 2, 2, 2), (0,), (1, 2, 3, 4), Kind.CONV, 3 * 27 * 16),
    "transposed": (
        transposed(strides=[2, 2]), (1, 4, 5, 5), (4, 8, 2, 2), (1,), (0, 2, 3), Kind.CONV_TRANSPOSE, 4 * 25 * 8 * 4
    ),
    "transposed depthwise": (
        transposed(group=4), (1, 4, 5, 5), (4, 1, 2, 2), (0,), (1, 2, 3), Kind.CONV_TRANSPOSE, 4 * 25 * 4
    ),
    "gemm": (gemm("x", "w", "b"), (3, 4), (4, 8), (1,), (0,), Kind.GEMM, 3 * 4 * 8),
    "gemm transB": (gemm("x", "w", "b", transB=1), (3, 4), (8, 4), (0,), (1,), Kind.GEMM, 3 * 4 * 8),
    "gemm transA": (gemm("x", "w", "b", transA=1), (4, 3), (4, 8), (1,), (0,), Kind.GEMM, 3 * 4 * 8),
    "gemm left": (gemm("w", "x"), (4, 3), (8, 4), (0,), (1,), Kind.GEMM, 8 * 4 * 3),
    "gemm left transposed": (gemm("w", "x", transA=1), (4, 3), (4, 8), (1,), (0,), Kind.GEMM, 8 * 4 * 3),
    "matmul": (matmul("x", "w"), (2, 3, 4), (4, 8), (1,), (0,), Kind.MATMUL, 2 * 3 * 4 * 8),
    "matmul left": (matmul("w", "x"), (2, 4, 3), (8, 4), (0,), (1,), Kind.MATMUL, 2 * 3 * 4 * 8),
    "matmul batched": (matmul("x", "w"), (2, 3, 4), (2, 4, 8), (0, 2), (1,), Kind.MATMUL, 2 * 3 * 4 * 8),
    "matmul batched left": (matmul("w", "x"), (2, 4, 3), (2, 8, 4), (0, 1), (2,), Kind.MATMUL, 2 * 3 * 4 * 8),
    "matmul vector": (matmul("x", "w"), (3, 4), (4,), (), (0,), Kind.MATMUL, 3 * 4),
    "matmul 1x1": (matmul("x", "w"), (1, 1), (1, 1), (1,), (0,), Kind.MATMUL, 1),
    "matmul 7x5": (matmul("x", "w"), (2, 7), (7, 5), (1,), (0,), Kind.MATMUL, 2 * 7 * 5),
    "einsum": (einsum("bij,jk->bik"), (2, 3, 4), (4, 5), (1,), (0,), Kind.MATMUL, 2 * 3 * 4 * 5),
    "einsum left": (einsum("kj,bji->bki", "w", "x"), (2, 4, 3), (5, 4), (0,), (1,), Kind.MATMUL, 2 * 3 * 4 * 5),
    "einsum heads": (einsum("bhd,hdk->bhk"), (2, 3, 4), (3, 4, 5), (0, 2), (1,), Kind.MATMUL, 2 * 3 * 4 * 5),
    "einsum two sums": (einsum("bhd,hdk->bk"), (2, 3, 4), (3, 4, 5), (2,), (0, 1), Kind.MATMUL, 2 * 3 * 4 * 5),
    "einsum dots": (einsum("...j,jk->...k"), (2, 3, 4), (4, 5), (1,), (0,), Kind.MATMUL, 2 * 3 * 4 * 5),
    "einsum no arrow": (einsum("ij,jk"), (3, 4), (4, 5), (1,), (0,), Kind.MATMUL, 3 * 4 * 5),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_weight_of(case, tmp_path):
    node, shape, weight_shape, channels, reduction, kind, macs = CASES[case]
    constants = {"w": weights(*weight_shape)}
    if "b" in node.input:
        constants["b"] = weights(8)
    network = fuse(load(save(model([node], {"x": shape}, ["y"], constants), tmp_path)))
    (kernel,) = network.kernels
    assert kernel.kind is kind
    assert kernel.why_not is None
    assert kernel.weight.shape == weight_shape
    assert (kernel.weight.channel_axes, kernel.weight.reduction_axes) == (channels, reduction)
    assert (kernel.weight.constant, kernel.weight.origin, kernel.weight.activation) == ("w", "w", "x")
    assert kernel.weight.bias == ("b" if "b" in node.input else "")
    assert kernel.macs == macs
    assert kernel.params == sum(array.size for array in constants.values() if array.size > 1)
    assert largest_difference(network) < 2e-6


@pytest.mark.parametrize("case", ["gemm", "gemm transB", "matmul", "matmul vector", "conv"])
def test_the_weight_as_a_matrix_of_channels_and_reduction(case, tmp_path):
    """Row c of [channel axes, reduction axes] is what the output channel c is computed with."""
    node, shape, weight_shape, channels, reduction, *_ = CASES[case]
    path = save(model([node], {"x": shape}, ["y"], {"w": weights(*weight_shape), "b": weights(8) * 0}), tmp_path)
    network = fuse(load(path))
    weight, feeds = network.kernels[0].weight, {"x": np.zeros(shape, F32)}
    matrix = (
        weights(*weight_shape)
        .transpose(channels + reduction)
        .reshape(*[-1 if channels else 1], int(np.prod([weight_shape[a] for a in reduction])))
    )
    feeds["x"].reshape(-1)[0] = 1  # the first element of the reduction meets the first column
    result = run_original(network.graph, feeds)["y"]
    first = result.reshape(result.shape[0], -1)[0] if case != "conv" else result[0, :, 0, 0]
    assert weight.channel_axes == channels
    np.testing.assert_array_equal(first[: len(matrix)], matrix[:, 0])


def test_embedding_table_and_tied_head(tmp_path):
    nodes = [
        N("Gather", ["table", "ids"], ["e"], "/model/embed/Gather"),
        N("Transpose", ["table"], ["head"]),
        N("MatMul", ["e", "head"], ["y"], "/lm_head/MatMul"),
    ]
    inputs = {"ids": (np.int64, (1, 5))}
    network = fuse(load(save(model(nodes, inputs, ["y"], {"table": weights(20, 8)}), tmp_path)))
    embedding, head = network.kernels
    assert (embedding.kind, embedding.op, embedding.macs) == (Kind.EMBEDDING, "Embedding", 0)
    assert (embedding.weight.channel_axes, embedding.weight.reduction_axes, embedding.weight.activation) == (
        (0,),
        (1,),
        "",
    )
    assert embedding.weight.origin == head.weight.origin == "table"
    assert embedding.weight.constant != head.weight.constant
    assert head.weight.shape == (8, 20)
    assert [kernel.name for kernel in network.kernels] == ["model.embed", "lm_head"]
    assert network.sharing(embedding.id) == (head,)
    assert network.sharing(head.id) == (embedding,)
    other = fuse(load(save(model([matmul("x", "w")], {"x": (2, 4)}, ["y"], {"w": weights(4, 4)}), tmp_path)))
    assert other.sharing("y") == ()


def test_gather_by_constant_positions_moves_data(tmp_path):
    nodes = [N("Gather", ["x", "i"], ["y"], axis=1)]
    (kernel,) = fuse(load(save(model(nodes, {"x": (2, 5)}, ["y"], {"i": ints(0, 2)}), tmp_path))).kernels
    assert (kernel.kind, kernel.weight) == (Kind.MOVEMENT, None)


def test_bias_of_a_matmul_is_the_add_behind_it(tmp_path):
    nodes = [N("MatMul", ["x", "w"], ["m"]), N("Add", ["b", "m"], ["y"])]
    graph = load(save(model(nodes, {"x": (2, 3, 4)}, ["y"], {"w": weights(4, 8), "b": weights(8)}), tmp_path))
    for rules in ("edge", "cloud"):
        (kernel,) = fuse(graph, rules).kernels
        assert kernel.weight.bias == "b"
        assert kernel.op == "MatMul + Bias"
    left = [N("MatMul", ["w", "x"], ["m"]), N("Add", ["m", "b"], ["y"])]
    (kernel,) = fuse(
        load(save(model(left, {"x": (4, 8)}, ["y"], {"w": weights(6, 4), "b": weights(8)}), tmp_path))
    ).kernels
    assert kernel.weight.bias == ""  # one value per column, while the channels are rows


def test_a_vector_behind_an_einsum_is_a_bias_only_along_its_channels(tmp_path):
    for equation, bias in (("bij,jk->bik", "b"), ("bij,jk->bki", "")):
        nodes = [N("Einsum", ["x", "w"], ["m"], equation=equation), N("Add", ["m", "b"], ["y"])]
        path = save(model(nodes, {"x": (2, 4, 4)}, ["y"], {"w": weights(4, 4), "b": weights(4)}), tmp_path)
        (kernel,) = fuse(load(path)).kernels
        assert kernel.weight.bias == bias


def reason(nodes, inputs, constants, tmp_path, **options):
    network = fuse(load(save(model(nodes, inputs, ["y"], constants, **options), tmp_path)))
    (kernel,) = (kernel for kernel in network.kernels if kernel.outputs[-1:] == ("y",))
    assert kernel.weight is None
    assert not kernel.tunable
    return kernel, str(kernel.why_not)


def test_why_there_is_no_switch(tmp_path):
    assert reason([N("Relu", ["x"], ["y"])], {"x": (2,)}, {}, tmp_path)[1] == "no weights: it follows its input"
    norm = [N("LayerNormalization", ["x", "g", "b"], ["y"])]
    kernel, text = reason(norm, {"x": (2, 3)}, {"g": weights(3), "b": weights(3)}, tmp_path)
    assert (kernel.params, text) == (6, "the scale and shift of a norm are not quantized: it follows its input")
    plain = [N("MeanVarianceNormalization", ["x"], ["y"], axes=[1])]
    assert reason(plain, {"x": (2, 3)}, {}, tmp_path)[1] == "no weights: it follows its input"
    kernel, text = reason([N("PRelu", ["x", "g"], ["y"])], {"x": (2, 3)}, {"g": weights(3)}, tmp_path)
    assert kernel.params == 3
    assert text == "its constants are no weights of a product, so they are not quantized: it follows its input"
    kernel, text = reason([N("MatMul", ["x", "z"], ["y"])], {"x": (2, 3), "z": (3, 2)}, {}, tmp_path)
    assert kernel.kind is Kind.MATMUL_DYNAMIC
    assert "both operands" in text
    _, text = reason([N("Conv", ["x", "z"], ["y"])], {"x": (1, 3, 4, 4), "z": (2, 3, 3, 3)}, {}, tmp_path)
    assert "computed at run time" in text
    integers = {"w": np.ones((3, 2), np.int32)}
    _, text = reason([N("MatMul", ["x", "w"], ["y"])], {"x": (np.int32, (2, 3))}, integers, tmp_path)
    assert "stored as integers" in text
    quantized = {"w": np.ones((3, 2), np.int8)}
    _, text = reason([N("MatMulInteger", ["x", "w"], ["y"])], {"x": (np.uint8, (2, 3))}, quantized, tmp_path)
    assert "already quantized" in text
    microsoft = [N("Inverse", ["x"], ["y"], domain="com.microsoft")]
    _, text = reason(microsoft, {"x": (3, 3)}, {}, tmp_path, domains=["com.microsoft"])
    assert "com.microsoft.Inverse is not known" in text


def test_products_of_other_matrix_operators(tmp_path):
    three = N("Einsum", ["x", "w", "v"], ["y"], equation="ij,jk,k->i")
    kernel, text = reason([three], {"x": (3, 4)}, {"w": weights(4, 5), "v": weights(5)}, tmp_path)
    assert kernel.macs == 3 * 4 * 5
    assert "no channels" in text
    quantized = {"w": np.ones((6, 4, 3, 3), np.int8), "s": F32(0.1), "z": np.uint8(3), "wz": np.int8(0)}
    node = N("QLinearConv", ["x", "s", "z", "w", "s", "wz", "s", "z"], ["y"])
    kernel, text = reason([node], {"x": (np.uint8, (1, 4, 6, 6))}, quantized, tmp_path)
    assert kernel.macs == 6 * 16 * 36
    assert "already quantized" in text


def test_recurrent_layer_counts_its_weights_and_products(tmp_path):
    constants = {"w": weights(2, 16, 3), "r": weights(2, 16, 4), "b": weights(2, 32)}
    node = N("LSTM", ["x", "w", "r", "b"], ["y"], hidden_size=4, direction="bidirectional")
    (kernel,) = fuse(load(save(model([node], {"x": (5, 2, 3)}, ["y"], constants), tmp_path))).kernels
    assert kernel.kind is Kind.RECURRENT
    assert [(weight.constant, weight.shape, weight.activation) for weight in kernel.weights] == [
        ("w", (2, 16, 3), "x"),
        ("r", (2, 16, 4), ""),
    ]
    assert {(weight.channel_axes, weight.reduction_axes) for weight in kernel.weights} == {((0, 1), (2,))}
    assert kernel.macs == 5 * 2 * 2 * 4 * 4 * (3 + 4)
    assert kernel.params == 2 * 16 * 3 + 2 * 16 * 4 + 2 * 32


def test_weights_inside_a_branch_are_counted_and_explained(tmp_path):
    body = [N("MatMul", ["h", "v"], ["t"])]
    inner = [numpy_helper.from_array(weights(4, 4), "v")]
    then = helper.make_graph(body, "then", [], [onnx.ValueInfoProto(name="t")], inner)
    other = helper.make_graph([N("Neg", ["h"], ["n"])], "else", [], [onnx.ValueInfoProto(name="n")])
    nodes = [N("Relu", ["x"], ["h"]), N("If", ["c"], ["y"], then_branch=then, else_branch=other)]
    proto = model(nodes, {"x": (2, 4)}, ["y"])
    proto.graph.input.append(value("c", (np.bool_, ())))
    network = fuse(load(save(proto, tmp_path)))
    kernel = network.kernels[-1]
    assert "branch or loop" in str(kernel.why_not)
    assert kernel.inputs == ("c", "h")
    assert kernel.params == 16
    assert largest_difference(network) == 0
