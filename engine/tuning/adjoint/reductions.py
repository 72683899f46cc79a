"""Backward rules of reductions, and of pooling over everything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

import numpy as np

from engine.tuning.adjoint.call import Call, Gradients, rule
from engine.tuning.adjoint.tape import Sym

_TINY = 1e-12


def axes_of(call: Call) -> list[int]:
    """The axes that a reduction node sums over."""
    rank = call.rank()
    axes = call.values(1) if call.given(1) else [int(axis) for axis in call.attribute("axes", [])]
    if not axes:
        return [] if call.attribute("noop_with_empty_axes", 0) else list(range(rank))
    return sorted(axis % rank for axis in axes)


def _same(call: Call, g: Sym, y: Sym, axes: list[int]) -> Sym:
    """The gradient goes to the elements that hold the extreme, in equal parts."""
    holds = call.tape.op("Equal", call.x(), y).number()
    return g * holds / holds.sum(axes)


_BACK: Mapping[str, Callable[[Call, Sym, Sym, list[int]], Sym]] = {
    "ReduceSum": lambda call, g, y, axes: _spread(call, g),
    "ReduceMean": lambda call, g, y, axes: _spread(call, g * (1 / max(1, prod(call.shape()[a] for a in axes)))),
    "ReduceSumSquare": lambda call, g, y, axes: g * 2.0 * call.x(),
    "ReduceL1": lambda call, g, y, axes: g * call.tape.op("Sign", call.x()),
    "ReduceL2": lambda call, g, y, axes: g / call.tape.op("Max", y, _TINY) * call.x(),
    "ReduceLogSumExp": lambda call, g, y, axes: g * call.tape.op("Exp", call.x() - y),
    "ReduceLogSum": lambda call, g, y, axes: _spread(call, g * call.tape.op("Exp", -y)),
    "ReduceProd": lambda call, g, y, axes: g * y / call.x(),
    "ReduceMax": _same,
    "ReduceMin": _same,
}


@rule(*_BACK)
def reduction(call: Call, g: Sym) -> Gradients:
    """By the name of the operator; the axes come back with size 1 first."""
    axes = axes_of(call)
    if not axes and call.rank():
        call.block("no axes")
    y = call.again() if call.node.op_type in ("ReduceMax", "ReduceMin") else call.y()
    if not call.attribute("keepdims", 1):
        kept = [1 if at in axes else size for at, size in enumerate(call.shape())]
        g, y = g.reshape(kept), y.reshape(kept)
    return [_BACK[call.node.op_type](call, g, y, axes)]


@rule("GlobalAveragePool", "GlobalMaxPool")
def global_pool(call: Call, g: Sym) -> Gradients:
    """A reduction over all axes but the first two."""
    axes = list(range(2, call.rank()))
    kind = "ReduceMean" if call.node.op_type == "GlobalAveragePool" else "ReduceMax"
    return [_BACK[kind](call, g, call.again() if kind == "ReduceMax" else call.y(), axes)]


@rule("CumSum")
def cumulative_sum(call: Call, g: Sym) -> Gradients:
    """The same sum from the other end."""
    call.need_constant(1)
    reverse, exclusive = 1 - int(call.attribute("reverse", 0)), int(call.attribute("exclusive", 0))
    return [call.tape.op("CumSum", g, call.x(1), reverse=reverse, exclusive=exclusive)]


def _spread(call: Call, g: Sym) -> Sym:
    return call.tape.op("Expand", g, np.asarray(call.shape(), np.int64))
