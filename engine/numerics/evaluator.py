"""Running a plan: only what a change touches runs again, and every kernel's error is measured on the way."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
import onnxruntime as ort

from engine.errors import DataError
from engine.fusion.types import Kernel, Network
from engine.graph.types import Array
from engine.numerics.budget import MEMORY_LIMIT, shares
from engine.numerics.buffers import Store, Value
from engine.numerics.capture import Capture, captured
from engine.numerics.chains import Chains
from engine.numerics.first_look import look_first
from engine.numerics.layout import Layout, choose_layout
from engine.numerics.local import LocalErrors
from engine.numerics.outputs import OutputSums, Reading, total
from engine.numerics.plan_run import PlanRun, run_plan
from engine.numerics.reference import REFERENCE, open_reference, reference_values
from engine.numerics.results import ErrorSums, Evaluation
from engine.numerics.samples import SampleSet
from engine.numerics.sessions import Sessions
from engine.numerics.shared import Shared, output_parts, totals_of
from engine.numerics.state import SampleState, remember
from engine.numerics.wiring import Wiring
from engine.numerics.workers import Workers, exclusive
from engine.precision.plan import Plan
from engine.precision.scheme import FP32, Scheme
from engine.progress import NEVER, CancelToken, Progress, no_progress
from engine.quant.ranges import Ranges
from engine.text import say

_PATIENCE_S = 0.5
_MOST_HELD = 200_000
"""Schemes and errors of kernels in the evaluations that are kept, some 100 bytes each."""


class Evaluator:
    """Runs plans of a network on samples and measures them against the reference.

    Every kernel has a session of its own per scheme, every kernel output a buffer that knows what it holds. A change of
    plan runs what follows the changed kernels; a plan seen before runs nothing. Samples are spread over `workers`
    threads. Methods may be called from any thread; those that move the current values wait for each other.
    """

    def __init__(
        self,
        network: Network,
        samples: SampleSet,
        *,
        ranges: Ranges | None = None,
        workers: int = 2,
        memory_limit: int = MEMORY_LIMIT,
        touch: bool = True,
    ) -> None:
        """Take a network and samples; nothing runs before `prepare`.

        Args:
            network: What to run.
            samples: At least one.
            ranges: Static ranges; None takes min-max of the samples themselves.
            workers: Threads.
            memory_limit: Bytes for activations and sessions. Activations that don't fit go to a temporary file, and
                sessions that don't fit are built again when they are needed.
            touch: Whether `prepare` writes to the buffers of plans too, so that the first plan doesn't pay for it.
                Without, they take memory from the first plan on that differs from the reference.

        Raises:
            DataError: If there is no sample.
        """
        if not len(samples):
            raise DataError(say("There are no samples to run; choose data with at least one."))
        buffers, sessions = shares(network, len(samples), memory_limit)
        wiring, layout = Wiring(network), choose_layout(network)
        kept = Sessions(network, ranges or Ranges(), sessions, layout, samples.feeds)
        self._given, self._touch = ranges, touch
        self._shared = Shared(
            network,
            samples,
            wiring,
            kept,
            Chains(network, layout, kept, wiring),
            Store(buffers),
            layout,
            wiring.keys((FP32,) * len(network.kernels)),
            [],
            [],
        )
        self._start(Workers(workers), None, owner=True)

    def _start(self, workers: Workers, gate: Callable[[], None] | None, owner: bool) -> None:
        self._workers, self._gate, self._owner = workers, gate, owner
        self._lock = threading.Lock()
        self._states: list[SampleState] = []
        self._plans: OrderedDict[tuple[Plan, bool | frozenset[str]], Evaluation] = OrderedDict()
        self._plans_hold = 0
        """Schemes and errors of kernels in all of them."""
        self._local = LocalErrors(self._shared, workers, gate)

    @property
    def network(self) -> Network:
        """The network."""
        return self._shared.network

    @property
    def samples(self) -> SampleSet:
        """The samples."""
        return self._shared.samples

    @property
    def ranges(self) -> Ranges:
        """The static ranges in use."""
        return self._shared.sessions.ranges

    def take_ranges(self, ranges: Ranges) -> None:
        """Have these ranges from now on. Only while nothing has run that depends on ranges."""
        self._shared.sessions.ranges = ranges

    @property
    def memory_bytes(self) -> int:
        """Bytes of activations in memory and of constants held by sessions."""
        return self._shared.store.memory_bytes + self._shared.sessions.nbytes

    @property
    def reading(self) -> Reading:
        """How the model's outputs are read; known after `prepare`."""
        assert self._shared.reading is not None
        return self._shared.reading

    def reference(self, sample: int) -> Mapping[str, Value]:
        """Inputs and reference results of every kernel for one sample, not to be changed; there after `prepare`.

        All are in plain order; the first to ask for one that is kept otherwise pays for a copy, which stays until
        `forget_copies`.
        """
        return self._shared.plain_values(sample)

    def forget_copies(self, sample: int) -> None:
        """Give back the copies that `reference` has made of a sample, as soon as nobody holds them."""
        self._shared.forget_plain(sample)

    def kept(self, sample: int) -> Mapping[str, Value]:
        """The same, each in the order of `layout`: nothing is copied."""
        return self._shared.values[sample]

    @property
    def layout(self) -> Layout:
        """The order in which every tensor is kept."""
        return self._shared.layout

    def session(self, kernel: Kernel, scheme: Scheme) -> ort.InferenceSession:
        """A session of a kernel in a scheme, for tensors in the order of `layout`; any thread may ask.

        Raises:
            ModelError: If ONNX Runtime refuses the kernel.
            PlanError: If the scheme needs a range that is not there.
        """
        return self._shared.sessions.get(kernel, scheme)

    def prepare(self, *, progress: Progress = no_progress, cancel: CancelToken = NEVER) -> None:
        """Build the FP32 sessions and run the reference. Called by the other methods if it was not.

        Raises:
            ModelError: If ONNX Runtime can't run a layer.
            DataError: If labels don't fit the outputs.
            Cancelled: If asked to stop; may be called again.
        """
        shared = self._shared
        if self._is_ready():
            return
        with exclusive(self._lock, cancel), exclusive(shared.preparing, cancel):
            if self._is_ready():
                return
            self._workers.settle(cancel)
            with self._begun():
                open_reference(shared, self._given, self._workers, progress, cancel)
            shared.ready = True
            self._make_states()
            if self._touch and not shared.store.file_bytes:
                self._workers.map(lambda state: state.touch(), self._states, cancel=cancel)
            progress(1.0, REFERENCE)

    @contextmanager
    def _begun(self) -> Iterator[None]:
        """The reference in the making: after an attempt that was cancelled or has failed it begins anew."""
        shared = self._shared
        if not shared.through:
            shared.values, shared.powers = [], []
            shared.store.close()
        try:
            yield
        except BaseException:
            shared.through.clear()
            self._states.clear()
            raise

    def first_look(self, plan: Plan, *, progress: Progress = no_progress, cancel: CancelToken = NEVER) -> Evaluation:
        """The error of a plan at the output for the first sample alone, before anything else has run.

        What has run for it is not run again by `prepare` and `evaluate`. Needs ranges only if the plan does.

        Raises:
            As `evaluate`.
        """
        shared = self._shared
        if shared.ready or len(shared.samples) == 1:
            return self.evaluate(plan, accumulated=False, progress=progress, cancel=cancel)
        self.ranges.rounding.find(plan.items(), progress=progress, cancel=cancel)
        with exclusive(self._lock, cancel), exclusive(shared.preparing, cancel), self._begun():
            self._workers.settle(cancel)
            state, found = look_first(shared, self._workers, plan, self._gate, progress, cancel)
            self._states = [state]
        return found

    def reference_values(
        self, feeds: Sequence[Mapping[str, Array]], names: Sequence[str], *, cancel: CancelToken = NEVER
    ) -> Generator[dict[str, Array]]:
        """Other samples in the reference, as `reference.reference_values`; no plan can run before it is closed."""
        self.prepare(cancel=cancel)
        with exclusive(self._lock, cancel):
            yield from reference_values(self._shared, self._workers, feeds, names, cancel)

    def evaluate(
        self,
        plan: Plan,
        *,
        accumulated: bool | Collection[str] = True,
        progress: Progress = no_progress,
        cancel: CancelToken = NEVER,
    ) -> Evaluation:
        """Run a plan and measure it.

        Args:
            plan: The plan; kernels without a switch run as they are.
            accumulated: Measure every kernel, or only those with these ids. Without, only the outputs (a little
                faster); what is known of the kernels is in the result all the same, and asking again with True
                measures the rest without running.
            progress: Told about.
            cancel: Checked between kernels; answered within 20 ms.

        Raises:
            PlanError: If a scheme can't be run.
            Cancelled: If asked to stop; what has run is kept.
        """
        started = time.perf_counter()
        chosen = accumulated if isinstance(accumulated, bool) else frozenset(accumulated)
        known = self._plans.get((plan, True)) or self._plans.get((plan, chosen))
        if known is not None:
            return known
        self.prepare(progress=progress, cancel=cancel)
        self.ranges.rounding.find(plan.items(), progress=progress, cancel=cancel)
        shared = self._shared
        with exclusive(self._lock, cancel):
            schemes = shared.wiring.schemes(plan)
            keys = shared.wiring.keys(schemes)
            figures = totals_of(shared, keys)
            missing = self._missing(chosen, figures)
            parts = output_parts(shared, keys)
            if parts is None or any(missing):
                parts = self._run(schemes, keys, missing, progress, cancel)
                if self._owner:
                    shared.chains.prepare(schemes)
            assert shared.reading is not None
            found = Evaluation(
                output=total(parts, shared.reading),
                accumulated=totals_of(shared, keys, figures),
                synthetic=shared.samples.synthetic,
                samples=len(shared.samples),
                seconds=time.perf_counter() - started,
            )
            self._keep(plan, chosen, found)
        return found

    def _missing(self, chosen: bool | frozenset[str], figures: Collection[str]) -> list[bool]:
        """By kernel index: whether its error is wanted, and not among those that are known."""
        kernels, measured = self.network.kernels, self._shared.wiring.measured
        asked = chosen if isinstance(chosen, frozenset) else {kernel.id for kernel in kernels if chosen}
        asked = asked.difference(figures)
        return [bool(names) and kernel.id in asked for kernel, names in zip(kernels, measured, strict=True)]

    def _keep(self, plan: Plan, chosen: bool | frozenset[str], found: Evaluation) -> None:
        """Remember an evaluation, and forget the oldest ones beyond what all together may hold."""
        if (plan, chosen) in self._plans:
            return
        self._plans[plan, chosen] = found
        self._plans_hold += len(plan) + len(found.accumulated)
        while self._plans_hold > _MOST_HELD and len(self._plans) > 1:
            (oldest, _), gone = self._plans.popitem(last=False)
            self._plans_hold -= len(oldest) + len(gone.accumulated)

    def local_errors(
        self, cells: Plan | Iterable[tuple[str, Scheme]], *, cancel: CancelToken = NEVER
    ) -> Iterator[tuple[str, Scheme, ErrorSums]]:
        """Error of kernels on reference inputs, one scheme each.

        Args:
            cells: Kernel ids with schemes. Kernels without a switch or a float output are left out.
            cancel: Checked between samples; answered within 20 ms.

        Raises:
            Cancelled: If asked to stop.
            PlanError: For an id that the network doesn't have, or a scheme that can't be run.
        """
        listed = list(cells.schemes.items() if isinstance(cells, Plan) else cells)
        for kernel, _ in listed:
            self._shared.wiring.known(kernel)
        self.prepare(cancel=cancel)
        self.ranges.rounding.find(listed, cancel=cancel)
        return self._local.find(listed, cancel)

    def lead(self, plan: Plan, cells: Iterable[tuple[str, Scheme]], *, cancel: CancelToken = NEVER) -> None:
        """Begin to run a plan where that finds local errors: with kernels in front that read reference values in it.

        What they give is then both the kernel's own error and what the rest of the run starts from.

        Args:
            plan: The plan; `evaluate` goes on from there.
            cells: Kernels with schemes whose local errors are wanted.
            cancel: Checked between kernels.

        Raises:
            Cancelled: If asked to stop.
            PlanError: For an id that the network doesn't have, or a scheme that can't be run.
        """
        wanted = {self._shared.wiring.known(kernel): scheme for kernel, scheme in cells}
        self.prepare(cancel=cancel)
        self.ranges.rounding.find(plan.items(), cancel=cancel)
        shared, reference = self._shared, self._shared.reference_keys
        with exclusive(self._lock, cancel):
            schemes = shared.wiring.schemes(plan)
            keys = shared.wiring.keys(schemes)
            changed = [at for at, key in enumerate(keys) if key != reference[at]]
            first = [
                at
                for at in changed[: len(wanted)]
                if wanted.get(at) == schemes[at] and shared.reads_reference(at, keys)
            ]
            if not first or first != changed[: len(first)]:
                return
            upto = keys[: first[-1] + 1]
            measure = [at in first and key not in shared.totals for at, key in enumerate(upto)]
            self._advance(schemes, upto, measure, no_progress, cancel)
            remember(shared, self._states, upto, measure)

    def output(self, plan: Plan, *, cancel: CancelToken = NEVER) -> tuple[dict[str, Array], ...]:
        """The model's outputs under a plan, per sample; copies."""
        self.evaluate(plan, accumulated=False, cancel=cancel)
        shared = self._shared
        with exclusive(self._lock, cancel):
            schemes = shared.wiring.schemes(plan)
            self._advance(schemes, shared.wiring.keys(schemes), [False] * len(schemes), no_progress, cancel)
            return tuple(
                {name: np.array(array) for name, array in shared.output_arrays(state.values).items()}
                for state in self._states
            )

    def capture(self, kernel_id: str, plan: Plan, sample: int = 0, *, cancel: CancelToken = NEVER) -> Capture:
        """Values of a kernel under a plan and in the reference.

        Raises:
            PlanError: For an id that the network doesn't have.
            DataError: For a sample that there isn't.
            Cancelled: If asked to stop.
        """
        kernel = self.network.kernels[self._shared.wiring.known(kernel_id)]
        self.prepare(cancel=cancel)
        shared = self._shared
        if not 0 <= sample < len(shared.samples):
            raise DataError(
                say("There is no sample {sample}; there are {count}.", sample=sample, count=len(shared.samples))
            )
        with exclusive(self._lock, cancel):
            self._workers.settle(cancel)
            schemes = shared.wiring.schemes(plan)
            keys = shared.wiring.keys(schemes)[: kernel.index + 1]
            state = self._states[sample]
            state.advance(schemes, keys, [False] * len(keys), cancel, self._gate, [])
            names = shared.wiring.measured[kernel.index] or kernel.outputs
            return captured(self.network, kernel, sample, names[0], shared.values[sample], state.values)

    def values(
        self, plan: Plan, sample: int, *, kernels: Collection[str] | None = None, cancel: CancelToken = NEVER
    ) -> Iterator[tuple[Kernel, dict[str, Array]]]:
        """All outputs of every kernel for one sample under a plan, in execution order.

        The arrays are views that hold until the next step. While the iterator lives, nobody else can move the current
        values: walk through it without a pause, on a fork.

        Args:
            plan: The plan; an empty one gives the reference.
            sample: Which sample.
            kernels: Ids of the kernels that are wanted; None takes all.
            cancel: Checked between kernels.

        Raises:
            PlanError: For an id that the network doesn't have.
            Cancelled: If asked to stop.
        """
        network = self.network
        wanted = (
            network.kernels if kernels is None else [network.kernels[self._shared.wiring.known(i)] for i in kernels]
        )
        self.prepare(cancel=cancel)
        shared = self._shared
        with exclusive(self._lock, cancel):
            self._workers.settle(cancel)
            self._make_states()
            schemes = shared.wiring.schemes(plan)
            keys = shared.wiring.keys(schemes)
            state = self._states[sample]
            for kernel in sorted(wanted, key=lambda k: k.index):
                cancel.check()
                upto = keys[: kernel.index + 1]
                state.advance(schemes, upto, [False] * len(upto), cancel, self._gate, [])
                yield kernel, {name: state.values[name].numpy(network.tensors.get(name)) for name in kernel.outputs}

    def fork(self, gate: Callable[[], None] | None = None) -> Evaluator:
        """An evaluator with current values and threads of its own, that shares sessions, reference and known figures.

        Args:
            gate: Called between kernels by the fork's threads; may wait, so that a sweep steps aside for a toggle.
        """
        made = object.__new__(Evaluator)
        made._given, made._touch = self._given, self._touch
        made._shared = self._shared
        made._start(Workers(self._workers.count), gate, owner=False)
        return made

    def close(self) -> None:
        """End the threads and give the memory back. Close forks first."""
        self._workers.close()
        if self._owner:
            self._shared.chains.close()
        # A call that is being cancelled may still read what is taken away here; an iterator left behind does not.
        held = self._lock.acquire(timeout=_PATIENCE_S)
        while self._states:  # one by one: all at once would keep every other thread waiting
            state = self._states.pop()
            self._shared.store.returned(state.own_bytes)
            state.release()
        if held:
            self._lock.release()
        if self._owner:
            self._shared.ready = False
            self._shared.through.clear()
            for values in self._shared.values:
                while values:
                    values.popitem()
            self._shared.values, self._shared.powers, self._shared.plain = [], [], {}
            self._shared.sessions.close()
            self._shared.store.close()

    def _is_ready(self) -> bool:
        return self._shared.ready

    def _make_states(self) -> None:
        for sample in range(len(self._states), len(self._shared.samples)):
            self._states.append(SampleState(self._shared, sample))

    def _run(
        self,
        schemes: tuple[Scheme, ...],
        keys: tuple[int, ...],
        measure: list[bool],
        progress: Progress,
        cancel: CancelToken,
    ) -> tuple[OutputSums, ...]:
        shared = self._shared
        parts = output_parts(shared, keys)
        compared: dict[int, OutputSums] = {}
        self._advance(schemes, keys, measure, progress, cancel, compared if parts is None else None)
        remember(shared, self._states, keys, measure)
        if parts is None:
            parts = tuple(compared[sample] for sample in range(len(self._states)))
            shared.outputs.put(shared.output_key(keys), parts)
        return parts

    def _advance(
        self,
        schemes: tuple[Scheme, ...],
        keys: tuple[int, ...],
        measure: list[bool],
        progress: Progress,
        cancel: CancelToken,
        compared: dict[int, OutputSums] | None = None,
    ) -> None:
        """Bring all samples to that content; `compared`, if it is given, gets the errors of their outputs."""
        self._make_states()
        run = PlanRun(schemes, keys, measure, self._gate, progress, cancel)
        run_plan(self._shared, self._states, self._workers, run, compared)
