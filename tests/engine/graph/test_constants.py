"""Everything that does not depend on input values becomes a constant, with the way back to the file."""

import mmap

import ml_dtypes
import numpy as np
import onnx
import pytest
from build import F32, N, constant, ints, model, save, save_external, weights
from onnx import TensorProto, helper, numpy_helper

from engine.graph import load

W = weights(6, 4)


def through(node_list, constants, opset=17):
    """x [3, 4] times a weight that arrives as 'w'."""
    return model([*node_list, N("MatMul", ["x", "w"], ["y"])], {"x": (3, 6)}, ["y"], constants, opset=opset)


def int4(array):
    return helper.make_tensor("q", TensorProto.INT4, array.shape, array.astype(np.int8).ravel())


WAYS = {
    "initializer": through([], {"w": W}),
    "constant": through([constant("w", W)], {}),
    "identity chain": through([N("Identity", ["a"], ["b"]), N("Identity", ["b"], ["w"])], {"a": W}),
    "transpose": through([N("Transpose", ["a"], ["w"])], {"a": W.T.copy()}),
    "cast": through([N("Cast", ["a"], ["w"], to=TensorProto.FLOAT)], {"a": W.astype(np.float64)}),
    "reshape": through([N("Reshape", ["a", "s"], ["w"])], {"a": W.ravel(), "s": ints(6, 4)}),
    "scaled": through([N("Mul", ["k", "a"], ["w"])], {"a": W * 2, "k": np.array(0.5, F32)}),
    "int8": through(
        [N("DequantizeLinear", ["a", "k"], ["w"])], {"a": (W * 100).astype(np.int8), "k": np.array(0.01, F32)}
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_weight_is_found_behind(way, tmp_path):
    graph = load(save(WAYS[way], tmp_path))
    assert [node.op_type for node in graph.nodes] == ["MatMul"]
    name = graph.nodes[0].inputs[1]
    expected = (W * 100).astype(np.int8) * F32(0.01) if way == "int8" else W
    np.testing.assert_allclose(graph.constants[name], expected, rtol=1e-6)
    assert graph.origins[name] == ("w" if way in ("initializer", "constant") else "a")
    assert not graph.constants[name].flags.writeable


def test_int4_blocks_become_floats_with_their_origin(tmp_path):
    quantized = np.random.default_rng(0).integers(-8, 8, (8, 4))
    scale = weights(2, 4)
    proto = model(
        [N("DequantizeLinear", ["q", "s"], ["w"], axis=0, block_size=4), N("MatMul", ["x", "w"], ["y"])],
        {"x": (3, 8)},
        ["y"],
        {"s": scale},
        opset=21,
    )
    proto.graph.initializer.append(int4(quantized))
    graph = load(save(proto, tmp_path))
    np.testing.assert_allclose(graph.constants["w"], quantized * np.repeat(scale, 4, axis=0), rtol=1e-6)
    assert graph.origins["w"] == "q"


def test_int4_weight_of_some_kilobytes(tmp_path):
    quantized = np.random.default_rng(0).integers(-8, 8, (64, 96))
    nodes = [N("DequantizeLinear", ["q", "s"], ["w"]), N("MatMul", ["x", "w"], ["y"])]
    proto = model(nodes, {"x": (3, 64)}, ["y"], {"s": np.array(0.5, F32)}, opset=21)
    proto.graph.initializer.append(int4(quantized))
    np.testing.assert_array_equal(load(save(proto, tmp_path)).constants["w"], quantized * F32(0.5))


def test_big_tensor_in_an_attribute_stays_there(tmp_path):
    """Only Constant nodes may leave their tensor in the file; a lookup table must come along with its node."""
    keys, values = ints(*range(500)), weights(500)
    node = N("LabelEncoder", ["x"], ["y"], domain="ai.onnx.ml")
    node.attribute.append(helper.make_attribute("keys_tensor", numpy_helper.from_array(keys)))
    node.attribute.append(helper.make_attribute("values_tensor", numpy_helper.from_array(values)))
    node.attribute.append(helper.make_attribute("default_tensor", numpy_helper.from_array(values[:1])))
    proto = model([node], {"x": (np.int64, (3,))}, ["y"])
    proto.opset_import.append(helper.make_opsetid("ai.onnx.ml", 4))
    assert load(save(proto, tmp_path)).nodes[0].op_type == "ai.onnx.ml.LabelEncoder"


def test_constant_node_of_every_attribute_kind(tmp_path):
    nodes = [
        N("Constant", [], ["f"], value_float=2.0),
        N("Constant", [], ["fs"], value_floats=[1.0, 2.0, 3.0]),
        N("Constant", [], ["i"], value_int=3),
        N("Constant", [], ["is"], value_ints=[1, 3]),
        N("Mul", ["x", "f"], ["a"]),
        N("Add", ["a", "fs"], ["b"]),
        N("Reshape", ["b", "is"], ["c"]),
        N("Unsqueeze", ["c", "is2"], ["d"]),
        N("Constant", [], ["is2"], value_ints=[0]),
        N("Cast", ["i"], ["ic"], to=TensorProto.FLOAT),
        N("Add", ["d", "ic"], ["y"]),
    ]
    graph = load(save(model(nodes, {"x": (3,)}, ["y"]), tmp_path))
    assert [node.op_type for node in graph.nodes] == ["Mul", "Add", "Reshape", "Unsqueeze", "Add"]
    assert graph.constants["ic"] == 3
    np.testing.assert_array_equal(graph.constants["fs"], [1, 2, 3])


def test_weight_made_from_nothing_has_no_origin(tmp_path):
    fill = numpy_helper.from_array(np.array([0.25], F32))
    proto = through([N("ConstantOfShape", ["s"], ["w"], value=fill)], {"s": ints(6, 4)})
    graph = load(save(proto, tmp_path))
    np.testing.assert_array_equal(graph.constants["w"], np.full((6, 4), 0.25, F32))
    assert "w" not in graph.origins


def test_initializer_that_is_also_an_input_is_a_constant(tmp_path):
    proto = model([N("MatMul", ["x", "w"], ["y"])], {"x": (3, 6), "w": (6, 4)}, ["y"], {"w": W})
    graph = load(save(proto, tmp_path))
    assert [info.name for info in graph.inputs] == ["x"]
    np.testing.assert_array_equal(graph.constants["w"], W)


def test_shape_arithmetic_and_masks_are_folded(tmp_path):
    nodes = [
        N("Shape", ["x"], ["shape"]),
        N("Gather", ["shape", "one"], ["length"]),
        N("Squeeze", ["length"], ["count"]),
        N("Range", ["zero", "count", "step"], ["r"]),
        N("Unsqueeze", ["r", "one"], ["column"]),
        N("Greater", ["r", "column"], ["ahead"]),
        N("Where", ["ahead", "low", "flat"], ["mask"]),
        N("MatMul", ["x", "xt"], ["scores"]),
        N("Transpose", ["x"], ["xt"], perm=[0, 2, 1]),
        N("Add", ["scores", "mask"], ["y"]),
    ]
    constants = {"one": ints(1), "zero": np.array(0), "step": np.array(1), "low": F32(-9), "flat": F32(0)}
    graph = load(save(model(nodes, {"x": ("b", "t", 8)}, ["y"], constants), tmp_path), shapes={"x": (2, 5, 8)})
    assert [node.op_type for node in graph.nodes] == ["Transpose", "MatMul", "Add"]
    np.testing.assert_array_equal(graph.constants["mask"], np.triu(np.full((5, 5), -9, F32), 1))
    assert graph.tensors["scores"].shape == (2, 5, 5)
    assert "mask" not in graph.origins or graph.origins["mask"] in ("low", "flat", "one", "zero", "step")


def test_what_depends_on_values_stays_and_is_dynamic(tmp_path):
    nodes = [
        N("NonZero", ["x"], ["where"]),
        N("Shape", ["where"], ["count"]),
        N("Cast", ["count"], ["c"], to=TensorProto.FLOAT),
        N("Relu", ["x"], ["r"]),
    ]
    graph = load(save(model(nodes, {"x": (4,)}, ["c", "r"]), tmp_path))
    assert [node.op_type for node in graph.nodes] == ["NonZero", "Shape", "Cast", "Relu"]
    assert graph.dynamic == {"where"}
    assert graph.tensors["where"].shape == (1, 4)


def test_random_nodes_are_no_constants(tmp_path):
    nodes = [N("RandomNormal", [], ["n"], shape=[3]), N("Add", ["x", "n"], ["y"])]
    graph = load(save(model(nodes, {"x": (3,)}, ["y"]), tmp_path))
    assert [node.op_type for node in graph.nodes] == ["RandomNormal", "Add"]


def test_outputs_that_are_constant_or_pass_an_input_through(tmp_path):
    nodes = [N("Shape", ["x"], ["size"]), N("Identity", ["x"], ["same"]), N("Relu", ["x"], ["y"])]
    graph = load(save(model(nodes, {"x": (2, 3)}, ["size", "same", "y", "w"], {"w": W}), tmp_path))
    assert [info.name for info in graph.outputs] == ["size", "same", "y", "w"]
    np.testing.assert_array_equal(graph.constants["size"], [2, 3])
    np.testing.assert_array_equal(graph.constants["w"], W)
    assert [node.op_type for node in graph.nodes] == ["Identity", "Relu"]


def test_bfloat16_constant_is_exact(tmp_path):
    nodes = [
        N("Cast", ["a"], ["b"], to=TensorProto.BFLOAT16),
        N("Cast", ["x"], ["xb"], to=TensorProto.BFLOAT16),
        N("Concat", ["xb", "b"], ["both"], axis=0),
        N("Cast", ["both"], ["y"], to=TensorProto.FLOAT),
    ]
    graph = load(save(model(nodes, {"x": (6, 4)}, ["y"], {"a": W}, opset=19), tmp_path))
    assert graph.constants["b"].dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(graph.constants["b"], W.astype(ml_dtypes.bfloat16))


@pytest.mark.parametrize("external", [False, True])
def test_values_do_not_depend_on_where_they_are_stored(external, tmp_path):
    rng = np.random.default_rng(1)
    arrays = {
        "f": rng.standard_normal((64, 64)).astype(F32),
        "d": rng.standard_normal((64, 33)),
        "h": rng.standard_normal((7, 301)).astype(np.float16),
        "i": rng.integers(-100, 100, (300,)),
        "b": rng.integers(-100, 100, (1301,)).astype(np.int8),
        "e": np.zeros((0, 5), F32),
    }
    inputs = {f"x{name}": (array.dtype, (1, *array.shape[1:])) for name, array in arrays.items()}
    nodes = [N("Concat", [f"x{name}", name], [f"y{name}"], axis=0) for name in arrays]
    proto = model(nodes, inputs, [f"y{name}" for name in arrays], arrays)
    graph = load((save_external if external else save)(proto, tmp_path))
    for name, array in arrays.items():
        assert graph.constants[name].dtype == array.dtype
        np.testing.assert_array_equal(graph.constants[name], array)
        assert graph.constants[name].flags.aligned
        assert not graph.constants[name].flags.writeable
    assert graph.file_bytes == sum(file.stat().st_size for file in tmp_path.iterdir())


def test_typed_float_data_is_read_as_well_as_raw_data(tmp_path):
    values = weights(50, 20)
    proto = model([N("MatMul", ["x", "w"], ["y"])], {"x": (2, 50)}, ["y"])
    proto.graph.initializer.append(helper.make_tensor("w", TensorProto.FLOAT, values.shape, values.ravel()))
    assert not proto.graph.initializer[0].raw_data
    np.testing.assert_array_equal(load(save(proto, tmp_path)).constants["w"], values)


def test_big_weights_stay_out_of_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("engine.graph.arrays.READ_WHOLE", 1 << 19)
    proto = model([N("MatMul", ["x", "w"], ["y"])], {"x": (2, 512)}, ["y"], {"w": weights(512, 512)})
    onnx.save(proto, tmp_path / "m.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    owner = load(tmp_path / "m.onnx").constants["w"]
    while isinstance(owner, np.ndarray):
        owner = owner.base
    assert isinstance(owner.obj if isinstance(owner, memoryview) else owner, mmap.mmap)
