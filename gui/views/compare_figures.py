"""The rows of the statistics sheet, worded."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from engine.numerics.comparison import Comparison, Statistics
from engine.session.state import Captured
from gui import format as fmt
from gui.views.compare_statistics import ElementRow, Figure, State


def error_figures(captured: Captured, found: Comparison, limit: float | None) -> tuple[Figure, ...]:
    """Error of the plan against the reference; the SQNR is held against the required one."""
    translate, sums = QCoreApplication.translate, captured.sums
    state: State = "" if limit is None else "met" if sums.sqnr_db >= limit else "missed"
    return (
        Figure("SQNR", fmt.sqnr(sums.sqnr_db), fmt.fixed(limit) if limit is not None else "", state),
        Figure(translate("CompareView", "Cosine"), fmt.cosine(sums.cosine)),
        Figure(translate("CompareView", "Relative L2"), fmt.percent(sums.relative_l2)),
        Figure("MSE", fmt.scientific(sums.mse, 3)),
        Figure(translate("CompareView", "Max absolute"), fmt.scientific(found.max_abs, 3)),
        *_clipped(found),
    )


def _clipped(found: Comparison) -> tuple[Figure, ...]:
    """How much of A the quantizer that reads the tensor can't give."""
    if found.clipped is None or not found.reference.size:
        return ()
    share = found.clipped / found.reference.size
    return (Figure(QCoreApplication.translate("CompareView", "Saturated"), fmt.percent(share)),)


def worst_elements(found: Comparison, most: int = 5) -> tuple[ElementRow, ...]:
    """The single values that are furthest off."""
    return tuple(
        ElementRow(
            "[" + ", ".join(map(str, each.place)) + "]",
            f"{fmt.scientific(each.reference, 3)} → {fmt.scientific(each.result, 3)}",
        )
        for each in found.worst_elements[:most]
    )


def value_figures(a: Statistics, b: Statistics) -> tuple[Figure, ...]:
    """Values of the reference and of the plan side by side."""
    translate = QCoreApplication.translate

    def row(name: str, left: float, right: float) -> Figure:
        return Figure(name, fmt.scientific(left, 4), fmt.scientific(right, 4))

    worse = b.nonfinite > a.nonfinite
    broken = Figure(
        translate("CompareView", "NaN or Inf"), fmt.integer(a.nonfinite), fmt.integer(b.nonfinite), alarm=worse
    )
    return (
        row(translate("CompareView", "min"), a.low, b.low),
        row(translate("CompareView", "max"), a.high, b.high),
        row(translate("CompareView", "mean"), a.mean, b.mean),
        row(translate("CompareView", "std"), a.std, b.std),
        Figure(translate("CompareView", "zero"), fmt.percent(a.zeros), fmt.percent(b.zeros)),
        broken,
    )
