"""The explaining line under each figure of the Summary, and the long form for its tooltip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from engine.npu.results import Simulation, Sustained
from engine.numerics.results import Evaluation
from engine.precision.scheme import label
from engine.session.state import Figures
from gui import format as form
from gui.views.layers_rows import Support, shown_evaluation
from gui.views.words import energy_word

if TYPE_CHECKING:
    from engine.session import Session

translate = QCoreApplication.translate

LEAST_SHARE = 0.01
"""Below this share of a run the invocation is not worth a word."""


def explain(session: Session, key: str, support: Support | None = None) -> list[str]:
    """Parts of the note of one card: what the figure is made of; `support` remembers what the device says."""
    now = session.figures
    if key == "sqnr":
        return [*_so_far(shown_evaluation(session)), *_own_figure(session), *_error_parts(shown_evaluation(session))]
    if key == "size":
        return _family_parts(now)
    if key == "skin":
        return _skin_parts(session, now.sustained)
    if now.simulation is None:
        return []
    if key == "latency":
        return [*_not_native(session, support or Support(session)), *_latency_parts(now.simulation)]
    if key == "energy":
        return _energy_parts(now.simulation)
    return _peak_parts(session, now.simulation)


def _so_far(evaluation: Evaluation | None) -> list[str]:
    """From how many samples the figure comes, while others still run."""
    if evaluation is None or not evaluation.remaining:
        return []
    return [
        translate("Summary", "{0} of {1} samples so far").format(
            evaluation.samples, evaluation.samples + evaluation.remaining
        )
    ]


def _own_figure(session: Session) -> list[str]:
    """The figure of the user's own metric, against that of the reference."""
    own = session.own_metric
    if own.metric is None:
        return []
    if own.figure is None:
        return [translate("Summary", "{0} failed").format(own.metric.function)] if own.problem is not None else []
    value, reference = (form.small_figure(v, 4) for v in (own.figure.value, own.figure.reference))
    return [translate("Summary", "{0} {1} (FP32 {2})").format(own.metric.function, value, reference)]


def _error_parts(evaluation: Evaluation | None) -> list[str]:
    if evaluation is None:
        return []
    output = evaluation.output
    if not output.sums.measurable:
        return [translate("Summary", "the reference holds NaN or infinity")]
    if output.perplexity is not None and output.reference_perplexity is not None and not evaluation.synthetic:
        values = (form.small_figure(v, 2) for v in (output.perplexity, output.reference_perplexity))
        return [translate("Summary", "perplexity {0} (FP32 {1})").format(*values)]
    if output.accuracy is not None:
        return [translate("Summary", "accuracy {0}").format(form.accuracy(output.accuracy))]
    if output.top1_agreement is not None:
        return [translate("Summary", "top-1 {0}").format(form.accuracy(output.top1_agreement))]
    return [translate("Summary", "cosine {0}").format(form.cosine(output.cosine))]


def _not_native(session: Session, support: Support) -> list[str]:
    """How many kernels of a format the device does not run as planned: its converter builds them in FP16."""
    counts: dict[str, int] = {}
    for kernel in session.network.tunable if session.network is not None else ():
        scheme = session.plan.scheme(kernel.id)
        if (scheme.brain or not scheme.weights.floating) and support.why_not(kernel.id, scheme) is not None:
            counts[label(scheme)] = counts.get(label(scheme), 0) + 1
    return [
        translate("Summary", "{0} of %n kernel(s) runs as FP16 here", "", count).format(name)
        for name, count in counts.items()
    ]


def _latency_parts(simulation: Simulation) -> list[str]:
    total = simulation.latency_us or 1.0
    cpu = sum(c.latency_us for c in simulation.kernels if c.unit == "CPU")
    parts = []
    if simulation.invocation_us >= LEAST_SHARE * total:
        parts.append(translate("Summary", "{0} invocation").format(form.percent(simulation.invocation_us / total)))
    parts.append(translate("Summary", "{0} launch").format(form.percent(simulation.launch_us / total)))
    if cpu:
        parts.append(translate("Summary", "{0} CPU").format(form.percent(cpu / total)))
    return parts


def _energy_parts(simulation: Simulation) -> list[str]:
    total = sum(simulation.energy_parts.values()) or 1.0
    largest = sorted(simulation.energy_parts.items(), key=lambda item: -item[1])[:2]
    return [f"{energy_word(name)} {form.percent(value / total)}" for name, value in largest if value > 0]


def _peak_parts(session: Session, simulation: Simulation) -> list[str]:
    if session.network is None or not 0 <= simulation.memory.peak_kernel < len(session.network.kernels):
        return []
    return [translate("Summary", "at {0}").format(session.network.kernels[simulation.memory.peak_kernel].name)]


def _family_parts(figures: Figures) -> list[str]:
    if figures.size is None or not figures.size.total:
        return []
    shares = sorted(figures.size.by_family.items(), key=lambda item: -item[1])[:2]
    words = {"other": translate("Summary", "other")}
    return [f"{words.get(name, name)} {_part(count / figures.size.total)}" for name, count in shares if count]


def _part(share: float) -> str:
    """A share of which something is left is never shown as all of it."""
    if share < 1 and form.percent_figure(share) == "100":
        return form.accuracy(min(share, 0.999))
    return form.percent(share)


def _skin_parts(session: Session, sustained: Sustained | None) -> list[str]:
    if sustained is None:
        return []
    parts = [translate("Summary", "{0} min").format(form.fixed(sustained.scenario.minutes, 0))]
    if sustained.throttled_at_s is not None:
        parts.append(translate("Summary", "throttles at {0}").format(form.clock_time(sustained.throttled_at_s)))
    else:
        parts.append(translate("Summary", "no throttling"))
    return parts


def error_lines(session: Session, evaluation: Evaluation) -> list[str]:
    """Every figure that is known of the output error, one line each."""
    output = evaluation.output
    base = session.baseline.evaluation if session.baseline else None
    lines = [f"{translate('Summary', 'cosine similarity')}: {form.cosine(output.cosine)}"]
    if base is not None:
        lines[0] += f" ({translate('Summary', 'all FP16')} {form.cosine(base.output.cosine)})"
    for name, share in (
        (translate("Summary", "top-1 agreement"), output.top1_agreement),
        (translate("Summary", "top-5 agreement"), output.top5_agreement),
        (translate("Summary", "accuracy"), output.accuracy),
        (translate("Summary", "accuracy of the reference"), output.reference_accuracy),
    ):
        if share is not None:
            lines.append(f"{name}: {form.accuracy(share)}")
    if output.kl is not None:
        lines.append(f"KL: {form.scientific(output.kl)}")
    lines.append(f"MSE: {form.scientific(output.mse)}")
    lines += _so_far(evaluation) or [translate("Summary", "%n sample(s)", "", evaluation.samples)]
    return lines
