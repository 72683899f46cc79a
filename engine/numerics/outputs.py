"""Error at the model's outputs, one sample at a time, in float64."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf, isfinite, isnan, nan, prod
from typing import Any, NamedTuple

import numpy as np

from engine.errors import DataError
from engine.fusion.types import Kind, Network
from engine.graph.types import Array
from engine.numerics.lowering import FLOATS
from engine.numerics.results import OutputError
from engine.numerics.sums import PIECE, Sums, error_sums, power_sums
from engine.text import say

_TOP = 5
_EXACT = 1 << 20
"""Elements up to which class figures are computed in float64; beyond, float32 with sums of positive terms does."""
_VOCABULARY = 1000
"""Fewer classes than that are not tokens."""
_THROUGH = (Kind.MOVEMENT, Kind.POOL)
_DECIDING = (Kind.GEMM, Kind.MATMUL, Kind.SOFTMAX, Kind.CONV)


@dataclass(frozen=True, slots=True)
class Reading:
    """How a model's outputs are read."""

    floats: tuple[str, ...]
    """Outputs whose error is measured: the float ones; the numeric ones if there is none."""
    primary: str | None
    """The output whose last axis holds a score or a probability per class."""
    probabilities: bool
    """Whether those are probabilities already."""
    label_rows: int
    """Labels per sample; 0 without labels."""
    vocabulary: bool = False
    """Whether the classes are tokens: rows are positions of a text, and its perplexity can be told."""
    tokens: str = ""
    """Without labels: the input whose next token each row foretells; '' if that is not known."""


class OutputSums(NamedTuple):
    """Parts of OutputError that can be added up over samples."""

    sums: tuple[Sums, ...]
    max_abs: float
    kl: float = 0.0
    top1: int = 0
    top5: int = 0
    rows: int = 0
    correct: int = 0
    reference_correct: int = 0
    labelled: int = 0
    correct5: int = 0
    reference_correct5: int = 0
    surprise: float = 0.0
    """Negative log-likelihood of the labels, in nats, of the quantized network."""
    reference_surprise: float = 0.0


def read_outputs(network: Network, outputs: Mapping[str, Array], labels: Array | None) -> Reading:
    """Decide what the outputs mean, from the reference's values for one sample.

    The last axis of an output is taken for classes if its rows are distributions, or if a Gemm, MatMul or 1x1
    convolution made it (reshapes and pooling in between), or if labels are given.

    Args:
        network: The network.
        outputs: Reference outputs of one sample.
        labels: [samples] or [samples, positions].

    Raises:
        DataError: If there are labels and no output has a row for each, or one of them is no class of it.
    """
    names = [info.name for info in network.graph.outputs]
    floats = [name for name in names if outputs[name].dtype.name in FLOATS and outputs[name].size]
    measured = floats or [name for name in names if outputs[name].dtype.kind in "biuf" and outputs[name].size]
    wanted = 0 if labels is None else int(np.prod(labels.shape[1:], dtype=np.int64))
    for name in floats:
        values = _rows(outputs[name])
        if values.ndim < 1 or values.shape[-1] < 2:
            continue
        rows = values.size // values.shape[-1]
        probabilities = _distributions(values)
        if labels is not None and wanted and rows == wanted:
            _check_labels(labels, name, values.shape[-1])
            return Reading(tuple(measured), name, probabilities, wanted, _is_vocabulary(values))
        if not wanted and values.ndim <= 3 and (probabilities or _made_by(network, name) in _DECIDING):
            tokens = _tokens_of(network, values)
            return Reading(tuple(measured), name, probabilities, 0, _is_vocabulary(values), tokens)
    if wanted:
        raise DataError(
            say(
                "There are {count} labels for each sample, but no output with that many rows of classes; "
                "give one label for each row of an output.",
                count=wanted,
            )
        )
    return Reading(tuple(measured), None, False, 0)


def _check_labels(labels: Array, name: str, classes: int) -> None:
    if int(labels.max(initial=0)) >= classes:
        raise DataError(
            say(
                "Label {label} is no class of output {name}, which counts them from 0 to {last}; correct the labels "
                "(-1 where there is none).",
                label=str(labels.max()),
                name=name,
                last=str(classes - 1),
            )
        )


def compare_outputs(
    reading: Reading,
    results: Mapping[str, Array],
    references: Mapping[str, Array],
    labels: Array | None,
    known: Mapping[str, Sums] | None = None,
) -> OutputSums:
    """Errors of one sample.

    Args:
        reading: What the outputs mean.
        results: Quantized outputs.
        references: Reference outputs.
        labels: Labels of this sample, any shape with `reading.label_rows` elements; -1 where there is none.
        known: Sums of outputs that have been measured already.
    """
    base = _measured(reading, results, references, known)
    if not _has_classes(reading, results, references):
        return base
    result, reference = _class_rows(reading, results), _class_rows(reading, references)
    (made,) = _classes([base], reading, result, reference, [labels])
    return made


def compare_samples(
    reading: Reading,
    results: Sequence[Mapping[str, Array]],
    references: Sequence[Mapping[str, Array]],
    labels: Sequence[Array | None],
    known: Sequence[Mapping[str, Sums]],
) -> list[OutputSums]:
    """`compare_outputs` of several samples, to the same bits. Classes of small outputs are compared in few calls."""
    groups: list[list[int]] = []
    shape = None
    for at, (result, reference) in enumerate(zip(results, references, strict=True)):
        has = _has_classes(reading, result, reference)
        now = (reference[reading.primary].shape, labels[at] is None) if has and reading.primary is not None else None
        size = 0 if now is None else prod(now[0])
        if not groups or now is None or now != shape or size * (len(groups[-1]) + 1) > PIECE:
            groups.append([])
        groups[-1].append(at)
        shape = now
    made: list[OutputSums] = []
    for group in groups:
        if len(group) == 1:
            (at,) = group
            made.append(compare_outputs(reading, results[at], references[at], labels[at], known[at]))
            continue
        bases = [_measured(reading, results[at], references[at], known[at]) for at in group]
        rows = [np.concatenate([_class_rows(reading, of[at]) for at in group]) for of in (results, references)]
        made += _classes(bases, reading, rows[0], rows[1], [labels[at] for at in group])
    return made


def _measured(
    reading: Reading,
    results: Mapping[str, Array],
    references: Mapping[str, Array],
    known: Mapping[str, Sums] | None,
) -> OutputSums:
    """What needs no classes."""
    scratch = np.empty(PIECE, np.float32)
    sums, max_abs = [], 0.0
    for name in reading.floats:
        result, reference = results[name], references[name]
        if known and name in known:
            sums.append(known[name])
            max_abs = max(max_abs, _max_abs(result, reference, scratch))
            continue
        if result.dtype.name not in FLOATS:
            result, reference = result.astype(np.float64), reference.astype(np.float64)
        sums.append(error_sums(result, reference, power_sums(reference), scratch))
        max_abs = max(max_abs, _max_abs(result, reference, scratch))
    return OutputSums(tuple(sums), max_abs)


def _has_classes(reading: Reading, results: Mapping[str, Array], references: Mapping[str, Array]) -> bool:
    """Whether a sample has rows that can be compared: detectors may find nothing in it, or something else."""
    if reading.primary is None:
        return False
    result, reference = results[reading.primary], references[reading.primary]
    return result.shape == reference.shape and reference.size > 0


def _class_rows(reading: Reading, values: Mapping[str, Array]) -> Array:
    """The output with classes as [rows, classes]."""
    assert reading.primary is not None
    rows = _rows(values[reading.primary])
    return rows.reshape(-1, rows.shape[-1])


def total(parts: Sequence[OutputSums], reading: Reading) -> OutputError:
    """All samples together. Several outputs are scaled to unit power of their reference and added up."""
    per_output = [Sums()] * len(reading.floats)
    for part in parts:
        per_output = [before.plus(now) for before, now in zip(per_output, part.sums, strict=True)]
    if len(per_output) == 1:
        sums = per_output[0]
    else:
        sums = Sums()
        for each in per_output:
            scale = 1 / each.reference if each.reference > 0 else 1.0
            sums = sums.plus(each._replace(noise=each.noise * scale, reference=each.reference * scale,
                                           result=each.result * scale))  # fmt: skip
    rows = sum(part.rows for part in parts)
    labelled = sum(part.labelled for part in parts)
    # Of rows with NaN nobody can say which class is best.
    classes = 0 if reading.primary is None or any(each.unmeasured for each in per_output) else rows
    told = labelled if classes and reading.vocabulary else 0
    labelled = labelled if classes and reading.label_rows else 0
    return OutputError(
        sums=sums.as_result(),
        max_abs=max((part.max_abs for part in parts), default=0.0),
        kl=sum(part.kl for part in parts) / rows if classes else None,
        top1_agreement=sum(part.top1 for part in parts) / rows if classes else None,
        top5_agreement=sum(part.top5 for part in parts) / rows if classes else None,
        accuracy=sum(part.correct for part in parts) / labelled if labelled else None,
        reference_accuracy=sum(part.reference_correct for part in parts) / labelled if labelled else None,
        top5_accuracy=sum(part.correct5 for part in parts) / labelled if labelled else None,
        reference_top5_accuracy=sum(part.reference_correct5 for part in parts) / labelled if labelled else None,
        perplexity=_perplexity(sum(part.surprise for part in parts), told),
        reference_perplexity=_perplexity(sum(part.reference_surprise for part in parts), told),
        each=tuple((name, found.as_result()) for name, found in zip(reading.floats, per_output, strict=True)),
    )


def _classes(
    bases: Sequence[OutputSums], reading: Reading, result: Array, reference: Array, labels: Sequence[Array | None]
) -> list[OutputSums]:
    """Add what classes tell, for samples whose rows lie one behind the other; of several all are looked at at once.

    Args:
        bases: Per sample: what is known already.
        reading: What the outputs mean.
        result: [samples x rows, classes].
        reference: The same.
        labels: Per sample; all None, or none.
    """
    count, (every, classes) = len(bases), reference.shape
    true = None
    if labels[0] is not None and (reading.label_rows or reading.tokens):
        true = np.concatenate([np.asarray(each).reshape(-1) for each in labels])
    step = every if count > 1 else max(1, PIECE // classes)
    exact: np.dtype[Any] = np.dtype(np.float64 if reference.size <= _EXACT * count else np.float32)
    made = list(bases)
    for start in range(0, every, step):
        rows = slice(start, start + step)
        new, old = result[rows].astype(exact, copy=False), reference[rows].astype(exact, copy=False)
        found = _by_row(reading, new, old, None if true is None else true[rows])
        each = len(new) // count
        made = [now._replace(**found.summed(now, slice(at * each, (at + 1) * each))) for at, now in enumerate(made)]
    return made


class _ByRow(NamedTuple):
    """Figures of each row; of rows without a label 0 and False."""

    kl: Array
    top1: Array
    top5: Array
    labelled: Array
    correct: Array
    reference_correct: Array
    correct5: Array
    reference_correct5: Array
    surprise: Array
    reference_surprise: Array

    def summed(self, before: OutputSums, rows: slice) -> dict[str, Any]:
        """Fields of `before` with some rows added."""
        added: dict[str, Any] = {"rows": before.rows + len(self.kl[rows])}
        for name, values in zip(self._fields, self, strict=True):
            here = values[rows]
            more = int(np.count_nonzero(here)) if here.dtype == np.bool_ else float(here.sum())
            added[name] = getattr(before, name) + more
        return added


def _by_row(reading: Reading, new: Array, old: Array, true: Array | None) -> _ByRow:
    count, classes = new.shape
    first, best = old.argmax(axis=1), _best(new)
    found = _divergence(old, new, reading.probabilities)
    nothing, never = np.zeros(count), np.zeros(count, bool)
    top5 = _within(new, first, best)
    made = _ByRow(found.kl, first == best, top5, never, never, never, never, never, nothing, nothing)
    if true is None:
        return made
    labelled = true >= 0
    surprise, reference_surprise = nothing, nothing
    if reading.vocabulary:
        known = np.flatnonzero(labelled & (true < classes))
        wanted = true[known]
        surprise, reference_surprise = np.zeros(count), np.zeros(count)
        surprise[known], reference_surprise[known] = _surprise(
            found, known, new[known, wanted], old[known, wanted], reading.probabilities
        )
    return made._replace(
        labelled=labelled,
        correct=(best == true) & labelled,
        reference_correct=(first == true) & labelled,
        correct5=_within(new, true, best),
        reference_correct5=_within(old, true, first),
        surprise=surprise,
        reference_surprise=reference_surprise,
    )


def _best(values: Array) -> Array:
    """The best class of each row; -1 for a row with NaN, which has none."""
    found: Array = values.argmax(axis=1)  # NaN's place, if there is one
    found[np.isnan(np.take_along_axis(values, found[:, None], axis=1)[:, 0])] = -1
    return found


def _within(values: Array, wanted: Array, best: Array) -> Array:
    """Of which rows the wanted class is among the five best; of equals the first is the better, as in `_best`.

    Args:
        values: [rows, classes].
        wanted: Classes [rows]; others than that have none, and are not counted.
        best: The best classes [rows], so that where that is the wanted one nothing has to be looked at.

    Returns:
        bool [rows].
    """
    classes = values.shape[1]
    most = min(_TOP, classes)
    found: Array = (best == wanted) & (wanted >= 0)
    rows = np.flatnonzero((best != wanted) & (wanted >= 0) & (wanted < classes))
    if not rows.size:
        return found
    mine = values[rows, wanted[rows], None]
    some = values if rows.size == len(values) else values[rows]
    above = (some > mine).sum(axis=1)
    near = np.flatnonzero((above < most) & ~np.isnan(mine[:, 0]))
    before = np.arange(classes) < wanted[rows[near], None]
    tied = ((some[near] == mine[near]) & before).sum(axis=1)
    found[rows[near]] = above[near] + tied < most
    return found


def _surprise(found: _Divergence, known: Array, mine: Array, theirs: Array, probabilities: bool) -> tuple[Array, Array]:
    """Negative log-likelihood of each label under the quantized network and under the reference."""
    if probabilities:
        tiny = np.finfo(np.float32).tiny
        return -np.log(np.maximum(mine, tiny)), -np.log(np.maximum(theirs, tiny))
    with np.errstate(invalid="ignore"):
        return found.result_log[known] - mine, found.reference_log[known] - theirs


def _perplexity(surprise: float, rows: int) -> float | None:
    if not rows:
        return None
    mean = surprise / rows
    return exp(mean) if mean < 700 else inf if mean == mean else nan


def _is_vocabulary(values: Array) -> bool:
    return values.ndim == 3 and values.shape[-1] >= _VOCABULARY


def _tokens_of(network: Network, values: Array) -> str:
    """The integer input [batch, positions] that a language model's rows [batch, positions, vocabulary] belong to."""
    if not _is_vocabulary(values):
        return ""
    names = [
        info.name
        for info in network.graph.inputs
        if info.dtype.kind in "iu" and info.shape == values.shape[:2] and "mask" not in info.name.lower()
    ]
    likely = [name for name in names if "position" not in name.lower() and "type" not in name.lower()]
    return likely[0] if len(likely) == 1 and values.shape[1] > 1 else ""


def next_tokens(ids: Array) -> Array:
    """What each position of [batch, positions] should foretell: the token behind it; -1 at the end."""
    found = np.full(ids.shape, -1, np.int64)
    found[..., :-1] = ids[..., 1:]
    return found


class _Divergence(NamedTuple):
    """Per row, float64."""

    kl: Array
    reference_log: Array
    """log sum exp of the reference's logits; 0 for probabilities."""
    result_log: Array


def _divergence(reference: Array, result: Array, probabilities: bool) -> _Divergence:
    """KL divergence reference -> result per row of [rows, classes], in nats; infinite where a row has NaN."""
    log = shifted = np.zeros(len(reference))
    if probabilities:
        tiny = np.finfo(np.float32).tiny
        p, q = np.maximum(reference, tiny).astype(np.float64), np.maximum(result, tiny).astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):  # an infinity is no probability
            p, q = p / p.sum(axis=1, keepdims=True), q / q.sum(axis=1, keepdims=True)
            found: Array = (p * np.log(p / q)).sum(axis=1)
    else:
        # log sum p e^d - sum p d, with d the logits' difference. Taking d's mean off first makes it
        # log(1 + sum p (e^d - 1 - d)): a sum of positive terms, in which nothing cancels, however small d is.
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            most = reference.max(axis=1, keepdims=True)
            p = reference - most
            np.exp(p, out=p)
            total = p.sum(axis=1, keepdims=True)
            p /= total
            log = (most + np.log(total))[:, 0].astype(np.float64)
            difference = result - reference
            if not np.isfinite(difference).all():
                difference = np.where(np.isneginf(reference), 0, difference)
            mean = np.vecdot(p, difference)
            difference -= mean[:, None]
            excess = np.expm1(difference)
            excess -= difference
            found = np.log1p(np.vecdot(p, excess).astype(np.float64))
            beyond = np.flatnonzero(~np.isfinite(found))  # e^d left the format
            if beyond.size:
                wide = result[beyond].astype(np.float64)
                most = wide.max(axis=1, keepdims=True)
                found[beyond] = (most[:, 0] - log[beyond] - mean[beyond]) + np.log(np.exp(wide - most).sum(axis=1))
            # log sum e^result = log sum e^reference + log sum p e^d
            shifted = log + mean + found
    found = np.where(np.isnan(found), inf, found)
    return _Divergence(np.maximum(found, 0.0), log, shifted)


def _max_abs(result: Array, reference: Array, scratch: Array) -> float:
    if result.shape != reference.shape:
        return inf
    values, wanted = result.reshape(-1), reference.reshape(-1)
    peak = 0.0
    for start in range(0, values.size, PIECE):
        piece, target = values[start : start + PIECE], wanted[start : start + PIECE]
        with np.errstate(invalid="ignore", over="ignore"):
            if piece.dtype == np.float32:
                difference = np.subtract(piece, target, out=scratch[: piece.size])
            else:
                difference = piece.astype(np.float64) - target.astype(np.float64)
            most = float(max(difference.max(), -difference.min()))
            if not isfinite(most):  # or NaN: look closer
                difference = piece.astype(np.float64) - target.astype(np.float64)
                most = float(np.abs(difference[np.isfinite(target.astype(np.float64))]).max(initial=0.0))
        peak = max(peak, inf if isnan(most) else most)
    return peak


def _rows(values: Array) -> Array:
    """Without trailing axes of length 1 (class scores of a fully convolutional network)."""
    shape = values.shape
    while len(shape) > 2 and shape[-1] == 1:
        shape = shape[:-1]
    return values.reshape(shape)


def _distributions(values: Array) -> bool:
    rows = values.astype(np.float64)
    return bool(np.isfinite(rows).all() and rows.min() >= 0 and np.allclose(rows.sum(axis=-1), 1, atol=1e-3))


def _made_by(network: Network, name: str) -> Kind | None:
    """The kind of the kernel behind a tensor, reshapes and pooling skipped."""
    producer = {output: kernel for kernel in network.kernels for output in kernel.outputs}
    kernel = producer.get(name)
    while kernel is not None and kernel.kind in _THROUGH and len(kernel.inputs) == 1:
        kernel = producer.get(kernel.inputs[0])
    return None if kernel is None else kernel.kind
