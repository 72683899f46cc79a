"""Display names of kernels: what a person would call the layer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.fusion.types import Weight
from engine.graph.types import Node

_ENDINGS = re.compile(
    r"(\.folded(\.\d+)?|[._/](weight|w_0(_deepcopy_\d+)?|kernel|w)|/ReadVariableOp.*)$", re.IGNORECASE
)
_OUTPUT = re.compile(r"(_output_\d+|:\d+|_quant(ized)?|_(Deq|Q)uantizeLinear(_(Out|In)put)?)+$")
"""What torch and TensorFlow put behind a node's name to call its output, and quantizers to call what they replace."""
_CONSTANT = re.compile(r"(^|[/.])constant(_\d+)?$", re.IGNORECASE)
"""A Constant node that holds a weight says only where it stands."""
_NUMBERED = re.compile(r"[_.]?\d*$")
_GENERATED = re.compile(r"^(onnx::|val_\d|_val_|const|[a-z]{0,2}\d+$|node_?\d+$|p2o\.)", re.IGNORECASE)
_OTHER_WORDS = frozenset({"conv2d", "biasadd", "einsum", "tensordot", "depthwise", "separable_conv2d"})
"""What TensorFlow calls the operators that become Conv and MatMul."""
_FLOAT_OPERATORS = {
    "ConvInteger": "Conv",
    "QLinearConv": "Conv",
    "MatMulInteger": "MatMul",
    "QLinearMatMul": "MatMul",
    "MatMulNBits": "MatMul",
    "QGemm": "Gemm",
}
"""Operators on codes keep the name of the node that they replace."""
_LONGEST = 120


def display_name(nodes: Sequence[Node], anchor: Node, weight: Weight | None, *, named: bool) -> str:
    """Module scope, node name, weight name, output name: the first that says something.

    A kernel with a weight is called by its module ('layers.0.mlp.gate_proj'), and so are norms and products of codes
    (`named`); others keep the operator's name at the end, because a module has many of them.
    """
    from_weight = _weight_name(weight)
    alone = named or weight is not None
    op, raw = _FLOAT_OPERATORS.get(anchor.proto.op_type, anchor.proto.op_type), anchor.proto.name
    if anchor.scope:
        # A Conv that the exporter folded a BatchNorm into carries the BatchNorm's scope; its weight knows better.
        own = from_weight if op.startswith("Conv") else ""
        return _short(own or (anchor.scope if alone else f"{anchor.scope}.{op}"))
    if named and op.startswith("Reduce"):  # one of the primitives that a norm is written in
        raw = raw.rpartition("/")[0] or raw
    name = clean_node_name(raw, op, keep_op=not alone)
    if name:
        return _short(name)
    output = next((n for n in reversed(nodes[-1].outputs) if n), op)
    return _short(from_weight or clean_node_name(output, "", keep_op=True) or _OUTPUT.sub("", output) or output)


def clean_node_name(name: str, op_type: str, *, keep_op: bool) -> str:
    """'/features/features.0/conv/Conv' -> 'features.0.conv'; '' for names that only repeat the operator."""
    parts = [part for part in _OUTPUT.sub("", name.split(";")[0]).split("/") if part]
    if not parts or (len(parts) == 1 and _GENERATED.match(parts[0])):
        return ""
    kept: list[str] = []
    for part in parts:
        if kept and (part.startswith(kept[-1] + ".") or part == kept[-1]):
            kept.pop()
        kept.append(part)
    last = _NUMBERED.sub("", kept[-1]).lower()
    is_op = bool(op_type) and (last == op_type.lower() or last in _OTHER_WORDS)
    if is_op and len(kept) == 1:
        return ""
    if is_op and not keep_op:
        kept.pop()
    return ".".join(kept)


def _weight_name(weight: Weight | None) -> str:
    if weight is None or _GENERATED.match(weight.origin):
        return ""
    stem = _CONSTANT.sub("", _ENDINGS.sub("", _OUTPUT.sub("", weight.origin)))
    return clean_node_name(stem, "", keep_op=True) or stem


def _short(name: str) -> str:
    name = "".join(" " if ord(char) < 32 else char for char in name)
    return name if len(name) <= _LONGEST else f"{name[:60]}…{name[-59:]}"


def unique_names(names: Sequence[str]) -> list[str]:
    """The names with ' 2', ' 3' ... behind repetitions."""
    taken = set(names)
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        candidate = name
        while seen[name] > 1 and candidate in taken:
            candidate = f"{name} {seen[name]}"
            seen[name] += candidate in taken
        taken.add(candidate)
        result.append(candidate)
    return result
