"""Rows of a table that the samples ask for: only they have to be rounded for a preview.

A vocabulary has ten thousands of rows, and samples name a few hundred of them. The preview gathers from a table of
these alone; what is run on other ids than the samples' (an exported file) has the whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import onnx
from onnx import helper

from engine.fusion.types import Kernel, Weight
from engine.graph.types import Array
from engine.precision.scheme import WeightFormat

_LEAST = 1 << 20
"""Elements of a table from which on looking for the rows is worth it."""


class Found(NamedTuple):
    """A node, the constant that it reads, and the name of its result."""

    node: onnx.NodeProto
    constants: Mapping[str, Array]
    output: str


def rows_read(kernel: Kernel, feeds: Sequence[Mapping[str, Array]]) -> Array | None:
    """Which rows of its table a kernel gathers for these samples, ascending; None if that can't be told.

    Args:
        kernel: Any. Told is it of one that gathers along the first axis of a large matrix by ids that the model is fed
            with, which therefore are the same under every plan.
        feeds: The model's inputs, sample by sample.
    """
    weight = kernel.weight
    if weight is None or not feeds or kernel.more_weights or len(weight.shape) != 2:
        return None
    table, size = kernel.constants[weight.constant], weight.shape[0]
    readers = [node.proto for node in kernel.nodes if weight.constant in node.proto.input]
    if table.size < _LEAST or table.shape != weight.shape or len(readers) != 1:
        return None
    (node,) = readers
    axis = next((attribute.i for attribute in node.attribute if attribute.name == "axis"), 0)
    gathers = node.op_type == "Gather" and node.domain in ("", "ai.onnx") and axis in (0, -2)
    if not gathers or node.input[0] != weight.constant or any(node.input[1] not in each for each in feeds):
        return None
    found = np.zeros(size, bool)
    for each in feeds:
        ids = np.asarray(each[node.input[1]]).reshape(-1)
        found[ids[(ids >= -size) & (ids < size)]] = True  # others are refused when they are gathered
    rows = np.flatnonzero(found)
    return rows if 2 * rows.size < size else None


def by_row(weight: Weight, form: WeightFormat) -> bool:
    """Whether a format rounds each row of a table by itself."""
    return form.floating or (form.granularity in ("channel", "group") and weight.channel_axes == (0,))


def row_finder(ids: str, rows: Array, size: int, prefix: str) -> Found:
    """From ids in a table of so many rows to places among some of its rows.

    An id that has no place there gets one behind the last: who gathers by it is told that it is out of bounds.
    """
    places = np.full(size, rows.size, np.int64)
    places[rows] = np.arange(rows.size)
    name = f"{prefix}/places"
    node = helper.make_node("Gather", [name, ids], [f"{prefix}/place"], axis=0)
    return Found(node, {name: places}, node.output[0])
