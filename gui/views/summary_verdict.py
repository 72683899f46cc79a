"""The sentence on top of the Summary: which budgets hold, and what is short."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QCoreApplication

from gui.views.summary_cards import Card

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True)
class Statement:
    """State, sentence and the reason under it."""

    state: Literal["met", "near", "missed", "none", "busy"]
    title: str
    detail: str = ""


def statement(cards: Sequence[Card], working: str) -> Statement:
    """Judge the cards that have a budget.

    Args:
        cards: all cards.
        working: what the running job says, "" when nothing runs.
    """
    judged = [card for card in cards if card.gauge.budget is not None]
    if not judged:
        return Statement(
            "none", translate("Summary", "No budgets set"), translate("Summary", "Set budgets to see what holds.")
        )
    open_ones = [card for card in judged if card.stale or card.pending]
    if open_ones:
        return _checking(judged, open_ones, working)
    missed = [card for card in judged if card.state == "missed"]
    near = [card for card in judged if card.state == "near"]
    if missed:
        title = translate("Summary", "{0} of {1} budgets met").format(len(judged) - len(missed), len(judged))
        return Statement("missed", title, _join(_miss(card) for card in missed))
    title = translate("Summary", "All %n budget(s) met", "", len(judged))
    if near:
        return Statement(
            "near", title, translate("Summary", "close: {0}").format(", ".join(card.title for card in near))
        )
    return Statement("met", title)


def _checking(judged: list[Card], open_ones: list[Card], working: str) -> Statement:
    sure = [card for card in judged if card not in open_ones]
    missed = [card for card in sure if card.state == "missed"]
    if missed:
        title = translate("Summary", "{0} missed, {1} being checked").format(len(missed), len(open_ones))
        return Statement("busy", title, _join(_miss(card) for card in missed))
    title = translate("Summary", "%n budget(s) met, {0} being checked", "", len(sure)).format(len(open_ones))
    return Statement("busy", title, working)


def _miss(card: Card) -> str:
    if card.shortfall == translate("Summary", "not measurable"):
        return translate("Summary", "{0} is not measurable").format(card.title)
    if card.key == "sqnr":
        return translate("Summary", "{0} is {1} short").format(card.title, card.shortfall)
    return translate("Summary", "{0} is {1} over").format(card.title, card.shortfall)


def _join(sentences) -> str:  # type: ignore[no-untyped-def]
    return " · ".join(sentences)
