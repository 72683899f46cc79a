"""Memory plan: lifetimes of activations, buffers that can be shared, addresses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.fusion.types import Kind, Network
from engine.npu.activations import Stored
from engine.npu.placement import ALIGNMENT, Life, live_bytes, place
from engine.npu.results import Buffer, MemoryPlan
from engine.npu.workload import Workload


class _Span(NamedTuple):
    tensor: str
    nbytes: int
    first: int
    last: int
    shares: str
    """Tensor whose buffer it takes over, or itself."""


def plan_storage(network: Network, work: Sequence[Workload], stored: Mapping[str, Stored]) -> MemoryPlan:
    """Give every activation an address.

    An input lives from the first kernel to its last reader, an output from its writer to the last kernel, everything
    else from writer to last reader. An elementwise kernel writes over an input that nobody reads afterwards, and a
    kernel that only renames shares its buffer; the input then counts as alive up to the kernel before, so that the
    buffers of a plan never overlap in address and time.
    """
    spans = _spans(network, work, stored)
    roots = [span for span in spans if span.shares == span.tensor]
    ends = {span.tensor: span.last for span in roots}
    sizes = {span.tensor: span.nbytes for span in roots}
    for span in spans:
        ends[span.shares] = max(ends[span.shares], span.last)
        sizes[span.shares] = max(sizes[span.shares], span.nbytes)
    lives = [Life(sizes[span.tensor], span.first, ends[span.tensor]) for span in roots]
    placed = place(lives)
    address = {span.tensor: offset for span, offset in zip(roots, placed.offsets, strict=True)}
    buffers = tuple(
        Buffer(span.tensor, "activation", address[span.shares], span.nbytes, span.first, span.last) for span in spans
    )
    live = live_bytes([-(-life.nbytes // ALIGNMENT) * ALIGNMENT for life in lives], lives)
    live += [0] * (len(work) - len(live))
    peak_kernel = max(range(len(live)), key=live.__getitem__, default=0)
    return MemoryPlan(buffers, placed.peak, placed.lower_bound, peak_kernel, tuple(live))


def _spans(network: Network, work: Sequence[Workload], stored: Mapping[str, Stored]) -> list[_Span]:
    end = max(0, len(work) - 1)
    born: dict[str, int] = {info.name: 0 for info in network.graph.inputs if info.name in stored}
    dies: dict[str, int] = {}
    for item in work:
        for use in item.outputs:
            born[use.tensor] = item.index
        for use in item.inputs:
            dies[use.tensor] = item.index
            born.setdefault(use.tensor, 0)
    held = {info.name for info in network.graph.outputs} | {info.name for info in network.graph.inputs}
    for info in network.graph.outputs:
        if info.name in born:
            dies[info.name] = end
    shares = _shared(work, stored, dies, held)
    taken_over = {source: born[tensor] for tensor, source in shares.items()}
    spans: list[_Span] = []
    for tensor, first in born.items():
        root = tensor
        while root in shares:
            root = shares[root]
        last = max(first, dies.get(tensor, first))
        if tensor in taken_over:
            last = taken_over[tensor] - 1
        spans.append(_Span(tensor, stored[tensor].nbytes, first, last, root))
    return spans


def _shared(
    work: Sequence[Workload], stored: Mapping[str, Stored], dies: Mapping[str, int], held: set[str]
) -> dict[str, str]:
    """Output -> input whose buffer it takes over."""
    shares: dict[str, str] = {}
    for item in work:
        in_place = item.kind is Kind.ELEMENTWISE or (item.unit == "-" and not item.moves)
        if not in_place or len(item.outputs) != 1:
            continue
        output = item.outputs[0].tensor
        for use in item.inputs:
            fits = stored[use.tensor].nbytes >= stored[output].nbytes
            if fits and dies.get(use.tensor) == item.index and use.tensor not in held and use.elements > 0:
                shares[output] = use.tensor
                break
    return shares
