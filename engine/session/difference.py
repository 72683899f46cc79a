"""Two plans side by side: which kernels differ, how precisions go over into each other, what each change costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from engine.fusion.types import Network
from engine.npu.results import KernelCost
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme, label
from engine.session.state import Figures


@dataclass(frozen=True, slots=True)
class Pair:
    """One figure of a kernel under plan A and under plan B; None = not known."""

    a: float | None
    b: float | None

    @property
    def change(self) -> float | None:
        """A minus B: what A has more; None if one is not known."""
        return None if self.a is None or self.b is None else self.a - self.b


@dataclass(frozen=True, slots=True)
class KernelDifference:
    """A kernel that takes another scheme in plan A than in plan B."""

    kernel: str
    index: int
    name: str
    a: Scheme
    b: Scheme
    size_bytes: Pair
    """Of the kernel's constants."""
    latency_us: Pair
    accumulated_db: Pair
    """SQNR at the kernel's output in the whole network."""


def differences(network: Network, a: Figures, b: Figures) -> tuple[KernelDifference, ...]:
    """Kernels whose scheme differs, in execution order.

    Args:
        network: the model.
        a: what is known of plan A.
        b: what is known of plan B.
    """
    costs = (_costs(a), _costs(b))
    sizes: tuple[Mapping[str, int], Mapping[str, int]] = (
        a.size.per_kernel if a.size is not None else {},
        b.size.per_kernel if b.size is not None else {},
    )
    found = []
    for kernel in network.tunable:
        one, other = a.plan.scheme(kernel.id), b.plan.scheme(kernel.id)
        if one == other:
            continue
        latency = [cost[kernel.id].latency_us if kernel.id in cost else None for cost in costs]
        errors = [_accumulated(figures, kernel.id) for figures in (a, b)]
        found.append(
            KernelDifference(
                kernel.id,
                kernel.index,
                kernel.name,
                one,
                other,
                Pair(sizes[0].get(kernel.id), sizes[1].get(kernel.id)),
                Pair(*latency),
                Pair(*errors),
            )
        )
    return tuple(found)


def transitions(network: Network, a: Plan, b: Plan) -> dict[tuple[str, str], int]:
    """How many kernels have one scheme in plan A and another, or the same, in plan B.

    Returns:
        Number of tunable kernels by (label in A, label in B), without zeros; adds up to all tunable kernels.
    """
    pairs = Counter((label(a.scheme(k.id)), label(b.scheme(k.id))) for k in network.tunable)
    return dict(sorted(pairs.items()))


def _costs(figures: Figures) -> dict[str, KernelCost]:
    return {cost.kernel: cost for cost in figures.simulation.kernels} if figures.simulation is not None else {}


def _accumulated(figures: Figures, kernel: str) -> float | None:
    sums = figures.evaluation.accumulated.get(kernel) if figures.evaluation is not None else None
    return None if sums is None else sums.sqnr_db
