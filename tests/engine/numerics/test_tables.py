"""Big tables of rows go into a session with each run; nobody who uses the session sees that."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import onnxruntime as ort
import pytest
from handmade import Step, network
from onnx import TensorProto, helper

from engine.fusion.types import Kind
from engine.numerics import Evaluator, SampleSet, tables
from engine.numerics.models import build_model
from engine.numerics.runtime import open_session, options
from engine.numerics.tables import TableSession, as_inputs, tables_of
from engine.precision.plan import Plan
from engine.precision.scheme import BF16, FP16, FP32, INT4, INT8

ROWS, WIDTH = 4096, 64


def embedded():
    rng = np.random.default_rng(2)
    table = rng.standard_normal((ROWS, WIDTH)).astype(np.float32)
    steps = [
        Step([("Gather", ["w", "ids"], ["rows"], {})], ["rows"], {"w": table}, Kind.EMBEDDING, "w",
             reduction=(1,)),
        Step([("MatMul", ["rows", "m"], ["y"], {})], ["y"],
             {"m": rng.standard_normal((WIDTH, 8)).astype(np.float32)}, Kind.MATMUL, "m", channels=(1,), reduction=(0,),
             activation="rows"),
    ]  # fmt: skip
    ids = rng.integers(0, ROWS, (1, 12))
    return network({"ids": ids}, ["y"], steps), table, ids


def opened(net):
    kernel = net.kernels[0]
    built = build_model(net.graph, [n.proto for n in kernel.nodes], kernel.inputs, kernel.outputs, kernel.constants)
    return open_session(built, options())


def test_a_table_is_not_copied_and_every_way_to_run_gives_its_rows():
    net, table, ids = embedded()
    session = opened(net)
    assert isinstance(session, TableSession)
    (held,) = session._tables.values()
    assert np.shares_memory(held.numpy(), net.kernels[0].constants["w"])
    assert [info.name for info in session.get_inputs()] == ["ids"]
    np.testing.assert_array_equal(session.run(None, {"ids": ids})[0], table[ids])
    value = ort.OrtValue.ortvalue_from_numpy(ids)
    np.testing.assert_array_equal(session.run_with_ort_values(["rows"], {"ids": value})[0].numpy(), table[ids])
    binding = session.io_binding()
    binding.bind_ortvalue_input("ids", value)
    binding.bind_output("rows", "cpu")
    session.run_with_iobinding(binding)
    np.testing.assert_array_equal(binding.copy_outputs_to_cpu()[0], table[ids])


@pytest.mark.parametrize("scheme", [FP32, FP16, BF16, INT8, INT4])
def test_a_plan_is_the_same_with_and_without(scheme, monkeypatch):
    net, _, ids = embedded()
    samples = SampleSet(({"ids": ids}, {"ids": ids[:, ::-1].copy()}), "made")
    plan, found = Plan({net.kernels[0].id: scheme}), []
    for least in (0, 1 << 40):
        monkeypatch.setattr(tables, "_LEAST_BYTES", least)
        with closing(Evaluator(net, samples)) as evaluator:
            found.append(evaluator.evaluate(plan).output)
            assert isinstance(evaluator.session(net.kernels[0], scheme), TableSession) == (not least)
    assert found[0] == found[1]


def test_what_anything_else_reads_stays_a_constant():
    table, index = np.zeros((ROWS, WIDTH), np.float32), "i"

    def graph(*nodes, outputs=("y",)):
        made = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
        return helper.make_graph([helper.make_node(op, i, o) for op, i, o in nodes], "g", [], made)

    gather = ("Gather", ["w", index], ["y"])
    assert set(tables_of(graph(gather), {"w": table})) == {"w"}
    assert not tables_of(graph(gather), {"w": table[:8]})
    assert not tables_of(graph(gather, ("MatMul", ["y", "w"], ["z"])), {"w": table})
    assert not tables_of(graph(("Gather", ["x", "w"], ["y"])), {"w": table})
    assert not tables_of(graph(gather, outputs=("y", "w")), {"w": table})
    assert not tables_of(graph(("GatherElements", ["w", index], ["y"])), {"w": table})
    body = graph(("Identity", ["w"], ["z"]))
    either = helper.make_node("If", ["c"], ["z"], then_branch=body, else_branch=body)
    with_body = graph(gather)
    with_body.node.append(either)
    assert not tables_of(with_body, {"w": table})


def test_the_model_itself_is_left_as_it_was():
    net, table, _ = embedded()
    kernel = net.kernels[0]
    built = build_model(net.graph, [n.proto for n in kernel.nodes], kernel.inputs, kernel.outputs, kernel.constants)
    before = built.proto.SerializeToString()
    made = as_inputs(built.proto, {"w": table})
    assert [info.name for info in made.graph.input] == ["ids", "w"]
    assert not made.graph.initializer
    assert built.proto.SerializeToString() == before
