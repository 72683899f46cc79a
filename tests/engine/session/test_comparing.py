"""Any two sources against each other: reference, plans, emulated integer kernels and dumps of others; weights too."""

from __future__ import annotations

import json

import numpy as np
import onnx
import pytest
from driving import Driver
from onnx import TensorProto, helper, numpy_helper

from engine.interop.dump_open import open_dump
from engine.interop.samples import DataSource
from engine.numerics import Evaluator
from engine.numerics.dumps import write_dump
from engine.precision.presets import preset
from engine.precision.scheme import INT4, INT8, ActivationFormat, Scheme, WeightFormat
from engine.quant.ranges import activation_params
from engine.quant.weights import quantize_weight
from engine.session.checks import check
from engine.session.comparing import CURRENT, EMULATED, ON_DEVICE, REFERENCE, Source
from engine.session.names_kept import FILE


@pytest.fixture
def opened(tmp_path, cnn_path):
    made = Driver(tmp_path)
    made.open(cnn_path)
    made.session.apply_preset("int8")
    made.settle()
    yield made
    made.session.close()


def shown(driver, kernel, sample=0):
    driver.session.captured = None
    driver.session.capture(kernel.id, sample)
    driver.settle()
    return driver.session.captured


@pytest.fixture
def dumped(opened, tmp_path):
    """The INT8 plan's values of the session's own samples, in a folder."""
    session = opened.session
    evaluator = session._work._evaluator
    copy = Evaluator(session.network, evaluator.samples, ranges=session.ranges)
    try:
        write_dump(copy, preset(session.network, "int8"), tmp_path / "dump", samples=[0, 1])
    finally:
        copy.close()
    return tmp_path / "dump"


def test_kept_plans_stand_on_either_side(opened):
    session = opened.session
    session.keep_plan("old")
    session.apply_preset("int4")
    opened.settle()
    kernel = session.network.tunable[2]
    reference_to_int4 = shown(opened, kernel)
    session.comparing.choose(Source("kept", "old"), CURRENT)
    found = shown(opened, kernel)
    np.testing.assert_array_equal(found.result, reference_to_int4.result)
    assert found.sums.noise > 0
    session.comparing.choose(REFERENCE, Source("kept", "old"))
    kept = shown(opened, kernel)
    np.testing.assert_array_equal(kept.result, found.reference)
    assert kept.sums.noise < reference_to_int4.sums.noise
    session.comparing.swap()
    np.testing.assert_array_equal(shown(opened, kernel).reference, kept.result)


@pytest.mark.parametrize("scheme", [INT8, INT4])
def test_emulated_kernels_agree_with_the_preview_of_every_kernel(opened, scheme):
    session = opened.session
    session.set_scheme([k.id for k in session.network.tunable], scheme)
    opened.settle()
    for kernel in session.network.tunable:
        session.comparing.choose(CURRENT, EMULATED)
        found = shown(opened, kernel, 1)
        assert found.sums.sqnr_db > 60, kernel.name


def test_a_kernel_as_the_device_runs_it_has_the_bits_of_the_emulated_one(opened):
    session = opened.session
    assert ON_DEVICE in session.comparing.sources()
    session.set_scheme([k.id for k in session.network.tunable], INT8)
    opened.settle()
    session.comparing.choose(EMULATED, ON_DEVICE)
    for kernel in session.network.tunable[:2]:
        found = shown(opened, kernel)
        np.testing.assert_array_equal(found.result, found.reference)
        assert any("FRACTAL_NZ" in str(note) for note in found.notes)


def test_a_bias_behind_a_matrix_product_is_emulated_once(tmp_path):
    rng = np.random.default_rng(0)
    weights = {"w": rng.standard_normal((64, 32)) * 0.2, "b": rng.standard_normal(32)}
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["m"], "/m"), helper.make_node("Add", ["m", "b"], ["a"], "/a"),
         helper.make_node("Relu", ["a"], ["y"], "/r")],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 8, 64])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 8, 32])],
        [numpy_helper.from_array(a.astype(np.float32), n) for n, a in weights.items()],
    )  # fmt: skip
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "m.onnx")
    made = Driver(tmp_path)
    try:
        made.open(tmp_path / "m.onnx")
        made.session.apply_preset("int8")
        made.settle()
        (kernel,) = made.session.network.kernels
        assert len(kernel.nodes) == 3
        made.session.comparing.choose(CURRENT, EMULATED)
        found = shown(made, kernel)
        assert found.sums.sqnr_db > 60
        assert found.tensor == "y"
    finally:
        made.session.close()


def test_a_dump_of_mixbit_is_matched_by_kernel_and_has_no_error(opened, dumped):
    session = opened.session
    session.comparing.open_dump(dumped)
    opened.settle()
    assert session.comparing.a == Source("dump", str(dumped))
    for kernel in session.network.kernels:
        found = shown(opened, kernel, 1)
        assert found.sums.noise == 0
        assert found.notes == ()
        assert not isinstance(found.result, np.memmap)
        assert isinstance(found.reference, np.memmap)
    table = session.comparing.dumps[str(dumped)]
    assert table.counts == {"id": 2 * len(session.network.kernels)}
    found = shown(opened, session.network.kernels[0], 5)
    assert found is None
    assert "has no output of stem for sample 6" in opened.errors()[-1]


def test_other_inputs_are_told(opened, dumped):
    manifest = dumped / "manifest.json"
    read = json.loads(manifest.read_text())
    read["samples"][0]["sha256"] = "0" * 64
    manifest.write_text(json.dumps(read))
    opened.session.comparing.open_dump(dumped)
    opened.settle()
    (note,) = shown(opened, opened.session.network.kernels[0]).notes
    assert "fed other inputs" in str(note)


def test_corrected_names_are_remembered_for_the_model(opened, dumped, tmp_path, cnn_path):
    session = opened.session
    head = session.network.kernels[-1]
    values = next(t for t in open_dump(dumped).tensors if t.kernel == head.id and t.sample == 0).read()
    (tmp_path / "other").mkdir()
    np.save(tmp_path / "other" / "zebra.npy", values)
    path = str(tmp_path / "other")
    session.comparing.open_dump(tmp_path / "other")
    opened.settle()
    assert "none of its 1 names is a layer" in opened.errors()[-1]
    session.comparing.correct(path, "zebra", (head.id, 0))
    assert shown(opened, head).sums.noise == 0
    assert json.loads((tmp_path / "settings" / FILE).read_text())[session.network.graph.sha256]["zebra"] == [head.id, 0]
    again = Driver(tmp_path)
    try:
        again.open(cnn_path)
        again.session.comparing.open_dump(tmp_path / "other")
        again.settle()
        assert again.session.comparing.dumps[path].matches[0].how == "user"
    finally:
        again.session.close()
    session.comparing.close_dump(path)
    assert (session.comparing.a, session.comparing.dumps) == (REFERENCE, {})


def test_weights_are_compared_as_a_matrix_with_the_scales_of_their_groups(opened):
    session = opened.session
    kernel = session.network.tunable[-1]
    session.set_scheme([kernel.id], INT4)
    opened.settle()
    session.comparing.choose(weights=True)
    found = shown(opened, kernel)
    weight = kernel.constants[kernel.weight.constant]
    made = quantize_weight(weight, kernel.weight, INT4.weights)
    np.testing.assert_array_equal(found.reference, weight.reshape(10, 32))
    np.testing.assert_array_equal(found.result, made.matrix())
    np.testing.assert_array_equal(found.scales, made.scales)
    assert (found.axis, found.tensor) == (0, "head.weight")
    session.comparing.choose(b=EMULATED)
    np.testing.assert_array_equal(shown(opened, kernel).result, made.matrix())
    plain = next(k for k in session.network.kernels if not k.tunable)
    assert shown(opened, plain) is None
    assert "has no weights to compare" in opened.errors()[-1]


def test_weights_of_a_dump_and_the_fusion_table_beside_it(opened, tmp_path):
    session = opened.session
    kernel = session.network.tunable[-1]
    (tmp_path / "d").mkdir()
    weight = kernel.constants[kernel.weight.constant]
    np.savez(tmp_path / "d" / "w.npz", head_weight=weight.T + 1, fused_3=np.zeros((1, 10), np.float32))
    (tmp_path / "d" / "fusion_op_0.csv").write_text("Fusion Op,Original Ops\nfused_3,/head/Gemm\n")
    session.comparing.open_dump(tmp_path / "d" / "w.npz")
    opened.settle()
    path = str(tmp_path / "d" / "w.npz")
    assert {m.how for m in session.comparing.dumps[path].matches} == {"characters", "csv"}
    session.comparing.choose(REFERENCE, Source("dump", path), weights=True)
    np.testing.assert_allclose(shown(opened, kernel).result, weight + 1)
    session.comparing.correct(path, "head_weight", None)
    assert {m.how for m in session.comparing.dumps[path].matches} == {"user", "csv"}  # the table is still used
    assert shown(opened, kernel) is None
    assert "has no weight head.weight" in opened.errors()[-1]
    (tmp_path / "other.csv").write_text("Fusion Op,Original Ops\nfused_9,/head/Gemm\n")
    session.comparing.use_fusions(path, tmp_path / "other.csv")
    opened.settle()
    assert {m.tensor.name: m.kernel for m in session.comparing.dumps[path].matches}["fused_3"] == ""


def test_saturation_on_evaluation_samples_is_known_to_the_window_and_told_by_preflight(opened, tmp_path):
    session = opened.session
    assert set(session.observed) == {k.weight.activation for k in session.network.tunable}
    assert all(seen.beyond < 0.05 for seen in session.observed.values())
    rng = np.random.default_rng(0)
    for name, spread in (("calibration", 0.2), ("evaluation", 2.0)):
        np.savez(tmp_path / f"{name}.npz", image=rng.standard_normal((4, 3, 16, 16)).astype(np.float32) * spread)
    session.set_data(*(DataSource("arrays", str(tmp_path / f"{n}.npz")) for n in ("calibration", "evaluation")))
    opened.settle()
    found = {f.code: f for f in check(session)}
    assert "saturation" in found
    assert "beyond the calibrated range" in str(found["saturation"].detail)
    session.apply_preset("fp16")
    opened.settle()
    assert "saturation" not in {f.code for f in check(session)}


def test_levels_are_those_of_the_kernel_that_reads_next(opened):
    session = opened.session
    stem, after = session.network.tunable[:2]
    found = shown(opened, stem)
    params = activation_params(session.ranges.ranges[after.weight.activation], INT8.activations)
    assert found.tensor == after.weight.activation
    assert found.levels.count == 256
    assert found.levels.scale == params.scale
    assert found.levels.high - found.levels.low == pytest.approx(255 * params.scale)
    session.apply_preset("fp16")
    opened.settle()
    assert shown(opened, stem).levels is None


def test_bad_dumps_are_one_sentence_and_change_nothing(opened, tmp_path):
    session = opened.session
    session.comparing.open_dump(tmp_path / "nowhere")
    opened.settle()
    assert "does not exist" in opened.errors()[-1]
    assert session.comparing.dumps == {}
    assert session.comparing.a == REFERENCE


def test_a_damaged_book_of_names_is_written_anew(tmp_path, cnn_path):
    (tmp_path / "settings").mkdir()
    (tmp_path / "settings" / FILE).write_bytes(b"\xff{")
    made = Driver(tmp_path)
    try:
        made.open(cnn_path)
        made.session.comparing.correct("nowhere", "a", None)
        assert made.errors() == []
    finally:
        made.session.close()


@pytest.mark.parametrize("behind", ["BatchNormalization", "Relu"])
def test_a_weight_in_front_of_a_batch_norm_is_said_to_be_folded(tmp_path, behind):
    rng = np.random.default_rng(0)
    arrays = {
        "w": rng.normal(0, 1, (4, 3, 3, 3)),
        **{n: rng.uniform(0.5, 2, 4) for n in ("gamma", "beta", "mean", "var")},
    }
    names = ["c", "gamma", "beta", "mean", "var"] if behind == "BatchNormalization" else ["c"]
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"], pads=[1] * 4), helper.make_node(behind, names, ["y"])]
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, (1, c, 8, 8)) for n, c in (("x", 3), ("y", 4))]
    initializers = [numpy_helper.from_array(a.astype(np.float32), n) for n, a in arrays.items() if n in ("w", *names)]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), tmp_path / "m.onnx")
    driver = Driver(tmp_path)
    driver.open(tmp_path / "m.onnx")
    driver.session.comparing.choose(weights=True)
    notes = [str(note) for note in shown(driver, driver.session.network.tunable[0]).notes]
    assert [note.startswith("w is shown folded") for note in notes] == [True] * (behind != "Relu")
    driver.session.comparing.choose(weights=False)
    assert not shown(driver, driver.session.network.tunable[0]).notes
    driver.session.close()


def test_of_two_dumps_that_are_opened_at_once_both_are_read(opened, tmp_path):
    session = opened.session
    last = session.network.kernels[-1].outputs[0]
    values = np.zeros(session.network.tensors[last].shape, np.float32)
    paths = [tmp_path / f"{name}.npz" for name in "ab"]
    for path in paths:
        np.savez(path, **{last: values})
    for path in paths:
        session.comparing.open_dump(path)
    opened.settle()
    assert (session.comparing.a, session.comparing.b) == tuple(Source("dump", str(path)) for path in paths)


def test_what_an_emulated_kernel_does_otherwise_is_noted(tmp_path):
    rng = np.random.default_rng(0)
    weights = {"t": rng.standard_normal((30, 16)), "w": rng.standard_normal((1, 24, 16)), "r": np.zeros((1, 24, 6))}
    weights |= {"v": rng.standard_normal((16, 8))}
    graph = helper.make_graph(
        [helper.make_node("Gather", ["t", "i"], ["e"], "/table"),
         helper.make_node("LSTM", ["e", "w", "r"], ["h"], "/steps", hidden_size=6),
         helper.make_node("MatMul", ["e", "v"], ["m"], "/product"),
         helper.make_node("Transpose", ["m"], ["mt"], "/turned", perm=[0, 2, 1]),
         helper.make_node("MatMul", ["m", "mt"], ["s"], "/both")],
        "g",
        [helper.make_tensor_value_info("i", TensorProto.INT64, [4, 2])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("h", "s")],
        [numpy_helper.from_array(a.astype(np.float32), n) for n, a in weights.items()],
    )  # fmt: skip
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "m.onnx")
    made = Driver(tmp_path)
    try:
        made.open(tmp_path / "m.onnx")
        session = made.session
        kernels = {kernel.nodes[kernel.anchor].proto.name: kernel for kernel in session.network.kernels}
        session.set_scheme([k.id for k in session.network.tunable], INT8)
        wide = Scheme(WeightFormat(16), ActivationFormat(16, symmetric=True))
        session.set_scheme([kernels["/product"].id], wide)
        made.settle()
        session.comparing.choose(CURRENT, EMULATED)
        words = {"/table": "there are no sums", "/steps": "its state stays in floats", "/product": "in 64 bits"}
        for name, note in words.items():
            found = shown(made, kernels[name])
            assert found.sums.sqnr_db > 60
            assert any(note in str(text) for text in found.notes)
        assert shown(made, kernels["/both"]) is None
        assert "both operands are computed at run time" in made.errors()[-1]
    finally:
        made.session.close()
