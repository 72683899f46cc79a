"""Which cells look different from one snapshot to the next, so that only they are painted again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

import numpy as np

from engine.graph.types import Array
from gui.views.layers_columns import BY_KEY
from gui.views.layers_rows import LayerRows, with_threshold

_WHOLE = ("sensitivity_is_kl", "required_db", "synthetic")
"""What changes the look of every row."""
_SCALES = {"sensitivity": "sensitivity", "latency_us": "latency"}
"""Figures whose column has bars that end at one value for all rows."""
_SHOWN_IN: Mapping[str, tuple[str, ...]] = {
    "differs": ("index",),
    "schemes": ("precision", "flags"),
    "families": ("precision",),
    "labels": ("precision",),
    "unsupported_families": ("precision",),
    "locked": ("precision", "flags"),
    "unsupported": ("flags",),
    "weight_bytes": ("weights",),
    "local_db": ("local",),
    "local_overflow": ("local", "flags"),
    "accumulated_db": ("accumulated",),
    "accumulated_stale": ("accumulated",),
    "accumulated_overflow": ("accumulated", "flags"),
    "unmeasured": ("local", "accumulated", "flags"),
    "sensitivity": ("sensitivity",),
    "sensitivity_estimated": ("sensitivity",),
    "latency_us": ("latency",),
    "launch_us": ("latency",),
    "previous_us": ("latency",),
    "ddr_bytes": ("bytes",),
    "bounds": ("bound",),
    "notes": ("flags",),
    "delta_db": ("delta_error",),
    "delta_us": ("delta_latency",),
    "delta_bytes": ("delta_weights",),
    "units": ("unit", "precision", "flags"),
}
"""Columns by the figure they are drawn from; one that is not named here counts for all columns."""


def changed_cells(old: LayerRows, new: LayerRows) -> dict[str, Array]:
    """Masks of the kernels whose cell differs, [kernels] bool by column; both snapshots are of the same kernels."""
    count = len(new)
    if any(not _same(getattr(old, name), getattr(new, name)) for name in _WHOLE):
        return {key: np.ones(count, bool) for key in BY_KEY}
    found: dict[str, Array] = {}
    for field in fields(LayerRows):
        mask = _differing(getattr(old, field.name), getattr(new, field.name))
        if mask is None or not mask.any():
            continue
        for key in _SHOWN_IN.get(field.name, tuple(BY_KEY)):
            found[key] = found[key] | mask if key in found else mask
    for name, key in _SCALES.items():
        if not _same(with_threshold(getattr(old, name)), with_threshold(getattr(new, name))):
            found[key] = np.ones(count, bool)
    return found


def runs(rows: Array) -> list[tuple[int, int]]:
    """Stretches of consecutive numbers in a sorted array as (first, last)."""
    if not rows.size:
        return []
    breaks = np.flatnonzero(np.diff(rows) > 1)
    firsts = rows[np.concatenate([[0], breaks + 1])]
    lasts = rows[np.concatenate([breaks, [len(rows) - 1]])]
    return [(int(a), int(b)) for a, b in zip(firsts, lasts, strict=True)]


def _differing(before: object, after: object) -> Array | None:
    """Mask of entries that differ (two NaN are the same); None for what is no column of figures."""
    if before is after:
        return None
    if isinstance(before, np.ndarray) and isinstance(after, np.ndarray):
        mask: Array = (before != after) & ~((before != before) & (after != after))
        return mask
    if isinstance(before, tuple) and isinstance(after, tuple):
        if before == after:
            return np.zeros(len(after), bool)
        return np.fromiter((a != b for a, b in zip(before, after, strict=True)), bool, len(after))
    return None


def _same(a: float | bool, b: float | bool) -> bool:
    return a == b or (a != a and b != b)
