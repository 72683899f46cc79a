"""Parameters and multiply-accumulates of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from math import prod

from engine.fusion.ops import ALREADY_QUANTIZED
from engine.fusion.view import View
from engine.graph.external import tensors_of
from engine.graph.subgraphs import subgraphs
from engine.graph.types import Array


def count_params(view: View, nodes: Iterable[int], origins: Mapping[str, str], weights: Collection[str]) -> int:
    """Elements of the float constants that the file stores, and of the weights; tensors in subgraphs included.

    Of operators that compute with codes these count, too.
    """
    constants: dict[str, Array] = {}
    inner = 0
    for at in nodes:
        for name in view.nodes[at].inputs:
            array = view.constants.get(name)
            if array is not None and array.dtype.kind in "fV" and (name in origins or name in weights):
                constants[name] = array
        inner += _codes(view, at) if view.ops[at] in ALREADY_QUANTIZED else 0
        for body in subgraphs(view.nodes[at].proto):
            inner += sum(prod(tensor.dims) for tensor in tensors_of(body) if prod(tensor.dims) > 1)
    return inner + sum(array.size for array in constants.values() if array.size > 1)


def _codes(view: View, at: int) -> int:
    """Elements of the integer weights of an operator: its tables of codes, of which several may share a byte."""
    arrays = {name: view.constants[name] for name in view.nodes[at].inputs if name in view.constants}
    codes = [array.size for array in arrays.values() if array.dtype.kind in "iu" and array.ndim >= 2]
    packed = 8 // view.attribute(at, "bits", 4) if view.ops[at].endswith(("NBits", "BlockQuantized")) else 1
    products = 2 if view.ops[at].endswith("LSTM") else 1
    return packed * sum(sorted(codes, reverse=True)[:products])


def count_macs(view: View, nodes: Iterable[int]) -> int:
    """Multiply-accumulates of the matrix products among the nodes; 0 for all other operators."""
    return sum(_MACS[view.ops[at]](view, at) for at in nodes if view.ops[at] in _MACS)


def _conv(view: View, at: int) -> int:
    """Each output element takes one product per weight of its channel."""
    return prod(view.shape(view.outputs[at][0])) * prod(view.shape(view.nodes[at].inputs[1])[1:])


def _conv_transpose(view: View, at: int) -> int:
    """Each input element is multiplied by every weight of its channel."""
    return prod(view.shape(view.nodes[at].inputs[0])) * prod(view.shape(view.nodes[at].inputs[1])[1:])


def _gemm(view: View, at: int) -> int:
    left = view.shape(view.nodes[at].inputs[0])
    return prod(view.shape(view.outputs[at][0])) * left[0 if view.attribute(at, "transA", 0) else 1]


def _matmul(view: View, at: int) -> int:
    return prod(view.shape(view.outputs[at][0])) * view.shape(view.nodes[at].inputs[0])[-1]


def _recurrent(gates: int) -> Callable[[View, int], int]:
    """Per step, direction and gate: hidden x (input + hidden) products (ONNX operators LSTM, GRU, RNN)."""

    def macs(view: View, at: int) -> int:
        steps_and_batch = prod(view.shape(view.nodes[at].inputs[0])[:2])
        directions, _, width = view.shape(view.nodes[at].inputs[1])
        hidden = view.shape(view.nodes[at].inputs[2])[-1]
        return steps_and_batch * directions * gates * hidden * (width + hidden)

    return macs


def _dynamic_lstm(view: View, at: int) -> int:
    """As LSTM, with weights [directions, inputs, 4 * hidden] (ONNX Runtime's DynamicQuantizeLSTM)."""
    steps_and_batch = prod(view.shape(view.nodes[at].inputs[0])[:2])
    directions, width, rows = view.shape(view.nodes[at].inputs[1])
    return steps_and_batch * directions * rows * (width + rows // 4)


def _quantized_conv(view: View, at: int) -> int:
    return prod(view.shape(view.outputs[at][0])) * prod(view.shape(view.nodes[at].inputs[3])[1:])


def _block_quantized(view: View, at: int) -> int:
    return prod(view.shape(view.outputs[at][0])) * int(view.attribute(at, "K", 0))


def einsum_terms(view: View, at: int) -> tuple[list[str], str]:
    """Indices of each operand of an Einsum and of its result, which an equation without '->' leaves to the rule."""
    equation = view.attribute(at, "equation", b"").decode().replace(" ", "")
    left, arrow, result = equation.partition("->")
    if not arrow:
        result = "".join(sorted(letter for letter in set(left) - {",", "."} if left.count(letter) == 1))
    return left.split(","), result


def _einsum(view: View, at: int) -> int:
    """One product for each combination of all indices; those that '...' stands for included."""
    terms, _ = einsum_terms(view, at)
    names = view.nodes[at].inputs
    if len(terms) != len(names):
        return 0
    sizes: dict[str, int] = {}
    for term, name in zip(terms, names, strict=True):
        shape = view.shape(name)
        before, dots, after = term.partition("...")
        hidden = len(shape) - len(before) - len(after)
        if hidden < 0 or (hidden and not dots):
            return 0
        # Axes behind '...' are aligned from the right, as in broadcasting.
        letters = [*before, *(f"-{place}" for place in range(hidden, 0, -1)), *after]
        for letter, size in zip(letters, shape, strict=True):
            sizes[letter] = max(size, sizes.get(letter, 1))
    return prod(sizes.values())


_MACS: Mapping[str, Callable[[View, int], int]] = {
    "Conv": _conv,
    "ConvInteger": _conv,
    "ConvTranspose": _conv_transpose,
    "Gemm": _gemm,
    "MatMul": _matmul,
    "MatMulInteger": _matmul,
    "QLinearMatMul": _matmul,
    "com.microsoft.MatMulIntegerToFloat": _matmul,
    "com.microsoft.DynamicQuantizeMatMul": _matmul,
    "com.microsoft.QGemm": _gemm,
    "com.microsoft.FusedConv": _conv,
    "com.microsoft.FusedGemm": _gemm,
    "com.microsoft.DynamicQuantizeLSTM": _dynamic_lstm,
    "QLinearConv": _quantized_conv,
    "com.microsoft.MatMulNBits": _block_quantized,
    "Einsum": _einsum,
    "LSTM": _recurrent(4),
    "GRU": _recurrent(3),
    "RNN": _recurrent(1),
}
