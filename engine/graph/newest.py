"""The newest operator set, whose quantizers ONNX Runtime does not have yet.

ONNX Runtime reads models of opset 28 and has no QuantizeLinear and DequantizeLinear for it. Nearly all that came with
28 are more element types; a model that does without says the same in 27.
"""

from __future__ import annotations

from collections.abc import Iterable

import onnx
from onnx import helper

from engine.graph.subgraphs import subgraphs

QUANTIZED, NEWEST = 27, 28
"""The newest operator set in which ONNX Runtime knows QuantizeLinear and DequantizeLinear, and the newest it reads."""
_NEW = frozenset({"SwiGLU", "Mod", "SpaceToDepth"})
"""Operators that 28 has brought, or given another meaning or attribute."""


def too_new(model: onnx.ModelProto) -> list[onnx.OperatorSetIdProto]:
    """The entries of a model, if it is too new to be quantized, that may say `QUANTIZED` instead.

    Empty where it is old enough, or where nothing older says the same. Whether the element types fit in the older one,
    the runtime knows.
    """
    imports = [*model.opset_import, *(entry for function in model.functions for entry in function.opset_import)]
    found = [entry for entry in imports if _standard(entry.domain) and entry.version == NEWEST]
    if not found or _uses(model.graph.node) or any(_uses(function.node) for function in model.functions):
        return []
    return found


def _uses(nodes: Iterable[onnx.NodeProto]) -> bool:
    return any(
        (_standard(node.domain) and node.op_type in _NEW and not _as_before(node))
        or any(_uses(body.node) for body in subgraphs(node))
        for node in nodes
    )


def _as_before(node: onnx.NodeProto) -> bool:
    """A Mod of C's kind, a SpaceToDepth of the only mode that there was."""
    given = {entry.name: helper.get_attribute_value(entry) for entry in node.attribute}
    if node.op_type == "Mod":
        return given.get("fmod") == 1
    return node.op_type == "SpaceToDepth" and given.get("mode", b"DCR") == b"DCR"


def _standard(domain: str) -> bool:
    return domain in ("", "ai.onnx")
