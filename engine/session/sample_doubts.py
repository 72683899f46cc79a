"""Statistics of the samples in use, and the doubts that they raise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from engine.fusion.types import Network
from engine.interop import sample_warnings as doubts
from engine.interop.samples import DataSource
from engine.numerics.sample_statistics import SetStatistics, set_statistics
from engine.numerics.samples import SampleSet
from engine.progress import NEVER, CancelToken
from engine.quant.ranges import Ranges
from engine.session.state import SampleRow
from engine.text import Text


@dataclass(frozen=True, eq=False, slots=True)
class Looked:
    """A set of samples with where it is from and what it looks like."""

    source: DataSource
    samples: SampleSet
    statistics: SetStatistics


def look_at(network: Network, source: DataSource, samples: SampleSet, cancel: CancelToken = NEVER) -> Looked:
    """Statistics of every sample of a set."""
    return Looked(source, samples, set_statistics(samples, network.graph.inputs, cancel))


def same_samples(calibration: DataSource, evaluation: DataSource) -> bool:
    """Whether two sources name the same files, read alike, however their paths are spelled."""
    if calibration.kind != evaluation.kind:
        return False
    if calibration.path != evaluation.path and Path(calibration.path).resolve() != Path(evaluation.path).resolve():
        return False
    return replace(calibration, path=evaluation.path) == evaluation


def doubts_about(network: Network, calibration: Looked, evaluation: Looked, ranges: Ranges) -> Iterator[Text]:
    """What a user should look at; nothing about synthetic samples."""
    inputs = network.graph.inputs
    same = same_samples(calibration.source, evaluation.source)
    if not calibration.samples.synthetic:
        yield from doubts.few(calibration.samples)
    if not evaluation.samples.synthetic:
        yield from doubts.sparse(evaluation.samples)
    for each in (calibration,) if same else (calibration, evaluation):
        if not each.samples.synthetic:
            yield from doubts.promises(each.source, each.statistics, inputs)
            yield from doubts.unlike(each.samples, each.statistics, inputs)
    if not calibration.samples.synthetic:
        yield from doubts.widening(calibration.samples, ranges.spans)
    if not (same or calibration.samples.synthetic or evaluation.samples.synthetic):
        yield from doubts.overlap(calibration.statistics, evaluation.statistics)
        yield from doubts.apart(calibration.statistics, evaluation.statistics, inputs)


def rows_of(calibration: Looked, evaluation: Looked, ranges: Ranges) -> tuple[SampleRow, ...]:
    """One row for each sample and input, calibration first."""
    widened = doubts.widens(ranges.spans).tolist()
    return (*_rows("calibration", calibration, widened), *_rows("evaluation", evaluation, ()))


def _rows(which: str, looked: Looked, widened: list[int] | tuple[int, ...]) -> Iterator[SampleRow]:
    for number in range(len(looked.samples)):
        for name, moments in looked.statistics.moments.items():
            low, high, mean, std = moments[number].tolist()
            yield SampleRow(
                which,
                str(doubts.sample_name(looked.samples, number)),
                name,
                low,
                high,
                mean,
                std,
                widened[number] if number < len(widened) else 0,
            )
