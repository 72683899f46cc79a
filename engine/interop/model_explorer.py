"""Node data for Google's Model Explorer: one figure per node, as colours on the graph.

Format: `node_data_builder` of Model Explorer; its ONNX adapter knows a graph by its name in the file and a node by its
name, an unnamed one only by the tensors that it writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec

from engine.errors import ExportError, ModelError
from engine.files import write_atomically
from engine.fusion.types import Kernel, Network
from engine.graph.wire import read_model
from engine.interop.handover import NO_EXTRAS, Extras, Handover, Measured, Written, hand_over
from engine.interop.order import Order
from engine.interop.targets import MODEL_EXPLORER, option
from engine.precision.plan import Plan
from engine.quant.sizes import plan_bytes
from engine.text import say

_COOL = ("#C6DDEE", "#3F80BC", "#0B2850")
"""Costs, from the smallest value to the largest."""
_HEAT = ("#571447", "#DB5F4C", "#F9DFAE")
"""Ratios in dB, of which the smallest is the worst."""
_BITS = {2: "#BF8300", 3: "#BF8300", 4: "#BF8300", 8: "#0B8A86", 16: "#6D4BD0", 32: "#7A8592"}


def check_model_explorer(network: Network, plan: Plan, *, extras: Extras = NO_EXTRAS) -> Handover:
    """The plan is shown as it is."""
    return hand_over(network, plan, lambda kernel, asked: (asked, None))


def export_model_explorer(order: Order) -> Written:
    """Write one figure of every kernel to all of its nodes.

    Raises:
        ExportError: The file can't be written, or the figure was not measured.
    """
    network, plan, path, extras = order.network, order.plan, order.path, order.extras
    value = option(extras, MODEL_EXPLORER, "value")
    figures = _figures(network, plan, extras.measured, value)
    if not figures:
        raise ExportError(
            say("{path}: nothing is known of {value} yet; export again when it has been measured.",
                path=path, value=value)
        )  # fmt: skip
    results: dict[str, dict[str, Any]] = {}
    for kernel in network.kernels:
        order.cancel.check()
        figure = figures.get(kernel.id)
        if figure is None:
            continue
        entry: dict[str, Any] = {"value": figure}
        if value == "bits":
            entry["bgColor"] = _BITS[int(figure)]
        for node in kernel.nodes:
            name = node.proto.name or next((output for output in node.outputs if output), "")
            if name:
                results[name] = entry
    graph: dict[str, Any] = {"results": results}
    if value != "bits":
        stops = enumerate(_HEAT if value.endswith("_db") else _COOL)
        graph["gradient"] = [{"stop": at / 2, "bgColor": color} for at, color in stops]
    data = msgspec.json.format(msgspec.json.encode({graph_name(network.graph.path): graph}), indent=1)
    _compare(data, network, figures, path)
    write_atomically(path, data)
    check = say(
        "Read back: {count} {count:node|nodes} of {kernels} {kernels:layer|layers}.",
        count=len(results),
        kernels=len(figures),
    )
    return Written("model_explorer", path, (path,), check_model_explorer(network, plan), (check,))


def _figures(network: Network, plan: Plan, measured: Measured, value: str) -> dict[str, float]:
    """Kernel id -> figure; kernels without one are absent. Infinite ratios are left out: JSON has no word for them."""
    makers: Mapping[str, Callable[[Kernel], float | None]] = {
        "bits": lambda k: float(plan.scheme(k.id).weights.bits) if k.tunable else None,
        "latency_us": lambda k: measured.simulation.kernels[k.index].latency_us if measured.simulation else None,
        "accumulated_sqnr_db": lambda k: (
            measured.evaluation.accumulated[k.id].sqnr_db
            if measured.evaluation and k.id in measured.evaluation.accumulated
            else None
        ),
        "local_sqnr_db": lambda k: (
            measured.local[k.id, plan.scheme(k.id)].sqnr_db if (k.id, plan.scheme(k.id)) in measured.local else None
        ),
        "sensitivity_db": lambda k: measured.sensitivity.get((k.id, plan.scheme(k.id))),
        "weight_bytes": lambda k: float(sizes[k.id]),
    }
    sizes = plan_bytes(network, plan).per_kernel
    found = {kernel.id: makers[value](kernel) for kernel in network.kernels}
    return {kernel: figure for kernel, figure in found.items() if figure is not None and isfinite(figure)}


def _compare(data: bytes, network: Network, figures: Mapping[str, float], path: Path) -> None:
    (graph,) = msgspec.json.decode(data).values()
    for kernel in network.kernels:
        node = kernel.nodes[kernel.anchor]
        found = graph["results"].get(node.proto.name or node.outputs[0], {}).get("value")
        if found != figures.get(kernel.id):
            raise ExportError(
                say("{file} disagrees with the plan about layer {layer}; nothing was written.",
                    file=path.name, layer=kernel.name)
            )  # fmt: skip


def graph_name(path: Path) -> str:
    """The name of the graph in an ONNX file; "main_graph", which exporters like, if that can't be told."""
    try:
        return read_model(path.resolve(strict=True)).graph.name or "main_graph"
    except (OSError, ModelError):  # the model has been moved since; a viewer offers its first graph all the same
        return "main_graph"
