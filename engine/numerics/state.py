"""The current values of one sample, and how they follow a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
import onnxruntime as ort

from engine.fusion.types import Kernel
from engine.numerics.buffers import Bound, Value, bind, fixed_outputs
from engine.numerics.chains import Chain
from engine.numerics.runtime import naming
from engine.numerics.shared import Shared, call
from engine.numerics.sums import PIECE, Sums, error_sums
from engine.precision.scheme import Scheme
from engine.progress import CancelToken

_NONE: Mapping[int, ort.InferenceSession] = MappingProxyType({})
_NO_CHAINS: Mapping[int, Chain] = MappingProxyType({})


class SampleState:
    """Buffers of one sample.

    While nothing before a kernel is quantized, its value is the reference's own: that takes no memory and no run.
    """

    def __init__(self, shared: Shared, sample: int) -> None:
        self._shared = shared
        self._sample = sample
        self.values: dict[str, Value] = dict(shared.values[sample])
        self._own: dict[str, Value] = {}
        self._keys: list[int] = list(shared.reference_keys)
        self.sums: list[Sums | None] = [None] * len(shared.reference_keys)
        """Error of what each kernel holds now; None if it was not measured."""
        self._bound: list[Bound | None] = [None] * len(shared.reference_keys)
        """By kernel index: what it last ran on. One each, whatever schemes come and go."""
        self._chained: dict[int, Bound] = {}
        """The same of chains, by the index of their first kernel."""
        self._scratch = np.empty(PIECE, np.float32)

    @property
    def own_bytes(self) -> int:
        """Memory of the buffers that this state has allocated."""
        return sum(value.array.nbytes for value in self._own.values() if value.array is not None)

    def release(self) -> None:
        """Let go of all values; the state can't be used afterwards."""
        self._bound.clear()
        self._chained.clear()
        for values in (self.values, self._own):
            while values:
                values.popitem()

    def touch(self) -> None:
        """Allocate all buffers and write to each page, so that the first toggle doesn't pay for it; once only."""
        if self._own:  # what they hold is in use
            return
        for value in self._buffers().values():
            if value.array is not None and value.array.size:
                value.array.reshape(-1).view(np.uint8)[::4096] = 0

    def stale(self, want: Sequence[int]) -> list[int]:
        """Kernels that have to run for that content."""
        reference = self._shared.reference_keys
        return [at for at, key in enumerate(want) if self._keys[at] != key != reference[at]]

    def advance(
        self,
        schemes: Sequence[Scheme],
        want: Sequence[int],
        measure: Sequence[bool],
        cancel: CancelToken,
        gate: Callable[[], None] | None,
        done: list[int],
        ready: Mapping[int, ort.InferenceSession] = _NONE,
        chains: Mapping[int, Chain] = _NO_CHAINS,
    ) -> None:
        """Bring the kernels up to `len(want)` to the content that `want` names.

        Args:
            schemes: By kernel index.
            want: Content keys by kernel index; may be a prefix.
            measure: Whether the kernel's error is to be found.
            cancel: Checked between kernels.
            gate: Called between kernels; may wait.
            done: Grows by one with each kernel that ran.
            ready: Sessions by kernel index that have been looked up already.
            chains: By the index of their first kernel; of these schemes.
        """
        shared = self._shared
        for kernel, key in zip(shared.network.kernels, want):  # noqa: B905 - `want` may be a prefix
            index = kernel.index
            if self._keys[index] != key:
                cancel.check()
                if gate is not None:
                    gate()
                chain = chains.get(index)
                if chain is not None and self._must_run(chain, want, measure):
                    self._run_chain(chain, want)
                    done.extend([1] * len(chain.kernels))
            if self._keys[index] != key:
                self.sums[index] = None
                if key == shared.reference_keys[index]:
                    reference = shared.values[self._sample]
                    self.values.update((name, reference[name]) for name in kernel.outputs)
                else:
                    self._keys[index] = -1  # half written, should the run fail
                    session = ready.get(index)
                    if session is None:
                        session = shared.sessions.get(kernel, schemes[index], shared.wiring.halves(index, schemes))
                    self._run(kernel, session)
                    done.append(1)
                self._keys[index] = key
            if measure[index] and self.sums[index] is None:
                self.sums[index] = self._measure(index)

    def _must_run(self, chain: Chain, want: Sequence[int], measure: Sequence[bool]) -> bool:
        """Whether all kernels of a chain must run, and may do so before the first of them is measured."""
        indices, reference = chain.indices, self._shared.reference_keys
        if indices.stop > len(want) or any(not self._keys[at] != want[at] != reference[at] for at in indices):
            return False
        return chain.cached or not any(measure[at] for at in indices)

    def _run_chain(self, chain: Chain, want: Sequence[int]) -> None:
        indices = slice(chain.indices.start, chain.indices.stop)
        self.sums[indices] = [None] * len(chain.kernels)
        self._keys[indices] = [-1] * len(chain.kernels)
        bound = self._chained.get(indices.start)
        if bound is None or not bound.holds(chain.session, chain, self.values):
            buffers = self._buffers()
            bound = bind(chain.session, chain, self.values, {name: buffers[name] for name in chain.outputs})
            self._chained[indices.start] = bound
        binding = bound.binding
        naming(chain.name, lambda: chain.session.run_with_iobinding(binding))
        self.values.update(bound.targets)
        self._keys[indices] = want[indices]

    def _run(self, kernel: Kernel, session: ort.InferenceSession) -> None:
        """Run a kernel into its buffers, on what it was bound to before if that is the same."""
        bound = self._bound[kernel.index]
        if bound is not None and bound.holds(session, kernel, self.values):
            binding = bound.binding
            naming(kernel.name, lambda: session.run_with_iobinding(binding))
            self.values.update(bound.targets)
            return
        buffers = self._buffers()
        targets = {name: buffers[name] for name in kernel.outputs if name in buffers}
        if len(targets) < len(kernel.outputs):  # ONNX Runtime allocates some of them anew each time
            self.values.update(call(kernel, session, self.values, targets))
            return
        made = bind(session, kernel, self.values, targets)
        naming(kernel.name, lambda: session.run_with_iobinding(made.binding))
        self.values.update(targets)
        self._bound[kernel.index] = made

    def output_sums(self) -> dict[str, Sums]:
        """Errors of the model's outputs, as far as they were measured as the one float output of a kernel."""
        shared = self._shared
        found = {}
        for info in shared.network.graph.outputs:
            index = shared.wiring.producer.get(info.name)
            if index is not None and shared.wiring.measured[index] == (info.name,):
                sums = self.sums[index]
                if sums is not None:
                    found[info.name] = sums
        return found

    def _measure(self, index: int) -> Sums:
        shared = self._shared
        reference, powers = shared.values[self._sample], shared.powers[self._sample]
        total = Sums()
        for name in shared.wiring.measured[index]:
            info = shared.network.tensors[name]
            total = total.plus(
                error_sums(self.values[name].memory(info), reference[name].memory(info), powers[name], self._scratch)
            )
        return total

    def _buffers(self) -> dict[str, Value]:
        if not self._own:
            self._own = self._shared.store.allocate(fixed_outputs(self._shared.network), self._shared.layout)
        return self._own


def remember(shared: Shared, states: Sequence[SampleState], keys: Sequence[int], measure: Sequence[bool]) -> None:
    """Keep what was measured of all samples, by kernel index; `keys` name the content."""
    for index, wanted in enumerate(measure):
        if wanted:
            sums = Sums()
            for state in states:
                sums = sums.plus(state.sums[index] or Sums())
            shared.totals.put(keys[index], sums.as_result())
