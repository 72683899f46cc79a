"""AIPP: the preprocessing that a converted model does itself, from 8-bit pictures (CANN documentation of ATC).

out = (pixel - mean_chn - min_chn) * var_reci_chn, after the exchange of red and blue. Mixbit's pictures become
(pixel * scale - mean) / std, so min_chn = mean / scale and var_reci_chn = scale / std.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.fusion.types import Network
from engine.graph.types import TensorInfo
from engine.interop.pictures import ImageOptions
from engine.interop.textproto import Message, Value, Word


def aipp(network: Network, images: Mapping[str, ImageOptions]) -> Message:
    """One block per picture input; none where no input is filled with pictures."""
    blocks: list[tuple[str, Value]] = []
    for rank, info in enumerate(network.graph.inputs):
        options = images.get(info.name) or images.get("")
        if options is not None and len(info.shape) == 4 and info.dtype.kind == "f":
            blocks.append(("aipp_op", _block(rank, info, options)))
    return blocks


def _block(rank: int, info: TensorInfo, options: ImageOptions) -> Message:
    gray = options.channels == "GRAY"
    height, width = info.shape[2:] if options.layout == "NCHW" else info.shape[1:3]
    fields: list[tuple[str, Value]] = [
        ("aipp_mode", Word("static")),
        ("related_input_rank", rank),
        ("input_format", Word("YUV400_U8" if gray else "RGB888_U8")),
        ("src_image_size_w", width),
        ("src_image_size_h", height),
        ("crop", False),
        ("csc_switch", False),
        ("rbuv_swap_switch", options.channels == "BGR"),
    ]
    channels = range(1 if gray else 3)
    # mean_chn is an integer; the exact mean goes into min_chn, which is subtracted as well.
    fields += [(f"mean_chn_{c}", 0) for c in channels]
    fields += [(f"min_chn_{c}", _of(options.mean, c) / options.scale) for c in channels]
    fields += [(f"var_reci_chn_{c}", options.scale / _of(options.std, c)) for c in channels]
    return fields


def _of(values: tuple[float, ...], channel: int) -> float:
    return float(values[channel % len(values)])
