"""What is odd about a weight: values that formats can't hold, and parts that carry nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass

import numpy as np

from engine.fusion.types import Kernel, Network, Weight
from engine.graph.types import Array
from engine.precision.scheme import WeightFormat, float_name
from engine.quant.matrix import PIECE, to_matrix
from engine.text import Text, say

_HALF_MAX = 65520.0
"""From here on a half rounds to infinity."""
_HALF_LEAST = 2.0**-25
"""Up to here a half rounds to 0."""
_BRAIN_MAX = float(np.finfo(np.float32).max) - 2.0**119 + 2.0**104
"""From here on a BF16 rounds to infinity: half a step above its largest, 3.39e38."""
_TINY = float(np.finfo(np.float32).tiny)


@dataclass(frozen=True, slots=True)
class Oddities:
    """Counts over one kernel's weights."""

    nan: int = 0
    """Weights that are NaN: in integers they become 0, in floats they stay."""
    infinite: int = 0
    """In integers they become the end of the range of the finite ones, in floats they stay."""
    beyond_half: int = 0
    """Finite weights that become infinite in FP16."""
    denormal: int = 0
    """Weights so small that float32 holds them with fewer digits (below 1.2e-38), and devices as 0."""
    zero_channels: int = 0
    """Channels of zeros only: they are exact in every format, and could be pruned."""
    constant_channels: int = 0
    """Channels of one repeated value other than 0: exact in every format."""
    channels: int = 0
    beyond_brain: int = 0
    """Finite weights that become infinite in BF16."""
    vanishing_channels: int = 0
    """Channels that are not zero, and of which FP16 leaves nothing but zeros."""

    def __bool__(self) -> bool:
        return any((
            self.nan, self.infinite, self.beyond_half, self.denormal, self.zero_channels, self.constant_channels,
            self.vanishing_channels,
        ))  # fmt: skip

    def harmful(self, form: WeightFormat) -> bool:
        """Whether that format changes what the kernel computes by more than rounding."""
        beyond, vanish = self._lost(form)
        return bool(self.nan or self.infinite or beyond or vanish)

    def plus(self, other: Oddities) -> Oddities:
        """Both together."""
        return Oddities(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def words(self, form: WeightFormat) -> Text:
        """The worst of it in that format, in one sentence; '' if nothing is odd."""
        beyond, vanish = self._lost(form)
        if (self.nan or self.infinite) and form.floating:
            return say("{nan} of the weights are NaN and {infinite} infinite, and stay so in {format}.",
                       nan=self.nan, infinite=self.infinite, format=float_name(form))  # fmt: skip
        if self.nan or self.infinite:
            return say("{nan} of the weights are NaN and {infinite} infinite: rounded as 0 and as the largest others.",
                       nan=self.nan, infinite=self.infinite)  # fmt: skip
        if beyond:
            return say(
                "{count} {count:weight is|weights are} beyond {most} and {count:becomes|become} infinite in {format}.",
                count=beyond, most="3.39e38" if form.brain else "65504", format=float_name(form),
            )  # fmt: skip
        if vanish:
            return say(
                "{count} of {all} channels {count:is|are} so small that FP16 makes {count:it|them} 0.",
                count=vanish, all=self.channels,
            )  # fmt: skip
        if self.zero_channels:
            return say("{count} of {all} channels {count:is|are} all zeros: exact in every format, "
                       "and could be pruned.",
                       count=self.zero_channels, all=self.channels)  # fmt: skip
        return self._quiet_words()

    def _quiet_words(self) -> Text:
        """What harms nothing in the format that there is."""
        if self.denormal:
            return say("{count} {count:weight is|weights are} denormal, and 0 on most devices.", count=self.denormal)
        if self.beyond_half:
            return say(
                "{count} {count:weight is|weights are} beyond 65504: infinite in FP16, but not in the format here.",
                count=self.beyond_half,
            )
        if self.vanishing_channels:
            return say(
                "{count} of {all} channels would be 0 in FP16, but not in the format here.",
                count=self.vanishing_channels, all=self.channels,
            )  # fmt: skip
        if self.constant_channels:
            return say(
                "{count} of {all} channels {count:repeats|repeat} one value: exact in integers.",
                count=self.constant_channels, all=self.channels,
            )  # fmt: skip
        return say("")

    def _lost(self, form: WeightFormat) -> tuple[int, int]:
        """Weights that become infinite in a format, and channels that become zero."""
        if not form.floating or form.bits > 16:
            return 0, 0
        return (self.beyond_brain, 0) if form.brain else (self.beyond_half, self.vanishing_channels)


def odd_weights(network: Network) -> Mapping[str, Oddities]:
    """By kernel id, of kernels with anything odd."""
    found = {}
    for kernel in network.tunable:
        odd = kernel_oddities(kernel)
        if odd:
            found[kernel.id] = odd
    return found


def kernel_oddities(kernel: Kernel) -> Oddities:
    """All weights of a kernel together."""
    total = Oddities()
    for weight in kernel.weights:
        total = total.plus(oddities(kernel.constants[weight.constant], weight))
    return total


def oddities(array: Array, weight: Weight) -> Oddities:
    """One weight, any floating dtype; it is never copied as a whole."""
    matrix = to_matrix(array, weight.channel_axes, weight.reduction_axes)
    channels, reduction = matrix.shape
    if not matrix.size:
        return Oddities(channels=channels)
    total = Oddities(channels=channels)
    step = max(1, 8 * PIECE // reduction)
    for first in range(0, channels, step):
        total = total.plus(_rows(np.asarray(matrix[first : first + step], np.float32)))
    return total


def _rows(rows: Array) -> Oddities:
    least, most = rows.min(axis=1), rows.max(axis=1)
    size = np.maximum(np.abs(least), np.abs(most))
    same = least == most
    zeros = int(np.count_nonzero(same & (most == 0)))
    vanishing = int(np.count_nonzero((size > 0) & (size <= _HALF_LEAST)))
    nan = infinite = beyond = beyond_brain = 0
    if not (size < _HALF_MAX).all():  # or NaN
        nan = int(np.isnan(rows).sum())
        infinite = int(np.isinf(rows).sum())
        beyond = int((np.abs(rows) >= _HALF_MAX).sum()) - infinite
        beyond_brain = int((np.abs(rows) >= _BRAIN_MAX).sum()) - infinite
    size = np.abs(rows)
    denormal = int(np.count_nonzero((size < _TINY) & (size > 0)))
    constant = int(np.count_nonzero(same & np.isfinite(most))) - zeros
    return Oddities(nan, infinite, beyond, denormal, zeros, constant, 0, beyond_brain, vanishing)
