"""Values from project and settings files. Anything may stand there: each value is taken only if it makes sense."""

from __future__ import annotations

from collections.abc import Collection

_FAR = 1e12
"""Beyond any axis, in whatever unit."""


def number(value: object, low: float, high: float) -> float | None:
    """A number in [low, high], else None; NaN, truth values and texts are no numbers."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        return None
    return float(value)


def choice(value: object, among: Collection[str]) -> str | None:
    """One of the words that are known, else None."""
    return value if isinstance(value, str) and value in among else None


def choices(value: object, among: Collection[str]) -> list[str] | None:
    """Those of a list's entries that are known, each once; None if it is no list."""
    if not isinstance(value, list):
        return None
    return list(dict.fromkeys(entry for entry in value if isinstance(entry, str) and entry in among))


def interval(value: object) -> tuple[float, float] | None:
    """Two rising numbers, else None."""
    if not isinstance(value, list) or len(value) != 2:
        return None
    low, high = (number(entry, -_FAR, _FAR) for entry in value)
    return (low, high) if low is not None and high is not None and low < high else None


def widths(value: object, known: Collection[str], low: int, high: int) -> dict[str, int]:
    """Widths in px by column, those that make sense; {} if it is no table."""
    if not isinstance(value, dict):
        return {}
    found = {key: number(entry, low, high) for key, entry in value.items() if isinstance(key, str) and key in known}
    return {key: int(entry) for key, entry in found.items() if entry is not None}
