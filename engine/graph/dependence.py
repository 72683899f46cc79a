"""What depends on the values of the inputs, and what only on their shapes.

A tensor that does not depend on values is a constant once the input shapes are chosen: `Shape`, the arithmetic behind
it, masks built from it. The shape of a tensor may itself depend on values (`NonZero`, a slice up to a computed index);
then nothing derived from that shape is constant either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import onnx

from engine.graph.subgraphs import reads, subgraphs

_RANDOM = frozenset(
    {"RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Multinomial", "Bernoulli"}
)
_ONLY_SHAPE = frozenset({"Shape", "Size", "EyeLike"})
"""Operators whose result depends on the shape of their input alone."""

_ALL = tuple(range(64))
_SHAPED_BY: Mapping[str, tuple[int, ...]] = {
    "Reshape": (1,),
    "Expand": (1,),
    "ConstantOfShape": (0,),
    "Tile": (1, 2),
    "Range": (0, 1, 2),
    "Slice": (1, 2, 3, 4),
    "Pad": (1, 3),
    "Resize": (1, 2, 3),
    "Upsample": (1,),
    "OneHot": (1,),
    "TopK": (1,),
    "Squeeze": (1,),
    "Unsqueeze": (1,),
    "Split": (1,),
    "Compress": (1,),
    "NonZero": _ALL,
    "Unique": _ALL,
    "NonMaxSuppression": _ALL,
    "If": _ALL,
    "Loop": _ALL,
    "Scan": _ALL,
    "MaxUnpool": (2,),
    "AffineGrid": (1,),
    "CenterCropPad": (1,),
    "BlackmanWindow": (0,),
    "HannWindow": (0,),
    "HammingWindow": (0,),
    "DFT": (1, 2),
    "STFT": (1, 3),
    "MelWeightMatrix": (0, 1),
    "ImageDecoder": _ALL,
    "StringSplit": _ALL,
    "StringNormalizer": _ALL,
    "SplitToSequence": _ALL,
    "SequenceAt": _ALL,
    "SequenceConstruct": _ALL,
    "SequenceInsert": _ALL,
    "SequenceErase": _ALL,
    "SequenceLength": _ALL,
    "SequenceMap": _ALL,
    "ConcatFromSequence": _ALL,
    "Optional": _ALL,
    "OptionalGetElement": _ALL,
    "OptionalHasElement": _ALL,
}
"""Operator -> inputs whose values decide the shape of its outputs."""

_MICROSOFT = frozenset({
    "QuantizeLinear", "DequantizeLinear", "QLinearAdd", "QLinearMul", "QLinearSigmoid", "QLinearLeakyRelu",
    "QLinearSoftmax", "QLinearConcat", "QLinearAveragePool", "QLinearGlobalAveragePool", "QLinearReduceMean", "QGemm",
    "MatMulNBits", "MatMulIntegerToFloat", "DynamicQuantizeMatMul", "DynamicQuantizeLSTM", "GatherBlockQuantized",
    "QAttention", "Gelu", "FastGelu", "QuickGelu", "BiasGelu", "BiasSoftmax", "FusedMatMul", "FusedGemm", "FusedConv",
    "LayerNormalization", "SimplifiedLayerNormalization", "SkipLayerNormalization", "SkipSimplifiedLayerNormalization",
    "EmbedLayerNormalization", "GroupNorm", "RotaryEmbedding", "Attention", "MultiHeadAttention", "GroupQueryAttention",
})  # fmt: skip
"""Operators of ONNX Runtime's own whose result has a shape that follows from the shapes of the inputs."""

_AXES_INPUT = ("Reduce",)
"""Operators by prefix whose second input is a list of axes."""


@dataclass(frozen=True, slots=True)
class Dependence:
    """Tensors that change with the values of the inputs, and those whose shape changes with them (a subset)."""

    values: frozenset[str]
    shapes: frozenset[str]


def dependence(nodes: Sequence[onnx.NodeProto], inputs: Iterable[str], static: frozenset[str]) -> Dependence:
    """Follow the inputs through the nodes.

    Args:
        nodes: In runnable order.
        inputs: Names of what is fed.
        static: Tensors whose shape is proven to be fixed by other means (shape inference).
    """
    values, shapes = set(inputs), set[str]()
    for node in nodes:
        needed = reads(node)
        outputs = [name for name in node.output if name]
        if _depends(node, needed, values, shapes):
            values.update(outputs)
            if _reshapes(node, needed, values, shapes):
                shapes.update(name for name in outputs if name not in static)
    return Dependence(frozenset(values), frozenset(shapes))


def _depends(node: onnx.NodeProto, needed: Sequence[str], values: set[str], shapes: set[str]) -> bool:
    if is_random(node):
        return True
    if node.op_type in _ONLY_SHAPE and node.domain in ("", "ai.onnx"):
        return node.input[0] in shapes
    return any(name in values for name in needed)


def _reshapes(node: onnx.NodeProto, needed: Sequence[str], values: set[str], shapes: set[str]) -> bool:
    if any(name in shapes for name in needed):
        return True
    if node.domain not in ("", "ai.onnx"):
        return node.domain != "com.microsoft" or node.op_type not in _MICROSOFT
    deciding = (1,) if node.op_type.startswith(_AXES_INPUT) else _SHAPED_BY.get(node.op_type, ())
    if deciding is _ALL:
        return True
    return any(index < len(node.input) and node.input[index] in values for index in deciding)


def is_random(node: onnx.NodeProto) -> bool:
    """Whether two runs on the same inputs may differ."""
    if node.op_type in _RANDOM or (node.op_type == "Dropout" and len(node.input) > 2 and node.input[2]):
        return True
    return any(is_random(inner) for body in subgraphs(node) for inner in body.node)
