"""Inputs and outputs that are no plain tensors: what ONNX Runtime runs is opened, and computes the same."""

import os
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import onnxruntime as ort
import pytest
from build import F32, N, constant, ints, model, quiet, save, weights
from onnx import TensorProto, TypeProto, helper, numpy_helper

from engine.errors import ModelError
from engine.fusion import fuse
from engine.graph import load, read_inputs

sys.path.insert(0, str(Path(__file__).parents[1] / "fusion"))
from rebuild import check_kernels, run_kernels, run_original

TENSOR = helper.make_tensor_type_proto
X = np.random.default_rng(1).standard_normal((2, 4)).astype(F32)
W = weights(4, 3)


def typed(nodes, inputs, outputs, constants=None, *, opset=21, ml=False):
    """Inputs and outputs: name -> TypeProto."""
    graph = helper.make_graph(
        nodes,
        "typed",
        [helper.make_value_info(name, kind) for name, kind in inputs.items()],
        [helper.make_value_info(name, kind) for name, kind in outputs.items()],
        [numpy_helper.from_array(array, name) for name, array in (constants or {"w": W}).items()],
    )
    opsets = [helper.make_opsetid("", opset), *([helper.make_opsetid("ai.onnx.ml", 3)] if ml else [])]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def opened(proto, folder, **options):
    path = save(proto, folder)
    shapes = {entry.name: entry.proposal for entry in read_inputs(path) if entry.free}
    graph = load(path, shapes=shapes, **options)
    network = fuse(graph)
    check_kernels(network)
    return network


def original(proto, feeds):
    return ort.InferenceSession(proto.SerializeToString(), quiet(), providers=["CPUExecutionProvider"]).run(None, feeds)


def one(network, feeds):
    (result,) = run_kernels(network, feeds).values()
    return result


def a_map(value=TensorProto.FLOAT):
    kind = TypeProto()
    kind.map_type.key_type = TensorProto.INT64
    kind.map_type.value_type.CopyFrom(TENSOR(value, []))
    return kind


@pytest.mark.parametrize("wrapped", ["sequence", "optional", "optional sequence"])
def test_a_wrapped_input_is_fed_one_tensor(wrapped, tmp_path):
    kind, nodes = TENSOR(1, [2, 4]), []
    last = "s"
    if "sequence" in wrapped:
        kind = helper.make_sequence_type_proto(kind)
    if "optional" in wrapped:
        kind = helper.make_optional_type_proto(kind)
        nodes.append(N("OptionalGetElement", ["s"], ["g"]))
        last = "g"
    if "sequence" in wrapped:
        nodes.append(N("ConcatFromSequence", [last], ["c"], axis=0))
        last = "c"
    proto = typed([*nodes, N("MatMul", [last, "w"], ["y"], "head")], {"s": kind}, {"y": TENSOR(1, None)})
    network = opened(proto, tmp_path)
    assert [(info.name, info.shape) for info in network.graph.inputs] == [("s", (2, 4))]
    assert [kernel.name for kernel in network.tunable] == ["head"]
    (wanted,) = original(proto, {"s": [X] if "sequence" in wrapped else X})
    np.testing.assert_array_equal(one(network, {"s": X}), wanted)
    assert any("it is fed one tensor" in str(note) for note in network.graph.notes)


def test_a_sequence_input_that_no_tensor_can_be_made_of_is_refused(tmp_path):
    kind = helper.make_sequence_type_proto(TENSOR(1, [2, 4]))
    proto = typed([N("MatMul", ["s", "w"], ["y"])], {"s": kind}, {"y": TENSOR(1, None)})
    with pytest.raises(ModelError, match="MatMul"):
        opened(proto, tmp_path)


@pytest.mark.parametrize("wrap", [helper.make_sequence_type_proto, helper.make_optional_type_proto])
def test_elements_of_a_type_that_does_not_exist_are_refused(wrap, tmp_path):
    proto = typed([N("ConcatFromSequence", ["s"], ["y"], axis=0)], {"s": wrap(TENSOR(65, [2]))}, {"y": TENSOR(1, None)})
    with pytest.raises(ModelError, match="input s is a"):
        opened(proto, tmp_path)


@pytest.mark.parametrize("made", ["SplitToSequence", "Optional", "SequenceInsert"])
def test_an_output_that_is_no_tensor_shows_what_it_is_made_of(made, tmp_path):
    kind = helper.make_sequence_type_proto(TENSOR(1, None))
    nodes = [N("MatMul", ["x", "w"], ["h"], "head")]
    if made == "SequenceInsert":
        nodes += [N("SequenceConstruct", ["h", "x"], ["s0"]), N("SequenceInsert", ["s0", "h"], ["s"])]
    else:
        nodes.append(N(made, ["h"], ["s"]))
        kind = kind if made == "SplitToSequence" else helper.make_optional_type_proto(TENSOR(1, None))
    network = opened(typed(nodes, {"x": TENSOR(1, [2, 4])}, {"s": kind}), tmp_path)
    results = run_kernels(network, {"x": X})
    np.testing.assert_allclose(results["h"], X @ W, rtol=1e-5)
    assert "h" in str(network.graph.notes[0])


def test_the_scores_behind_a_map_are_the_output(tmp_path):
    """What exporters of classifiers put behind their scores."""
    zip_map = helper.make_node("ZipMap", ["h"], ["z"], domain="ai.onnx.ml", classlabels_int64s=[0, 1, 2])
    kind = helper.make_sequence_type_proto(a_map())
    nodes = [N("MatMul", ["x", "w"], ["h"], "head"), zip_map]
    network = opened(typed(nodes, {"x": TENSOR(1, [2, 4])}, {"z": kind}, ml=True), tmp_path)
    assert [info.name for info in network.graph.outputs] == ["h"]
    assert len(network.kernels) == 1


def test_a_map_is_fed_as_the_tensor_that_is_made_of_it(tmp_path):
    cast = helper.make_node("CastMap", ["m"], ["c"], domain="ai.onnx.ml", map_form="SPARSE", max_map=4)
    nodes = [cast, N("MatMul", ["c", "w"], ["y"], "head")]
    proto = typed(nodes, {"m": a_map()}, {"y": TENSOR(1, None)}, ml=True)
    network = opened(proto, tmp_path)
    (wanted,) = original(proto, {"m": {0: 1.0, 2: 3.0}})
    np.testing.assert_array_equal(one(network, {"c": np.array([[1, 0, 3, 0]], F32)}), wanted)
    vector = helper.make_node("DictVectorizer", ["m"], ["c"], domain="ai.onnx.ml", int64_vocabulary=[5, 6, 7, 8])
    proto = typed([vector, *nodes[1:]], {"m": a_map()}, {"y": TENSOR(1, None)}, ml=True)
    assert opened(proto, tmp_path).graph.inputs[0].shape == (1, 4)
    read_whole = helper.make_node("Identity", ["m"], ["c"])
    with pytest.raises(ModelError, match="input m is a map"):
        opened(typed([read_whole], {"m": a_map()}, {"c": a_map()}, ml=True), tmp_path)


@pytest.mark.parametrize(
    ("kind", "fed"),
    [("bfloat16", F32), ("float8_e4m3fn", F32), ("float8_e5m2", F32), ("int4", np.int8), ("uint4", np.uint8)],
)
def test_types_that_numpy_lacks_are_fed_in_one_that_holds_them(kind, fed, tmp_path):
    element = helper.np_dtype_to_tensor_dtype(np.dtype(getattr(ml_dtypes, kind)))
    nodes = [N("Cast", ["x"], ["c"], to=1), N("MatMul", ["c", "w"], ["y"], "head")]
    network = opened(typed(nodes, {"x": TENSOR(element, [2, 4])}, {"y": TENSOR(1, None)}), tmp_path)
    assert network.graph.inputs[0].dtype == fed
    values = (X * 4).astype(fed) if fed == F32 else np.array([[0, 1, 2, 3], [4, 5, 6, 7]], fed)
    wanted = values.astype(getattr(ml_dtypes, kind)).astype(F32) @ W
    np.testing.assert_allclose(one(network, {"x": values}), wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", ["bfloat16", "float8_e4m3fn", "int4"])
def test_outputs_of_types_that_numpy_lacks(kind, tmp_path):
    own = np.dtype(getattr(ml_dtypes, kind))
    element = helper.np_dtype_to_tensor_dtype(own)
    nodes = [N("MatMul", ["x", "w"], ["h"], "head"), N("Cast", ["h"], ["y"], to=element)]
    network = opened(typed(nodes, {"x": TENSOR(1, [2, 4])}, {"y": TENSOR(element, None)}), tmp_path)
    result = one(network, {"x": X * 0.5})
    assert [info.name for info in network.graph.outputs] == ["y"]
    if kind != "int4":  # ONNX Runtime rounds halves to even, numpy's cast to int4 cuts off
        np.testing.assert_array_equal(result, ((X * 0.5) @ W).astype(own).astype(F32))
    assert result.dtype == (np.int8 if kind == "int4" else F32)


SEQUENCES = {
    "built and joined": [
        N("SequenceConstruct", ["x", "x"], ["s"]),
        N("SequenceInsert", ["s", "x"], ["t"]),
        N("ConcatFromSequence", ["t"], ["c"], axis=0),
        N("MatMul", ["c", "w"], ["y"], "head"),
    ],
    "a layer between the parts": [
        N("SplitToSequence", ["x", "one"], ["s"], axis=0),
        N("SequenceAt", ["s", "zero"], ["a"]),
        N("MatMul", ["a", "w"], ["m"], "head"),
        N("MatMul", ["m", "v"], ["b"], "tail"),
        N("SequenceInsert", ["s", "b"], ["t"]),
        N("ConcatFromSequence", ["t"], ["y"], axis=0),
    ],
    "an optional value": [
        N("Optional", ["x"], ["o"]),
        N("OptionalHasElement", ["o"], ["h"]),
        N("Cast", ["h"], ["f"], to=1),
        N("OptionalGetElement", ["o"], ["g"]),
        N("MatMul", ["g", "w"], ["m"], "head"),
        N("Mul", ["m", "f"], ["y"]),
    ],
    "through int4": [
        N("MatMul", ["x", "w"], ["h"], "head"),
        N("Cast", ["h"], ["q"], to=TensorProto.INT4),
        N("Cast", ["q"], ["y"], to=1),
    ],
}


@pytest.mark.parametrize("name", SEQUENCES)
def test_kernels_never_end_in_what_is_no_array(name, tmp_path):
    constants = {"w": W, "v": weights(3, 4), "zero": np.array(0), "one": np.array(1)}
    network = opened(typed(SEQUENCES[name], {"x": TENSOR(1, [2, 4])}, {"y": TENSOR(1, None)}, constants), tmp_path)
    feeds = {"x": X}
    np.testing.assert_array_equal(one(network, feeds), run_original(network.graph, feeds)["y"])
    tunable = [kernel.name for kernel in network.tunable]
    if name == "a layer between the parts":
        (kernel,) = network.kernels
        assert "MatMul" in str(kernel.why_not)
        assert "between the parts of a sequence" in str(kernel.why_not)
    else:
        assert tunable == ["head"]


def test_constant_sequences(tmp_path):
    nodes = [N("SequenceConstruct", ["a", "a"], ["s"]), N("ConcatFromSequence", ["s"], ["w"], axis=0)]
    network = opened(
        model([*nodes, N("MatMul", ["x", "w"], ["y"], "head")], {"x": (2, 4)}, ["y"], {"a": W[:2]}), tmp_path
    )
    assert [(kernel.name, kernel.tunable) for kernel in network.kernels] == [("head", True)]
    # The sequence is constant, what is taken out of it is not: it can't be kept as an array, so it is made anew.
    nodes = [N("SequenceConstruct", ["a", "a"], ["s"]), N("SequenceAt", ["s", "i"], ["w"])]
    constants = {"a": W}
    proto = model([*nodes, N("MatMul", ["x", "w"], ["y"], "head")], {"x": (2, 4), "i": ("int64", ())}, ["y"], constants)
    network = opened(proto, tmp_path)
    feeds = {"x": X, "i": np.array(1)}
    np.testing.assert_array_equal(one(network, feeds), run_original(network.graph, feeds)["y"])


def sparse(values, indices, dims, name="w"):
    return helper.make_sparse_tensor(
        numpy_helper.from_array(np.array(values, F32), name), numpy_helper.from_array(ints(*indices), "i"), dims
    )


def sparse_model(*tensors, in_node=False):
    nodes = [N("MatMul", ["x", "w"], ["y"], "head")]
    if in_node:
        nodes.insert(0, N("Constant", [], ["w"], sparse_value=tensors[0]))
    proto = model(nodes, {"x": (2, 4)}, ["y"])
    if not in_node:
        proto.graph.sparse_initializer.extend(tensors)
    return proto


@pytest.mark.parametrize("in_node", [False, True])
def test_sparse_weights_are_dense_layers(in_node, tmp_path):
    tensor = sparse([1, 2, 3], [0, 5, 11], [4, 3])
    proto = sparse_model(tensor, in_node=in_node)
    network = opened(proto, tmp_path)
    (kernel,) = network.tunable
    wanted = np.zeros((4, 3), F32)
    wanted.flat[[0, 5, 11]] = [1, 2, 3]
    np.testing.assert_array_equal(kernel.constants["w"], wanted)
    np.testing.assert_array_equal(one(network, {"x": X}), original(proto, {"x": X})[0])


def test_sparse_indices_by_axis_and_wrong_ones(tmp_path):
    by_axis = sparse([1, 2], [0, 0], [4, 3])
    by_axis.indices.CopyFrom(numpy_helper.from_array(np.array([[3, 2], [0, 1]]), "i"))
    (kernel,) = opened(sparse_model(by_axis), tmp_path).tunable
    assert (kernel.constants["w"][3, 2], kernel.constants["w"][0, 1]) == (1, 2)
    for indices in ([0, 12], [0, -1], [0]):
        wrong = sparse_model(replaced(sparse([1, 2], [0, 1], [4, 3]), indices))
        with pytest.raises(ModelError, match="sparse tensor w don't fit"):
            opened(wrong, tmp_path)


def replaced(tensor, indices):
    tensor.indices.CopyFrom(numpy_helper.from_array(ints(*indices), "i"))
    return tensor


def test_two_stored_tensors_of_one_name(tmp_path):
    """ONNX Runtime takes the last of small ones and the first of others; equal ones do no harm."""
    proto = model([N("MatMul", ["x", "w"], ["y"], "head")], {"x": (2, 4)}, ["y"], {"w": W})
    proto.graph.initializer.append(numpy_helper.from_array(W, "w"))
    network = opened(proto, tmp_path)
    np.testing.assert_array_equal(one(network, {"x": X}), original(proto, {"x": X})[0])
    proto.graph.initializer[1].CopyFrom(numpy_helper.from_array(W * 2, "w"))
    with pytest.raises(ModelError, match="two different tensors under the name w"):
        opened(proto, tmp_path)
    del proto.graph.initializer[1]
    proto.graph.node.insert(0, constant("w", W * 3))
    with pytest.raises(ModelError, match="two different tensors under the name w"):
        opened(proto, tmp_path)


@pytest.mark.parametrize(
    "nodes",
    [
        [N("Relu", ["x"], ["w"]), N("MatMul", ["x", "w"], ["y"])],
        [N("Relu", ["x"], ["x"]), N("MatMul", ["x", "w"], ["y"])],
        [N("Relu", ["x"], ["h"]), N("Neg", ["x"], ["h"]), N("MatMul", ["h", "w"], ["y"])],
    ],
)
def test_what_is_computed_has_a_name_of_its_own(nodes, tmp_path):
    with pytest.raises(ModelError, match="two things have the name"):
        opened(model(nodes, {"x": (2, 4)}, ["y"], {"w": W}), tmp_path)


def test_a_declared_size_of_zero(tmp_path):
    """ONNX Runtime runs such a file on empty tensors only; older exporters mean a free batch by it."""
    proto = model([N("MatMul", ["x", "w"], ["y"], "head")], {"x": (0, 4)}, ["y"], {"w": W})
    path = save(proto, tmp_path)
    (entry,) = read_inputs(path)
    assert entry.free
    free = load(path, shapes={"x": (2, 4)})
    assert "a dimension of 0 for x" in str(free.notes[0])
    assert load(path, shapes={"x": (0, 4)}).notes == ()


def test_both_names_of_the_standard_domain(tmp_path):
    """The last import counts: with 18, ReduceSum has no attribute `axes` any more."""
    proto = model([N("ReduceSum", ["x"], ["y"], axes=[0])], {"x": (2, 4)}, ["y"])
    del proto.opset_import[:]
    proto.opset_import.extend([helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx", 10)])
    assert opened(proto, tmp_path).graph.opsets == {"": 10}
    proto.opset_import.reverse()
    with pytest.raises(ModelError, match="axes"):
        opened(proto, tmp_path)


def test_scalar_inputs(tmp_path):
    proto = model(
        [N("Mul", ["x", "s"], ["m"]), N("MatMul", ["m", "w"], ["y"], "head")], {"x": (2, 4), "s": ()}, ["y"], {"w": W}
    )
    network = opened(proto, tmp_path)
    feeds = {"x": X, "s": np.array(3, F32)}
    np.testing.assert_array_equal(one(network, feeds), original(proto, feeds)[0])


def test_nothing_but_files_is_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.onnx")
    (tmp_path / "loop.onnx").symlink_to("loop.onnx")
    for name, words in (("pipe.onnx", "a device or a pipe"), ("loop.onnx", "a link that leads nowhere")):
        with pytest.raises(ModelError, match=words):
            load(tmp_path / name)
    with pytest.raises(ModelError, match="a device or a pipe"):
        load("/dev/null")
