"""Two versions of one tensor side by side: by channel, as maps, as histograms and as figures.

Neither tensor is copied: both may lie in memory-mapped files of any size. Figures come from one pass over pieces that
fit the cache; pictures and plots read only the channel that they show, and sample what they can't show.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, isfinite, sqrt
from typing import Literal, NamedTuple

import numpy as np

from engine.graph.types import Array
from engine.progress import NEVER, CancelToken

Layout = Literal["maps", "matrix"]
"""A map per channel, or one matrix whose columns are channels."""
WIDEST = 1024
"""Rows and columns of a picture; larger ones are thinned to their largest values."""
QUIET = 0.01
FEW = 8
WORST = 16
"""Single elements that are kept, those with the largest difference."""
_SAMPLED = 1 << 16
"""Values that a distribution is drawn from."""
_PIECE = 1 << 19
"""Elements at a time."""
_MOST_PIXELS = 1 << 22
"""A picture that is larger is read in steps before it is thinned."""


@dataclass(frozen=True, slots=True)
class Levels:
    """The values that a quantizer can give: (code - zero_point) * scale for `count` codes from `low` to `high`."""

    scale: float
    low: float
    high: float
    count: int


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


class WorstElement(NamedTuple):
    """A single value that is far off."""

    place: tuple[int, ...]
    """Index in the tensor's own shape."""
    reference: float
    result: float


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
    """A view, in the tensor's own dtype."""
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
    worst_elements: tuple[WorstElement, ...] = ()
    """Largest difference first."""
    levels: Levels | None = None
    """Of the quantizer that reads the result, where one is known."""
    clipped: int | None = None
    """Elements of the reference beyond the levels; None without levels."""
    dead_channels: tuple[int, ...] = ()
    """Channels of the result whose values are all the same, where the reference's move; none where one has few."""
    still: tuple[int, int] = (0, 0)
    """How many channels of the reference, and of the result, have values that are all the same."""

    @property
    def channels(self) -> int:
        """Number of channels."""
        return len(self.relative_l2)

    @property
    def worst(self) -> int:
        """Channel with the largest relative error."""
        return int(np.argmax(self.relative_l2)) if self.channels else 0

    def pictures(self, channel: int) -> tuple[Array, Array]:
        """Reference and result to look at: the map of a channel, or the whole matrix; float32, thinned when large."""
        at = channel if self.layout == "maps" else 0
        a, b = _stepped(self.reference[at]), _stepped(self.result[at])
        return thinned(_floats(a)), thinned(_floats(b))

    @property
    def few(self) -> bool:
        """Whether a channel has too few values for a distribution."""
        return self.reference.size // max(1, self.channels) < FEW

    def values(self, channel: int) -> tuple[Array, Array]:
        """All values of a channel, flat; of all channels where one has few."""
        return self._flat(channel, None)

    def sampled(self, channel: int, most: int = _SAMPLED) -> tuple[Array, Array]:
        """Evenly picked values of a channel, float32, at most `most`: the same elements of both."""
        a, b = self._flat(channel, most)
        return _floats(a), _floats(b)

    def sampled_everywhere(self, most: int = _SAMPLED) -> tuple[Array, Array]:
        """Evenly picked values of all channels, float32, at most `most`: the same elements of both."""
        return _floats(_picked(self.reference, most)), _floats(_picked(self.result, most))

    def _flat(self, channel: int, most: int | None) -> tuple[Array, Array]:
        if self.few:
            pair = self.reference, self.result
        elif self.layout == "maps":
            pair = self.reference[channel], self.result[channel]
        else:
            pair = self.reference[0][:, channel], self.result[0][:, channel]
        return _picked(pair[0], most), _picked(pair[1], most)

    def histogram(self, channel: int, bins: int = 64) -> Histogram:
        """Histograms of a channel over the range of both; of at most 65 536 evenly picked values."""
        a, b = self.sampled(channel)
        a, b = a[np.isfinite(a)], b[np.isfinite(b)]
        both = np.concatenate([a, b])
        low, high = (float(both.min()), float(both.max())) if both.size else (0.0, 1.0)
        if high <= low:
            low, high = low - 0.5, high + 0.5
        edges = np.linspace(low, high, bins + 1)
        return Histogram(edges, np.histogram(a, edges)[0], np.histogram(b, edges)[0], len(np.unique(b)))


def compare(
    reference: Array,
    result: Array,
    *,
    channel_axis: int = 1,
    levels: Levels | None = None,
    cancel: CancelToken = NEVER,
) -> Comparison:
    """Compare two tensors of one shape.

    Args:
        reference: any numeric dtype and rank; in memory or memory-mapped.
        result: of the same shape.
        channel_axis: axis of the channels. With at least two axes behind it (an image: [N, C, H, W]) every channel
            is a map, of the first sample of the batch; else the tensor is a matrix [everything else, channels].
        levels: what the result is rounded to, to count what is clipped.
        cancel: checked between pieces.
    """
    a, b = _arranged(reference, channel_axis), _arranged(result, channel_axis)
    layout: Layout = "maps" if _is_map(reference.ndim, channel_axis) else "matrix"
    channels = a.shape[0] if layout == "maps" else a.shape[2]
    sums = _Sums(channels, levels)
    for place, of_channels, x, y in _pieces(a, b, layout):
        cancel.check()
        sums.add(place, of_channels, _floats(x), _floats(y))
    ratio = _relative(sums.noise, sums.power, a.size // max(1, channels))
    shape, axis = reference.shape, channel_axis
    worst = tuple(WorstElement(_index(place, layout, a.shape, shape, axis), x, y) for _, place, x, y in sums.worst)
    spread = np.where(sums.high >= sums.low, sums.high - sums.low, 0.0) if a.size else np.zeros(channels)
    many = a.size // max(1, channels) >= FEW
    return Comparison(
        layout, a, b, ratio, spread.astype(np.float32), sums.a.statistics(), sums.b.statistics(), sums.max_abs, worst,
        levels, sums.clipped if levels is not None else None, *(sums.still() if many else ()),
    )  # fmt: skip


def relative_difference(a: Array, b: Array) -> Array:
    """(b - a) / |a|; values of `a` below QUIET times its largest count as that: a zero is not endlessly wrong."""
    finite = np.abs(a[np.isfinite(a)])
    floor = max(float(finite.max(initial=0.0)) * QUIET, float(np.finfo(np.float32).tiny))
    with np.errstate(invalid="ignore", over="ignore"):
        found: Array = (b - a) / np.maximum(np.abs(a), floor)
    return found


def thinned(matrix: Array, most: int = WIDEST) -> Array:
    """A matrix with at most `most` rows and columns: each block gives its value of the largest size."""
    for axis in (0, 1):
        block = -(-matrix.shape[axis] // most)
        if block > 1:
            high, low = (_folded(fold, matrix, block, axis) for fold in (np.maximum, np.minimum))
            matrix = np.where(high >= -low, high, low)  # as of their sizes, since high is never below low
    return matrix


def _folded(fold: np.ufunc, matrix: Array, block: int, axis: int) -> Array:
    """One value for each block along an axis, the last one may be short; `reduceat` takes many times as long."""
    parts = [matrix[i::block] if axis == 0 else matrix[:, i::block] for i in range(block)]
    found = parts[0].copy()
    for part in parts[1:]:
        there = found[: part.shape[0], : part.shape[1]]
        fold(there, part, out=there)
    return found


class _Moments:
    """Running figures of one tensor."""

    def __init__(self) -> None:
        self.low, self.high, self.total, self.squares = inf, -inf, 0.0, 0.0
        self.zeros = self.nonfinite = self.count = 0

    def add(self, values: Array, low: float, high: float) -> None:
        """Take in values; `low` and `high` are their extremes, NaN if one of them is."""
        if not (isfinite(low) and isfinite(high)):
            finite = np.isfinite(values)
            self.nonfinite += int(values.size - np.count_nonzero(finite))
            values = values[finite]
            low, high = (float(values.min()), float(values.max())) if values.size else (inf, -inf)
        if values.size:
            self.low, self.high = min(self.low, low), max(self.high, high)
            self.total += float(values.sum(dtype=np.float64))
            self.squares += float(_power(values.reshape(1, -1), 1)[0])
            self.zeros += int(values.size - np.count_nonzero(values))
            self.count += values.size

    def statistics(self) -> Statistics:
        if not self.count:
            return Statistics(0.0, 0.0, 0.0, 0.0, 0.0, self.nonfinite)
        mean = self.total / self.count
        variance = max(0.0, self.squares / self.count - mean * mean)
        return Statistics(self.low, self.high, mean, sqrt(variance), self.zeros / self.count, self.nonfinite)


class _Sums:
    """Running figures of both, by channel where that is asked for."""

    def __init__(self, channels: int, levels: Levels | None) -> None:
        self.noise, self.power = np.zeros(channels), np.zeros(channels)
        self.low, self.high = np.full(channels, inf), np.full(channels, -inf)
        self._low_b, self._high_b = np.full(channels, inf), np.full(channels, -inf)
        self.a, self.b = _Moments(), _Moments()
        self.max_abs = 0.0
        self.clipped = 0
        self.worst: list[tuple[float, int, float, float]] = []
        """Size of the difference, flat place, both values."""
        self._levels = levels

    def add(self, place: int, channels: slice, x: Array, y: Array) -> None:
        """A piece [channels, values] that begins at a flat place of the arranged tensor.

        Args:
            place: Flat position of its first element; its rows follow one another at the stride that `x` carries.
            channels: Which channels its rows are; one of several rows adds up to the same channel.
            x: Reference, [rows, values].
            y: Result.
        """
        axis = 1 if channels.stop - channels.start == x.shape[0] else 0
        with np.errstate(all="ignore"):
            difference = y - x
            low, high = x.min(axis, initial=inf), x.max(axis, initial=-inf)
            self.low[channels] = np.minimum(self.low[channels], low)
            self.high[channels] = np.maximum(self.high[channels], high)
            self.noise[channels] += _power(difference, axis)
            self.power[channels] += _power(x, axis)
            self.a.add(x, float(low.min(initial=inf)), float(high.max(initial=-inf)))
            low, high = y.min(axis, initial=inf), y.max(axis, initial=-inf)
            self._low_b[channels] = np.minimum(self._low_b[channels], low)
            self._high_b[channels] = np.maximum(self._high_b[channels], high)
            self.b.add(y, float(low.min(initial=inf)), float(high.max(initial=-inf)))
        self._note_worst(place, np.abs(difference).reshape(-1), x.reshape(-1), y.reshape(-1))
        if self._levels is not None:
            half = self._levels.scale / 2
            self.clipped += int(np.count_nonzero((x > self._levels.high + half) | (x < self._levels.low - half)))

    def still(self) -> tuple[tuple[int, ...], tuple[int, int]]:
        """Channels of the result that have died, and how many of both never move."""
        a, b = self.low == self.high, self._low_b == self._high_b
        died = tuple(int(channel) for channel in np.flatnonzero(b & ~a))
        return died, (int(np.count_nonzero(a)), int(np.count_nonzero(b)))

    def _note_worst(self, place: int, size: Array, x: Array, y: Array) -> None:
        if not size.size:
            return
        top = float(size.max())
        if not isfinite(top):
            size = np.where(np.isfinite(size), size, 0)
            top = float(size.max())
        self.max_abs = max(self.max_abs, top)
        least = self.worst[-1][0] if len(self.worst) == WORST else 0.0
        if top <= least:
            return
        count = min(WORST, size.size)
        at = np.argpartition(size, size.size - count)[size.size - count :]
        self.worst += [(float(size[i]), place + int(i), float(x[i]), float(y[i])) for i in at if size[i] > least]
        self.worst.sort(key=lambda each: (-each[0], each[1]))
        del self.worst[WORST:]


def _pieces(a: Array, b: Array, layout: Layout) -> Iterator[tuple[int, slice, Array, Array]]:
    """Flat place, channels, and both as [rows, values], in pieces; a piece is whole channels or part of one."""
    if layout == "matrix":
        rows, columns = a.shape[1:]
        step = max(1, _PIECE // max(1, columns))
        for row in range(0, rows, step):
            yield row * columns, slice(0, columns), a[0, row : row + step], b[0, row : row + step]
        return
    channels, rows, columns = a.shape
    each = rows * columns
    if each <= _PIECE:
        step = max(1, _PIECE // max(1, each))
        for first in range(0, channels, step):
            last = min(channels, first + step)
            x, y = (t[first:last].reshape(last - first, each) for t in (a, b))
            yield first * each, slice(first, last), x, y
        return
    step = max(1, _PIECE // columns)
    for channel in range(channels):
        for row in range(0, rows, step):
            x, y = (t[channel, row : row + step].reshape(1, -1) for t in (a, b))
            yield channel * each + row * columns, slice(channel, channel + 1), x, y


def _power(values: Array, axis: int) -> Array:
    """Sum of squares along an axis of [rows, values], in float32 where nothing overflows."""
    found: Array = np.einsum("ij,ij->j" if axis == 0 else "ij,ij->i", values, values)
    if np.isfinite(found).all():
        return found.astype(np.float64)
    wide: Array = np.square(values, dtype=np.float64).sum(axis)
    return wide


def _relative(noise: Array, power: Array, each: int) -> Array:
    noise = np.sqrt(noise)
    usual = sqrt(float(power[np.isfinite(power)].mean())) if np.isfinite(power).any() else 0.0
    level = np.maximum(np.sqrt(power), usual * QUIET) if each >= FEW else np.full(len(power), usual)
    with np.errstate(all="ignore"):
        ratio = np.divide(noise, level, out=np.where(noise > 0, inf, 0.0), where=level > 0)
    return np.nan_to_num(ratio, nan=inf)


def _index(place: int, layout: Layout, arranged: tuple[int, ...], shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    """Index in the tensor's own shape of a flat place of the arranged one."""
    if not shape:
        return ()
    axis %= len(shape)
    if layout == "maps":
        channel, row, column = (int(i) for i in np.unravel_index(place, arranged))
        inner = (*shape[axis:-1], shape[-1])
        flat = (channel * arranged[1] + row) * arranged[2] + column
        return (*(0,) * axis, *(int(i) for i in np.unravel_index(flat, inner)))
    _, row, channel = (int(i) for i in np.unravel_index(place, arranged))
    others = shape[:axis] + shape[axis + 1 :]
    rest = [int(i) for i in np.unravel_index(row, others)] if others else []
    return (*rest[:axis], channel, *rest[axis:])


def _is_map(rank: int, axis: int) -> bool:
    return rank - (axis % rank if rank else 0) > 2


def _arranged(tensor: Array, axis: int) -> Array:
    """[channels, rows, columns] of the first sample, or [1, rows, channels]; a view wherever the strides allow."""
    data = np.asarray(tensor)
    if data.ndim == 0:
        return data.reshape(1, 1, 1)
    axis %= data.ndim
    if _is_map(data.ndim, axis):
        first: Array = data[(0,) * axis]
        return first.reshape(len(first), -1, first.shape[-1])
    last: Array = np.moveaxis(data, axis, -1)
    return last.reshape(1, -1, last.shape[-1])


def _picked(values: Array, most: int | None) -> Array:
    """Flat values; of more than `most` evenly picked ones, without reading the others."""
    if most is None or values.size <= most:
        return values.reshape(-1)
    if values.ndim == 1:
        return values[:: -(-values.size // most)]
    places = np.arange(most, dtype=np.int64) * values.size // most
    return values[np.unravel_index(places, values.shape)]


def _stepped(picture: Array) -> Array:
    """Every so manieth row of a picture that is too large to be read whole."""
    step = -(-picture.size // _MOST_PIXELS)
    return picture[::step] if step > 1 else picture


def _floats(values: Array) -> Array:
    return values if values.dtype == np.float32 else values.astype(np.float32)
