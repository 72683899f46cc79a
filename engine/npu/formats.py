"""Scheme -> what the device computes in: the format of weights, activations and the Cube."""

from __future__ import annotations

from dataclasses import dataclass

from engine.fusion.types import Kernel, Kind
from engine.npu.chip import Precision
from engine.npu.device import Device, Refusal
from engine.precision.scheme import FP16, Scheme, WeightFormat
from engine.text import Text, say

CUBE_KINDS = frozenset(
    {Kind.CONV, Kind.DEPTHWISE, Kind.CONV_TRANSPOSE, Kind.GEMM, Kind.MATMUL, Kind.MATMUL_DYNAMIC, Kind.RECURRENT}
)


@dataclass(frozen=True, slots=True)
class Mode:
    """How a kernel runs on a device."""

    cube: Precision
    """Operands of the Cube."""
    weights: WeightFormat
    """How weights lie in memory."""
    unpack: bool
    """Whether the Vector unit widens the weights before the Cube."""
    integer_in: bool
    """Whether the kernel reads INT8 activations."""
    dynamic: bool
    """Whether the range of the activation is taken from each run."""


HALF_MODE = Mode("fp16", FP16.weights, False, False, False)


def supports(device: Device, kernel: Kernel, scheme: Scheme) -> Text | None:
    """Why a kernel can't run natively in a scheme; None if it can.

    A kernel that can't is simulated as the toolchain builds it: in FP16.
    """
    if kernel.why_not is not None:
        return kernel.why_not
    if scheme.brain:
        return say("The profile of {device} has no BF16; the converter stores and runs FP16.", device=device.title)
    if not scheme.weights.floating:
        for refusal in device.refusals:
            if _refuses(refusal, kernel, scheme):
                return Text(refusal.reason)
        return None
    if scheme.weights.bits > 16:
        return say("{device} has no FP32 in its matrix unit; the converter stores and runs FP16.", device=device.title)
    return None


def mode(device: Device, kernel: Kernel, scheme: Scheme) -> Mode:
    """What the device does for a kernel in a scheme.

    FP32 and BF16 are costed as FP16, because converters for these devices force FP16 by default. What a device can't
    run natively is costed in FP16 too: that is what its converter builds.
    """
    weights, activations = scheme.weights, scheme.activations
    if weights.floating or kernel.weight is None or supports(device, kernel, scheme) is not None:
        return HALF_MODE
    bits = weights.bits
    integer = not activations.floating and activations.bits <= 8
    if integer and activations.bits <= 4 and bits == 4 and device.chip.native_int4:
        cube: Precision = "int4"
    else:
        cube = "int8" if integer and bits <= 8 else "fp16"
    unpack = bits < {"fp16": 16, "int8": 8, "int4": 4}[cube]
    if kernel.kind is Kind.EMBEDDING:
        cube, integer = "fp16", False
    return Mode(cube, weights, unpack, integer, integer and not activations.static)


def _refuses(refusal: Refusal, kernel: Kernel, scheme: Scheme) -> bool:
    if refusal.kinds and kernel.kind not in refusal.kinds:
        return False
    if refusal.weight_bits and scheme.weights.bits not in refusal.weight_bits:
        return False
    if refusal.activation_bits and (
        scheme.activations.floating or scheme.activations.bits not in refusal.activation_bits
    ):
        return False
    if refusal.unless_multiple and kernel.weight is not None:
        shape = kernel.weight.shape
        sides = [1, 1]
        for side, axes in enumerate((kernel.weight.channel_axes, kernel.weight.reduction_axes)):
            for axis in axes:
                sides[side] *= shape[axis]
        fits = all(side % refusal.unless_multiple == 0 for side in sides)
        if fits and refusal.unless_group in (0, scheme.weights.group) and scheme.activations.floating:
            return False
    return True
