"""Calibration: the static range of every activation that meets a weight."""

from __future__ import annotations

import onnxruntime as ort

from engine.errors import DataError
from engine.fusion.types import Network
from engine.numerics.lowering import FLOATS
from engine.numerics.models import Built, build_model
from engine.numerics.runtime import BASIC, naming, open_either, options
from engine.numerics.samples import SampleSet
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.quant.observers import OBSERVERS, Seen
from engine.quant.ranges import Range, Ranges
from engine.text import say


def calibrate(
    network: Network,
    samples: SampleSet,
    *,
    observer: str = "minmax",
    progress: Progress = no_progress,
    cancel: CancelToken = NEVER,
) -> Ranges:
    """Run the whole network in FP32 on each sample and watch every activation that meets a weight.

    Memory holds one sample at a time, in a session of its own that gives everything back.

    Args:
        network: The network.
        samples: At least one.
        observer: A name in `engine.quant.OBSERVERS`.
        progress: Told about each sample.
        cancel: Checked after each sample and each activation.

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
    session = _session(network, [name for name in wanted if name not in _input_names(network)])
    produced = [output.name for output in session.get_outputs()] if session is not None else []
    for number, feeds in enumerate(samples.feeds):
        cancel.check()
        arrays = dict(feeds)
        if session is not None:
            needed = {item.name: feeds[item.name] for item in session.get_inputs()}
            results = naming(str(network.graph.path.name), lambda fed=needed: session.run(produced, fed))  # type: ignore[misc]
            arrays.update(zip(produced, results, strict=True))
            del results
        for name in wanted:
            cancel.check()
            seen[name] = watch(seen[name], arrays[name])
        progress((number + 1) / len(samples), text)
    ranges = {name: conclude(state) for name, state in seen.items()}
    return Ranges(_finite(ranges), observer, len(samples), samples.synthetic)


def _watched(network: Network) -> list[str]:
    names = dict.fromkeys(kernel.weight.activation for kernel in network.kernels if kernel.weight is not None)
    tensors = network.tensors
    return [name for name in names if name in tensors and tensors[name].dtype.name in FLOATS]


def _input_names(network: Network) -> set[str]:
    return {info.name for info in network.graph.inputs}


def _session(network: Network, outputs: list[str]) -> ort.InferenceSession | None:
    """The whole network with the watched activations as outputs; None if only inputs are watched."""
    if not outputs:
        return None
    nodes = [node.proto for kernel in network.kernels for node in kernel.nodes]
    constants = {name: array for kernel in network.kernels for name, array in kernel.constants.items()}
    graph = network.graph

    def build(loose: bool) -> Built:
        return build_model(graph, nodes, [info.name for info in graph.inputs], outputs, constants, loose=loose)

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
