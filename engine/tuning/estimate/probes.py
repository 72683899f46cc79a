"""Probes: what is sent backwards from the measured tensors.

A probe v with covariance C makes <J^T v, dY>^2 an estimate of dz^T C dz for the change dz = J dY of what is measured.
C = 1 is noise energy. C = diag(p) - p p^T is twice the KL divergence between softmax(z) and softmax(z + dz), to second
order: v = sqrt(p) e - p (sqrt(p) . e) with e ~ N(0, 1) (the Fisher probe).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

import numpy as np

from engine.errors import DataError, PlanError
from engine.graph.types import Array
from engine.numerics import Evaluator
from engine.numerics.lowering import FLOATS
from engine.text import say
from engine.tuning.metrics import Metric, Point, power

UNIT_LIMIT = 16
"""Up to that many measured elements per sample, unit vectors are sent instead of random ones: exact to first order."""


@dataclass(frozen=True, eq=False, slots=True)
class Target:
    """What is measured, and how an estimate turns into the metric's damage."""

    point: Point
    factors: Mapping[str, float]
    """What probes of each tensor are multiplied by, so that several outputs count alike."""
    scale: float
    """Damage = scale x sum over samples of the estimate."""
    units: int
    """Measured elements per sample if they are few enough for unit vectors, else 0."""
    probabilities: bool = False
    """For KL: whether the tensor holds probabilities already."""


def target_of(evaluator: Evaluator, metric: Metric, point: Point) -> Target:
    """Work out scales from the reference.

    Raises:
        PlanError: If nothing that is measured has a gradient.
        DataError: If nothing of it is a finite number in the reference.
    """
    if metric is Metric.OWN:
        raise PlanError(say("A function of your own has no gradient and can't be estimated; sweep exactly."))
    if metric is Metric.TOP1:
        raise PlanError(say("A changed best class can't be estimated; sweep exactly, or choose KL as the metric."))
    tensors = [name for name in point.tensors if _is_float(evaluator, name)]
    if not tensors:
        raise PlanError(
            say("The model's outputs are integers, which have no gradient; only an exact sweep can be made.")
        )
    count = len(evaluator.samples)
    if not any(np.isfinite(_values(evaluator, sample, name)).any() for name in tensors for sample in range(count)):
        raise DataError(
            say(
                "All values of {outputs} are NaN or Inf in full precision, so that no error can be measured there; "
                "check the model and the preprocessing.",
                outputs=", ".join(tensors),
            )
        )
    elements = sum(evaluator.network.tensors[name].elements for name in tensors)
    units = elements if elements <= UNIT_LIMIT else 0
    if metric is Metric.KL:
        rows = count * evaluator.network.tensors[tensors[0]].elements
        rows //= max(1, evaluator.network.tensors[tensors[0]].shape[-1])
        return Target(point, dict.fromkeys(tensors, 1.0), 0.5 / rows, units, evaluator.reading.probabilities)
    powers = {name: sum(power(_values(evaluator, sample, name)) for sample in range(count)) for name in tensors}
    factors = {name: 1 / sqrt(found) if found > 0 else 0.0 for name, found in powers.items()}
    fixed = sum(_is_fixed(evaluator, name) for name in point.tensors)
    scale = 1 / max(1, sum(found > 0 for found in powers.values()) + fixed)
    if metric is Metric.COSINE:
        scale /= 2  # 1 - cos = |d|^2 / (2 |y|^2) for an error at right angles
    return Target(point, factors, scale, units)


def probe(evaluator: Evaluator, target: Target, sample: int, number: int, seed: int, unit: bool) -> dict[str, Array]:
    """A probe for every measured tensor, float32 in its shape.

    Args:
        evaluator: Holds the reference.
        target: What is measured.
        sample: Which sample.
        number: Which probe of it: with unit vectors, the element that is 1.
        seed: Of all probes together.
        unit: Unit vectors instead of random numbers.
    """
    names = list(target.factors)
    rng = np.random.default_rng([seed, sample, number])
    made: dict[str, Array] = {}
    before = 0
    e: Array
    for name in names:
        reference = _values(evaluator, sample, name)
        if unit:
            e = np.zeros(reference.shape, np.float32)
            if before <= number < before + e.size:
                e.reshape(-1)[number - before] = 1
            before += e.size
        else:
            e = np.asarray(rng.standard_normal(reference.shape, np.float32))
        if target.point.metric is Metric.KL:
            made[name] = _fisher(e, reference, target.probabilities)
        else:
            e *= np.float32(target.factors[name])
            e[~np.isfinite(reference)] = 0
            made[name] = e
    return made


def _fisher(e: Array, reference: Array, probabilities: bool) -> Array:
    """The Fisher probe along the last axis; behind a softmax it is e / sqrt(p), which the softmax turns into it."""
    values = reference.astype(np.float32)
    if probabilities:
        return np.asarray(e / np.sqrt(np.maximum(values, np.finfo(np.float32).tiny)))
    p: Array = np.exp(values - values.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    root = np.sqrt(p)
    e *= root
    return np.asarray(e - p * e.sum(axis=-1, keepdims=True))


def _values(evaluator: Evaluator, sample: int, name: str) -> Array:
    return evaluator.reference(sample)[name].numpy(evaluator.network.tensors[name])


def _is_fixed(evaluator: Evaluator, name: str) -> bool:
    """Whether an output that no kernel makes counts among those that are measured: in the mean of several it does."""
    if any(name in kernel.outputs for kernel in evaluator.network.kernels):
        return False
    constant = evaluator.network.graph.constants.get(name)
    if constant is not None:
        return power(constant) > 0
    samples = range(len(evaluator.samples))
    return any(name in evaluator.reference(at) and power(_values(evaluator, at, name)) > 0 for at in samples)


def _is_float(evaluator: Evaluator, name: str) -> bool:
    info = evaluator.network.tensors.get(name)
    produced = any(name in kernel.outputs for kernel in evaluator.network.kernels)
    return produced and info is not None and info.dtype.name in FLOATS
