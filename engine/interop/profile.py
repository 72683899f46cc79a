"""Measured profiles of any origin as one kind of value."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Literal

from engine.text import Text

LONGEST_US = 86_400e6
"""A day: nobody waits longer for one operator, so what is longer has another unit, or is no time."""
ProfileOrigin = Literal["phone", "msprof", "mindspore", "onnxruntime", "table"]


@dataclass(frozen=True, slots=True)
class MeasuredOp:
    """One launch that a device has measured."""

    name: str
    op_type: str
    duration_us: float
    unit: str = ""
    """What it ran on, in the tool's words."""
    start_us: float = 0.0
    """0 where the tool has no usable time stamps."""
    nbytes: int | None = None
    """Bytes read and written, where shapes are known."""


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """One inference."""

    ops: tuple[MeasuredOp, ...]
    """In execution order."""
    total_us: float | None = None
    """From submission to result, where it was measured: more than the sum of the operators."""


@dataclass(frozen=True, slots=True)
class ProfileFile:
    """What was read."""

    path: Path
    origin: ProfileOrigin
    runs: tuple[MeasuredRun, ...]
    load_us: float | None = None
    """Cold start: loading the model."""
    latencies_us: tuple[float, ...] = ()
    """Of whole inferences, also of those whose operators are not known."""
    notes: tuple[Text, ...] = ()

    @property
    def ops(self) -> tuple[MeasuredOp, ...]:
        """Operators with the median of their durations over the runs; all runs have the same operators."""
        if len(self.runs) == 1:
            return self.runs[0].ops
        return tuple(
            MeasuredOp(
                each[0].name,
                each[0].op_type,
                median(op.duration_us for op in each),
                each[0].unit,
                each[0].start_us,
                each[0].nbytes,
            )
            for each in zip(*(run.ops for run in self.runs), strict=False)
        )

    @property
    def total_us(self) -> float | None:
        """Median of the whole inference; None if only operators were measured."""
        if self.latencies_us:
            return median(self.latencies_us)
        totals = [run.total_us for run in self.runs if run.total_us is not None]
        return median(totals) if totals else None
