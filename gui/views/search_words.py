"""Proposals in words and figures."""

from __future__ import annotations

from collections.abc import Mapping
from math import log10
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from engine.session.wishes import LIMIT_TITLES, Found
from gui import format as fmt
from gui.i18n import text

if TYPE_CHECKING:
    from engine.session import Session

translate = QCoreApplication.translate


def edits(session: Session, found: Found) -> int:
    """How many kernels differ from the current plan."""
    return len(found.plan.difference(session.plan))


def figures_line(found: Found) -> str:
    """SQNR, latency, size: "22.1 dB   2.39 ms   2.25 MiB"."""
    mark = "≈" if found.measured_db is None else ""
    parts = [mark + fmt.sqnr(found.sqnr_db)]
    if found.costs.latency_us is not None:
        parts.append(fmt.run_latency(found.costs.latency_us))
    parts.append(fmt.bytes_(found.costs.size_bytes))
    return "   ".join(parts)


def limit_names(names: Mapping[str, float] | tuple[str, ...]) -> str:
    """Limits by their names in the window's language."""
    return ", ".join(text(LIMIT_TITLES[name]) for name in names)


def verdict(session: Session, found: Found) -> list[str]:
    """What there is to say about a proposal, a sentence each."""
    lines = []
    if found.overdrawn:
        beyond = ", ".join(
            translate("Search", "{limit} by {share}").format(limit=text(LIMIT_TITLES[name]), share=_beyond(name, share))
            for name, share in found.overdrawn.items()
        )
        lines.append(translate("Search", "No plan keeps all limits; this is the nearest. It misses {limits}.").format(
            limits=beyond))  # fmt: skip
        lines += [text(held) for held in found.held]
        if found.held:
            advice = translate(
                "Search",
                "Untick “{option}” to give them smaller formats all the same: the device builds those in FP16.",
            )
            lines.append(advice.format(option=translate("SearchForm", "Only what the device runs natively")))
    elif found.wishes is not None and found.wishes.budgets.given:
        lines.append(translate("Search", "All limits are kept."))
    if found.beyond is not None:
        lines.append(text(found.beyond))
    predicted = fmt.sqnr(found.predicted_db)
    if found.measured_db is not None:
        words = translate("Search", "Output SQNR: predicted {predicted}, measured {measured}.")
        lines.append(words.format(predicted=predicted, measured=fmt.sqnr(found.measured_db)))
    else:
        lines.append(translate("Search", "Output SQNR: predicted {predicted}.").format(predicted=predicted))
    wishes = found.wishes
    if wishes is not None and (wishes.operations is not None or wishes.goal == "operations"):
        giga = fmt.small_figure(found.costs.operations / 1e9, 3)
        lines.append(translate("Search", "Bit operations: {count} G.").format(count=giga))
    if found.accuracy is not None:
        lines.append(translate("Search", "Measured accuracy {share}.").format(share=fmt.accuracy(found.accuracy)))
    elif found.top1 is not None:
        lines.append(translate("Search", "{share} keep their best class.").format(share=fmt.percent(found.top1)))
    binding = tuple(name for name in found.binding if name not in found.overdrawn)
    if binding:
        lines.append(translate("Search", "What holds it back: {limits}.").format(limits=limit_names(binding)))
    if not session.searches.additive:
        lines.append(
            translate("Search", "Errors of this network don't add up: trust only plans that have been measured.")
        )
    return lines


def _beyond(name: str, share: float) -> str:
    """How far a limit is missed: noise in dB, all else as a share of it."""
    return fmt.sqnr(10 * log10(1 + share)) if name == "damage" else fmt.percent(share)


def rule_lines(session: Session, found: Found, most: int = 6) -> list[str]:
    """The plan in plain words."""
    rules = [text(rule.text) for rule in session.searches.rules(found.plan)]
    if len(rules) > most:
        rules = [*rules[: most - 1], translate("Search", "and {count} more").format(count=len(rules) - most + 1)]
    return rules
