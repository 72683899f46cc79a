"""Figures with their units, as a page for people shows them."""

from __future__ import annotations

from math import isfinite

_THIN = "\u202f"


def amount(nbytes: float) -> str:
    """Bytes in B, KiB, MiB or GiB."""
    value = float(nbytes)
    for unit in ("B", "KiB", "MiB"):
        if abs(value) < 1024:
            return f"{value:.0f}{_THIN}B" if unit == "B" else f"{value:.1f}{_THIN}{unit}"
        value /= 1024
    return f"{value:.2f}{_THIN}GiB"


def latency(us: float) -> str:
    """Microseconds in µs or ms."""
    return f"{us:.1f}{_THIN}µs" if us < 1000 else f"{us / 1000:.2f}{_THIN}ms"


def clock(seconds: float) -> str:
    """Seconds as minutes and seconds, "25:40": what stands beside it says "min"."""
    total = max(0, round(seconds))
    return f"{total // 60}:{total % 60:02d}"


def energy(uj: float) -> str:
    """Microjoules in µJ or mJ."""
    return f"{uj:.1f}{_THIN}µJ" if uj < 1000 else f"{uj / 1000:.2f}{_THIN}mJ"


def db(value: float) -> str:
    """A ratio in dB; "exact" without any noise."""
    if not isfinite(value):
        return "exact" if value > 0 else "\u2212∞"
    return f"{value:.1f}{_THIN}dB".replace("-", "\u2212")


def share(value: float) -> str:
    """A fraction in per cent."""
    return f"{100 * value:.1f}{_THIN}%"
