"""Numbers of options: what can't be meant is wrong usage, said by the parser with the option's name."""

from __future__ import annotations

import argparse
from math import isfinite


def number(text: str) -> float:
    """A finite number."""
    value = float(text)
    if not isfinite(value):
        raise ValueError(text)
    return value


def positive(text: str) -> float:
    """A finite number above zero."""
    value = number(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"must be above zero, not {text}")
    return value


def count(text: str) -> int:
    """A whole number, at least 1."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {text}")
    return value


def not_negative(text: str) -> float:
    """A finite number, at least 0."""
    value = number(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"must not be below zero, but is {text}")
    return value


def percent_or_zero(text: str) -> float:
    """A part of a whole in percent, from 0 to 100."""
    value = not_negative(text)
    if value > 100:
        raise argparse.ArgumentTypeError(f"must be at most 100, not {text}")
    return value


def percent(text: str) -> float:
    """A part of a whole in percent, above 0 and at most 100."""
    value = positive(text)
    if value > 100:
        raise argparse.ArgumentTypeError(f"must be at most 100, not {text}")
    return value
