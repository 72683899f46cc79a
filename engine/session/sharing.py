"""Tied weights: one stored tensor, several kernels, and what a precision of one means for the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from engine.fusion.types import Kernel, Network
from engine.precision.plan import Plan
from engine.text import Text, say

_NAMED = 3
"""Kernels that a sentence names."""


def sharing_sentence(network: Network, kernel_id: str) -> Text | None:
    """What else reads a kernel's weight, and how often it is stored; None if nothing else does."""
    others = network.sharing(kernel_id)
    if not others:
        return None
    own = {weight.constant for weight in network.by_id(kernel_id).weights}
    if any(weight.constant in own for other in others for weight in other.weights):
        return say(
            "The weight is shared with {others}. Each has a precision of its own: where the format is the same, "
            "one copy is stored, else one for each format.",
            others=_names(others),
        )
    return say(
        "The weight is shared with {others}, which reads it in another layout. Each has a precision of its own "
        "and stores a copy of its own.",
        others=_names(others),
    )


def sharing_sentences(network: Network) -> dict[str, Text]:
    """`sharing_sentence` of every kernel that shares its weight, by kernel id."""
    readers = Counter(weight.origin for kernel in network.tunable for weight in kernel.weights)
    tied = [kernel for kernel in network.tunable if any(readers[weight.origin] > 1 for weight in kernel.weights)]
    found = {kernel.id: sharing_sentence(network, kernel.id) for kernel in tied}
    return {kernel_id: sentence for kernel_id, sentence in found.items() if sentence is not None}


def split_note(network: Network, plan: Plan, changed: Collection[str]) -> Text | None:
    """Says which kernels keep the old format of a weight that changed for others; None if none does.

    Args:
        network: The kernels.
        plan: The plan after the change.
        changed: Ids of the kernels whose scheme changed.
    """
    apart: dict[str, Kernel] = {}
    movers = [network.by_id(kernel_id) for kernel_id in changed]
    origins = {weight.origin: kernel for kernel in movers for weight in kernel.weights}
    for kernel in network.tunable:
        mover = next((origins[weight.origin] for weight in kernel.weights if weight.origin in origins), None)
        if mover is None or kernel.id in changed:
            continue
        if plan.scheme(kernel.id).weights != plan.scheme(mover.id).weights:
            apart[kernel.id] = kernel
    if not apart:
        return None
    return say(
        "{others} reads the same weight and keeps its precision: the weight is stored in both formats.",
        others=_names(tuple(apart.values())),
    )


def _names(kernels: tuple[Kernel, ...]) -> str:
    names = ", ".join(kernel.name for kernel in kernels[:_NAMED])
    return f"{names}, …" if len(kernels) > _NAMED else names
