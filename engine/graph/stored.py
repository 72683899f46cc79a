"""Which constants a file stores in fewer bits than the model computes with.

A constant of floats is followed back through the nodes that made it, to a DequantizeLinear, or through Cast and the
Mul by a scale that some exporters write instead, to integers or halves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import prod

import onnx

from engine.graph.arrange import Arranged
from engine.graph.types import Array, StoredFormat, TensorInfo

_INTEGER, _SMALL_FLOAT = re.compile(r"(u?)int(\d+)$"), re.compile(r"float([48])_?e", re.IGNORECASE)
_SAME_VALUES = frozenset({
    "Cast", "CastLike", "Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Transpose", "Slice", "Split",
    "Concat", "Gather", "Expand", "Tile", "Pad",
})  # fmt: skip
"""Operators whose results are values of their first input, moved or in another type."""
_WIDEST = 16
"""Bits of the widest format that counts: int32 holds biases."""

Known = tuple[str, tuple[int, ...]]
"""Name of a dtype, and shape."""


def find_stored(
    arranged: Arranged,
    constants: Mapping[str, Array],
    tensors: Mapping[str, TensorInfo],
    read: Callable[[onnx.TensorProto], Array],
) -> dict[str, StoredFormat]:
    """The format in the file, for each constant of floats that the file holds in fewer bits.

    Args:
        arranged: All nodes, those that compute constants included.
        constants: What nodes with changing inputs read.
        tensors: Dtype and shape of what nodes write.
        read: Gives the values of a stored tensor (zero points).
    """
    tracer = _Tracer(arranged, tensors, read)
    computed = [name for name, array in constants.items() if name in tracer.producer and array.dtype.kind in "fV"]
    found = {name: tracer.trace(name) for name in computed}
    return {name: form for name, form in found.items() if form is not None}


def symmetric_codes(kind: str, zeros: Array | None) -> bool:
    """Whether zero points lie in the middle of the codes of an integer type (none: at code 0)."""
    unsigned, bits = integer_type(kind)
    middle = 1 << (bits - 1) if unsigned else 0
    return not unsigned if zeros is None else bool((zeros.astype("int64") == middle).all())


def integer_type(kind: str) -> tuple[bool, int]:
    """Whether a dtype is unsigned, and its bits; 0 bits for all but integers."""
    match = _INTEGER.match(kind)
    return (bool(match[1]), int(match[2])) if match else (False, 0)


class _Tracer:
    def __init__(
        self, arranged: Arranged, tensors: Mapping[str, TensorInfo], read: Callable[[onnx.TensorProto], Array]
    ) -> None:
        self.producer = {name: node for node in arranged.nodes for name in node.output if name}
        self._stored = arranged.stored
        self._tensors = tensors
        self._read = read

    def trace(self, name: str) -> StoredFormat | None:
        scales, symmetric, seen = 1, True, set[str]()
        while name in self.producer and name not in seen:
            seen.add(name)
            node = self.producer[name]
            if node.op_type == "DequantizeLinear":
                return self._dequantized(node)
            if node.op_type in _SAME_VALUES:
                name = node.input[0]
            elif node.op_type in ("Mul", "Div", "Add", "Sub") and len(node.input) == 2:
                name, other = sorted(node.input, key=lambda each: -prod(self._known(each)[1]))
                if node.op_type in ("Mul", "Div"):
                    scales = max(scales, prod(self._known(other)[1]))
                else:
                    symmetric = False
            else:
                return None
        return self._as_stored(name, scales, symmetric) if seen else None

    def _as_stored(self, name: str, scales: int, symmetric: bool) -> StoredFormat | None:
        """Integers or floats of 16 bits that arithmetic turned into wider floats."""
        kind, shape = self._known(name)
        unsigned, bits = integer_type(kind)
        if kind in ("float16", "bfloat16"):
            return StoredFormat(16, floating=True, brain=kind == "bfloat16")
        if not 0 < bits <= _WIDEST:
            return None
        # Scales with more values than any axis has rows run along a second axis, too.
        each = "tensor" if scales == 1 else "channel" if scales <= max(shape, default=1) else "group"
        group = prod(shape) // scales if each == "group" else 0
        return StoredFormat(bits, False, symmetric and not unsigned, each, group)  # type: ignore[arg-type]

    def _dequantized(self, node: onnx.NodeProto) -> StoredFormat | None:
        kind, shape = self._known(node.input[0])
        _, bits = integer_type(kind)
        small = _SMALL_FLOAT.match(kind)
        if not small and not 0 < bits <= _WIDEST:
            return None
        width = int(small[1]) if small else bits
        scales = self._known(node.input[1])[1]
        attributes = {entry.name: entry.i for entry in node.attribute}
        group = _group(shape, scales, attributes.get("axis", 1), attributes.get("block_size", 0))
        each = "tensor" if prod(scales) == 1 else "group" if group else "channel"
        symmetric = bool(small) or self._is_symmetric(node, kind)
        return StoredFormat(width, bool(small), symmetric, each, group)  # type: ignore[arg-type]

    def _is_symmetric(self, node: onnx.NodeProto, kind: str) -> bool:
        name = node.input[2] if len(node.input) > 2 else ""
        if name and name not in self._stored:
            return False  # computed: nobody knows
        return symmetric_codes(kind, self._read(self._stored[name]) if name else None)

    def _known(self, name: str) -> Known:
        if name in self._stored:
            tensor = self._stored[name]
            kind = onnx.TensorProto.DataType.Name(tensor.data_type).lower()
            return "float32" if kind == "float" else kind, tuple(tensor.dims)
        info = self._tensors.get(name)
        return (info.dtype.name, info.shape) if info is not None else ("", ())


def _group(shape: tuple[int, ...], scales: tuple[int, ...], axis: int, block: int) -> int:
    """Numbers per scale along the axis of blocks; 0 if a scale holds for a whole slice (or for everything)."""
    if len(scales) != len(shape) or len(shape) < 2 or prod(scales) == 1:
        return 0
    length = shape[axis]
    group = block or -(-length // max(1, scales[axis]))
    return group if group < length else 0
