"""What kind of kernel a node makes as an anchor."""

from __future__ import annotations

from engine.fusion.labels import is_depthwise
from engine.fusion.ops import KINDS
from engine.fusion.types import Kind
from engine.fusion.view import View
from engine.fusion.weights import find_weights


def kind_of(view: View, at: int) -> Kind:
    """Kind of a kernel whose anchor is this node."""
    op = view.ops[at]
    kind = KINDS.get(op, Kind.OTHER)
    if kind is Kind.CONV and is_depthwise(view, at):
        return Kind.DEPTHWISE
    if op in ("MatMul", "Gemm", "Einsum") and all(name not in view.constants for name in view.nodes[at].inputs[:2]):
        return Kind.MATMUL_DYNAMIC
    if op == "Gather" and find_weights(view, at, None, {}):
        return Kind.EMBEDDING
    return kind
