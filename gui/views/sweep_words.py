"""Sweeps in words: metrics, questions, how far they are. Shared by the map and the ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from engine.session.state import SensitivityCell
from gui import format as fmt
from gui.i18n import text
from gui.views.sensitivity_data import DECIBELS, Metric, Question

if TYPE_CHECKING:
    from engine.session import Session

translate = QCoreApplication.translate


def metric_word(metric: Metric) -> str:
    """Short name for a button or a column."""
    return {
        "sqnr": "SQNR",
        "logits": translate("Sweeps", "Logits SQNR"),
        "kl": "KL",
        "cosine": translate("Sweeps", "Cosine"),
        "top1": translate("Sweeps", "Top-1"),
        "own": translate("Sweeps", "Own metric"),
    }[metric]


def metric_sentence(metric: Metric) -> str:
    """What a metric is, for menus and tooltips."""
    return {
        "sqnr": translate("Sweeps", "SQNR at the outputs, dB"),
        "logits": translate("Sweeps", "SQNR before the last softmax or sigmoid, dB"),
        "kl": translate("Sweeps", "KL divergence at the output, ×10⁻³ nats"),
        "cosine": translate("Sweeps", "Cosine distance at the outputs, ×10⁻³"),
        "top1": translate("Sweeps", "Best class changed, % of rows"),
        "own": translate("Sweeps", "How far your own metric moves from its value at FP32"),
    }[metric]


def metric_unit(metric: Metric) -> str:
    """Metric and unit as a column title: "KL ×10⁻³"."""
    unit = {"sqnr": " dB", "logits": " dB", "kl": " ×10⁻³", "cosine": " ×10⁻³", "top1": " %", "own": ""}[metric]
    return metric_word(metric) + unit


def figure(value: float | None, metric: Metric) -> str:
    """A figure without its unit, as a column shows it."""
    if value is None:
        return fmt.MISSING
    if metric in DECIBELS:
        return fmt.sqnr_figure(value)
    if metric == "own":
        return fmt.small_figure(value, 4)
    return fmt.percent_figure(value) if metric == "top1" else fmt.milli_figure(value)


def figure_with_unit(value: float | None, metric: Metric) -> str:
    """A figure with its unit, as a card shows it."""
    if metric in DECIBELS:
        return fmt.sqnr(value)
    if metric == "own":
        return fmt.small_figure(value, 4)
    return fmt.percent(value) if metric == "top1" else fmt.scientific(value)


def cell_figure(cell: SensitivityCell, metric: Metric) -> str:
    """The figure of a cell, "≈" before an estimate."""
    return ("" if cell.kind == "exact" else "≈") + figure(cell.figure(metric), metric)


def question_word(question: Question) -> str:
    """Label of a question."""
    return {
        "estimated": translate("Sweeps", "estimated"),
        "one-in": translate("Sweeps", "one in"),
        "one-out": translate("Sweeps", "one out"),
    }[question]


def question_sentence(question: Question) -> str:
    """What is asked, and how the questions differ."""
    return {
        "estimated": translate(
            "Sweeps",
            "Estimated from a few backward passes: what the output loses when only this kernel takes the scheme",
        ),
        "one-in": translate("Sweeps", "Measured: what the output loses when only this kernel takes the scheme"),
        "one-out": translate("Sweeps", "Measured: what the output wins when only this kernel is restored, dB"),
    }[question]


def difference_sentence() -> str:
    """Why one in and one out rank kernels differently."""
    return translate(
        "Sweeps",
        "One in asks how much a kernel hurts alone, one out how much is won by restoring it alone while all others "
        "stay quantized. Errors hide and feed each other, so the two rank kernels differently: plan by one in, look "
        "for the last decibel by one out.",
    )


def state_words(session: Session) -> str:
    """How far the sweeps are: "estimated", "measured 212 of 371 · 0:07 left"."""
    sweeps = session.sweeps
    words = []
    if sweeps.estimating:
        words.append(translate("Sweeps", "estimating"))
    elif not sweeps.running and session.sensitivity and _all_exact(session):
        words.append(translate("Sweeps", "all cells measured"))
    elif sweeps.estimates is not None and not sweeps.running:
        words.append(translate("Sweeps", "estimated in {time}").format(time=fmt.job_time(sweeps.estimates.seconds)))
        if not sweeps.estimates.unit_vectors:
            words.append(translate("Sweeps", "%n probe(s) a sample", "", sweeps.estimates.probes))
    if sweeps.running:
        words.append(translate("Sweeps", "measured {done} of {all}").format(done=sweeps.done, all=sweeps.total))
        if sweeps.paused:
            words.append(translate("Sweeps", "paused"))
        elif sweeps.seconds_left is not None:
            words.append(translate("Sweeps", "{time} left").format(time=fmt.time_left(sweeps.seconds_left)))
    return " · ".join(words)


def _all_exact(session: Session) -> bool:
    return all(cell.kind == "exact" for cell in session.sensitivity.values())


def no_estimate_words(session: Session, kernel: str) -> str:
    """Why a kernel has no estimate; '' if it has one or none has been made."""
    table = session.sweeps.estimates
    reason = None if table is None else table.blocked.get(kernel)
    return "" if reason is None else text(reason)
