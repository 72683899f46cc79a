"""Sparse tensors become dense ones, as ONNX Runtime makes them when it opens a file.

Layout: https://onnx.ai/onnx/api/classes.html (SparseTensorProto): values [N], and indices [N] into the flattened
tensor, or [N, rank].
"""

from __future__ import annotations

from math import prod
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from engine.errors import ModelError
from engine.graph.arrays import TensorReader
from engine.graph.limits import TooBigError
from engine.graph.subgraphs import subgraphs
from engine.text import say


def fill_sparse(graph: onnx.GraphProto, path: Path, memory_limit: int) -> None:
    """Write every sparse tensor of a graph, of its nodes and of their bodies as a dense one.

    Args:
        graph: Changed in place.
        path: The model file, free of links.
        memory_limit: Bytes that the dense tensors may take together: a sparse one can be far bigger than its file.

    Raises:
        ModelError: The tensors take too much, or indices don't fit the shape.
    """
    found = _sparse(graph)
    need = sum(prod(max(dim, 0) for dim in each.dims) * _itemsize(each) for each in found)
    if need > memory_limit:
        raise TooBigError(path, need, memory_limit)
    if found:
        _fill(graph, TensorReader(path), path)


def _sparse(graph: onnx.GraphProto) -> list[onnx.SparseTensorProto]:
    found = list(graph.sparse_initializer)
    for node in graph.node:
        found += [entry.sparse_tensor for entry in node.attribute if entry.HasField("sparse_tensor")]
        for body in subgraphs(node):
            found += _sparse(body)
    return found


def _itemsize(tensor: onnx.SparseTensorProto) -> int:
    try:
        return int(onnx.helper.tensor_dtype_to_np_dtype(tensor.values.data_type).itemsize)
    except KeyError:
        return 1  # an unknown type, which is refused when it is read


def _fill(graph: onnx.GraphProto, reader: TensorReader, path: Path) -> None:
    graph.initializer.extend(_dense(tensor, tensor.values.name, reader, path) for tensor in graph.sparse_initializer)
    del graph.sparse_initializer[:]
    for node in graph.node:
        for entry in node.attribute:
            if node.op_type == "Constant" and entry.HasField("sparse_tensor"):
                dense = _dense(entry.sparse_tensor, node.output[0], reader, path)
                entry.CopyFrom(onnx.helper.make_attribute("value", dense))
        for body in subgraphs(node):
            _fill(body, reader, path)


def _dense(tensor: onnx.SparseTensorProto, name: str, reader: TensorReader, path: Path) -> onnx.TensorProto:
    shape = tuple(tensor.dims)
    try:
        values, indices = reader.array(tensor.values), reader.array(tensor.indices)
        flat = np.ravel_multi_index(tuple(indices.T), shape) if indices.ndim == 2 else indices
        dense = np.zeros(prod(shape), values.dtype)
        if flat.size and not 0 <= flat.min() <= flat.max() < dense.size:
            raise IndexError
        dense[flat] = values
    except (ValueError, IndexError, TypeError, KeyError) as error:
        raise ModelError(
            say(
                "{file}: the indices and values of the sparse tensor {tensor} don't fit its shape {shape}.",
                file=path.name,
                tensor=name,
                shape="×".join(map(str, shape)) or "scalar",
            )
        ) from error
    return numpy_helper.from_array(dense.reshape(shape), name)
