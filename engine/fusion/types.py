"""The Kernel: the one unit that is tuned, run, costed and exported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from engine.graph.types import Array, Graph, Node, StoredFormat, TensorInfo
from engine.text import Text

Rules = Literal["edge", "cloud"]


class Kind(StrEnum):
    """What a kernel mainly does; decides its unit on the NPU and which schemes fit."""

    CONV = "conv"
    DEPTHWISE = "depthwise"
    CONV_TRANSPOSE = "conv_transpose"
    GEMM = "gemm"
    MATMUL = "matmul"
    """MatMul with one constant operand."""
    MATMUL_DYNAMIC = "matmul_dynamic"
    """MatMul of two activations."""
    EMBEDDING = "embedding"
    RECURRENT = "recurrent"
    NORM = "norm"
    SOFTMAX = "softmax"
    POOL = "pool"
    REDUCE = "reduce"
    ELEMENTWISE = "elementwise"
    MOVEMENT = "movement"
    """Reshape, Transpose, Concat, Slice, Gather by constant indices ...: moves data, computes nothing."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Weight:
    """The constant of a kernel that a scheme quantizes.

    As a matrix it is [product of channel axes, product of reduction axes], both in the given order: groups run along
    the second, scales per channel along the first.
    """

    constant: str
    """Name in `Kernel.constants`."""
    origin: str
    """Name of the initializer in the file; what foreign tools know it by."""
    shape: tuple[int, ...]
    channel_axes: tuple[int, ...]
    reduction_axes: tuple[int, ...]
    activation: str
    """The activation that the anchor combines with the weight ('' for an embedding table)."""
    bias: str
    """The bias constant, one value per channel: an input of the anchor, or of the Add right behind a MatMul; or ''."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The precision that a kernel already has in the file; `engine.precision.stored` makes schemes of it."""

    weights: StoredFormat
    activations: StoredFormat | None = None
    """None where the activation that meets the weight comes in the dtype that the model computes in."""
    dynamic: bool = False
    """Whether each run finds the scale of the activation anew."""
    limits: tuple[float, float] | None = None
    """The lowest and the highest value that codes of the activation stand for, where its scale is static."""


@dataclass(frozen=True, eq=False, slots=True)
class Kernel:
    """A fused group of ONNX nodes that an NPU launches once."""

    id: str
    """Stable over saves of the same model: derived from the anchor's first output name."""
    index: int
    """Position in execution order."""
    name: str
    """Display name: module scope, node name, weight name or output name, in that order."""
    op: str
    """Operators for people: 'Conv 3x3 s2 + SiLU', 'MatMul', 'LayerNorm'."""
    kind: Kind
    nodes: tuple[Node, ...]
    """In runnable order. BatchNorm folding may have replaced protos, so they are this kernel's own."""
    anchor: int
    """Position of the anchor in `nodes`."""
    inputs: tuple[str, ...]
    """Activations read from outside, without repetition."""
    outputs: tuple[str, ...]
    """Activations that other kernels or the model's outputs read."""
    constants: Mapping[str, Array]
    """Every constant that its nodes read, folded ones included."""
    weight: Weight | None
    why_not: Text | None
    """Why there is no precision switch; None exactly when `weight` is not None."""
    params: int
    macs: int
    """Multiply-accumulates of its matrix products in one run (convolutions included); 0 for all other work."""
    more_weights: tuple[Weight, ...] = ()
    """Constants that take the same scheme as `weight`: the recurrent weights of an LSTM, GRU or RNN."""
    stored: Stored | None = None
    """The precision that it has in the file, where that is not FP32 throughout; also without a switch."""

    @property
    def tunable(self) -> bool:
        """Whether a scheme can be set."""
        return self.weight is not None

    @property
    def weights(self) -> tuple[Weight, ...]:
        """All constants that the scheme quantizes."""
        return () if self.weight is None else (self.weight, *self.more_weights)


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Network:
    """A model as a list of kernels: what every later room works on."""

    graph: Graph
    rules: Rules
    kernels: tuple[Kernel, ...]
    _places: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_places", {kernel.id: place for place, kernel in enumerate(self.kernels)})

    @property
    def tensors(self) -> Mapping[str, TensorInfo]:
        """Every activation by name."""
        return self.graph.tensors

    def by_id(self, kernel_id: str) -> Kernel:
        """The kernel of that id; KeyError if there is none."""
        return self.kernels[self._places[kernel_id]]

    def sharing(self, kernel_id: str) -> tuple[Kernel, ...]:
        """Other kernels with a weight of the same origin: one stored tensor, however each of them reads it."""
        own = {weight.origin for weight in self.by_id(kernel_id).weights}
        return tuple(
            kernel
            for kernel in self.kernels
            if kernel.id != kernel_id and any(weight.origin in own for weight in kernel.weights)
        )

    @property
    def tunable(self) -> tuple[Kernel, ...]:
        """Kernels that have a precision switch."""
        return tuple(kernel for kernel in self.kernels if kernel.tunable)
