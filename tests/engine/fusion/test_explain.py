"""Why a pattern did not fuse, and how many launches the rule sets save."""

import numpy as np
import pytest
from build import F32, N, model, save, weights
from test_patterns import K

from engine.fusion import Launches, explain, fuse, launches_saved
from engine.graph import load

CONV = N("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1])
IMAGE = {"x": (1, 4, 6, 6)}
NORM = [N("BatchNormalization", ["c", "g", "b", "m", "v"], ["y"])]
STATISTICS = {"g": weights(4), "b": weights(4), "m": weights(4), "v": weights(4) ** 2 + 0.1}
SILU = [N("Sigmoid", ["c"], ["s"]), N("Mul", ["c", "s"], ["a"])]


def opened(nodes, folder, outputs=("y",), inputs=None, constants=None):
    constants = {"w": weights(4, 4, 3, 3), **K, **(constants or {})}
    used = {name for node in nodes for name in node.input}
    constants = {name: array for name, array in constants.items() if name in used}
    return load(save(model(nodes, inputs or IMAGE, list(outputs), constants), folder))


def found(nodes, folder, rules="edge", **options):
    return [(each.pattern, str(each.reason)) for each in explain(fuse(opened(nodes, folder, **options), rules))]


def test_nothing_is_said_where_all_is_fused(tmp_path):
    nodes = [CONV, *SILU, N("Add", ["a", "x"], ["y"])]
    assert found(nodes, tmp_path) == []


def test_a_result_that_others_read_or_that_is_an_output(tmp_path):
    nodes = [CONV, N("GlobalAveragePool", ["c"], ["p"], "/pool"), N("Mul", ["c", "p"], ["y"])]
    assert found(nodes, tmp_path) == [("Conv 3×3 + Mul", "c between them is also read by pool")]
    nodes = [CONV, N("Relu", ["c"], ["y"])]
    assert found(nodes, tmp_path, outputs=("y", "c")) == [
        ("Conv 3×3 + ReLU", "c between them is an output of the model")
    ]


def test_a_pool_whose_convolution_others_read(tmp_path):
    pool = N("MaxPool", ["c"], ["p"], kernel_shape=[2, 2], strides=[2, 2])
    nodes = [CONV, pool, N("GlobalAveragePool", ["c"], ["g"], "/gate"), N("Mul", ["p", "g"], ["y"])]
    assert ("Conv 3×3 + MaxPool 2×2 s2", "c between them is also read by gate") in found(nodes, tmp_path)


def test_what_no_anchor_has_room_for(tmp_path):
    inputs = {**IMAGE, "u": (1, 4, 6, 6), "v": (1, 4, 6, 6)}
    nodes = [CONV, N("Add", ["c", "u"], ["a"]), N("Mul", ["a", "v"], ["y"])]
    text = "Conv 3×3 takes one tensor from elsewhere, and has one already"
    assert found(nodes, tmp_path, inputs=inputs) == [("Conv 3×3 + Add + Mul", text)]
    nodes = [CONV, N("Add", ["c", "u"], ["y"])]
    assert found(nodes, tmp_path, inputs={"x": (1, 4, 1, 1), "u": (1, 4, 6, 6)}) == [
        ("Conv 3×3 + Add", "the shape changes from 1×4×1×1 to 1×4×6×6")
    ]


BROKEN_NORMS = {
    "training": ({"training_mode": 1}, {}, ("y",), "training mode"),
    "output": ({}, {}, ("y", "c"), "c between them is an output of the model"),
    "infinite": ({}, {"v": np.zeros(4, F32) - 1}, ("y",), "no finite numbers"),
}


@pytest.mark.parametrize("case", BROKEN_NORMS)
@pytest.mark.parametrize("rules", ["edge", "cloud"])
def test_a_batch_norm_that_stays(case, rules, tmp_path):
    attributes, statistics, outputs, reason = BROKEN_NORMS[case]
    names = ["y", "m2", "v2"] if attributes else ["y"]
    nodes = [CONV, N("BatchNormalization", ["c", "g", "b", "m", "v"], names, **attributes)]
    ((pattern, text),) = found(nodes, tmp_path, rules, outputs=outputs, constants={**STATISTICS, **statistics})
    assert pattern == "Conv 3×3 + BatchNorm"
    assert reason in text


def test_a_batch_norm_behind_two_readers_or_a_quantized_tensor(tmp_path):
    nodes = [CONV, *NORM, N("Neg", ["c"], ["z"])]
    assert found(nodes, tmp_path, outputs=("y", "z"), constants=STATISTICS)[-1] == (
        "Conv 3×3 + BatchNorm",
        "c between them is read by other nodes, too",
    )
    pair = [N("QuantizeLinear", ["r", "s", "z"], ["q"]), N("DequantizeLinear", ["q", "s", "z"], ["c"])]
    conv = N("Conv", ["x", "w"], ["r"], pads=[1, 1, 1, 1])
    constants = {**STATISTICS, "s": F32(0.1), "z": np.uint8(9)}
    (miss,) = found([conv, *pair, *NORM], tmp_path, constants=constants)
    assert "is quantized" in miss[1]


def test_a_function_with_a_tensor_that_leaves(tmp_path):
    nodes = [CONV, *SILU, N("GlobalMaxPool", ["s"], ["p"], "/gate/pool"), N("Add", ["a", "p"], ["y"])]
    assert ("SiLU", "s inside is also read by gate.pool") in found(nodes, tmp_path)
    assert ("SiLU", "s inside is an output of the model") in found([CONV, *SILU], tmp_path, outputs=("a", "s"))


def test_a_gelu_and_a_norm_with_a_tensor_that_leaves(tmp_path):
    gelu = [
        N("Div", ["x", "root"], ["d"]), N("Erf", ["d"], ["e"]), N("Add", ["e", "one"], ["p"]),
        N("Mul", ["x", "p"], ["m"]), N("Mul", ["m", "half"], ["y"]),
    ]  # fmt: skip
    constants = {"root": F32(2**0.5)}
    assert found(gelu, tmp_path, constants=constants) == []
    missed = found(gelu, tmp_path, outputs=("y", "e"), constants=constants)
    assert ("GELU", "e inside is an output of the model") in missed
    norm = [
        N("ReduceMean", ["x"], ["m"], axes=[-1]), N("Sub", ["x", "m"], ["d"]), N("Pow", ["d", "two"], ["s"]),
        N("ReduceMean", ["s"], ["v"], axes=[-1]), N("Add", ["v", "eps"], ["e"]), N("Sqrt", ["e"], ["q"]),
        N("Div", ["d", "q"], ["y"]),
    ]  # fmt: skip
    constants = {"eps": F32(1e-5)}
    assert found(norm, tmp_path, constants=constants) == []
    missed = found(norm, tmp_path, outputs=("y", "v"), constants=constants)
    assert ("LayerNorm", "v inside is an output of the model") in missed


def test_the_cloud_rules_say_what_the_edge_rules_would_do(tmp_path):
    nodes = [CONV, *SILU, N("Add", ["a", "x"], ["y"])]
    graph = opened(nodes, tmp_path)
    network = fuse(graph, "cloud")
    (miss,) = explain(network)
    assert (miss.kernel, miss.others, miss.pattern) == ("c", ("s", "a", "y"), "Conv 3×3 + SiLU + Add")
    assert "edge rules" in str(miss.reason)
    assert launches_saved(graph) == Launches(nodes=4, cloud=4, edge=1)
    assert launches_saved(graph).saved("edge") == 3
    assert launches_saved(graph).saved("cloud") == 0
