"""Channel blocks: the layout in which ONNX Runtime's convolutions compute, and what it calls its own operators.

A tensor [N, C, H, W] in blocks of B channels lies in memory as [N, C / B, H, W, B]. ONNX Runtime uses that inside its
sessions on x86 and turns every tensor around at their borders, which costs a depthwise network as much as computing it.
The operators are its own (domain `com.microsoft.nchwc`; onnxruntime/core/graph/contrib_ops/nchwc_schema_defs.cc), so
`block_size` tries them before anybody relies on them.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import helper

from engine.graph.types import Array

DOMAIN = "com.microsoft.nchwc"


def unblocked(array: Array, block: int) -> Array:
    """A copy in plain order of a tensor [N, C, H, W] whose memory is in blocks."""
    count, channels, height, width = array.shape
    parts = array.reshape(count, channels // block, height, width, block)
    plain: Array = parts.transpose(0, 1, 4, 2, 3).reshape(array.shape)
    return plain


def blocked(array: Array, block: int) -> Array:
    """The inverse of `unblocked`."""
    count, channels, height, width = array.shape
    parts = array.reshape(count, channels // block, block, height, width)
    found: Array = parts.transpose(0, 1, 3, 4, 2).reshape(array.shape)
    return found


def suits(shape: tuple[int, ...] | None, block: int) -> bool:
    """Whether a float32 tensor of that shape can lie in blocks without padding."""
    return bool(block and shape and len(shape) == 4 and min(shape) > 0 and shape[1] % block == 0)


def filter_blocks(weight: Array, groups: int, block: int) -> Array | None:
    """A convolution's weight [O, I / groups, h, w] in the order that the blocked operator wants; None if it has none.

    Few input channels are read from a plain tensor and only the output is in blocks.
    """
    outs, ins, height, width = weight.shape
    if outs % block:
        return None
    if (groups == outs and ins == 1) or (groups == 1 and ins < block):
        parts = weight.reshape(outs // block, block, ins, height, width).transpose(0, 2, 3, 4, 1)
    elif groups == 1 and ins % block == 0:
        parts = weight.reshape(outs // block, block, ins // block, block, height, width).transpose(0, 2, 4, 5, 3, 1)
    else:
        return None
    return np.require(parts, requirements="C").reshape(weight.shape)


def reorder_in(source: str, target: str) -> onnx.NodeProto:
    """From plain order to blocks."""
    return helper.make_node("ReorderInput", [source], [target], domain=DOMAIN, channels_last=0)


def reorder_out(source: str, target: str, channels: int) -> onnx.NodeProto:
    """From blocks to plain order."""
    return helper.make_node("ReorderOutput", [source], [target], domain=DOMAIN, channels=channels, channels_last=0)
