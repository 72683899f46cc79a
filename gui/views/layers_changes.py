"""Which rows look different from one snapshot to the next, so that only they are painted again."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from engine.graph.types import Array
from gui.views.layers_rows import LayerRows, with_threshold

_WHOLE = ("sensitivity_is_kl", "required_db", "synthetic")
"""What changes the look of every row."""


def changed_rows(old: LayerRows, new: LayerRows) -> Array:
    """Mask of the kernels whose row differs, [kernels] bool; both snapshots are of the same kernels."""
    if any(not _same(getattr(old, name), getattr(new, name)) for name in _WHOLE) or not _same_scales(old, new):
        return np.ones(len(new), bool)
    differs = np.zeros(len(new), bool)
    for field in fields(LayerRows):
        before, after = getattr(old, field.name), getattr(new, field.name)
        if isinstance(after, np.ndarray):
            differs |= (before != after) & ~((before != before) & (after != after))
        elif isinstance(after, tuple) and before != after:
            differs |= np.fromiter((a != b for a, b in zip(before, after, strict=True)), bool, len(after))
    return differs


def runs(rows: Array) -> list[tuple[int, int]]:
    """Stretches of consecutive numbers in a sorted array as (first, last)."""
    if not rows.size:
        return []
    breaks = np.flatnonzero(np.diff(rows) > 1)
    firsts = rows[np.concatenate([[0], breaks + 1])]
    lasts = rows[np.concatenate([breaks, [len(rows) - 1]])]
    return [(int(a), int(b)) for a, b in zip(firsts, lasts, strict=True)]


def _same_scales(old: LayerRows, new: LayerRows) -> bool:
    """Whether the bars still end at the same values."""
    return all(
        _same(with_threshold(getattr(old, name)), with_threshold(getattr(new, name)))
        for name in ("sensitivity", "latency_us")
    )


def _same(a: float | bool, b: float | bool) -> bool:
    return a == b or (a != a and b != b)
