"""The rows of the statistics sheet, worded."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from engine.numerics.comparison import Comparison
from engine.numerics.npu_metrics import CUSTOMARY_LIMITS, NpuErrors
from engine.numerics.saturation import flat_ends
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


def npu_figures(found: NpuErrors) -> tuple[Figure, ...]:
    """The ten figures of the Ascend comparison tool, to its six decimals, beside the customary limits."""
    translate = QCoreApplication.translate
    names = (
        translate("CompareView", "Cosine"),
        translate("CompareView", "Max absolute"),
        translate("CompareView", "Accum. relative"),
        translate("CompareView", "Relative Euclid"),
        translate("CompareView", "KL divergence"),
        translate("CompareView", "Std deviation"),
        translate("CompareView", "Mean absolute"),
        "RMSE",
        translate("CompareView", "Max relative"),
        translate("CompareView", "Mean relative"),
    )
    made = []
    for (key, value), name in zip(found.by_name().items(), names, strict=True):
        if isinstance(value, str):
            made.append(Figure(name, fmt.fixed(found.x_std, 3), fmt.fixed(found.y_std, 3)))
            continue
        sign, limit = CUSTOMARY_LIMITS.get(key, ("", 0.0))
        state: State = "" if not sign else "met" if (value > limit if sign == ">" else value < limit) else "missed"
        made.append(Figure(name, _six(value), f"{limit:g}" if sign else "", state))
    return tuple(made)


def _six(value: float) -> str:
    """Six decimals, as the tool writes them, as long as they fit."""
    return fmt.fixed(value, 6) if abs(value) < 1000 else fmt.scientific(value, 4)


def _clipped(found: Comparison) -> tuple[Figure, ...]:
    """How much of A the quantizer of B can't give; of a dump, as far as its values show that they end flat."""
    if not found.reference.size:
        return ()
    name = QCoreApplication.translate("CompareView", "Saturated")
    if found.clipped is not None:
        return (Figure(name, fmt.percent(found.clipped / found.reference.size)),)
    ends = flat_ends(*found.sampled_everywhere())
    return (Figure(name, fmt.percent(ends.share)),) if ends is not None else ()


def worst_elements(found: Comparison, most: int = 5) -> tuple[ElementRow, ...]:
    """The single values that are furthest off."""
    return tuple(
        ElementRow(
            "[" + ", ".join(map(str, each.place)) + "]",
            f"{fmt.scientific(each.reference, 3)} → {fmt.scientific(each.result, 3)}",
        )
        for each in found.worst_elements[:most]
    )


def value_figures(found: Comparison) -> tuple[Figure, ...]:
    """Values of the reference and of the plan side by side."""
    translate = QCoreApplication.translate
    a, b = found.of_reference, found.of_result

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
        Figure(
            translate("CompareView", "dead channels"),
            *(("–", "–") if found.few else (fmt.integer(found.still[0]), fmt.integer(found.still[1]))),
            alarm=bool(found.dead_channels),
        ),
        broken,
    )
