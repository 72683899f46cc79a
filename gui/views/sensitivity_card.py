"""The card of a cell of the sensitivity map."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from engine.precision.scheme import Scheme, family, label
from engine.session.state import SensitivityCell
from gui import format as fmt
from gui.i18n import text
from gui.views.layers_card import kernel_card
from gui.views.price import Pricer
from gui.views.sensitivity_data import Metric, SensitivityMap
from gui.views.sweep_words import figure_with_unit, metric_word, no_estimate_words
from gui.widgets.tip_card import TipContent

if TYPE_CHECKING:
    from engine.session import Session

translate = QCoreApplication.translate
NO_CHANGE_DB = 0.3
"""Predicted changes below that are smaller than what kernels do to each other."""


def card_of(session: Session, data: SensitivityMap, cell: tuple[int, int], pricer: Pricer) -> TipContent:
    """What is known of a cell, what a click would change, and what it would do."""
    row, column = cell
    kernel, scheme = data.ids[column], data.schemes[row]
    rows = _figures(session, data, kernel, scheme)
    if data.question == "one-out" and data.gains[column] is not None and data.cells[row][column] is not None:
        gain = fmt.delta(data.gains[column], fmt.sqnr)
        rows.append((translate("Sensitivity", "restored, the output wins"), gain))
    rows += _changes(session, kernel, scheme, pricer)
    reason = data.reasons[row][column]
    if reason is not None:
        rows.append((translate("Sensitivity", "device"), text(reason)))
    now = session.plan.scheme(kernel)
    if now != scheme:
        rows.append((translate("Sensitivity", "in the plan now"), label(now)))
    assert session.network is not None
    common = kernel_card(session, session.network.by_id(kernel).index, rows)
    return replace(common, badge=(family(scheme), label(scheme)), note=_note(session, data, cell))


def _figures(session: Session, data: SensitivityMap, kernel: str, scheme: Scheme) -> list[tuple[str, str]]:
    """Measured and estimated figures, each under its own name."""
    metric = data.metric
    exact = session.sensitivity.get((kernel, scheme))
    if exact is not None and exact.kind != "exact":
        exact = None
    guess = session.sweeps.estimated_cells.get((kernel, scheme))
    rows = []
    if exact is not None:
        rows += _all_figures(exact, metric)
    if guess is not None:
        words = "≈" + figure_with_unit(guess.figure(metric), metric)
        if guess.spread_db is not None and 0 < guess.spread_db < 30:
            words += f" ±{fmt.sqnr(guess.spread_db)}"
        name = translate("Sensitivity", "{metric}, estimate").format(metric=metric_word(metric))
        rows.append((name, words))
    why = no_estimate_words(session, kernel)
    if why:
        rows.append((translate("Sensitivity", "no estimate"), why))
    if exact is None and guess is None and not why:
        rows.append((translate("Sensitivity", "output error"), translate("Sensitivity", "not measured yet")))
    elif exact is None:
        rows.append((translate("Sensitivity", "measured"), translate("Sensitivity", "not yet")))
    return rows


def _all_figures(cell: SensitivityCell, metric: Metric) -> list[tuple[str, str]]:
    """The chosen metric first, then the others that are known."""
    names: tuple[Metric, ...] = (metric, *(m for m in ("sqnr", "logits", "kl", "cosine", "top1", "own") if m != metric))
    return [
        (translate("Sensitivity", "{metric}, measured").format(metric=metric_word(name)), words)
        for name in names
        if (value := cell.figure(name)) is not None and (words := figure_with_unit(value, name))
    ]


def _changes(session: Session, kernel: str, scheme: Scheme, pricer: Pricer) -> list[tuple[str, str]]:
    """What the click would do to output error, latency and size, as far as it is known."""
    if session.plan.scheme(kernel) == scheme:
        return []
    plan, rows = session.plan.with_schemes({kernel: scheme}), []
    change = session.sweeps.change_db(plan)
    if change is not None:
        small = abs(change) < NO_CHANGE_DB
        words = translate("Sensitivity", "no change") if small else "≈" + fmt.delta(change, fmt.sqnr)
        rows.append((translate("Sensitivity", "output, in this plan"), words))
    now, size = session.figures.simulation, session.figures.size
    price = pricer.known(plan)
    if price is not None and now is not None and size is not None:
        latency = price.simulation.latency_us - now.latency_us
        rows.append((translate("Sensitivity", "change of latency"), fmt.delta(latency, fmt.latency_us)))
        rows.append((translate("Sensitivity", "change of size"), fmt.delta(price.size.total - size.total, fmt.bytes_)))
    return rows


def _note(session: Session, data: SensitivityMap, cell: tuple[int, int]) -> str:
    kernel = data.ids[cell[1]]
    if data.plan_rows[cell[1]] == cell[0]:
        return translate("Sensitivity", "in the plan")
    if kernel in session.locked:
        return translate("Sensitivity", "locked · Shift+click selects")
    together = len(session.selection) if kernel in session.selection else 1
    if together > 1:
        return translate("Sensitivity", "click to apply to the %n selected · drag selects", "", together)
    return translate("Sensitivity", "click to apply · drag or Shift+click selects")
