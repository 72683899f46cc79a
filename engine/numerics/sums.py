"""Error sums between two tensors, exact to 1e-6 and as fast as memory allows.

Float32 dot products over pieces that fit the cache, added up as Python floats. Where squares overflow (attention masks
hold -3e38), where they are so small that float32 loses them, and where there is NaN or infinity, the whole tensor goes
through float64 once more.
"""

from __future__ import annotations

from math import inf, isfinite
from typing import NamedTuple

import numpy as np

from engine.graph.types import Array
from engine.numerics.results import ErrorSums

PIECE = 1 << 16
"""Elements at a time: result, reference and difference stay in the second-level cache."""
_LEAST = 1e6 * float(np.finfo(np.float32).tiny)
"""Mean square above which what float32 loses of squares below its range is less than a millionth."""


class Sums(NamedTuple):
    """Parts of ErrorSums that can be added up."""

    noise: float = 0.0
    reference: float = 0.0
    result: float = 0.0
    elements: int = 0
    nonfinite: int = 0
    unmeasured: int = 0

    def plus(self, other: Sums) -> Sums:
        """Both together."""
        return Sums(
            self.noise + other.noise,
            self.reference + other.reference,
            self.result + other.result,
            self.elements + other.elements,
            self.nonfinite + other.nonfinite,
            self.unmeasured + other.unmeasured,
        )

    def as_result(self) -> ErrorSums:
        """The public form."""
        return ErrorSums(*self)


def power_sums(reference: Array) -> Sums:
    """Sums of a tensor that equals its reference."""
    flat = reference.reshape(-1)
    power = 0.0
    if flat.dtype == np.float32:
        with np.errstate(over="ignore"):
            for start in range(0, flat.size, PIECE):
                piece = flat[start : start + PIECE]
                power += float(np.dot(piece, piece))
    if flat.dtype != np.float32 or not isfinite(power) or _lost(power, flat, None):
        return _careful(reference, reference)
    return Sums(0.0, power, power, flat.size, 0)


def error_sums(result: Array, reference: Array, known: Sums, scratch: Array) -> Sums:
    """Sums of `result` against `reference`.

    Elements that are not finite in the reference are left out, and counted as unmeasured unless the result has the same
    infinity. Elements that are not finite in the result alone are counted, and make the noise infinite. So does a
    result of another shape, which there is only where shapes depend on values.

    Args:
        result: Any floating dtype.
        reference: Same dtype.
        known: `power_sums(reference)`.
        scratch: float32 [PIECE], overwritten; one per thread.
    """
    if result.shape != reference.shape:
        return Sums(inf, known.reference, power_sums(result).result, known.elements, 0)
    if result.dtype != np.float32 or known.elements != reference.size:
        return _careful(result, reference)
    values, wanted = result.reshape(-1), reference.reshape(-1)
    noise = power = 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, values.size, PIECE):
            piece = values[start : start + PIECE]
            difference = scratch[: piece.size]
            np.subtract(piece, wanted[start : start + PIECE], out=difference)
            noise += float(np.dot(difference, difference))
            power += float(np.dot(piece, piece))
    if not isfinite(noise + power) or _lost(power, values, None) or _lost(noise, values, wanted):
        return _careful(result, reference)
    return Sums(noise, known.reference, power, values.size, 0)


def error_sums_of(results: Array, reference: Array, known: Sums, scratch: Array) -> list[Sums]:
    """`error_sums` of several results [count, ...] against one reference, which is read once for all of them.

    Args:
        results: Each of the shape of the reference, in one piece of memory.
        reference: Same dtype.
        known: `power_sums(reference)`.
        scratch: float32 [at least count, PIECE], overwritten; one per thread.
    """
    count = len(results)
    if results.dtype != np.float32 or known.elements != reference.size:
        return [error_sums(result, reference, known, scratch[0]) for result in results]
    values, wanted = results.reshape(count, -1), reference.reshape(-1)
    noise, power = np.zeros(count), np.zeros(count)
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, wanted.size, PIECE):
            piece = values[:, start : start + PIECE]
            difference = scratch[:count, : piece.shape[1]]
            np.subtract(piece, wanted[start : start + PIECE], out=difference)
            noise += np.vecdot(difference, difference)
            power += np.vecdot(piece, piece)
    return [
        _careful(result, wanted)
        if not isfinite(a + b) or _lost(b, result, None) or _lost(a, result, wanted)
        else Sums(a, known.reference, b, wanted.size, 0)
        for result, a, b in zip(values, noise.tolist(), power.tolist(), strict=True)
    ]


def _lost(squares: float, values: Array, wanted: Array | None) -> bool:
    """Whether float32 may have lost squares of `values` (or of their distance from `wanted`): too small a sum of them.

    Values that are all zero, or all as wanted, have lost nothing.
    """
    if squares >= _LEAST * values.size:
        return False
    return bool(values.any()) if wanted is None else not np.array_equal(values, wanted)


def _careful(result: Array, reference: Array) -> Sums:
    """The same in float64, with NaN and infinities sorted out."""
    values, wanted = result.reshape(-1), reference.reshape(-1)
    total = Sums()
    for start in range(0, values.size, PIECE):
        piece = values[start : start + PIECE].astype(np.float64)
        target = wanted[start : start + PIECE].astype(np.float64)
        measured = np.isfinite(target)
        lost = int(np.count_nonzero(measured & ~np.isfinite(piece)))
        good = measured & np.isfinite(piece)
        unmeasured = int(np.count_nonzero(~measured & (piece != target)))  # NaN differs from itself
        with np.errstate(invalid="ignore", over="ignore"):
            difference = np.where(good, piece - target, 0.0)
            piece, target = np.where(good, piece, 0.0), np.where(measured, target, 0.0)
            noise = inf if lost else float(difference @ difference)
            part = Sums(noise, float(target @ target), float(piece @ piece), int(measured.sum()), lost, unmeasured)
        total = total.plus(part)
    return total
