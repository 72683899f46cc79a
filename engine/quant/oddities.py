"""What is odd about a weight: values that formats can't hold, and parts that carry nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.fusion.types import Kernel, Network, Weight
from engine.graph.types import Array
from engine.quant.matrix import PIECE, to_matrix
from engine.text import Text, say

_HALF_MAX = 65520.0
"""From here on a half rounds to infinity."""
_TINY = float(np.finfo(np.float32).tiny)


@dataclass(frozen=True, slots=True)
class Oddities:
    """Counts over one kernel's weights."""

    nan: int = 0
    """Weights that are NaN: they become 0."""
    infinite: int = 0
    """They become the end of the range of the finite ones."""
    beyond_half: int = 0
    """Finite weights that become infinite in FP16."""
    denormal: int = 0
    """Weights so small that float32 holds them with fewer digits (below 1.2e-38), and devices as 0."""
    zero_channels: int = 0
    """Channels of zeros only: they are exact in every format, and could be pruned."""
    constant_channels: int = 0
    """Channels of one repeated value other than 0: exact in every format."""
    channels: int = 0

    def __bool__(self) -> bool:
        return any((self.nan, self.infinite, self.beyond_half, self.denormal, self.zero_channels))

    @property
    def harmful(self) -> bool:
        """Whether some format, or every one, changes what the kernel computes."""
        return bool(self.nan or self.infinite or self.beyond_half)

    def plus(self, other: Oddities) -> Oddities:
        """Both together."""
        return Oddities(*(a + b for a, b in zip(self._values(), other._values(), strict=True)))

    def _values(self) -> tuple[int, ...]:
        return (
            self.nan, self.infinite, self.beyond_half, self.denormal, self.zero_channels, self.constant_channels,
            self.channels,
        )  # fmt: skip

    def words(self) -> Text:
        """The worst of it, in one sentence; '' if nothing is odd."""
        if self.nan or self.infinite:
            return say("{nan} weights are NaN and {infinite} infinite: rounded as 0 and as the largest others.",
                       nan=self.nan, infinite=self.infinite)  # fmt: skip
        if self.beyond_half:
            return say(
                "{count} {count:weight is beyond 65504 and becomes|weights are beyond 65504 and become} "
                "infinite in FP16.",
                count=self.beyond_half,
            )
        if self.zero_channels:
            return say("{count} of {all} channels {count:is|are} all zeros: exact in every format, "
                       "and could be pruned.",
                       count=self.zero_channels, all=self.channels)  # fmt: skip
        if self.denormal:
            return say("{count} {count:weight is|weights are} denormal, and 0 on most devices.", count=self.denormal)
        return say("")


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
    nan = infinite = beyond = 0
    if not (size < _HALF_MAX).all():  # or NaN
        nan = int(np.isnan(rows).sum())
        infinite = int(np.isinf(rows).sum())
        beyond = int((np.abs(rows) >= _HALF_MAX).sum()) - infinite
    size = np.abs(rows)
    denormal = int(np.count_nonzero((size < _TINY) & (size > 0)))
    return Oddities(nan, infinite, beyond, denormal, zeros, int(np.count_nonzero(same & np.isfinite(most))) - zeros)
