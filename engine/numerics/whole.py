"""The whole network in one session: any activations of a run, one sample in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

from engine.fusion.types import Kind, Network
from engine.graph.types import Array
from engine.numerics.models import Built, build_model
from engine.numerics.runtime import ALL, BASIC, naming, open_either, options
from engine.numerics.workers import Workers
from engine.progress import CancelToken

_PATIENCE = 0.07
"""Seconds that a cancel waits for ONNX Runtime to end properly."""


@contextmanager
def whole_network(
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


def _convolves(network: Network) -> bool:
    """Whether there are convolutions of float32: in the channel blocks of the highest level they take half the time."""
    kinds, tensors = (Kind.CONV, Kind.DEPTHWISE), network.tensors
    return any(
        kernel.kind in kinds and all(name in tensors and tensors[name].dtype == np.float32 for name in kernel.outputs)
        for kernel in network.kernels
    )


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
        found = options(ALL if _convolves(network) else BASIC, threads=2, shared=False)
        found.enable_cpu_mem_arena = False
        return found

    session: ort.InferenceSession = naming(graph.path.name, lambda: open_either(build, made))
    return session
