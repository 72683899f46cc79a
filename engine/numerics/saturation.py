"""Where values end flat: a quantizer that clips gives its last level for everything beyond."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from engine.graph.types import Array
from engine.numerics.comparison import Levels

_LEAST = 3
"""Values that must end at the same one before it is taken for a level."""
_MOSTLY = 0.9
"""Of the values beyond an end, the part that must end there: a dead channel among them ends elsewhere."""


class Ends(NamedTuple):
    """What a quantizer can give without clipping; an end at infinity clips nothing."""

    low: float
    high: float
    share: float
    """Part of the values of the reference beyond either end."""


def known_ends(a: Array, levels: Levels) -> Ends:
    """The ends of known levels, half a step further out: so far nothing but rounding is lost.

    Args:
        a: Values of the reference, flat.
        levels: Of the quantizer.
    """
    low, high = levels.low - levels.scale / 2, levels.high + levels.scale / 2
    return Ends(low, high, float(((a < low) | (a > high)).mean()) if a.size else 0.0)


def flat_ends(a: Array, b: Array) -> Ends | None:
    """Ends that the values themselves show, where nobody says what they were rounded to.

    An end is flat when several values of the result share its extreme, and the reference lies beyond it by more than
    half the distance to the next value, which rounding can't explain.

    Args:
        a: Values of the reference, flat, finite or not.
        b: Those of the result, as many.

    Returns:
        None if neither end is flat.
    """
    finite = np.isfinite(a) & np.isfinite(b)
    a, b = a[finite], b[finite]
    high = _flat(a, b)
    low = _flat(-a, -b)
    if high is None and low is None:
        return None
    found = -inf if low is None else -low, inf if high is None else high
    return Ends(*found, float(((a < found[0]) | (a > found[1])).mean()))


def _flat(a: Array, b: Array) -> float | None:
    """Half a step above the largest value, if it is a flat end."""
    if len(b) < _LEAST:
        return None
    top = b.max()
    at_top = b == top
    others = b[~at_top]
    if np.count_nonzero(at_top) < _LEAST or not others.size:
        return None
    end = float(top) + (float(top) - float(others.max())) / 2
    beyond = a > end
    return end if beyond.any() and at_top[beyond].mean() >= _MOSTLY else None
