"""A measured profile beside the simulation: per kernel, worst first, and what belongs to no kernel."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from engine.fusion.types import Network
from engine.interop.foreign_names import Goal, How, NameIndex
from engine.interop.profile import MeasuredOp, ProfileFile
from engine.npu.results import Simulation
from engine.text import Text, say

_INSERTED = re.compile(
    r"^(trans_?data|transdata_for_nd|netoutput_cast|graphop_data_cast|trans_Cast|PartitionedCall)", re.IGNORECASE
)
_INSERTED_TYPES = frozenset({"TransData", "CastT", "Permute", "ReorderInput", "ReorderOutput"})
"""What compilers put in: conversions of layout and type."""


@dataclass(frozen=True, slots=True)
class OpMatch:
    """One measured operator and the kernel that it belongs to."""

    op: MeasuredOp
    kernel: str
    """Kernel id; '' if none."""
    how: How
    inserted: bool = False
    """Whether the compiler has put it in: a conversion of layout or type."""
    reason: Text | None = None


@dataclass(frozen=True, slots=True)
class KernelTime:
    """One kernel, measured and simulated."""

    kernel: str
    index: int
    name: str
    measured_us: float
    simulated_us: float
    ops: int
    """Measured operators that make it up."""

    @property
    def ratio(self) -> float:
        """Measured by simulated."""
        if self.simulated_us <= 0:
            return float("inf") if self.measured_us > 0 else 1.0
        return self.measured_us / self.simulated_us


@dataclass(frozen=True, eq=False, slots=True)
class Measured:
    """The whole comparison."""

    profile: ProfileFile
    kernels: tuple[KernelTime, ...]
    """Worst first: the largest difference in time, whichever way."""
    matches: tuple[OpMatch, ...]
    """Every operator, none dropped."""
    missing: tuple[str, ...]
    """Kernels without a measured operator."""
    inserted_us: float
    """Conversions that the compiler has put in."""
    unmatched_us: float
    submit_us: float | None
    """What the whole inference takes beyond the sum of its operators: submission and synchronisation."""
    total_us: float
    """Of the whole inference where it was measured, else the sum of the operators."""
    simulated_us: float

    @property
    def median_ratio(self) -> float:
        """Median of measured by simulated over the kernels."""
        return median(k.ratio for k in self.kernels) if self.kernels else float("nan")


def compare_profile(
    profile: ProfileFile,
    network: Network,
    simulation: Simulation,
    *,
    fusions: Mapping[str, Sequence[str]] | None = None,
    corrections: Mapping[str, str | None] | None = None,
) -> Measured:
    """Match operators to kernels and put their times side by side.

    Args:
        profile: What was measured; of several runs the median per operator.
        network: The model.
        simulation: Of the plan that was on the device.
        fusions: Fused operator -> original nodes.
        corrections: Operator name -> kernel id (None: no kernel), as a user has decided.
    """
    goals = [
        Goal(
            kernel.id,
            kernel.name,
            tuple(dict.fromkeys((*(n.proto.name for n in kernel.nodes[-1:] if n.proto.name), *kernel.outputs))),
            tuple(
                name
                for node in kernel.nodes
                for name in (node.proto.name, *node.outputs)
                if name and name not in kernel.outputs
            ),
        )
        for kernel in network.kernels
    ]
    index = NameIndex(goals, fusions=fusions, corrections=corrections or {})
    matches = [_match(op, index, corrections or {}) for op in profile.ops]
    times: dict[str, list[float]] = {}
    for match in matches:
        if match.kernel:
            times.setdefault(match.kernel, []).append(match.op.duration_us)
    places = {kernel.id: kernel for kernel in network.kernels}
    rows = [
        KernelTime(
            kernel,
            places[kernel].index,
            places[kernel].name,
            sum(found),
            simulation.kernels[places[kernel].index].latency_us,
            len(found),
        )
        for kernel, found in times.items()
    ]
    rows.sort(key=lambda row: -abs(row.measured_us - row.simulated_us))
    ops_us = sum(match.op.duration_us for match in matches)
    total = profile.total_us
    return Measured(
        profile,
        tuple(rows),
        tuple(matches),
        tuple(k.id for k in network.kernels if k.id not in times),
        sum(m.op.duration_us for m in matches if m.inserted),
        sum(m.op.duration_us for m in matches if not m.kernel and not m.inserted),
        None if total is None else total - ops_us,
        ops_us if total is None else total,
        simulation.latency_us,
    )


def _match(op: MeasuredOp, index: NameIndex, corrections: Mapping[str, str | None]) -> OpMatch:
    if op.name not in corrections and (_INSERTED.match(op.name) or op.op_type in _INSERTED_TYPES):
        exact = index.find([op.name], weak=False)
        if exact.how != "exact":
            return OpMatch(op, "", "none", True, say("Put in by the compiler: a conversion of layout or type."))
    found = index.find([op.name], device=True)
    return OpMatch(op, str(found.key) if found.key is not None else "", found.how, reason=found.reason)
