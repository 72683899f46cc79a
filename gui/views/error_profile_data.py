"""What the error profile shows, read from a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, floor, inf, nan
from typing import TYPE_CHECKING

import numpy as np

from engine.graph.types import Array
from engine.numerics.results import ErrorSums
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme
from gui.format import SQNR_CAP_DB
from gui.plots.kernels import KernelColumns
from gui.plots.table import Table

if TYPE_CHECKING:
    from engine.session import Session


@dataclass(frozen=True, eq=False, slots=True)
class ErrorProfile:
    """SQNR in dB by kernel index; NaN where a figure is missing, +inf where nothing is lost."""

    accumulated: Array
    previous: Array
    """Of the previous plan; all NaN when it is the same plan or not evaluated."""
    local: Array
    required: float | None
    stale_from: int | None
    """First kernel whose accumulated error belongs to an older plan."""
    synthetic: bool

    @property
    def has_data(self) -> bool:
        """Whether there is anything to draw."""
        return bool(np.isfinite(self.local).any() or (~np.isnan(self.accumulated)).any())

    def y_range(self) -> tuple[float, float]:
        """Multiples of 10 dB around all that is drawn, so that the axis is calm while figures change."""
        values = np.concatenate([self.accumulated, self.previous, self.local, [self.required or nan]])
        values = np.clip(values[np.isfinite(values)], -20.0, SQNR_CAP_DB)
        if not values.size:
            return 0.0, 60.0
        low = floor((float(values.min()) - 5) / 10) * 10
        high = ceil((float(values.max()) + 2) / 10) * 10
        return float(low), float(max(high, low + 30))


def error_profile(session: Session, columns: KernelColumns) -> ErrorProfile:
    """Gather the figures of the current and the previous plan."""
    current, before = session.figures.evaluation, session.previous
    local = [_local(session.local, session.plan, kernel_id) for kernel_id in columns.ids]
    old = before.evaluation if before is not None and before.plan != session.plan else None
    staleness = session.staleness
    return ErrorProfile(
        _series(current.accumulated if current else {}, columns),
        _series(old.accumulated if old else {}, columns),
        np.array(local, float),
        session.budgets.min_sqnr_db,
        staleness.from_kernel if staleness.stale and current is not None else None,
        bool(session.data and session.data.synthetic),
    )


def profile_table(profile: ErrorProfile, columns: KernelColumns) -> Table:
    """One row per kernel."""
    rows = [
        (
            i,
            columns.names[i],
            columns.labels[i],
            _cell(profile.accumulated[i]),
            _cell(profile.previous[i]),
            _cell(profile.local[i]),
            "stale" if profile.stale_from is not None and i >= profile.stale_from else "",
        )
        for i in range(len(columns))
    ]
    header = ("index", "kernel", "scheme", "accumulated_sqnr_db", "previous_accumulated_sqnr_db", "local_sqnr_db")
    return Table((*header, "state"), rows)


def _series(found: Mapping[str, ErrorSums], columns: KernelColumns) -> Array:
    return np.array([found[i].sqnr_db if i in found else nan for i in columns.ids], float)


def _local(found: Mapping[tuple[str, Scheme], ErrorSums], plan: Plan, kernel_id: str) -> float:
    sums = found.get((kernel_id, plan.scheme(kernel_id))) if kernel_id in plan else None
    return sums.sqnr_db if sums is not None else nan


def _cell(value: float) -> float | None:
    return None if np.isnan(value) else float(value) if value != inf else inf
