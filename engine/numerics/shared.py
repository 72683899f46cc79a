"""What an evaluator and its forks have in common: sessions, the reference run, and every figure found so far."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from engine.fusion.types import Kernel, Network
from engine.graph.types import Array
from engine.numerics.buffers import Store, Value, run_kernel
from engine.numerics.chains import Chains
from engine.numerics.layout import Layout
from engine.numerics.outputs import OutputSums, Reading, next_tokens
from engine.numerics.results import ErrorSums
from engine.numerics.runtime import naming, to_ort
from engine.numerics.samples import SampleSet
from engine.numerics.sessions import Sessions
from engine.numerics.sums import Sums, power_sums
from engine.numerics.wiring import Wiring
from engine.precision.scheme import FP32
from engine.progress import CancelToken

_REMEMBERED = 200_000
"""Figures that are kept; the oldest half goes when there are more."""
_OUTPUTS_REMEMBERED = 128
"""Plans whose outputs are kept sample by sample: a plan of 256 samples takes 0.15 MB, and its total is kept anyway."""


class Memo:
    """Figures by content key. Shared by threads; bounded."""

    def __init__(self, most: int = _REMEMBERED) -> None:
        self._most = most
        self._found: dict[object, object] = {}
        self._lock = threading.Lock()

    def get(self, key: object) -> object | None:
        """The figure, or None."""
        return self._found.get(key)

    def put(self, key: object, figure: object) -> None:
        """Remember a figure."""
        with self._lock:
            if len(self._found) >= self._most:
                for old in list(self._found)[: self._most // 2]:
                    del self._found[old]
            self._found[key] = figure

    def __contains__(self, key: object) -> bool:
        return key in self._found


class PlainValues(Mapping[str, Value]):
    """Values in plain order: those that lie in blocks are copied when they are first asked for."""

    def __init__(self, values: Mapping[str, Value], network: Network, store: Store) -> None:
        self._values, self._network, self._store = values, network, store
        self._copies: dict[str, Value] = {}
        self._lock = threading.Lock()

    def __getitem__(self, name: str) -> Value:
        found = self._values[name]
        if not found.block:
            return found
        with self._lock:
            if name not in self._copies:
                info = self._network.tensors[name]
                made = self._store.allocate([info], Layout({}))[name]
                np.copyto(made.memory(info), found.numpy(info))
                self._copies[name] = made
            return self._copies[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def forget(self) -> None:
        """Drop the copies in memory; who holds one of them keeps it alive. A file would only grow by the next ones."""
        with self._lock:
            self._copies = {name: value for name, value in self._copies.items() if not self._store.drop(value)}


@dataclass(eq=False, slots=True)
class Shared:
    """Filled by the reference run and read by everybody afterwards."""

    network: Network
    samples: SampleSet
    wiring: Wiring
    sessions: Sessions
    chains: Chains
    store: Store
    layout: Layout
    reference_keys: tuple[int, ...]
    values: list[dict[str, Value]]
    """Per sample: inputs and every kernel's reference outputs."""
    powers: list[dict[str, Sums]]
    """Per sample: sums of every float kernel output."""
    totals: Memo = field(default_factory=Memo)
    """Content key -> ErrorSums of a kernel over all samples."""
    outputs: Memo = field(default_factory=lambda: Memo(_OUTPUTS_REMEMBERED))
    """Content keys of the outputs -> OutputSums of each sample."""
    through: set[int] = field(default_factory=set)
    """Samples whose reference has run."""
    reading: Reading | None = None
    ready: bool = False
    preparing: threading.Lock = field(default_factory=threading.Lock)
    plain: dict[int, PlainValues] = field(default_factory=dict)
    """Per sample: the same values in plain order, where somebody has asked for them."""

    def plain_values(self, sample: int) -> PlainValues:
        """A sample's reference in plain order."""
        return self.plain.setdefault(sample, PlainValues(self.values[sample], self.network, self.store))

    def forget_plain(self, sample: int) -> None:
        """Give the copies of a sample back that are in plain order."""
        if sample in self.plain:
            self.plain[sample].forget()

    def output_arrays(self, values: Mapping[str, Value]) -> dict[str, Array]:
        """The model's outputs among a sample's values; outputs that are constants or inputs included."""
        graph = self.network.graph
        found: dict[str, Array] = {}
        for info in graph.outputs:
            if info.name in values:
                found[info.name] = values[info.name].numpy(graph.tensors.get(info.name, info))
            else:
                found[info.name] = graph.constants[info.name]
        return found

    def output_key(self, keys: tuple[int, ...]) -> tuple[int, ...]:
        """Content of the model's outputs."""
        producer = self.wiring.producer
        return tuple(keys[producer[info.name]] for info in self.network.graph.outputs if info.name in producer)

    def reads_reference(self, at: int, keys: tuple[int, ...]) -> bool:
        """Whether a kernel reads nothing but reference values in a run with that content."""
        return all(keys[before] == self.reference_keys[before] for before in self.wiring.reads[at])

    def labels(self, sample: int) -> Array | None:
        """Labels of one sample; for a language model without labels the tokens that follow those of the input."""
        labels = self.samples.labels
        if labels is not None:
            return np.asarray(labels[sample])
        tokens = self.reading.tokens if self.reading is not None else ""
        return next_tokens(np.asarray(self.samples.feeds[sample][tokens])) if tokens else None


def feed_values(network: Network, feeds: Mapping[str, Array]) -> dict[str, Value]:
    """A sample's inputs as ONNX Runtime takes them."""
    made = {}
    for info in network.graph.inputs:
        array = np.require(feeds[info.name], requirements="C")
        value = to_ort(array)
        made[info.name] = Value(value, array if info.dtype.kind not in "OSU" else None)
    return made


def keep_reference(
    shared: Shared,
    sample: int,
    kernels: Sequence[Kernel],
    buffers: Mapping[str, Value],
    cancel: CancelToken,
    done: list[int],
) -> None:
    """Run a sample through kernels as they are, those in front having run before, and keep every output."""
    network, values = shared.network, shared.values[sample]
    for kernel in kernels:
        cancel.check()
        session = shared.sessions.get(kernel, FP32)
        targets = {name: buffers[name] for name in kernel.outputs if name in buffers}
        values.update(call(kernel, session, values, targets))
        for name in shared.wiring.measured[kernel.index]:
            shared.powers[sample][name] = power_sums(values[name].memory(network.tensors[name]))
        done.append(1)


def call(
    kernel: Kernel, session: object, values: Mapping[str, Value], targets: Mapping[str, Value]
) -> dict[str, Value]:
    """Run a kernel; a complaint of ONNX Runtime names the layer.

    Raises:
        ModelError: If the run fails.
    """
    made: dict[str, Value] = naming(kernel.name, lambda: run_kernel(session, kernel, values, targets))
    return made


def reference_totals(shared: Shared) -> None:
    """Remember that the reference has no error."""
    for index, names in enumerate(shared.wiring.measured):
        if names:
            sums = Sums()
            for powers in shared.powers:
                for name in names:
                    sums = sums.plus(powers[name])
            shared.totals.put(shared.reference_keys[index], sums.as_result())


def totals_of(
    shared: Shared, keys: tuple[int, ...], before: Mapping[str, ErrorSums] = MappingProxyType({})
) -> dict[str, ErrorSums]:
    """Accumulated errors by kernel id, in execution order, as far as they are known.

    Args:
        shared: Remembers figures, but not for ever.
        keys: Content by kernel index.
        before: What it remembered of the same content earlier.
    """
    found = {}
    for kernel in shared.network.kernels:
        figure = shared.totals.get(keys[kernel.index]) or before.get(kernel.id)
        if isinstance(figure, ErrorSums):
            found[kernel.id] = figure
    return found


def output_parts(shared: Shared, keys: tuple[int, ...]) -> tuple[OutputSums, ...] | None:
    """Output errors of each sample, if they are known."""
    found = shared.outputs.get(shared.output_key(keys))
    return found if isinstance(found, tuple) else None
