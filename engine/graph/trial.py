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
from engine.graph.meanings import meanings
from engine.graph.place import Meaning
from engine.graph.runtime import Value, out_of_memory, quiet_run, reason, run
from engine.graph.settle import settled
from engine.graph.subgraphs import reads, subgraphs
from engine.graph.trial_model import Types, add_casts, add_shapes, keep_outputs, open_trial, trial_model
from engine.graph.types import NO_TENSOR, Array, TensorInfo, foreign
from engine.progress import CancelToken
from engine.text import say

_LISTED = 64
"""Elements of a constant that may say which axes or sizes are meant."""
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
    fill: int | None = None
    """Value of the integers that were fed, if it took zeros or ones."""


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
    types = _doubted(arranged, types)
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
    casts = add_casts(plain, [name for name in wanted if foreign(types[name][0])])
    unknown = [name for name in written if types[name][1] is None and types[name][0] != NO_TENSOR]
    sizes = add_shapes(plain, unknown, types)
    fetch = [*(casts.get(name, name) for name in wanted), *sizes.values()] or written[-1:]
    keep_outputs(plain, fetch or arranged.outputs)
    session, _ = open_trial(plain, inputs, path, cancel)
    known = _meanings(model, arranged, inputs, types)
    # Copies: an operator may write into what it was fed (BatchNormalization in training mode does).
    own = None if feeds is None else {name: np.array(array) for name, array in feeds.items()}
    tries = _guesses(inputs, known) if own is None else [(own, None)]
    seconds = loop_seconds if any(_loops(node) for node in arranged.nodes) else inf
    values, fill = _run(session, tries, fetch, path, memory_limit, seconds, cancel) if fetch else ({}, None)
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
    truths = {name: _truth(name, folded, arranged) for name in conditions}
    return Trial(arranged, tensors, depends, folded, truths, fill)


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


def _doubted(arranged: Arranged, types: Types) -> Types:
    """The same without the shapes that are inferred wrongly, so that the run shows them.

    ONNX's inference ends in the middle of the shape of a ConvTranspose whose `output_shape` is smaller than its input;
    what comes behind it goes on from there.
    """
    shapes = {name: shape for name, (_, shape) in types.items()}
    shapes.update((name, tuple(tensor.dims)) for name, tensor in arranged.stored.items())
    false = set[str]()
    for node in arranged.nodes:
        shape = types[node.output[0]][1] if node.output[0] else None
        weight = shapes.get(node.input[1]) if node.op_type == "ConvTranspose" else None
        short = shape is not None and weight is not None and len(shape) != len(weight)
        if short or not false.isdisjoint(reads(node)):
            false.update(name for name in node.output if name)
    return (
        {name: (dtype, None if name in false else shape) for name, (dtype, shape) in types.items()} if false else types
    )


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


def _meanings(
    model: onnx.ModelProto, arranged: Arranged, inputs: Sequence[TensorInfo], types: Types
) -> dict[str, Meaning]:
    """What inputs have to be, by what is known before the run: stored, proven and declared shapes."""
    shapes = {value.name: declared for value in _declared(model.graph) if (declared := _fixed_shape(value)) is not None}
    shapes.update((name, tuple(tensor.dims)) for name, tensor in arranged.stored.items())
    shapes.update((name, shape) for name, (_, shape) in types.items() if shape is not None)
    return meanings(arranged.nodes, inputs, shapes, lambda name: _small(arranged.stored.get(name)))


def _declared(graph: onnx.GraphProto) -> Iterable[onnx.ValueInfoProto]:
    return (*graph.value_info, *graph.output)


def _fixed_shape(value: onnx.ValueInfoProto) -> tuple[int, ...] | None:
    tensor = value.type.tensor_type
    if not tensor.HasField("shape") or any(dim.dim_value <= 0 for dim in tensor.shape.dim):
        return None
    return tuple(dim.dim_value for dim in tensor.shape.dim)


def _small(tensor: onnx.TensorProto | None) -> Array | None:
    """The value of a constant that may be a list of axes or sizes."""
    if tensor is None or prod(tensor.dims) > _LISTED or tensor.data_location == onnx.TensorProto.EXTERNAL:
        return None
    return numpy_helper.to_array(tensor)


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


def _guesses(
    inputs: Sequence[TensorInfo], known: Mapping[str, Meaning]
) -> Iterator[tuple[dict[str, Array], int | None]]:
    """Plausible inputs, and, for models that refuse these (an index too high), zeros and ones for all integers."""
    for fill in (None, 0, 1):
        yield synthetic_feeds(inputs, 0, known=known, fill=fill), fill


def _run(
    session: ort.InferenceSession,
    tries: Iterable[tuple[Mapping[str, Array], int | None]],
    outputs: Sequence[str],
    path: Path,
    memory_limit: int,
    seconds: float,
    cancel: CancelToken,
) -> tuple[dict[str, Value], int | None]:
    failures: list[Exception] = []
    for feeds, fill in tries:
        options = quiet_run()
        fed = sum(array.nbytes for array in feeds.values())
        with guarded(options, max(0, memory_limit - fed), cancel, seconds) as guard:
            try:
                return run(session, feeds, outputs, options), fill
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
