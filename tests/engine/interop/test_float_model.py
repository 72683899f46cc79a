"""The model that is handed over computes what the model's own file computes."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from export_cases import case_of
from handmade import run_whole
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper, numpy_helper

from engine.errors import ExportError
from engine.interop.float_model import refuse_dynamic, refuse_quantized, write_float_model
from engine.interop.layer_names import layer_names
from engine.numerics.synthetic import synthetic_samples
from engine.session.work import open_network
from engine.text import say


def save(path, nodes, inputs, outputs, weights, opset=17):
    infos = [helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, s) for n, s in inputs.items()]
    results = [helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, None) for n in outputs]
    graph = helper.make_graph(nodes, "g", infos, results, [numpy_helper.from_array(a, n) for n, a in weights.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8), path)
    return path


def both(path, tmp_path, **how):
    """Outputs of the file and of what is written, for the same feeds; the written model; the notes."""
    network = open_network(path)
    names = layer_names(network)
    notes = write_float_model(network, names, tmp_path / "written.onnx", **how)
    feeds = synthetic_samples(network.graph, 1).feeds[0]
    own = run_whole(str(path), feeds)
    made = run_whole(str(tmp_path / "written.onnx"), {names.tensors[n]: a for n, a in feeds.items()})
    return own, made, onnx.load(tmp_path / "written.onnx"), [str(note) for note in notes]


def test_nodes_are_named_shapes_fixed_and_attributes_written_out(case, tmp_path):
    own, made, model, notes = both(case.network.graph.path, tmp_path)
    np.testing.assert_allclose(made[0], own[0], rtol=1e-5, atol=1e-6)
    onnx.checker.check_model(model, full_check=True)
    assert not notes
    for node in model.graph.node:
        assert node.name
        if node.op_type == "Conv":
            assert {a.name for a in node.attribute} >= {"kernel_shape", "strides", "pads", "dilations", "group"}
    assert [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim] == [1, 3, 16, 16]


@given(
    op=st.sampled_from(["Conv", "MaxPool", "AveragePool", "ConvTranspose"]),
    auto=st.sampled_from(["SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET"]),
    size=st.tuples(st.integers(5, 9), st.integers(5, 9)),
    kernel=st.integers(1, 4),
    stride=st.integers(1, 3),
    dilation=st.integers(1, 2),
)
@settings(max_examples=60, deadline=None)
def test_automatic_padding_becomes_the_numbers_that_it_means(
    tmp_path_factory, op, auto, size, kernel, stride, dilation
):
    tmp = tmp_path_factory.mktemp("pads")
    given_ = {"strides": [stride, stride]}
    if auto != "NOTSET":
        given_["auto_pad"] = auto
    weights = {}
    if op.startswith("Conv"):
        weights["w"] = np.random.default_rng(0).standard_normal((2, 2, kernel, kernel)).astype(np.float32)
        if op == "Conv" and not auto.startswith("SAME"):
            given_["dilations"] = [dilation, dilation]
    else:
        given_["kernel_shape"] = [kernel, kernel]
    node = helper.make_node(op, ["x", *weights], ["y"], "n", **given_)
    path = save(tmp / "m.onnx", [node], {"x": [1, 2, *size]}, ["y"], weights)
    try:
        run_whole(str(path), {"x": np.zeros((1, 2, *size), np.float32)})
    except Exception:  # a window that is larger than the picture
        return
    own, made, model, _ = both(path, tmp)
    np.testing.assert_allclose(made[0], own[0], rtol=1e-5, atol=1e-6)
    names = {a.name for a in model.graph.node[0].attribute}
    assert "auto_pad" not in names or "pads" not in names


def test_a_transposed_convolution_with_a_stated_output_shape(tmp_path):
    weights = {"w": np.random.default_rng(0).standard_normal((2, 3, 3, 3)).astype(np.float32)}
    node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], "n", strides=[2, 2], output_shape=[10, 10])
    path = save(tmp_path / "m.onnx", [node], {"x": [1, 2, 5, 5]}, ["y"], weights)
    own, made, model, _ = both(path, tmp_path)
    np.testing.assert_allclose(made[0], own[0], rtol=1e-5, atol=1e-6)
    assert "output_shape" not in {a.name for a in model.graph.node[0].attribute}


def test_names_with_separators_and_none_at_all(tmp_path):
    weights = {"onnx::MatMul_1": np.eye(4, dtype=np.float32), "b;c": np.ones(4, np.float32)}
    nodes = [
        helper.make_node("MatMul", ["in put", "onnx::MatMul_1"], ["a:b"], ""),
        helper.make_node("Add", ["a:b", "b;c"], ["out,put"], "the add"),
    ]
    path = save(tmp_path / "m.onnx", nodes, {"in put": [2, 4]}, ["out,put"], weights)
    own, made, model, _ = both(path, tmp_path)
    np.testing.assert_array_equal(made[0], own[0])
    assert [n.name for n in model.graph.node] == ["MatMul_0", "the_add"]
    assert model.graph.input[0].name == "in_put"
    assert {i.name for i in model.graph.initializer} == {"onnx__MatMul_1", "b_c"}


@pytest.mark.parametrize(("opsets", "wanted"), [(range(11, 12), 11), (range(21, 22), 21), (range(7, 19), 17)])
def test_other_opsets_compute_the_same(case, opsets, wanted, tmp_path):
    own, made, model, notes = both(case.network.graph.path, tmp_path, opsets=opsets)
    np.testing.assert_allclose(made[0], own[0], rtol=1e-4, atol=1e-5)
    assert model.opset_import[0].version == wanted
    assert [n.name for n in model.graph.node][:2] == ["/stem/Conv", "/stem/bn"]
    assert notes == ([] if wanted == 17 else [f"The model was converted from opset 17 to {wanted}."])


def test_an_operator_that_an_opset_lacks_is_said(tmp_path):
    weights = {"w": np.ones((4, 4), np.float32)}
    nodes = [helper.make_node("MatMul", ["x", "w"], ["a"], "m"), helper.make_node("HardSwish", ["a"], ["y"], "h")]
    path = save(tmp_path / "m.onnx", nodes, {"x": [2, 4]}, ["y"], weights)
    own, made, model, notes = both(path, tmp_path, opsets=range(11, 12))
    np.testing.assert_allclose(made[0], own[0], rtol=1e-5, atol=1e-6)
    assert model.opset_import[0].version == 17
    assert notes == ["The model is at opset 17 and this target reads 11; it could not be converted: export it again "
                     "at opset 11."]  # fmt: skip


def test_an_operator_that_means_something_else_in_an_opset_is_not_just_relabelled(tmp_path):
    """Below opset 13 a Softmax over one axis runs over all that follow."""
    weights = {"w": np.eye(4, dtype=np.float32)}
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"], "m"),
        helper.make_node("Softmax", ["a"], ["y"], "s", axis=1),
    ]
    path = save(tmp_path / "m.onnx", nodes, {"x": [2, 3, 4]}, ["y"], weights)
    own, made, _, _ = both(path, tmp_path, opsets=range(11, 12))
    np.testing.assert_allclose(made[0], own[0], rtol=1e-5, atol=1e-6)


def test_big_weights_go_beside_the_file(case, tmp_path):
    own, made, _, _ = both(case.network.graph.path, tmp_path, external_above=100)
    np.testing.assert_allclose(made[0], own[0], rtol=1e-5, atol=1e-6)
    assert (tmp_path / "written.onnx.data").stat().st_size > 1000


def test_quantized_and_data_dependent_models_are_refused(case, tmp_path):
    scale = {"s": np.asarray(0.1, np.float32), "z": np.asarray(0, np.uint8), "w": np.ones((4, 4), np.float32)}
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], "quant"),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"], "dequant"),
        helper.make_node("MatMul", ["d", "w"], ["y"], "m"),
    ]
    net = open_network(save(tmp_path / "m.onnx", nodes, {"x": [2, 4]}, ["y"], scale))
    with pytest.raises(ExportError, match=r"X rejects models that are quantized already, and m\.onnx has 2 such nodes"):
        refuse_quantized(net, say("X"))
    refuse_quantized(case.network, say("X"))
    nodes = [helper.make_node("NonZero", ["x"], ["i"], "n"), helper.make_node("Cast", ["i"], ["y"], "c", to=1)]
    net = open_network(save(tmp_path / "d.onnx", nodes, {"x": [2, 4]}, ["y"], {}))
    with pytest.raises(ExportError, match="X wants fixed shapes"):
        refuse_dynamic(net, say("X"))


def test_several_inputs_keep_their_order(tmp_path):
    weights = {"w": np.ones((4, 4), np.float32)}
    nodes = [helper.make_node("MatMul", ["b", "w"], ["m"], "m"), helper.make_node("Sub", ["m", "a"], ["y"], "s")]
    path = save(tmp_path / "m.onnx", nodes, {"a": [2, 4], "b": [2, 4]}, ["y"], weights)
    own, made, _, _ = both(path, tmp_path, opsets=range(11, 12))
    np.testing.assert_array_equal(made[0], own[0])
    assert case_of(path).network.graph.inputs[0].name == "a"
