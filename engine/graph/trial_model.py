"""The model of the trial run: the file's nodes with concrete input shapes and every tensor within reach."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort

from engine.errors import Cancelled, ModelError
from engine.graph.arrange import Arranged
from engine.graph.runtime import open_session, output_types, reason
from engine.graph.subgraphs import reads
from engine.graph.types import TensorInfo
from engine.progress import CancelToken
from engine.text import Text, say

Types = Mapping[str, tuple[np.dtype[Any], tuple[int, ...] | None]]
"""Dtype of each tensor, and its shape where the runtime proves it."""

_CAST, _SHAPE = "{}__as_float", "{}__shape"


def trial_model(model: onnx.ModelProto, arranged: Arranged, inputs: Sequence[TensorInfo]) -> onnx.ModelProto:
    """A model whose outputs are all tensors that nodes write. Weights stay where they are."""
    plain = onnx.ModelProto(ir_version=model.ir_version)
    plain.opset_import.extend(model.opset_import)
    plain.functions.extend(model.functions)
    graph = plain.graph
    graph.name = "trial"
    used = {name for node in arranged.nodes for name in reads(node)} | set(arranged.outputs)
    graph.node.extend(arranged.nodes)
    for node in graph.node:
        # So that the runtime's messages say which node they are about.
        node.name = node.name or f"that makes {next((name for name in node.output if name), '')}"
    graph.initializer.extend(tensor for name, tensor in arranged.stored.items() if name in used)
    for info in inputs:
        kind = onnx.helper.np_dtype_to_tensor_dtype(info.dtype)
        graph.input.append(onnx.helper.make_tensor_value_info(info.name, kind, info.shape))
    names = dict.fromkeys(name for node in arranged.nodes for name in node.output if name)
    graph.output.extend(onnx.ValueInfoProto(name=name) for name in names or arranged.outputs)
    return plain


def open_trial(
    plain: onnx.ModelProto, inputs: Sequence[TensorInfo], path: Path, cancel: CancelToken
) -> tuple[ort.InferenceSession, Types]:
    """Open with concrete input shapes, or, where the runtime's shape inference objects to these, with free ones.

    Raises:
        ModelError: ONNX Runtime refuses the model.
        Cancelled: If asked to stop.
    """
    try:
        session = open_session(plain, path.parent, cancel)
    except Cancelled:
        raise
    except Exception as error:  # the runtime's exceptions have no common base
        for value, info in zip(plain.graph.input, inputs, strict=True):
            for axis in range(len(info.shape)):
                value.type.tensor_type.shape.dim[axis].dim_param = f"{info.name}.{axis}"
        try:
            session = open_session(plain, path.parent, cancel)
        except Cancelled:
            raise
        except Exception:
            raise ModelError(
                _unknown(error, plain, path.name)
                or say("ONNX Runtime can't run {file}: {reason}.", file=path.name, reason=reason(error))
            ) from error
    return session, output_types(session)


def _unknown(error: Exception, plain: onnx.ModelProto, file: str) -> Text | None:
    """The sentence about an operator that the runtime doesn't know; None where it is about something else."""
    found = re.search(r"(\S*):(\w+)\(-?\d+\) is not a registered function/op", str(error))
    if found:
        domain, op, opset = found[1], found[2], ""
    elif found := re.search(r"No Op registered for (\w+) with domain_version of (\d+)", str(error)):
        domain, op, opset = "", found[1], found[2]
    else:
        return None
    node = next((node.name for node in plain.graph.node if node.op_type == op), "")
    if domain in ("", "ai.onnx"):
        return say(
            "{file}: {op} (node {node}) is no operator of opset {opset}; export the model without it.",
            file=file, op=op, node=node or op, opset=opset or "–",
        )  # fmt: skip
    return say(
        "{file}: {op} of {domain} (node {node}) is unknown to ONNX Runtime; export it as standard operators.",
        file=file, op=op, domain=domain, node=node or op,
    )  # fmt: skip


def add_casts(plain: onnx.ModelProto, names: Sequence[str]) -> dict[str, str]:
    """Make tensors of types that numpy lacks readable as float32, which holds each of their values exactly.

    Returns:
        Name of the readable tensor for each name.
    """
    casts = {name: _CAST.format(name) for name in names}
    for name, cast in casts.items():
        plain.graph.node.append(onnx.helper.make_node("Cast", [name], [cast], to=onnx.TensorProto.FLOAT))
    return casts


def add_shapes(plain: onnx.ModelProto, names: Sequence[str], types: Types) -> dict[str, str]:
    """Make the shapes of tensors readable, so that big tensors need not be kept to the end of the run.

    Returns:
        Name of the tensor that holds the shape for each name.
    """
    shapes = {name: _SHAPE.format(name) for name in names}
    for name, shape in shapes.items():
        source = name
        if types[name][0].name in ("int4", "uint4"):  # the runtime's Shape does not take these
            source = f"{shape}/wide"
            plain.graph.node.append(onnx.helper.make_node("Cast", [name], [source], to=onnx.TensorProto.INT32))
        plain.graph.node.append(onnx.helper.make_node("Shape", [source], [shape]))
    return shapes


def keep_outputs(plain: onnx.ModelProto, names: Sequence[str]) -> None:
    """Have no other outputs than these: the runtime keeps each output to the end of the run, wanted or not."""
    del plain.graph.output[:]
    plain.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
