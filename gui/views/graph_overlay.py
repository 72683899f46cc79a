"""What colours the kernels of the Graph and Blocks views: precision, sensitivity, latency, errors or the unit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite, isnan, log10, nan

import numpy as np
from PySide6.QtCore import QCoreApplication

from engine.graph.types import Array
from gui import format as fmt
from gui.format import SQNR_CAP_DB
from gui.views.layers_rows import LayerRows, with_threshold

OVERLAYS = ("none", "precision", "sensitivity", "latency", "local", "accumulated", "unit")
SCALED = ("sensitivity", "latency", "local", "accumulated")
"""Overlays with a colour scale, and so with a threshold."""
KL_ENDS = (1e-2, 1e2)
"""Ends of the scale in 10^-3 nats; logarithmic and the same for every model."""
L2_ENDS = (1e-1, 10**1.5)
"""Ends of the scale in %, which are 60 and 10 dB."""
DB_ENDS = (60.0, 10.0)
START = 0.7
"""Where a threshold begins that no budget says."""

translate = QCoreApplication.translate


@dataclass(frozen=True, eq=False, slots=True)
class Overlay:
    """One figure per kernel."""

    key: str
    values: Array
    """Positive where it is known, NaN elsewhere; all NaN for overlays without a scale."""
    heights: Array
    """Place of each value on the colour scale, 0 to 1; NaN where it is not known."""
    texts: tuple[str, ...]
    token: str = ""
    """Colour map of the theme; "" without a scale."""
    caption: str = ""
    """What the scale says, with its unit."""
    ticks: tuple[tuple[float, str], ...] = ()
    """Places on the scale and what stands there."""
    stale: Array | None = None
    """Kernels whose value belongs to an older plan."""
    estimated: Array | None = None
    value_at: Callable[[float], float] = float
    """The value at a place on the scale."""
    write: Callable[[float], str] = str
    """A value as text, without its unit."""
    start: float = START
    """Where on the scale the threshold begins: at the output SQNR that the budgets require, if that is on it."""

    @property
    def scaled(self) -> bool:
        """Whether there is a scale."""
        return bool(self.token)

    @property
    def known(self) -> int:
        """Kernels with a value."""
        return int(np.isfinite(self.heights).sum())

    def above(self, threshold: float) -> Array:
        """Which kernels reach a place on the scale: the worst lie high."""
        with np.errstate(invalid="ignore"):
            found: Array = self.heights >= threshold
        return found


def overlay_of(key: str, rows: LayerRows) -> Overlay:
    """The figures of an overlay, out of the snapshot that the Layers table is drawn from."""
    if key == "sensitivity":
        return _sensitivity(rows)
    if key == "latency":
        return _latency(rows)
    if key in ("local", "accumulated"):
        return _error(key, rows)
    count = len(rows)
    texts = rows.units if key == "unit" else ("",) * count
    empty = np.full(count, nan)
    return Overlay(key, empty, empty, tuple(texts))


def _sensitivity(rows: LayerRows) -> Overlay:
    values = rows.sensitivity
    if rows.sensitivity_is_kl:
        caption = translate("Graph", "KL ×10⁻³ at the output if only this kernel has its precision")
        write: Callable[[float], str] = lambda v: fmt.small_figure(v, 1)  # noqa: E731
        ends = KL_ENDS
    else:
        caption = translate("Graph", "error at the output in % if only this kernel has its precision")
        if rows.sensitivity_at_logits:
            caption = translate("Graph", "error before the last softmax in % if only this kernel has its precision")
        write = lambda v: fmt.percent_figure(v / 100)  # noqa: E731
        ends = L2_ENDS
    place, back = _logarithmic(*ends)
    no_sqnr = rows.sensitivity_is_kl or rows.sensitivity_at_logits  # a budget says nothing about these
    required = START if no_sqnr else _start(lambda db: place(100 * 10 ** (-db / 20)), rows.required_db)
    return Overlay(
        "sensitivity", values, _map(values, place), _texts(values, write), "heat", caption,
        tuple((place(v), write(v)) for v in _decades(*ends)),
        estimated=rows.sensitivity_estimated, value_at=back, write=write, start=required,
    )  # fmt: skip


def _latency(rows: LayerRows) -> Overlay:
    values = rows.latency_us
    top = with_threshold(values)
    top = top if isfinite(top) and top > 0 else 1.0
    step = 10 ** np.floor(log10(top))
    step = next(s * step for s in (0.2, 0.5, 1.0, 2.0, 5.0) if top / (s * step) <= 5)
    ticks = [float(t) for t in np.arange(0, top * 1.001, step)]
    return Overlay(
        "latency", values, _map(values, lambda v: min(1.0, v / top)), _texts(values, fmt.latency_figure), "cool",
        translate("Graph", "latency in µs"), tuple((t / top, fmt.fixed(t, 0 if step >= 1 else 1)) for t in ticks),
        value_at=lambda p: p * top, write=fmt.latency_figure,
    )  # fmt: skip


def _error(key: str, rows: LayerRows) -> Overlay:
    values = rows.local_db if key == "local" else rows.accumulated_db
    none, full = DB_ENDS
    local = translate("Graph", "local error, SQNR in dB")
    caption = local if key == "local" else translate("Graph", "accumulated error, SQNR in dB")

    def place(value: float) -> float:
        return (none - min(value, SQNR_CAP_DB)) / (none - full)

    return Overlay(
        key, values, _map(values, place),
        _texts(values, fmt.sqnr_figure), "heat", caption,
        tuple((place(v), fmt.fixed(v, 0)) for v in (60.0, 50.0, 40.0, 30.0, 20.0, 10.0)),
        stale=rows.accumulated_stale if key == "accumulated" else None,
        value_at=lambda p: none - p * (none - full), write=fmt.sqnr_figure, start=_start(place, rows.required_db),
    )  # fmt: skip


def _start(place: Callable[[float], float], required_db: float) -> float:
    """Place of the SQNR that is required, in dB; NaN if none is."""
    return START if isnan(required_db) else min(1.0, max(0.0, place(required_db)))


def _map(values: Array, place: Callable[[float], float]) -> Array:
    found = [nan if isnan(v) else min(1.0, max(0.0, place(v))) for v in values.tolist()]
    return np.array(found, float)


def _texts(values: Array, write: Callable[[float], str]) -> tuple[str, ...]:
    return tuple("" if isnan(v) else write(v) for v in values.tolist())


def _logarithmic(low: float, high: float) -> tuple[Callable[[float], float], Callable[[float], float]]:
    first, width = log10(low), log10(high) - log10(low)
    return lambda v: (log10(v) - first) / width if v > 0 else 0.0, lambda p: float(10 ** (first + p * width))


def _decades(low: float, high: float) -> Sequence[float]:
    return [10.0**d for d in range(round(np.ceil(log10(low) - 1e-9)), round(np.floor(log10(high) + 1e-9)) + 1)]
