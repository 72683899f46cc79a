"""Writing ONNX nodes by arithmetic on symbols: `g * (1 - y) * y` becomes three nodes on a tape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper

from engine.graph.types import Array

FLOAT = int(onnx.TensorProto.FLOAT)
_KEPT_BY_VALUE = 64
"""Constants up to this many elements are recognised by value and written once."""


class Sym:
    """The name of a tensor, with arithmetic that writes nodes."""

    __slots__ = ("name", "tape")

    def __init__(self, tape: Tape, name: str) -> None:
        self.tape = tape
        self.name = name

    def __mul__(self, other: Operand) -> Sym:
        return self.tape.op("Mul", self, other)

    def __add__(self, other: Operand) -> Sym:
        return self.tape.op("Add", self, other)

    def __sub__(self, other: Operand) -> Sym:
        return self.tape.op("Sub", self, other)

    def __truediv__(self, other: Operand) -> Sym:
        return self.tape.op("Div", self, other)

    def __gt__(self, other: Operand) -> Sym:
        return self.tape.op("Greater", self, other)

    def __lt__(self, other: Operand) -> Sym:
        return self.tape.op("Less", self, other)

    def __and__(self, other: Operand) -> Sym:
        return self.tape.op("And", self, other)

    def __neg__(self) -> Sym:
        return self.tape.op("Neg", self)

    def __rsub__(self, other: Operand) -> Sym:
        return self.tape.op("Sub", other, self)

    def __rtruediv__(self, other: Operand) -> Sym:
        return self.tape.op("Div", other, self)

    __rmul__ = __mul__
    __radd__ = __add__

    def only(self, condition: Sym) -> Sym:
        """Zero where a boolean tensor is false. A product with a cast mask: `Where` runs on one thread and slowly."""
        return self * condition.number()

    def number(self) -> Sym:
        """As float32."""
        return self.tape.op("Cast", self, to=FLOAT)

    def reshape(self, shape: Sequence[int]) -> Sym:
        """Another shape, all sizes given."""
        return self.tape.op("Reshape", self, np.asarray(shape, np.int64), allowzero=int(0 in tuple(shape)))

    def transpose(self, order: Sequence[int]) -> Sym:
        """Axes in another order."""
        axes = [int(axis) for axis in order]
        return self if axes == list(range(len(axes))) else self.tape.op("Transpose", self, perm=axes)

    def sum(self, axes: Sequence[int], keep: bool = True) -> Sym:
        """Sum over axes; over none it is the tensor itself."""
        if not len(axes):
            return self
        return self.tape.op("ReduceSum", self, np.asarray(axes, np.int64), keepdims=int(keep))

    def to_shape(self, source: Sequence[int], target: Sequence[int]) -> Sym:
        """Sum a gradient of the broadcast shape `source` back to an operand's shape `target`."""
        lead = len(source) - len(target)
        axes = list(range(lead))
        axes += [lead + at for at, size in enumerate(target) if size == 1 and source[lead + at] != 1]
        summed = self.sum(axes)
        return summed.reshape(target) if lead else summed


Operand = Sym | Array | np.generic | float | str | None
"""What a node can read: a symbol, a constant, a tensor's name, or nothing (an omitted optional input)."""


class Tape:
    """Collects nodes and constants; knows nothing about gradients."""

    def __init__(self, prefix: str = "adj") -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, Array] = {}
        self._prefix = prefix
        self._known: dict[object, str] = {}
        self._kept: list[object] = []

    def sym(self, name: str) -> Sym:
        """A symbol for a tensor that exists."""
        return Sym(self, name)

    def op(self, operator: str, *operands: Operand, name: str = "", **attributes: Any) -> Sym:
        """Write a node with one output.

        Args:
            operator: Of ONNX's own domain.
            operands: Its inputs.
            name: Of the output; made up if not given.
            attributes: Of the node.
        """
        return self.write(operator, operands, [name or f"{self._prefix}/{len(self.nodes)}"], **attributes)[0]

    def write(
        self, operator: str, operands: Sequence[Operand], outputs: Sequence[str], **attributes: Any
    ) -> tuple[Sym, ...]:
        """Write a node with named outputs."""
        read = [self._name(operand) for operand in operands]
        self.nodes.append(helper.make_node(operator, read, list(outputs), **attributes))
        return tuple(Sym(self, output) for output in outputs)

    def constant(self, value: Array | np.generic | float) -> str:
        """Name of a constant; plain numbers and float64 become float32."""
        array = np.asarray(value)
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        if array.size <= _KEPT_BY_VALUE:
            key: object = (array.dtype.str, array.shape, array.tobytes())
        else:
            key = id(value)
            self._kept.append(value)  # its id is the key as long as it lives
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = f"{self._prefix}/constant/{len(self._known)}"
            self.constants[found] = array
        return found

    def _name(self, operand: Operand) -> str:
        if operand is None:
            return ""
        if isinstance(operand, Sym):
            return operand.name
        return operand if isinstance(operand, str) else self.constant(operand)


def attributes_of(node: onnx.NodeProto) -> Mapping[str, Any]:
    """Attributes by name; texts as str."""
    found: dict[str, Any] = {}
    for attribute in node.attribute:
        value = helper.get_attribute_value(attribute)
        found[attribute.name] = value.decode() if isinstance(value, bytes) else value
    return found
