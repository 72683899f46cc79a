"""Several kernels in one session: what Python does for each kernel costs as much as a small kernel runs.

A network's kernels in channel blocks are cut into fixed runs. A chain is one such run under certain schemes: the
kernels' own nodes one behind the other, every kernel's output still an output that goes to its own buffer, rounded as
ever. So what is kept, measured and looked up stays as it is, bit by bit, and a run of which only some kernels must run
goes kernel by kernel. Chains are put together of what the kernels' sessions were built of, after an evaluation and only
while nobody evaluates.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import onnx
import onnxruntime as ort

from engine.fusion.types import Kernel, Network
from engine.graph.types import Array
from engine.numerics.buffers import fixed
from engine.numerics.in_place import full_results, lend
from engine.numerics.layout import Layout
from engine.numerics.models import build_model, has_bodies
from engine.numerics.runtime import BASIC, open_session, options
from engine.numerics.sessions import ChainAt, Sessions
from engine.numerics.versions import Version
from engine.numerics.wiring import Wiring
from engine.precision.scheme import Scheme

_MOST = 8
"""Kernels of a chain: when one of them changes, the others run one by one until the next chain is there."""
_SECONDS, _MACS_PER_SECOND, _BYTES_PER_SECOND = 5e-3, 40e9, 3e9
"""About how long a chain may run, and how that is estimated: a cancel and a gate wait for its end."""
_WEIGHT_BYTES = 32 << 20
"""Networks with larger weights gain nothing: their kernels run longer than what Python does between them."""
_CACHED_BYTES = 1 << 20
"""Results up to which a chain is measured as well from the caches as each of its kernels by itself."""
PAUSE_SECONDS = 0.4
"""Since the last evaluation, before chains are put together."""


@dataclass(frozen=True, eq=False, slots=True)
class Chain:
    """A session of several kernels in a row."""

    kernels: tuple[Kernel, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    session: ort.InferenceSession
    nbytes: int
    """Of its constants; those that it shares with the sessions of its kernels count twice."""
    cached: bool
    """Whether the results are still in the caches when it has run."""

    @property
    def name(self) -> str:
        """For a complaint."""
        return self.kernels[0].name

    @property
    def indices(self) -> range:
        """Of its kernels."""
        return range(self.kernels[0].index, self.kernels[-1].index + 1)


class Chains:
    """The chains of a network. Safe to use from several threads; `close` ends the one that puts them together."""

    def __init__(self, network: Network, layout: Layout, sessions: Sessions, wiring: Wiring) -> None:
        self._network, self._sessions, self._wiring = network, sessions, wiring
        self._parts = cut(network, layout)
        self._changed = threading.Condition()
        self._asked = 0
        """How many evaluations there were: one that begins stops what is put together."""
        self._schemes: tuple[Scheme, ...] | None = None
        """What is to be put together."""
        self._thread: threading.Thread | None = None

    def ready(self, schemes: tuple[Scheme, ...]) -> Mapping[int, Chain]:
        """Chains that are there under these schemes, by the index of their first kernel; stops the work on others."""
        if not self._parts:
            return {}
        with self._changed:
            self._asked += 1
            self._schemes = None
            self._changed.notify_all()
        found = (self._sessions.chain(self._key(part, schemes)) for part in self._parts)
        return {chain.kernels[0].index: chain for chain in found if isinstance(chain, Chain)}

    def prepare(self, schemes: tuple[Scheme, ...]) -> None:
        """Put the chains of these schemes together, unless somebody evaluates before that."""
        with self._changed:
            self._schemes = schemes if self._parts else None
            if self._schemes is not None and self._thread is None:
                self._thread = threading.Thread(target=self._work, name="mixbit-chains", daemon=True)
                self._thread.start()

    def settle(self) -> None:
        """Wait until nothing is put together any more."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def close(self) -> None:
        """Stop, and wait for that."""
        with self._changed:
            self._parts, self._schemes = (), None
            self._asked += 1
            self._changed.notify_all()
        self.settle()

    def _work(self) -> None:
        while True:
            with self._changed:
                asked = self._asked
                if self._schemes is not None and self._changed.wait(PAUSE_SECONDS):
                    continue  # somebody evaluates: wait anew
                schemes = self._schemes
                if schemes is None:
                    self._thread = None
                    return
            for part in self._parts:
                if asked != self._asked:
                    break
                key = self._key(part, schemes)
                if self._sessions.chain(key) is None and (made := self._build(part, schemes)) is not None:
                    self._sessions.keep_chain(key, made, made.nbytes, made.session)
            else:
                with self._changed:
                    if self._schemes is schemes:
                        self._schemes = None

    def _key(self, part: Sequence[Kernel], schemes: tuple[Scheme, ...]) -> ChainAt:
        first, last = part[0].index, part[-1].index
        halves = tuple(self._wiring.halves(kernel.index, schemes) for kernel in part)
        return ChainAt(first, schemes[first : last + 1], halves)

    def _build(self, part: tuple[Kernel, ...], schemes: Sequence[Scheme]) -> Chain | None:
        """The chain of a run, if all of its kernels have been run by themselves; else None."""
        versions: list[Version] = []
        opsets = []
        for kernel in part:
            scheme = schemes[kernel.index]
            found = self._sessions.version(kernel, scheme, self._wiring.halves(kernel.index, schemes))
            if found is None:
                return None
            versions.append(found)
            opsets.append(self._sessions.opsets(scheme))
        if any(other != opsets[0] for other in opsets):
            return None
        try:
            return self._open(part, versions, opsets[0])
        except Exception:  # kernel by kernel it has run: it just stays slower
            return None

    def _open(self, part: tuple[Kernel, ...], versions: Sequence[Version], opsets: Mapping[str, int]) -> Chain:
        nodes: list[onnx.NodeProto] = []
        constants: dict[str, Array] = {}
        for kernel, version in zip(part, versions, strict=True):
            prefix = f"mixbit/{kernel.index}/"
            nodes += _renamed(version[0], prefix, (*kernel.inputs, *kernel.outputs))
            constants |= {prefix + name: array for name, array in version[1].items()}
        outputs = tuple(name for kernel in part for name in kernel.outputs)
        inputs = tuple(dict.fromkeys(name for kernel in part for name in kernel.inputs if name not in outputs))
        full = full_results(nodes, outputs)
        graph, tensors = self._network.graph, self._network.tensors
        built = build_model(graph, nodes, inputs, (*outputs, *full.values()), constants, opsets=opsets)
        for info, name in zip(built.proto.graph.output[len(outputs) :], full, strict=True):
            info.name = name
        session = open_session(built, options(BASIC))
        lend(session, full)
        cached = sum(tensors[name].nbytes for name in outputs) <= _CACHED_BYTES
        return Chain(part, inputs, outputs, session, sum(array.nbytes for array in constants.values()), cached)


def cut(network: Network, layout: Layout) -> tuple[tuple[Kernel, ...], ...]:
    """Runs of kernels that may become chains: all in channel blocks, of fixed shapes and without graphs inside."""
    if sum(array.nbytes for kernel in network.kernels for array in kernel.constants.values()) > _WEIGHT_BYTES:
        return ()
    parts: list[list[Kernel]] = [[]]
    seconds = 0.0
    for kernel in network.kernels:
        suits = layout.touches(kernel) and all(fixed(network, name) for name in kernel.outputs)
        suits = suits and not has_bodies(node.proto for node in kernel.nodes)
        if not suits:
            parts.append([])
            continue
        own = kernel.macs / _MACS_PER_SECOND
        own += sum(network.tensors[name].nbytes for name in kernel.outputs) / _BYTES_PER_SECOND
        if not parts[-1] or len(parts[-1]) == _MOST or seconds + own > _SECONDS:
            parts.append([])
            seconds = 0.0
        parts[-1].append(kernel)
        seconds += own
    return tuple(tuple(part) for part in parts if len(part) > 1)


def _renamed(nodes: Iterable[onnx.NodeProto], prefix: str, own: Sequence[str]) -> list[onnx.NodeProto]:
    """Copies in which all names have a prefix but those of activations."""

    def renamed(name: str) -> str:
        return name if not name or name in own else prefix + name

    made = []
    for node in nodes:
        made.append(copy := onnx.NodeProto())
        copy.CopyFrom(node)
        copy.name = renamed(node.name) if node.name else ""
        copy.input[:] = [renamed(name) for name in node.input]
        copy.output[:] = [renamed(name) for name in node.output]
    return made
