"""What a backward rule sees of a node, and the table of rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
import onnx

from engine.graph.types import Array
from engine.tuning.adjoint.tape import Sym, Tape


class Blocked(Exception):  # noqa: N818 - not an error: what lies in front is served otherwise
    """A node that no gradient gets through; the text names its operator."""


@dataclass(frozen=True, eq=False, slots=True)
class Segment:
    """Nodes to go backwards through: a kernel, or a whole model. All floating tensors are float32."""

    nodes: tuple[onnx.NodeProto, ...]
    """In runnable order."""
    shapes: Mapping[str, tuple[int, ...]]
    """Of every tensor and constant."""
    floats: frozenset[str]
    """Tensors and constants of dtype float32: what a gradient can belong to."""
    constants: Mapping[str, Array]
    """Constants whose values a rule may look at."""
    opset: int
    """Of ONNX's own operators; at least 18."""
    parameters: frozenset[str] = frozenset()
    """Further constants: known by shape only, so that one backward graph serves layers that look alike."""


@dataclass(frozen=True, eq=False, slots=True)
class Call:
    """One node on the way back."""

    tape: Tape
    segment: Segment
    node: onnx.NodeProto
    attributes: Mapping[str, Any]
    wanted: frozenset[int]
    """Inputs whose gradient is asked for."""
    gradients: tuple[Sym | None, ...] = field(default=())
    """By output; most rules only take the first, which they get as an argument."""

    @property
    def operator(self) -> str:
        """Operator, with its domain when that is not ONNX's own."""
        return qualified(self.node)

    def given(self, at: int) -> bool:
        """Whether an input is there."""
        return at < len(self.node.input) and bool(self.node.input[at])

    def name(self, at: int) -> str:
        """Name of an input; '' if it is not there."""
        return self.node.input[at] if at < len(self.node.input) else ""

    def x(self, at: int = 0) -> Sym:
        """An input."""
        return self.tape.sym(self.node.input[at])

    def y(self, at: int = 0) -> Sym:
        """An output of the forward node."""
        return self.tape.sym(self.node.output[at])

    def again(self) -> Sym:
        """The first output, computed once more: to be compared with inputs for equality.

        The runtime may have come to the kept output by sums in another order than to the input that is recomputed here.
        """
        inputs = [self.x(at) if self.given(at) else "" for at in range(len(self.node.input))]
        return self.tape.op(self.node.op_type, *inputs, **self.attributes)

    def shape(self, at: int = 0) -> tuple[int, ...]:
        """Of an input."""
        return self._shape(self.node.input[at])

    def result_shape(self, at: int = 0) -> tuple[int, ...]:
        """Of an output."""
        return self._shape(self.node.output[at])

    def rank(self, at: int = 0) -> int:
        """Number of axes of an input."""
        return len(self.shape(at))

    def fixed(self, at: int) -> bool:
        """Whether an input is a constant, of known value or not."""
        name = self.name(at)
        return name in self.segment.constants or name in self.segment.parameters

    def value(self, at: int) -> Array | None:
        """Value of a constant input; None if it is not there, not constant or not to be looked at."""
        return self.segment.constants.get(self.name(at))

    def values(self, at: int) -> list[int]:
        """Value of a constant integer input (blocks if it is computed)."""
        found = self.value(at)
        if found is None:
            self.block("computed parameters")
        return [int(number) for number in np.asarray(found).ravel()]

    def attribute(self, name: str, default: Any) -> Any:
        """An attribute."""
        return self.attributes.get(name, default)

    def need_constant(self, *inputs: int) -> None:
        """Block unless these inputs, where given, are constants."""
        if any(self.given(at) and not self.fixed(at) for at in inputs):
            self.block("computed parameters")

    def block(self, detail: str = "") -> NoReturn:
        """Refuse the node.

        Raises:
            Blocked: Always.
        """
        raise Blocked(f"{self.operator} ({detail})" if detail else self.operator)

    def _shape(self, name: str) -> tuple[int, ...]:
        found = self.segment.shapes.get(name)
        if found is None:
            self.block("unknown shape")
        return found


Gradients = Sequence[Sym | None]
"""By input; a shorter list leaves the rest without."""
Rule = Callable[[Call, Sym], Gradients]
RULES: dict[str, Rule] = {}

ZERO = frozenset({
    "Shape", "Size", "ArgMax", "ArgMin", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Not", "And",
    "Or", "Xor", "NonZero", "Floor", "Ceil", "Round", "Sign", "IsNaN", "IsInf", "OneHot", "BitShift", "EyeLike",
    "ConstantOfShape", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot", "Hardmax",
})  # fmt: skip
"""Operators whose result doesn't change under a small change of any input."""


def rule(*operators: str) -> Callable[[Rule], Rule]:
    """Enter a function in the table."""

    def enter(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(operators, function))
        return function

    return enter


def qualified(node: onnx.NodeProto) -> str:
    """Operator, with its domain when that is not ONNX's own."""
    return node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}.{node.op_type}"
