"""Kirin's weight-only INT4 product: C = A * ((B + offset) * scale), with the limits that the operator has.

A, C, scale and offset are FP16; B is unsigned, two values per byte, the even element in the low nibble. Weights are
widened to half by the Vector unit, products are summed in FP32 and rounded to half once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.errors import PlanError
from engine.graph.types import Array
from engine.quant.packing import pack_int4, unpack_int4
from engine.quant.weights import QuantizedWeight
from engine.text import Text, say

GROUP = 32
"""Weights along K that share a scale and an offset."""
ROWS = (1, 16, 32, 48, 64)
"""Rows of A that there are kernels for."""
MULTIPLE = 128
LARGEST_A = 448 * 1024
"""Bytes of A that fit."""
_HALF = 2
_SIGN = 8
"""Signed codes begin at -8, stored ones at 0."""


@dataclass(frozen=True, eq=False, slots=True)
class QuantOperand:
    """The right operand as the operator takes it."""

    packed: Array
    """uint8 [K * N / 2], rows of K."""
    scale: Array
    """float16 [K / 32, N]."""
    offset: Array
    """float16 [K / 32, N]; what is added to the unsigned codes."""

    @property
    def shape(self) -> tuple[int, int]:
        """K and N."""
        groups, n = self.scale.shape
        return groups * GROUP, n


def refusal(m: int, k: int, n: int, group: int = GROUP) -> Text | None:
    """Why there is no kernel for a product of that shape; None if there is one."""
    if group != GROUP:
        return say("QuantMatMul takes groups of {want} weights, not {have}.", want=GROUP, have=group)
    if m not in ROWS:
        rows = ", ".join(map(str, ROWS))
        return say("QuantMatMul takes {rows} rows, not {have}; pad or split the input.", rows=rows, have=m)
    for name, size in (("K", k), ("N", n)):
        if size <= 0 or size % MULTIPLE:
            return say(
                "QuantMatMul takes {name} in multiples of {want}, not {have}.", name=name, want=MULTIPLE, have=size
            )
    if m * k * _HALF > LARGEST_A:
        return say("QuantMatMul takes at most {want} KB of activations, not {have}.",
                   want=LARGEST_A // 1024, have=-(-m * k * _HALF // 1024))  # fmt: skip
    return None


def calls(rows: int) -> tuple[int, ...]:
    """Rows of the calls that a product of any number of rows is split into; the last one may be padded."""
    whole, rest = divmod(max(rows, 0), ROWS[-1])
    return (ROWS[-1],) * whole + (() if not rest else (next(size for size in ROWS if size >= rest),))


def operand(weight: QuantizedWeight) -> QuantOperand:
    """The operand of weights that are quantized to 4 bits in groups of 32.

    Args:
        weight: Codes [N, K].

    Raises:
        PlanError: other formats, or sides that are no multiples of 128.
    """
    form = weight.format
    n, k = weight.codes.shape
    if form.floating or form.bits != 4:
        raise PlanError(say("QuantMatMul takes weights of 4 bits, not {have}.", have=form.bits))
    reason = refusal(1, k, n, weight.group)
    if reason is not None:
        raise PlanError(reason)
    zeros = np.broadcast_to(weight.zero_points, weight.scales.shape)
    return QuantOperand(
        pack_int4((weight.codes.T.astype(np.int16) + _SIGN).astype(np.uint8)),
        np.ascontiguousarray(weight.scales.T.astype(np.float16)),
        np.ascontiguousarray(-(zeros.T.astype(np.float16) + np.float16(_SIGN))),
    )


def widened(right: QuantOperand) -> Array:
    """float16 [K, N]: what the Vector unit hands to the Cube, each step rounded to half."""
    codes = unpack_int4(right.packed, right.shape, signed=False).astype(np.float16)
    shifted = codes + np.repeat(right.offset, GROUP, axis=0)
    weights: Array = shifted * np.repeat(right.scale, GROUP, axis=0)
    return weights


def quant_matmul(left: Array, right: QuantOperand) -> Array:
    """float16 [M, N] of float16 [M, K] and a packed operand, as one call of the operator.

    Raises:
        PlanError: a shape that there is no kernel for; `calls` says how to split.
    """
    k, n = right.shape
    if left.ndim != 2 or left.shape[1] != k:
        raise PlanError(say("QuantMatMul needs an input of {k} columns, not {have}.", k=k, have=left.shape))
    reason = refusal(left.shape[0], k, n)
    if reason is not None:
        raise PlanError(reason)
    with np.errstate(over="ignore"):
        half = left.astype(np.float16)
        product: Array = (half.astype(np.float32) @ widened(right).astype(np.float32)).astype(np.float16)
    return product


def quant_matmul_rows(left: Array, right: QuantOperand) -> Array:
    """The same for any number of rows: split into calls, the last one padded with zeros."""
    parts, start = [], 0
    for rows in calls(left.shape[0]):
        part = left[start : start + rows]
        padded = np.zeros((rows, left.shape[1]), left.dtype)
        padded[: part.shape[0]] = part
        parts.append(quant_matmul(padded, right)[: part.shape[0]])
        start += rows
    return np.concatenate(parts) if parts else np.zeros((0, right.shape[1]), np.float16)
