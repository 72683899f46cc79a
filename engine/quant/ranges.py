"""Ranges: what calibration found out about the activations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.fusion.types import Network
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


def stored_ranges(network: Network) -> dict[str, Range]:
    """Ranges of activations that the file itself has quantized statically, by name.

    With them `activation_params` finds the file's own scale and zero point, so that rounding once more changes nothing.
    """
    found = {}
    for kernel in network.tunable:
        stored, weight = kernel.stored, kernel.weight
        if stored is None or weight is None or stored.limits is None or stored.activations is None:
            continue
        low, high = stored.limits
        # A symmetric scale is peak / 127: the one code more at the lower end says nothing about the range.
        found[weight.activation] = Range(-high if stored.activations.symmetric else low, high)
    return found


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
