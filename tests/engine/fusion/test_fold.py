"""BatchNorm and per-channel steps go into the weights in front of them, exactly."""

import numpy as np
import pytest
from build import F32, N, model, save, weights
from rebuild import largest_difference, run_kernels, run_original

from engine.fusion import fuse
from engine.graph import load, synthetic_feeds


def statistics(channels):
    rng = np.random.default_rng(channels)
    return {
        "gamma": rng.uniform(-1.5, 1.5, channels).astype(F32),
        "beta": weights(channels, seed=1),
        "mean": weights(channels, seed=2),
        "var": rng.uniform(0.1, 2, channels).astype(F32),
    }


def norm(source, output="n"):
    return N("BatchNormalization", [source, "gamma", "beta", "mean", "var"], [output], epsilon=1e-3)


LAYERS = {
    "conv": (N("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]), (1, 4, 6, 6), {"w": weights(6, 4, 3, 3)}, 6),
    "conv with bias": (N("Conv", ["x", "w", "b"], ["c"]), (1, 4, 6, 6), {"w": weights(6, 4, 1, 1), "b": weights(6)}, 6),
    "depthwise": (N("Conv", ["x", "w"], ["c"], group=4), (1, 4, 6, 6), {"w": weights(4, 1, 3, 3)}, 4),
    "multiplier": (N("Conv", ["x", "w"], ["c"], group=4), (1, 4, 6, 6), {"w": weights(8, 1, 3, 3)}, 8),
    "1-d": (N("Conv", ["x", "w"], ["c"]), (1, 4, 9), {"w": weights(6, 4, 3)}, 6),
    "3-d": (N("Conv", ["x", "w"], ["c"]), (1, 2, 4, 4, 4), {"w": weights(3, 2, 2, 2, 2)}, 3),
    "transposed": (N("ConvTranspose", ["x", "w"], ["c"], strides=[2, 2]), (1, 4, 5, 5), {"w": weights(4, 6, 2, 2)}, 6),
    "transposed groups": (N("ConvTranspose", ["x", "w"], ["c"], group=2), (1, 4, 5, 5), {"w": weights(4, 3, 2, 2)}, 6),
    "gemm": (N("Gemm", ["x", "w"], ["c"], alpha=0.5), (3, 4), {"w": weights(4, 6)}, 6),
    "gemm transposed": (
        N("Gemm", ["x", "w", "b"], ["c"], transB=1, alpha=0.5, beta=2.0),
        (3, 4), {"w": weights(6, 4), "b": weights(6)}, 6,
    ),
    "gemm matrix bias": (N("Gemm", ["x", "w", "b"], ["c"]), (3, 4), {"w": weights(4, 6), "b": weights(3, 6)}, 6),
}  # fmt: skip


@pytest.mark.parametrize("rules", ["edge", "cloud"])
@pytest.mark.parametrize("layer", LAYERS)
def test_batch_norm_folds(layer, rules, tmp_path):
    node, shape, constants, channels = LAYERS[layer]
    proto = model(
        [node, norm("c"), N("Relu", ["n"], ["y"])], {"x": shape}, ["y"], {**constants, **statistics(channels)}
    )
    network = fuse(load(save(proto, tmp_path)), rules)
    assert largest_difference(network) < 2e-6
    (kernel,) = network.kernels
    assert [n.op_type for n in kernel.nodes] == [node.op_type, "Relu"]
    assert kernel.id == "c"
    assert kernel.weight.origin == "w"
    assert kernel.weight.constant != "w"
    assert kernel.constants[kernel.weight.bias].size >= channels
    original = load(tmp_path / "model.onnx")
    np.testing.assert_array_equal(original.constants["w"], constants["w"])


def test_folding_is_what_changes_the_weight_by_the_formula(tmp_path):
    stats = statistics(6)
    proto = model(
        [N("Conv", ["x", "w"], ["c"]), norm("c")], {"x": (1, 4, 6, 6)}, ["n"], {"w": weights(6, 4, 3, 3), **stats}
    )
    (kernel,) = fuse(load(save(proto, tmp_path))).kernels
    factor = stats["gamma"] / np.sqrt(stats["var"].astype(np.float64) + 1e-3)
    expected = weights(6, 4, 3, 3) * factor[:, None, None, None]
    np.testing.assert_allclose(kernel.constants[kernel.weight.constant], expected, rtol=1e-6)
    np.testing.assert_allclose(
        kernel.constants[kernel.weight.bias], stats["beta"] - factor * stats["mean"], rtol=1e-5, atol=1e-6
    )


def test_batch_norm_with_a_second_reader_is_not_folded(tmp_path):
    nodes = [N("Conv", ["x", "w"], ["c"]), norm("c"), N("Add", ["n", "c"], ["y"])]
    proto = model(nodes, {"x": (1, 4, 6, 6)}, ["y"], {"w": weights(6, 4, 3, 3), **statistics(6)})
    network = fuse(load(save(proto, tmp_path)))
    assert largest_difference(network) < 2e-6
    assert [kernel.op for kernel in network.kernels] == ["Conv 3×3", "BatchNorm", "Add"]


def test_zero_variance_and_zero_gamma(tmp_path):
    stats = statistics(6) | {"var": np.zeros(6, F32), "gamma": np.zeros(6, F32)}
    proto = model(
        [N("Conv", ["x", "w"], ["c"]), norm("c")], {"x": (1, 4, 6, 6)}, ["n"], {"w": weights(6, 4, 3, 3), **stats}
    )
    network = fuse(load(save(proto, tmp_path)))
    assert largest_difference(network) < 2e-6
    assert len(network.kernels) == 1


def test_statistics_that_overflow_are_left_alone(tmp_path):
    stats = statistics(6) | {"var": np.full(6, -1, F32)}
    proto = model(
        [N("Conv", ["x", "w"], ["c"]), norm("c")], {"x": (1, 4, 6, 6)}, ["n"], {"w": weights(6, 4, 3, 3), **stats}
    )
    network = fuse(load(save(proto, tmp_path)))
    feeds = synthetic_feeds(network.graph.inputs, 0)
    assert sum(len(kernel.nodes) for kernel in network.kernels) == 2
    want, got = run_original(network.graph, feeds), run_kernels(network, feeds)
    np.testing.assert_array_equal(np.isnan(want["n"]), np.isnan(got["n"]))


def test_affine_steps_fold_on_the_edge_only(tmp_path):
    nodes = [
        N("Conv", ["x", "w"], ["c"]),
        norm("c"),
        N("Mul", ["n", "scale"], ["m"]),
        N("Add", ["shift", "m"], ["a"]),
        N("Sub", ["one", "a"], ["s"]),
        N("Div", ["s", "two"], ["d"]),
        N("Relu", ["d"], ["y"]),
    ]
    constants = {"w": weights(6, 4, 3, 3), "scale": weights(6, 1, 1), "shift": weights(1, 6, 1, 1), **statistics(6)}
    constants |= {"one": np.full((6, 1, 1), 1, F32), "two": F32(2)}
    graph = load(save(model(nodes, {"x": (1, 4, 6, 6)}, ["y"], constants), tmp_path))
    edge, cloud = fuse(graph), fuse(graph, "cloud")
    assert largest_difference(edge) < 2e-6
    assert largest_difference(cloud) < 2e-6
    assert [kernel.op for kernel in edge.kernels] == ["Conv 3×3 + ReLU"]
    assert [kernel.op for kernel in cloud.kernels] == ["Conv 3×3", "Mul", "Add", "Sub", "Div", "ReLU"]


def test_a_bias_in_a_node_of_its_own_becomes_the_bias(tmp_path):
    nodes = [N("Conv", ["x", "w"], ["c"]), N("Add", ["c", "b"], ["y"])]
    graph = load(
        save(model(nodes, {"x": (1, 4, 6, 6)}, ["y"], {"w": weights(6, 4, 3, 3), "b": weights(1, 6, 1, 1)}), tmp_path)
    )
    for rules in ("edge", "cloud"):
        network = fuse(graph, rules)
        assert largest_difference(network) < 2e-6
        (kernel,) = network.kernels
        assert kernel.constants[kernel.weight.bias].size == 6


def test_one_weight_under_two_batch_norms_is_folded_twice(tmp_path):
    nodes = [
        N("Conv", ["x", "w"], ["c"]),
        norm("c", "n1"),
        N("Conv", ["x", "w"], ["d"]),
        norm("d", "n2"),
        N("Add", ["n1", "n2"], ["y"]),
    ]
    nodes[3].input[1] = "beta"
    proto = model(nodes, {"x": (1, 4, 6, 6)}, ["y"], {"w": weights(6, 4, 3, 3), **statistics(6)})
    network = fuse(load(save(proto, tmp_path)))
    assert largest_difference(network) < 2e-6
    assert {kernel.weight.origin for kernel in network.kernels} == {"w"}
    assert len({kernel.weight.constant for kernel in network.kernels}) == 2
