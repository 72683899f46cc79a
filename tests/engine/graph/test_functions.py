"""Local functions are unfolded, and those that would never end are refused before anybody unfolds them."""

import time

import pytest
from build import N, model, save
from onnx import helper

from engine.errors import ModelError
from engine.graph import load
from engine.graph.limits import TooBigError


def function(name, nodes):
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("loc", 1)]
    return helper.make_function("loc", name, ["a"], ["b"], nodes, opsets)


def call(name, source, result):
    return N(name, [source], [result], domain="loc")


def doubling(levels, leaf=None):
    """Each function calls the one below twice."""
    functions = [function("f0", [leaf or N("Relu", ["a"], ["b"])])]
    for level in range(1, levels):
        below = f"f{level - 1}"
        functions.append(function(f"f{level}", [call(below, "a", "t"), call(below, "t", "b")]))
    nodes = [call(f"f{levels - 1}", "x", "y")]
    return model(nodes, {"x": (2, 2)}, ["y"], domains=["loc"], functions=functions)


def refused(proto, folder, **options):
    start = time.perf_counter()
    with pytest.raises(ModelError) as caught:
        load(save(proto, folder), **options)
    assert time.perf_counter() - start < 2
    return caught.value


def test_calls_become_nodes(tmp_path):
    leaf = N("Neg", ["a"], ["b"])
    assert len(load(save(doubling(4, leaf), tmp_path)).nodes) == 8


@pytest.mark.parametrize("levels", [18, 28, 400])
def test_calls_that_unfold_without_end_are_counted_first(levels, tmp_path):
    assert "unfold into more than 50000 nodes" in str(refused(doubling(levels), tmp_path))


def test_constants_in_functions_count_too(tmp_path):
    big = helper.make_tensor("v", 1, [4096], [0.5] * 4096)
    leaf = N("Constant", [], ["c"], value=big)
    proto = doubling(11)
    del proto.functions[0].node[:]
    proto.functions[0].node.extend([leaf, N("ReduceMax", ["c"], ["m"], keepdims=0), N("Add", ["a", "m"], ["b"])])
    error = refused(proto, tmp_path, memory_limit=8 << 20)
    assert isinstance(error, TooBigError)
    assert error.need > 1024 * 4096 * 4


def test_functions_that_call_themselves(tmp_path):
    functions = [function("f0", [call("f1", "a", "b")]), function("f1", [call("f0", "a", "b")])]
    proto = model([call("f0", "x", "y")], {"x": (2, 2)}, ["y"], domains=["loc"], functions=functions)
    assert "calls itself" in str(refused(proto, tmp_path))
