"""What keeps a plan large: kernels that would take a smaller scheme if the device ran it."""

from __future__ import annotations

from dataclasses import dataclass

from engine.fusion.types import Network
from engine.npu import Device, supports
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme
from engine.quant import plan_bytes
from engine.text import Text
from engine.tuning.search.problem import Choices


@dataclass(frozen=True, slots=True)
class Held:
    """Kernels that stay at one scheme for one reason."""

    kernels: tuple[str, ...]
    """Ids, the largest first."""
    scheme: Scheme
    """What they have in the plan."""
    size_bytes: int
    """What they take in it."""
    smallest_bytes: int
    """What they would take in the smallest scheme that was offered for them."""
    reason: Text
    """Why the device doesn't run that scheme."""


def held_back(network: Network, plan: Plan, choices: Choices, device: Device) -> tuple[Held, ...]:
    """Kernels whose smallest offered scheme the device refuses and that are larger for it, most bytes first.

    Args:
        network: The network.
        plan: What a search over native schemes has found.
        choices: What it was offered, before schemes without native support were left out.
        device: Which schemes are native.
    """
    now = plan_bytes(network, plan).per_kernel
    packed = {scheme: plan_bytes(network, Plan({k.id: scheme for k in network.tunable})).per_kernel
              for scheme in choices.schemes}  # fmt: skip
    groups: dict[tuple[Scheme, str], list[tuple[int, int, str, Text]]] = {}
    for kernel in network.tunable:
        offered = [] if kernel.id in choices.locks else [s for s in choices.of(kernel.id) if s in packed]
        if not offered:
            continue
        smallest = min(offered, key=lambda scheme: packed[scheme][kernel.id])
        plain = smallest.weights.floating and not smallest.brain
        reason = None if plain else supports(device, kernel, smallest)
        size, least = now[kernel.id], packed[smallest][kernel.id]
        if reason is not None and size > least:
            groups.setdefault((plan.scheme(kernel.id), str(reason)), []).append((size, least, kernel.id, reason))
    found = []
    for (scheme, _), members in groups.items():
        members.sort(key=lambda each: -each[0])
        sizes = sum(each[0] for each in members), sum(each[1] for each in members)
        found.append(Held(tuple(each[2] for each in members), scheme, *sizes, members[0][3]))
    return tuple(sorted(found, key=lambda held: held.smallest_bytes - held.size_bytes))
