"""Errors between two stored tensors, piece by piece: neither is ever in memory as a whole."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from math import inf, isfinite, isnan

import numpy as np

from engine.errors import DataError
from engine.graph.types import Array
from engine.numerics.npu_metrics import NPU_METRICS, npu_errors
from engine.numerics.results import ErrorSums
from engine.numerics.sums import PIECE, Sums, error_sums, power_sums
from engine.progress import NEVER, CancelToken
from engine.text import say

_BLOCK = 1 << 22
"""Elements between two looks at the cancel token."""


@dataclass(frozen=True, slots=True)
class TensorError:
    """Error of one tensor against its reference."""

    sums: ErrorSums
    max_abs: float
    """Over elements whose reference is finite; inf where the result is not, so that no threshold passes it."""


@dataclass(frozen=True, slots=True)
class ErrorMetric:
    """A figure by name."""

    name: str
    higher_is_better: bool
    of: Callable[[TensorError], float] | None = None
    """From the sums of one pass; None for a figure of `npu_errors`."""


METRICS: dict[str, ErrorMetric] = {
    metric.name: metric
    for metric in (
        ErrorMetric("sqnr_db", True, lambda e: e.sums.sqnr_db),
        ErrorMetric("cosine", True, lambda e: e.sums.cosine),
        ErrorMetric("mse", False, lambda e: e.sums.mse),
        ErrorMetric("relative_l2", False, lambda e: e.sums.relative_l2),
        ErrorMetric("max_abs", False, lambda e: e.max_abs),
        *(ErrorMetric(name, name == "CosineSimilarity") for name in NPU_METRICS if name != "StandardDeviation"),
    )
}
"""Our own figures, and under their own names those of the comparison tool of Ascend toolchains that are numbers."""


def measure(
    result: Array, reference: Array, names: Collection[str], *, cancel: CancelToken = NEVER
) -> dict[str, float]:
    """The figures of these names, with as few passes over both tensors as they need.

    Raises:
        DataError: The shapes differ, a name is unknown, or a tensor is empty.
        Cancelled: If asked to stop.
    """
    check_metrics(names)
    found: dict[str, float] = {}
    if any(METRICS[name].of is not None for name in names):
        error = tensor_error(result, reference, cancel=cancel)
        found = {name: of(error) for name in names if (of := METRICS[name].of) is not None}
    if any(METRICS[name].of is None for name in names):
        foreign = npu_errors(result, reference, cancel=cancel).by_name()
        found |= {name: value for name, value in foreign.items() if name in names and isinstance(value, float)}
    return {name: found[name] for name in names}


def tensor_error(result: Array, reference: Array, *, cancel: CancelToken = NEVER) -> TensorError:
    """Error of `result`; both of one shape, of any numeric dtype, in memory or mapped.

    Raises:
        DataError: The shapes differ.
        Cancelled: If asked to stop.
    """
    if result.shape != reference.shape:
        raise DataError(say("Shapes {a} and {b} can't be compared.", a=list(reference.shape), b=list(result.shape)))
    scratch = np.empty(PIECE, np.float32)
    total, most = Sums(), 0.0
    for values, wanted in _blocks(result, reference):
        cancel.check()
        values, wanted = _floats(values), _floats(wanted)
        total = total.plus(error_sums(values, wanted, power_sums(wanted), scratch))
        for start in range(0, values.size, PIECE):
            target = wanted[start : start + PIECE]
            with np.errstate(invalid="ignore", over="ignore"):
                difference = np.abs(values[start : start + PIECE] - target)
            top = float(difference.max(initial=0.0))
            if not isfinite(top):
                top = float(difference[np.isfinite(target)].max(initial=0.0))
            most = max(most, inf if isnan(top) else top)
    return TensorError(total.as_result(), most)


def check_metrics(names: Collection[str]) -> None:
    """Refuse figures that there aren't.

    Raises:
        DataError: Naming the first.
    """
    for name in names:
        if name not in METRICS:
            raise DataError(
                say("There is no metric {name}; choose among {names}.", name=name, names=", ".join(METRICS))
            )


def _blocks(a: Array, b: Array) -> list[tuple[Array, Array]]:
    """Flat pieces of both, as views where the layout allows; a transposed map is copied one slice at a time."""
    if a.ndim == 0 or a.size <= _BLOCK or (a.flags.c_contiguous and b.flags.c_contiguous):
        x, y = a.reshape(-1), b.reshape(-1)
        return [(x[i : i + _BLOCK], y[i : i + _BLOCK]) for i in range(0, max(1, x.size), _BLOCK)]
    return [piece for x, y in zip(a, b, strict=True) for piece in _blocks(x, y)]


def _floats(values: Array) -> Array:
    """float32 as it is; integers and doubles as doubles, half as single."""
    if values.dtype == np.float32:
        return values
    if values.dtype.kind in "iub" or values.dtype == np.float64:
        return values.astype(np.float64)
    return values.astype(np.float32)
