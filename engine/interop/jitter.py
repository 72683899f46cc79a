"""What a list of measured latencies says: how they spread, what stands out, what comes back, and what drifts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from engine.errors import DataError
from engine.graph.types import Array
from engine.interop.csv_table import number, read_text
from engine.interop.profile import LONGEST_US
from engine.interop.profile_open import open_profile
from engine.text import Text, say

LEAST = 20
MOST = 1_000_000
_PERCENTILES = (1, 5, 25, 50, 75, 90, 95, 99, 99.9)
_OUTLIER = 6.0
"""Robust standard deviations (1.4826 MAD) from the median at which a run stands out."""
_PERIODIC = 1e-4
"""Chance that noise alone has as high a peak, below which a period is believed."""
_DRIFT = 0.03
"""Change from the first to the last quarter, as a share of the median, that counts."""
_SURE = 3.9
"""Standard deviations of the rank sum, which chance reaches once in 10 000 lists."""
_UNIT_WORDS = {"us": 1.0, "µs": 1.0, "ms": 1e3, "s": 1e6, "ns": 1e-3}
_PAIR = re.compile(r"(\d+),\d+\s*(?:[nmuµ]?s)?")
"""A decimal with a comma, or two columns."""


@dataclass(frozen=True, slots=True)
class Outlier:
    """A run that took much longer."""

    run: int
    latency_us: float


@dataclass(frozen=True, slots=True)
class Periodic:
    """Something that comes back."""

    period: float
    """In runs."""
    amplitude_us: float
    """Half of what it moves the latency by."""
    share: float
    """Part of the variance that it explains."""


@dataclass(frozen=True, slots=True)
class Drift:
    """A lasting change."""

    from_us: float
    to_us: float
    """Medians of the first and the last quarter."""
    starts: int
    """Run from which it rises; 0 if from the first."""
    throttling: bool
    """It rises after a calm beginning and stays: a clock that was lowered."""
    warming: bool
    """It falls: caches and clocks were cold."""


@dataclass(frozen=True, eq=False, slots=True)
class Jitter:
    """The whole analysis."""

    latencies_us: Array
    percentiles: dict[float, float]
    mean_us: float
    std_us: float
    outliers: tuple[Outlier, ...]
    periodic: Periodic | None
    drift: Drift | None
    advice: tuple[Text, ...]
    """A sentence for each thing that was found; one that all is calm if nothing was."""


def read_latencies(path: Path) -> Array:
    """A list of latencies in us, from a text with one number a line, a table, JSON, or a phone's model table.

    A column or key names the unit (`us`, `ms`, `s`, `ns`); plain numbers are us.

    Raises:
        DataError: There are none, or too few.
    """
    text = read_text(path)
    stripped = text.lstrip()
    found = _from_json(path, text) if stripped.startswith(("[", "{")) else _from_lines(path, text)
    values = np.asarray(found, np.float64)
    if len(values) < LEAST:
        raise DataError(
            say(
                "{path} has {count} {count:latency|latencies}; {least} or more are needed.",
                path=path,
                count=len(values),
                least=LEAST,
            )
        )
    if len(values) > MOST:
        raise DataError(
            say("{path} has {count} latencies; at most {most} are read.", path=path, count=len(values), most=MOST)
        )
    if not (np.isfinite(values) & (values > 0)).all():
        run = int(np.argmin(np.isfinite(values) & (values > 0)))
        raise DataError(
            say("{path}: run {run} is {value:g}, and a latency is above zero.",
                path=path, run=run + 1, value=float(values[run]))
        )  # fmt: skip
    if values.max() > LONGEST_US:
        raise DataError(
            say(
                "{path}: run {run} would have taken {value:.3g} µs, more than a day; check the unit.",
                path=path,
                run=int(values.argmax()) + 1,
                value=float(values.max()),
            )
        )
    return values


def analyse(latencies_us: Array) -> Jitter:
    """Take a list of latencies apart.

    Args:
        latencies_us: In the order in which they were measured, 20 or more.
    """
    x = np.asarray(latencies_us, np.float64)
    middle = float(np.median(x))
    spread = 1.4826 * float(np.median(np.abs(x - middle)))
    limit = middle + _OUTLIER * max(spread, 0.005 * middle)
    drift = _drift(x, middle, spread)
    level = _level(x) if drift is not None else np.full(len(x), middle)
    away = x - level
    stands_out = away > _OUTLIER * max(1.4826 * float(np.median(np.abs(away))), 0.005 * middle)
    if drift is None:
        stands_out = x > limit
    outliers = tuple(Outlier(int(i), float(x[i])) for i in np.flatnonzero(stands_out))
    calm = np.where(stands_out, level, x) - level
    periodic = _periodic(calm, outliers, len(x), middle)
    percentiles = {p: float(np.percentile(x, p)) for p in _PERCENTILES}
    made = Jitter(x, percentiles, float(x.mean()), float(x.std()), outliers, periodic, drift, ())
    return Jitter(x, percentiles, made.mean_us, made.std_us, outliers, periodic, drift, _advice(made))


def _level(x: Array) -> Array:
    """A running median, over a twentieth of the runs."""
    width = max(5, len(x) // 20) | 1
    padded = np.pad(x, width // 2, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, width)
    found: Array = np.median(windows, axis=1)
    return found


def _drift(x: Array, middle: float, spread: float) -> Drift | None:
    quarter = len(x) // 4
    first, last = float(np.median(x[:quarter])), float(np.median(x[-quarter:]))
    if abs(last - first) < max(_DRIFT * middle, 2 * spread / quarter**0.5):
        return None
    if abs(_rank_sum(x[:quarter], x[-quarter:])) < _SURE:
        return None
    level = _level(x)
    half = (first + last) / 2
    beyond = level > half if last > first else level < half
    starts = int(np.argmax(beyond)) if beyond.any() else 0
    rise = max(1, int(np.argmax(np.abs(level - first) > 0.2 * abs(last - first))))
    throttling = last > first and bool(np.mean(beyond[starts:]) > 0.9)
    return Drift(first, last, min(starts, rise) if rise < starts else starts, throttling, last < first)


def _rank_sum(a: Array, b: Array) -> float:
    """The Mann-Whitney statistic in standard deviations (normal approximation): positive where `b` is larger."""
    order = np.argsort(np.concatenate([a, b]), kind="stable")
    ranks = np.empty(len(order))
    ranks[order] = np.arange(1, len(order) + 1)
    n, m = len(a), len(b)
    above = float(ranks[n:].sum()) - m * (m + 1) / 2
    return float((above - n * m / 2) / (n * m * (n + m + 1) / 12) ** 0.5)


def _periodic(calm: Array, outliers: tuple[Outlier, ...], count: int, usual: float) -> Periodic | None:
    """The strongest period, if noise alone would hardly have it: Fisher's test on the periodogram."""
    gaps = np.diff([o.run for o in outliers])
    if len(gaps) >= 4 and np.std(gaps) <= max(0.1 * np.mean(gaps), 0.6):
        height = float(np.median([o.latency_us for o in outliers]))
        return Periodic(float(np.median(gaps)), max(0.0, height - usual) / 2, 1.0)
    if not np.any(calm):
        return None
    frequencies, power = np.fft.rfftfreq(len(calm))[2:], np.abs(np.fft.rfft(calm - calm.mean()))[2:] ** 2
    if not len(power) or power.sum() <= 0:
        return None
    peak = int(np.argmax(power))
    share = float(power[peak] / power.sum())
    n = len(power)
    chance = min(1.0, n * (1 - share) ** (n - 1))
    if chance > _PERIODIC or share < 0.05:
        return None
    place = float(frequencies[peak])
    if 0 < peak < n - 1:  # between the lines of the periodogram
        a, b, c = np.log(power[peak - 1 : peak + 2] + 1e-300)
        curve = a - 2 * b + c
        if curve < 0:
            place += 0.5 * (a - c) / curve * float(frequencies[1] - frequencies[0])
    wave = np.exp(-2j * np.pi * place * np.arange(len(calm)))
    amplitude = float(2 * np.abs(np.mean(calm * wave)))
    return Periodic(1 / place, amplitude, share) if place * count >= 3 else None


def _advice(found: Jitter) -> tuple[Text, ...]:
    said: list[Text] = []
    middle = found.percentiles[50]
    drift, periodic = found.drift, found.periodic
    if drift is not None and drift.warming:
        said.append(
            say(
                "The first runs are slower ({first} then {last}): leave them out, or warm up before it counts.",
                first=_us(drift.from_us),
                last=_us(drift.to_us),
            )
        )
    elif drift is not None and drift.throttling:
        said.append(
            say(
                "From run {run} on latency rises from {first} to {last} and stays: the clock was lowered. "
                "Run less often, cool the device, or plan with the later figure.",
                run=drift.starts + 1,
                first=_us(drift.from_us),
                last=_us(drift.to_us),
            )
        )
    elif drift is not None:
        said.append(
            say(
                "Latency drifts from {first} to {last}: measure longer, until it stays.",
                first=_us(drift.from_us),
                last=_us(drift.to_us),
            )
        )
    if periodic is not None:
        said.append(
            say(
                "Every {period} runs latency moves by {amplitude}: look for a timer, a refresh or a garbage collector "
                "with that period.",
                period=_runs(periodic.period),
                amplitude=_us(2 * periodic.amplitude_us),
            )
        )
    if found.outliers:
        worst = max(found.outliers, key=lambda each: each.latency_us)
        said.append(
            say(
                "{count} of {all} runs {count:stands|stand} out, the worst is run {run} with {time}: "
                "other apps or the scheduler; plan with the 99th percentile of {p99}.",
                count=len(found.outliers),
                all=len(found.latencies_us),
                run=worst.run + 1,
                time=_us(worst.latency_us),
                p99=_us(found.percentiles[99]),
            )
        )
    if not said and found.percentiles[95] > 1.3 * middle:
        said.append(
            say(
                "Latency spreads widely (median {median}, 95th percentile {p95}) without a pattern: "
                "ask for a higher priority or a fixed clock.",
                median=_us(middle),
                p95=_us(found.percentiles[95]),
            )
        )
    if not said:
        said.append(
            say(
                "Latency is calm: {median} in the middle, {p99} at the 99th percentile.",
                median=_us(middle),
                p99=_us(found.percentiles[99]),
            )
        )
    return tuple(said)


def _runs(period: float) -> str:
    """A period in runs; a decimal only where it is short enough to matter."""
    return f"{period:.1f}".removesuffix(".0") if period < 10 else f"{period:.0f}"


def _us(value: float) -> str:
    return f"{value / 1000:.2f}\u202fms" if value >= 1000 else f"{value:.1f}\u202fµs"


def _from_json(path: Path, text: str) -> list[float]:
    try:
        read: Any = msgspec.json.decode(text.encode())
    except msgspec.DecodeError as error:
        raise DataError(say("{path} is no JSON ({reason}).", path=path, reason=error)) from error
    scale = 1.0
    if isinstance(read, dict):
        for key, value in read.items():
            if isinstance(value, list) and value and all(isinstance(v, (int, float)) for v in value):
                return [float(v) * _scale(key) for v in value]
    if isinstance(read, list) and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in read):
        return [float(v) * scale for v in read]
    profile = open_profile(path)
    return list(profile.latencies_us)


def _from_lines(path: Path, text: str) -> list[float]:
    found: list[float] = []
    scale = 1.0
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and any(mark in lines[0] for mark in ("item event", "op name", "Op Name")):
        return list(open_profile(path).latencies_us)
    column: int | None = None
    separator = _separator(lines)
    for at, line in enumerate(lines):
        cells = [cell.strip().strip('"') for cell in (line.split(separator) if separator else [line])]
        if at == 0 and not _is_number(cells[-1]):
            names = [cell.lower() for cell in cells]
            wanted = ("latency", "time", "total", "dur", "us", "ms")
            column = next((i for word in wanted for i, name in enumerate(names) if word in name), len(names) - 1)
            scale = _scale(names[column])
            continue
        cell = cells[column] if column is not None and column < len(cells) else cells[-1]
        unit = next((u for u in sorted(_UNIT_WORDS, key=len, reverse=True) if cell.lower().endswith(u)), None)
        try:
            value = number(cell[: -len(unit)] if unit else cell)
        except ValueError as error:
            raise DataError(
                say("{path}, line {line}: {text} is no latency.", path=path, line=at + 1, text=repr(line[:60]))
            ) from error
        if value is not None:
            found.append(value * (_UNIT_WORDS[unit] if unit else scale))
    return found


def _separator(lines: list[str]) -> str:
    """What stands between columns; '' where there is one, and a comma, if any, is that of a decimal."""
    for mark in ("\t", ";"):
        if any(mark in line for line in lines[:2]):
            return mark
    pairs = [_PAIR.fullmatch(line.strip()) for line in lines if any(char.isdigit() for char in line)]
    if not pairs or not all(pairs) or ("," in lines[0] and not _PAIR.fullmatch(lines[0].strip())):
        return ","
    first = [int(pair[1]) for pair in pairs if pair]
    counted = len(first) > 1 and all(b == a + 1 for a, b in pairwise(first))  # numbers of runs in front
    return "," if counted else ""


def _scale(name: str) -> float:
    words = name.lower().replace("(", "_").replace(")", "_").replace(" ", "_").split("_")
    return next((_UNIT_WORDS[word] for word in words if word in _UNIT_WORDS), 1.0)


def _is_number(cell: str) -> bool:
    try:
        return number(cell.rstrip("nmuµs ")) is not None
    except ValueError:
        return False
