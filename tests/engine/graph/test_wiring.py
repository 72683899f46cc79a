"""Order, dead nodes, idle nodes, bodies of If and Loop, local functions, names."""

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from build import F32, N, ints, model, quiet, save, value, weights
from onnx import TensorProto, helper, numpy_helper

from engine.errors import ModelError
from engine.graph import load


def ops(graph):
    return [node.op_type for node in graph.nodes]


def test_unsorted_nodes_are_sorted_and_dead_ones_dropped(tmp_path):
    nodes = [
        N("Add", ["b", "x"], ["y"]),
        N("Exp", ["x"], ["unused"]),
        N("Tanh", ["a"], ["b"]),
        N("Relu", ["x"], ["a"]),
    ]
    graph = load(save(model(nodes, {"x": (2,)}, ["y"], {"unused_too": weights(3)}), tmp_path))
    assert ops(graph) == ["Relu", "Tanh", "Add"]
    assert not graph.constants
    assert [node.index for node in graph.nodes] == [0, 1, 2]


def test_a_circle_is_refused(tmp_path):
    nodes = [N("Add", ["x", "b"], ["a"]), N("Relu", ["a"], ["b"])]
    with pytest.raises(ModelError, match="depends on its own result"):
        load(save(model(nodes, {"x": (2,)}, ["b"]), tmp_path))


def test_what_nobody_computes_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"Relu node act reads ghost"):
        load(save(model([N("Relu", ["ghost"], ["y"], "act")], {"x": (2,)}, ["y"]), tmp_path))
    with pytest.raises(ModelError, match=r"nothing computes the output z"):
        load(save(model([N("Relu", ["x"], ["y"])], {"x": (2,)}, ["z"]), tmp_path))


def test_idle_nodes_vanish_and_output_names_stay(tmp_path):
    nodes = [
        N("Identity", ["x"], ["a"]),
        N("Dropout", ["a"], ["b", "mask"]),
        N("Cast", ["b"], ["c"], to=TensorProto.FLOAT),
        N("Relu", ["c"], ["d"]),
        N("Reshape", ["d", "same"], ["e"]),
        N("Exp", ["e"], ["f"]),
        N("Identity", ["f"], ["g"]),
        N("Identity", ["g"], ["y"]),
        N("Neg", ["f"], ["z"]),
    ]
    graph = load(save(model(nodes, {"x": (2, 3)}, ["y", "z"], {"same": ints(2, 3)}), tmp_path))
    assert ops(graph) == ["Relu", "Exp", "Neg"]
    assert graph.nodes[1].outputs == ("y",)
    assert graph.nodes[2].inputs == ("y",)
    assert graph.nodes[0].inputs == ("x",)


def test_dropout_whose_mask_is_read_stays(tmp_path):
    nodes = [N("Dropout", ["x"], ["a", "mask"]), N("Cast", ["mask"], ["m"], to=TensorProto.FLOAT)]
    assert ops(load(save(model(nodes, {"x": (2,)}, ["a", "m"]), tmp_path))) == ["Dropout", "Cast"]


def branch(name, nodes, output, initializers=()):
    return helper.make_graph(nodes, name, [], [onnx.ValueInfoProto(name=output)], list(initializers))


def inner_weight(name, array):
    return numpy_helper.from_array(array, name)


def two_branches(condition_nodes, extra_inputs=None):
    """y = x @ w + outer if condition else relu(x @ w): both bodies read `h` from outside, one reads a constant."""
    then = branch("then", [N("Add", ["h", "outer"], ["t"])], "t")
    other = branch("else", [N("MatMul", ["h", "v"], ["e0"]), N("Relu", ["e0"], ["e"])], "e", [inner_weight("v", V)])
    nodes = [
        *condition_nodes,
        N("MatMul", ["x", "w"], ["h"]),
        N("If", ["c"], ["y"], "choice", then_branch=then, else_branch=other),
    ]
    inputs = {"x": (2, 4), **(extra_inputs or {})}
    return model(nodes, inputs, ["y"], {"w": weights(4, 4), "outer": weights(4), "two": ints(2), "one": ints(1)})


V = weights(4, 4, seed=3)


def test_branch_that_depends_on_a_value_stays_and_lists_what_it_captures(tmp_path):
    proto = two_branches([N("Greater", ["s", "two"], ["cs"]), N("Squeeze", ["cs"], ["c"])], {"s": (np.int64, (1,))})
    graph = load(save(proto, tmp_path))
    node = graph.nodes[-1]
    assert node.op_type == "If"
    assert node.captured == ("h", "outer")
    assert node.inputs == ("c", "h", "outer")
    np.testing.assert_array_equal(graph.constants["outer"], weights(4))


@pytest.mark.parametrize(("size", "expected"), [(2, ["MatMul", "Add"]), (3, ["MatMul", "MatMul", "Relu"])])
def test_branch_with_a_known_condition_is_unfolded(size, expected, tmp_path):
    condition = [
        N("Shape", ["x"], ["shape"]),
        N("Gather", ["shape", "zero"], ["rows"]),
        N("Equal", ["rows", "two"], ["cs"]),
        N("Squeeze", ["cs"], ["c"]),
    ]
    proto = two_branches(condition)
    proto.graph.initializer.append(numpy_helper.from_array(ints(0), "zero"))
    proto.graph.input[0].CopyFrom(value("x", ("n", 4)))
    path = save(proto, tmp_path)
    graph = load(path, shapes={"x": (size, 4)})
    assert ops(graph) == expected
    assert "y" in graph.nodes[-1].outputs
    if size == 3:
        assert graph.origins["v"] == "v"
        np.testing.assert_array_equal(graph.constants["v"], V)


def test_loop_body_captures_activations_and_constants(tmp_path):
    body = helper.make_graph(
        [N("Add", ["carry", "x"], ["sum"]), N("Mul", ["sum", "k"], ["next"]), N("Identity", ["go"], ["go2"])],
        "body",
        [value("i", (np.int64, ())), value("go", (np.bool_, ())), value("carry", (2,))],
        [onnx.ValueInfoProto(name="go2"), onnx.ValueInfoProto(name="next")],
    )
    proto = model([N("Loop", ["n", "", "x"], ["y"], body=body)], {"x": (2,)}, ["y"], {"n": np.array(3), "k": F32(0.5)})
    graph = load(save(proto, tmp_path))
    assert graph.nodes[0].inputs == ("n", "", "x", "x", "k")
    assert graph.constants["k"] == 0.5
    assert graph.tensors["y"].shape == (2,)


def test_idle_node_in_front_of_a_body_is_rewired_inside(tmp_path):
    then, other = branch("t", [N("Neg", ["a"], ["n"])], "n"), branch("e", [N("Identity", ["a"], ["i"])], "i")
    nodes = [
        N("Relu", ["x"], ["r"]),
        N("Identity", ["r"], ["a"]),
        N("If", ["c"], ["y"], then_branch=then, else_branch=other),
    ]
    path = save(model(nodes, {"x": (2,), "c": (np.bool_, ())}, ["y"]), tmp_path)
    graph = load(path)
    assert ops(graph) == ["Relu", "If"]
    assert graph.nodes[1].captured == ("r",)


def test_local_function_is_unfolded(tmp_path):
    function = helper.make_function(
        "mine",
        "Scale",
        ["a", "b"],
        ["c"],
        [N("Mul", ["a", "b"], ["m"]), N("Relu", ["m"], ["c"])],
        [helper.make_opsetid("", 17)],
    )
    proto = model(
        [N("Scale", ["x", "w"], ["y"], domain="mine")],
        {"x": (3,)},
        ["y"],
        {"w": weights(3)},
        domains=["mine"],
        functions=[function],
    )
    assert ops(load(save(proto, tmp_path))) == ["Mul", "Relu"]


@pytest.mark.parametrize(
    "name", ["a b", "层/卷积", "../../etc", "x:y;z", '<"quote">', "e" * 300, "tab\there", "model.onnx"]
)
def test_odd_names_load_and_keep_their_spelling(name, tmp_path):
    nodes = [N("MatMul", ["x", name + "w"], [name]), N("Relu", [name], [name + "out"], name)]
    graph = load(save(model(nodes, {"x": (2, 4)}, [name + "out"], {name + "w": weights(4, 4)}), tmp_path))
    assert graph.outputs[0].name == name + "out"
    assert name in graph.tensors


def test_file_name_with_blanks_and_chinese(tmp_path):
    folder = tmp_path / "模型 文件"
    folder.mkdir()
    proto = model([N("MatMul", ["x", "w"], ["y"])], {"x": (2, 64)}, ["y"], {"w": weights(64, 64)})
    graph = load(save(proto, folder, "检测 v2 (copy).onnx"))
    np.testing.assert_array_equal(graph.constants["w"], weights(64, 64))


def test_module_scope_comes_from_the_exporter(tmp_path):
    proto = model([N("Relu", ["x"], ["y"])], {"x": (2,)}, ["y"])
    entry = proto.graph.node[0].metadata_props.add()
    entry.key, entry.value = "pkg.torch.onnx.name_scopes", "['', 'layers.0', 'layers.0.act', 'relu_1']"
    assert load(save(proto, tmp_path)).nodes[0].scope == "layers.0.act"


def test_notes_say_what_is_special(tmp_path):
    nodes = [N("NonZero", ["x"], ["z"]), N("Shape", ["idle"], ["y"])]
    graph = load(save(model(nodes, {"x": (3,), "idle": (2,)}, ["z", "y"]), tmp_path))
    assert [str(note) for note in graph.notes] == [
        "Nothing reads the values of idle.",
        "Tensors whose size depends on the input values: 1; figures hold for the sizes of a trial run.",
    ]


def test_microsoft_operators_and_string_tensors_load(tmp_path):
    proto = model([N("Gelu", ["x"], ["y"], domain="com.microsoft")], {"x": (2,)}, ["y"], domains=["com.microsoft"])
    assert load(save(proto, tmp_path)).nodes[0].op_type == "com.microsoft.Gelu"
    text = model([N("Identity", ["s"], ["t"]), N("Relu", ["x"], ["y"])], {"x": (2,)}, ["t", "y"])
    text.graph.input.append(helper.make_tensor_value_info("s", TensorProto.STRING, [2]))
    graph = load(save(text, tmp_path))
    assert graph.tensors["s"].dtype == object


def test_models_of_the_runtime_with_forty_inputs_and_no_nodes(tmp_path):
    many = model(
        [N("Relu", [f"x{i}"], [f"y{i}"]) for i in range(40)],
        {f"x{i}": (2,) for i in range(40)},
        [f"y{i}" for i in range(40)],
    )
    assert len(load(save(many, tmp_path)).outputs) == 40
    bare = model([], {"x": (2,)}, ["x"])
    try:
        ort.InferenceSession(bare.SerializeToString(), quiet(), providers=["CPUExecutionProvider"])
    except Exception:
        with pytest.raises(ModelError):
            load(save(bare, tmp_path))
    else:
        assert load(save(bare, tmp_path)).nodes == ()


PAIRS = {
    "transpose": ([N("Transpose", ["a"], ["b"], perm=[1, 2, 0]), N("Transpose", ["b"], ["c"], perm=[2, 0, 1])], True),
    "not back": ([N("Transpose", ["a"], ["b"], perm=[1, 2, 0]), N("Transpose", ["b"], ["c"], perm=[1, 2, 0])], False),
    "reversed": ([N("Transpose", ["a"], ["b"]), N("Transpose", ["b"], ["c"])], True),
    "views": ([N("Reshape", ["a", "flat"], ["b"]), N("Reshape", ["b", "full"], ["c"])], True),
    "squeeze": ([N("Unsqueeze", ["a", "one"], ["b"]), N("Squeeze", ["b", "one"], ["c"])], True),
    "wider": ([N("Cast", ["a"], ["b"], to=TensorProto.DOUBLE), N("Cast", ["b"], ["c"], to=TensorProto.FLOAT)], True),
    "narrower": ([N("Cast", ["a"], ["b"], to=TensorProto.FLOAT16), N("Cast", ["b"], ["c"], to=1)], False),
}


@pytest.mark.parametrize("case", PAIRS)
@pytest.mark.parametrize("read_elsewhere", [False, True])
def test_pairs_that_cancel_vanish(case, read_elsewhere, tmp_path):
    pair, cancels = PAIRS[case]
    nodes = [N("Relu", ["x"], ["a"]), *pair, N("Neg", ["c"], ["y"])]
    nodes += [N("Abs", ["b"], ["z"])] if read_elsewhere else []
    outputs = ["y", "z"] if read_elsewhere else ["y"]
    constants = {"flat": ints(-1), "full": ints(2, 3, 4), "one": ints(1)}
    graph = load(save(model(nodes, {"x": (2, 3, 4)}, outputs, constants), tmp_path))
    negated = next(node for node in graph.nodes if node.op_type == "Neg")
    assert (negated.inputs == ("a",)) == cancels
    assert len(graph.nodes) == len(nodes) - cancels * (1 if read_elsewhere else 2)


def test_two_nodes_of_one_name_are_told_apart(tmp_path):
    nodes = [N("Relu", ["x"], ["a"], "n"), N("Neg", ["a"], ["b"], "n_2"), N("Abs", ["b"], ["c"], "n")]
    nodes += [N("Exp", ["c"], ["d"], "n"), N("Exp", ["d"], ["e"]), N("Exp", ["e"], ["y"])]
    graph = load(save(model(nodes, {"x": (2,)}, ["y"]), tmp_path))
    assert [node.proto.name for node in graph.nodes] == ["n", "n_2", "n_3", "n_4", "", ""]


def test_a_chain_of_three_thousand_nodes(tmp_path):
    nodes = [N("Neg", [f"t{i}"], [f"t{i + 1}"]) for i in range(3000)]
    assert len(load(save(model(nodes, {"t0": (2,)}, ["t3000"]), tmp_path)).nodes) == 3000
