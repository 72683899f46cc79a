"""A small run of the fuzz command (`tests/fuzz_models.py`), and files that once went wrong."""

import tracemalloc
from random import Random

import numpy as np
import onnx
import pytest
from build import F32, N, model, save, weights
from fuzzing.mutations import OF_BYTES, OF_PARTS, damaged
from fuzzing.run import FINE, Limits, Tried, fuzz, summary
from fuzzing.seeds import seed_models

from engine.errors import ModelError
from engine.graph import TensorInfo, load, read_inputs, synthetic_feeds


def test_sixty_damaged_files_end_well(tmp_path):
    tried = list(fuzz(seed_models(), range(60), tmp_path, start=11, jobs=2))
    assert [each for each in tried if each.outcome not in FINE] == []
    assert {each.outcome for each in tried} == set(FINE)
    assert [each.number for each in tried] == list(range(60))


def test_what_goes_wrong_is_told_apart(tmp_path):
    """A child that is killed by time or memory, and one that the kernel kills, are failures in the summary."""
    sound = {"picture": seed_models()["picture"]}
    hasty, greedy = Limits(seconds=0.0), Limits(slack=-(257 << 20))
    (slow,) = fuzz(sound, [0], tmp_path, limits=hasty)
    (big,) = fuzz(sound, [0], tmp_path, limits=greedy)
    assert (slow.outcome, big.outcome) == ("too slow", "too big")
    crashed = Tried(7, "loop", "rewired", "crashed", "SIGSEGV", 0.1, 5)
    text = summary([slow, crashed])
    assert "2 files:" in text
    assert "crashed  #7 (rewired of loop): SIGSEGV" in text


def test_seeds_are_sound_and_every_mutation_changes_them(tmp_path):
    seeds = seed_models()
    for name, proto in seeds.items():
        path = save(proto, tmp_path, f"{name}.onnx")
        load(path, shapes={entry.name: entry.proposal for entry in read_inputs(path) if entry.free})
    for mutation in OF_PARTS.values():
        assert any(_changes(mutation, proto) for proto in seeds.values()), mutation.__name__
    seen = {damaged(seeds["picture"], Random(number))[0] for number in range(200)}
    assert seen == {*OF_BYTES, *OF_PARTS}


def _changes(mutation, proto):
    copy = onnx.ModelProto()
    copy.CopyFrom(proto)
    for number in range(3):
        mutation(copy, Random(number))
    return copy.SerializeToString() != proto.SerializeToString()


def refused(proto, folder):
    with pytest.raises(ModelError) as caught:
        load(save(proto, folder))
    return str(caught.value)


def test_weights_in_a_file_with_an_impossible_name(tmp_path):
    proto = model([N("MatMul", ["x", "w"], ["y"])], {"x": (2, 4)}, ["y"], {"w": weights(4, 4)})
    tensor = proto.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="a" * 9999)
    sentence = refused(proto, tmp_path)
    assert "which is missing" in sentence
    assert len(sentence) < 300


def test_an_output_without_a_name(tmp_path):
    proto = model([N("Relu", ["x"], ["y"])], {"x": (2, 4)}, ["y"])
    proto.graph.output.add(name="")
    assert "an output without a name" in refused(proto, tmp_path)


def test_gather_along_an_axis_that_is_not_there(tmp_path):
    proto = model([N("Gather", ["w", "i"], ["y"], axis=9)], {"i": ("int64", (2,))}, ["y"], {"w": weights(4, 4)})
    assert "Gather" in refused(proto, tmp_path)


def test_big_inputs_are_made_once():
    tracemalloc.start()
    try:
        synthetic_feeds([TensorInfo("state", np.dtype(F32), (1 << 20,))], 0)
        assert tracemalloc.get_traced_memory()[1] < 4.5 * (1 << 20)
    finally:
        tracemalloc.stop()
