"""Weights among the tensors of a dump: initializers by name, and what operators have read where a weight goes in."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from engine.fusion.types import Kernel, Network
from engine.graph.types import Array
from engine.interop.dump_set import DumpTensor
from engine.interop.foreign_names import Found, Goal, NameIndex

Key = tuple[str, int]
"""Kernel id and number of the output."""
WEIGHT = -1
"""Stands in a key for the kernel's weight, where else the number of an output is."""
_PARAMETER = re.compile(r"[._/](weight|w_0|kernel|w)$", re.IGNORECASE)


class WeightIndex:
    """The weights of all kernels, looked up by name; one that several kernels share is that of the first."""

    def __init__(self, network: Network, corrections: Mapping[str, Key | None]) -> None:
        first: dict[str, Kernel] = {}
        for kernel in network.tunable:
            assert kernel.weight is not None
            first.setdefault(kernel.weight.origin, kernel)
        goals = [Goal((kernel.id, WEIGHT), kernel.name, _names(kernel)) for kernel in first.values()]
        chosen = {name: key for name, key in corrections.items() if key is not None and key[1] == WEIGHT}
        self._index = NameIndex(goals, corrections=chosen)
        self._slots = {kernel.id: _slot(kernel) for kernel in network.tunable}

    def find(self, tensor: DumpTensor, *, weak: bool) -> Found:
        """The kernel whose weight a tensor's name means."""
        return self._index.find(tensor.names, weak=weak)

    def read_by(self, kernel: str, number: int) -> bool:
        """Whether an operator's input of that number is the kernel's weight."""
        return self._slots.get(kernel) == number


def weight_shape(kernel: Kernel) -> tuple[int, ...]:
    """The shape of a kernel's weight."""
    assert kernel.weight is not None
    shape: tuple[int, ...] = kernel.constants[kernel.weight.constant].shape
    return shape


def as_weight(values: Array, shape: tuple[int, ...]) -> Array:
    """Values in the shape of a weight: [out, in] of a tool that stores it so becomes [in, out] and back."""
    if values.shape == shape:
        return values
    if values.ndim == len(shape) == 2 and values.shape == shape[::-1]:
        return values.T
    if values.ndim == len(shape) == 4 and values.shape == (shape[0], *shape[2:], shape[1]):
        return np.moveaxis(values, -1, 1)
    return values.reshape(shape)


def _names(kernel: Kernel) -> tuple[str, ...]:
    assert kernel.weight is not None
    weight, node = kernel.weight, kernel.nodes[kernel.anchor]
    found = [weight.origin, weight.constant]
    stem = _PARAMETER.sub("", weight.origin)
    for module in (stem, node.scope, node.proto.name, kernel.name):
        if module and module != weight.origin:
            found.append(f"{module}.weight")
    return tuple(dict.fromkeys(found))


def _slot(kernel: Kernel) -> int:
    assert kernel.weight is not None
    return list(kernel.nodes[kernel.anchor].inputs).index(kernel.weight.constant)
