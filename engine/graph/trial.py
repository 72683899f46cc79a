"""The trial run: one run by ONNX Runtime on synthetic inputs that shows shapes, dtypes and all that is constant.

It is also the proof that the model runs at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort

from engine.errors import ModelError
from engine.graph.arrange import Arranged
from engine.graph.dependence import Dependence, dependence
from engine.graph.feeds import synthetic_feeds
from engine.graph.guard import guarded
from engine.graph.runtime import NO_TENSOR, open_session, output_types, reason, run
from engine.graph.subgraphs import reads
from engine.graph.types import Array, TensorInfo
from engine.progress import CancelToken
from engine.text import Text, say

_CAST = "{}__as_float"


@dataclass(frozen=True, slots=True)
class Trial:
    """What the run showed."""

    tensors: Mapping[str, TensorInfo]
    """Inputs and all outputs of nodes."""
    depends: Dependence
    folded: Mapping[str, Array]
    """Constants that nodes compute: those that a node with changing inputs reads, or that are outputs of the model."""


def try_run(
    model: onnx.ModelProto,
    arranged: Arranged,
    inputs: Sequence[TensorInfo],
    path: Path,
    memory_limit: int,
    cancel: CancelToken,
) -> Trial:
    """Run the arranged graph once.

    Args:
        model: Where operator sets, functions and the IR version stand.
        arranged: The nodes to run.
        inputs: Concrete inputs.
        path: The model file, free of links.
        memory_limit: Bytes that constants and activations may take.
        cancel: Checked while the runtime works.

    Raises:
        ModelError: ONNX Runtime refuses the model, or it needs too much memory.
    """
    plain = _model(model, arranged, inputs)
    session, types = _open(plain, inputs, path)
    cancel.check()
    written = [name for node in arranged.nodes for name in node.output if name]
    static = frozenset(name for name in written if types[name][1] is not None)
    depends = dependence(arranged.nodes, (i.name for i in inputs), static)
    _check_memory(arranged, types, depends, path, memory_limit)
    wanted = _frontier(arranged, depends, written)
    odd = {name: _CAST.format(name) for name in wanted if types[name][0].kind == "V"}
    if odd:
        _add_casts(plain, odd)
        session, _ = _open(plain, inputs, path)
    unknown = [name for name in written if types[name][1] is None and name not in wanted]
    fetch = [odd.get(name, name) for name in wanted] + unknown
    limits = index_limits(arranged, {name: shape for name, (_, shape) in types.items() if shape is not None})
    values = _run(session, inputs, limits, fetch or written[-1:], path, memory_limit, cancel)
    folded = {}
    for name in wanted:
        folded[name] = _constant(values[odd.get(name, name)], types[name][0])
    tensors = {info.name: info for info in inputs}
    for name in written:
        dtype, shape = types[name]
        value = values.get(name)
        if shape is None and value is not None and value.is_tensor():
            shape = tuple(value.shape())
        tensors[name] = TensorInfo(name, dtype, shape or ())
    return Trial(tensors, depends, folded)


def _model(model: onnx.ModelProto, arranged: Arranged, inputs: Sequence[TensorInfo]) -> onnx.ModelProto:
    plain = onnx.ModelProto(ir_version=model.ir_version)
    plain.opset_import.extend(model.opset_import)
    plain.functions.extend(model.functions)
    graph = plain.graph
    graph.name = "trial"
    used = {name for node in arranged.nodes for name in reads(node)} | set(arranged.outputs)
    graph.node.extend(arranged.nodes)
    graph.initializer.extend(tensor for name, tensor in arranged.stored.items() if name in used)
    graph.sparse_initializer.extend(tensor for name, tensor in arranged.sparse.items() if name in used)
    for info in inputs:
        kind = onnx.helper.np_dtype_to_tensor_dtype(info.dtype)
        graph.input.append(onnx.helper.make_tensor_value_info(info.name, kind, info.shape))
    names = dict.fromkeys(name for node in arranged.nodes for name in node.output if name)
    graph.output.extend(onnx.ValueInfoProto(name=name) for name in names or arranged.outputs)
    return plain


def _open(
    plain: onnx.ModelProto, inputs: Sequence[TensorInfo], path: Path
) -> tuple[ort.InferenceSession, dict[str, tuple[np.dtype[Any], tuple[int, ...] | None]]]:
    """Open with concrete input shapes, or, where the runtime's shape inference objects to these, with free ones."""
    try:
        session = open_session(plain, path.parent)
        return session, output_types(session)
    except Exception as error:
        for value, info in zip(plain.graph.input, inputs, strict=True):
            for axis in range(len(info.shape)):
                value.type.tensor_type.shape.dim[axis].dim_param = f"{info.name}.{axis}"
        try:
            session = open_session(plain, path.parent)
        except Exception:
            raise ModelError(
                say("ONNX Runtime can't run {file}: {reason}.", file=path.name, reason=reason(error))
            ) from error
        return session, output_types(session)


def _frontier(arranged: Arranged, depends: Dependence, written: Sequence[str]) -> list[str]:
    constant = {name for name in written if name not in depends.values}
    wanted = dict.fromkeys(name for name in arranged.outputs if name in constant or name in arranged.sparse)
    for node in arranged.nodes:
        if any(name in depends.values for name in node.output):
            wanted.update(dict.fromkeys(name for name in reads(node) if name in constant or name in arranged.sparse))
    return list(wanted)


def _add_casts(plain: onnx.ModelProto, names: Mapping[str, str]) -> None:
    """Fetch types that numpy lacks by way of float32, which holds each of their values exactly."""
    for name, cast in names.items():
        plain.graph.node.add(op_type="Cast", input=[name], output=[cast]).attribute.append(
            onnx.helper.make_attribute("to", onnx.TensorProto.FLOAT)
        )
        plain.graph.output.append(onnx.ValueInfoProto(name=cast))


def _constant(value: ort.OrtValue, dtype: np.dtype[Any]) -> Array:
    array: Array = value.numpy()
    if array.dtype != dtype and dtype != NO_TENSOR:
        array = array.astype(dtype)
    array.flags.writeable = False
    return array


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
            axis = next((a.i for a in node.attribute if a.name == "axis"), 0)
            rows = shapes[node.input[0]][axis]
            name = source.get(node.input[1], node.input[1])
            limits[name] = min(rows, limits.get(name, rows))
    return limits


def _check_memory(
    arranged: Arranged,
    types: Mapping[str, tuple[np.dtype[Any], tuple[int, ...] | None]],
    depends: Dependence,
    path: Path,
    memory_limit: int,
) -> None:
    """Refuse before the run what is known to exceed the limit: all constants and the largest activation."""
    constants, largest = 0, 0
    for node in arranged.nodes:
        for name in node.output:
            dtype, shape = types.get(name, (NO_TENSOR, None))
            size = prod(shape) * dtype.itemsize if shape is not None else 0
            if name in depends.values:
                largest = max(largest, size)
            else:
                constants += size
    if constants + largest > memory_limit:
        raise ModelError(_too_big(path, constants + largest, memory_limit))


def _too_big(path: Path, need: int, limit: int) -> Text:
    return say(
        "{file} needs {need:.1f} GB to run, more than the memory limit of {limit:.1f} GB: raise the limit to open it.",
        file=path.name,
        need=need / 1e9,
        limit=limit / 1e9,
    )


def _run(
    session: ort.InferenceSession,
    inputs: Sequence[TensorInfo],
    limits: Mapping[str, int],
    outputs: Sequence[str],
    path: Path,
    memory_limit: int,
    cancel: CancelToken,
) -> dict[str, ort.OrtValue]:
    """Run on random inputs; where the model refuses these (an index too high), on zeros and ones."""
    tries = [synthetic_feeds(inputs, 0, limits=limits)]
    tries += [
        {name: np.full_like(array, fill) if array.dtype.kind in "iu" else array for name, array in tries[0].items()}
        for fill in (0, 1)
    ]
    failure: Exception | None = None
    for feeds in tries:
        options = ort.RunOptions()
        with guarded(options, memory_limit, cancel) as guard:
            try:
                return run(session, feeds, outputs, options)
            except Exception as error:
                failure = failure or error
        cancel.check()
        if guard.exceeded:
            raise ModelError(_too_big(path, guard.exceeded, memory_limit))
    raise ModelError(
        say("ONNX Runtime can't run {file}: {reason}.", file=path.name, reason=reason(failure or Exception()))
    ) from failure
