"""Bytes that a plan takes in the package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlanBytes:
    """Size of the constants of a network under a plan: packed weights, scales, zero points and all that has no switch."""

    total: int
    by_family: Mapping[str, int]
    """'INT4', 'INT8', 'FP16', 'FP32' for tunable weights; 'other' for constants without a switch."""
    per_kernel: Mapping[str, int]
    """By kernel id; a tied weight counts where it comes first."""
