"""What the cards of the Summary say: figures, bands, deltas and states as plain values. No widgets, no painting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite, isnan
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QCoreApplication

from engine.npu.results import Simulation
from engine.session.state import Figures
from gui import format as form
from gui.paint import Gauge
from gui.views.layers_rows import Support, shown_evaluation
from gui.views.summary_notes import error_lines, explain

if TYPE_CHECKING:
    from engine.session import Session

translate = QCoreApplication.translate

State = Literal["met", "near", "missed", "none"]
NEAR = 0.05
"""A value within 5 % of its budget is near it; a temperature within 1 °C."""
NEAR_C = 1.0


@dataclass(frozen=True, slots=True)
class Card:
    """One figure of the plan, ready to be drawn."""

    key: str
    title: str
    requirement: str
    """"needs ≥ 22.0 dB", "budget ≤ 3.00 ms", or what it is compared with when there is no budget."""
    figure: str
    unit: str
    band: str
    delta: str
    """Difference to the compared plan with sign and unit, "" if there is none."""
    delta_helps: bool | None
    """None = no difference."""
    note: str
    state: State
    gauge: Gauge
    shortfall: str = ""
    """By how much a missed budget is missed, "0.8 dB"."""
    stale: bool = False
    pending: bool = False
    """Not known yet; a job computes it."""
    indicative: bool = False
    tip: str = ""


@dataclass(frozen=True, slots=True)
class _Figure:
    """How one quantity is read and written."""

    key: str
    read: Callable[[Figures], float | None]
    parts: Callable[[float | None, float | None], tuple[str, str]]
    """(value, like) -> figure and unit."""
    more_is_better: bool = False


def _sqnr(figures: Figures) -> float | None:
    return figures.evaluation.output.sqnr_db if figures.evaluation else None


def _skin(figures: Figures) -> float | None:
    return None if figures.sustained is None else float(figures.sustained.skin_c.max())


def _plain(decimals: int, unit: str) -> Callable[[float | None, float | None], tuple[str, str]]:
    return lambda value, like: (form.fixed(value, decimals), unit)


def _sqnr_parts(value: float | None, like: float | None) -> tuple[str, str]:
    return (form.sqnr_figure(value) if like is None else form.fixed(value, 1)), "dB"


FIGURES = (
    _Figure("sqnr", _sqnr, _sqnr_parts, more_is_better=True),
    _Figure("latency", lambda f: f.simulation.latency_us if f.simulation else None, form.run_latency_parts),
    _Figure("peak", lambda f: f.simulation.memory.peak_bytes if f.simulation else None, form.bytes_parts),
    _Figure("size", lambda f: f.size.total if f.size else None, form.bytes_parts),
    _Figure("energy", lambda f: f.simulation.energy_uj if f.simulation else None, form.energy_parts),
    _Figure("skin", _skin, _plain(1, "°C")),
)


def cards(session: Session, support: Support | None = None) -> list[Card]:
    """The six cards, top to bottom; `support` remembers what the device says about schemes."""
    return [_card(session, figure, support) for figure in FIGURES]


def card_of(session: Session, key: str, support: Support | None = None) -> Card:
    """One of them."""
    return _card(session, next(figure for figure in FIGURES if figure.key == key), support)


def title(key: str) -> str:
    """Name of a card."""
    return {
        "sqnr": translate("Summary", "Output SQNR"),
        "latency": translate("Summary", "Latency"),
        "peak": translate("Summary", "Peak memory"),
        "size": translate("Summary", "Model size"),
        "energy": translate("Summary", "Energy per run"),
        "skin": translate("Summary", "Skin temperature"),
    }[key]


def budget(session: Session, key: str) -> float | None:
    """What the user requires of a figure."""
    b = session.budgets
    return {
        "sqnr": b.min_sqnr_db,
        "latency": b.max_latency_us,
        "peak": b.max_peak_bytes,
        "size": b.max_size_bytes,
        "energy": b.max_energy_uj,
        "skin": b.max_skin_c,
    }[key]


def state_of(key: str, value: float | None, limit: float | None, band: float = 0.0) -> State:
    """Missed if the value breaks the budget; near if it is close or the band crosses it; else met."""
    if value is None or limit is None:
        return "none"
    if isnan(value):  # not measurable, so it is not known to hold
        return "missed"
    room = value - limit if key == "sqnr" else limit - value
    if room < 0:
        return "missed"
    close = NEAR_C if key == "skin" else NEAR * abs(limit)
    return "near" if room <= max(close, band) else "met"


def _card(session: Session, figure: _Figure, support: Support | None) -> Card:
    value = figure.read(_shown(session))
    limit = budget(session, figure.key)
    band = _band(figure.key, value, session.figures.simulation)
    before = figure.read(session.previous) if session.previous else None
    baseline = figure.read(session.baseline) if session.baseline else None
    state = state_of(figure.key, value, limit, band)
    number, unit = figure.parts(value, None)
    behind = _is_behind(session, figure.key)
    stale = behind and value is not None
    delta, helps = ("", None) if stale else _delta(figure, value, before)
    note = _note(session, figure, baseline, support)
    return Card(
        key=figure.key,
        title=title(figure.key),
        requirement=_requirement(figure, limit),
        figure=number,
        unit=unit,
        band=f"±{figure.parts(band, value)[0]}" if band and value is not None else "",
        delta=delta,
        delta_helps=helps,
        note=note,
        state=state,
        gauge=_gauge(figure.key, value, limit, band, before, baseline, state, stale),
        shortfall=_shortfall(figure, value, limit) if state == "missed" else "",
        stale=stale,
        pending=value is None,
        indicative=figure.key == "sqnr" and _synthetic(session),
        tip="\n".join(part for part in (_tip(session, figure, value, baseline), note) if part),
    )


def _is_behind(session: Session, key: str) -> bool:
    """Whether the figure on a card belongs to an older plan or device."""
    if key == "sqnr":
        return session.staleness.output_stale
    return not session.figures.simulated or (key == "skin" and not session.figures.warmed)


def _shown(session: Session) -> Figures:
    """The current figures, with the last known evaluation where the new one is not there yet."""
    now = session.figures
    return Figures(now.plan, now.size, now.simulation, now.sustained, shown_evaluation(session))


def _synthetic(session: Session) -> bool:
    """Whether the error on show comes from synthetic samples; it may be there before the data has been looked at."""
    if session.data is not None:
        return session.data.synthetic
    evaluation = shown_evaluation(session)
    return evaluation is not None and evaluation.synthetic


def _band(key: str, value: float | None, simulation: Simulation | None) -> float:
    """Half width of the device's stated error band; memory and size are exact."""
    if value is None or simulation is None or key not in ("latency", "energy"):
        return 0.0
    return value * simulation.band


def _delta(figure: _Figure, value: float | None, before: float | None) -> tuple[str, bool | None]:
    if value is None or before is None or not (isfinite(value) and isfinite(before)):
        return "", None
    change = value - before
    number, unit = figure.parts(change, value)
    shown = form.with_unit(form.signed(number), unit)
    if not any(c in number for c in "123456789"):
        return "", None
    return shown, (change > 0) == figure.more_is_better


def _requirement(figure: _Figure, limit: float | None) -> str:
    if limit is None:
        return translate("Summary", "no budget")
    words = form.with_unit(*figure.parts(limit, None))
    sentence = translate("Summary", "needs ≥ {0}") if figure.more_is_better else translate("Summary", "budget ≤ {0}")
    return sentence.format(words)


def _shortfall(figure: _Figure, value: float | None, limit: float | None) -> str:
    assert value is not None
    assert limit is not None
    if isnan(value):
        return translate("Summary", "not measurable")
    return form.with_unit(*figure.parts(abs(value - limit), limit))


def _gauge(
    key: str,
    value: float | None,
    limit: float | None,
    band: float,
    before: float | None,
    baseline: float | None,
    state: State,
    stale: bool,
) -> Gauge:
    """Against the budget; without one, against the all-FP16 value."""
    top = None
    if limit is None:
        known = [v for v in (value, baseline) if v is not None and isfinite(v)]
        top = max(known, default=None) if known else None
    if value is not None and not isfinite(value):
        value = (limit or top or 1.0) * 2 if value > 0 else 0.0
    return Gauge(value, limit, band, before, state, stale, top, least=key == "sqnr")


def _note(session: Session, figure: _Figure, baseline: float | None, support: Support | None) -> str:
    parts = explain(session, figure.key, support)
    if baseline is not None:
        parts.append(translate("Summary", "all FP16: {0}").format(form.with_unit(*figure.parts(baseline, None))))
    return " · ".join(parts)


def _tip(session: Session, figure: _Figure, value: float | None, baseline: float | None) -> str:
    """All that is known of a figure, one line each."""

    def line(name: str, number: float | None) -> str:
        return f"{name}: {form.with_unit(*figure.parts(number, None))}"

    before = figure.read(session.previous) if session.previous else None
    lines = [
        line(translate("Summary", "this plan"), value),
        line(translate("Summary", "compared plan"), before),
        line(translate("Summary", "all FP16"), baseline),
    ]
    evaluation = shown_evaluation(session)
    if budget(session, figure.key) is not None:
        lines.append(
            translate("Summary", "The bar is the figure itself: past the mark the requirement holds.")
            if figure.more_is_better
            else translate("Summary", "The bar is the figure itself: past the mark the budget is broken.")
        )
    if figure.key == "sqnr" and evaluation is not None:
        lines += error_lines(session, evaluation)
    return "\n".join(lines)
