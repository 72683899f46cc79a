"""Graphs of every odd kind run kernel by kernel as ONNX Runtime runs them whole."""

from __future__ import annotations

from contextlib import closing

import ml_dtypes
import numpy as np
import pytest
from handmade import Step, network, run_whole, samples_like, whole_model
from onnx import TensorProto, helper, numpy_helper

from engine.fusion.types import Kind
from engine.interop.qdq import export_qdq
from engine.numerics import Evaluator, SampleSet, calibrate
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT4, INT8
from engine.progress import NEVER
from engine.tuning import replay


def f32(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def matmul(x: str, y: str, k: int = 8, n: int = 8, dtype=np.float32, name: str = "w") -> Step:
    weight = f32(k, n).astype(dtype)
    return Step([("MatMul", [x, name], [y], {})], [y], {name: weight}, Kind.MATMUL, name, (1,), (0,), x)


def several_outputs():
    x = {"x": f32(2, 8)}
    split = Step([("Split", ["m"], ["a", "b"], {"axis": 1, "num_outputs": 2})], ["a", "b"])
    top = Step([("TopK", ["b", "k"], ["v", "i"], {})], ["v", "i"], {"k": np.array([2])})
    return network(x, ["a", "v", "i"], [matmul("x", "m"), split, top], opset=18), x


def shapes_that_depend_on_values():
    x = {"x": f32(6, 8)}
    chosen = Step(
        [("Greater", ["s", "zero"], ["c"], {}), ("Compress", ["m", "c"], ["g"], {"axis": 0})],
        ["g"], {"zero": np.float32(0)},
    )  # fmt: skip
    scores = Step([("ReduceSum", ["x", "ax"], ["s"], {"keepdims": 0})], ["s"], {"ax": np.array([1])})
    return network(
        x, ["y"], [matmul("x", "m"), scores, chosen, matmul("g", "y", name="w2")], dynamic=["g", "y"]
    ), x  # fmt: skip


def shapes_that_depend_on_quantized_values():
    x = {"x": f32(400, 8)}
    chosen = Step(
        [("ReduceSum", ["m", "ax"], ["s"], {"keepdims": 0}), ("Greater", ["s", "zero"], ["c"], {}),
         ("Compress", ["m", "c"], ["g"], {"axis": 0})],
        ["g"], {"zero": np.float32(0), "ax": np.array([1])},
    )  # fmt: skip
    return network(x, ["y"], [matmul("x", "m"), chosen, matmul("g", "y", name="w2")], dynamic=["g", "y"]), x


def bodies_that_capture():
    x = {"x": f32(2, 8), "flag": np.array(True)}
    info = helper.make_tensor_value_info
    one = helper.make_graph(
        [helper.make_node("Mul", ["m", "c"], ["t"])], "one", [], [info("t", TensorProto.FLOAT, [2, 8])]
    )
    two = helper.make_graph(
        [helper.make_node("Add", ["m", "x"], ["e"])], "two", [], [info("e", TensorProto.FLOAT, [2, 8])]
    )
    branch = Step([("If", ["flag"], ["y"], {"then_branch": one, "else_branch": two})], ["y"], {"c": np.float32(2)})
    return network(x, ["y"], [matmul("x", "m"), branch]), x


def a_branch_that_is_impossible_with_these_shapes():
    x = {"x": f32(2, 8), "flag": np.array(True)}
    info = helper.make_tensor_value_info
    one = helper.make_graph([helper.make_node("Relu", ["m"], ["t"])], "one", [], [info("t", TensorProto.FLOAT, None)])
    two = helper.make_graph(
        [helper.make_node("MatMul", ["x", "c"], ["e"])], "two", [], [info("e", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(f32(5, 8), "c")],
    )  # fmt: skip
    branch = Step([("If", ["flag"], ["y"], {"then_branch": one, "else_branch": two})], ["y"])
    return network(x, ["y"], [matmul("x", "m"), branch]), x


def empty_tensors():
    x = {"x": f32(0, 8)}
    return network(x, ["y"], [matmul("x", "m"), Step([("Relu", ["m"], ["y"], {})], ["y"])]), x


def constants_and_inputs_as_outputs():
    x = {"x": f32(2, 8), "ids": np.arange(3)}
    keep = {"table": f32(3, 3)}
    return network(x, ["y", "table", "ids"], [matmul("x", "y")], constants=keep), x


def integers_only():
    x = {"x": f32(4, 8)}
    return network(x, ["y"], [matmul("x", "m"), Step([("ArgMax", ["m"], ["y"], {"axis": 1})], ["y"])]), x


def half_model():
    x = {"x": f32(3, 8).astype(np.float16)}
    act = Step([("Relu", ["m"], ["r"], {})], ["r"])
    return network(
        x, ["y"], [matmul("x", "m", dtype=np.float16), act, matmul("r", "y", dtype=np.float16, name="w2")]
    ), x


def double_model():
    x = {"x": f32(3, 8).astype(np.float64)}
    return network(x, ["y"], [matmul("x", "m", dtype=np.float64), Step([("Relu", ["m"], ["y"], {})], ["y"])]), x


def other_domain():
    x = {"x": f32(3, 8)}
    gelu = Step([("com.microsoft:Gelu", ["m"], ["y"], {})], ["y"])
    return network(x, ["y"], [matmul("x", "m"), gelu], domains={"com.microsoft": 1}), x


def local_function():
    body = [helper.make_node("Add", ["a", "a"], ["d"]), helper.make_node("Relu", ["d"], ["r"])]
    made = helper.make_function("mine", "Twice", ["a"], ["r"], body, [helper.make_opsetid("", 21)])
    x = {"x": f32(3, 8)}
    step = Step([("mine:Twice", ["m"], ["y"], {})], ["y"])
    return network(x, ["y"], [matmul("x", "m"), step], opset=21, domains={"mine": 1}, functions=[made]), x


def a_scalar():
    x = {"x": f32(3, 8)}
    return network(x, ["y"], [matmul("x", "m"), Step([("ReduceSum", ["m"], ["y"], {"keepdims": 0})], ["y"])]), x


def nothing_but_movement():
    x = {"x": f32(3, 8)}
    return network(x, ["y"], [Step([("Transpose", ["x"], ["y"], {"perm": [1, 0]})], ["y"])]), x


ODD = [
    several_outputs, shapes_that_depend_on_values, bodies_that_capture,
    a_branch_that_is_impossible_with_these_shapes, empty_tensors,
    constants_and_inputs_as_outputs, integers_only, half_model, double_model, other_domain, local_function, a_scalar,
    nothing_but_movement,
]  # fmt: skip


@pytest.mark.parametrize("make", ODD, ids=lambda make: make.__name__)
def test_the_reference_is_the_model_and_the_file_is_the_preview(make, tmp_path):
    net, inputs = make()
    samples = samples_like(inputs, 3)
    for feeds in samples.feeds:
        feeds.update({name: array for name, array in inputs.items() if array.dtype == bool})
    ranges = calibrate(net, samples)
    evaluator = Evaluator(net, samples, ranges=ranges)
    try:
        for feeds, outputs in zip(samples.feeds, evaluator.output(Plan()), strict=True):
            for info, want in zip(net.graph.outputs, run_whole(whole_model(net), feeds), strict=True):
                # Between half kernels ONNX Runtime keeps float32 when it sees them together.
                loose = 5e-3 if want.dtype == np.float16 else 1e-5
                np.testing.assert_allclose(outputs[info.name], want, rtol=loose, atol=loose)
        for scheme in (FP16, INT8, INT4):
            plan = Plan({kernel.id: scheme for kernel in net.tunable})
            found = evaluator.evaluate(plan)
            assert found.output.sqnr_db > 5 or not found.output.sums.measurable
            assert set(found.accumulated) <= {kernel.id for kernel in net.kernels}
            export_qdq(net, plan, ranges, tmp_path / "m.onnx")
            for feeds, outputs in zip(samples.feeds, evaluator.output(plan), strict=True):
                for info, got in zip(net.graph.outputs, run_whole(str(tmp_path / "m.onnx"), feeds), strict=True):
                    loose = 5e-3 if got.dtype == np.float16 else 1e-4
                    np.testing.assert_allclose(got, outputs[info.name], rtol=loose, atol=loose)
        found = evaluator.evaluate(Plan()).output
        assert found.sqnr_db == np.inf or not found.sums.measurable
    finally:
        evaluator.close()


@pytest.mark.parametrize("blocks", [1, 40])
@pytest.mark.parametrize("make", ODD, ids=lambda make: make.__name__)
def test_an_exact_sweep_gives_the_outputs_of_the_evaluator(make, blocks, monkeypatch):
    monkeypatch.setattr(replay, "_BLOCKS", blocks)
    net, inputs = make()
    samples = samples_like(inputs, 2)
    for feeds in samples.feeds:
        feeds.update({name: array for name, array in inputs.items() if array.dtype == bool})
    with closing(Evaluator(net, samples)) as evaluator, closing(replay.Replay(evaluator, Plan())) as made:
        made.prepare(NEVER)
        for kernel in net.tunable:
            begun = made.begin(kernel.id, INT8, NEVER, outputs=True)
            made.finish(begun, NEVER)
            outputs = [begun.outputs[sample] for sample in range(2)]
            for got, want in zip(outputs, evaluator.output(Plan({kernel.id: INT8})), strict=True):
                for name, array in want.items():
                    loose = 5e-3 if array.dtype == np.float16 else 1e-5
                    np.testing.assert_allclose(got[name], array, rtol=loose, atol=loose)


def test_a_result_of_another_shape_has_infinite_noise():
    net, inputs = shapes_that_depend_on_quantized_values()
    evaluator = Evaluator(net, samples_like(inputs, 4))
    try:
        found = evaluator.evaluate(Plan({kernel.id: INT4 for kernel in net.tunable}))
        assert np.isfinite(found.accumulated[net.kernels[0].id].sqnr_db)
        assert found.accumulated[net.kernels[1].id].sqnr_db == -np.inf
        assert found.output.sqnr_db == -np.inf
        assert found.output.max_abs == np.inf
        assert evaluator.evaluate(Plan()).output.sqnr_db == np.inf
    finally:
        evaluator.close()


def test_text_goes_through():
    x = {"x": np.array(["a", "bb", "a"], object), "v": f32(3, 8)}
    step = Step(
        [("ai.onnx.ml:LabelEncoder", ["x"], ["i"], {"keys_strings": ["a", "bb"], "values_int64s": [0, 1]})], ["i"]
    )
    same = Step([("Identity", ["x"], ["s"], {})], ["s"])
    net = network(x, ["i", "s", "y"], [step, same, matmul("v", "y")], domains={"ai.onnx.ml": 2})
    samples = SampleSet([x, {**x, "x": np.array(["bb", "a", "bb"], object)}], "tests")
    evaluator = Evaluator(net, samples)
    try:
        outputs = evaluator.output(Plan({net.kernels[2].id: INT8}))
        assert [o["i"].tolist() for o in outputs] == [[0, 1, 0], [1, 0, 1]]
        assert outputs[1]["s"].tolist() == ["bb", "a", "bb"]
        assert evaluator.evaluate(Plan({net.kernels[2].id: INT8})).output.sqnr_db > 20
    finally:
        evaluator.close()


def test_bfloat16_is_measured():
    x = {"x": f32(4, 8)}
    down = Step([("Cast", ["m"], ["b"], {"to": TensorProto.BFLOAT16})], ["b"])
    up = Step([("Cast", ["b"], ["f"], {"to": TensorProto.FLOAT})], ["f"])
    net = network(x, ["y"], [matmul("x", "m"), down, up, matmul("f", "y", name="w2")])
    assert net.tensors["b"].dtype == ml_dtypes.bfloat16
    evaluator = Evaluator(net, samples_like(x, 2))
    try:
        found = evaluator.evaluate(Plan({net.kernels[0].id: INT8}))
        assert 20 < found.accumulated[net.kernels[1].id].sqnr_db < 60
        assert evaluator.capture(net.kernels[1].id, Plan()).reference.dtype == ml_dtypes.bfloat16
    finally:
        evaluator.close()


def test_overflow_in_half_is_counted_not_hidden():
    x = {"x": np.full((2, 8), 300, np.float32)}
    net = network(x, ["y"], [Step([("MatMul", ["x", "w"], ["y"], {})], ["y"], {"w": np.full((8, 4), 100, np.float32)},
                                  Kind.MATMUL, "w", (1,), (0,), "x")])  # fmt: skip
    evaluator = Evaluator(net, SampleSet([x], "tests"))
    try:
        plan = Plan({net.kernels[0].id: FP16})
        found = evaluator.evaluate(plan)
        assert found.accumulated[net.kernels[0].id].nonfinite == 8
        assert found.output.sums.nonfinite == 8
        assert found.output.sqnr_db == -np.inf
        assert found.output.cosine == 0
        assert next(evaluator.local_errors(plan))[2].nonfinite == 8
    finally:
        evaluator.close()
