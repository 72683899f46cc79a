"""Every backward rule against finite differences of the forward pass."""

from __future__ import annotations

import importlib
import itertools
import pkgutil
import warnings
from functools import cache

import numpy as np
import onnx
import pytest
import rule_cases
from derivatives import Case, RefusedError, segment_of, worst_error
from onnx import helper, numpy_helper

from engine.tuning.adjoint import RULES, Segment, Tape, backward

TOLERANCE = 3e-3
_FAMILIES = (
    rule_cases.convolutions,
    rule_cases.products,
    rule_cases.windows,
    rule_cases.contributed,
    rule_cases.wiring,
)
HANDMADE = dict(itertools.chain.from_iterable(family() for family in _FAMILIES))
BIG = {"averagepool", "maxpool", "lppool"}
"""Modules of ONNX's test models that hold big arrays; `rule_cases.windows` has small ones."""


@pytest.mark.parametrize("name", HANDMADE)
def test_rule(name: str) -> None:
    assert worst_error(HANDMADE[name]) < TOLERANCE


def test_rules_on_the_models_of_the_standard() -> None:
    """Those with a float input and a float result, whose operator has a rule."""
    checked: set[str] = set()
    count = 0
    for name, case in _standard_cases():
        try:
            error = worst_error(case)
        except RefusedError:
            continue
        assert error < TOLERANCE, name
        count += 1
        checked |= {node.op_type for node in case.nodes}
    assert count >= 450
    unchecked = {name.rpartition(".")[2] for name in RULES} - checked
    elsewhere = {node.op_type for case in HANDMADE.values() for node in case.nodes}
    assert unchecked <= elsewhere


def _standard_cases():
    for test in _standard_tests():
        model: onnx.ModelProto = test.model
        opset = max((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), default=0)
        graph = model.graph
        if opset < 13 or model.functions or not test.data_sets or "large_number" in test.name:
            continue
        arrays = [a for a in test.data_sets[0][0] if isinstance(a, np.ndarray | np.generic)]
        if len(arrays) != len(graph.input) or any(np.asarray(a).dtype.kind not in "fiub" for a in arrays):
            continue
        inputs = {info.name: np.asarray(a) for info, a in zip(graph.input, arrays, strict=True)}
        floats = [name for name, array in inputs.items() if array.dtype == np.float32 and array.size]
        if not floats or graph.output[0].type.tensor_type.elem_type != onnx.TensorProto.FLOAT:
            continue
        if graph.node[-1].output[0] != graph.output[0].name or not np.isfinite(inputs[floats[0]]).all():
            continue
        constants = {name: array for name, array in inputs.items() if name != floats[0]}
        constants |= {t.name: numpy_helper.to_array(t) for t in graph.initializer}
        nodes, folded = _fold(list(graph.node), constants)
        case = Case(nodes, {floats[0]: _nudged(inputs[floats[0]], test.name)}, folded, max(opset, 18))
        if _runs(case):
            yield test.name, case


def _nudged(array: np.ndarray, name: str) -> np.ndarray:
    """Off the kinks, ties and origins that examples like to lie on; acosh is defined from 1 up, others up to 1."""
    low, high = (1.05, 1.2) if "acosh" in name else (0.8, 0.95)
    factor = np.random.default_rng(3).uniform(low, high, array.shape)
    return np.asarray(array * factor + 0.01, np.float32)


def _fold(nodes, constants):
    """Constant nodes become constants, as loading a model makes them."""
    values = dict(constants)
    for node in nodes:
        if node.op_type == "Constant" and node.attribute[0].name == "value":
            values[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
    return [node for node in nodes if node.output[0] not in values], values


def _runs(case: Case) -> bool:
    """Whether ONNX Runtime has the operator in this version, and every operator has a rule."""
    if not {node.op_type for node in case.nodes} <= set(RULES):
        return False
    try:
        segment_of(case)
    except Exception:
        return False
    return True


@cache
def _standard_tests():
    import onnx.backend.test.case.node as package

    wanted = {name.lower() for name in RULES}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module in pkgutil.iter_modules(package.__path__):
            plain = module.name.replace("_", "")
            if plain in wanted and plain not in BIG:
                importlib.import_module(f"{package.__name__}.{module.name}")
    return tuple(package._NodeTestCases)


def test_operators_without_a_rule_are_named() -> None:
    make = helper.make_node
    nodes = [
        make("Relu", ["x"], ["a"]),
        make("TopK", ["a", "k"], ["t", "i"]),
        make("Mul", ["t", "t"], ["y"]),
    ]
    case = Case(nodes, {"x": np.ones((2, 5), np.float32)}, {"k": np.asarray([2], np.int64)})
    with pytest.raises(RefusedError, match="TopK"):
        worst_error(case)


def test_a_tensor_with_a_blocked_reader_has_no_gradient_at_all() -> None:
    """Half of a gradient would look like an answer."""
    make = helper.make_node
    nodes = [make("TopK", ["x", "k"], ["t", "i"]), make("Sum", ["t"], ["s"]), make("ReduceSum", ["x"], ["r"])]
    nodes += [make("ReduceSum", ["s"], ["q"]), make("Add", ["q", "r"], ["y"])]
    case = Case(nodes, {"x": np.ones((2, 5), np.float32)}, {"k": np.asarray([2], np.int64)})
    tape = Tape()
    found = backward(segment_of(case), tape, {"y": tape.sym("g")}, ["x", "t"])
    assert found.blocked == {"x": "TopK"}
    assert set(found.total) == {"t"}


def test_comparisons_and_rounding_send_nothing_back() -> None:
    nodes = [helper.make_node("Round", ["x"], ["r"]), helper.make_node("Mul", ["r", "x"], ["y"])]
    case = Case(nodes, {"x": np.asarray([[1.3, 2.2]], np.float32)})
    tape = Tape()
    found = backward(segment_of(case), tape, {"y": tape.sym("g")}, ["x", "r"])
    assert not found.blocked
    assert [node.op_type for node in tape.nodes].count("Mul") == 2


def test_a_loop_that_reads_a_tensor_blocks_it() -> None:
    body = helper.make_graph(
        [helper.make_node("Identity", ["x"], ["o"])], "body", [], [onnx.ValueInfoProto(name="o")]
    )  # fmt: skip
    nodes = [helper.make_node("If", ["c"], ["i"], then_branch=body, else_branch=body)]
    nodes.append(helper.make_node("Mul", ["i", "i"], ["y"]))
    shapes = dict.fromkeys(("x", "i", "y"), (2,)) | {"c": ()}
    segment = Segment(tuple(nodes), shapes, frozenset({"x", "i", "y"}), {"c": np.asarray(True)}, 21)
    tape = Tape()
    assert backward(segment, tape, {"y": tape.sym("g")}, ["x"]).blocked == {"x": "If"}
