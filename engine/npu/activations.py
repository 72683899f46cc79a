"""How activations lie in memory under a plan: width, layout, and what has to be converted where.

A float tensor is stored in INT8 when every kernel that reads it takes INT8, else in FP16; a kernel that wants INT8 from
an FP16 tensor quantizes it on the way in. Kernels that only move data pass the wish of their readers on. Feature maps
of convolutions lie in NC1HWC0, everything else flat.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from engine.fusion.types import Kind, Network
from engine.npu.formats import Mode
from engine.npu.workload import Layout, Use, Workload

C0_BYTES = 32
"""Bytes of an innermost block: 16 FP16 or 32 INT8 channels."""
SMALL_CHANNELS = 4
"""Up to this many channels a convolution reads its input in blocks of four (NC1HWC0_C04)."""


class Stored(msgspec.Struct, frozen=True, gc=False):
    """One tensor in memory."""

    width: int
    """Bytes per element."""
    layout: Layout
    nbytes: int
    """Padding included."""


class Traffic(msgspec.Struct, frozen=True, gc=False):
    """What one kernel reads and writes besides its weights. Bytes include the padding of the layout."""

    read_bytes: int
    write_bytes: int
    cast_elements: int
    """FP16 elements that are quantized on the way in."""
    convert_bytes: int
    """Bytes whose layout is converted before the kernel can start."""
    channels_first: bool
    """Whether the first input has so few channels that a convolution uses blocks of four."""
    batch: int = 1
    """What the kernel can be sliced by, see `Workload.batch`."""


def storage(network: Network, work: Sequence[Workload], modes: Sequence[Mode]) -> dict[str, Stored]:
    """Width, layout and bytes of every activation that a kernel reads or writes."""
    widths = _widths(network, work, modes)
    stored: dict[str, Stored] = {}
    for info in network.graph.inputs:
        stored[info.name] = _store(_boundary(network, info.name), widths, "flat")
    for item in work:
        layout = item.layout or _inherited(item, stored)
        for use in item.outputs:
            stored[use.tensor] = _store(use, widths, layout)
        for use in item.inputs:
            if use.tensor not in stored:
                stored[use.tensor] = _store(use, widths, "flat")
    return stored


def traffic(item: Workload, mode: Mode, stored: Mapping[str, Stored]) -> Traffic:
    """Bytes in and out of a kernel, casts and layout conversions."""
    wanted = item.layout or _inherited(item, stored)
    read = cast = convert = 0
    for use in item.inputs:
        have = stored[use.tensor]
        nbytes = have.nbytes if use.read == use.elements else use.read * have.width
        if have.layout != wanted and use.channels and use.elements > use.channels:
            convert += have.nbytes
            nbytes = padded(use, have.width, wanted)
        read += nbytes
        if mode.integer_in and have.width == 2 and not use.itemsize and use is item.inputs[0]:
            cast += use.elements
    write = sum(stored[use.tensor].nbytes for use in item.outputs)
    small = bool(item.inputs) and 0 < item.inputs[0].channels <= SMALL_CHANNELS
    return Traffic(read, write, cast, convert, small, item.batch)


def padded(use: Use, width: int, layout: Layout) -> int:
    """Bytes of a tensor in a layout."""
    if layout == "flat" or not use.channels or use.itemsize:
        return use.elements * width
    block = SMALL_CHANNELS if use.channels <= SMALL_CHANNELS else C0_BYTES // width
    return use.elements // use.channels * (-(-use.channels // block) * block) * width


def _store(use: Use, widths: Mapping[str, int], layout: Layout) -> Stored:
    width = use.itemsize or widths.get(use.tensor, 2)
    return Stored(width, layout, padded(use, width, layout))


def _boundary(network: Network, name: str) -> Use:
    info = network.tensors[name]
    itemsize = 0 if info.dtype.kind in ("f", "V") else min(info.dtype.itemsize, 4)
    channels = info.shape[1] if len(info.shape) in (3, 4, 5) else 0
    return Use(name, info.elements, info.elements, channels, itemsize)


def _inherited(item: Workload, stored: Mapping[str, Stored]) -> Layout:
    """Layout of a kernel that takes what it gets: blocked if any of its inputs is."""
    for use in item.inputs:
        have = stored.get(use.tensor)
        if have is not None and have.layout == "blocked":
            return "blocked"
    return "flat"


def _widths(network: Network, work: Sequence[Workload], modes: Sequence[Mode]) -> dict[str, int]:
    """Bytes per element of float tensors: 1 where all readers take INT8."""
    outputs = {info.name for info in network.graph.outputs}
    takes: dict[str, bool] = {}
    for item, mode in zip(reversed(work), reversed(modes), strict=True):
        passes_on = item.kind is Kind.MOVEMENT and bool(item.outputs)
        integer = (
            all(takes.get(use.tensor, False) and use.tensor not in outputs for use in item.outputs)
            if passes_on
            else mode.integer_in
        )
        for position, use in enumerate(item.inputs):
            wants = integer and (passes_on or position == 0)
            takes[use.tensor] = takes.get(use.tensor, True) and wants
    return {tensor: 1 if integer and tensor not in outputs else 2 for tensor, integer in takes.items()}
