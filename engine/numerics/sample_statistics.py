"""What single samples look like, so that a wrong or unlike one can be found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.graph.types import Array, TensorInfo
from engine.numerics.dumps.manifest import feeds_hash
from engine.numerics.samples import SampleSet
from engine.progress import NEVER, CancelToken

LAID_OUT = 16
"""Samples that the layout is judged by."""
_SQUARED = 1e15
"""Squares of more than this, summed up, leave float32."""


class Moments(NamedTuple):
    """Of the values of one input in one sample, in float64."""

    low: float
    high: float
    mean: float
    std: float


@dataclass(frozen=True, eq=False, slots=True)
class SetStatistics:
    """Statistics of a set of samples, by input name; inputs that are not numbers are left out."""

    moments: Mapping[str, Array]
    """float64 [samples, 4]: least, greatest, mean, standard deviation."""
    channels: Mapping[str, Array]
    """float64 [samples, 3]: means of the channels of pictures in colour."""
    phases: Mapping[str, float]
    """For pictures in colour: by how much steps between neighbours in memory differ with their place modulo 3.

    (greatest - least) / mean of the three mean absolute steps: near 0 for planes of a channel each, large for pixels
    that hold their three values side by side. NaN where neighbours have nothing in common.
    """
    hashes: tuple[str, ...]
    """Content of each sample."""

    def __len__(self) -> int:
        return len(self.hashes)

    def overall(self, name: str) -> Moments:
        """Of all samples together."""
        rows = self.moments[name]
        mean = float(rows[:, 2].mean())
        power = float((rows[:, 3] ** 2 + rows[:, 2] ** 2).mean())
        return Moments(float(rows[:, 0].min()), float(rows[:, 1].max()), mean, max(0.0, power - mean**2) ** 0.5)


def set_statistics(samples: SampleSet, inputs: Sequence[TensorInfo], cancel: CancelToken = NEVER) -> SetStatistics:
    """Look at every sample once, one at a time."""
    numbers = [info for info in inputs if info.dtype.kind in "fiub" or info.dtype.name == "bfloat16"]
    colour = {info.name: _channel_axis(info) for info in numbers if _channel_axis(info)}
    moments: dict[str, list[Moments]] = {info.name: [] for info in numbers}
    channels: dict[str, list[Array]] = {name: [] for name in colour}
    steps: dict[str, list[float]] = {name: [] for name in colour}
    hashes = []
    for number, feeds in enumerate(samples.feeds):
        cancel.check()
        hashes.append(feeds_hash(feeds))
        for info in numbers:
            moments[info.name].append(moments_of(feeds[info.name]))
        for name, axis in colour.items():
            values = _square_safe(feeds[name].astype(np.float32, copy=False))
            channels[name].append(values.mean(axis=tuple(a for a in range(4) if a != axis), dtype=np.float64))
            if number < LAID_OUT:
                steps[name].append(_phase_spread(values, values.shape[3 if axis == 1 else 2]))
    return SetStatistics(
        {name: np.array(rows, np.float64).reshape(-1, 4) for name, rows in moments.items()},
        {name: np.array(rows).reshape(-1, 3) for name, rows in channels.items()},
        {name: _median(found) for name, found in steps.items()},
        tuple(hashes),
    )


def moments_of(array: Array) -> Moments:
    """Least, greatest, mean and standard deviation; zeros for an array without elements."""
    if not array.size:
        return Moments(0.0, 0.0, 0.0, 0.0)
    exact = array if array.dtype.kind in "iub" or array.dtype in (np.float32, np.float64) else array.astype(np.float32)
    values = _square_safe(exact) if exact.dtype == np.float32 else exact.astype(np.float64)
    mean = float(values.mean(dtype=np.float64))
    from_mean = values - values.dtype.type(mean)
    power = float((from_mean * from_mean).mean(dtype=np.float64))
    off = mean - float(values.dtype.type(mean))
    return Moments(float(exact.min()), float(exact.max()), mean, max(0.0, power - off * off) ** 0.5)


def _square_safe(values: Array) -> Array:
    """float32 as it is where sums of squares stay within it, float64 else."""
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    return values if largest <= _SQUARED else values.astype(np.float64)


def _channel_axis(info: TensorInfo) -> int:
    """1 or 3 for pictures in colour of a size worth looking at; 0 for anything else."""
    shape = info.shape
    if len(shape) != 4 or info.elements < 3 * 8 * 8 * max(1, shape[0]):
        return 0
    return 1 if shape[1] == 3 and shape[3] != 3 else 3 if shape[3] == 3 and shape[1] != 3 else 0


def _phase_spread(values: Array, width: int) -> float:
    flat = values.reshape(-1)
    steps = np.abs(np.diff(flat))
    # Where a row ends, neighbours in memory are none in the picture, whichever layout it has.
    inside = np.arange(1, flat.size) % width != 0
    phase = np.arange(steps.size) % 3
    step = np.array([steps[inside & (phase == i)].mean(dtype=np.float64) for i in range(3)])
    mean = float(step.mean())
    to_pixel = float(np.abs(flat[3:] - flat[:-3]).mean(dtype=np.float64))  # the next value of the same channel, if any
    # Of values that have nothing to do with their neighbours a step is 1.13 standard deviations (normal values).
    noise = min(mean, to_pixel) > 0.6 * float(values.std())
    return float("nan") if mean <= 0 or noise else float(np.ptp(step)) / mean


def _median(values: Sequence[float]) -> float:
    known = sorted(value for value in values if value == value)
    if 2 * len(known) < max(1, len(values)):
        return float("nan")
    half = len(known) // 2  # np.median is slow to start: it imports masked arrays
    return known[half] if len(known) % 2 else (known[half - 1] + known[half]) / 2
