"""Running what lies behind one changed kernel, as fast as the runtime can.

Kernel by kernel, every result goes to memory and comes back, which takes three times as long as the network in one
session. So the network is cut into a few blocks with a session each, whose borders are in the order in which the
evaluator keeps activations. A changed kernel runs by itself, then what depends on it to the end of its block, then
whole blocks; all that the change doesn't reach is taken from the kept values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from math import prod

import numpy as np
import onnx
import onnxruntime as ort

from engine.errors import PlanError
from engine.fusion.types import Kernel, Network
from engine.graph.types import Array
from engine.numerics import Evaluator, lower
from engine.numerics.buffers import Value, run_kernel
from engine.numerics.lowering import Lowered
from engine.numerics.models import Built, build_model
from engine.numerics.outputs import OutputSums, compare_outputs, total
from engine.numerics.plan_run import SMALL_OUTPUTS
from engine.numerics.results import ErrorSums, OutputError
from engine.numerics.runtime import ALL, naming, open_either, options
from engine.numerics.sums import PIECE, Sums, error_sums, power_sums
from engine.numerics.upgrade import opset_for, upgrade_kernel
from engine.numerics.workers import Workers
from engine.precision.plan import Plan
from engine.precision.scheme import FP32, Scheme
from engine.progress import CancelToken
from engine.text import say

_BLOCKS = 12
_WEIGHTS = 64 << 20
"""Networks with more bytes of weights than that spend their time in big products: blocks would only cost memory."""
_ACTIVATIONS = 768 << 20


@dataclass(frozen=True, eq=False, slots=True)
class _Block:
    """Neighbouring kernels in one session."""

    kernels: tuple[Kernel, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    session: ort.InferenceSession


@dataclass(frozen=True, eq=False, slots=True)
class Begun:
    """A cell that the threads run, or have run."""

    keep: bool
    """Whether outputs are kept."""
    parts: list[OutputSums | None]
    others: list[dict[str, Sums]]
    """By sample: errors of further tensors."""
    runs: list[Future[None]] = field(default_factory=list)
    found: dict[int, Mapping[str, Value]] = field(default_factory=dict)
    """By sample: what is yet to be compared."""
    outputs: dict[int, dict[str, Array]] = field(default_factory=dict)
    """By sample: the model's outputs, copied, if they are kept."""


class Replay:
    """Measures plans that differ from a base in one kernel.

    Cells may be begun before those in front of them are finished: then no thread waits for another's last sample.
    """

    def __init__(
        self, evaluator: Evaluator, base: Plan, also: Sequence[str] = (), gate: Callable[[], None] | None = None
    ) -> None:
        """Take a base; nothing runs before `prepare`.

        Args:
            evaluator: Its reference and sessions are used; its current values are not touched.
            base: Schemes of all other kernels.
            also: Further tensors whose error is measured.
            gate: Called between kernels and blocks; may wait.
        """
        self._evaluator, self._base, self._gate = evaluator, base, gate
        self._also = tuple(also)
        self._workers = Workers(2)
        self._blocks: list[_Block] = []
        self._values: list[Mapping[str, Value]] = []
        self._place: dict[str, int] = {}
        network = evaluator.network
        self._compared = frozenset((*(info.name for info in network.graph.outputs), *self._also))
        sizes = (prod(network.tensors[name].shape) for name in self._compared if name in network.tensors)
        self._together = sum(sizes) <= SMALL_OUTPUTS
        """Whether samples are compared when all have run."""

    @staticmethod
    def suits(network: Network, base: Plan, samples: int) -> bool:
        """Whether blocks pay: not for huge weights, nor where a base would need too much memory."""
        weights = sum(array.nbytes for kernel in network.kernels for array in kernel.constants.values())
        if weights > _WEIGHTS or len(network.kernels) < 2:
            return False
        kept = sum(network.tensors[name].nbytes for kernel in network.kernels for name in kernel.outputs)
        return not base or kept * samples <= _ACTIVATIONS

    def prepare(self, cancel: CancelToken) -> None:
        """Open the blocks, and run the base.

        Raises:
            ModelError: If ONNX Runtime can't run it.
            Cancelled: If asked to stop.
        """
        self._evaluator.prepare(cancel=cancel)
        groups = _cut(self._evaluator.network)
        opened: dict[int, _Block] = {}
        self._workers.map(lambda at: opened.update({at: self._open(at, groups)}), range(len(groups)), cancel=cancel)
        self._blocks = [opened[at] for at in range(len(groups))]
        self._place = {kernel.id: at for at, group in enumerate(groups) for kernel in group}
        samples = len(self._evaluator.samples)
        self._values = [self._evaluator.kept(sample) for sample in range(samples)]
        if self._base:
            self._workers.map(lambda sample: self._run_base(sample, cancel), range(samples), cancel=cancel)

    def open_ahead(self, kernel_id: str, scheme: Scheme) -> None:
        """Open the session of a cell that comes after the next one: else both threads wait for one that opens it."""

        def work() -> None:
            with suppress(Exception):  # who measures the cell meets it again, and tells
                self._evaluator.session(self._kernel(kernel_id), scheme)

        self._workers.submit(work)

    def begin(self, kernel_id: str, scheme: Scheme, cancel: CancelToken, *, outputs: bool = False) -> Begun:
        """Let the threads run a cell, behind what they have to do already; `finish` gives its errors.

        Args:
            kernel_id: The kernel.
            scheme: Its scheme.
            cancel: Checked between kernels and blocks.
            outputs: Whether the model's outputs are to be kept.

        Raises:
            PlanError: If there is no such kernel.
        """
        kernel = self._kernel(kernel_id)
        count = len(self._values)
        begun = Begun(outputs, [None] * count, [{} for _ in range(count)])

        def run(sample: int) -> None:
            values = self._after(kernel, scheme, sample, cancel)
            if self._together:
                begun.found[sample] = {name: values[name] for name in self._compared if name in values}
            else:
                self._take(begun, sample, values)

        begun.runs.extend(self._workers.submit(run, sample) for sample in range(count))
        return begun

    def finish(self, begun: Begun, cancel: CancelToken) -> tuple[OutputError, Mapping[str, ErrorSums]]:
        """Wait for a cell: errors with one kernel in a scheme, at the outputs and of the tensors asked for.

        Raises:
            PlanError: If the scheme can't be run.
            Cancelled: If asked to stop.
        """
        try:
            for run in begun.runs:
                self._workers.result(run, cancel)
        except BaseException:
            for run in begun.runs:
                run.cancel()
            raise
        for sample in sorted(begun.found):
            cancel.check()
            self._take(begun, sample, begun.found.pop(sample))
        errors = {name: _added(each[name] for each in begun.others).as_result() for name in self._also}
        return total([part for part in begun.parts if part is not None], self._evaluator.reading), errors

    def _take(self, begun: Begun, sample: int, values: Mapping[str, Value]) -> None:
        """Errors of one sample, and its outputs if they are wanted."""
        begun.parts[sample], begun.others[sample] = self._compare(sample, values)
        if begun.keep:
            begun.outputs[sample] = {name: np.array(array) for name, array in self._outputs(values).items()}

    def close(self) -> None:
        """End the threads and forget the sessions."""
        self._workers.close()
        self._blocks, self._values = [], []

    def _kernel(self, kernel_id: str) -> Kernel:
        if kernel_id not in self._place:
            raise PlanError(say("The model has no layer {id} whose precision can be set.", id=kernel_id))
        return self._evaluator.network.by_id(kernel_id)

    def _open(self, at: int, groups: Sequence[tuple[Kernel, ...]]) -> _Block:
        network, graph = self._evaluator.network, self._evaluator.network.graph
        kernels = groups[at]
        made = {name for kernel in kernels for name in kernel.outputs}
        inputs = tuple(dict.fromkeys(n for kernel in kernels for n in kernel.inputs if n not in made))
        wanted = {info.name for info in graph.outputs} | set(self._also)
        wanted |= {name for group in groups[at + 1 :] for kernel in group for name in kernel.inputs}
        outputs = tuple(name for kernel in kernels for name in kernel.outputs if name in wanted)
        nodes: list[onnx.NodeProto] = []
        constants: dict[str, Array] = {}
        schemes = [self._base.scheme(kernel.id) if kernel.tunable else FP32 for kernel in kernels]
        own, opset = graph.opsets.get("", 1), max(opset_for(scheme, graph) for scheme in schemes)
        for kernel, scheme in zip(kernels, schemes, strict=True):
            said = kernel if own == opset else upgrade_kernel(kernel, own, opset, network.tensors)
            lowered = lower(said, scheme, self._evaluator.ranges, network.tensors, False, opset=opset)
            nodes += lowered.nodes
            constants |= lowered.constants
        layout = self._evaluator.layout
        if not layout.blocks.isdisjoint((*inputs, *outputs)):  # turning them around at each border costs a tenth
            rewritten = layout.rewrite(Lowered(tuple(nodes), constants), inputs, outputs)
            nodes, constants = list(rewritten.nodes), dict(rewritten.constants)

        def build(loose: bool) -> Built:
            opsets = {**graph.opsets, "": opset}
            return build_model(graph, nodes, inputs, outputs, constants, opsets=opsets, loose=loose)

        session = naming(kernels[0].name, lambda: open_either(build, lambda: options(ALL)))
        return _Block(kernels, inputs, outputs, session)

    def _run_base(self, sample: int, cancel: CancelToken) -> None:
        values = dict(self._values[sample])
        for kernel in self._evaluator.network.kernels:
            self._step(cancel)
            scheme = self._base.scheme(kernel.id) if kernel.tunable else FP32
            values.update(self._call(kernel, scheme, values))
        self._values[sample] = values

    def _after(self, kernel: Kernel, scheme: Scheme, sample: int, cancel: CancelToken) -> Mapping[str, Value]:
        """The values that one changed kernel changes, on top of the others."""
        values = dict(self._values[sample])
        place = self._place[kernel.id]
        changed: set[str] = set()
        for each in self._blocks[place].kernels:
            if each.id != kernel.id and not changed.intersection(each.inputs):
                continue
            self._step(cancel)
            own = scheme if each.id == kernel.id else self._base.scheme(each.id) if each.tunable else FP32
            values.update(self._call(each, own, values))
            changed.update(each.outputs)
        for block in self._blocks[place + 1 :]:
            if changed.intersection(block.inputs):
                self._step(cancel)
                values.update(_run_block(block, values))
                changed.update(block.outputs)
        return values

    def _call(self, kernel: Kernel, scheme: Scheme, values: Mapping[str, Value]) -> dict[str, Value]:
        session = self._evaluator.session(kernel, scheme)
        made: dict[str, Value] = naming(kernel.name, lambda: run_kernel(session, kernel, values, {}))
        return made

    def _step(self, cancel: CancelToken) -> None:
        cancel.check()
        if self._gate is not None:
            self._gate()

    def _compare(self, sample: int, values: Mapping[str, Value]) -> tuple[OutputSums, dict[str, Sums]]:
        reference = self._evaluator.kept(sample)
        labels = self._evaluator.samples.labels
        own = None if labels is None else np.asarray(labels[sample])
        parts = compare_outputs(self._evaluator.reading, self._outputs(values), self._outputs(reference), own)
        others = {}
        for name in self._also:
            info = self._evaluator.network.tensors.get(name)  # sums don't mind the order in which both lie
            before, now = reference[name].memory(info), values[name].memory(info)
            others[name] = error_sums(now, before, power_sums(before), np.empty(PIECE, np.float32))
        return parts, others

    # The model's outputs are never in blocks.
    def _outputs(self, values: Mapping[str, Value]) -> dict[str, Array]:
        graph = self._evaluator.network.graph
        return {
            info.name: self._array(values, info.name) if info.name in values else graph.constants[info.name]
            for info in graph.outputs
        }

    def _array(self, values: Mapping[str, Value], name: str) -> Array:
        return values[name].numpy(self._evaluator.network.tensors.get(name))


def _run_block(block: _Block, values: Mapping[str, Value]) -> dict[str, Value]:
    binding = block.session.io_binding()
    for name in block.inputs:
        binding.bind_ortvalue_input(name, values[name].ort)
    for name in block.outputs:
        binding.bind_output(name, "cpu")
    naming(block.kernels[0].name, lambda: block.session.run_with_iobinding(binding))
    return {name: Value(made, None) for name, made in zip(block.outputs, binding.get_outputs(), strict=True)}


def _added(parts: Iterable[Sums]) -> Sums:
    sums = Sums()
    for part in parts:
        sums = sums.plus(part)
    return sums


def _cut(network: Network) -> list[tuple[Kernel, ...]]:
    """Runs of kernels that take about the same time each, judged by products and elements moved."""
    work = [kernel.macs + 8 * sum(prod(network.tensors[n].shape) for n in kernel.outputs) for kernel in network.kernels]
    limit = sum(work) / _BLOCKS
    groups: list[list[Kernel]] = []
    filled = limit
    for kernel, own in zip(network.kernels, work, strict=True):
        if filled >= limit:
            groups.append([])
            filled = 0.0
        groups[-1].append(kernel)
        filled += own
    return [tuple(group) for group in groups]
