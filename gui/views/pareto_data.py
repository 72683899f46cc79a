"""What the Pareto plot shows: plans as points between two figures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import TYPE_CHECKING, Literal

from engine.session.wishes import Found
from engine.tuning.search import PlanCosts
from gui.plots.table import Table

if TYPE_CHECKING:
    from engine.session import Session

Axis = Literal["latency_us", "size_bytes", "energy_uj", "sqnr_db"]
AXES: tuple[Axis, ...] = ("latency_us", "size_bytes", "energy_uj", "sqnr_db")
SCALE = {"latency_us": 1e3, "size_bytes": 1024.0**2, "energy_uj": 1e3, "sqnr_db": 1.0}
"""Units of the figure per unit of the axis: ms, MiB, mJ, dB."""
MOST_DB = 120.0
"""Plans without any error are drawn there."""
Kind = Literal["front", "proposal", "now"]


@dataclass(frozen=True, eq=False, slots=True)
class Point:
    """One plan."""

    found: Found
    kind: Kind
    breaks: bool
    """Whether it breaks a budget of the session."""

    def value(self, axis: Axis) -> float | None:
        """Its figure in the axis's unit; None if it is not known."""
        if axis == "sqnr_db":
            value = self.found.sqnr_db
            return None if value == -inf or value != value else min(value, MOST_DB)
        value_ = self.found.costs.value(axis)
        return None if value_ is None else value_ / SCALE[axis]

    @property
    def measured(self) -> bool:
        """Whether its error is measured."""
        return self.found.measured_db is not None


@dataclass(frozen=True, eq=False, slots=True)
class ParetoData:
    """Points with both figures, from left to right."""

    x: Axis
    y: Axis
    points: tuple[Point, ...]

    def place(self, point: Point) -> tuple[float, float]:
        """Where a point lies."""
        x, y = point.value(self.x), point.value(self.y)
        assert x is not None
        assert y is not None
        return x, y

    def front(self) -> list[tuple[float, float]]:
        """Points that no other beats in both figures, from left to right."""
        found: list[tuple[float, float]] = []
        places = sorted(
            (self.place(point) for point in self.points), key=lambda p: (_worse(self.x, p[0]), _worse(self.y, p[1]))
        )
        best = inf
        for x, y in places:
            if _worse(self.y, y) < best:
                best = _worse(self.y, y)
                found.append((x, y))
        return sorted(found)

    def ranges(self) -> tuple[float, float, float, float]:
        """Ends of both axes with room around the points."""
        xs, ys = zip(*(self.place(point) for point in self.points), strict=True)
        return (*_room(xs), *_room(ys))


def _worse(axis: Axis, value: float) -> float:
    """A figure that grows as things get worse."""
    return -value if axis == "sqnr_db" else value


def _room(values: tuple[float, ...]) -> tuple[float, float]:
    low, high = min(values), max(values)
    edge = 0.08 * (high - low) or 0.1 * abs(high) or 1.0
    return low - edge, high + edge


def pareto_data(session: Session, x: Axis, y: Axis) -> ParetoData:
    """Gather the front, the proposals and the current plan."""
    searches = session.searches
    points = [Point(found, "front", _breaks(session, found)) for found in searches.front]
    points += [Point(found, "proposal", _breaks(session, found)) for found in searches.proposals]
    now = _now(session)
    if now is not None:
        points.append(Point(now, "now", _breaks(session, now)))
    known = [p for p in points if all(v is not None and isfinite(v) for v in (p.value(x), p.value(y)))]
    return ParetoData(x, y, tuple(sorted(known, key=lambda p: (p.value(x), p.value(y)))))


def _now(session: Session) -> Found | None:
    """The current plan, if all is known of it."""
    figures = session.figures
    if figures.size is None or figures.simulation is None or figures.evaluation is None or session.staleness.stale:
        return None
    simulation, output = figures.simulation, figures.evaluation.output
    costs = PlanCosts(
        figures.size.total, 0.0, simulation.latency_us, simulation.energy_uj, simulation.memory.peak_bytes
    )
    return replace(
        Found(figures.plan, costs, output.sqnr_db), measured_db=output.sqnr_db, top1=output.top1_agreement,
        accuracy=output.accuracy,
    )  # fmt: skip


def _breaks(session: Session, found: Found) -> bool:
    budgets, costs = session.budgets, found.costs
    limits = (
        (budgets.max_latency_us, costs.latency_us),
        (budgets.max_size_bytes, costs.size_bytes),
        (budgets.max_energy_uj, costs.energy_uj),
        (budgets.max_peak_bytes, costs.peak_bytes),
    )
    if any(limit is not None and value is not None and value > limit for limit, value in limits):
        return True
    return budgets.min_sqnr_db is not None and found.sqnr_db < budgets.min_sqnr_db


def pareto_table(data: ParetoData) -> Table:
    """One row per plan, in full units."""
    rows = []
    for point in data.points:
        found, costs = point.found, point.found.costs
        rows.append((
            point.kind, found.number or None, costs.latency_us, costs.size_bytes, costs.energy_uj, costs.peak_bytes,
            found.predicted_db, found.measured_db, found.accuracy, "yes" if point.breaks else "",
        ))  # fmt: skip
    header = (
        "kind", "proposal", "latency_us", "size_bytes", "energy_uj", "peak_bytes", "predicted_sqnr_db",
        "measured_sqnr_db", "accuracy", "breaks_a_budget",
    )  # fmt: skip
    return Table(header, rows)
