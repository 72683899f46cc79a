"""Which constant of a kernel a scheme quantizes, along which axes, and why there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.fusion.costs import einsum_terms
from engine.fusion.ops import ALREADY_QUANTIZED, KINDS
from engine.fusion.types import Kind, Weight
from engine.fusion.view import View
from engine.graph.subgraphs import subgraphs
from engine.graph.types import Array
from engine.text import Text, say

_RECURRENT = ("LSTM", "GRU", "RNN")

Axes = tuple[tuple[int, ...], tuple[int, ...]]
"""Channel axes and reduction axes."""


def find_weights(view: View, at: int, bias_at: int | None, origins: Mapping[str, str]) -> tuple[Weight, ...]:
    """The weight of an anchor, and behind it what takes the same scheme.

    Args:
        view: The nodes.
        at: Position of the anchor.
        bias_at: Position of an Add right behind it whose constant is the bias, if there is one.
        origins: Constant -> initializer.

    Returns:
        Nothing if the anchor has no constant of floats that a scheme could round.
    """
    finder = _FINDERS.get(view.ops[at])
    found = finder(view, at) if finder else None
    if found is None or not _is_float(view.constants[found[0]]):
        return ()
    name, activation, axes, bias = found
    if not bias and bias_at is not None and _ends_with_channels(view, at, name, axes):
        bias = next(n for n in view.nodes[bias_at].inputs if n in view.constants)
    first = _weight(view, name, activation, axes, bias, origins)
    state = _state_weight(view, at)
    return (first, _weight(view, state, "", axes, "", origins)) if state else (first,)


def _ends_with_channels(view: View, at: int, weight: str, axes: Axes) -> bool:
    """Whether the last axis of a product's result is the weight's channels, so that a vector along it is a bias."""
    if view.ops[at] != "Einsum":
        return weight == _input(view, at, 1)
    terms, result = einsum_terms(view, at)
    letters = terms[view.nodes[at].inputs.index(weight)]
    return [letters[axis] for axis in axes[0]] == [result[-1:]]


def _weight(view: View, name: str, activation: str, axes: Axes, bias: str, origins: Mapping[str, str]) -> Weight:
    return Weight(name, origins.get(name, name), view.constants[name].shape, *axes, activation, bias)


def explain_missing(view: View, at: int, kind: Kind, params: int) -> Text:
    """Why an anchor without a weight has no precision switch.

    Args:
        view: The nodes.
        at: Position of the anchor.
        kind: Of the kernel.
        params: How many trained values the kernel reads, such as scale and shift of a norm.
    """
    node = view.nodes[at]
    if view.ops[at] in ALREADY_QUANTIZED:
        return say("already quantized in the file: its weights keep that precision")
    if any(subgraphs(node.proto)):
        return say("weights inside a branch or loop body can't be set one by one")
    if kind is Kind.MATMUL_DYNAMIC:
        return say("both operands are computed at run time: it follows its inputs")
    if kind in (Kind.CONV, Kind.DEPTHWISE, Kind.CONV_TRANSPOSE, Kind.GEMM, Kind.MATMUL, Kind.RECURRENT):
        constant = next((name for name in node.inputs[:3] if name in view.constants), None)
        if constant is None:
            return say("its weights are computed at run time: it follows its inputs")
        if not _is_float(view.constants[constant]):
            return say("its weights are stored as integers and stay as they are")
        return say("its constant operand has no channels that could be scaled")
    if view.ops[at] == "Gather" and node.inputs[0] in view.constants and view.constants[node.inputs[0]].ndim >= 2:
        return say("its table is not looked up by row: only those have channels that could be scaled")
    if node.proto.domain not in ("", "ai.onnx") and view.ops[at] not in KINDS:
        return say("operator {op} is not known: it follows its input", op=view.ops[at])
    if params and kind is Kind.NORM:
        return say("the scale and shift of a norm are not quantized: it follows its input")
    if params:
        return say("its constants are no weights of a product, so they are not quantized: it follows its input")
    return say("no weights: it follows its input")


def _is_float(array: Array) -> bool:
    return bool(array.dtype.kind == "f" or array.dtype.name == "bfloat16")


Found = tuple[str, str, Axes, str]
"""Constant, activation, axes, bias."""


def _input(view: View, at: int, index: int) -> str:
    names = view.nodes[at].inputs
    return names[index] if index < len(names) else ""


def _constant_bias(view: View, at: int, index: int) -> str:
    name = _input(view, at, index)
    return name if name in view.constants else ""


def _conv(view: View, at: int) -> Found | None:
    name = _input(view, at, 1)
    if name not in view.constants:
        return None
    rank = view.constants[name].ndim
    return name, _input(view, at, 0), ((0,), tuple(range(1, rank))), _constant_bias(view, at, 2)


def _conv_transpose(view: View, at: int) -> Found | None:
    """Weight [inputs, outputs per group, ...]: axis 1 is the channel, unless each input has a group to itself."""
    name = _input(view, at, 1)
    if name not in view.constants:
        return None
    shape = view.constants[name].shape
    own_group = view.attribute(at, "group", 1) == shape[0] > 1
    channel = 0 if own_group else 1
    rest = tuple(axis for axis in range(len(shape)) if axis != channel)
    return name, _input(view, at, 0), ((channel,), rest), _constant_bias(view, at, 2)


def _gemm(view: View, at: int) -> Found | None:
    """Weight B [K, N] (transB: [N, K]), or A [M, K] (transA: [K, M]) when that is the constant."""
    left, right = _input(view, at, 0), _input(view, at, 1)
    bias = _constant_bias(view, at, 2)
    if right in view.constants and left not in view.constants:
        channel = 0 if view.attribute(at, "transB", 0) else 1
        return right, left, ((channel,), (1 - channel,)), bias
    if left in view.constants and right not in view.constants:
        channel = 1 if view.attribute(at, "transA", 0) else 0
        return left, right, ((channel,), (1 - channel,)), ""
    return None


def _matmul(view: View, at: int) -> Found | None:
    """Right weight [..., K, N]: channels are all axes but K. Left weight [..., M, K]: all axes but the last."""
    left, right = _input(view, at, 0), _input(view, at, 1)
    if right in view.constants and left not in view.constants:
        rank = view.constants[right].ndim
        reduction = max(rank - 2, 0)
        return right, left, (_without(rank, reduction), (reduction,)), ""
    if left in view.constants and right not in view.constants:
        rank = view.constants[left].ndim
        return left, right, (_without(rank, rank - 1), (rank - 1,)), ""
    return None


def _gather(view: View, at: int) -> Found | None:
    """A table [rows, width] that is looked up by row; a vector is no table."""
    name = _input(view, at, 0)
    if name not in view.constants or _input(view, at, 1) in view.constants or view.attribute(at, "axis", 0) != 0:
        return None
    rank = view.constants[name].ndim
    return (name, "", ((0,), tuple(range(1, rank))), "") if rank >= 2 else None


def _recurrent(view: View, at: int) -> Found | None:
    """W [directions, gates * hidden, inputs]: every row of every direction is a channel. B belongs to both products."""
    name = _input(view, at, 1)
    if name not in view.constants or view.constants[name].ndim != 3:
        return None
    return name, _input(view, at, 0), ((0, 1), (2,)), _constant_bias(view, at, 3)


def _state_weight(view: View, at: int) -> str:
    """R [directions, gates * hidden, hidden] of a recurrent operator; what it meets is the state inside, no tensor."""
    name = _input(view, at, 2) if view.ops[at] in _RECURRENT else ""
    return name if name in view.constants and _is_float(view.constants[name]) else ""


def _einsum(view: View, at: int) -> Found | None:
    """A product of two operands of which one is constant.

    Indices of the weight that the result has are channels, those that are summed over are the reduction.
    """
    names = view.nodes[at].inputs
    terms, result = einsum_terms(view, at)
    constants = [index for index, name in enumerate(names) if name in view.constants]
    if len(names) != 2 or len(terms) != 2 or len(constants) != 1:
        return None
    (index,) = constants
    letters = terms[index]
    if "." in letters or len(set(letters)) != len(letters) or len(letters) != view.constants[names[index]].ndim:
        return None
    channels = tuple(axis for axis, letter in enumerate(letters) if letter in result)
    reduction = tuple(axis for axis, letter in enumerate(letters) if letter not in result)
    return (names[index], names[1 - index], (channels, reduction), "") if reduction else None


def _without(rank: int, axis: int) -> tuple[int, ...]:
    return tuple(other for other in range(rank) if other != axis)


_FINDERS: Mapping[str, Callable[[View, int], Found | None]] = {
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
    "Gemm": _gemm,
    "MatMul": _matmul,
    "Gather": _gather,
    "Einsum": _einsum,
    **dict.fromkeys(_RECURRENT, _recurrent),
}
