"""Calibration: the static range of every activation that meets a weight."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

import onnxruntime as ort
from onnx import TensorProto, helper

from engine.errors import DataError
from engine.fusion.types import Network
from engine.graph.types import Array
from engine.numerics.lowering import FLOATS
from engine.numerics.models import Built, build_model
from engine.numerics.runtime import BASIC, naming, open_either, options
from engine.numerics.samples import SampleSet
from engine.numerics.workers import Workers
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.quant.observers import OBSERVERS, Seen
from engine.quant.ranges import Range, Ranges, stored_ranges
from engine.text import say

_PATIENCE = 0.07
"""Seconds that a cancel waits for ONNX Runtime to end properly."""


def calibrate(
    network: Network,
    samples: SampleSet,
    *,
    observer: str = "minmax",
    progress: Progress = no_progress,
    cancel: CancelToken = NEVER,
) -> Ranges:
    """Run the whole network in FP32 on each sample and watch every activation that meets a weight.

    Activations that the file has quantized already keep the ranges that it gives them.

    Memory holds one sample at a time, in a session of its own that gives everything back.

    Args:
        network: The network.
        samples: At least one.
        observer: A name in `engine.quant.OBSERVERS`.
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
    watch, conclude = OBSERVERS[observer]
    wanted = _watched(network)
    seen = dict.fromkeys(wanted, Seen())
    text = say("Calibrating")
    inputs = {info.name for info in network.graph.inputs}
    with _whole_network(network, [name for name in wanted if name not in inputs], cancel) as run:
        for number, feeds in enumerate(samples.feeds):
            arrays = {**feeds, **run(feeds)}
            for name in wanted:
                cancel.check()
                seen[name] = watch(seen[name], arrays[name])
            progress((number + 1) / len(samples), text)
            cancel.check()
    ranges = {name: conclude(state) for name, state in seen.items()} | stored_ranges(network)
    return Ranges(_finite(ranges), observer, len(samples), samples.synthetic)


def _watched(network: Network) -> list[str]:
    names = dict.fromkeys(kernel.weight.activation for kernel in network.kernels if kernel.weight is not None)
    tensors = network.tensors
    return [name for name in names if name in tensors and tensors[name].dtype.name in FLOATS]


@contextmanager
def _whole_network(
    network: Network, outputs: list[str], cancel: CancelToken
) -> Iterator[Callable[[Mapping[str, Array]], dict[str, Array]]]:
    """A function from feeds to the values of these activations.

    ONNX Runtime works in a thread of its own, so that a cancel is answered while it is busy: opening a large model or
    running a long one is then left to end by itself.
    """
    if not outputs:
        yield lambda feeds: {}
        return
    worker, call = Workers(1), ort.RunOptions()
    try:
        session = worker.result(worker.submit(_session, network, outputs), cancel)
        produced = [output.name for output in session.get_outputs()]
        read = [item.name for item in session.get_inputs()]

        def run(feeds: Mapping[str, Array]) -> dict[str, Array]:
            needed = {name: feeds[name] for name in read}
            work = partial(naming, network.graph.path.name, partial(session.run, produced, needed, call))
            return dict(zip(outputs, worker.result(worker.submit(work), cancel), strict=True))

        yield run
    finally:
        call.terminate = True
        worker.close(patience=_PATIENCE if cancel.cancelled else None)


def _session(network: Network, outputs: list[str]) -> ort.InferenceSession:
    """The whole network with these activations as outputs (bfloat16, which numpy lacks, as float32)."""
    graph = network.graph
    nodes = [node.proto for kernel in network.kernels for node in kernel.nodes]
    constants = {name: array for kernel in network.kernels for name, array in kernel.constants.items()}
    shown = []
    for name in outputs:
        wide = graph.tensors[name].dtype.name == "bfloat16"
        shown.append(f"{name}/mixbit/float" if wide else name)
        if wide:
            nodes.append(helper.make_node("Cast", [name], [shown[-1]], to=TensorProto.FLOAT))

    def build(loose: bool) -> Built:
        return build_model(graph, nodes, [info.name for info in graph.inputs], shown, constants, loose=loose)

    def made() -> ort.SessionOptions:
        found = options(BASIC, threads=2, shared=False)
        found.enable_cpu_mem_arena = False
        return found

    session: ort.InferenceSession = naming(graph.path.name, lambda: open_either(build, made))
    return session


def _finite(ranges: dict[str, Range]) -> dict[str, Range]:
    """Ranges that fit float32, whatever the model's own dtype."""
    limit = 3.0e38
    return {
        name: Range(min(max(found.low, -limit), limit), min(max(found.high, -limit), limit))
        for name, found in ranges.items()
    }
