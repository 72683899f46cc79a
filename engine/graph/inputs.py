"""The model's inputs: what the file declares, and which shapes were chosen."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from engine.errors import ModelError, ShapesNeededError
from engine.graph.borders import plain_borders
from engine.graph.external import check_tensors
from engine.graph.limits import DEFAULT_LIMIT, TooBigError, gigabytes
from engine.graph.proposals import propose, resolve
from engine.graph.sparse import fill_sparse
from engine.graph.types import ModelInput, TensorInfo
from engine.graph.wire import read_model
from engine.text import Text, say

ANY_RANK = "[...]"
"""Ending of the one free dimension of an input whose rank the file does not state."""


def read_inputs(path: str | Path, *, memory_limit: int = DEFAULT_LIMIT) -> tuple[ModelInput, ...]:
    """The inputs that have to be fed, with a proposal for each shape. Weights are looked for, not read.

    Raises:
        ModelError: The file is missing, no ONNX model, lacks weights, or has an input that is no tensor.
    """
    path = existing(path)
    model = read_plain(path, memory_limit)[0]
    inputs = declared_inputs(model, path)
    check_tensors(model, path.resolve())  # nobody should choose sizes for a model that can't be opened
    return inputs


def read_plain(path: Path, memory_limit: int) -> tuple[onnx.ModelProto, tuple[Text, ...]]:
    """The parsed file with dense tensors only, plain inputs and outputs, and one operator set per domain; and notes.

    Raises:
        ModelError: The file is no ONNX model, or holds what can't be brought into that form.
    """
    real = path.resolve()
    model = read_model(real)
    fill_sparse(model.graph, real, memory_limit)
    _name_standard_domain(model)
    return model, plain_borders(model.graph, path)


def _name_standard_domain(model: onnx.ModelProto) -> None:
    """ONNX's own domain has two names, "" and "ai.onnx"; where both are imported, the last one counts."""
    versions = {"" if entry.domain == "ai.onnx" else entry.domain: entry.version for entry in model.opset_import}
    del model.opset_import[:]
    model.opset_import.extend(onnx.helper.make_opsetid(domain, version) for domain, version in versions.items())


def zero_dims(graph: onnx.GraphProto, inputs: Sequence[TensorInfo]) -> tuple[Text, ...]:
    """A note on inputs that declare a dimension of 0, which ONNX Runtime takes by its word, and got another size."""
    chosen = {info.name: info.shape for info in inputs}
    wrong = [
        value.name
        for value in graph.input
        if any(
            dim.HasField("dim_value") and dim.dim_value == 0 and size != 0
            for dim, size in zip(value.type.tensor_type.shape.dim, chosen.get(value.name, ()), strict=False)
        )
    ]
    if not wrong:
        return ()
    return (
        say(
            "The file declares a dimension of 0 for {inputs}, so ONNX Runtime runs it on empty tensors only; "
            "it is opened as if that dimension were free.",
            inputs=", ".join(wrong),
        ),
    )


def existing(path: str | Path) -> Path:
    """The absolute path of a model file that is there; ModelError otherwise."""
    path = Path(path).absolute()
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        name = str(path).encode(errors="replace").decode()
        raise ModelError(
            say("The name of {file} is no valid text: rename the file or its folder.", file=name)
        ) from error
    try:
        if path.is_file():
            with path.open("rb"):
                return path
        folder, link, there = path.is_dir(), path.is_symlink(), path.exists()
    except (OSError, ValueError) as error:
        raise ModelError(say("The model file {file} can't be read: check its permissions.", file=path.name)) from error
    if link and not there:
        raise ModelError(say("{file} is a link that leads nowhere: choose the file itself.", file=path.name))
    if there and not folder:
        raise ModelError(
            say("{file} is a device or a pipe, not a file: save the model as an .onnx file.", file=path.name)
        )
    if folder:
        raise ModelError(say("{file} is a folder: choose an .onnx file.", file=path.name))
    raise ModelError(say("There is no file {file} in {folder}.", file=path.name, folder=os.path.normpath(path.parent)))


def declared_inputs(model: onnx.ModelProto, path: Path) -> tuple[ModelInput, ...]:
    """Inputs of the graph without those that an initializer already fills."""
    filled = {tensor.name for tensor in model.graph.initializer}
    raw = [(v.name, *_declared(v, path)) for v in model.graph.input if v.name not in filled]
    proposals = propose({name: (dtype, dims) for name, dtype, dims in raw}, path.stem)
    return tuple(ModelInput(name, dtype, dims, proposals[name]) for name, dtype, dims in raw)


def _declared(value: onnx.ValueInfoProto, path: Path) -> tuple[np.dtype[Any], tuple[int | str, ...]]:
    kind = value.type.WhichOneof("value") or "value of unknown type"
    tensor = value.type.tensor_type
    try:
        dtype = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type))
    except KeyError:
        kind = kind if kind != "tensor_type" else "tensor of unknown type"
    if kind != "tensor_type":
        raise ModelError(
            say(
                "{file}: input {input} is a {kind}, and only tensors can be fed.",
                file=path.name,
                input=value.name,
                kind=kind.removesuffix("_type"),
            )
        )
    if not tensor.HasField("shape"):
        return dtype, (value.name + ANY_RANK,)
    return dtype, tuple(_dim(dim, value.name, axis) for axis, dim in enumerate(tensor.shape.dim))


def _dim(dim: onnx.TensorShapeProto.Dimension, name: str, axis: int) -> int | str:
    if dim.HasField("dim_value") and dim.dim_value > 0:
        return dim.dim_value
    label = dim.dim_param.strip() if dim.HasField("dim_param") else ""
    # Exporters write '?' or '-1' for several dimensions that need not be equal.
    anonymous = not label.strip("?*-") or label.lstrip("-").isdigit() or label.lower() in ("none", "unknown")
    return f"{name}[{axis}]" if anonymous else label


def choose_shapes(
    inputs: Sequence[ModelInput], shapes: Mapping[str, Sequence[int]] | None, path: Path, memory_limit: int
) -> tuple[TensorInfo, ...]:
    """Concrete inputs from what the file declares and what the caller gives.

    A named dimension that one given shape fixes holds for every input that uses the name.

    Raises:
        ShapesNeededError: A free dimension that nobody fixed.
        ModelError: A shape for an unknown input, of the wrong rank, against a fixed dimension, or beyond the limit.
    """
    given = {name: tuple(int(dim) for dim in shape) for name, shape in (shapes or {}).items()}
    names = [i.name for i in inputs]
    for name in given:
        if name not in names:
            raise ModelError(
                say(
                    "{file} has no input {input}: its inputs are {inputs}.",
                    file=path.name,
                    input=name,
                    inputs=", ".join(names) or "none",
                )
            )
    known = _known_dims(inputs, given, path)
    missing = [i.name for i in inputs if i.name not in given and any(resolve(d, known) is None for d in i.dims)]
    if missing:
        raise ShapesNeededError(
            say(
                "{file} leaves dimensions of {inputs} free: say which shapes to use, for example {proposal}.",
                file=path.name,
                inputs=", ".join(missing),
                proposal="; ".join(f"{i.name}={','.join(map(str, i.proposal))}" for i in inputs if i.name in missing),
            )
        )
    return tuple(_concrete(i, given.get(i.name), known, path, memory_limit) for i in inputs)


def _known_dims(inputs: Sequence[ModelInput], given: Mapping[str, tuple[int, ...]], path: Path) -> dict[str, int]:
    known: dict[str, int] = {}
    for entry in inputs:
        shape = given.get(entry.name)
        if shape is None or _any_rank(entry):
            continue
        if len(shape) != len(entry.dims) or any(
            (size < 0) if isinstance(dim, str) else size != dim for dim, size in zip(entry.dims, shape, strict=True)
        ):
            raise ModelError(
                say(
                    "{file}: input {input} has the shape {declared}, so it can't take {shape}.",
                    file=path.name,
                    input=entry.name,
                    declared="×".join(map(str, entry.dims)) or "scalar",
                    shape="×".join(map(str, shape)) or "a scalar",
                )
            )
        known.update((dim, size) for dim, size in zip(entry.dims, shape, strict=True) if isinstance(dim, str))
    return known


def _any_rank(entry: ModelInput) -> bool:
    return entry.dims == (entry.name + ANY_RANK,)


def _concrete(
    entry: ModelInput, given: tuple[int, ...] | None, known: Mapping[str, int], path: Path, memory_limit: int
) -> TensorInfo:
    shape = given if given is not None else tuple(resolve(dim, known) or 0 for dim in entry.dims)
    need = prod(shape) * entry.dtype.itemsize
    if need > memory_limit:
        words = say(
            "{file}: input {input} of shape {shape} would need {need} GB; the memory limit is {limit} GB.",
            file=path.name,
            input=entry.name,
            shape="×".join(map(str, shape)),
            need=gigabytes(need),
            limit=gigabytes(memory_limit),
        )
        raise TooBigError(path, need, memory_limit, words)
    return TensorInfo(entry.name, entry.dtype, shape)
