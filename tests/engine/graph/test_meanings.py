"""Inputs that are shapes, axes, counts or indices are given values with which the model runs."""

import ml_dtypes
import numpy as np
import onnx
import pytest
from build import N, ints, model, save, weights
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import ModelError
from engine.graph import load
from engine.graph.meanings import meanings
from engine.graph.newest import too_new
from engine.graph.roles import ROLES
from engine.graph.types import TensorInfo, is_array
from engine.numerics import Evaluator, synthetic_samples
from engine.precision.plan import Plan
from engine.precision.presets import preset
from engine.session.work import open_network

INT, X = np.int64, (2, 6)

CASES = {
    "Reshape, of no declared shape": (N("Reshape", ["x", "s"], ["y"]), {"x": X, "s": (INT, (3,))}, (12, 1, 1)),
    "Expand": (N("Expand", ["x", "s"], ["y"]), {"x": X, "s": (INT, (3,))}, (1, 2, 6)),
    "Tile": (N("Tile", ["x", "s"], ["y"]), {"x": X, "s": (INT, (2,))}, X),
    "ReduceSum": (N("ReduceSum", ["x", "s"], ["y"], keepdims=0), {"x": X, "s": (INT, (1,))}, (6,)),
    "Squeeze": (N("Squeeze", ["x", "s"], ["y"]), {"x": (2, 1, 6), "s": (INT, (1,))}, X),
    "Unsqueeze": (N("Unsqueeze", ["x", "s"], ["y"]), {"x": X, "s": (INT, (2,))}, (1, 1, 2, 6)),
    "Slice": (
        N("Slice", ["x", "a", "b", "c", "d"], ["y"]),
        {"x": X, "a": (INT, (2,)), "b": (INT, (2,)), "c": (INT, (2,)), "d": (INT, (2,))},
        X,
    ),
    "Split": (N("Split", ["x", "s"], ["y", "z"], axis=1), {"x": (2, 7), "s": (INT, (2,))}, (2, 4)),
    "Pad": (N("Pad", ["x", "s"], ["y"]), {"x": X, "s": (INT, (4,))}, X),
    "TopK": (N("TopK", ["x", "s"], ["y", "z"]), {"x": X, "s": (INT, (1,))}, (2, 5)),
    "Resize by scales": (N("Resize", ["x", "", "s"], ["y"]), {"x": X, "s": (2,)}, X),
    "Resize to sizes": (N("Resize", ["x", "", "", "s"], ["y"]), {"x": X, "s": (INT, (2,))}, X),
    "Range": (N("Range", ["s", "t", "u"], ["y"]), {"s": (INT, ()), "t": (INT, ()), "u": (INT, ())}, (10,)),
    "OneHot": (N("OneHot", ["x", "s", "v"], ["y"]), {"x": (INT, X), "s": (INT, ()), "v": (2,)}, (2, 6, 10)),
    "ConstantOfShape": (N("ConstantOfShape", ["s"], ["y"]), {"s": (INT, (2,))}, (4, 4)),
    "GatherElements": (N("GatherElements", ["x", "s"], ["y"], axis=1), {"x": X, "s": (INT, (2, 40))}, (2, 40)),
    "GatherND": (N("GatherND", ["x", "s"], ["y"]), {"x": X, "s": (INT, (50, 2))}, (50,)),
    "CumSum": (N("CumSum", ["x", "s"], ["y"]), {"x": X, "s": (INT, ())}, X),
    "Div of integers": (N("Div", ["s", "t"], ["y"]), {"s": (INT, (900,)), "t": (INT, (900,))}, (900,)),
    "Cast of text": (N("Cast", ["s"], ["y"], to=1), {"s": (object, (3,))}, (3,)),
}


@pytest.mark.parametrize("name", CASES)
def test_a_model_opens_and_is_measured_whose_inputs_are_operands_of(name, tmp_path):
    node, inputs, shape = CASES[name]
    network = open_network(save(model([node], inputs, list(node.output)), tmp_path))
    assert network.tensors["y"].shape == shape
    evaluator = Evaluator(network, synthetic_samples(network.graph, 4, 7))
    try:
        assert all(each["y"].shape == shape for each in evaluator.output(Plan()))
    finally:
        evaluator.close()


def known(nodes, inputs, shapes=(), values=()):
    infos = [TensorInfo(name, np.dtype(dtype), shape) for name, (dtype, shape) in inputs.items()]
    return meanings(nodes, infos, dict(shapes), dict(values).get)


def test_declared_results_say_which_values_are_meant():
    reshape = [N("Reshape", ["x", "s"], ["y"])]
    inputs = {"x": (np.float32, (24,)), "s": (INT, (3,))}
    assert known(reshape, inputs, {"y": (2, 3, 4)})["s"].fixed.tolist() == [2, 3, 4]
    wrong = known(reshape, inputs, {"y": (2, 3, 5)})
    assert wrong["s"].fixed.tolist() == [24, 1, 1], "as many elements as there are, whatever the file declares"
    reduce = [N("ReduceMax", ["x", "s"], ["y"], keepdims=1)]
    found = known(reduce, {"x": (np.float32, (3, 4, 5)), "s": (INT, (1,))}, {"y": (3, 1, 5)})
    assert found["s"].fixed.tolist() == [1]


def test_values_are_followed_to_the_input_they_come_from():
    nodes = [
        N("Cast", ["s"], ["wide"], to=7),
        N("Concat", ["one", "wide"], ["shape"], axis=0),
        N("Reshape", ["x", "shape"], ["y"]),
    ]
    inputs = {"x": (np.float32, (24,)), "s": (np.int32, (2,))}
    found = known(nodes, inputs, {"one": (1,), "wide": (2,), "shape": (3,), "y": (4, 3, 2)})
    assert found["s"].fixed.tolist() == [3, 2]
    assert found["s"].fixed.dtype == np.int32
    part = [N("Slice", ["ids", "a", "b"], ["few"]), N("Gather", ["table", "few"], ["y"])]
    assert known(part, {"ids": (INT, (9,))}, {"table": (5, 4)})["ids"].below == 5


def test_a_model_that_takes_zeros_only_is_measured_on_zeros(tmp_path):
    """The index is doubled: nobody sees that, but the trial run does, and samples are made the way it went."""
    nodes = [N("Mul", ["i", "big"], ["far"]), N("Gather", ["table", "far"], ["g"]), N("Add", ["g", "x"], ["y"])]
    stored = {"table": weights(5, 4), "big": ints(1000)}
    path = save(model(nodes, {"i": (INT, (3,)), "x": (3, 4)}, ["y"], stored), tmp_path)
    graph = load(path)
    assert graph.fill == 0
    assert not any(feed["i"].any() for feed in synthetic_samples(graph, 3).feeds)


def test_what_no_values_make_run_is_refused(tmp_path):
    nodes = [N("Mul", ["s", "s"], ["shape"]), N("Reshape", ["x", "shape"], ["y"])]
    with pytest.raises(ModelError, match="Reshape"):
        load(save(model(nodes, {"x": (24,), "s": (INT, (2,))}, ["y"]), tmp_path))


def test_a_model_of_the_newest_opset_is_quantized_in_one_that_knows_how(tmp_path):
    """ONNX Runtime reads opset 28, and has no QuantizeLinear of it."""
    nodes = [N("MatMul", ["x", "w"], ["h"]), N("Einsum", ["h"], ["y"], equation="ij->ji")]
    network = open_network(save(model(nodes, {"x": X}, ["y"], {"w": weights(6, 5)}, opset=28), tmp_path))
    assert network.graph.opsets[""] == 27
    samples = synthetic_samples(network.graph, 2)
    evaluator = Evaluator(network, samples)
    try:
        assert 20 < evaluator.evaluate(preset(network, "int8")).output.sqnr_db < 60
    finally:
        evaluator.close()


def test_what_only_the_newest_opset_says_stays_in_it():
    mod = model([N("Mod", ["x", "x"], ["y"], fmod=0)], {"x": X}, ["y"], opset=28)
    assert too_new(mod) == []
    plain = model([N("Relu", ["x"], ["y"])], {"x": X}, ["y"], opset=28)
    assert [entry.version for entry in too_new(plain)] == [28]
    for other in (27, 99):  # what nobody knows yet is refused as what it says that it is
        plain.opset_import[0].version = other
        assert too_new(plain) == []


def test_layers_beside_what_only_the_newest_opset_says_have_no_switch(tmp_path):
    nodes = [N("MatMul", ["x", "w"], ["h"]), N("Mod", ["h", "x"], ["y"], fmod=0)]
    network = open_network(save(model(nodes, {"x": X}, ["y"], {"w": weights(6, 6)}, opset=28), tmp_path))
    assert network.graph.opsets[""] == 28
    assert not network.tunable
    assert "operator set 28 is newer than the quantizers of ONNX Runtime (27)" in str(network.kernels[0].why_not)


def test_float8_has_no_array_whatever_numpy_calls_its_kind():
    for name in ("float8_e5m2", "float8_e4m3fn", "float8_e8m0fnu", "int4"):
        assert not is_array(np.dtype(getattr(ml_dtypes, name))), name
    assert is_array(np.dtype(ml_dtypes.bfloat16))
    assert is_array(np.dtype(np.float16))


@pytest.mark.parametrize("kind", ["FLOAT8E5M2", "FLOAT8E4M3FN"])
def test_float8_inside_a_model(kind, tmp_path):
    nodes = [N("Cast", ["x"], ["small"], to=getattr(onnx.TensorProto, kind)), N("Cast", ["small"], ["y"], to=1)]
    network = open_network(save(model(nodes, {"x": X}, ["y"], opset=21), tmp_path))
    evaluator = Evaluator(network, synthetic_samples(network.graph, 1))
    try:
        evaluator.evaluate(Plan())
    finally:
        evaluator.close()


SIZES = st.lists(st.sampled_from((0, 1, 2, 3, 7)), max_size=4).map(tuple)
ATTRIBUTES = {
    "axis": st.integers(-4, 5),
    "axes": st.lists(st.integers(-4, 5), min_size=1, max_size=4),
    "keepdims": st.integers(0, 1),
    "batch_dims": st.integers(0, 3),
    "time_axis": st.integers(0, 3),
    "layout": st.integers(0, 1),
    "strides": st.lists(st.integers(0, 2), min_size=1, max_size=3),
    "pads": st.lists(st.integers(0, 2), min_size=1, max_size=5),
}


@given(st.sampled_from(sorted({name for name, _ in ROLES} | {"ReduceSum"})), st.data())
@settings(max_examples=150, deadline=None)
def test_nodes_of_any_shapes_have_some_meaning_or_none(name, data):
    """ONNX Runtime tells what is wrong with a node that can't be run: nothing here comes before it."""
    shapes = {f"i{at}": data.draw(SIZES) for at in range(data.draw(st.integers(1, 7)))}
    fed, stored, unknown = ([n for n in shapes if data.draw(st.integers(0, 2)) == which] for which in (0, 1, 2))
    values = {n: np.resize(np.arange(-3, 4), shapes[n]) for n in stored if n not in fed}
    attributes = data.draw(st.fixed_dictionaries({}, optional=ATTRIBUTES))
    domain, _, op = name.rpartition(".")
    node = onnx.helper.make_node(op, list(shapes), ["y", "z"], domain=domain, **attributes)
    known = {n: shape for n, shape in shapes.items() if n not in unknown}
    known |= data.draw(st.fixed_dictionaries({}, optional={"y": SIZES, "z": SIZES}))
    inputs = [TensorInfo(n, np.dtype(data.draw(st.sampled_from(("int64", "float32")))), shapes[n]) for n in fed]
    for meaning in meanings([node], inputs, known, values.get).values():
        assert meaning.below is None or meaning.below > 0
