"""The trial run: one run by ONNX Runtime on synthetic inputs that shows shapes, dtypes and all that is constant.

It is also the proof that the model runs at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, prod
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from onnx import numpy_helper

from engine.errors import ModelError, NotRunnableError
from engine.graph.arrange import Arranged
from engine.graph.branches import known_conditions
from engine.graph.dependence import Dependence, dependence
from engine.graph.feeds import synthetic_feeds
from engine.graph.guard import guarded
from engine.graph.limits import TooBigError
from engine.graph.runtime import Value, out_of_memory, quiet_run, reason, run
from engine.graph.settle import settled
from engine.graph.subgraphs import reads, subgraphs
from engine.graph.trial_model import Types, add_casts, add_shapes, keep_outputs, open_trial, trial_model
from engine.graph.types import NO_TENSOR, Array, TensorInfo
from engine.progress import CancelToken
from engine.text import say

_ROUNDS = 8
"""Times that new shapes may make new sizes computable."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What the run showed."""

    arranged: Arranged
    """The graph, with sizes that it computes as stored constants."""
    tensors: Mapping[str, TensorInfo]
    """Inputs and all outputs of nodes."""
    depends: Dependence
    folded: Mapping[str, Array]
    """Constants that nodes compute: those that a node with changing inputs reads, or that are outputs of the model."""
    conditions: Mapping[str, bool]
    """Conditions of If nodes that are constant."""


def try_run(
    model: onnx.ModelProto,
    arranged: Arranged,
    inputs: Sequence[TensorInfo],
    path: Path,
    memory_limit: int,
    loop_seconds: float,
    feeds: Mapping[str, Array] | None,
    cancel: CancelToken,
) -> Trial:
    """Run the arranged graph once.

    Args:
        model: Where operator sets, functions and the IR version stand.
        arranged: The nodes to run.
        inputs: Concrete inputs.
        path: The model file, free of links.
        memory_limit: Bytes that constants and activations may take.
        loop_seconds: How long the run may take if there is a loop in the model.
        feeds: Inputs to run on; random ones if None.
        cancel: Checked while the runtime works.

    Raises:
        ModelError: ONNX Runtime refuses the model, or it needs too much memory.
    """
    arranged, plain, session, types = _open_settled(model, arranged, inputs, path, cancel)
    cancel.check()
    written = [name for node in arranged.nodes for name in node.output if name]
    static = frozenset(name for name in written if types[name][1] is not None)
    depends = dependence(arranged.nodes, (i.name for i in inputs), static)
    cancel.check()
    _check_memory(arranged, inputs, types, depends, path, memory_limit)
    constants = frozenset(name for name in written if name not in depends.values)
    loose = _unheld(arranged, depends, constants, types)
    depends, constants = Dependence(depends.values | loose, depends.shapes), constants - loose
    conditions = known_conditions(arranged, constants | frozenset(arranged.stored))
    wanted = _frontier(arranged, depends, constants, conditions)
    cancel.check()
    casts = add_casts(plain, [name for name in wanted if types[name][0].kind == "V"])
    unknown = [name for name in written if types[name][1] is None and types[name][0] != NO_TENSOR]
    sizes = add_shapes(plain, unknown, types)
    fetch = [*(casts.get(name, name) for name in wanted), *sizes.values()] or written[-1:]
    keep_outputs(plain, fetch or arranged.outputs)
    session, _ = open_trial(plain, inputs, path, cancel)
    limits = index_limits(arranged, {name: shape for name, (_, shape) in types.items() if shape is not None})
    # Copies: an operator may write into what it was fed (BatchNormalization in training mode does).
    own = None if feeds is None else {name: np.array(array) for name, array in feeds.items()}
    tries = _guesses(inputs, limits) if own is None else [own]
    seconds = loop_seconds if any(_loops(node) for node in arranged.nodes) else inf
    values = _run(session, tries, fetch, path, memory_limit, seconds, cancel) if fetch else {}
    folded = {}
    for name in wanted:
        cancel.check()
        folded[name] = _constant(values[casts.get(name, name)], types.get(name))
    tensors = {info.name: info for info in inputs}
    cancel.check()
    for name in written:
        dtype, shape = types[name]
        if name in sizes:
            shape = tuple(int(size) for size in values[sizes[name]].read())
        tensors[name] = TensorInfo(name, dtype, shape or ())
    return Trial(arranged, tensors, depends, folded, {name: _truth(name, folded, arranged) for name in conditions})


def _open_settled(
    model: onnx.ModelProto, arranged: Arranged, inputs: Sequence[TensorInfo], path: Path, cancel: CancelToken
) -> tuple[Arranged, onnx.ModelProto, ort.InferenceSession, Types]:
    """Open the model, with its shape arithmetic worked out as far as that goes."""
    plain = trial_model(model, arranged, inputs)
    cancel.check()
    session, types = open_trial(plain, inputs, path, cancel)
    for _ in range(_ROUNDS):
        if all(shape is not None for _, shape in types.values()):
            break
        shapes = {name: shape for name, (_, shape) in types.items() if shape is not None}
        candidate = settled(model, arranged, shapes, inputs, path.parent, cancel)
        if candidate is None:
            break
        try:
            next_plain = trial_model(model, candidate, inputs)
            session, types = open_trial(next_plain, inputs, path, cancel)
        except ModelError:  # known values make shape inference stricter than the runtime itself
            break
        arranged, plain = candidate, next_plain
    return arranged, plain, session, types


def _frontier(
    arranged: Arranged, depends: Dependence, constants: frozenset[str], conditions: Sequence[str]
) -> list[str]:
    """Computed constants that something else than a constant needs."""
    wanted = dict.fromkeys(name for name in (*arranged.outputs, *conditions) if name in constants)
    for node in arranged.nodes:
        if any(name in depends.values for name in node.output):
            wanted.update(dict.fromkeys(name for name in reads(node) if name in constants))
    return list(wanted)


def _unheld(arranged: Arranged, depends: Dependence, constants: frozenset[str], types: Types) -> frozenset[str]:
    """Constants that no array holds (sequences and the like) and that something else needs: made anew in every run."""
    producer = {name: node for node in arranged.nodes for name in node.output if name in constants}
    stack = [name for name in _frontier(arranged, depends, constants, ()) if types[name][0] == NO_TENSOR]
    found = set[str]()
    while stack:
        node = producer[stack.pop()]
        if not found.issuperset(node.output):
            found.update(name for name in node.output if name)
            stack += [name for name in reads(node) if name in producer and types[name][0] == NO_TENSOR]
    return frozenset(found)


def _constant(value: Value, known: tuple[np.dtype[Any], tuple[int, ...] | None] | None) -> Array:
    array = value.read()
    if known is not None and known[0] not in (array.dtype, NO_TENSOR):
        array = array.astype(known[0])
    array.flags.writeable = False
    return array


def _loops(node: onnx.NodeProto) -> bool:
    """Whether a node, or one in its bodies, repeats a body."""
    return node.op_type in ("Loop", "Scan") or any(_loops(inner) for body in subgraphs(node) for inner in body.node)


def _truth(name: str, folded: Mapping[str, Array], arranged: Arranged) -> bool:
    value = folded[name] if name in folded else numpy_helper.to_array(arranged.stored[name])
    return bool(np.asarray(value).any())


def index_limits(arranged: Arranged, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """For inputs that index a table (an embedding): the number of its rows."""
    shapes = {**{name: tuple(tensor.dims) for name, tensor in arranged.stored.items()}, **shapes}
    same = frozenset({"Cast", "Reshape", "Squeeze", "Unsqueeze", "Identity", "Transpose", "Flatten", "Slice", "Split"})
    source: dict[str, str] = {}
    limits: dict[str, int] = {}
    for node in arranged.nodes:
        if node.op_type in same:
            source.update((name, source.get(node.input[0], node.input[0])) for name in node.output)
        elif node.op_type == "Gather" and len(node.input) == 2 and shapes.get(node.input[0]):
            axis = next((entry.i for entry in node.attribute if entry.name == "axis"), 0)
            table = shapes[node.input[0]]
            if not -len(table) <= axis < len(table):
                continue  # the runtime will say so
            rows = table[axis]
            name = source.get(node.input[1], node.input[1])
            limits[name] = min(rows, limits.get(name, rows))
    return limits


def _check_memory(
    arranged: Arranged,
    inputs: Sequence[TensorInfo],
    types: Types,
    depends: Dependence,
    path: Path,
    memory_limit: int,
) -> None:
    """Refuse before the run what is known to exceed the limit: inputs, all constants and the largest activation."""
    constants, largest = sum(info.nbytes for info in inputs), 0
    for node in arranged.nodes:
        for name in node.output:
            dtype, shape = types.get(name, (NO_TENSOR, None))
            size = prod(shape) * dtype.itemsize if shape is not None else 0
            if name in depends.values:
                largest = max(largest, size)
            else:
                constants += size
    if constants + largest > memory_limit:
        raise TooBigError(path, constants + largest, memory_limit)


def _guesses(inputs: Sequence[TensorInfo], limits: Mapping[str, int]) -> Iterator[dict[str, Array]]:
    """Random inputs, and, for models that refuse these (an index too high), zeros and ones."""
    feeds = synthetic_feeds(inputs, 0, limits=limits)
    yield feeds
    for fill in (0, 1):
        feeds = {
            name: np.full_like(array, fill) if array.dtype.kind in "iu" else array for name, array in feeds.items()
        }
        yield feeds


def _run(
    session: ort.InferenceSession,
    tries: Iterable[Mapping[str, Array]],
    outputs: Sequence[str],
    path: Path,
    memory_limit: int,
    seconds: float,
    cancel: CancelToken,
) -> dict[str, Value]:
    failures: list[Exception] = []
    for feeds in tries:
        options = quiet_run()
        fed = sum(array.nbytes for array in feeds.values())
        with guarded(options, max(0, memory_limit - fed), cancel, seconds) as guard:
            try:
                return run(session, feeds, outputs, options)
            except Exception as error:  # the runtime's exceptions have no common base
                failures.append(error)
        cancel.check()
        if guard.exceeded or out_of_memory(failures[-1]):
            raise TooBigError(path, max(fed + guard.exceeded, memory_limit), memory_limit)
        if guard.late:
            raise ModelError(
                say(
                    "{file} has a loop that was not over after {seconds} s: it may be endless, so it is not opened.",
                    file=path.name,
                    seconds=f"{seconds:g}",
                )
            )
    raise NotRunnableError(
        say("ONNX Runtime can't run {file}: {reason}.", file=path.name, reason=reason(failures[0]))
    ) from failures[0]
