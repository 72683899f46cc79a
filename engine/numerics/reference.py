"""From nothing to the reference: ranges, a session of every kernel in floats, and one run of all samples."""

from __future__ import annotations

from engine.fusion.types import Kernel
from engine.numerics.calibration import calibrate
from engine.numerics.outputs import read_outputs
from engine.numerics.shared import Shared, feed_values, reference_totals, run_reference
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
    network, count = shared.network, len(shared.samples)
    if given is None:
        shared.sessions.ranges = calibrate(network, shared.samples, cancel=cancel)
    shared.values = [feed_values(network, feeds) for feeds in shared.samples.feeds]
    shared.powers = [{} for _ in range(count)]
    done: list[int] = []
    work = len(network.kernels) * (count + 1) or 1

    def tick() -> None:
        progress(min(1.0, len(done) / work), REFERENCE)

    def build(kernel: Kernel) -> None:
        cancel.check()
        shared.sessions.get(kernel, FP32)
        done.append(1)

    def run(sample: int) -> None:
        run_reference(shared, sample, cancel, done)

    workers.map(build, network.kernels, cancel=cancel, tick=tick)
    workers.map(run, range(count), cancel=cancel, tick=tick)
    reference_totals(shared)
    shared.reading = read_outputs(network, shared.output_arrays(shared.values[0]), shared.samples.labels)
