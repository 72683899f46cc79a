"""Operator tables: where an ONNX operator runs on a family of devices, and what it costs the Vector unit."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal

import msgspec
import onnx

from engine.graph.types import Array, Node
from engine.paths import resources
from engine.text import Text, say

Place = Literal["npu", "cpu", "unsupported"]
Passes = tuple[float, float, float, float, float]
"""Element passes of one-source, two-source, exp, div and reduce instructions."""
NO_PASSES: Passes = (0.0, 0.0, 0.0, 0.0, 0.0)
VIEWS = frozenset({"Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity", "Dropout"})
"""Operators that only rename a tensor as long as its layout stays."""


class _Support(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kirin: Place
    ascend: Place
    slow: bool = False
    limits: str = ""
    kirin_reason: str = ""
    ascend_reason: str = ""


class _SupportFile(msgspec.Struct, frozen=True):
    families: tuple[str, ...]
    operators: dict[str, _Support]


class _Cost(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    one: float = 0.0
    two: float = 0.0
    exp: float = 0.0
    div: float = 0.0
    reduce: float = 0.0
    fp32: bool = False
    """Computed in FP32: every pass counts twice, because passes are counted in FP16 elements."""


class _CostFile(msgspec.Struct, frozen=True):
    operators: dict[str, _Cost]


@cache
def _support() -> _SupportFile:
    path = resources() / "operators" / "support.json"
    return msgspec.json.decode(path.read_bytes(), type=_SupportFile)


@cache
def _costs() -> Mapping[str, Passes]:
    path = resources() / "operators" / "costs.json"
    table = msgspec.json.decode(path.read_bytes(), type=_CostFile).operators
    return {op: _as_half(cost) for op, cost in table.items()}


def _as_half(cost: _Cost) -> Passes:
    width = 2.0 if cost.fp32 else 1.0
    return width * cost.one, width * cost.two, width * cost.exp, width * cost.div, width * cost.reduce


def families() -> tuple[str, ...]:
    """Families of devices that the support table has a column for."""
    return _support().families


def placement(node: Node, rank: int, family: str) -> tuple[Place, Text | None]:
    """Where a node runs, and why not on the NPU.

    Args:
        node: The node.
        rank: Dimensions of its first input, to tell Conv 1-D, 2-D and 3-D apart.
        family: Column of the table, see `families`.
    """
    table = _support().operators
    entry = table.get(_variant(node, rank)) or table.get(node.op_type)
    if entry is None:
        return "cpu", say("{op} is not in the operator table of this device", op=node.op_type)
    place: Place = getattr(entry, family)
    if place == "npu":
        return place, None
    return place, say("{op}: {reason}", op=node.op_type, reason=getattr(entry, f"{family}_reason"))


def passes(node: Node, constants: Mapping[str, Array]) -> Passes:
    """Vector passes of a node per element; NO_PASSES for an operator without arithmetic.

    Args:
        node: The node.
        constants: Constants that it may read; one number as exponent makes Pow a multiplication.
    """
    op, table = node.op_type, _costs()
    if op == "Pow" and not _one_number(node, constants):
        return table["Pow/general"]
    if op == "Resize" and attribute(node, "mode", b"nearest") == b"nearest":
        return table["Resize/nearest"]
    return table.get(op, NO_PASSES)


def _one_number(node: Node, constants: Mapping[str, Array]) -> bool:
    return len(node.inputs) > 1 and node.inputs[1] in constants and constants[node.inputs[1]].size == 1


def _variant(node: Node, rank: int) -> str:
    if node.op_type in ("Conv", "ConvTranspose") and rank == 5:
        return "Conv/3d"
    if node.op_type == "Resize":
        mode = attribute(node, "mode", b"nearest")
        return f"Resize/{mode.decode('ascii', 'replace')}" if isinstance(mode, bytes) else "Resize"
    return node.op_type


def attribute(node: Node, name: str, default: object = None) -> object:
    """Value of an attribute of a node, or the default."""
    for entry in node.proto.attribute:
        if entry.name == name:
            if entry.type == onnx.AttributeProto.INT:  # by far the most; the helper asks for every type in turn
                return entry.i
            value: object = onnx.helper.get_attribute_value(entry)
            return value
    return default
