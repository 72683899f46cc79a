"""Names that other tools can read, and finding kernels by them."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from handmade import Step, network
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import PlanError
from engine.fusion.types import Kind
from engine.interop.kernel_index import KernelIndex
from engine.interop.layer_names import layer_names
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT8
from engine.text import say

SEPARATORS = set(" ,;:=#\"'\\[]{}()<>$`|&\n\t")


def chain(names, weights=None):
    """MatMul after MatMul with these node names; weights may be shared by name."""
    weights = weights or [f"w{at}" for at in range(len(names))]
    rng = np.random.default_rng(0)
    arrays = {name: rng.standard_normal((4, 4)).astype(np.float32) for name in dict.fromkeys(weights)}
    steps = [
        Step([("MatMul", [f"t{at}", weight], [f"t{at + 1}"], {})], [f"t{at + 1}"], {weight: arrays[weight]},
             Kind.MATMUL, weight, (1,), (0,), f"t{at}")
        for at, weight in enumerate(weights)
    ]  # fmt: skip
    net = network({"t0": rng.standard_normal((2, 4)).astype(np.float32)}, [f"t{len(names)}"], steps)
    for node, name in zip(net.graph.nodes, names, strict=True):
        node.proto.name = name
    return net


@given(st.lists(st.text(max_size=12), min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_every_node_gets_a_name_that_is_unique_and_free_of_separators(names):
    net = chain([name.encode("utf-8", "ignore").decode() for name in names])
    found = layer_names(net)
    assert len(set(found.nodes)) == len(names)
    assert all(name and not set(name) & SEPARATORS and name.isascii() for name in found.nodes)
    assert [found.kernels[name] for name in found.nodes] == [kernel.id for kernel in net.kernels]


def test_good_names_stay_and_the_map_tells_the_others():
    net = chain(["/a/MatMul", "", "/b c/MatMul", "/b_c/MatMul", "twice", "twice"])
    found = layer_names(net)
    assert found.nodes == ("/a/MatMul", "MatMul_1", "/b_c/MatMul_2", "/b_c/MatMul", "twice", "twice_2")
    assert found.renamed == (("", "MatMul_1"), ("/b c/MatMul", "/b_c/MatMul_2"), ("twice", "twice_2"))


def test_weights_and_modules():
    net = chain(["/mlp/gate_proj/MatMul", "b"], ["model.layers.0.mlp.gate_proj.weight", "onnx::MatMul_7"])
    found = layer_names(net)
    assert list(found.weights.values()) == ["model.layers.0.mlp.gate_proj.weight", "onnx__MatMul_7"]
    assert list(found.modules.values()) == ["model.layers.0.mlp.gate_proj", "b"]


def test_a_folded_batch_norm_does_not_hide_the_node(case):
    """The kernel's own node carries the output of the BatchNorm, and its weight is not the one in the file."""
    found = layer_names(case.network)
    names = [found.anchors[kernel.id] for kernel in case.network.tunable]
    assert names == ["/stem/Conv", "/dw/Conv", "/pw/Conv", "/head/Gemm"]
    file = {tensor.name for tensor in onnx.load(case.network.graph.path).graph.initializer}
    assert set(found.weights.values()) <= file


def test_a_layer_is_found_by_each_of_its_names(case):
    index = KernelIndex(case.network)
    kernel = case.network.tunable[0]
    for name in ("stem", "/stem/Conv", "stem.weight", kernel.id, kernel.outputs[0], "/stem/act"):
        assert index.find(name) == (kernel,), name
    assert index.find("nothing") == ()


def test_a_shared_weight_means_all_its_layers_and_an_ambiguous_name_none():
    net = chain(["same", "same", "c"], ["w", "w", "v"])
    index = KernelIndex(net)
    assert [k.name for k in index.find("w")] == ["layer0", "layer1"]
    with pytest.raises(PlanError, match=r"same means more than one layer \(layer0, layer1\)"):
        index.find("same")


def test_matching_keeps_the_rest_and_lists_what_did_not_fit(case):
    index = KernelIndex(case.network)
    base = Plan({k.id: FP16 for k in case.network.tunable})
    found = index.plan(case.network, {"stem": INT8, "gone": INT8}, base, say("x"))
    assert found.unmatched == ("gone",)
    assert found.untouched == ("dw", "pw", "head")
    assert [found.plan[k.id] for k in case.network.tunable] == [INT8, FP16, FP16, FP16]
    with pytest.raises(PlanError, match=r"stem and /stem/Conv are the same layer .stem. but ask for other schemes"):
        index.plan(case.network, {"stem": INT8, "/stem/Conv": FP16}, base, say("x"))
    with pytest.raises(PlanError, match=r"none of its 1 layers is in small_cnn.onnx; the first is gone"):
        index.plan(case.network, {"gone": INT8}, base, say("x"))


def test_equal_wishes_get_numbers_without_looking_at_all_before():
    from engine.interop.unique import unique

    taken = {"a_3": 1}
    assert [unique("a", taken) for _ in range(4)] == ["a", "a_2", "a_4", "a_5"]
    assert unique("a_2", taken) == "a_2_2"

    class Counting(dict):
        looks = 0

        def __contains__(self, key):
            Counting.looks += 1
            return super().__contains__(key)

    counted = Counting()
    names = [unique("node", counted) for _ in range(5000)]
    assert len(set(names)) == 5000
    assert Counting.looks < 15_000
