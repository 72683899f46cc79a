"""Two versions of one tensor side by side: by channel, as maps, as histograms and as figures."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import Literal, NamedTuple

import numpy as np

from engine.graph.types import Array
from engine.progress import NEVER, CancelToken

Layout = Literal["maps", "matrix"]
"""A map per channel, or one matrix whose columns are channels."""
WIDEST = 1024
"""Rows and columns of a matrix picture; larger matrices are thinned to their largest values."""
QUIET = 0.01
FEW = 8
_HISTOGRAM_VALUES = 1 << 16


@dataclass(frozen=True, slots=True)
class Statistics:
    """Figures of one tensor; non-finite values are counted and otherwise left out."""

    low: float
    high: float
    mean: float
    std: float
    zeros: float
    """Share of exact zeros."""
    nonfinite: int


class Histogram(NamedTuple):
    """Counts of both tensors over shared bins."""

    edges: Array
    """[bins + 1]."""
    reference: Array
    result: Array
    levels: int
    """Distinct values of the result."""


@dataclass(frozen=True, eq=False, slots=True)
class Comparison:
    """A reference and a result, both as [channels, rows, columns] ("maps") or [1, rows, channels] ("matrix")."""

    layout: Layout
    reference: Array
    result: Array
    relative_l2: Array
    """By channel: ||result - reference|| / ||reference||, where a channel far quieter than the tensor counts as QUIET
    times its usual level (and one of few values as that level): nobody looks for the worst among silent channels."""
    spread: Array
    """By channel: largest minus smallest value of the reference."""
    of_reference: Statistics
    of_result: Statistics
    max_abs: float
    """Largest |result - reference| over finite values."""

    @property
    def channels(self) -> int:
        """Number of channels."""
        return len(self.relative_l2)

    @property
    def worst(self) -> int:
        """Channel with the largest relative error."""
        return int(np.argmax(self.relative_l2)) if self.channels else 0

    def pictures(self, channel: int) -> tuple[Array, Array]:
        """Reference and result to look at: the map of a channel, or the whole matrix (thinned when it is large)."""
        if self.layout == "maps":
            return self.reference[channel], self.result[channel]
        return thinned(self.reference[0]), thinned(self.result[0])

    @property
    def few(self) -> bool:
        """Whether a channel has too few values for a distribution."""
        return self.reference.size // max(1, self.channels) < FEW

    def values(self, channel: int) -> tuple[Array, Array]:
        """All values of a channel, flat; of all channels where one has few."""
        if self.few:
            return self.reference.ravel(), self.result.ravel()
        if self.layout == "maps":
            return self.reference[channel].ravel(), self.result[channel].ravel()
        return self.reference[0][:, channel], self.result[0][:, channel]

    def histogram(self, channel: int, bins: int = 64) -> Histogram:
        """Histograms of a channel over the range of both; of at most 65 536 evenly picked values."""
        a, b = self.values(channel)
        step = max(1, len(a) // _HISTOGRAM_VALUES)
        a, b = a[::step], b[::step]
        a, b = a[np.isfinite(a)], b[np.isfinite(b)]
        both = np.concatenate([a, b])
        low, high = (float(both.min()), float(both.max())) if both.size else (0.0, 1.0)
        if high <= low:
            low, high = low - 0.5, high + 0.5
        edges = np.linspace(low, high, bins + 1)
        return Histogram(edges, np.histogram(a, edges)[0], np.histogram(b, edges)[0], len(np.unique(b)))


def compare(reference: Array, result: Array, *, channel_axis: int = 1, cancel: CancelToken = NEVER) -> Comparison:
    """Compare two tensors of one shape.

    Args:
        reference: any numeric dtype and rank.
        result: of the same shape.
        channel_axis: axis of the channels. With at least two axes behind it (an image: [N, C, H, W]) every channel
            is a map, of the first sample of the batch; else the tensor is a matrix [everything else, channels].
        cancel: checked between passes over the data.
    """
    a, b = _arranged(reference, channel_axis), _arranged(result, channel_axis)
    layout: Layout = "maps" if _is_map(reference.ndim, channel_axis) else "matrix"
    axes = (1, 2) if layout == "maps" else (0, 1)
    cancel.check()
    difference = b - a
    with np.errstate(all="ignore"):
        noise = np.sqrt(np.square(difference).sum(axes, np.float64))
        cancel.check()
        power = np.square(a).sum(axes, np.float64)
        each = a.size // max(1, len(power))
        usual = sqrt(float(power[np.isfinite(power)].mean())) if len(power) else 0.0
        power = np.maximum(np.sqrt(power), usual * QUIET) if each >= FEW else np.full(len(power), usual)
        ratio = np.divide(noise, power, out=np.where(noise > 0, inf, 0.0), where=power > 0)
    cancel.check()
    finite = np.abs(difference[np.isfinite(difference)])
    spread = a.max(axes) - a.min(axes) if a.size else np.zeros(len(noise))
    cancel.check()
    largest = float(finite.max()) if finite.size else 0.0
    return Comparison(layout, a, b, np.nan_to_num(ratio, nan=inf), spread, _statistics(a), _statistics(b), largest)


def thinned(matrix: Array, most: int = WIDEST) -> Array:
    """A matrix with at most `most` rows and columns: each block gives its value of the largest size."""
    for axis in (0, 1):
        block = -(-matrix.shape[axis] // most)
        if block > 1:
            starts = np.arange(0, matrix.shape[axis], block)
            high = np.maximum.reduceat(matrix, starts, axis)
            low = np.minimum.reduceat(matrix, starts, axis)
            matrix = np.where(np.abs(high) >= np.abs(low), high, low)
    return matrix


def _is_map(rank: int, axis: int) -> bool:
    return rank - (axis % rank if rank else 0) > 2


def _arranged(tensor: Array, axis: int) -> Array:
    """[channels, rows, columns] of the first sample, or [1, rows, channels]."""
    data = np.asarray(tensor, np.float32)
    if data.ndim == 0:
        return data.reshape(1, 1, 1)
    axis %= data.ndim
    if _is_map(data.ndim, axis):
        first: Array = data[(0,) * axis]
        return first.reshape(len(first), -1, first.shape[-1])
    last: Array = np.moveaxis(data, axis, -1)
    return last.reshape(1, -1, last.shape[-1])


def _statistics(data: Array) -> Statistics:
    finite = np.isfinite(data)
    bad = int(data.size - np.count_nonzero(finite))
    values = data[finite] if bad else data
    if not values.size:
        return Statistics(0.0, 0.0, 0.0, 0.0, 0.0, bad)
    return Statistics(
        float(values.min()),
        float(values.max()),
        float(values.mean(dtype=np.float64)),
        float(values.std(dtype=np.float64)),
        float(np.count_nonzero(values == 0) / values.size),
        bad,
    )
