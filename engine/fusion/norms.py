"""LayerNorm, RMSNorm and softmax written as primitive nodes, and what belongs to the real ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from engine.fusion.growth import closures, signature
from engine.fusion.ops import ELEMENTWISE, VIEWS
from engine.fusion.regions import Partition, Region
from engine.fusion.types import Kind
from engine.fusion.view import View

_LIMIT, _LATEST = 20, 4
"""Most nodes of a norm; nodes within which its first reduction stands."""

_STARTS = frozenset(
    {"ReduceMean", "Pow", "Mul", "Cast", "ReduceL2", "ReduceSum", "ReduceSumSquare", "ReduceMax", "Abs"}
)
_REDUCTIONS = frozenset({"ReduceMean", "ReduceSum", "ReduceL2", "ReduceSumSquare", "ReduceMax"})
_WEIGHTED = frozenset({"MatMul", "Gemm", "Conv", "ConvTranspose"})
_STEPS = {"Mul": "Scale", "Div": "Scale", "Add": "Mask", "Sub": "Mask", "Where": "Mask", "Cast": ""}


def find_norms(view: View) -> Iterator[Region]:
    """Decomposed norms and softmaxes, with the scale and shift behind them."""
    for start in range(len(view.nodes)):
        if view.ops[start] not in _STARTS:
            continue
        best, name = None, ""
        for closure in closures(view, start, lambda at: _joins(view, at), _LIMIT):
            if len(closure.nodes) > _LATEST and not any(view.ops[at] in _REDUCTIONS for at in closure.nodes):
                break
            if view.shape(closure.output) != view.shape(closure.entry):
                continue
            if best is None:
                name = _name(view, closure.nodes)
                best = closure if name else None
            elif _is_tail(view, closure.nodes, best.nodes, name):
                best = closure
        if best:
            kind = Kind.SOFTMAX if name == "Softmax" else Kind.NORM
            anchor = next(at for at in best.nodes if view.ops[at] in _REDUCTIONS)
            yield Region.of(best.nodes, anchor, kind, name)


def _is_tail(view: View, nodes: tuple[int, ...], core: tuple[int, ...], name: str) -> bool:
    """Whether what `nodes` has more than `core` is the norm's own scale and shift (and casts)."""
    more = tuple(at for at in nodes if at not in core)
    return name != "Softmax" and not signature(view, more) - Counter({"Mul.c": 1, "Add.c": 1})


def _joins(view: View, at: int) -> bool:
    op = view.ops[at]
    return (op in ELEMENTWISE or op in _REDUCTIONS or op in VIEWS) and len(view.outputs[at]) == 1


def _name(view: View, nodes: tuple[int, ...]) -> str:
    found = signature(view, nodes)
    ops = {op.removesuffix(".c") for op in found}
    reductions = sum(found[op] + found[f"{op}.c"] for op in _REDUCTIONS)
    divides = bool(ops & {"Div", "Reciprocal"}) or found["Pow.c"] > 1
    if {"ReduceMax", "Exp", "ReduceSum"} <= ops and divides:
        return "" if ops - {"ReduceMax", "Max", "Sub", "Exp", "ReduceSum", "Div", "Reciprocal", "Mul"} else "Softmax"
    if not divides or not reductions or ops & {"ReduceMax", "Exp", "Erf", "Tanh", "Sigmoid"}:
        return ""
    if not ops & {"Sqrt", "ReduceL2", "Pow"}:
        return ""
    if "Sub" in ops:
        return "LayerNorm" if reductions == 2 and "Sqrt" in ops else ""
    if "ReduceMean" in ops:
        return "RMSNorm" if reductions == 1 else ""
    return "L2Norm" if reductions == 1 and not found["Mul.c"] else ""


def find_softmaxes(view: View, partition: Partition) -> Iterator[Region]:
    """Softmax nodes with the scale and the mask in front of them."""
    for at, op in enumerate(view.ops):
        if op in ("Softmax", "LogSoftmax") and partition.free((at,)):
            region = Region.of((at,), at, Kind.SOFTMAX, op)
            for before, label in _prologue(view, partition, at).items():
                region = region.joined((before,), label)
            yield region


def _prologue(view: View, partition: Partition, softmax: int) -> dict[int, str]:
    """Nodes that scale and mask the scores, with their labels: walks back along the operand of the scores' shape."""
    nodes: dict[int, str] = {}
    tensor, reader = view.nodes[softmax].inputs[0], softmax
    shape = view.shape(tensor)
    while (at := view.producer.get(tensor)) is not None and view.sole_reader(tensor) == reader:
        if view.ops[at] not in _STEPS or not partition.free((at,)) or view.shape(tensor) != shape:
            break
        nodes[at] = _STEPS[view.ops[at]]
        same = [name for name in view.inputs[at] if view.shape(name) == shape]
        if len(same) != 1:
            break
        tensor, reader = same[0], at
    source = view.producer.get(tensor)
    weighted = source is not None and view.ops[source] in _WEIGHTED
    if source is not None and weighted and any(name in view.constants for name in view.nodes[source].inputs):
        return {}  # the bias of a layer, not the mask of scores: it belongs to the layer
    return nodes
