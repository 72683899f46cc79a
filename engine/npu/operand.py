"""How the operands of an anchor become matrix products, and how their sums become its output.

Every anchor is a number of products [rows, K] x [channels, K], one per group: the groups of a convolution, the batches
of a MatMul. Weights come as the matrix [channels, reduction] that their codes are stored as.
"""

from __future__ import annotations

from math import prod
from typing import Protocol

import numpy as np

from engine.fusion.types import Kernel, Weight
from engine.graph.types import Array, Node
from engine.npu.operators import attribute
from engine.npu.patches import Geometry, geometry, patches, spread, transposed_geometry

RECURRENT = frozenset({"LSTM", "GRU", "RNN"})


class Operand(Protocol):
    """One way of laying out."""

    @property
    def offsets(self) -> tuple[int, ...]:
        """Where each group's columns begin in the reduction of the stored matrix; a single entry serves all."""

    def rows(self, values: Array) -> Array:
        """The activation as [groups, rows, K]; padding is 0, which is what the zero point stands for."""

    def weights(self, matrix: Array) -> Array:
        """[channels, reduction] as [groups, channels of a group, K]."""

    def scales(self, scales: Array) -> Array:
        """[channels, scales of a channel] as [groups, channels of a group, scales of a channel]."""

    def bias(self, values: Array) -> Array:
        """The bias, or whatever there is per output channel, so that it can be added to the sums."""

    def output(self, sums: Array) -> Array:
        """The anchor's output from [groups, rows, channels of a group]."""


def operand(kernel: Kernel, shape: tuple[int, ...]) -> Operand | None:
    """The layout of a kernel's anchor beside an activation of that shape; None for one that has none here."""
    weight, node = kernel.weight, kernel.nodes[kernel.anchor]
    if weight is None:
        return None
    if node.op_type == "Conv":
        return _Convolution(node, weight, shape)
    if node.op_type == "ConvTranspose":
        own = attribute(node, "group", 1) == weight.shape[0] > 1
        return (_OwnGroups if own else _Transposed)(node, weight, shape)
    if node.op_type == "Einsum":
        return _Einsum(node, weight, shape) if _plain_einsum(node, weight, shape) else None
    if node.op_type in ("Gemm", "MatMul"):
        return _Product(node, weight, shape)
    return _Steps(shape) if node.op_type in RECURRENT else None


class _Convolution:
    offsets: tuple[int, ...] = (0,)

    def __init__(self, node: Node, weight: Weight, shape: tuple[int, ...]) -> None:
        self._batch = shape[0]
        self._conv = self._geometry(node, weight, shape)

    def _geometry(self, node: Node, weight: Weight, shape: tuple[int, ...]) -> Geometry:
        return geometry(node, shape, weight.shape)

    def rows(self, values: Array) -> Array:
        return patches(values, self._conv)

    def weights(self, matrix: Array) -> Array:
        return matrix.reshape(self._conv.groups, -1, matrix.shape[1])

    def scales(self, scales: Array) -> Array:
        return self.weights(scales)

    def bias(self, values: Array) -> Array:
        return values.reshape(self._conv.groups, 1, -1)

    def output(self, sums: Array) -> Array:
        joined = sums.transpose(1, 0, 2).reshape(self._batch, *self._conv.out, -1)
        return np.ascontiguousarray(np.moveaxis(joined, -1, 1))


class _Transposed(_Convolution):
    """A ConvTranspose as a convolution of the activation spread by its strides; all groups share a channel's scales."""

    def __init__(self, node: Node, weight: Weight, shape: tuple[int, ...]) -> None:
        super().__init__(node, weight, shape)
        self._taps = prod(weight.shape[2:])
        columns = weight.shape[0] // self._conv.groups * self._taps
        self.offsets = tuple(group * columns for group in range(self._conv.groups))

    def _geometry(self, node: Node, weight: Weight, shape: tuple[int, ...]) -> Geometry:
        return transposed_geometry(node, shape, weight.shape)

    def rows(self, values: Array) -> Array:
        return spread(values, self._conv)

    def weights(self, matrix: Array) -> Array:
        return matrix.reshape(matrix.shape[0], self._conv.groups, -1).transpose(1, 0, 2)

    def scales(self, scales: Array) -> Array:
        return np.broadcast_to(scales, (self._conv.groups, *scales.shape))


class _OwnGroups(_Transposed):
    """A ConvTranspose whose input channels are the weight's channels: each output channel is a product of its own."""

    def __init__(self, node: Node, weight: Weight, shape: tuple[int, ...]) -> None:
        super().__init__(node, weight, shape)
        self._each = weight.shape[1]
        self.offsets = tuple(out * self._taps for out in range(self._each)) * weight.shape[0]

    def rows(self, values: Array) -> Array:
        return np.repeat(super().rows(values), self._each, axis=0)

    def weights(self, matrix: Array) -> Array:
        return matrix.reshape(-1, 1, self._taps)

    def scales(self, scales: Array) -> Array:
        return np.repeat(scales, self._each, axis=0)[:, None, :]

    def bias(self, values: Array) -> Array:
        return values.reshape(-1, 1, 1)


class _Product:
    """A Gemm or MatMul with the weight on either side, of any number of matrices, or a vector."""

    offsets: tuple[int, ...] = (0,)

    def __init__(self, node: Node, weight: Weight, shape: tuple[int, ...]) -> None:
        self._left = node.inputs[1] == weight.activation != node.inputs[0]
        self._turned = self._left
        if node.op_type == "Gemm":
            self._turned = bool(attribute(node, "transB" if self._left else "transA", 0)) != self._left
        self._vector = len(shape) == 1
        self._flat = len(weight.shape) == 1
        own = weight.shape[:-2]
        lead = shape[:-2]
        self._matrices = own if prod(own) > 1 else ()
        self._lead = np.broadcast_shapes(lead, own)

    def rows(self, values: Array) -> Array:
        if self._vector:
            values = values[None, :]
        elif self._turned:
            values = np.swapaxes(values, -1, -2)
        self._count = values.shape[-2]
        if self._matrices:
            values = np.broadcast_to(values, (*self._lead, *values.shape[-2:]))
            return values.reshape(-1, *values.shape[-2:])
        return values.reshape(1, -1, values.shape[-1])

    def weights(self, matrix: Array) -> Array:
        if not self._matrices:
            return matrix[None]
        stacked = matrix.reshape(*self._matrices, -1, matrix.shape[1])
        stacked = np.broadcast_to(stacked, (*self._lead, *stacked.shape[-2:]))
        return stacked.reshape(-1, *stacked.shape[-2:])

    def scales(self, scales: Array) -> Array:
        return self.weights(scales)

    def bias(self, values: Array) -> Array:
        matrix = values if values.ndim == 2 else values.reshape(1, -1)
        return (matrix.T if self._left else matrix)[None]

    def output(self, sums: Array) -> Array:
        shaped = sums.reshape(*self._lead, self._count, -1)
        shaped = np.swapaxes(shaped, -1, -2) if self._left else shaped
        if self._vector:
            shaped = shaped[..., 0] if self._left else shaped[..., 0, :]
        if self._flat:
            shaped = shaped[..., 0, :] if self._left and not self._vector else shaped[..., 0]
        return np.ascontiguousarray(shaped)


class _Steps:
    """What the gates of a recurrent layer get from its input: every step's row times all rows of all directions."""

    offsets: tuple[int, ...] = (0,)

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape = shape

    def rows(self, values: Array) -> Array:
        return values.reshape(1, -1, values.shape[-1])

    def weights(self, matrix: Array) -> Array:
        return matrix[None]

    def scales(self, scales: Array) -> Array:
        return scales[None]

    def bias(self, values: Array) -> Array:
        return values.reshape(1, 1, -1)

    def output(self, sums: Array) -> Array:
        return sums.reshape(*self._shape[:-1], -1)


class _Einsum:
    """Indices in both operands and the result are groups; those of one operand alone are rows, or channels."""

    offsets: tuple[int, ...] = (0,)

    def __init__(self, node: Node, weight: Weight, shape: tuple[int, ...]) -> None:
        self._own, self._other, self._result = _letters(node, weight)
        self._sizes = dict(zip(self._other + self._own, (*shape, *weight.shape), strict=True))
        self._lead = [letter for letter in self._other if letter in self._own and letter in self._result]
        self._free = [letter for letter in self._other if letter not in self._own]
        self._channels = [self._own[axis] for axis in weight.channel_axes]
        self._summed = [self._own[axis] for axis in weight.reduction_axes]
        self._only = [letter for letter in self._channels if letter not in self._lead]

    def _count(self, letters: list[str]) -> int:
        return prod(self._sizes[letter] for letter in letters)

    def rows(self, values: Array) -> Array:
        order = [self._other.index(letter) for letter in (*self._lead, *self._free, *self._summed)]
        return values.transpose(order).reshape(self._count(self._lead), -1, self._count(self._summed))

    def weights(self, matrix: Array) -> Array:
        split = matrix.reshape(*(self._sizes[letter] for letter in self._channels), matrix.shape[1])
        order = [self._channels.index(letter) for letter in (*self._lead, *self._only)]
        return split.transpose(*order, len(order)).reshape(self._count(self._lead), -1, matrix.shape[1])

    def scales(self, scales: Array) -> Array:
        return self.weights(scales)

    def bias(self, values: Array) -> Array:
        return values.reshape(1, 1, -1)

    def output(self, sums: Array) -> Array:
        letters = [*self._lead, *self._free, *self._only]
        shaped = sums.reshape([self._sizes[letter] for letter in letters])
        return np.ascontiguousarray(shaped.transpose([letters.index(letter) for letter in self._result]))


def _letters(node: Node, weight: Weight) -> tuple[str, str, str]:
    """Indices of the weight, of the activation and of the result."""
    equation = attribute(node, "equation", b"")
    assert isinstance(equation, bytes)
    left, arrow, result = equation.decode().replace(" ", "").partition("->")
    terms = left.split(",")
    if not arrow:
        result = "".join(sorted(c for c in set(left) - {",", "."} if left.count(c) == 1))
    at = node.inputs.index(weight.constant)
    return terms[at], terms[1 - at], result


def _plain_einsum(node: Node, weight: Weight, shape: tuple[int, ...]) -> bool:
    """Whether each index is one of a plain product: in the result, or in both operands, and of one size."""
    own, other, result = _letters(node, weight)
    if "." in own + other or len(set(other)) != len(other) or len(other) != len(shape):
        return False
    if any(letter not in result and letter not in (other if letter in own else own) for letter in own + other):
        return False
    sizes = dict(zip(own, weight.shape, strict=True))
    return all(sizes.get(letter, size) == size for letter, size in zip(other, shape, strict=True))
