"""Figures of the Ascend comparison tool for every kernel of a plan, on one sample: what a pair of dumps would give."""

from __future__ import annotations

import numpy as np

from engine.fusion.types import Network
from engine.numerics import Evaluator
from engine.numerics.npu_metrics import npu_errors
from engine.precision.plan import Plan


def npu_figures(
    evaluator: Evaluator, network: Network, plan: Plan, sample: int = 0
) -> dict[str, dict[str, float | str]]:
    """By kernel id; kernels without a float output are left out.

    Args:
        evaluator: Where the plan runs.
        network: Its network.
        plan: The plan.
        sample: Which sample.

    Raises:
        DataError: There is no such sample.
    """
    found = {}
    for kernel in network.kernels:
        captured = evaluator.capture(kernel.id, plan, sample)
        reference = captured.reference
        if reference.size and np.issubdtype(reference.dtype, np.floating):
            found[kernel.id] = npu_errors(captured.result, reference).by_name()
    return found
