"""What an anchor takes in behind it: bias, activation, residual or gate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.fusion.labels import label_node
from engine.fusion.ops import BINARY
from engine.fusion.regions import Partition, Region
from engine.fusion.rules import RuleSet
from engine.fusion.types import Kind
from engine.fusion.view import View

BIAS = "Bias"
CONVOLUTIONS = frozenset({Kind.CONV, Kind.DEPTHWISE})
WINDOWS = frozenset({"MaxPool", "AveragePool"})
"""Pools that a tile of a convolution's results can be put through."""
ANCHORS = frozenset({Kind.CONV, Kind.DEPTHWISE, Kind.CONV_TRANSPOSE, Kind.GEMM, Kind.MATMUL, Kind.MATMUL_DYNAMIC})


def extended(region: Region, view: View, partition: Partition, rules: RuleSet, operands: int) -> Region:
    """The region with everything behind it that the rules let it take.

    Args:
        region: An anchor or a norm.
        view: The nodes.
        partition: Nodes of other regions are left alone, except whole named activations.
        rules: What may be taken.
        operands: How many operations with another activation may be taken.
    """
    outputs, inside = partition.outputs(region), set(region.nodes)
    steps: list[Step] = []
    while len(outputs) == 1:
        tensor = outputs[0]
        step = None if steps else _bias(view, partition, region, tensor)
        step = step or _activation(view, partition, tensor)
        step = step or _plain(view, partition, rules, tensor)
        if step is None and operands:
            step = _with_other(view, partition, tensor)
            operands -= step is not None
        if step is None and rules.pools and region.kind in CONVOLUTIONS:
            step = _pool(view, partition, tensor)
        if step is None:
            break
        steps.append(step)
        inside.update(step[0])
        outputs = tuple(name for at in step[0] for name in view.outputs[at] if view.leaves(name, inside))
    bias = steps[0][0][0] if steps and steps[0][1] == BIAS else region.bias
    return replace(region.followed(steps), bias=bias)


Step = tuple[Sequence[int], str]


def _next(view: View, partition: Partition, tensor: str) -> int | None:
    """The one free node that reads the tensor and keeps its shape."""
    at = view.sole_reader(tensor)
    if at is None or not partition.free((at,)) or len(view.outputs[at]) != 1:
        return None
    return at if view.shape(view.outputs[at][0]) == view.shape(tensor) else None


def _bias(view: View, partition: Partition, region: Region, tensor: str) -> Step | None:
    """A constant vector added right behind the anchor; allowed by every rule set."""
    at = _next(view, partition, tensor)
    if at is None or view.ops[at] != "Add" or region.kind not in ANCHORS:
        return None
    constant = view.constant_input(at)
    shape, last = view.shape(tensor), region.kind in (Kind.MATMUL, Kind.MATMUL_DYNAMIC, Kind.GEMM)
    if constant is None or not shape or constant.ndim > len(shape):
        return None
    axis = len(shape) - 1 if last else 1
    wanted = tuple(size if index == axis else 1 for index, size in enumerate(shape))
    padded = (1,) * (len(shape) - constant.ndim) + constant.shape
    return ((at,), BIAS) if padded == wanted and constant.size > 1 else None


def _activation(view: View, partition: Partition, tensor: str) -> Step | None:
    """A named activation of several nodes that is all that reads the tensor."""
    readers = view.read_by(tensor)
    owner = partition.owner(readers[0]) if readers else None
    if owner is None or owner.kind is not Kind.ELEMENTWISE or view.leaves(tensor, frozenset(owner.nodes)):
        return None
    inputs = {name for at in owner.nodes for name in view.inputs[at]}
    made = {name for at in owner.nodes for name in view.outputs[at]}
    return (owner.nodes, owner.labels[-1]) if inputs - made == {tensor} else None


def _plain(view: View, partition: Partition, rules: RuleSet, tensor: str) -> Step | None:
    """One node that needs no other activation."""
    at = _next(view, partition, tensor)
    if at is None or view.ops[at] not in rules.epilogue or len(set(view.inputs[at])) != 1:
        return None
    return (at,), label_node(view, at)


def _pool(view: View, partition: Partition, tensor: str) -> Step | None:
    """A pool with a window, which a tile of results can be put through before it leaves."""
    at = view.sole_reader(tensor)
    if at is None or view.ops[at] not in WINDOWS or len(view.outputs[at]) != 1:
        return None
    return ((at,), label_node(view, at)) if partition.free((at,)) else None


def _with_other(view: View, partition: Partition, tensor: str) -> Step | None:
    """An elementwise operation with an activation that comes from elsewhere."""
    at = _next(view, partition, tensor)
    if at is None or view.ops[at] not in BINARY or len(view.inputs[at]) != 2:
        return None
    return (at,), label_node(view, at)
