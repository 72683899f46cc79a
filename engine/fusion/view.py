"""A list of nodes with its wiring: who writes a tensor, who reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx import helper

from engine.graph.types import Array, Node, TensorInfo


class View:
    """Nodes by position, with answers to the questions that patterns ask. Never changed after it is made."""

    def __init__(
        self,
        nodes: Sequence[Node],
        constants: Mapping[str, Array],
        tensors: Mapping[str, TensorInfo],
        outputs: Sequence[str],
    ) -> None:
        self.nodes = tuple(nodes)
        self.constants = constants
        self.tensors = tensors
        self.results = frozenset(outputs)
        self.ops = tuple(node.op_type for node in self.nodes)
        self.inputs = tuple(tuple(n for n in node.inputs if n and n not in constants) for node in self.nodes)
        """Activations that each node reads."""
        self.outputs = tuple(tuple(n for n in node.outputs if n) for node in self.nodes)
        self.producer = {name: at for at, names in enumerate(self.outputs) for name in names}
        self.readers: dict[str, list[int]] = {}
        for at, names in enumerate(self.inputs):
            for name in dict.fromkeys(names):
                self.readers.setdefault(name, []).append(at)

    def read_by(self, tensor: str) -> Sequence[int]:
        """Positions of the nodes that read a tensor."""
        return self.readers.get(tensor, ())

    def leaves(self, tensor: str, region: set[int] | frozenset[int]) -> bool:
        """Whether a tensor is needed outside of a set of nodes."""
        return tensor in self.results or any(at not in region for at in self.read_by(tensor))

    def sole_reader(self, tensor: str) -> int | None:
        """The one node that reads a tensor which is no output of the model; None if it is not that simple."""
        readers = self.read_by(tensor)
        return readers[0] if len(readers) == 1 and tensor not in self.results else None

    def shape(self, tensor: str) -> tuple[int, ...]:
        """Shape of an activation or a constant."""
        info = self.tensors.get(tensor)
        return info.shape if info is not None else self.constants[tensor].shape

    def constant_input(self, at: int) -> Array | None:
        """The constant operand of a node with exactly one activation and one constant among its first two inputs."""
        names = self.nodes[at].inputs[:2]
        constants = [name for name in names if name in self.constants]
        return self.constants[constants[0]] if len(names) == 2 and len(constants) == 1 else None

    def attribute(self, at: int, name: str, default: Any) -> Any:
        """Value of an attribute, or the default."""
        return attribute(self.nodes[at], name, default)


def attribute(node: Node, name: str, default: Any) -> Any:
    """Value of a node's attribute, or the default."""
    for entry in node.proto.attribute:
        if entry.name == name:
            return helper.get_attribute_value(entry)
    return default


def scalar(array: Array | None) -> float | None:
    """The value of a constant with one element."""
    if array is None or array.size != 1 or array.dtype.kind not in "fiuV":
        return None
    return float(np.asarray(array).reshape(()).astype(np.float64))
