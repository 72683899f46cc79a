"""Ranges: what calibration found out about the activations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from engine.errors import PlanError
from engine.fusion.types import Kernel, Network, Weight
from engine.graph.types import Array
from engine.precision.scheme import ActivationFormat, Scheme
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.quant.oddities import Oddities
from engine.quant.weights import QuantizedWeight, quantize_weight
from engine.text import say


@dataclass(frozen=True, slots=True)
class Range:
    """The range that an observer chose for one activation."""

    low: float
    high: float


class QuantParams(NamedTuple):
    """real = (code - zero_point) * scale."""

    scale: float
    zero_point: int


class Rounding(Protocol):
    """Rounds weights by any method of a scheme; with calibration data also by those that need it."""

    def weight(self, kernel: Kernel, weight: Weight, scheme: Scheme) -> QuantizedWeight:
        """One of the kernel's weights in the scheme's format, by its method.

        Raises:
            PlanError: The method does not exist, needs data that is not there, or does not fit the kernel.
        """

    def shift(self, kernel: Kernel, scheme: Scheme) -> Array | None:
        """What a scheme with `corrected` adds to the bias, float32 [channels]; None if the kernel has no place for it.

        Raises:
            PlanError: There is no data.
        """

    def range(self, kernel: Kernel, scheme: Scheme) -> Range | None:
        """The range of the activation where a scheme scales its channels; None where it is as calibration found it."""

    def find(
        self,
        cells: Iterable[tuple[str, Scheme]],
        *,
        progress: Progress = no_progress,
        cancel: CancelToken = NEVER,
    ) -> None:
        """Compute ahead what kernels (by id) need in schemes: much at a time costs little more than one.

        Raises:
            PlanError: As `weight`.
            Cancelled: If asked to stop.
        """


class FromWeights:
    """Rounding without data."""

    def weight(self, kernel: Kernel, weight: Weight, scheme: Scheme) -> QuantizedWeight:
        """See `Rounding`."""
        return quantize_weight(kernel.constants[weight.constant], weight, scheme.weights, scheme.method)

    def shift(self, kernel: Kernel, scheme: Scheme) -> Array | None:
        """See `Rounding`."""
        raise PlanError(
            say("Layer {name} wants a corrected bias, which needs calibration samples; give data.", name=kernel.name)
        )

    def range(self, kernel: Kernel, scheme: Scheme) -> Range | None:
        """See `Rounding`."""
        return None

    def find(
        self,
        cells: Iterable[tuple[str, Scheme]],
        *,
        progress: Progress = no_progress,
        cancel: CancelToken = NEVER,
    ) -> None:
        """Nothing takes long enough."""


FROM_WEIGHTS = FromWeights()


@dataclass(frozen=True, slots=True)
class Ranges:
    """What calibration found out: static ranges by activation name, and how to round by what it has seen."""

    ranges: Mapping[str, Range] = field(default_factory=dict)
    observer: str = "minmax"
    samples: int = 0
    synthetic: bool = False
    rounding: Rounding = field(default=FROM_WEIGHTS, compare=False, repr=False)
    spans: Mapping[str, Array] = field(default_factory=dict, compare=False, repr=False)
    """By activation: float64 [samples, 2], least and greatest finite value of each sample; (inf, -inf) without one."""
    by_bits: Mapping[int, Mapping[str, Range]] = field(default_factory=dict)
    """Other ranges for formats of so many bits, where the observer asks how fine the steps are; else empty."""
    odd: Mapping[str, Oddities] = field(default_factory=dict, compare=False, repr=False)
    """Kernels with weights that formats can't hold, or that carry nothing, by id."""

    def of(self, tensor: str, form: ActivationFormat) -> Range | None:
        """The range over which an activation is rounded to a format; None if calibration has none."""
        return self.by_bits.get(form.bits, self.ranges).get(tensor)


def range_for(kernel: Kernel, scheme: Scheme, ranges: Ranges) -> Range | None:
    """The range that a kernel's activation is rounded over under a scheme; None if calibration has none."""
    if kernel.weight is None:
        return None
    return ranges.rounding.range(kernel, scheme) or ranges.of(kernel.weight.activation, scheme.activations)


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
