"""Doubts about samples: too few, the same in both sets, prepared in another way than promised, one unlike the others.

Each doubt is a sentence; none refuses anything. Thresholds are wide: natural variety of pictures must not raise them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from engine.graph.types import Array, TensorInfo
from engine.interop.pictures import BYTE, ImageOptions
from engine.interop.samples import DataSource
from engine.numerics.sample_statistics import Moments, SetStatistics
from engine.numerics.samples import SampleSet
from engine.text import Text, say

ENOUGH = 100
"""Calibration samples from which ranges are steady."""
_FEW = 8
"""Samples below which nobody can say what is usual."""
_FAR, _SPREAD = 3.0, (0.05, 4.0)
"""Mean and standard deviations that standardised values stay within."""
_OF_PIXELS = 0.02, 1.0
"""Parts of the range of pixels that a mean lies within, where nothing is divided by a deviation (as for Caffe)."""
_UNLIKE = 10.0
"""Robust deviations from the others at which a sample is unlike them."""
_PHASES = 0.15, 0.5
"""Spreads of steps (see `SetStatistics.phases`) below which values lie in planes, and above which in pixels.

Of photographs, drawings and pages at 96 to 320 pixels: 0.00 to 0.12 in planes, 0.36 to 1.3 in pixels."""
_WIDENS, _OF_ALL = 2.0, 0.25
"""A sample that alone widens the ranges of a quarter of the activations to twice what all others need."""


def few(calibration: SampleSet) -> Iterator[Text]:
    """Fewer calibration samples than steady ranges need."""
    if len(calibration) < ENOUGH:
        yield say(
            "Only {count} calibration {count:sample|samples}; 100 or more give steadier ranges.", count=len(calibration)
        )


def sparse(evaluation: SampleSet) -> Iterator[Text]:
    """So few evaluation samples that a value rounded the other way moves the error."""
    if len(evaluation) < _FEW:
        yield say(
            "Only {count} evaluation {count:sample|samples}: the error at the output can be several dB off; give more.",
            count=len(evaluation),
        )


def overlap(calibration: SetStatistics, evaluation: SetStatistics) -> Iterator[Text]:
    """Evaluation samples that calibration has seen as well."""
    known = set(calibration.hashes)
    same = sum(name in known for name in evaluation.hashes)
    if same:
        yield say(
            "{count} of {all} evaluation samples are calibration samples as well: errors are too optimistic; "
            "give others.",
            count=same,
            all=len(evaluation),
        )


def promises(source: DataSource, found: SetStatistics, inputs: Sequence[TensorInfo]) -> Iterator[Text]:
    """Values far from what mean and std, layout and order of channels promise."""
    for info in inputs:
        if info.name not in found.moments or info.dtype.kind in "iub":
            continue
        if source.kind == "images":
            options = source.images.get("") or source.images.get(info.name, ImageOptions())
            yield from _standardised(info, options, found)
            yield from _reversed_means(info, options, found)
        else:
            yield from _layout(info, found)


def apart(calibration: SetStatistics, evaluation: SetStatistics, inputs: Sequence[TensorInfo]) -> Iterator[Text]:
    """Sets of which one was prepared in another way than the other."""
    if min(len(calibration), len(evaluation)) < _FEW:
        return
    for info in inputs:
        if info.name not in calibration.moments or info.dtype.kind in "iub":
            continue
        # Medians, so that one strange sample is not taken for a strange set.
        one, other = (Moments(*np.median(s.moments[info.name], axis=0).tolist()) for s in (calibration, evaluation))
        wide, narrow = max(one.std, other.std), min(one.std, other.std)
        if wide > 4 * narrow or abs(one.mean - other.mean) > 2 * wide:
            yield say(
                "Input {name}: calibration samples have a mean of {mean} and a deviation of {std} (medians), "
                "evaluation samples {mean2} and {std2}; they seem to be prepared in different ways.",
                name=info.name,
                mean=_short(one.mean),
                std=_short(one.std),
                mean2=_short(other.mean),
                std2=_short(other.std),
            )
        elif info.name in calibration.channels:
            first, second = (s.channels[info.name].mean(axis=0) for s in (calibration, evaluation))
            if _turned(first, second, 0.1 * wide):
                yield say(
                    "Input {name}: the channels of the evaluation samples seem to be in the opposite order of those of "
                    "the calibration samples (RGB and BGR).",
                    name=info.name,
                )


def unlike(samples: SampleSet, found: SetStatistics, inputs: Sequence[TensorInfo]) -> Iterator[Text]:
    """Samples whose values are far from those of the others: the worst one, and how many there are."""
    if len(found) < _FEW:
        return
    worst: tuple[float, int, str, int] | None = None
    strange: set[int] = set()
    for info in inputs:
        if info.name not in found.moments or info.dtype.kind in "iub":
            continue
        for column in (2, 3):
            values = found.moments[info.name][:, column]
            distance = _distances(values, np.median(found.moments[info.name][:, 3]))
            strange.update(np.flatnonzero(distance > _UNLIKE).tolist())
            at = int(distance.argmax())
            if distance[at] > _UNLIKE and (worst is None or distance[at] > worst[0]):
                worst = float(distance[at]), at, info.name, column
    if worst is None:
        return
    _, at, name, column = worst
    others = np.delete(found.moments[name][:, column], sorted(strange))
    fields: dict[str, object] = {
        "sample": sample_name(samples, at),
        "name": name,
        "value": _short(found.moments[name][at, column]),
        "low": _short(others.min()),
        "high": _short(others.max()),
    }
    if column == 2:
        yield say(
            "{sample} is unlike the others: the mean of input {name} is {value}, theirs {low} to {high}.", **fields
        )
    else:
        yield say(
            "{sample} is unlike the others: the deviation of input {name} is {value}, theirs {low} to {high}.", **fields
        )
    if len(strange) > 1:
        yield say(
            "{count} {count:sample is unlike the others; look at it|samples are unlike the others; look at them}.",
            count=len(strange),
        )


def widening(samples: SampleSet, spans: Mapping[str, Array]) -> Iterator[Text]:
    """A sample that alone sets the ranges of many activations.

    Args:
        samples: The calibration samples.
        spans: By activation: [samples, 2], least and greatest value of each sample.
    """
    widened = widens(spans)
    if not widened.size or len(samples) < _FEW:
        return
    at = int(widened.argmax())
    if widened[at] >= max(2, _OF_ALL * len(spans)):
        yield say(
            "{sample} alone makes {count} of {all} activation ranges at least twice as wide as all other samples need; "
            "look at it, or choose another observer than min-max.",
            sample=sample_name(samples, at),
            count=int(widened[at]),
            all=len(spans),
        )


def widens(spans: Mapping[str, Array]) -> Array:
    """For each sample: of how many activations it alone widens the range to more than twice what all others need."""
    counts: Array = np.zeros(0, np.int64)
    for rows in spans.values():
        if not counts.size:
            counts = np.zeros(len(rows), np.int64)
        peak = np.where(np.isfinite(rows).all(axis=1), np.abs(rows).max(axis=1), 0.0)
        if len(peak) < 2:
            continue
        first, second = np.argsort(-peak, kind="stable")[:2]
        if peak[first] > _WIDENS * peak[second]:
            counts[first] += 1
    return counts


def sample_name(samples: SampleSet, number: int) -> object:
    """Its file or place, else its number."""
    return samples.names[number] if number < len(samples.names) else say("Sample {number}", number=number)


def _standardised(info: TensorInfo, options: ImageOptions, found: SetStatistics) -> Iterator[Text]:
    overall = found.overall(info.name)
    if all(value == 1 for value in options.std):
        largest = max(map(abs, options.mean), default=0.0)
        if largest and not _OF_PIXELS[0] <= largest / (options.scale / BYTE) <= _OF_PIXELS[1]:
            yield say(
                "Input {name} has mean {mean} after preprocessing, where the given mean promises values around 0; "
                "check scale and mean.",
                name=info.name,
                mean=_short(overall.mean),
            )
        return
    within = found.moments[info.name][:, 3]
    if info.name in found.channels:  # constants that differ by channel are no spread
        within = np.sqrt(np.maximum(within**2 - found.channels[info.name].var(axis=1), 0.0))
    if abs(overall.mean) > _FAR or overall.std > _SPREAD[1] or float(np.median(within)) < _SPREAD[0]:
        yield say(
            "Input {name} has mean {mean} and deviation {std} after preprocessing, where mean and std promise values "
            "near 0 and 1; check scale, mean and std.",
            name=info.name,
            mean=_short(overall.mean),
            std=_short(overall.std),
        )


def _reversed_means(info: TensorInfo, options: ImageOptions, found: SetStatistics) -> Iterator[Text]:
    """Means of the channels that fit the promised ones only in the opposite order."""
    if info.name not in found.channels or len(options.mean) != 3 or len(options.std) != 3 or len(found) < _FEW:
        return
    mean, std = np.asarray(options.mean), np.asarray(options.std)
    measured = found.channels[info.name].mean(axis=0) * std + mean
    if _turned(mean, measured, 0.1 * float(std.mean())):
        yield say(
            "Input {name}: the mean colour of the pictures is {have}, in the opposite order of the given mean {want}; "
            "check whether channels should be RGB or BGR.",
            name=info.name,
            have=", ".join(map(_short, measured)),
            want=", ".join(map(_short, mean)),
        )


def _layout(info: TensorInfo, found: SetStatistics) -> Iterator[Text]:
    spread = found.phases.get(info.name, float("nan"))
    planes = info.shape[1] == 3 if len(info.shape) == 4 else False
    if planes and spread > _PHASES[1]:
        yield say(
            "Input {name} of shape {shape} seems to hold pixels with their channels side by side (NHWC); "
            "it wants NCHW.",
            name=info.name,
            shape=list(info.shape),
        )
    if not planes and spread < _PHASES[0]:
        yield say(
            "Input {name} of shape {shape} seems to hold one plane for each channel (NCHW); it wants NHWC.",
            name=info.name,
            shape=list(info.shape),
        )


def _turned(one: Array, other: Array, least: float) -> bool:
    """Whether first and last channel differ the other way round, by about as much."""
    first, second = float(one[0] - one[2]), float(other[0] - other[2])
    return first * second < 0 and min(abs(first), abs(second)) > least


def _distances(values: Array, scale: float) -> Array:
    """Distances from the median in robust standard deviations, no less than 5 % of `scale` each."""
    middle = np.median(values)
    spread = 1.4826 * float(np.median(np.abs(values - middle)))
    found: Array = np.abs(values - middle) / max(spread, 0.05 * float(scale), 1e-12)
    return found


def _short(value: float) -> str:
    return f"{value:.3g}"
