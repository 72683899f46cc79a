"""Codes below eight bits, packed without gaps, the first code in the lowest bits.

Two of 4 bits per byte are what ONNX, MindSpore Lite and the Kirin QuantMatMul operator store, four of 2 bits are ONNX's
INT2; 3 bits run on over the bytes, so that eight codes take three.
"""

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


def pack_codes(codes: Array, bits: int) -> Array:
    """Pack codes of any width up to 8 bits one behind the other, lowest bits first, in C order.

    For 4 bits this is `pack_int4`, for 2 bits ONNX's INT2, for 8 bits the bytes themselves.

    Args:
        codes: Integers in [-2^(bits-1), 2^(bits-1) - 1] (signed) or [0, 2^bits - 1] (unsigned), any shape.
        bits: 1 to 8.

    Returns:
        uint8 [ceil(n * bits / 8)]; unused bits of the last byte are 0.

    Raises:
        ValueError: If `bits` is out of range.
    """
    if not 1 <= bits <= 8:
        raise ValueError(f"codes of {bits} bits can't be packed into bytes")
    flat = np.ascontiguousarray(codes).reshape(-1, 1).astype(np.uint8)
    stream = np.unpackbits(flat, axis=1, bitorder="little", count=bits) if flat.size else flat
    return np.packbits(stream.reshape(-1), bitorder="little")


def unpack_codes(packed: Array, shape: tuple[int, ...], bits: int, *, signed: bool = True) -> Array:
    """Unpack what `pack_codes` made.

    Args:
        packed: uint8 [ceil(n * bits / 8)].
        shape: Shape of the codes; n is its product.
        bits: 1 to 8.
        signed: Codes are two's complement.

    Returns:
        int8 (signed) or uint8 array of `shape`.

    Raises:
        ValueError: If `packed` has another length than `shape` needs, or `bits` is out of range.
    """
    if not 1 <= bits <= 8:
        raise ValueError(f"codes of {bits} bits can't be packed into bytes")
    count = int(np.prod(shape, dtype=np.int64))
    data = np.asarray(packed, np.uint8).reshape(-1)
    if data.size != -(-count * bits // 8):
        raise ValueError(f"{count} codes of {bits} bits need {-(-count * bits // 8)} bytes, got {data.size}")
    stream = np.unpackbits(data, bitorder="little", count=count * bits).reshape(count, bits)
    codes = np.packbits(stream, axis=1, bitorder="little").reshape(shape)
    if not signed:
        return codes
    spare = 8 - bits
    # Sign extension: move the code to the top and shift it back arithmetically.
    return (codes << spare).view(np.int8) >> spare
