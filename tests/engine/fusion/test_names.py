"""Ids that survive a new export, and names that people would use."""

import onnx
import pytest
from build import N, model, save, weights
from small_models import small_cnn

from engine.fusion import fuse
from engine.fusion.names import clean_node_name, unique_names
from engine.graph import load


@pytest.mark.parametrize(
    ("name", "op", "expected"),
    [
        ("/features/features.0/conv/Conv", "Conv", "features.0.conv"),
        ("/layers.0/mlp/gate_proj/MatMul", "MatMul", "layers.0.mlp.gate_proj"),
        ("/model/layers.0/self_attn/MatMul_1", "MatMul", "model.layers.0.self_attn"),
        ("Conv_12", "Conv", ""),
        ("p2o.Conv.3", "Conv", ""),
        ("node_linear_4", "MatMul", "node_linear_4"),
        ("n17", "Conv", ""),
        ("", "Conv", ""),
        ("a/b;c/d", "Conv", "a.b"),
        ("block/conv1/Conv2D", "Conv", "block.conv1"),
        ("/Flatten_output_0", "Gemm", "Flatten"),
        ("/block/Gemm_output_0", "Gemm", "block"),
        ("dense/BiasAdd:0", "MatMul", "dense"),
        ("/layer/query/MatMul_quant", "MatMul", "layer.query"),
        ("x_DequantizeLinear_Output", "", "x"),
    ],
)
def test_node_names(name, op, expected):
    assert clean_node_name(name, op, keep_op=False) == expected


def test_repeated_names_get_numbers():
    assert unique_names(["a", "b", "a", "a 2", "a"]) == ["a", "b", "a 3", "a 2", "a 4"]
    assert len(set(unique_names(["x"] * 50))) == 50


def network(tmp_path, node_name, weight, scope="", output="y"):
    proto = model([N("MatMul", ["x", weight], [output], node_name)], {"x": (2, 4)}, [output], {weight: weights(4, 4)})
    if scope:
        entry = proto.graph.node[0].metadata_props.add()
        entry.key, entry.value = "pkg.torch.onnx.name_scopes", scope
    return fuse(load(save(proto, tmp_path)))


def test_the_first_name_that_says_something(tmp_path):
    def name(*args, **options):
        return network(tmp_path, *args, **options).kernels[0].name

    scope = "['', 'layers.0', 'layers.0.mlp.gate_proj', 'linear_3']"
    assert name("node_linear_4", "val_79", scope=scope) == "layers.0.mlp.gate_proj"
    assert name("/layers.0/mlp/up_proj/MatMul", "onnx::MatMul_79") == "layers.0.mlp.up_proj"
    assert name("MatMul_3", "encoder.layer.0.query.weight") == "encoder.layer.0.query"
    assert name("", "conv2d_5.w_0") == "conv2d_5"
    assert name("", "onnx::MatMul_79", output="logits") == "logits"
    assert name("", "onnx::MatMul_79", output="/head/MatMul_output_0") == "head.MatMul"
    assert name("", "/layers.0/Constant_3_output_0", output="y1") == "layers.0"
    assert name("", "/Constant_output_0", output="logits") == "logits"
    assert name("", "w", scope="not a list") == "w"
    assert len(name("n" * 500, "w")) <= 120


def test_id_is_the_anchors_output_under_both_rule_sets(tmp_path):
    nodes = [
        N("Conv", ["x", "w"], ["c"]),
        N("Relu", ["c"], ["r"]),
        N("Sigmoid", ["r"], ["s"]),
        N("Mul", ["s", "r"], ["y"]),
    ]
    graph = load(save(model(nodes, {"x": (1, 4, 4, 4)}, ["y"], {"w": weights(4, 4, 3, 3)}), tmp_path))
    edge, cloud = fuse(graph), fuse(graph, "cloud")
    assert edge.kernels[0].id == cloud.kernels[0].id == "c"
    assert edge.by_id("c") is edge.kernels[0]


def test_norm_is_called_by_its_module(tmp_path):
    nodes = [
        N("Pow", ["x", "two"], ["p"], "/layers.0/norm/Pow"),
        N("ReduceMean", ["p"], ["v"], "/layers.0/norm/ReduceMean", axes=[-1]),
        N("Add", ["v", "eps"], ["e"], "/layers.0/norm/Add"),
        N("Sqrt", ["e"], ["q"], "/layers.0/norm/Sqrt"),
        N("Div", ["x", "q"], ["n"], "/layers.0/norm/Div"),
        N("Softmax", ["n"], ["y"], "/layers.0/attn/Softmax"),
    ]
    constants = {"two": weights(1) * 0 + 2, "eps": weights(1) * 0 + 1e-5}
    kernels = fuse(load(save(model(nodes, {"x": (2, 4)}, ["y"], constants), tmp_path))).kernels
    assert [kernel.name for kernel in kernels] == ["layers.0.norm", "layers.0.attn.Softmax"]


def test_ids_and_names_stay_when_a_file_is_saved_again(tmp_path):
    """By another program: nodes in another order, weights in a file of their own."""
    path = small_cnn(tmp_path / "first.onnx")
    before = fuse(load(path))
    proto = onnx.load(path)
    nodes = list(reversed(proto.graph.node))
    del proto.graph.node[:]
    proto.graph.node.extend(nodes)
    (tmp_path / "again").mkdir()
    onnx.save(proto, tmp_path / "again" / "second.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    after = fuse(load(tmp_path / "again" / "second.onnx"))
    assert [(k.id, k.name) for k in after.kernels] == [(k.id, k.name) for k in before.kernels]
