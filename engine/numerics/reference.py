"""From nothing to the reference: ranges, a session of every kernel in floats, and one run of all samples."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

from engine.fusion.types import Kernel
from engine.graph.types import Array
from engine.numerics.buffers import Store, Value, fixed_outputs
from engine.numerics.calibration import calibrate
from engine.numerics.outputs import read_outputs
from engine.numerics.plan_run import staged
from engine.numerics.shared import Shared, call, feed_values, keep_reference, reference_totals
from engine.numerics.workers import Workers
from engine.precision.scheme import FP32
from engine.progress import CancelToken, Progress
from engine.quant.ranges import Ranges
from engine.text import say

REFERENCE = say("Running the reference")
"""What is going on, for progress."""


def open_reference(
    shared: Shared, given: Ranges | None, workers: Workers, progress: Progress, cancel: CancelToken
) -> None:
    """Fill what runs of plans start from.

    Args:
        shared: Filled with values, powers, totals and the reading of the outputs.
        given: Static ranges; None takes them of the samples.
        workers: Build the sessions and run the samples.
        progress: Told about.
        cancel: Checked between kernels.

    Raises:
        ModelError: If ONNX Runtime can't run a layer.
        DataError: If labels don't fit the outputs.
        Cancelled: If asked to stop; may be called again.
    """
    if given is None:
        shared.sessions.ranges = calibrate(shared.network, shared.samples, cancel=cancel)
    begin_reference(shared, range(len(shared.samples)), workers, progress, cancel)
    reference_totals(shared)


def begin_reference(
    shared: Shared,
    samples: Sequence[int],
    workers: Workers,
    progress: Progress,
    cancel: CancelToken,
    beside: Sequence[Callable[[], None]] = (),
) -> None:
    """Run the reference of some samples, those left out that have run already.

    Args:
        shared: Filled with values and powers of these samples and the reading of the outputs.
        samples: Which; ascending, the first one is 0.
        workers: Build the sessions and run the samples.
        progress: Told about.
        cancel: Checked between kernels.
        beside: What workers without a sample may do meanwhile.

    Raises:
        ModelError, DataError, Cancelled: As `open_reference`.
    """
    network = shared.network
    if not shared.values:
        shared.values = [feed_values(network, feeds) for feeds in shared.samples.feeds]
        shared.powers = [{} for _ in shared.samples.feeds]
    wanted = [sample for sample in samples if sample not in shared.through]
    buffers = {sample: shared.store.allocate(fixed_outputs(network), shared.layout) for sample in wanted}
    done: list[int] = []
    work = len(network.kernels) * (len(wanted) + 1) or 1

    def tick() -> None:
        progress(min(1.0, len(done) / work), REFERENCE)

    def build(kernel: Kernel) -> None:
        cancel.check()
        shared.sessions.get(kernel, FP32)
        done.append(1)

    for stage in staged(network.kernels, shared.sessions.limit):
        workers.map(build, stage, cancel=cancel, tick=tick)
        runs = [_running(shared, sample, stage, buffers[sample], cancel, done) for sample in wanted]
        workers.map(lambda work: work(), [*runs, *beside], cancel=cancel, tick=tick)
        beside = ()
    shared.through.update(wanted)
    shared.reading = read_outputs(network, _telling(shared), shared.samples.labels)


def _telling(shared: Shared) -> Mapping[str, Array]:
    """Outputs of the first sample in which none is empty: what a detector finds in others shows what outputs mean."""
    ran = [shared.output_arrays(shared.values[sample]) for sample in sorted(shared.through)]
    return next((found for found in ran if all(array.size for array in found.values())), ran[0])


def _running(
    shared: Shared,
    sample: int,
    stage: Sequence[Kernel],
    buffers: Mapping[str, Value],
    cancel: CancelToken,
    done: list[int],
) -> Callable[[], None]:
    return lambda: keep_reference(shared, sample, stage, buffers, cancel, done)


def reference_values(
    shared: Shared,
    workers: Workers,
    feeds: Sequence[Mapping[str, Array]],
    names: Sequence[str],
    cancel: CancelToken,
) -> Iterator[dict[str, Array]]:
    """What other samples give in the reference, one after the other; nothing of it is kept.

    Args:
        shared: Sessions; those of the reference should be there.
        workers: As many samples run at the same time.
        feeds: Inputs of the samples.
        names: Inputs of the model and outputs of kernels.
        cancel: Checked between kernels.

    Yields:
        The values by name, in plain order; views that hold until the next step.
    """
    network, store = shared.network, Store(sys.maxsize)
    count = min(workers.count, len(feeds))
    buffers = [store.allocate(fixed_outputs(network), shared.layout) for _ in range(count)]
    for first in range(0, len(feeds), count):
        values = [feed_values(network, sample) for sample in feeds[first : first + count]]

        def run(at: int, values: list[dict[str, Value]] = values) -> None:
            for kernel in network.kernels:
                cancel.check()
                targets = {name: buffers[at][name] for name in kernel.outputs if name in buffers[at]}
                values[at].update(call(kernel, shared.sessions.get(kernel, FP32), values[at], targets))

        workers.map(run, range(len(values)), cancel=cancel)
        for found in values:
            yield {name: found[name].numpy(network.tensors.get(name)) for name in names}
