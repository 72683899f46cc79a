"""The way back through a network: which kernels a gradient passes, and the session of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field

import numpy as np
import onnxruntime as ort

from engine.fusion.types import Kernel, Kind, Network
from engine.graph.types import Array
from engine.numerics.lowering import FLOATS
from engine.numerics.runtime import naming, open_session, options
from engine.numerics.workers import Workers
from engine.precision.scheme import BRAIN, HALF, ActivationFormat
from engine.progress import CancelToken
from engine.quant.ranges import Range, Ranges, activation_params
from engine.quant.rounding import round_brain, round_half
from engine.text import Text, say
from engine.tuning.adjoint import ZERO, Blocked
from engine.tuning.estimate.canonical import Canonical, canonical
from engine.tuning.estimate.kernel_graph import KernelGraph, Wanted, build, channel_axis, code_dtype


@dataclass(eq=False, slots=True)
class Step:
    """One kernel on the way back."""

    kernel: Kernel
    form: Canonical
    wanted: Wanted
    graph: KernelGraph
    session: ort.InferenceSession | None = None
    """None if the kernel hands gradients on unchanged."""
    fed: dict[str, Array] = field(default_factory=dict)
    """Session input -> constant that is handed over at every run."""
    bias_errors: Mapping[ActivationFormat, Array | float] = field(default_factory=dict)
    """What rounding to floats of 16 bits adds to the bias, by channel."""
    shared: tuple[str, tuple[object, ...]] | None = None
    """Kernel and part whose products are also those of rounding this kernel's activation to half: the kernel that makes
    the tensor rounds it in the same way, and sees the same gradient if nobody else reads it."""


@dataclass(frozen=True, eq=False, slots=True)
class Route:
    """All steps, the last kernel first, and what can't be reached."""

    steps: tuple[Step, ...]
    blocked: Mapping[str, Text]
    """Tunable kernels without an estimate -> why."""
    unread: frozenset[str]
    """Tunable kernels that nothing measured depends on: their error is zero."""


def plan_route(
    network: Network,
    measured: Iterable[str],
    formats: tuple[ActivationFormat, ...],
    ranges: Ranges,
    workers: Workers,
    cancel: CancelToken,
) -> Route:
    """Go backwards over the kernels once, without running anything.

    Args:
        network: The network.
        measured: Tensors that probes start from.
        formats: Activation formats whose rounding errors are wanted.
        ranges: Static ranges.
        workers: Sessions are opened by these.
        cancel: Checked between kernels.

    Raises:
        Cancelled: If asked to stop.
    """
    planner = _Planner(network, set(measured), formats, ranges, workers)
    for kernel in reversed(network.kernels):
        cancel.check()
        planner.visit(kernel)
    return planner.finish(cancel)


class _Planner:
    def __init__(
        self,
        network: Network,
        measured: set[str],
        formats: tuple[ActivationFormat, ...],
        ranges: Ranges,
        workers: Workers,
    ) -> None:
        self._network, self._formats, self._ranges, self._workers = network, formats, ranges, workers
        self._arrived = set(measured)
        self._dead: dict[str, str] = {}
        self._reached = _reached(network)
        self._measured = frozenset(measured)
        self._graphs: dict[object, KernelGraph] = {}
        self._opening: dict[int, Future[ort.InferenceSession]] = {}
        self._steps: list[Step] = []
        self._blocked: dict[str, Text] = {}
        self._producer = {name: kernel for kernel in network.kernels for name in kernel.outputs}
        self._readers: dict[str, int] = {}
        for kernel in network.kernels:
            for name in kernel.inputs:
                self._readers[name] = self._readers.get(name, 0) + 1
        self._unread: set[str] = set()

    def visit(self, kernel: Kernel) -> None:
        """Decide what comes back through a kernel, and build its session."""
        inputs = [name for name in kernel.inputs if name in self._reached]
        if not inputs and not kernel.tunable:
            return
        why = next((self._dead[name] for name in kernel.outputs if name in self._dead), None)
        gradients = [name for name in kernel.outputs if name in self._arrived]
        if why is None and not gradients:
            if kernel.tunable:
                self._unread.add(kernel.id)
            return
        if why is None:
            try:
                self._steps.append(self._step(kernel, gradients, inputs))
                return
            except Blocked as blocked:
                why = str(blocked)
        self._dead.update(dict.fromkeys(inputs, why))
        self._refuse(kernel, why)

    def _step(self, kernel: Kernel, gradients: list[str], inputs: list[str], may_share: bool = True) -> Step:
        form = canonical(kernel, self._network)
        floats = form.segment.floats
        usable = [name for name in gradients if form.short[name] in floats]
        if not usable:
            raise Blocked(kernel.op)
        weight = kernel.weight
        activation = weight.activation if weight is not None else ""
        if kernel.kind is Kind.RECURRENT:  # its result is no linear function of its weights
            raise Blocked(kernel.op)
        if activation and activation not in kernel.inputs:  # rounded inside, so no other kernel hands it over
            raise Blocked("QuantizeLinear")
        rounded = form.short.get(activation, "") in floats
        shared = self._shared(kernel, form, activation) if may_share and rounded else None
        formats = self._possible(activation) if rounded else ()
        wanted = Wanted(
            gradients=tuple(form.short[name] for name in usable),
            inputs=tuple(form.short[name] for name in inputs),
            tunable=weight is not None,
            activation=form.short[activation] if rounded else "",
            formats=tuple(each for each in formats if shared is None or each != HALF),
            # What is looked up in a table of halves is half already.
            results=self._short_floats() if weight is not None and kernel.kind is not Kind.EMBEDDING else (),
            bias=weight is not None and _has_plain_bias(kernel, form),
        )
        key = (form.key, wanted, kernel.kind)
        graph = self._graphs.get(key)
        if graph is None:
            graph = self._graphs[key] = build(kernel, form, wanted)
            if graph.model is not None:
                self._opening[id(graph)] = self._workers.submit(_open, kernel.name, graph)
        for port in (*graph.outputs.values(), *graph.aliases):
            if port.role == "input":
                self._arrived.add(form.original[port.name])
        for name, why in graph.blocked.items():
            if name:
                self._dead[form.original[name]] = why
            else:
                self._refuse(kernel, why)
        return Step(kernel, form, wanted, graph, shared=shared)

    def _shared(self, kernel: Kernel, form: Canonical, activation: str) -> tuple[str, tuple[object, ...]] | None:
        """The kernel that makes the activation, if the two see the same gradient there."""
        maker = self._producer.get(activation)
        if maker is None or not maker.tunable or HALF not in self._formats or activation in self._measured:
            return None
        reads = sum(list(node.input).count(form.short[activation]) for node in form.segment.nodes)
        if self._readers[activation] != 1 or reads != 1:
            return None
        return maker.id, (activation,)

    def _short_floats(self) -> tuple[ActivationFormat, ...]:
        return tuple(form for form in (HALF, BRAIN) if form in self._formats)

    def _possible(self, activation: str) -> tuple[ActivationFormat, ...]:
        """Static formats need a range."""
        known = activation in self._ranges.ranges
        return tuple(form for form in self._formats if form.floating or not form.static or known)

    def _refuse(self, kernel: Kernel, why: str) -> None:
        if kernel.tunable:
            self._blocked[kernel.id] = say(
                "No gradient comes back through {operator}, so {name} is measured, not estimated.",
                operator=why,
                name=kernel.name,
            )

    def finish(self, cancel: CancelToken) -> Route:
        """Wait for the sessions, and collect what is handed over at every run."""
        self._settle_shares()
        for step in self._steps:
            opening = self._opening.get(id(step.graph))
            step.session = None if opening is None else self._workers.result(opening, cancel)
            step.fed = _fed(step, self._ranges)
            step.bias_errors = {form: _bias_error(step, form) for form in self._short_floats()}
        needed = _depended_on(self._network, self._measured)
        for kernel in self._network.tunable:
            if kernel.id in self._unread and kernel.id in needed:  # by way of a comparison or rounding only
                self._unread.discard(kernel.id)
                self._refuse(kernel, "comparisons")
        return Route(tuple(self._steps), self._blocked, frozenset(self._unread))

    def _settle_shares(self) -> None:
        """Name the shared parts; kernels whose partner has turned out not to have it compute it themselves."""
        by_kernel = {step.kernel.id: step for step in self._steps}
        for at, step in enumerate(self._steps):
            if step.shared is None:
                continue
            maker, (tensor,) = step.shared
            partner = by_kernel.get(maker)
            name = "" if partner is None else partner.form.short[str(tensor)]
            ports = () if partner is None else partner.graph.outputs.values()
            if any(port.role == "result" and port.name == name and port.form == HALF for port in ports):
                step.shared = maker, ("result", name, HALF)
            else:
                gradients = [step.form.original[short] for short in step.wanted.gradients]
                inputs = [step.form.original[short] for short in step.wanted.inputs]
                self._steps[at] = self._step(step.kernel, gradients, inputs, may_share=False)


def _open(name: str, graph: KernelGraph) -> ort.InferenceSession:
    assert graph.model is not None
    built, level = graph.model, graph.level
    session: ort.InferenceSession = naming(name, lambda: open_session(built, options(level)))
    return session


def _depended_on(network: Network, measured: Iterable[str]) -> set[str]:
    """Ids of kernels that the measured tensors depend on."""
    read, found = set(measured), set()
    for kernel in reversed(network.kernels):
        if any(name in read for name in kernel.outputs):
            read.update(kernel.inputs)
            found.add(kernel.id)
    return found


def _has_plain_bias(kernel: Kernel, form: Canonical) -> bool:
    """Whether there is a bias with one number per channel of the anchor's result."""
    weight = kernel.weight
    if weight is None or weight.bias not in kernel.constants:
        return False
    shape = form.segment.shapes[form.segment.nodes[form.anchor].output[0]]
    return len(shape) > 0 and kernel.constants[weight.bias].size == shape[channel_axis(kernel, len(shape))]


def _fed(step: Step, ranges: Ranges) -> dict[str, Array]:
    made: dict[str, Array] = {}
    for name, port in step.graph.inputs.items():
        if port.role == "constant":
            made[name] = step.kernel.constants[step.form.original[port.name]]
        elif port.role in ("scale", "zero"):
            assert port.form is not None
            made[name] = _static(ranges, step.form.original[port.name], port.form, port.role)
    return made


def _bias_error(step: Step, form: ActivationFormat) -> Array | float:
    weight = step.kernel.weight
    if not step.wanted.bias or weight is None:
        return 0.0
    bias = np.asarray(step.kernel.constants[weight.bias], np.float32).ravel()
    rounded = round_brain(bias) if form.brain else round_half(bias)
    return np.asarray(rounded - bias)


def _static(ranges: Ranges, tensor: str, form: ActivationFormat, role: str) -> Array:
    """Scale or zero point as the quantized model holds them."""
    scale, zero = activation_params(ranges.of(tensor, form) or Range(0.0, 0.0), form)
    limits = np.finfo(np.float32)
    if role == "zero":
        return np.asarray(zero, code_dtype(form))
    return np.asarray(min(max(scale, float(limits.tiny)), float(limits.max)), np.float32)


def _reached(network: Network) -> set[str]:
    """Tensors that a tunable kernel has an effect on; integers too, unless a comparison or a cast made them."""
    reached: set[str] = set()
    for kernel in network.kernels:
        if kernel.tunable or any(name in reached for name in kernel.inputs):
            settled = all(node.op_type in ZERO or node.op_type == "Cast" for node in kernel.nodes)
            for name in kernel.outputs:
                info = network.tensors.get(name)
                if (info is not None and info.dtype.name in FLOATS) or not settled:
                    reached.add(name)
    return reached
