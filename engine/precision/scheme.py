"""Scheme: how one kernel's numbers are stored. A frozen value; every format is just another value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

Granularity = Literal["tensor", "channel", "group"]


@dataclass(frozen=True, slots=True)
class WeightFormat:
    """How weights are stored."""

    bits: int
    """2, 3, 4, 8, 16 for integers; 16 or 32 for floats."""
    floating: bool = False
    symmetric: bool = True
    granularity: Granularity = "channel"
    group: int = 0
    """Weights per scale along the reduction axis, with granularity "group"."""
    brain: bool = False
    """Of the floats of 16 bits, those with 8 exponent bits (BF16); else FP16."""


@dataclass(frozen=True, slots=True)
class ActivationFormat:
    """How the activation that meets the weight is stored."""

    bits: int
    """4 (static), 8 or 16 for integers; 16 or 32 for floats."""
    floating: bool = False
    symmetric: bool = False
    static: bool = True
    """Range from calibration; otherwise taken from each run."""
    brain: bool = False
    """As in WeightFormat."""


class _Hashed:
    """Room for a hash that is computed once; no field of its own, so files and equality know nothing of it."""

    __slots__ = ("_hash",)
    _hash: int


@dataclass(frozen=True, slots=True)
class Scheme(_Hashed):
    """Weight format, activation format and the method that rounds the weights."""

    weights: WeightFormat
    activations: ActivationFormat
    method: str = "rtn"
    corrected: bool = False
    """Whether the bias makes good what the rounded weights change on average."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.weights, self.activations, self.method, self.corrected)))

    def __hash__(self) -> int:
        """Schemes are keys wherever there is one of something per kernel: thousands of times for one redraw."""
        return self._hash

    def __reduce__(self) -> tuple[type[Scheme], tuple[object, ...]]:
        """Copies and other processes make it anew: the hash of a text is another one in each process."""
        return Scheme, (self.weights, self.activations, self.method, self.corrected)

    @property
    def rounded(self) -> Scheme:
        """The same formats, rounded to nearest."""
        return self if self.method == "rtn" and not self.corrected else Scheme(self.weights, self.activations)

    @property
    def rounded_by(self) -> Scheme:
        """The same formats and method, without a corrected bias: what the weights depend on."""
        return replace(self, corrected=False) if self.corrected else self

    @property
    def brain(self) -> bool:
        """Whether weights or activations are BF16, which few devices have."""
        return self.weights.brain or self.activations.brain


HALF = ActivationFormat(16, floating=True)
BRAIN = ActivationFormat(16, floating=True, brain=True)
FP32 = Scheme(WeightFormat(32, floating=True), ActivationFormat(32, floating=True))
"""The reference: nothing is rounded."""
FP16 = Scheme(WeightFormat(16, floating=True), HALF)
BF16 = Scheme(WeightFormat(16, floating=True, brain=True), BRAIN)
"""As large as FP16, with the range of FP32 and 8 bits of precision instead of 11."""
INT8 = Scheme(WeightFormat(8, symmetric=True, granularity="channel"), ActivationFormat(8))
"""W8A8: weights symmetric per channel, activations asymmetric per tensor with static ranges."""
INT4 = Scheme(WeightFormat(4, symmetric=False, granularity="group", group=32), HALF)
"""W4A16: weights asymmetric in groups of 32 along the reduction axis."""
W4A8 = Scheme(WeightFormat(4, symmetric=False, granularity="group", group=32), ActivationFormat(8))
W8A16 = Scheme(WeightFormat(8, symmetric=True, granularity="channel"), HALF)

PRESETS: dict[str, Scheme] = {
    "int4": INT4, "int8": INT8, "fp16": FP16, "bf16": BF16, "w4a8": W4A8, "w8a16": W8A16, "fp32": FP32,
}  # fmt: skip
"""Schemes that have a name, by that name in small letters."""

Family = Literal["INT4", "INT8", "FP16", "FP32"]


def family(scheme: Scheme) -> Family:
    """The switch segment and colour a scheme belongs to: decided by its weight bits; BF16 belongs to FP16."""
    if scheme.weights.floating:
        return "FP16" if scheme.weights.bits <= 16 else "FP32"
    return "INT4" if scheme.weights.bits <= 4 else "INT8"


@lru_cache(maxsize=4096)
def label(scheme: Scheme) -> str:
    """Short name: the family for the presets, else the widths; behind it the method, if it is not rounding.

    Remembered: views ask for every kernel, and thousands of kernels have a handful of schemes.
    """
    plain = scheme.rounded
    known = (name.upper() for name in ("int4", "int8", "fp16", "bf16", "fp32") if plain == PRESETS[name])
    formats = next(known, widths(scheme))
    method = "" if scheme.method == "rtn" else f" {scheme.method.upper()}"
    return formats + method + ("+b" if scheme.corrected else "")


def float_name(form: WeightFormat | ActivationFormat) -> str:
    """Name of a floating format: FP32, FP16 or BF16."""
    return f"{'BF' if form.brain else 'FP'}{form.bits}"


def widths(scheme: Scheme) -> str:
    """Bits of weights and activations: "W4A16". Of 16 bits there are three kinds: 16 is FP16, B16 BF16, I16 integer."""
    return f"W{_bits(scheme.weights)}A{_bits(scheme.activations)}"


def _bits(form: WeightFormat | ActivationFormat) -> str:
    kind = "B" if form.brain else "I" if form.bits == 16 and not form.floating else ""
    return f"{kind}{form.bits}"
