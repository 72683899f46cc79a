"""Calibration: the static range of every activation that meets a weight."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from typing import Protocol

import numpy as np

from engine.errors import DataError
from engine.fusion.types import Network
from engine.graph.types import Array
from engine.numerics.learned import LearnedWeights
from engine.numerics.lowering import FLOATS
from engine.numerics.rounded import RoundedWeights
from engine.numerics.samples import SampleSet
from engine.numerics.whole import whole_network
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.quant.histograms import Seen, extremes
from engine.quant.observers import OBSERVERS
from engine.quant.oddities import odd_weights
from engine.quant.ranges import Range, Ranges, stored_ranges
from engine.text import say


class Reference(Protocol):
    """Runs the network in floats."""

    def __call__(
        self, feeds: Sequence[Mapping[str, Array]], names: Sequence[str], *, cancel: CancelToken
    ) -> Generator[dict[str, Array]]:
        """Outputs of kernels by name, sample after sample; they hold until the next step. Closed when done with."""


def calibrate(
    network: Network,
    samples: SampleSet,
    *,
    observer: str = "minmax",
    kept: RoundedWeights | None = None,
    reference: Reference | None = None,
    progress: Progress = no_progress,
    cancel: CancelToken = NEVER,
) -> Ranges:
    """Run the whole network in FP32 on each sample and watch every activation that meets a weight.

    Activations that the file has quantized already keep the ranges that it gives them.

    Memory holds one sample at a time, in a session of its own that gives everything back, unless `reference` runs them.

    Args:
        network: The network.
        samples: At least one.
        observer: A name in `engine.quant.OBSERVERS`.
        kept: Where methods that round by these samples keep what they find.
        reference: What runs the network already; then no second copy of its weights is made. It is used if every
            activation that is watched leaves its kernel.
        progress: Told about each sample.
        cancel: Answered within 20 ms, whatever ONNX Runtime is doing.

    Raises:
        DataError: Without samples, or for an observer that doesn't exist.
        ModelError: If ONNX Runtime can't run the network.
        Cancelled: If asked to stop.
    """
    if observer not in OBSERVERS:
        raise DataError(
            say("There is no observer {observer}; choose one of {known}.",
                observer=repr(observer), known=", ".join(OBSERVERS))
        )  # fmt: skip
    if not len(samples):
        raise DataError(say("There are no samples to calibrate with; choose data with at least one."))
    watch, conclude, depends = OBSERVERS[observer]
    wanted = _watched(network)
    seen = dict.fromkeys(wanted, Seen())
    spans = {name: np.empty((len(samples), 2)) for name in wanted}
    text = say("Calibrating")
    inputs = {info.name for info in network.graph.inputs}
    produced = [name for name in wanted if name not in inputs]
    runs: AbstractContextManager[Iterator[dict[str, Array]]]
    if reference is not None and {name for k in network.kernels for name in k.outputs}.issuperset(produced):
        runs = closing(reference(samples.feeds, produced, cancel=cancel))
    else:
        runs = _whole(network, samples.feeds, produced, cancel)
    with runs as found:
        for number, (feeds, run) in enumerate(zip(samples.feeds, found, strict=True)):
            arrays = {**feeds, **run}
            for name in wanted:
                cancel.check()
                spans[name][number] = extremes(arrays[name])
                seen[name] = watch(seen[name], arrays[name])
            progress((number + 1) / len(samples), text)
            cancel.check()
    stored = stored_ranges(network)
    by_bits = {}
    for bits in (8, 4, 16) if depends else (8,):
        cancel.check()
        by_bits[bits] = _finite({name: conclude(state, bits) for name, state in seen.items()} | stored)
    learned = LearnedWeights(network, samples, kept, observer)
    return Ranges(
        by_bits.pop(8), observer, len(samples), samples.synthetic, learned, spans, by_bits, odd_weights(network)
    )


@contextmanager
def _whole(
    network: Network, feeds: Sequence[Mapping[str, Array]], names: list[str], cancel: CancelToken
) -> Iterator[Iterator[dict[str, Array]]]:
    with whole_network(network, names, cancel) as run:
        yield map(run, feeds)


def _watched(network: Network) -> list[str]:
    names = dict.fromkeys(kernel.weight.activation for kernel in network.kernels if kernel.weight is not None)
    tensors = network.tensors
    return [name for name in names if name in tensors and tensors[name].dtype.name in FLOATS]


def _finite(ranges: dict[str, Range]) -> dict[str, Range]:
    """Ranges that fit float32, whatever the model's own dtype."""
    limit = 3.0e38
    return {
        name: Range(min(max(found.low, -limit), limit), min(max(found.high, -limit), limit))
        for name, found in ranges.items()
    }
