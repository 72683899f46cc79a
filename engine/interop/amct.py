"""What AMCT can quantize; shared by its post-training and its training exports.

Layer kinds and their limits: CANN documentation of AMCT (ONNX), "create_quant_config".
"""

from __future__ import annotations

from engine.fusion.types import Kernel, Kind
from engine.fusion.view import attribute
from engine.interop.nearest import CONVOLUTIONS, PRODUCTS, sides, weight_on_the_right
from engine.precision.scheme import Granularity
from engine.text import Text, say


def refuses(kernel: Kernel) -> Text | None:
    """Why AMCT leaves a kernel in FP16."""
    if kernel.kind not in CONVOLUTIONS | PRODUCTS:
        return say("AMCT quantizes convolutions, Gemm and MatMul only; this layer stays FP16.")
    assert kernel.weight is not None
    rank = len(kernel.weight.shape)
    node = kernel.nodes[kernel.anchor]
    dilations = attribute(node, "dilations", [])
    if kernel.kind is Kind.CONV_TRANSPOSE and (rank != 4 or any(d != 1 for d in dilations)):
        return say("AMCT quantizes transposed convolutions over two axes without dilation only.")
    if kernel.kind in CONVOLUTIONS and rank != 4 and not (rank == 5 and (not dilations or dilations[0] == 1)):
        return say("AMCT quantizes convolutions over two axes, and over three without dilation in depth, only.")
    if kernel.kind in PRODUCTS and not weight_on_the_right(kernel):
        return say("AMCT quantizes products whose weight is a matrix on the right only.")
    if kernel.kind is Kind.GEMM and attribute(node, "transA", 0):
        return say("AMCT quantizes Gemm without transA only.")
    return None


def grains(kernel: Kernel, bits: int) -> tuple[Granularity, ...]:
    """One scale per output channel for convolutions, one per tensor for products."""
    if kernel.kind in PRODUCTS:
        return ("tensor",)
    if kernel.kind is Kind.CONV_TRANSPOSE:
        assert kernel.weight is not None
        outputs = kernel.weight.shape[1] * attribute(kernel.nodes[kernel.anchor], "group", 1)
        if sides(kernel)[0] != outputs:  # a scale per channel of a group, which AMCT doesn't have
            return ("tensor",)
    return ("channel", "tensor")
