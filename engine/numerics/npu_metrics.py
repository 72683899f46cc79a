"""The ten figures of the comparison tool of Ascend toolchains (msaccucmp), piece by piece in float64.

x is what is compared, y the reference, both flattened; eps is the machine epsilon of float64 unless it says otherwise.
Conventions differ from the figures elsewhere: elements of y below eps count as 0 in relative errors, two silent tensors
have a cosine of 1 and one silent tensor has none, and a sum of relative errors is not a mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf, nan, sqrt

import numpy as np

from engine.errors import DataError
from engine.graph.types import Array
from engine.progress import NEVER, CancelToken
from engine.text import say

_EPS = float(np.finfo(np.float64).eps)
_FLOOR = float(np.finfo(np.float32).eps)
_LEAST_SHOWN = 0.001
"""Means and deviations below this are written as 0, not rounded."""
_PIECE = 1 << 18

NPU_METRICS = (
    "CosineSimilarity",
    "MaxAbsoluteError",
    "AccumulatedRelativeError",
    "RelativeEuclideanDistance",
    "KullbackLeiblerDivergence",
    "StandardDeviation",
    "MeanAbsoluteError",
    "RootMeanSquareError",
    "MaxRelativeError",
    "MeanRelativeError",
)
"""Column names of the tool's result files, in their order."""
CUSTOMARY_LIMITS: Mapping[str, tuple[str, float]] = {
    "CosineSimilarity": (">", 0.99),
    "RelativeEuclideanDistance": ("<", 0.05),
    "KullbackLeiblerDivergence": ("<", 0.005),
    "RootMeanSquareError": ("<", 1.0),
    "MeanRelativeError": ("<", 1.0),
}
"""What a layer customarily has to hold."""


@dataclass(frozen=True, slots=True)
class NpuErrors:
    """The ten figures; NaN where the tool gives none."""

    cosine: float
    """Sum of (x / |x|) (y / |y|), at most 1; 1 for scalars and if both are silent, NaN if one is."""
    max_absolute: float
    accumulated_relative: float
    """Sum of |x / y - 1| over elements with |y| > eps."""
    relative_euclidean: float
    """sqrt(sum (x - y)^2 / sum y^2); 0 where the reference is silent."""
    kl: float
    """Of x from y as distributions: scaled to [0, 1], floored at the epsilon of float32, divided by their sums."""
    x_mean: float
    x_std: float
    y_mean: float
    y_std: float
    mean_absolute: float
    root_mean_square: float
    max_relative: float
    """Greatest |x / y - 1|; elements with |y| <= eps count 0."""
    mean_relative: float
    """The same on average over all elements."""

    def by_name(self) -> dict[str, float | str]:
        """As the tool's files have them: by column, the standard deviation as text."""
        shown = [0.0 if abs(v) < _LEAST_SHOWN else v for v in (self.x_mean, self.x_std, self.y_mean, self.y_std)]
        deviation = "({:.3f};{:.3f}),({:.3f};{:.3f})".format(*shown)
        figures = (
            self.cosine, self.max_absolute, self.accumulated_relative, self.relative_euclidean, self.kl, deviation,
            self.mean_absolute, self.root_mean_square, self.max_relative, self.mean_relative,
        )  # fmt: skip
        return dict(zip(NPU_METRICS, figures, strict=True))


def npu_errors(result: Array, reference: Array, *, cancel: CancelToken = NEVER) -> NpuErrors:
    """The ten figures of a tensor; both of one shape, of any numeric dtype, in memory or mapped.

    NaN or Inf in either tensor makes the figures that it enters NaN or infinite, as in the tool.

    Raises:
        DataError: The shapes differ, or the tensors are empty.
        Cancelled: If asked to stop.
    """
    if result.shape != reference.shape or not result.size:
        raise DataError(say("Shapes {a} and {b} can't be compared.", a=list(reference.shape), b=list(result.shape)))
    with np.errstate(all="ignore"):  # what is not finite shows in the figures
        return _Pass(result, reference, cancel).found()


class _Pass:
    """Two passes over both tensors: sums and extremes, then what needs them."""

    def __init__(self, result: Array, reference: Array, cancel: CancelToken) -> None:
        self._x, self._y, self._cancel = result.reshape(-1), reference.reshape(-1), cancel

    def found(self) -> NpuErrors:
        count = self._x.size
        xx = yy = noise = absolute = relative = x_sum = y_sum = 0.0
        most = most_relative = 0.0
        low, high = np.array([inf, inf]), np.array([-inf, -inf])
        for x, y in self._pieces():
            difference = np.abs(x - y)
            share = np.abs(x / y - 1)[np.abs(y) > _EPS]
            xx, yy, noise = xx + float(x @ x), yy + float(y @ y), noise + float(difference @ difference)
            absolute, relative = absolute + float(difference.sum()), relative + float(share.sum())
            x_sum, y_sum = x_sum + float(x.sum()), y_sum + float(y.sum())
            most = _greater(most, difference)
            most_relative = _greater(most_relative, share)
            low = np.minimum(low, (x.min(), y.min()))
            high = np.maximum(high, (x.max(), y.max()))
        x_mean, y_mean = x_sum / count, y_sum / count
        dot, x_spread, y_spread = self._second(_root(xx), _root(yy), x_mean, y_mean)
        return NpuErrors(
            cosine=_cosine(count, xx, yy, dot),
            max_absolute=most,
            accumulated_relative=relative,
            relative_euclidean=0.0 if _root(yy) <= _EPS else _root(noise / yy),
            kl=self._divergence(low, high),
            x_mean=x_mean,
            x_std=_root(x_spread / count),
            y_mean=y_mean,
            y_std=_root(y_spread / count),
            mean_absolute=absolute / count,
            root_mean_square=_root(noise / count),
            max_relative=most_relative,
            mean_relative=relative / count,
        )

    def _pieces(self) -> Iterator[tuple[Array, Array]]:
        for start in range(0, self._x.size, _PIECE):
            self._cancel.check()
            yield (
                np.asarray(self._x[start : start + _PIECE], np.float64),
                np.asarray(self._y[start : start + _PIECE], np.float64),
            )

    def _second(self, x_norm: float, y_norm: float, x_mean: float, y_mean: float) -> tuple[float, float, float]:
        dot = x_spread = y_spread = 0.0
        for x, y in self._pieces():
            dot += float((x / x_norm) @ (y / y_norm)) if x_norm and y_norm else 0.0
            x_spread += float(np.square(x - x_mean).sum())
            y_spread += float(np.square(y - y_mean).sum())
        return dot, x_spread, y_spread

    def _divergence(self, low: Array, high: Array) -> float:
        """Sum p ln(p / q); a constant tensor keeps its values instead of being scaled."""
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            return nan
        width = np.where(high > low, high - low, 1.0)
        start = np.where(high > low, low, 0.0)

        def scaled(values: Array, side: int) -> Array:
            found: Array = np.maximum((values - start[side]) / width[side], _FLOOR)
            return found

        sums = np.zeros(2)
        for x, y in self._pieces():
            sums += (scaled(x, 0).sum(), scaled(y, 1).sum())
        total = 0.0
        for x, y in self._pieces():
            p, q = scaled(x, 0) / sums[0], scaled(y, 1) / sums[1]
            total += float((p * np.log(p / q)).sum())
        return 0.0 if abs(total) < _EPS else total


def _cosine(count: int, xx: float, yy: float, dot: float) -> float:
    if count == 1 or (xx == 0 and yy == 0):
        return 1.0
    return nan if xx == 0 or yy == 0 else min(1.0, dot) if dot == dot else nan


def _greater(most: float, values: Array) -> float:
    """The greatest so far; NaN stays."""
    found = float(np.max(values, initial=0.0))
    return nan if most != most or found != found else max(most, found)


def _root(value: float) -> float:
    """Root of a sum of squares, which may be NaN or infinite."""
    return sqrt(value) if value >= 0 else nan
