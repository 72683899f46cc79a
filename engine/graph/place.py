"""What is known of an operand, and what its values have to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import onnx
from onnx import helper

from engine.graph.types import Array


@dataclass(frozen=True, eq=False, slots=True)
class Meaning:
    """What the values of a tensor have to be."""

    fixed: Array | None = None
    """These values, the same in every sample."""
    below: int | None = None
    """Integers of at least 0 and below this."""
    columns: tuple[int, ...] = ()
    """The same, with a bound for each place of the last axis."""
    positive: bool = False
    """Above 0."""
    text: str = "text"
    """What strings say."""


NO_MEANING = Meaning()


@dataclass(frozen=True, eq=False, slots=True)
class Known:
    """What is known of the tensors around."""

    shapes: Mapping[str, tuple[int, ...]]
    values: Callable[[str], Array | None]


@dataclass(frozen=True, eq=False, slots=True)
class Place:
    """One operand of one node."""

    node: onnx.NodeProto
    at: int
    known: Known

    def shape(self, at: int) -> tuple[int, ...] | None:
        """Of an operand; None where it is not known, or there is none."""
        name = self.node.input[at] if at < len(self.node.input) else ""
        return self.known.shapes.get(name) if name else None

    def size(self, at: int, axis: int) -> int | None:
        """Of an operand along an axis, which may count from behind; None where it is not known, or there is none."""
        return along(self.shape(at), axis)

    @property
    def own(self) -> tuple[int, ...]:
        """Shape of this operand, () where it is not known."""
        return self.shape(self.at) or ()

    def result(self, at: int = 0) -> tuple[int, ...] | None:
        """Shape of a result, where it is known."""
        return self.known.shapes.get(self.node.output[at]) if at < len(self.node.output) else None

    def value(self, at: int) -> list[Any] | None:
        """Values of a constant operand."""
        name = self.node.input[at] if at < len(self.node.input) else ""
        array = self.known.values(name) if name else None
        return None if array is None else array.reshape(-1).tolist()

    def attribute(self, name: str, default: Any) -> Any:
        """An attribute of the node."""
        return next((helper.get_attribute_value(a) for a in self.node.attribute if a.name == name), default)


def along(shape: Sequence[int] | None, axis: int) -> int | None:
    """The size of an axis, which may count from behind; None where the shape is not known or has no such axis."""
    return shape[axis] if shape is not None and -len(shape) <= axis < len(shape) else None
