"""What a loaded model is to the rest of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any, Literal

import numpy as np
import onnx

from engine.graph.stamps import Stamp
from engine.text import Text

Array = np.ndarray[Any, Any]
NO_TENSOR = np.dtype([("value", np.object_)])
"""Dtype that stands for sequences, maps and optional values."""


def is_array(dtype: np.dtype[Any]) -> bool:
    """Whether ONNX Runtime takes and gives arrays of this dtype (bfloat16 by its bits): kernels may end there."""
    return not foreign(dtype) or dtype.name == "bfloat16"


def foreign(dtype: np.dtype[Any]) -> bool:
    """Whether numpy has no such numbers itself: the kinds of added ones tell little (a float8 is "f" or "V")."""
    return dtype.isbuiltin == 2 or dtype.kind == "V"


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """One activation: its name, numpy dtype and concrete shape (the shape seen with the chosen input shapes)."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    @property
    def elements(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes in the model's own dtype."""
        return self.elements * self.dtype.itemsize


@dataclass(frozen=True, slots=True)
class ModelInput:
    """An input as the file declares it: a dimension is a size, or the name of a free dimension."""

    name: str
    dtype: np.dtype[Any]
    dims: tuple[int | str, ...]
    proposal: tuple[int, ...]
    """A sensible concrete shape (batch 1, 224x224 pictures, 64 tokens ...)."""

    @property
    def free(self) -> bool:
        """Whether a dimension has to be chosen."""
        return any(isinstance(dim, str) for dim in self.dims)


@dataclass(frozen=True, slots=True)
class StoredFormat:
    """How a file stores numbers in fewer bits than the model computes with."""

    bits: int
    floating: bool = False
    symmetric: bool = True
    """No zero point, or one in the middle of the codes."""
    granularity: Literal["tensor", "channel", "group"] = "tensor"
    """How far one scale reaches; "tensor" for floats."""
    group: int = 0
    """Numbers per scale, with granularity "group"."""
    brain: bool = False
    """Of the floats of 16 bits: bfloat16, not half."""


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """One ONNX node that depends on the model's inputs. `proto` must not be changed."""

    index: int
    proto: onnx.NodeProto
    scope: str
    """Module path from exporter metadata (`pkg.torch.onnx.name_scopes`), or ''."""
    captured: tuple[str, ...] = ()
    """Tensors that the bodies of an If, Loop or Scan read from outside."""

    op_type: str = field(init=False, repr=False)
    """Operator, with its domain when that is not ONNX's own."""
    inputs: tuple[str, ...] = field(init=False, repr=False)
    """Tensor names read, captured ones last; '' for an omitted optional input."""
    outputs: tuple[str, ...] = field(init=False, repr=False)
    """Tensor names written; '' for an omitted optional output."""

    def __post_init__(self) -> None:
        # Read once: every rule and every view asks for them, and each look into the protobuf makes new strings.
        proto = self.proto
        plain = proto.domain in ("", "ai.onnx")
        object.__setattr__(self, "op_type", proto.op_type if plain else f"{proto.domain}.{proto.op_type}")
        object.__setattr__(self, "inputs", (*proto.input, *self.captured))
        object.__setattr__(self, "outputs", tuple(proto.output))


@dataclass(frozen=True, eq=False, slots=True)
class Graph:
    """A model with concrete input shapes.

    All that does not depend on the values of the inputs (shape arithmetic, masks, transposed weights) has become a
    constant, so `nodes` holds only what really runs, in an order that can be run.
    """

    path: Path
    sha256: str
    file_bytes: int
    """Bytes on disk, external data included."""
    ir_version: int
    opsets: Mapping[str, int]
    functions: tuple[onnx.FunctionProto, ...]
    producer: str
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    nodes: tuple[Node, ...]
    constants: Mapping[str, Array]
    """Every constant that a node reads or that is an output; arrays are read-only, memory-mapped where possible."""
    origins: Mapping[str, str]
    """Constant -> initializer in the file that it comes from (by way of Transpose, Cast ...); absent if none."""
    tensors: Mapping[str, TensorInfo]
    """Every activation: inputs and node outputs."""
    dynamic: frozenset[str]
    """Activations whose shape depends on the values of the inputs; `tensors` has the shape of the trial run."""
    notes: tuple[Text, ...] = ()
    stored: Mapping[str, StoredFormat] = field(default_factory=dict)
    """Float constants that the file holds in fewer bits: behind DequantizeLinear, or behind Cast and a scale."""
    files: frozenset[Path] = frozenset()
    """Every file that the model consists of, external data included, with links resolved: never to be written."""
    stamps: tuple[Stamp, ...] = ()
    """The same files as they were when they were read."""
    fill: int | None = None
    """Value of all integers in the trial run that nothing is known of: the model refused random ones. None = random."""
