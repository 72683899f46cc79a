"""Peak memory as a row of the integer program: which activations would have to shrink, and who decides over them.

Peak memory doesn't add up over kernels. But at one kernel the live bytes do: a tensor takes one byte per element
instead of two when all that read it take INT8. So a peak that is too high becomes a row for its kernel, and the search
goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.fusion.types import Kernel, Kind, Network
from engine.npu import Device, plan_memory
from engine.npu.formats import mode
from engine.npu.results import MemoryPlan
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT8, Scheme
from engine.tuning.search.problem import Problem


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """Savings of at least `needed` bytes at one kernel. A saving happens when all its readers take INT8."""

    kernel: int
    needed: float
    savings: tuple[tuple[float, tuple[int, ...]], ...]
    """Bytes, and the units that must take an INT8 option."""


class MemoryRows:
    """Makes such rows for a network on a device."""

    def __init__(self, network: Network, device: Device, problem: Problem) -> None:
        self._network, self._device, self._problem = network, device, problem
        self._fine: MemoryPlan = plan_memory(network, Plan({k.id: FP16 for k in network.tunable}), device)
        coarse = plan_memory(network, Plan({k.id: INT8 for k in network.tunable}), device)
        self._coarse = {buffer.tensor: buffer.nbytes for buffer in coarse.buffers}
        self._unit = {kernel: at for at, members in enumerate(problem.units) for kernel in members}
        self._readers: dict[str, list[Kernel]] = {}
        for kernel in network.kernels:
            for name in kernel.inputs:
                self._readers.setdefault(name, []).append(kernel)
        self._outputs = {info.name for info in network.graph.outputs}

    def integer(self) -> list[list[bool]]:
        """Whether a unit's option makes all its kernels read INT8, [unit][option]."""
        kernels = {kernel.id: kernel for kernel in self._network.tunable}
        return [
            [all(self._takes_integers(kernels[member], scheme) for member in members) for scheme in options]
            for members, options in zip(self._problem.units, self._problem.options, strict=True)
        ]

    def at(self, kernel: int, budget: float) -> MemoryRow:
        """The row that keeps the live bytes at a kernel below a budget."""
        savings = []
        for buffer in self._fine.buffers:
            saved = buffer.nbytes - self._coarse.get(buffer.tensor, buffer.nbytes)
            if saved <= 0 or not buffer.first <= kernel <= buffer.last:
                continue
            units = self._deciding(buffer.tensor, set())
            if units is not None:
                savings.append((float(saved), tuple(sorted(units))))
        return MemoryRow(kernel, self._fine.live_bytes[kernel] - budget, tuple(savings))

    def _takes_integers(self, kernel: Kernel, scheme: Scheme) -> bool:
        return mode(self._device, kernel, scheme).integer_in

    def _deciding(self, tensor: str, seen: set[str]) -> set[int] | None:
        """Units that must all take INT8; None if something else reads the tensor as well."""
        if tensor in self._outputs or tensor in seen:
            return None
        seen.add(tensor)
        found: set[int] = set()
        for kernel in self._readers.get(tensor, ()):
            if kernel.kind is Kind.MOVEMENT:
                parts = [self._deciding(name, seen) for name in kernel.outputs]
            elif kernel.weight is not None and kernel.weight.activation == tensor and kernel.inputs[0] == tensor:
                parts = [{self._unit[kernel.id]}]
            else:
                return None
            for part in parts:
                if part is None:
                    return None
                found |= part
        return found or None


def saved(row: MemoryRow, choice: Sequence[int], integer: Sequence[Sequence[bool]]) -> float:
    """Bytes that a choice saves at the row's kernel."""
    takes: Mapping[int, bool] = {unit: integer[unit][option] for unit, option in enumerate(choice)}
    return sum(nbytes for nbytes, units in row.savings if all(takes[unit] for unit in units))
