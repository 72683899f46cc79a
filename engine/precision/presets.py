"""Plans that a user picks by name, and how one scheme spreads over many kernels."""

from __future__ import annotations

from collections.abc import Iterable

from engine.fusion.types import Kernel, Kind, Network
from engine.precision.notation import read_scheme
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT8, Scheme, family
from engine.text import Text, say

FIRST_LAST = "first_last_fp16"

PRESET_TITLES: dict[str, Text] = {
    "fp16": say("All FP16"),
    "int8": say("All INT8"),
    "int4": say("All INT4"),
    FIRST_LAST: say("First and last FP16, rest INT8"),
}
"""The presets that a menu offers, in its order."""


def plan_title(name: str) -> Text | str:
    """A plan's name as people read it: presets by their title, others as they are."""
    return PRESET_TITLES.get(name, name)


def preset(network: Network, name: str) -> Plan:
    """The plan of that name for a network.

    Args:
        network: the kernels to set.
        name: a scheme's name ("int8" sets all kernels), a scheme as `read_scheme` reads it, or "first_last_fp16".

    Raises:
        PlanError: no preset has that name, and it is no scheme.
    """
    kernels = network.tunable
    if name == FIRST_LAST:
        ends = {k.id for k in (*kernels[:1], *kernels[-1:])}
        return Plan({k.id: FP16 if k.id in ends else INT8 for k in kernels}, name)
    return Plan(spread(kernels, read_scheme(name, others=(FIRST_LAST,))), name)


def called(network: Network, plan: Plan) -> Plan:
    """The plan under the name that fits what it says: that of a preset if it equals one, never else."""
    same = [name for name in PRESET_TITLES if preset(network, name) == plan]
    if plan.name in same:
        return plan
    name = same[0] if same else "" if plan.name in PRESET_TITLES else plan.name
    return plan if name == plan.name else Plan(plan.schemes, name)


def not_at_four_bits(kernel: Kernel) -> Text | None:
    """Why presets and bulk edits give a kernel INT8 where others take INT4; None if they don't."""
    if kernel.kind is Kind.DEPTHWISE:
        return say(
            "Depthwise: so few weights save next to nothing at 4 bits, and their errors don't average out. Presets and "
            "bulk edits take INT8 here instead of INT4; set alone, the kernel takes INT4 all the same."
        )
    if kernel.kind is Kind.RECURRENT:
        return say(
            "Recurrent: rounding errors of 4 bits feed back at every step. Presets and bulk edits take INT8 here "
            "instead of INT4; set alone, the kernel takes INT4 all the same."
        )
    return None


def spread(kernels: Iterable[Kernel], scheme: Scheme) -> dict[str, Scheme]:
    """What each kernel gets when `scheme` is chosen for several at once.

    Depthwise convolutions take INT8 instead of a 4-bit scheme: their weights are few, so 4 bits save next to
    nothing, and their reduction is too short to average the rounding out. Recurrent layers do, too: their rounding
    errors feed back at every step, and devices have no 4-bit form of them. One kernel alone takes the scheme as is.
    """
    chosen = [k for k in kernels if k.tunable]
    if len(chosen) == 1 or family(scheme) != "INT4":
        return {k.id: scheme for k in chosen}
    return {k.id: scheme if not_at_four_bits(k) is None else INT8 for k in chosen}
