"""What sweeps have found, as values that views read: cells of both kinds, what restoring wins, what a change does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, log10

from engine.errors import PlanError
from engine.numerics import Evaluator
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme
from engine.session.state import SensitivityCell
from engine.tuning.context import plan_digest
from engine.tuning.estimate import CellKey, Estimates
from engine.tuning.exact import value_of
from engine.tuning.metrics import Metric, damage, in_decibels, point_of
from engine.tuning.store import Figures, Row


@dataclass(frozen=True, eq=False, slots=True)
class OneOut:
    """Output figures of a plan with single kernels restored to full precision."""

    plan: Plan
    baseline: Figures | None = None
    """Of the plan itself."""
    cells: Mapping[str, Figures] = field(default_factory=dict)
    """By kernel id."""


def recalled(rows: Sequence[Row], plan: Plan) -> tuple[dict[CellKey, Figures], OneOut | None]:
    """Cells that a store holds: one in, and one out of a plan if there are any."""
    exact = {(row.kernel, row.scheme): row.figures for row in rows if row.mode == "one-in"}
    around = plan_digest(plan)
    out = {row.kernel: row.figures for row in rows if row.mode == "one-out" and row.base == around}
    baseline = next((row.figures for row in rows if row.mode == "plan" and row.base == around), None)
    return exact, OneOut(plan, baseline, out) if out else None


def has(figures: Figures, metric: Metric | None) -> bool:
    """Whether a measured cell holds a metric; only that of the user's own may come later."""
    return metric is not Metric.OWN or figures.own is not None


def measured_cell(kernel: str, scheme: Scheme, figures: Figures) -> SensitivityCell:
    """A measured cell with all its figures."""
    return SensitivityCell(
        kernel,
        scheme,
        figures.sqnr_db,
        figures.kl,
        "exact",
        figures.logits_db,
        1 - figures.cosine,
        None if figures.top1 is None else 1 - figures.top1,
        own=None if figures.own is None else abs(figures.own),
    )


def estimated_cell(table: Estimates, key: CellKey) -> SensitivityCell:
    """An estimated cell: the figure of one metric."""
    value, metric = table.cells[key].value, table.metric
    return SensitivityCell(
        *key,
        value if metric is Metric.SQNR else None,
        value if metric is Metric.KL else None,
        "estimated",
        value if metric is Metric.LOGITS else None,
        value if metric is Metric.COSINE else None,
        spread_db=table.cells[key].spread_db,
    )


def damages_of(exact: Mapping[CellKey, Figures], metric: Metric) -> dict[CellKey, float]:
    """Damage of measured cells; without those that lack the metric."""
    return {key: damage(metric, value_of(found, metric)) for key, found in exact.items() if has(found, metric)}


def gains_of(out: OneOut | None, metric: Metric | None) -> dict[str, float]:
    """One out: decibels by which the damage falls when a kernel is restored, by kernel id."""
    if out is None or out.baseline is None or metric is None or not has(out.baseline, metric):
        return {}
    before = in_decibels(damage(metric, value_of(out.baseline, metric)))
    known = {kernel: found for kernel, found in out.cells.items() if has(found, metric)}
    won = {k: before - in_decibels(damage(metric, value_of(found, metric))) for k, found in known.items()}
    return {kernel: gain for kernel, gain in won.items() if isfinite(gain)}


def change_between(harm: Mapping[CellKey, float], now: Plan, plan: Plan) -> float | None:
    """By how many dB the output error of a plan should be below another's; None where nothing is known.

    The ratio of predicted damages of both plans: a bias of the prediction drops out.
    """
    changed = plan.difference(now)
    if any((kernel, of.scheme(kernel)) not in harm for kernel in changed for of in (now, plan)):
        return None
    before, after = (sum(harm.get(cell, 0.0) for cell in of.items()) for of in (now, plan))
    if not (before > 0 and after > 0 and isfinite(before) and isfinite(after)):
        return None
    return 10 * log10(before / after)


def metrics_of(evaluator: Evaluator) -> tuple[Metric, ...]:
    """Those that the model has; a function of the user's own is none of them."""
    found = []
    for metric in Metric:
        try:
            point_of(evaluator, metric)
        except PlanError:
            continue
        found.append(metric)
    return tuple(metric for metric in found if metric is not Metric.OWN)
