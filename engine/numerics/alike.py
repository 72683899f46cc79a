"""Kernels that compute alike share one opened session, which gets weights, biases and scales as it gets activations.

Writing a model and opening it takes longer than rounding most weights, and a network repeats itself: its kernels differ
in their constants and in their sizes, of which operators in channel blocks know nothing before they run. Those read
their weights as they lie, so that nothing is packed when a session opens and each run is the same, bit by bit.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import onnx
import onnxruntime as ort

from engine.graph.types import Array, Graph
from engine.numerics.activations import onnx_type
from engine.numerics.blocks import DOMAIN
from engine.numerics.models import Built, build_model, has_bodies
from engine.numerics.runtime import BASIC, open_session, options, to_ort

_MOST = 512
"""Opened sessions that are kept."""
_INSIDE_BYTES = 1024
"""Constants that stay in the model, all together: they are part of what makes two kernels alike."""
_OWN = ("", "ai.onnx")
_FED = {
    **dict.fromkeys([(DOMAIN, "Conv")], (1, 2)),
    **dict.fromkeys([(d, f"{o}Linear") for d in (*_OWN, "com.microsoft") for o in ("Quantize", "Dequantize")], (1, 2)),
}
"""(Domain, operator) -> inputs that it reads anew in each run: weight and bias, scale and zero point."""
_ANY_SHAPE = frozenset({*_FED, (DOMAIN, "ReorderInput"), (DOMAIN, "ReorderOutput"), *((d, "Cast") for d in _OWN)})
"""Operators that need no shape before they run, and beside which none spares memory either."""
_TYPES = frozenset(map(np.dtype, ("float32", "int32", "int16", "int8", "uint16", "uint8")))


class Ports(NamedTuple):
    """What a model is fed with and what it returns."""

    inputs: Sequence[str]
    outputs: Sequence[tuple[str, str]]
    """Name of a result, and of the tensor whose dtype and shape it has."""


@dataclass(frozen=True, eq=False, slots=True)
class _Form:
    """Nodes with names that only tell what is connected with what."""

    key: bytes
    nodes: Sequence[onnx.NodeProto]
    names: Mapping[str, str]
    """Name in the kernel -> name here."""
    fed: Mapping[str, Array]
    """Constants that come in with each run, by their names here."""
    inside: Mapping[str, Array]
    shaped: bool


class Alikes:
    """Opened sessions by what they compute. Safe to use from several threads."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._lock = threading.Lock()
        self._opened: OrderedDict[bytes, _Cell] = OrderedDict()

    def session(
        self, nodes: Sequence[onnx.NodeProto], constants: Mapping[str, Array], ports: Ports, opsets: Mapping[str, int]
    ) -> FedSession | None:
        """A session of a kernel in channel blocks.

        Args:
            nodes: In runnable order; left as they are.
            constants: All that they read besides `ports.inputs`; kept as long as the session, not to be changed.
            ports: Of the kernel.
            opsets: Of the model.

        Returns:
            The session, under the names that `nodes` have; None for kernels that share none.
        """
        form = _form(self._graph, nodes, constants, ports, opsets)
        if form is None:
            return None
        with self._lock:
            cell = self._opened.setdefault(form.key, _Cell())
            self._opened.move_to_end(form.key)
            while len(self._opened) > _MOST:
                self._opened.popitem(last=False)
        try:
            opened = cell.get(lambda: open_session(_built(self._graph, form, ports, opsets), options(BASIC)))
        except Exception:  # it may open with its shapes; if it doesn't, that says why
            return None
        return FedSession(opened, form.names, form.fed)

    def clear(self) -> None:
        """Forget all; sessions that were handed out stay usable."""
        with self._lock:
            self._opened.clear()


@dataclass(eq=False, slots=True)
class _Cell:
    """One opened session, or room for it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    opened: ort.InferenceSession | None = None

    def get(self, make: Callable[[], ort.InferenceSession]) -> ort.InferenceSession:
        with self.lock:
            if self.opened is None:
                self.opened = make()
            return self.opened


class FedSession:
    """One kernel's share of an opened session: used like one of its own, with its own names."""

    def __init__(self, opened: ort.InferenceSession, names: Mapping[str, str], fed: Mapping[str, Array]) -> None:
        """Put together what belongs to the kernel.

        Args:
            opened: Shared with others.
            names: Name in the kernel -> name in `opened`.
            fed: What the kernel gives to each run, by its names in `opened`.
        """
        self._opened, self._names = opened, names
        self.held = {name: to_ort(array) for name, array in fed.items()}, fed
        """Values over the memory of arrays, and those."""

    def io_binding(self) -> ort.IOBinding:
        """A binding that knows the kernel's names and has its constants already."""
        return _Binding(self._opened, self._names, self.held[0])

    def run_with_iobinding(self, binding: ort.IOBinding, run_options: Any = None) -> None:
        """Run on what a binding of `io_binding` has."""
        self._opened.run_with_iobinding(binding, run_options)

    def run(self, output_names: Sequence[str] | None, input_feed: Mapping[str, Array]) -> list[Array]:
        """Run on arrays; without names all outputs."""
        wanted = None if output_names is None else [self._names[name] for name in output_names]
        constants = {name: value.numpy() for name, value in self.held[0].items()}
        found: list[Array] = self._opened.run(
            wanted, {**{self._names[name]: array for name, array in input_feed.items()}, **constants}
        )
        return found


class _Binding(ort.IOBinding):  # type: ignore[misc]
    """Takes a kernel's names for those of the session that it shares."""

    def __init__(self, opened: ort.InferenceSession, names: Mapping[str, str], fed: Mapping[str, ort.OrtValue]) -> None:
        super().__init__(opened)
        self._own_names = names
        for name, value in fed.items():
            super().bind_ortvalue_input(name, value)

    def bind_ortvalue_input(self, name: str, ortvalue: ort.OrtValue) -> None:
        super().bind_ortvalue_input(self._own_names[name], ortvalue)

    def bind_ortvalue_output(self, name: str, ortvalue: ort.OrtValue) -> None:
        super().bind_ortvalue_output(self._own_names[name], ortvalue)

    def bind_output(self, name: str, *where: Any, **how: Any) -> None:
        super().bind_output(self._own_names[name], *where, **how)


def _form(
    graph: Graph,
    nodes: Sequence[onnx.NodeProto],
    constants: Mapping[str, Array],
    ports: Ports,
    opsets: Mapping[str, int],
) -> _Form | None:
    """A kernel without its names, sizes and large constants; None where a constant is large and must be inside."""
    if has_bodies(nodes):
        return None
    inside = _inside(nodes, constants)
    if sum(constants[name].nbytes for name in inside) > _INSIDE_BYTES:
        return None
    names = {name: f"in{at}" for at, name in enumerate(ports.inputs)}
    made, parts = [], [repr(sorted(opsets.items())).encode()]
    for node in nodes:
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copy.name = ""
        for name in (*node.input, *node.output):
            if name not in names:
                names[name] = f"v{len(names)}" if name else ""
        copy.input[:], copy.output[:] = [names[name] for name in node.input], [names[name] for name in node.output]
        made.append(copy)
        parts.append(copy.SerializeToString())
    shaped = not all((node.domain, node.op_type) in _ANY_SHAPE for node in nodes)
    for name, array in constants.items():
        if name in names:
            told: object = (names[name], array.dtype.str, array.shape if shaped or name in inside else ())
            parts.append(repr(told).encode() + (np.ascontiguousarray(array).tobytes() if name in inside else b""))
    for name, like in (*((name, name) for name in ports.inputs), *ports.outputs):
        info = graph.tensors.get(like)
        parts.append(repr((names[name], info and (info.dtype.str, info.shape if shaped else ()))).encode())
    return _Form(
        b"\0".join(parts),
        made,
        names,
        {names[name]: array for name, array in constants.items() if name in names and name not in inside},
        {names[name]: constants[name] for name in inside},
        shaped,
    )


def _inside(nodes: Sequence[onnx.NodeProto], constants: Mapping[str, Array]) -> set[str]:
    """Constants that may decide how a model is rewritten, or of types that a run is not fed with."""
    inside = set()
    for node in nodes:
        fed = _FED.get((node.domain, node.op_type), ())
        for at, name in enumerate(node.input):
            if name in constants and (at not in fed or constants[name].dtype not in _TYPES):
                inside.add(name)
    return inside


def _built(graph: Graph, form: _Form, ports: Ports, opsets: Mapping[str, int]) -> Built:
    built = build_model(
        graph, form.nodes, ports.inputs, [like for _, like in ports.outputs], form.inside, opsets=opsets
    )
    body = built.proto.graph
    for info, name in zip(body.input, ports.inputs, strict=True):
        info.name = form.names[name]
    for info, (name, _) in zip(body.output, ports.outputs, strict=True):
        info.name = form.names[name]
    for name, array in form.fed.items():
        body.input.append(onnx.helper.make_tensor_value_info(name, onnx_type(array.dtype), array.shape))
    if not form.shaped:
        for info in (*body.input, *body.output):
            info.type.tensor_type.ClearField("shape")
    return built
