"""Free dimensions: what is proposed, what is asked for, what is refused."""

import numpy as np
import pytest
from build import N, ints, model, save, weights

from engine.errors import ModelError, ShapesNeededError
from engine.graph import TensorInfo, load, read_inputs, synthetic_feeds
from engine.graph.place import Meaning


def shape_of(tmp_path, inputs, name="model.onnx"):
    nodes = [N("Identity", [key], [key + "_out"]) for key in inputs]
    path = save(model(nodes, inputs, [key + "_out" for key in inputs]), tmp_path, name)
    return {entry.name: entry.proposal for entry in read_inputs(path)}


def test_pictures(tmp_path):
    assert shape_of(tmp_path, {"x": ("n", 3, "h", "w")}) == {"x": (1, 3, 224, 224)}
    assert shape_of(tmp_path, {"x": ("n", "h", "w", 3)}) == {"x": (1, 224, 224, 3)}
    assert shape_of(tmp_path, {"x": ("n", 3, 640, "w")}) == {"x": (1, 3, 640, 640)}
    assert shape_of(tmp_path, {"x": ("n", 3, 48, "w")}) == {"x": (1, 3, 48, 320)}
    assert shape_of(tmp_path, {"x": ("n", 3, "h", "w")}, "ch_PP-OCRv4_rec_infer.onnx") == {"x": (1, 3, 48, 320)}


def test_sequences_states_and_caches(tmp_path):
    ids = (np.int64, ("batch", "sequence"))
    past = ("batch", 3, "past_sequence", 64)
    got = shape_of(tmp_path, {"ids": ids, "mask": (np.int64, ("batch", "past_sequence + sequence")), "past_k": past})
    assert got == {"ids": (1, 64), "mask": (1, 80), "past_k": (1, 3, 16, 64)}
    assert shape_of(tmp_path, {"state": (2, "batch", 128)}) == {"state": (2, 1, 128)}
    assert shape_of(tmp_path, {"audio": ("batch", "samples"), "sr": (np.int64, ())}) == {"audio": (1, 576), "sr": ()}


def test_unnamed_dimensions_are_told_apart(tmp_path):
    path = save(model([N("Relu", ["x"], ["y"])], {"x": ("?", 3, "?", None)}, ["y"]), tmp_path)
    (entry,) = read_inputs(path)
    assert entry.dims == ("x[0]", 3, "x[2]", "x[3]")
    assert entry.free


@pytest.fixture
def two_inputs(tmp_path):
    nodes = [N("Add", ["a", "b"], ["y"])]
    return save(model(nodes, {"a": ("n", 4), "b": ("n", 4), "c": ("m",)}, ["y"]), tmp_path)


def test_missing_shapes_are_asked_for_with_a_proposal(two_inputs):
    with pytest.raises(ShapesNeededError, match=r"a, b, c free.*a=1,4"):
        load(two_inputs)


def test_a_shape_given_once_holds_for_every_input_of_that_dimension(two_inputs):
    graph = load(two_inputs, shapes={"a": (5, 4), "c": (2,)})
    assert [info.shape for info in graph.inputs] == [(5, 4), (5, 4), (2,)]
    with pytest.raises(ShapesNeededError, match="dimensions of c free"):
        load(two_inputs, shapes={"a": (5, 4)})


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ({"a": (5, 3)}, "input a has the shape n×4, so it can't take 5×3"),
        ({"a": (5,)}, "can't take 5"),
        ({"a": (-1, 4)}, "can't take -1×4"),
        ({"z": (1,)}, "no input z: its inputs are a, b, c"),
        ({"a": (1 << 40, 4), "c": (1,)}, "memory limit"),
    ],
)
def test_shapes_that_do_not_fit(two_inputs, shapes, message):
    with pytest.raises(ModelError, match=message):
        load(two_inputs, shapes=shapes)


def test_shape_that_the_model_contradicts_names_the_node(tmp_path):
    nodes = [N("MatMul", ["x", "w"], ["y"], "head")]
    path = save(model(nodes, {"x": ("n", "k")}, ["y"], {"w": weights(6, 4)}), tmp_path)
    with pytest.raises(ModelError, match="head"):
        load(path, shapes={"x": (2, 5)})


def test_synthetic_feeds_are_plausible_and_repeatable():
    infos = [
        TensorInfo("image", np.dtype(np.float32), (1, 3, 8, 8)),
        TensorInfo("ids", np.dtype(np.int64), (1, 50)),
        TensorInfo("attention_mask", np.dtype(np.int64), (1, 50)),
        TensorInfo("position_ids", np.dtype(np.int64), (1, 50)),
        TensorInfo("pixels", np.dtype(np.uint8), (1, 500)),
        TensorInfo("sr", np.dtype(np.int64), ()),
        TensorInfo("flag", np.dtype(np.bool_), (2,)),
        TensorInfo("half", np.dtype(np.float16), (3,)),
        TensorInfo("text", np.dtype(object), (2,)),
    ]
    feeds, again = (synthetic_feeds(infos, 7, known={"ids": Meaning(below=12)}) for _ in range(2))
    for info in infos:
        assert feeds[info.name].shape == info.shape
        assert feeds[info.name].dtype == info.dtype
        np.testing.assert_array_equal(feeds[info.name], again[info.name])
    assert 0 <= feeds["ids"].min() < feeds["ids"].max() < 12
    assert feeds["attention_mask"].all()
    assert feeds["position_ids"].tolist() == [list(range(50))]
    assert feeds["pixels"].max() > 200
    assert feeds["sr"] == 16000
    assert abs(feeds["image"].std() - 1) < 0.3
    assert not np.array_equal(feeds["image"], synthetic_feeds(infos, 8)["image"])


def test_ids_stay_inside_the_embedding(tmp_path):
    nodes = [N("Gather", ["table", "ids"], ["e"]), N("Gather", ["positions", "n"], ["p"]), N("Add", ["e", "p"], ["y"])]
    inputs = {"ids": (np.int64, ("b", "t")), "n": (np.int64, ("b", "t"))}
    path = save(model(nodes, inputs, ["y"], {"table": weights(5, 4), "positions": weights(3, 4)}), tmp_path)
    assert load(path, shapes={"ids": (1, 9)}).tensors["y"].shape == (1, 9, 4)


def test_feeds_of_ones_own_for_models_that_refuse_random_ones(tmp_path):
    nodes = [N("Add", ["half", "half"], ["shape"]), N("Reshape", ["x", "shape"], ["y"])]
    path = save(model(nodes, {"x": (24,), "half": (np.int64, (2,))}, ["y"]), tmp_path)
    with pytest.raises(ModelError, match="can't run"):
        load(path)
    graph = load(path, feeds={"x": np.zeros(24, np.float32), "half": ints(2, 3)})
    assert graph.tensors["y"].shape == (4, 6)
    assert graph.dynamic == {"y"}


def test_feeds_are_not_written_to(tmp_path):
    names = ["x", "scale", "bias", "mean", "var"]
    node = N("BatchNormalization", names, ["y", "new_mean", "new_var"], training_mode=1)
    inputs = {"x": (4, 3), **dict.fromkeys(names[1:], (3,))}
    feeds = synthetic_feeds([TensorInfo(name, np.dtype(np.float32), shape) for name, shape in inputs.items()], 3)
    before = {name: array.copy() for name, array in feeds.items()}
    load(save(model([node], inputs, ["y", "new_mean", "new_var"]), tmp_path), feeds=feeds)
    for name, array in before.items():
        np.testing.assert_array_equal(feeds[name], array)
