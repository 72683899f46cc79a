"""What a sweep measures, and where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import inf, log10

import numpy as np

from engine.errors import PlanError
from engine.fusion.types import Kernel, Kind, Network
from engine.graph.types import Array
from engine.numerics import Evaluator
from engine.numerics.lowering import FLOATS
from engine.numerics.results import Evaluation, OutputError
from engine.text import Text, say

_TOKENS = 1000
"""Fewer classes than that are not a vocabulary."""


class Metric(StrEnum):
    """A figure for the damage that a plan does."""

    SQNR = "sqnr"
    """Signal to noise at the model's outputs, in dB."""
    LOGITS = "logits"
    """The same in front of the last softmax or sigmoid: there errors add up, and rank as they do behind it."""
    KL = "kl"
    """Mean KL divergence of the class distributions, in nats."""
    COSINE = "cosine"
    """1 - cosine similarity at the model's outputs."""
    TOP1 = "top1"
    """Share of rows whose best class changes: too coarse to rank single layers by, but what many care for."""
    OWN = "own"
    """How far a function of the user's own moves away from its value in full precision."""

    @property
    def higher_is_better(self) -> bool:
        """Whether a larger figure means less damage."""
        return self in (Metric.SQNR, Metric.LOGITS)

    @property
    def estimable(self) -> bool:
        """Whether it has a gradient; others can only be measured."""
        return self not in (Metric.TOP1, Metric.OWN)

    @property
    def unit(self) -> str:
        """As people read it; a share is read in per cent."""
        if self.higher_is_better:
            return "dB"
        return {Metric.KL: "nats", Metric.TOP1: "%"}.get(self, "")


METRIC_TITLES: Mapping[Metric, Text] = {
    Metric.SQNR: say("Output SQNR (dB)"),
    Metric.LOGITS: say("SQNR before the last softmax (dB)"),
    Metric.KL: say("KL divergence (nats)"),
    Metric.COSINE: say("Cosine distance"),
    Metric.TOP1: say("Changed best class"),
    Metric.OWN: say("Change of your own metric"),
}


@dataclass(frozen=True, slots=True)
class Point:
    """The tensors that a metric looks at."""

    metric: Metric
    tensors: tuple[str, ...]
    kernel: str = ""
    """For LOGITS: id of the kernel whose output that is."""


def default_metric(evaluator: Evaluator) -> Metric:
    """KL for logits over a vocabulary, in front of a last softmax where there is one, else SQNR at the outputs."""
    network, reading = evaluator.network, evaluator.reading
    if reading.primary is not None and not reading.probabilities:
        info = network.tensors.get(reading.primary)
        if info is not None and len(info.shape) == 3 and info.shape[-1] >= _TOKENS:
            return Metric.KL
    return Metric.SQNR if logits_of(network) is None else Metric.LOGITS


def point_of(evaluator: Evaluator, metric: Metric) -> Point:
    """Where a metric is measured.

    Raises:
        PlanError: If the model has no such figure.
    """
    network, reading = evaluator.network, evaluator.reading
    if metric is Metric.LOGITS:
        found = logits_of(network)
        if found is None:
            raise PlanError(
                say("The model doesn't end in a softmax or sigmoid of its own; choose output SQNR as the metric.")
            )
        kernel, tensor = found
        return Point(metric, (tensor,), kernel.id)
    if metric in (Metric.KL, Metric.TOP1):
        if reading.primary is None:
            raise PlanError(say("No output of the model holds classes; choose output SQNR as the metric."))
        return Point(metric, (reading.primary,))
    return Point(metric, reading.floats)


def logits_of(network: Network) -> tuple[Kernel, str] | None:
    """The tensor that goes into the softmax or sigmoid behind which an output comes, and the kernel that makes it."""
    producer = {name: kernel for kernel in network.kernels for name in kernel.outputs}
    floats = [info.name for info in network.graph.outputs if info.dtype.name in FLOATS]
    if len(floats) != 1:
        return None
    kernel = producer.get(floats[0])
    while kernel is not None and kernel.kind is Kind.MOVEMENT and len(kernel.inputs) == 1:
        kernel = producer.get(kernel.inputs[0])
    if kernel is None or len(kernel.inputs) != 1 or not _squashes(kernel):
        return None
    maker = producer.get(kernel.inputs[0])
    return None if maker is None or len(maker.outputs) != 1 else (maker, kernel.inputs[0])


def _squashes(kernel: Kernel) -> bool:
    operators = [node.op_type for node in kernel.nodes if node.op_type not in ("Reshape", "Transpose", "Identity")]
    return len(operators) == 1 and operators[0] in ("Softmax", "Sigmoid", "LogSoftmax")


def read(metric: Metric, point: Point, found: Evaluation) -> float:
    """The figure of an evaluated plan.

    Raises:
        PlanError: For a function of the user's own, which an evaluation doesn't ask.
    """
    output: OutputError = found.output
    if metric is Metric.LOGITS:
        return found.accumulated[point.kernel].sqnr_db
    if metric is Metric.KL:
        return inf if output.kl is None else output.kl
    if metric is Metric.COSINE:
        return 1 - output.cosine
    if metric is Metric.OWN:
        raise PlanError(
            say("A function of your own is asked by an exact sweep only; choose output SQNR as the metric.")
        )
    if metric is Metric.TOP1:
        return 1 - (output.top1_agreement or 0.0)
    return output.sqnr_db


def damage(metric: Metric, value: float) -> float:
    """A figure as something that adds up over kernels and grows with the error: noise over signal, or nats."""
    if metric.higher_is_better:
        return 0.0 if value == inf else float(10 ** (-value / 10)) if value != -inf else inf
    return value


def figure(metric: Metric, harm: float) -> float:
    """The inverse of `damage`."""
    if metric.higher_is_better:
        return inf if harm <= 0 else -inf if harm == inf else -10 * log10(harm)
    return harm


def in_decibels(harm: float) -> float:
    """10 log10 of a damage, for curves and averages; -inf for none."""
    return -inf if harm <= 0 else inf if harm == inf else 10 * log10(harm)


def power(array: Array) -> float:
    """Sum of squares of the finite elements, in float64."""
    values = np.asarray(array, np.float64).ravel()
    values = values[np.isfinite(values)]
    return float(values @ values)
