"""Memory plan: lifetimes of activations, buffers that are shared, addresses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.fusion.types import Kind, Network
from engine.npu.activations import Stored
from engine.npu.placement import ALIGNMENT, Life, live_bytes, place
from engine.npu.results import Buffer, MemoryPlan
from engine.npu.workload import Use, Workload


def plan_storage(network: Network, work: Sequence[Workload], stored: Mapping[str, Stored]) -> MemoryPlan:
    """Give every activation an address.

    An input lives from the first kernel to its last reader, an output from its writer to the last kernel, everything
    else from writer to last reader. Buffers are shared where the device needs no copy: an elementwise kernel writes
    over an input that nobody reads afterwards, a kernel that only renames passes its buffer on, and parts that are
    joined (or split) along whole channel blocks lie inside the whole, aligned to a block only. A tensor
    whose place is taken over counts as alive up to the kernel before, so that no two buffers of a plan overlap in both
    address and time.
    """
    born, dies = _lifetimes(network, work)
    parents = _shared(network, work, stored, dies)
    ends = {tensor: max(born[tensor], dies.get(tensor, born[tensor])) for tensor in born}
    roots: dict[str, tuple[str, int]] = {tensor: _root(tensor, parents) for tensor in born}
    lives: dict[str, Life] = {}
    for tensor, (root, offset) in roots.items():
        known = lives.get(root, Life(0, born[tensor], ends[tensor]))
        size = max(known.nbytes, offset + stored[tensor].nbytes)
        lives[root] = Life(size, min(known.first, born[tensor]), max(known.last, ends[tensor]))
    order = list(lives)
    placed = place([lives[root] for root in order])
    address = dict(zip(order, placed.offsets, strict=True))
    taken = _taken_over(born, roots, stored)
    buffers = tuple(
        Buffer(tensor, "activation", address[root] + offset, stored[tensor].nbytes, born[tensor],
               min(ends[tensor], taken.get(tensor, ends[tensor] + 1) - 1))
        for tensor, (root, offset) in roots.items()
    )  # fmt: skip
    spans = [lives[root] for root in order]
    live = live_bytes([-(-life.nbytes // ALIGNMENT) * ALIGNMENT for life in spans], spans)
    live += [0] * (len(work) - len(live))
    peak_kernel = max(range(len(live)), key=live.__getitem__, default=0)
    return MemoryPlan(buffers, placed.peak, placed.lower_bound, peak_kernel, tuple(live))


def _lifetimes(network: Network, work: Sequence[Workload]) -> tuple[dict[str, int], dict[str, int]]:
    """First and last kernel of every tensor that some kernel touches."""
    born: dict[str, int] = {}
    dies: dict[str, int] = {}
    for item in work:
        for use in item.inputs:
            dies[use.tensor] = item.index
            born.setdefault(use.tensor, 0)
        for use in item.outputs:
            born[use.tensor] = item.index
    for info in network.graph.inputs:
        born.setdefault(info.name, 0)
    for info in network.graph.outputs:
        if info.name in born:
            dies[info.name] = max(0, len(work) - 1)
    return born, dies


Parents = dict[str, tuple[str, int]]
"""Tensor -> the tensor in whose buffer it lies, and where in it."""


def _root(tensor: str, parents: Parents) -> tuple[str, int]:
    offset = 0
    while tensor in parents:
        tensor, more = parents[tensor]
        offset += more
    return tensor, offset


def _shared(
    network: Network, work: Sequence[Workload], stored: Mapping[str, Stored], dies: Mapping[str, int]
) -> Parents:
    held = {info.name for info in (*network.graph.inputs, *network.graph.outputs)}
    parents: Parents = {}
    for item in work:
        free = [use for use in item.inputs if dies[use.tensor] == item.index and use.tensor not in held]
        if item.joins:
            _inside(item, free, stored, parents)
        elif (item.kind is Kind.ELEMENTWISE or not item.moves) and len(item.outputs) == 1:
            output = item.outputs[0].tensor
            for use in free:
                if stored[use.tensor].nbytes >= stored[output].nbytes > 0:
                    parents[output] = (use.tensor, 0)
                    break
    return parents


def _inside(item: Workload, free: list[Use], stored: Mapping[str, Stored], parents: Parents) -> None:
    """Parts of a Concat or Split along channels, in the buffer of the whole; only batch 1 is contiguous."""
    joining = len(item.outputs) == 1
    parts, wholes = (item.inputs, item.outputs) if joining else (item.outputs, item.inputs)
    if len(wholes) != 1 or len(free) != len(item.inputs) or not item.contiguous:
        return
    sizes = [stored[use.tensor].nbytes for use in parts]
    whole = wholes[0].tensor
    if sum(sizes) != stored[whole].nbytes:
        return
    places: Parents = {}
    offset = 0
    for use, size in zip(parts, sizes, strict=True):
        root, inner = _root(use.tensor, parents)
        if inner or root in places or stored[root].nbytes != size:
            return
        places[root] = (whole, offset)
        offset += size
    parents.update(places)


def _taken_over(
    born: Mapping[str, int], roots: Mapping[str, tuple[str, int]], stored: Mapping[str, Stored]
) -> dict[str, int]:
    """Tensor -> first kernel at which another tensor has its place."""
    sharing: dict[str, list[str]] = {}
    for tensor, (root, _) in roots.items():
        sharing.setdefault(root, []).append(tensor)
    taken: dict[str, int] = {}
    for members in sharing.values():
        for earlier in members if len(members) > 1 else ():
            low = roots[earlier][1]
            high = low + stored[earlier].nbytes
            later = [
                born[other]
                for other in members
                if born[other] > born[earlier]
                and roots[other][1] < high
                and low < roots[other][1] + stored[other].nbytes
            ]
            if later:
                taken[earlier] = min(later)
    return taken
