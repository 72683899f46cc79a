"""One probe's way back through the network, on the reference's tensors of one sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import onnxruntime as ort

from engine.graph.types import Array
from engine.numerics.buffers import Value
from engine.numerics.runtime import naming, to_ort
from engine.precision.scheme import HALF
from engine.progress import CancelToken
from engine.tuning.estimate.kernel_graph import Port
from engine.tuning.estimate.route import Route, Step
from engine.tuning.estimate.scores import Sums


def send_back(
    route: Route,
    values: Mapping[str, Value],
    probes: Mapping[str, Array],
    item: int,
    sums: Sums,
    cancel: CancelToken,
    gate: Callable[[], None] | None,
) -> dict[str, Array]:
    """Run every step of a route.

    Args:
        route: Where to go.
        values: Reference tensors of the sample.
        probes: Gradients to begin with.
        item: Number under which products of rounding errors are entered.
        sums: Takes those products.
        cancel: Checked before each kernel.
        gate: Called before each kernel; may wait.

    Returns:
        Kernel id -> gradient at the anchor's result, for kernels with a weight.
    """
    gradients: dict[str, Array] = dict(probes)
    anchors: dict[str, Array] = {}
    for step in route.steps:
        cancel.check()
        if gate is not None:
            gate()
        names = {short: step.form.original[short] for short in step.wanted.gradients}
        arrived = {short: gradients.pop(name) for short, name in names.items() if name in gradients}
        if len(arrived) < len(names):
            for short in names.keys() - arrived.keys():
                arrived[short] = np.zeros(step.form.segment.shapes[short], np.float32)
        made = _run(step, values, arrived)
        for port, array in made.items():
            if port.role == "input":
                name = step.form.original[port.name]
                before = gradients.get(name)
                gradients[name] = array if before is None else np.add(before, array, out=array)
            elif port.role == "anchor":
                anchors[step.kernel.id] = array
            elif port.role == "bias":
                for form, error in step.bias_errors.items():
                    sums.put(step.kernel.id, ("bias", form), item, array * error)
            else:
                sums.put(step.kernel.id, _part(port), item, array)
        for port, short in step.graph.aliases.items():
            if port.role == "anchor":
                anchors[step.kernel.id] = arrived[short]
            elif port.role == "input":
                name = step.form.original[port.name]
                before = gradients.get(name)
                gradients[name] = arrived[short] if before is None else np.add(before, arrived[short])
    for step in route.steps:
        if step.shared is not None:
            sums.share(step.shared, (step.kernel.id, ("activation", HALF)), item)
    return anchors


def _part(port: Port) -> tuple[object, ...]:
    """What the products belong to; results of several outputs are parts of their own."""
    return ("result", port.name, port.form) if port.role == "result" else (port.role, port.form)


def _run(step: Step, values: Mapping[str, Value], arrived: Mapping[str, Array]) -> dict[Port, Array]:
    session = step.session
    if session is None:
        return {}
    binding = session.io_binding()
    held: list[ort.OrtValue] = []
    for name, port in step.graph.inputs.items():
        if port.role == "value":
            value = values[step.form.original[port.name]].ort
        else:
            value = to_ort(arrived[port.name] if port.role == "gradient" else step.fed[name])
            held.append(value)
        binding.bind_ortvalue_input(name, value)
    made: dict[Port, Array] = {}
    small: list[Port] = []
    for name, port in step.graph.outputs.items():
        if port.role in ("input", "anchor"):
            short = port.name or step.form.segment.nodes[step.form.anchor].output[0]
            made[port] = np.empty(step.form.segment.shapes[short], np.float32)
            held.append(to_ort(made[port]))
            binding.bind_ortvalue_output(name, held[-1])
        else:
            small.append(port)
            binding.bind_output(name, "cpu")
    naming(step.kernel.name, lambda: session.run_with_iobinding(binding))
    if small:
        results = binding.get_outputs()
        for at, port in enumerate(step.graph.outputs.values()):
            if port.role not in ("input", "anchor"):
                made[port] = results[at].numpy()
    return made
