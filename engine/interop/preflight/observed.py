"""What activations really do on evaluation samples, held against the ranges that calibration has chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from engine.graph.types import Array
from engine.numerics import Evaluator
from engine.progress import NEVER, CancelToken
from engine.quant.ranges import Ranges

SAMPLES = 8
"""Evaluation samples that are looked at, spread over all."""
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Observed:
    """One activation over all samples that were looked at."""

    low: float
    high: float
    beyond: float
    """Share of values outside the calibrated range by more than half an 8-bit step, which rounding forgives."""
    dead_channels: int
    """Channels (second axis) that are zero throughout."""
    channels: int


def observe(
    evaluator: Evaluator,
    names: Iterable[str],
    ranges: Ranges,
    *,
    gate: Callable[[], None] = lambda: None,
    cancel: CancelToken = NEVER,
) -> dict[str, Observed]:
    """Look at activations of the reference.

    Args:
        evaluator: Ready.
        names: Activations; those without a range, or that are no floats, are left out.
        ranges: Calibrated.
        gate: Called between activations: waits while something more urgent runs.
        cancel: Checked between pieces.
    """
    count = len(evaluator.samples)
    chosen = sorted({i * count // min(SAMPLES, count) for i in range(min(SAMPLES, count))})
    found = {}
    for name in dict.fromkeys(names):
        given = ranges.ranges.get(name)
        if given is None:
            continue
        slack = (given.high - given.low) / 510
        low, high, beyond, total = np.inf, -np.inf, 0, 0
        alive: Array | None = None
        gate()
        for sample in chosen:
            value = evaluator.reference(sample).get(name)
            array = value.numpy(evaluator.network.tensors.get(name)) if value is not None else None
            if array is None or array.dtype.kind != "f" or not array.size:
                continue
            flat = array.reshape(-1)
            for start in range(0, flat.size, _PIECE):
                cancel.check()
                piece = flat[start : start + _PIECE]
                finite = piece if np.isfinite(piece.sum()) else piece[np.isfinite(piece)]
                if finite.size:
                    low, high = min(low, float(finite.min())), max(high, float(finite.max()))
                    beyond += int(np.count_nonzero((finite < given.low - slack) | (finite > given.high + slack)))
                    total += finite.size
            if array.ndim >= 2:
                used = np.abs(array).max(axis=tuple(a for a in range(array.ndim) if a != 1)) > 0
                alive = used if alive is None or alive.shape != used.shape else alive | used
        if total:
            dead = int(np.count_nonzero(~alive)) if alive is not None else 0
            found[name] = Observed(low, high, beyond / total, dead, len(alive) if alive is not None else 0)
    return found
