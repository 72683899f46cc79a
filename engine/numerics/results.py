"""What an evaluation gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, log10, nan, sqrt


@dataclass(frozen=True, slots=True)
class ErrorSums:
    """Sums over all elements of all samples, from which every quadratic figure follows."""

    noise: float
    """Sum of (quantized - reference)^2; inf if an element is not finite in the result alone."""
    reference_power: float
    result_power: float
    elements: int
    nonfinite: int = 0
    """Elements that are NaN or infinite in the result but not in the reference."""
    unmeasured: int = 0
    """Elements that are NaN or infinite in the reference, unless the result has the same infinity there (masks do)."""

    @property
    def measurable(self) -> bool:
        """Whether there is a reference to measure against: with NaN or Inf in it, or without elements, there is not."""
        return self.elements > 0 and not self.unmeasured

    @property
    def sqnr_db(self) -> float:
        """10 log10(reference power / noise); inf without noise, -inf with a silent reference or infinite noise.

        NaN where it is not measurable.
        """
        if not self.measurable:
            return nan
        if self.noise == 0:
            return inf
        ratio = self.reference_power / self.noise
        return 10 * log10(ratio) if ratio > 0 else -inf

    @property
    def cosine(self) -> float:
        """Cosine similarity; 1 if both are silent, 0 if only one is or the noise is infinite; NaN if not measurable."""
        if not self.measurable:
            return nan
        if self.noise == inf:
            return 0.0
        if self.reference_power == 0 or self.result_power == 0:
            return float(self.reference_power == self.result_power)
        dot = (self.reference_power + self.result_power - self.noise) / 2
        return max(-1.0, min(1.0, dot / (sqrt(self.reference_power) * sqrt(self.result_power))))

    @property
    def mse(self) -> float:
        """Mean squared error; NaN if not measurable."""
        return self.noise / self.elements if self.measurable else nan

    @property
    def relative_l2(self) -> float:
        """||quantized - reference|| / ||reference||; NaN if not measurable."""
        if not self.measurable:
            return nan
        return (
            sqrt(self.noise / self.reference_power) if self.reference_power > 0 else (0.0 if self.noise == 0 else inf)
        )


@dataclass(frozen=True, slots=True)
class OutputError:
    """Error at the model's outputs; None where a figure has no meaning for this model."""

    sums: ErrorSums
    """Of the float outputs, each scaled to unit power first when there are several."""
    max_abs: float
    kl: float | None
    """Mean KL divergence reference -> quantized in nats, where the last axis is a distribution or logits."""
    top1_agreement: float | None
    """Rows (samples or positions) whose best class is the reference's best."""
    top5_agreement: float | None
    """Rows where the reference's best class is among the result's five best."""
    accuracy: float | None
    """With labels: of the quantized network."""
    reference_accuracy: float | None
    top5_accuracy: float | None = None
    """With labels: rows where the true class is among the five best of the quantized network."""
    reference_top5_accuracy: float | None = None
    perplexity: float | None = None
    """Of a language model: exp of the mean negative log-likelihood of each next token, of the quantized network. Next
    tokens are the labels, or without labels the tokens of the input itself."""
    reference_perplexity: float | None = None
    each: tuple[tuple[str, ErrorSums], ...] = ()
    """Of every measured output by name, unscaled."""

    @property
    def sqnr_db(self) -> float:
        """SQNR in dB."""
        return self.sums.sqnr_db

    @property
    def cosine(self) -> float:
        """Cosine similarity."""
        return self.sums.cosine

    @property
    def mse(self) -> float:
        """Mean squared error of all values of all measured outputs, unscaled; NaN if not measurable."""
        if len(self.each) < 2:
            return self.sums.mse
        return sum(sums.mse * sums.elements for _, sums in self.each) / sum(sums.elements for _, sums in self.each)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A plan, run on samples."""

    output: OutputError
    accumulated: Mapping[str, ErrorSums]
    """By kernel id; kernels without a float output are absent."""
    synthetic: bool
    samples: int
    seconds: float
    remaining: int = 0
    """Samples that are still to be run: until then the figures are preliminary."""
