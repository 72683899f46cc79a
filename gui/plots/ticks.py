"""Round numbers for axes."""

from __future__ import annotations

from math import ceil, floor, log10


def step_for(span: float, most: int, steps: tuple[float, ...] = (1, 2, 2.5, 5, 10)) -> float:
    """The smallest round step that divides `span` into at most `most` parts."""
    if span <= 0:
        return 1.0
    raw = span / max(1, most)
    power = 10.0 ** floor(log10(raw))
    return next((s * power for s in steps if s * power >= raw * (1 - 1e-9)), 10 * power)


def ticks(low: float, high: float, step: float) -> list[float]:
    """Multiples of `step` in [low, high]."""
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [round(i * step, 12) + 0.0 for i in range(first, last + 1)]


def round_up(value: float, most: int = 5) -> float:
    """The next tick above a value: a calm upper end for an axis that starts at zero."""
    if value <= 0:
        return 1.0
    step = step_for(value, most)
    return ceil(value / step - 1e-9) * step


def decimals(step: float) -> int:
    """Decimals needed to tell neighbouring ticks apart."""
    for places in range(7):
        if abs(round(step, places) - step) < step * 1e-6:
            return places
    return 7
