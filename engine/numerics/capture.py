"""Values of one kernel beside those of the reference, copied out of an evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.fusion.types import Kernel, Network
from engine.graph.types import Array
from engine.numerics.buffers import Value
from engine.numerics.results import ErrorSums
from engine.numerics.sums import PIECE, error_sums, power_sums


@dataclass(frozen=True, eq=False, slots=True)
class Capture:
    """Values of one kernel for one sample; copies."""

    kernel: str
    """Kernel id."""
    tensor: str
    """The kernel's first float output (its first output if none is float)."""
    sample: int
    reference: Array
    result: Array
    sums: ErrorSums
    reference_inputs: Mapping[str, Array]
    result_inputs: Mapping[str, Array]


def captured(
    network: Network,
    kernel: Kernel,
    sample: int,
    tensor: str,
    reference: Mapping[str, Value],
    current: Mapping[str, Value],
) -> Capture:
    """Copies of what a kernel reads and gives, in the reference and now, and the error of one of its tensors."""

    def read(values: Mapping[str, Value], name: str) -> Array:
        return np.array(values[name].numpy(network.tensors.get(name)))

    before, now = read(reference, tensor), read(current, tensor)
    return Capture(
        kernel.id,
        tensor,
        sample,
        before,
        now,
        _sums(now, before),
        {name: read(reference, name) for name in kernel.inputs},
        {name: read(current, name) for name in kernel.inputs},
    )


def _sums(result: Array, reference: Array) -> ErrorSums:
    if result.dtype.kind in "OSUbiu":
        return ErrorSums(0.0, 0.0, 0.0, 0)
    return error_sums(result, reference, power_sums(reference), np.empty(PIECE, np.float32)).as_result()
