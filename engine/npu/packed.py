"""Rounded weights as they lie in memory, and what a kernel reads from them."""

from __future__ import annotations

import numpy as np

from engine.graph.types import Array
from engine.quant.packing import pack_codes, unpack_codes
from engine.quant.weights import QuantizedWeight

_BYTE = 8


def pack(weight: QuantizedWeight) -> Array:
    """The codes as they lie in memory: without gaps below eight bits, else one each."""
    if weight.format.floating or weight.format.bits >= _BYTE:
        return np.ascontiguousarray(weight.codes)
    return pack_codes(weight.codes, weight.format.bits)


def stored_codes(packed: Array, weight: QuantizedWeight) -> Array:
    """Codes [channels, reduction], read from the packed bytes."""
    if weight.format.floating or weight.format.bits >= _BYTE:
        return packed
    return unpack_codes(packed, weight.codes.shape, weight.format.bits)


def unpack(packed: Array, weight: QuantizedWeight, dtype: type[np.floating] = np.float64) -> Array:
    """Codes minus zero points, [channels, reduction] of whole numbers, which either dtype holds exactly."""
    difference: Array = stored_codes(packed, weight).astype(dtype)
    difference -= _by_column(weight.zero_points, weight)
    return difference


def real_values(packed: Array, weight: QuantizedWeight) -> Array:
    """float32 [channels, reduction]: codes minus zero points, times their scales; floats as they are."""
    if weight.format.floating:
        return packed.astype(np.float32)
    values = unpack(packed, weight, np.float32)
    values *= _by_column(weight.scales, weight)
    return values


def looked_up(packed: Array, weight: QuantizedWeight, rows: Array) -> Array:
    """float32 [*rows.shape, reduction]: some rows of a table; negative ones count from its end."""
    codes = stored_codes(packed, weight)[rows].astype(np.float32)
    if weight.format.floating:
        return codes
    zeros, scales = (
        _by_column(np.broadcast_to(values, (weight.codes.shape[0], values.shape[1]))[rows], weight)
        for values in (weight.zero_points, weight.scales)
    )
    found: Array = (codes - zeros) * scales
    return found


def _by_column(per_group: Array, weight: QuantizedWeight) -> Array:
    """[..., groups] as [..., reduction]; a single group as one column, which goes beside all."""
    if per_group.shape[-1] == 1:
        return per_group
    return per_group[..., np.arange(weight.codes.shape[1]) // weight.group]
