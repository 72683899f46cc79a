"""Edits that raise kernels: those with the largest damage get a finer scheme."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from engine.precision.plan import Plan
from engine.precision.scheme import FP32, Scheme
from engine.tuning.search.problem import precision


def raised(
    plan: Plan, worst_first: Sequence[str], count: int, target: Scheme, locked: Collection[str] = ()
) -> tuple[Plan, tuple[str, ...]]:
    """A plan with the worst kernels in a finer scheme.

    Args:
        plan: Where to start.
        worst_first: Kernel ids by falling damage.
        count: How many are raised at most.
        target: What they get. Kernels that have it, or a finer one, don't count.
        locked: Kernels that are left alone.

    Returns:
        The plan, and the kernels that differ in it.
    """
    coarser = [
        kernel
        for kernel in worst_first
        if kernel not in locked and plan.scheme(kernel) != FP32 and precision(plan.scheme(kernel)) < precision(target)
    ]
    chosen = tuple(coarser[: max(0, count)])
    return plan.with_schemes(dict.fromkeys(chosen, target), ""), chosen
