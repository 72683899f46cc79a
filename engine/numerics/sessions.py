"""One session per kernel and scheme, built when first needed and kept while the budget lasts."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import onnx
import onnxruntime as ort

from engine.fusion.types import Kernel, Kind, Network, Weight
from engine.graph.types import Array
from engine.numerics.alike import Alikes, Ports
from engine.numerics.in_place import full_results, lend
from engine.numerics.layout import Layout
from engine.numerics.lowering import Lowered, is_half, lower
from engine.numerics.models import Built, build_model
from engine.numerics.runtime import ALL, BASIC, EXTENDED, naming, open_either, open_session, options
from engine.numerics.table_rows import by_row, rows_read
from engine.numerics.upgrade import for_scheme, opset_for
from engine.numerics.versions import Version, join, with_weights
from engine.precision.scheme import Scheme
from engine.quant.ranges import Ranges

_CHAINS = 4
"""Sessions of the same kernels in a row that are kept: each plan would add some, that hardly another has."""
_At = tuple[int, Scheme, frozenset[str]]
"""Kernel index, scheme, inputs that are halves already."""


class ChainAt(NamedTuple):
    """What a session of several kernels in a row is of."""

    first: int
    """Index of its first kernel."""
    schemes: tuple[Scheme, ...]
    halves: tuple[frozenset[str], ...]

    def has(self, kernel: Kernel, scheme: Scheme) -> bool:
        """Whether that kernel is part of it under that scheme."""
        at = kernel.index - self.first
        return 0 <= at < len(self.schemes) and self.schemes[at] == scheme


class _Ready(NamedTuple):
    session: ort.InferenceSession
    nbytes: int
    version: Version | None = None
    """What it was built of, where it reads or writes tensors in blocks."""
    chain: object = None
    """What belongs to it, if it is one of several kernels."""


class Together(NamedTuple):
    """One session that computes a kernel under several schemes."""

    session: ort.InferenceSession
    results: tuple[Mapping[str, str], ...]
    """Per scheme: each output's name in the session; schemes that compute the same share a name."""


class Sessions:
    """Sessions of a network's kernels. Safe to use from several threads; a kernel is built by one of them at a time."""

    def __init__(
        self,
        network: Network,
        ranges: Ranges,
        limit: int,
        layout: Layout,
        feeds: Sequence[Mapping[str, Array]] = (),
    ) -> None:
        """Sessions of a network; none is built yet.

        Args:
            network: Whose kernels.
            ranges: Static ranges.
            limit: Bytes of constants that sessions may hold.
            layout: The order in which every tensor is kept.
            feeds: The only inputs of the model that the sessions will ever be run on; without, they may be any.
        """
        self._network = network
        self._layout = layout
        self._feeds = feeds
        self._rows: dict[int, Array | None] = {}
        self.ranges = ranges
        self.limit = limit
        self.nbytes = 0
        self._lock = threading.Lock()
        self._building = tuple(threading.Lock() for _ in network.kernels)
        self._ready: OrderedDict[_At | ChainAt, _Ready] = OrderedDict()
        self.alikes = Alikes(network.graph)

    def get(self, kernel: Kernel, scheme: Scheme, halves: frozenset[str] = frozenset()) -> ort.InferenceSession:
        """The session of a kernel under a scheme; each tensor is fed and returned in the order that it is kept in.

        Args:
            kernel: Whose.
            scheme: How it is rounded.
            halves: Inputs that will hold nothing but the scheme's floats of 16 bits.

        Raises:
            ModelError: If ONNX Runtime refuses the kernel.
            PlanError: If the scheme needs a range that is not there.
        """
        at = kernel.index, scheme, halves
        with self._building[kernel.index]:
            with self._lock:
                ready = self._ready.get(at)
                if ready is not None:
                    self._ready.move_to_end(at)
                    return ready.session
            ready = self._build(kernel, scheme, halves)
            self._keep(at, ready)
        return ready.session

    def _keep(self, at: _At | ChainAt, ready: _Ready) -> None:
        with self._lock:
            self._ready[at] = ready
            self.nbytes += ready.nbytes
            while self.nbytes > self.limit and len(self._ready) > 1:
                self.nbytes -= self._ready.popitem(last=False)[1].nbytes

    def version(self, kernel: Kernel, scheme: Scheme, halves: frozenset[str]) -> Version | None:
        """What a session that is there was built of; None where it isn't, or has nothing to do with blocks."""
        ready = self._ready.get((kernel.index, scheme, halves))
        return None if ready is None else ready.version

    def chain(self, at: ChainAt) -> object | None:
        """What `keep_chain` was given, if it is still there."""
        with self._lock:
            ready = self._ready.get(at)
            if ready is not None:
                self._ready.move_to_end(at)
            return None if ready is None else ready.chain

    def keep_chain(self, at: ChainAt, chain: object, nbytes: int, session: ort.InferenceSession) -> None:
        """Keep a session of several kernels, within the same budget as those of single ones, and but a few of the same.

        Args:
            at: What it is of.
            chain: What `chain` returns.
            nbytes: Of its constants.
            session: The session.
        """
        self._keep(at, _Ready(session, nbytes, None, chain))
        with self._lock:
            same = [other for other in self._ready if isinstance(other, ChainAt) and other.first == at.first]
            for longest_unused in same[:-_CHAINS]:
                self.nbytes -= self._ready.pop(longest_unused).nbytes

    def together(self, kernel: Kernel, schemes: Sequence[Scheme], outputs: Sequence[str]) -> Together | None:
        """One session for several schemes, for who wants all of them once: it is built each time and not kept.

        Args:
            kernel: Whose; tensors are in the order that each is kept in.
            schemes: At least one.
            outputs: Which outputs of the kernel are wanted.

        Returns:
            The session, or None if the kernel has no such form.

        Raises:
            ModelError: If ONNX Runtime refuses the kernel.
            PlanError: If a scheme needs a range that is not there.
        """
        opsets = {self._opset(scheme) for scheme in schemes}
        if len(opsets) > 1:
            return None
        versions: list[Version] = []
        rows = self._rows_of(kernel)
        table = None if rows is None else kernel.weight
        for at, scheme in enumerate(schemes):
            like = next((before for before in range(at) if _alike(schemes[before], scheme, table)), None)
            versions.append(
                self._version(kernel, scheme)
                if like is None
                else with_weights(kernel, versions[like], schemes[like], scheme, self._layout.block, rows)
            )
        joined = join(versions, outputs)
        if joined is None:
            return None
        named = {name: output for results in joined.results for output, name in results.items()}
        nodes, constants, opsets_of = joined.nodes, joined.constants, self.opsets(schemes[0])
        if self._layout.touches(kernel):
            session = self._open_blocked(kernel, nodes, constants, named, opsets_of)
            return Together(session, joined.results)
        built = build_model(
            self._network.graph, nodes, kernel.inputs, list(named.values()), constants, opsets=opsets_of
        )
        for info, name in zip(built.proto.graph.output, named, strict=True):
            info.name = name
        session = naming(kernel.name, lambda: open_session(built, options(_level(kernel))))
        return Together(session, joined.results)

    def _version(self, kernel: Kernel, scheme: Scheme) -> Version:
        """A kernel's nodes under a scheme, for tensors in the order that they are kept in."""
        lowered = self._lowered(kernel, scheme)
        if not self._layout.touches(kernel):
            return lowered.nodes, lowered.constants
        rewritten = self._layout.rewrite(lowered, kernel.inputs, kernel.outputs)
        return rewritten.nodes, rewritten.constants

    def has(self, kernel: Kernel, scheme: Scheme, halves: frozenset[str] = frozenset()) -> bool:
        """Whether a session is there already."""
        return (kernel.index, scheme, halves) in self._ready

    def drop(self, kernel: Kernel, scheme: Scheme) -> None:
        """Forget the sessions of a kernel under a scheme."""
        with self._lock:
            for at in [at for at in self._ready if _is_of(at, kernel, scheme)]:
                self.nbytes -= self._ready.pop(at).nbytes

    def close(self) -> None:
        """Forget all sessions."""
        with self._lock:
            self._ready.clear()
            self.nbytes = 0
        self.alikes.clear()

    def _build(self, kernel: Kernel, scheme: Scheme, halves: frozenset[str]) -> _Ready:
        graph = self._network.graph
        lowered, opsets = self._lowered(kernel, scheme, halves), self.opsets(scheme)
        if self._layout.touches(kernel):
            return self._build_blocked(kernel, lowered, opsets)

        def build(loose: bool) -> Built:
            return build_model(
                graph, lowered.nodes, kernel.inputs, kernel.outputs, lowered.constants, opsets=opsets, loose=loose
            )

        session = naming(kernel.name, lambda: open_either(build, lambda: options(_level(kernel))))
        return _Ready(session, sum(array.nbytes for array in lowered.constants.values()))

    def _lowered(self, kernel: Kernel, scheme: Scheme, halves: frozenset[str] = frozenset()) -> Lowered:
        graph = self._network.graph
        said, opset = for_scheme(kernel, scheme, graph)
        rows = self._rows_of(kernel)
        return lower(said, scheme, self.ranges, graph.tensors, False, opset=opset, halves=halves, rows=rows)

    def _rows_of(self, kernel: Kernel) -> Array | None:
        """Rows of its table that the feeds name, found once."""
        if kernel.index not in self._rows:
            self._rows[kernel.index] = rows_read(kernel, self._feeds)
        return self._rows[kernel.index]

    def _opset(self, scheme: Scheme) -> int:
        return opset_for(scheme, self._network.graph)

    def opsets(self, scheme: Scheme) -> Mapping[str, int]:
        """Of a model that holds a kernel under a scheme."""
        return {**self._network.graph.opsets, "": self._opset(scheme)}

    def _build_blocked(self, kernel: Kernel, lowered: Lowered, opsets: Mapping[str, int]) -> _Ready:
        """The session of a kernel that reads or writes tensors in blocks."""
        found = self._layout.rewrite(lowered, kernel.inputs, kernel.outputs)
        nodes, constants = found.nodes, found.constants
        outputs = dict(zip(kernel.outputs, kernel.outputs, strict=True))
        session = self._open_blocked(kernel, nodes, constants, outputs, opsets)
        return _Ready(session, sum(array.nbytes for array in constants.values()), (nodes, constants))

    def _open_blocked(
        self,
        kernel: Kernel,
        nodes: Sequence[onnx.NodeProto],
        constants: Mapping[str, Array],
        outputs: Mapping[str, str],
        opsets: Mapping[str, int],
    ) -> ort.InferenceSession:
        """A session of nodes that read or write tensors in blocks, shared with alike kernels where that can be.

        Args:
            kernel: Whose.
            nodes: What to run.
            constants: What they read besides the kernel's inputs.
            outputs: Name of each result that is wanted -> the output of the kernel that it looks like.
            opsets: Of the model.
        """
        full = full_results(nodes, outputs)
        results = [*outputs.items(), *((name, outputs[output]) for name, output in full.items())]

        def open_one() -> ort.InferenceSession:
            session = self.alikes.session(nodes, constants, Ports(kernel.inputs, results), opsets)
            if session is not None:
                return session
            looks = [output for _, output in results]
            built = build_model(self._network.graph, nodes, kernel.inputs, looks, constants, opsets=opsets)
            for info, (name, _) in zip(built.proto.graph.output, results, strict=True):
                info.name = name
            return open_session(built, options(BASIC))

        session = naming(kernel.name, open_one)
        lend(session, full)
        return session


def _is_of(at: _At | ChainAt, kernel: Kernel, scheme: Scheme) -> bool:
    if isinstance(at, ChainAt):
        return at.has(kernel, scheme)
    return at[0] == kernel.index and at[1] == scheme


def _alike(one: Scheme, other: Scheme, table: Weight | None) -> bool:
    """Whether a kernel's nodes are the same under both, so that only the weights differ.

    Beside integers they may not be: a bias takes its scale from the weight's. Nor if one needs the whole of a table of
    which the other needs some rows.
    """
    plain = one == one.rounded and other == other.rounded
    if table is not None and by_row(table, one.weights) != by_row(table, other.weights):
        return False
    return plain and one.activations == other.activations and is_half(one.activations)


def _level(kernel: Kernel) -> str:
    """1x1 convolutions are faster in plain layout, which the highest level takes away; all others gain by it."""
    if kernel.kind is not Kind.CONV or kernel.weight is None or any(size != 1 for size in kernel.weight.shape[2:]):
        return ALL
    grouped = any(a.name == "group" and a.i != 1 for a in kernel.nodes[kernel.anchor].proto.attribute)
    return ALL if grouped else EXTENDED
