"""Ranges: what calibration found out about the activations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.precision.scheme import ActivationFormat


@dataclass(frozen=True, slots=True)
class Range:
    """The range that an observer chose for one activation."""

    low: float
    high: float


class QuantParams(NamedTuple):
    """real = (code - zero_point) * scale."""

    scale: float
    zero_point: int


@dataclass(frozen=True, slots=True)
class Ranges:
    """Static ranges by activation name."""

    ranges: Mapping[str, Range] = field(default_factory=dict)
    observer: str = "minmax"
    samples: int = 0
    synthetic: bool = False


def activation_params(found: Range, form: ActivationFormat) -> QuantParams:
    """Scale and zero point of an integer activation format over a range widened to include zero.

    Asymmetric formats are unsigned ([0, 2^bits - 1]), symmetric ones signed with a zero point of 0
    ([-2^(bits-1), 2^(bits-1) - 1]). A range of width zero gets a scale of 1.
    """
    low, high = min(found.low, 0.0), max(found.high, 0.0)
    if form.symmetric:
        peak = max(-low, high)
        return QuantParams(peak / (2 ** (form.bits - 1) - 1) if peak > 0 else 1.0, 0)
    steps = 2**form.bits - 1
    scale = (high - low) / steps
    if scale <= 0:
        return QuantParams(1.0, 0)
    return QuantParams(scale, min(max(round(-low / scale), 0), steps))
