"""Old operators against their upgraded form, both run by ONNX Runtime."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from handmade import Step, network, run_whole, whole_model
from onnx import TensorProto, helper, numpy_helper

from engine.errors import ExportError
from engine.interop.qdq import export_qdq
from engine.numerics import Evaluator, calibrate, synthetic_samples
from engine.numerics.upgrade import RULES, upgrade_kernel
from engine.precision.plan import Plan
from engine.precision.presets import preset
from engine.quant.ranges import Ranges
from engine.session.work import open_network

X = {"x": np.random.default_rng(0).standard_normal((2, 6, 5, 4)).astype(np.float32)}
F32 = lambda *values: np.array(values, np.float32)
ONES6 = np.linspace(0.5, 2, 6).astype(np.float32)

# name: (opset, nodes, constants, outputs)
CASES = {
    "Clip": (7, [("Clip", ["x"], ["y"], {"min": -0.5, "max": 0.7})], {}),
    "Clip one side": (10, [("Clip", ["x"], ["y"], {"max": 0.7})], {}),
    "Clip nothing": (6 + 1, [("Clip", ["x"], ["y"], {})], {}),
    "Pad": (10, [("Pad", ["x"], ["y"], {"pads": [0, 0, 1, 2, 0, 0, 0, 1], "value": 3.0})], {}),
    "Pad reflect": (7, [("Pad", ["x"], ["y"], {"pads": [0, 0, 1, 2, 0, 0, 0, 1], "mode": "reflect"})], {}),
    "Slice": (9, [("Slice", ["x"], ["y"], {"starts": [1, -3], "ends": [5, 1000], "axes": [1, 2]})], {}),
    "Slice first axes": (7, [("Slice", ["x"], ["y"], {"starts": [1, 2], "ends": [2, -1]})], {}),
    "Reshape": (4, [("Reshape", ["x"], ["y"], {"shape": [6, -1]})], {}),
    "TopK": (9, [("TopK", ["x"], ["y", "i"], {"k": 3})], {}),
    "Upsample attribute": (7, [("Upsample", ["x"], ["y"], {"scales": [1.0, 1.0, 2.0, 3.0]})], {}),
    "Upsample nearest": (9, [("Upsample", ["x", "s"], ["y"], {})], {"s": F32(1, 1, 2, 2)}),
    "Upsample linear": (9, [("Upsample", ["x", "s"], ["y"], {"mode": "linear"})], {"s": F32(1, 1, 2, 3)}),
    "Resize nearest": (10, [("Resize", ["x", "s"], ["y"], {})], {"s": F32(1, 1, 1.7, 0.6)}),
    "Resize shrink": (10, [("Resize", ["x", "s"], ["y"], {})], {"s": F32(1, 1, 0.7, 0.6)}),
    "Resize shrink linear": (10, [("Resize", ["x", "s"], ["y"], {"mode": "linear"})], {"s": F32(1, 1, 0.7, 0.6)}),
    "Resize linear": (10, [("Resize", ["x", "s"], ["y"], {"mode": "linear"})], {"s": F32(1, 1, 2, 1.5)}),
    "Resize 11": (11, [("Resize", ["x", "e", "s"], ["y"], {"mode": "cubic"})], {"s": F32(1, 1, 2, 2), "e": F32()}),
    "Dropout": (7, [("Dropout", ["x"], ["y"], {"ratio": 0.4})], {}),
    "Dropout 10": (10, [("Dropout", ["x"], ["y"], {"ratio": 0.4})], {}),
    "BatchNormalization": (
        7, [("BatchNormalization", ["x", "s", "b", "m", "v"], ["y"], {"epsilon": 0.1})],
        {"s": ONES6, "b": ONES6, "m": ONES6, "v": ONES6},
    ),
    "BatchNormalization 9": (
        9, [("BatchNormalization", ["x", "s", "b", "m", "v"], ["y"], {})],
        {"s": ONES6, "b": ONES6, "m": ONES6, "v": ONES6},
    ),
    "Squeeze": (11, [("Unsqueeze", ["x"], ["u"], {"axes": [0, 3]}), ("Squeeze", ["u"], ["y"], {"axes": [0]})], {}),
    "Squeeze all": (11, [("ReduceMean", ["x"], ["m"], {"axes": [0, 2]}), ("Squeeze", ["m"], ["y"], {})], {}),
    "ReduceSum": (11, [("ReduceSum", ["x"], ["y"], {"axes": [-1, 1], "keepdims": 0})], {}),
    "ReduceSum all": (11, [("ReduceSum", ["x"], ["y"], {})], {}),
    **{
        f"Reduce{name}": (13, [("Abs", ["x"], ["a"], {}), (f"Reduce{name}", ["a"], ["y"], {"axes": [1, 3]})], {})
        for name in ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "SumSquare")
    },
    "Split sizes": (11, [("Split", ["x"], ["y", "z"], {"axis": 1, "split": [2, 4]})], {}),
    "Split evenly": (11, [("Split", ["x"], ["y", "z", "q"], {"axis": 1})], {}),
    "Split evenly 13": (13, [("Split", ["x"], ["y", "z"], {"axis": 3})], {}),
    "Split sizes 13": (13, [("Split", ["x", "s"], ["y", "z"], {"axis": 3})], {"s": np.array([1, 3])}),
    "Softmax default": (11, [("Softmax", ["x"], ["y"], {})], {}),
    "Softmax first": (7, [("Softmax", ["x"], ["y"], {"axis": 0})], {}),
    "Softmax last": (11, [("Softmax", ["x"], ["y"], {"axis": 3})], {}),
    "Softmax minus one": (11, [("LogSoftmax", ["x"], ["y"], {"axis": -1})], {}),
    "LogSoftmax middle": (11, [("LogSoftmax", ["x"], ["y"], {"axis": 2})], {}),
    "Hardmax": (11, [("Hardmax", ["x"], ["y"], {})], {}),
    "Scatter": (
        10, [("Scatter", ["x", "i", "u"], ["y"], {"axis": 1})],
        {"i": np.array([[[[2, 0, 1, 3]]]]), "u": F32(9, 8, 7, 6).reshape(1, 1, 1, 4)},
    ),
    "RoiAlign": (
        10, [("RoiAlign", ["x", "r", "b"], ["y"], {"output_height": 2, "output_width": 2})],
        {"r": F32(0, 0, 3, 3, 1, 1, 2, 4).reshape(2, 4), "b": np.array([0, 1])},
    ),
    "GridSample": (
        16, [("GridSample", ["x", "g"], ["y"], {"mode": "bicubic"})],
        {"g": np.linspace(-1, 1, 2 * 3 * 3 * 2).astype(np.float32).reshape(2, 3, 3, 2)},
    ),
    "GridSample default": (
        16, [("GridSample", ["x", "g"], ["y"], {})],
        {"g": np.linspace(-1, 1, 2 * 3 * 3 * 2).astype(np.float32).reshape(2, 3, 3, 2)},
    ),
    "DFT": (17, [("Unsqueeze", ["x", "a"], ["u"], {}), ("DFT", ["u"], ["y"], {"axis": 2})], {"a": np.array([-1])}),
    "DFT default": (17, [("Unsqueeze", ["x", "a"], ["u"], {}), ("DFT", ["u"], ["y"], {})], {"a": np.array([-1])}),
    "GroupNormalization": (
        18, [("GroupNormalization", ["x", "s", "b"], ["y"], {"num_groups": 3})], {"s": F32(1, 2, 3), "b": F32(4, 5, 6)},
    ),
    "Gemm, Max, Pow, Where": (
        9,
        [("Flatten", ["x"], ["f"], {"axis": 2}), ("Gemm", ["f", "w", "c"], ["g"], {}), ("Max", ["g", "c"], ["m"], {}),
         ("Pow", ["m", "p"], ["q"], {}), ("Greater", ["q", "p"], ["t"], {}), ("Where", ["t", "q", "p"], ["y"], {})],
        {"w": np.eye(20, 7, dtype=np.float32), "c": F32(*range(7)), "p": F32(2)},
    ),
    "pooling and old activations": (
        8,
        [("MaxPool", ["x"], ["m"], {"kernel_shape": [2, 2], "pads": [1, 1, 0, 0]}), ("Elu", ["m"], ["e"], {}),
         ("AveragePool", ["e"], ["y"], {"kernel_shape": [2, 2], "pads": [0, 1, 0, 1], "count_include_pad": 1})], {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_it_computes_the_same_in_opset_21(name):
    opset, nodes, constants = CASES[name]
    outputs = list(nodes[-1][2])
    net = network(X, outputs, [Step(nodes, outputs, constants)], opset=opset)
    before = run_whole(whole_model(net), X)
    kernel = upgrade_kernel(net.kernels[0], opset, 21, net.tensors)
    for node in kernel.nodes:
        schema = onnx.defs.get_schema(node.proto.op_type, 21)
        assert not schema.deprecated
        assert {a.name for a in node.proto.attribute} <= set(schema.attributes)
    after = _model(net, kernel, outputs)
    onnx.checker.check_model(after, full_check=True)
    for a, b in zip(before, run_whole(after, X), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-6)


def test_every_rule_has_a_case():
    used = {node[0] for _, nodes, _ in CASES.values() for node in nodes}
    assert set(RULES) - used == {"Scan"}  # refused, see below


def test_bodies_are_upgraded_too():
    info = helper.make_tensor_value_info
    relu6 = helper.make_node("Clip", ["x"], ["c"], min=0.0, max=6.0)
    out = info("c", TensorProto.FLOAT, [2, 6, 5, 4])
    first = helper.make_graph([relu6], "then", [], [out])
    second = helper.make_graph([helper.make_node("Softmax", ["x"], ["c"])], "else", [], [out])
    inputs = {**X, "flag": np.array(False)}
    nodes = [("If", ["flag"], ["y"], {"then_branch": first, "else_branch": second})]
    net = network(inputs, ["y"], [Step(nodes, ["y"])], opset=10)
    after = _model(net, upgrade_kernel(net.kernels[0], 10, 21, net.tensors), ["y"])
    for flag in (True, False):
        feeds = {**X, "flag": np.array(flag)}
        np.testing.assert_allclose(run_whole(after, feeds)[0], run_whole(whole_model(net), feeds)[0], rtol=1e-5)


def test_what_has_no_counterpart_is_refused_by_name(tmp_path):
    nodes = [("BatchNormalization", ["x", "s", "s", "s", "s"], ["y"], {"spatial": 0})]
    bn = network(X, ["y"], [Step([("Relu", ["x"], ["y"], {})], ["y"])], opset=7)
    kernel = bn.kernels[0]
    node = helper.make_node(nodes[0][0], list(nodes[0][1]), list(nodes[0][2]), spatial=0)
    from dataclasses import replace

    odd = replace(bn, kernels=(replace(kernel, nodes=(replace(kernel.nodes[0], proto=node),)),))
    with pytest.raises(ExportError, match="layer0: BatchNormalization with spatial = 0"):
        export_qdq(odd, Plan(), Ranges(), tmp_path / "m.onnx")


def test_a_file_from_before_opset_7_is_exported(tmp_path):
    """ONNX Runtime runs what opset 7 did not change: Conv of any opset, and Reshape with its shape as an attribute."""
    rng = np.random.default_rng(3)
    weight = rng.standard_normal((4, 3, 3, 3)).astype(np.float32)
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 3, 8, 8])
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], kernel_shape=[3, 3]),
        helper.make_node("Reshape", ["c"], ["r"], shape=[4, -1]),
        helper.make_node("Transpose", ["r"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes, "old", [x], [onnx.ValueInfoProto(name="y")], [numpy_helper.from_array(weight, "w")]
    )
    path = tmp_path / "old.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 4)], ir_version=4), path)
    net = open_network(path)
    samples = synthetic_samples(net.graph, 1)
    evaluator = Evaluator(net, samples, ranges=calibrate(net, samples))
    try:
        plan = preset(net, "int8")
        export_qdq(net, plan, evaluator.ranges, tmp_path / "new.onnx")
        (preview,) = evaluator.output(plan)
    finally:
        evaluator.close()
    settings = ort.SessionOptions()
    settings.add_session_config_entry("session.disable_quant_qdq", "1")
    session = ort.InferenceSession(str(tmp_path / "new.onnx"), settings, providers=["CPUExecutionProvider"])
    np.testing.assert_allclose(session.run(None, dict(samples.feeds[0]))[0], preview["y"], rtol=1e-3, atol=1e-4)


def _model(net, kernel, outputs) -> onnx.ModelProto:
    graph = net.graph
    body = helper.make_graph(
        [n.proto for n in kernel.nodes],
        "after",
        [
            helper.make_tensor_value_info(i.name, helper.np_dtype_to_tensor_dtype(i.dtype), i.shape)
            for i in graph.inputs
        ],
        [
            helper.make_tensor_value_info(
                o, helper.np_dtype_to_tensor_dtype(net.tensors[o].dtype), net.tensors[o].shape
            )
            for o in outputs
        ],
        [onnx.numpy_helper.from_array(np.require(a, requirements="C"), n) for n, a in kernel.constants.items()],
    )
    return helper.make_model(body, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
