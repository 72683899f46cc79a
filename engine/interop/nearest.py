"""The scheme nearest to the one asked for among those that a target knows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod

from engine.fusion.types import Kernel, Kind
from engine.precision.scheme import FP16, FP32, HALF, ActivationFormat, Granularity, Scheme, WeightFormat, label
from engine.text import Text, say

CONVOLUTIONS = frozenset({Kind.CONV, Kind.DEPTHWISE, Kind.CONV_TRANSPOSE})
PRODUCTS = frozenset({Kind.GEMM, Kind.MATMUL})


def _both(kernel: Kernel, bits: int) -> tuple[Granularity, ...]:
    return ("channel", "tensor")


def _none(kernel: Kernel) -> tuple[int, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Ability:
    """What a target can do with one kernel."""

    title: Text
    refuses: Callable[[Kernel], Text | None]
    """Why it doesn't quantize a kernel at all."""
    widths: Callable[[Kernel], tuple[int, ...]]
    """Integer weight widths that it knows for a kernel, ascending."""
    grains: Callable[[Kernel, int], tuple[Granularity, ...]] = _both
    """Granularities of the scales for a kernel at a width, the preferred one first."""
    groups: Callable[[Kernel], tuple[int, ...]] = _none
    """Group sizes that it knows for a kernel, ascending; needed where `grains` names groups."""
    symmetric: bool | None = None
    """Whether weights have no zero point; None where both are possible."""
    activation_widths: tuple[int, ...] = (8,)
    """Integer activation widths, ascending; empty if it never quantizes activations."""
    follow: bool = False
    """Activations always have the width of the weights."""
    activation_symmetric: bool | None = None
    weight_only: bool = False
    """Integer weights may meet FP16 activations."""
    dynamic: bool = False
    """Ranges may be taken from each run."""
    takes_rounded: bool = False
    """Whether it is handed weights that are rounded already, so that any method and a corrected bias reach it."""
    floating: Scheme | None = FP16
    """What a layer that isn't quantized runs in; None where FP16 and FP32 are both possible."""


def nearest(ability: Ability, kernel: Kernel, asked: Scheme) -> tuple[Scheme, Text | None]:
    """The scheme that a target will run, and why it is not the one asked for (None if it is).

    Weights are never given fewer bits than asked for. A target that is handed a configuration rounds by itself, to
    nearest.
    """
    if asked.weights.floating:
        return _float(ability, asked)
    reason = ability.refuses(kernel)
    if reason is not None:
        return ability.floating or FP16, reason
    bits = next((b for b in ability.widths(kernel) if b >= asked.weights.bits), None)
    if bits is None:
        return ability.floating or FP16, say(
            "{target} has no integer weights of {bits} bits for this layer; it stays in floats.",
            target=ability.title,
            bits=asked.weights.bits,
        )
    weights, why_weights = _weights(ability, kernel, asked.weights, bits)
    activations, why_activations = _activations(ability, asked.activations, bits)
    gets = Scheme(weights, activations)
    if ability.takes_rounded:
        gets = replace(gets, method=asked.method, corrected=asked.corrected)
    if gets == asked:
        return asked, None
    reasons = [why_weights, why_activations]
    if weights.bits == asked.weights.bits and asked.activations.floating:
        reasons.reverse()  # that activations are rounded at all matters more than how weights are scaled
    for why in reasons:
        if why is not None:
            return gets, why
    return gets, say("{target} rounds the weights by itself, to nearest.", target=ability.title)


def _float(ability: Ability, asked: Scheme) -> tuple[Scheme, Text | None]:
    plain = FP32 if asked.weights.bits == 32 else FP16
    gets = ability.floating or plain
    if gets == asked:
        return asked, None
    if asked.brain:
        return gets, say(
            "BF16 is not handed to {target}; this layer runs in {scheme}.", target=ability.title, scheme=label(gets)
        )
    return gets, say("{target} runs in {scheme} what it doesn't quantize.", target=ability.title, scheme=label(gets))


def _weights(ability: Ability, kernel: Kernel, asked: WeightFormat, bits: int) -> tuple[WeightFormat, Text | None]:
    grain, group = _grain(ability, kernel, asked, bits)
    symmetric = asked.symmetric if ability.symmetric is None else ability.symmetric
    gets = WeightFormat(bits, symmetric=symmetric, granularity=grain, group=group)
    target = ability.title
    if bits != asked.bits:
        return gets, say(
            "{target} has no {bits}-bit weights for this layer; they become INT{more}.",
            target=target,
            bits=asked.bits,
            more=bits,
        )
    if grain != asked.granularity:
        unit = {"tensor": say("tensor"), "channel": say("output channel"), "group": say("group")}[grain]
        return gets, say("{target} gives the weights of this layer one scale per {unit}.", target=target, unit=unit)
    if group != asked.group:
        return gets, say("{target} knows no groups of {group}; it takes {gets}.",
                         target=target, group=asked.group, gets=group)  # fmt: skip
    if symmetric != asked.symmetric:
        if symmetric:
            return gets, say("{target} stores weights without zero points.", target=target)
        return gets, say("{target} stores weights with zero points.", target=target)
    return gets, None


def _grain(ability: Ability, kernel: Kernel, asked: WeightFormat, bits: int) -> tuple[Granularity, int]:
    allowed = ability.grains(kernel, bits)
    if asked.granularity in allowed and asked.granularity != "group":
        return asked.granularity, 0
    if "group" in allowed and (asked.granularity == "group" or allowed[0] == "group"):
        sizes = ability.groups(kernel)
        wanted = asked.group or sizes[-1]
        smaller = [size for size in sizes if size <= wanted]
        return "group", smaller[-1] if smaller else sizes[0]
    return next(grain for grain in allowed if grain != "group"), 0


def _activations(ability: Ability, asked: ActivationFormat, bits: int) -> tuple[ActivationFormat, Text | None]:
    target = ability.title
    if asked.floating and (ability.weight_only or not ability.activation_widths):
        if asked == HALF:
            return HALF, None
        return HALF, say("{target} runs float activations in FP16.", target=target)
    if not ability.activation_widths:
        return HALF, say("{target} quantizes weights only; activations stay FP16.", target=target)
    widths = ability.activation_widths
    if ability.follow and bits in widths:
        width = bits
    else:
        width = widths[0] if asked.floating else next((w for w in widths if w >= asked.bits), widths[-1])
    symmetric = not asked.floating and asked.symmetric
    if ability.activation_symmetric is not None:
        symmetric = ability.activation_symmetric
    static = asked.static or asked.floating or not ability.dynamic
    gets = ActivationFormat(width, symmetric=symmetric, static=static)
    if asked.floating:
        return gets, say("{target} quantizes activations together with weights, to INT{bits}.",
                         target=target, bits=width)  # fmt: skip
    if width != asked.bits:
        return gets, say("{target} has no {bits}-bit activations beside these weights; they become INT{gets}.",
                         target=target, bits=asked.bits, gets=width)  # fmt: skip
    if static != asked.static:
        return gets, say("{target} takes activation ranges from calibration, not from each run.", target=target)
    if symmetric != asked.symmetric:
        if symmetric:
            return gets, say("{target} quantizes activations without zero points.", target=target)
        return gets, say("{target} quantizes activations with zero points.", target=target)
    return replace(gets), None


def sides(kernel: Kernel) -> tuple[int, int]:
    """Channels and reduction length of a kernel's weight matrix."""
    weight = kernel.weight
    assert weight is not None
    return (
        prod(weight.shape[axis] for axis in weight.channel_axes),
        prod(weight.shape[axis] for axis in weight.reduction_axes),
    )


def dividing(sizes: tuple[int, ...], kernel: Kernel) -> tuple[int, ...]:
    """Those group sizes that fill the rows of a kernel's weight matrix without a rest."""
    return tuple(size for size in sizes if sides(kernel)[1] % size == 0)


def weight_on_the_right(kernel: Kernel) -> bool:
    """Whether a product's weight is a plain matrix on the right-hand side, as toolchains expect it."""
    weight = kernel.weight
    assert weight is not None
    node = kernel.nodes[kernel.anchor]
    return len(weight.shape) == 2 and len(node.inputs) > 1 and node.inputs[1] == weight.constant
