"""Two dumps against each other, layer by layer: how large the error is, and where it starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from engine.errors import DataError
from engine.interop.dump_matching import in_shape, pair_dumps
from engine.interop.dump_set import DumpSet, DumpTensor
from engine.interop.foreign_names import How
from engine.numerics.dumps.errors import METRICS, check_metrics, measure
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.text import Text, say

DEFAULT_METRICS = ("sqnr_db", "cosine", "relative_l2", "max_abs")


@dataclass(frozen=True, slots=True)
class LayerError:
    """One tensor of one sample in both dumps."""

    name: str
    kernel: str
    output: int
    sample: int
    how: How
    """How the two were found to be the same."""
    other_name: str
    figures: Mapping[str, float]
    missed: tuple[str, ...]
    """Thresholds that it misses."""
    problem: Text | None = None
    """Why there are no figures; counts as missed when thresholds are asked for."""


@dataclass(frozen=True, slots=True)
class DumpComparison:
    """Both dumps."""

    layers: tuple[LayerError, ...]
    """In execution order of the first dump, sample by sample."""
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    notes: tuple[Text, ...]

    @property
    def first_bad(self) -> LayerError | None:
        """Where the error starts: the first layer that misses a threshold."""
        return next((layer for layer in self.layers if layer.missed), None)


def compare_dumps(
    a: DumpSet,
    b: DumpSet,
    *,
    metrics: Sequence[str] = DEFAULT_METRICS,
    thresholds: Mapping[str, float] | None = None,
    fusions: Mapping[str, Sequence[str]] | None = None,
    progress: Progress = no_progress,
    cancel: CancelToken = NEVER,
) -> DumpComparison:
    """Measure `b` against `a`.

    Args:
        a: The reference.
        b: What is held against it.
        metrics: Names in `METRICS`; those of thresholds are added.
        thresholds: Metric -> the least (or, for errors, the most) that a layer may have.
        fusions: Fused operator -> original nodes, from the compiler's fusion table.
        progress: Told about.
        cancel: Checked within tensors.

    Raises:
        DataError: An unknown metric; nothing in common.
        Cancelled: If asked to stop.
    """
    limits = dict(thresholds or {})
    wanted = tuple(dict.fromkeys((*metrics, *limits)))
    check_metrics(wanted)
    pairs, only_b = pair_dumps(a, b, fusions)
    if not pairs:
        raise DataError(
            say(
                "{a} and {b} have no layer name in common (they begin with {first} and {second}); choose others.",
                a=a.path,
                b=b.path,
                first=a.tensors[0].name,
                second=b.tensors[0].name,
            )
        )
    layers = []
    pairs.sort(key=lambda pair: (pair[0].sample, pair[0].order))
    for number, (mine, theirs, how) in enumerate(pairs):
        cancel.check()
        progress(number / len(pairs), say("Comparing {name}", name=mine.name))
        layers.append(_layer(mine, theirs, how, wanted, limits, cancel))
    used = {id(mine) for mine, _, _ in pairs}
    notes = [*a.notes, *b.notes, *_inputs(a, b)]
    return DumpComparison(
        tuple(layers),
        tuple(dict.fromkeys(t.name for t in a.tensors if id(t) not in used)),
        tuple(dict.fromkeys(t.name for t in only_b)),
        tuple(notes),
    )


def _layer(
    mine: DumpTensor,
    theirs: DumpTensor,
    how: How,
    metrics: Sequence[str],
    limits: Mapping[str, float],
    cancel: CancelToken,
) -> LayerError:
    figures: dict[str, float] = {}
    problem: Text | None = None
    try:
        reference, result = mine.read(), theirs.read()
        if reference.size == result.size and reference.shape != result.shape:
            result = in_shape(result, reference.shape)
        figures = measure(result, reference, metrics, cancel=cancel)
    except DataError as refused:
        problem = refused.text
    missed = tuple(name for name, limit in limits.items() if problem or not _holds(name, figures[name], limit))
    return LayerError(mine.name, mine.kernel, mine.output, mine.sample, how, theirs.name, figures, missed, problem)


def _holds(name: str, value: float, limit: float) -> bool:
    if isnan(value):
        return False
    return value >= limit if METRICS[name].higher_is_better else value <= limit


def _inputs(a: DumpSet, b: DumpSet) -> list[Text]:
    """Whether both were fed the same, as far as they say."""
    differ = [s for s, digest in a.samples.items() if s in b.samples and b.samples[s] != digest]
    if not differ:
        return []
    return [say("Sample {sample} had other inputs in the two dumps: the errors mean little.", sample=differ[0])]
