"""Backward graphs against finite differences of ONNX Runtime's own forward pass."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper, numpy_helper

from engine.tuning.adjoint import Segment, Tape, backward

STEPS = 1e-2, 2e-3, 3e-4


def session(model: onnx.ModelProto) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


@dataclass
class Case:
    """Nodes with example inputs; the last node's first output is what is differentiated."""

    nodes: list[onnx.NodeProto]
    feeds: dict[str, np.ndarray]
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    opset: int = 18

    def model(self, outputs: list[str], nodes: list[onnx.NodeProto] | None = None, more=()) -> onnx.ModelProto:
        feeds = {**self.feeds, **dict(more)}
        kind = helper.np_dtype_to_tensor_dtype
        infos = [helper.make_tensor_value_info(k, kind(v.dtype), v.shape) for k, v in feeds.items()]
        initializers = [numpy_helper.from_array(np.asarray(v), k) for k, v in self.constants.items()]
        graph = helper.make_graph(
            nodes or self.nodes, "case", infos, [onnx.ValueInfoProto(name=name) for name in outputs], initializers
        )
        domains = {"": self.opset, "com.microsoft": 1}
        return helper.make_model(graph, opset_imports=[helper.make_opsetid(*d) for d in domains.items()], ir_version=10)

    @property
    def result(self) -> str:
        return self.nodes[-1].output[0]


def worst_error(case: Case, wanted: list[str] | None = None, seed: int = 0) -> float:
    """Largest relative error of <gradient, direction> over the inputs; raises RefusedError if a gradient is blocked.

    The step halves, so that a kink is not taken for an error; a wrong rule is wrong at every step.
    """
    rng = np.random.default_rng(seed)
    wanted = wanted or [name for name, array in case.feeds.items() if array.dtype == np.float32]
    gradients, tape, names = _backward(case, wanted)
    forward = session(case.model([case.result]))
    y = forward.run(None, case.feeds)[0]
    probe = rng.standard_normal(np.shape(y)).astype(np.float32)
    back = session(_with_gradients(case, tape, gradients, probe))
    fed = {info.name for info in back.get_inputs()}
    found = back.run(None, {k: v for k, v in {**case.feeds, "probe": probe}.items() if k in fed})
    worst = 0.0
    for name, gradient in zip(names, found, strict=True):
        direction = rng.standard_normal(case.feeds[name].shape).astype(np.float32)
        expected = float((gradient.astype(np.float64) * direction).sum())
        size = np.linalg.norm(gradient) * np.linalg.norm(direction) / math.sqrt(max(1, direction.size)) + 1e-6
        errors = []
        for step in STEPS:
            ends = []
            for sign in (1, -1):
                moved = (case.feeds[name] + sign * step * direction).astype(np.float32)
                ends.append(forward.run(None, {**case.feeds, name: moved})[0].astype(np.float64))
            slope = float(((ends[0] - ends[1]) * probe).sum()) / (2 * step)
            errors.append(abs(slope - expected) / size)
        best = min(errors)
        worst = max(worst, best if best == best else math.inf)
    return worst


class RefusedError(Exception):
    """A gradient is blocked; the text names the operators."""


def segment_of(case: Case) -> Segment:
    """Shapes are read off one run with every tensor as an output."""
    names = [name for node in case.nodes for name in node.output if name]
    values = dict(zip(names, session(case.model(names)).run(None, case.feeds), strict=True))
    arrays = {**values, **case.feeds, **case.constants}
    return Segment(
        tuple(case.nodes),
        {name: np.shape(array) for name, array in arrays.items()},
        frozenset(name for name, array in arrays.items() if np.asarray(array).dtype == np.float32),
        {name: np.asarray(array) for name, array in case.constants.items()},
        case.opset,
    )


def _backward(case: Case, wanted: list[str]):
    tape = Tape()
    found = backward(segment_of(case), tape, {case.result: tape.sym("probe")}, wanted)
    if found.blocked:
        raise RefusedError(str(sorted(set(found.blocked.values()))))
    return found.total, tape, list(found.total)


def _with_gradients(case: Case, tape: Tape, gradients, probe) -> onnx.ModelProto:
    ends = [helper.make_node("Identity", [g.name], [f"gradient of {name}"]) for name, g in gradients.items()]
    everything = Case(case.nodes, case.feeds, {**case.constants, **tape.constants}, case.opset)
    nodes = [*case.nodes, *tape.nodes, *ends]
    return everything.model([end.output[0] for end in ends], nodes, {"probe": probe}.items())
