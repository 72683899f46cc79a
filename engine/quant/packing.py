"""Two 4-bit codes per byte, as ONNX, MindSpore Lite and the Kirin QuantMatMul operator store them."""

from __future__ import annotations

import numpy as np

from engine.graph.types import Array


def pack_int4(codes: Array, *, low_first: bool = True) -> Array:
    """Pack 4-bit codes, two per byte, in C order.

    Args:
        codes: Integers in [-8, 7] (signed) or [0, 15] (unsigned), any shape.
        low_first: Even elements go into the low nibble; False for the opposite order.

    Returns:
        uint8 [ceil(n / 2)]; the unused nibble of an odd count is 0.
    """
    flat = np.ascontiguousarray(codes).reshape(-1).astype(np.uint8) & 0x0F
    if flat.size % 2:
        flat = np.append(flat, np.uint8(0))
    even, odd = flat[0::2], flat[1::2]
    low, high = (even, odd) if low_first else (odd, even)
    packed: Array = low | (high << 4)
    return packed


def unpack_int4(packed: Array, shape: tuple[int, ...], *, signed: bool = True, low_first: bool = True) -> Array:
    """Unpack what `pack_int4` made.

    Args:
        packed: uint8 [ceil(n / 2)].
        shape: Shape of the codes; n is its product.
        signed: Codes are two's complement.
        low_first: Even elements sit in the low nibble; False reads the opposite order.

    Returns:
        int8 (signed) or uint8 array of `shape`.

    Raises:
        ValueError: If `packed` has another length than `shape` needs.
    """
    count = int(np.prod(shape, dtype=np.int64))
    data = np.asarray(packed, np.uint8).reshape(-1)
    if data.size != (count + 1) // 2:
        raise ValueError(f"{count} codes need {(count + 1) // 2} bytes, got {data.size}")
    codes = np.empty(2 * data.size, np.uint8)
    low, high = data & 0x0F, data >> 4
    codes[0::2], codes[1::2] = (low, high) if low_first else (high, low)
    codes = codes[:count].reshape(shape)
    if not signed:
        return codes
    # Sign extension: move the nibble to the top and shift it back arithmetically.
    return (codes << 4).view(np.int8) >> 4
