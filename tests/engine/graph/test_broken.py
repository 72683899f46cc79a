"""Broken and hostile files get one clear sentence, quickly, and never more memory than allowed."""

import os
import random
import resource
import threading
import time

import numpy as np
import onnx
import pytest
from build import F32, N, ints, model, save, save_external, value, weights
from onnx import TensorProto, helper, numpy_helper

from engine.errors import Cancelled, MixbitError, ModelError
from engine.graph import load, read_inputs, trial
from engine.progress import CancelToken


def linear():
    return model([N("MatMul", ["x", "w"], ["y"], "head")], {"x": (2, 64)}, ["y"], {"w": weights(64, 64)})


def refusal(path, **options):
    with pytest.raises(ModelError) as caught:
        load(path, **options)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert 10 < len(sentence) < 500
    return sentence


def test_missing_file_and_folder(tmp_path):
    assert "no file nothing.onnx" in refusal(tmp_path / "nothing.onnx")
    assert "is a folder" in refusal(tmp_path)
    with pytest.raises(ModelError, match=r"no file nothing\.onnx"):
        read_inputs(tmp_path / "nothing.onnx")


@pytest.mark.parametrize(
    "content", [b"", b"hello world, this is text\n" * 30, b"\x00" * 500, bytes(range(256)) * 4, b"\x08\x08"]
)
def test_what_is_no_model(content, tmp_path):
    path = tmp_path / "m.onnx"
    path.write_bytes(content)
    assert "m.onnx" in refusal(path)


def test_every_truncation_is_refused_or_loads(tmp_path):
    whole = save(linear(), tmp_path, "whole.onnx").read_bytes()
    path = tmp_path / "cut.onnx"
    rng = random.Random(0)
    for length in [*range(60), *(rng.randrange(len(whole)) for _ in range(60)), len(whole) - 1]:
        path.write_bytes(whole[:length])
        assert "cut.onnx" in refusal(path)


def test_flipped_bytes_never_crash(tmp_path):
    graph = model(
        [
            N("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]),
            N("Shape", ["c"], ["s"]),
            N("Reshape", ["c", "s"], ["r"]),
            N("If", ["yes"], ["y"], then_branch=body("Relu"), else_branch=body("Neg")),
        ],
        {"x": (1, 3, 8, 8)},
        ["y"],
        {"w": weights(4, 3, 3, 3), "yes": np.array(True)},
    )
    whole = bytearray(save(graph, tmp_path).read_bytes())
    path = tmp_path / "flipped.onnx"
    rng = random.Random(1)
    outcomes = set()
    for _ in range(150):
        broken = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        path.write_bytes(broken)
        try:
            load(path, shapes=None, memory_limit=64 << 20)
            outcomes.add("loaded")
        except MixbitError:
            outcomes.add("refused")
    assert outcomes == {"loaded", "refused"}


def body(op):
    return helper.make_graph([N(op, ["r"], [op])], op, [], [onnx.ValueInfoProto(name=op)])


def test_external_data_missing_or_short(tmp_path):
    path = save_external(linear(), tmp_path)
    data = (tmp_path / "weights.bin").read_bytes()
    (tmp_path / "weights.bin").write_bytes(data[:-8])
    assert "needs 16384 bytes, the file has 16376" in refusal(path)
    (tmp_path / "weights.bin").unlink()
    assert "keeps its weights in weights.bin, which is missing" in refusal(path)


def test_missing_weights_are_said_before_sizes_are_asked_for(tmp_path):
    path = save_external(linear(), tmp_path)
    assert read_inputs(path)
    (tmp_path / "weights.bin").unlink()
    with pytest.raises(ModelError, match=r"keeps its weights in weights\.bin, which is missing"):
        read_inputs(path)


def relocated(tmp_path, location, offset="0"):
    proto = model([N("MatMul", ["x", "w"], ["y"])], {"x": (2, 4)}, ["y"])
    tensor = proto.graph.initializer.add(name="w", data_type=TensorProto.FLOAT, dims=[4, 4])
    tensor.data_location = TensorProto.EXTERNAL
    for key, entry in (("location", location), ("offset", offset), ("length", "64")):
        tensor.external_data.add(key=key, value=entry)
    folder = tmp_path / "inner"
    folder.mkdir(exist_ok=True)
    return save(proto, folder)


def test_external_data_never_leaves_the_folder(tmp_path):
    (tmp_path / "secret.bin").write_bytes(b"\1" * 64)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "link.bin").symlink_to(tmp_path / "secret.bin")
    (tmp_path / "inner" / "folder").symlink_to(tmp_path)
    (tmp_path / "inner" / "loop").symlink_to(tmp_path / "inner" / "loop")
    for location in (
        "../secret.bin",
        str(tmp_path / "secret.bin"),
        "link.bin",
        "folder/secret.bin",
        "loop",
        "a/../../secret.bin",
        "C:\\secret.bin",
        "",
        "x\0y",
    ):
        assert "outside the model's folder" in refusal(relocated(tmp_path, location)), location
    (tmp_path / "inner" / "near.bin").write_bytes(b"\0" * 64)
    assert load(relocated(tmp_path, "near.bin")).constants["w"].sum() == 0
    for offset in ("-4", "1", "abc", "99999999999999999999"):
        assert "needs 64 bytes" in refusal(relocated(tmp_path, "near.bin", offset))


def test_a_model_reached_through_a_link_reads_its_own_weights(tmp_path):
    (tmp_path / "store").mkdir()
    real = save(linear(), tmp_path / "store", "blob")
    (tmp_path / "model.onnx").symlink_to(real)
    np.testing.assert_array_equal(load(tmp_path / "model.onnx").constants["w"], weights(64, 64))


def test_tensors_that_contradict_themselves(tmp_path):
    short = linear()
    short.graph.initializer[0].dims[0] = 65
    assert "tensor w of shape 65×64 needs" in refusal(save(short, tmp_path))
    negative = linear()
    negative.graph.initializer[0].dims[0] = -64
    assert "negative dimension" in refusal(save(negative, tmp_path))
    unknown = linear()
    unknown.graph.initializer[0].data_type = 99
    assert "no known data type" in refusal(save(unknown, tmp_path))
    sequence = linear()
    sequence.graph.input[0].type.CopyFrom(helper.make_sequence_type_proto(helper.make_tensor_type_proto(1, [2])))
    assert "MatMul" in refusal(save(sequence, tmp_path))


def test_a_file_name_that_is_no_text(tmp_path):
    path = tmp_path / os.fsdecode(b"caf\xe9.onnx")
    path.write_bytes(linear().SerializeToString())
    assert "rename the file" in refusal(path)


def test_names_that_are_no_text(tmp_path):
    whole = save(linear(), tmp_path).read_bytes()
    (tmp_path / "model.onnx").write_bytes(whole.replace(b"head", b"he\xffd"))
    assert "no valid text" in refusal(tmp_path / "model.onnx")


def test_what_the_runtime_cannot_run_names_the_node(tmp_path):
    nodes = [N("Relu", ["x"], ["a"]), N("Teleport", ["a"], ["y"], "warp", domain="sci.fi")]
    assert "Teleport" in refusal(save(model(nodes, {"x": (2,)}, ["y"], domains=["sci.fi"]), tmp_path))
    nodes = [N("Relu", ["x"], ["a"]), N("MatMul", ["a", "w"], ["y"], "head")]
    assert "head" in refusal(save(model(nodes, {"x": (2, 3)}, ["y"], {"w": weights(4, 4)}), tmp_path))
    unnamed = [N("Add", ["x", "w"], ["the_sum"])]
    assert "the_sum" in refusal(save(model(unnamed, {"x": (2, 3)}, ["the_sum"], {"w": weights(4, 4)}), tmp_path))


def test_operators_that_nobody_knows_are_named_with_domain_opset_and_node(tmp_path):
    foreign = model([N("Teleport", ["x"], ["y"], "warp", domain="sci.fi")], {"x": (2,)}, ["y"], domains=["sci.fi"])
    assert "Teleport of sci.fi (node warp) is unknown to ONNX Runtime" in refusal(save(foreign, tmp_path))
    misspelt = model([N("Relux", ["x"], ["y"], "act")], {"x": (2,)}, ["y"])
    assert "Relux (node act) is no operator of opset " in refusal(save(misspelt, tmp_path))
    unnamed = model([N("Relux", ["x"], ["y"])], {"x": (2,)}, ["y"])
    assert "Relux (node that makes y) is no operator" in refusal(save(unnamed, tmp_path))


BOMBS = {
    "constant": [
        N("ConstantOfShape", ["s"], ["c"]),
        N("ReduceMax", ["c"], ["m"], keepdims=0),
        N("Add", ["x", "m"], ["y"]),
    ],
    "computed": [
        N("Pow", ["s", "two"], ["t"]),
        N("ConstantOfShape", ["t"], ["c"]),
        N("ReduceMax", ["c"], ["m"], keepdims=0),
        N("Add", ["x", "m"], ["y"]),
    ],
    "tile": [N("Tile", ["x", "s1"], ["y"])],
    "pad": [N("Pad", ["x", "s2"], ["y"])],
    "doubling": [N("Concat", [f"d{i}", f"d{i}"], [f"d{i + 1}"], axis=0) for i in range(40)],
}
BOMBS["doubling"] = [N("Relu", ["x"], ["d0"]), *BOMBS["doubling"], N("Relu", ["d40"], ["y"])]


@pytest.mark.parametrize("kind", BOMBS)
def test_a_small_file_that_grows_is_refused_before_it_does(kind, tmp_path):
    constants = {"s": ints(60000, 60000), "two": ints(2, 2), "s1": ints(10**10), "s2": ints(0, 10**10)}
    path = save(model(BOMBS[kind], {"x": (1,)}, ["y"], constants), tmp_path)
    start = time.perf_counter()
    assert "memory limit" in refusal(path, memory_limit=1 << 30)
    assert time.perf_counter() - start < 2


def test_growth_that_depends_on_values_is_stopped_while_it_happens(tmp_path):
    """Each step doubles a tensor whose size only the run knows; the watch stops it far below the full gigabyte."""
    nodes = [N("NonZero", ["x"], ["d0"])]
    nodes += [N("Concat", [f"d{i}", f"d{i}"], [f"d{i + 1}"], axis=1) for i in range(24)]
    path = save(model([*nodes, N("Shape", ["d24"], ["y"])], {"x": (8,)}, ["y"]), tmp_path)
    sentence = refusal(path, memory_limit=100 << 20)
    assert "memory" in sentence


def test_what_a_run_is_fed_with_counts(tmp_path, monkeypatch):
    """The inputs lie in memory before the run: it may take what they leave of the limit."""
    allowed = []
    watch = trial.guarded
    monkeypatch.setattr(
        trial, "guarded", lambda made, limit, *more: (allowed.append(limit), watch(made, limit, *more))[1]
    )
    nodes = [N("Cast", ["i"], ["f"], to=1), N("Add", ["x", "f"], ["y"])]
    path = save(model(nodes, {"x": (1 << 10, 1 << 10), "i": (np.int64, (1 << 10,))}, ["y"]), tmp_path)
    load(path, memory_limit=64 << 20)
    assert allowed == [(64 << 20) - (4 << 20) - (8 << 10)]


def test_one_node_that_takes_all_at_once_gets_nothing(tmp_path):
    """The size comes from a value and one node fills it: the watch between nodes would be too late."""
    nodes = [
        N("Exp", ["x"], ["e"]),
        N("Mul", ["e", "zero"], ["z"]),
        N("Add", ["z", "many"], ["f"]),
        N("Cast", ["f"], ["n"], to=7),
        N("ConstantOfShape", ["n"], ["big"]),
        N("ReduceMax", ["big"], ["y"], keepdims=0),
    ]
    constants = {"zero": F32(0), "many": F32(3e9)}
    path = save(model(nodes, {"x": (1,)}, ["y"], constants), tmp_path)
    before, limits = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, resource.getrlimit(resource.RLIMIT_AS)
    assert "memory limit" in refusal(path, memory_limit=100 << 20)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300 << 10  # kB
    assert resource.getrlimit(resource.RLIMIT_AS) == limits


def test_an_endless_loop_is_given_up(tmp_path):
    body = helper.make_graph(
        [N("Identity", ["go"], ["on"]), N("Relu", ["state"], ["next"])],
        "body",
        [value("i", (np.int64, ())), value("go", (np.bool_, ())), value("state", (2,))],
        [onnx.ValueInfoProto(name="on"), onnx.ValueInfoProto(name="next")],
    )
    node = N("Loop", ["", "yes", "x"], ["y"], body=body)
    path = save(model([node], {"x": (2,)}, ["y"], {"yes": np.array(True)}), tmp_path)
    start = time.perf_counter()
    assert "loop that was not over after 0.3 s" in refusal(path, loop_seconds=0.3)
    assert time.perf_counter() - start < 3


def test_the_limit_can_be_raised(tmp_path):
    nodes = [N("ConstantOfShape", ["s"], ["c"]), N("ReduceMax", ["c"], ["m"], keepdims=0), N("Add", ["x", "m"], ["y"])]
    path = save(model(nodes, {"x": (1,)}, ["y"], {"s": ints(1000, 1000)}), tmp_path)
    assert "needs 0.004 GB to run, more than the memory limit of 0.00105 GB" in refusal(path, memory_limit=1 << 20)
    assert load(path, memory_limit=64 << 20).constants["m"] == 0


def test_sparse_tensor_beyond_the_limit(tmp_path):
    proto = model([N("MatMul", ["x", "w"], ["y"])], {"x": (2, 4)}, ["y"])
    values = numpy_helper.from_array(np.ones(1, F32), "w")
    proto.graph.sparse_initializer.append(
        helper.make_sparse_tensor(values, numpy_helper.from_array(ints(0), "i"), [4, 1 << 40])
    )
    assert "needs 17,592.2 GB" in refusal(save(proto, tmp_path))


def test_a_load_can_be_cancelled_in_the_middle(tmp_path):
    nodes = [N("MatMul", [f"t{i}", "w"], [f"t{i + 1}"]) for i in range(400)]
    path = save(model(nodes, {"t0": (512, 512)}, ["t400"], {"w": weights(512, 512)}), tmp_path)
    cancel = CancelToken()
    started = threading.Event()

    def progress(fraction, text):
        if fraction >= 0.5:
            started.set()

    def cancel_soon():
        started.wait(10)
        time.sleep(0.03)
        cancel.cancel()
        cancelled.append(time.perf_counter())

    cancelled: list[float] = []
    thread = threading.Thread(target=cancel_soon)
    thread.start()
    with pytest.raises(Cancelled):
        load(path, progress=progress, cancel=cancel)
    late = time.perf_counter() - cancelled[0]
    thread.join()
    assert late < 0.5


def test_an_unreadable_file(tmp_path):
    path = save(linear(), tmp_path)
    path.chmod(0)
    if os.access(path, os.R_OK):  # the administrator may read everything
        assert load(path).nodes
    else:
        assert "permissions" in refusal(path)


def test_progress_rises_to_one(tmp_path):
    seen = []
    load(save(linear(), tmp_path), progress=lambda fraction, text: seen.append((fraction, str(text))))
    assert [fraction for fraction, _ in seen] == sorted(fraction for fraction, _ in seen)
    assert seen[-1] == (1.0, "Opened model.onnx")
