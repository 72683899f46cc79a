"""Why a pattern did not fuse: kernels that stand apart although one launch could have done for both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.fusion.epilogue import ANCHORS, CONVOLUTIONS, WINDOWS
from engine.fusion.fold import fold
from engine.fusion.fuse import fuse, partition_of
from engine.fusion.labels import join_labels, label_node
from engine.fusion.near_misses import near_misses
from engine.fusion.ops import BINARY
from engine.fusion.quantized import PAIR
from engine.fusion.regions import Partition, Region
from engine.fusion.rules import RULES, RuleSet
from engine.fusion.types import Kernel, Kind, Network
from engine.fusion.view import View, attribute
from engine.text import Text, say


@dataclass(frozen=True, slots=True)
class NotFused:
    """Two or more kernels that some pattern would have made one."""

    kernel: str
    """Id of the kernel in front, or of the one with most of the pattern."""
    others: tuple[str, ...]
    """Ids of the kernels that stayed apart from it."""
    pattern: str
    """What they would be together: 'Conv 3×3 + SiLU'."""
    reason: Text


def explain(network: Network) -> tuple[NotFused, ...]:
    """Every pair of neighbours that a rule would have joined, if not for the reason given.

    Under the cloud rules that includes all that the edge rules fuse. In the order of the kernels.
    """
    rules = RULES[network.rules]
    folded = fold(network.graph, affine=rules.affine)
    results = [info.name for info in network.graph.outputs]
    view = View(folded.nodes, folded.constants, network.graph.tensors, results)
    partition = partition_of(view, rules)
    owner = {at: kernel for kernel, region in zip(network.kernels, partition, strict=True) for at in region.nodes}
    found = [*_apart(view, partition, rules, owner), *_not_folded(view, owner)]
    if rules.named:
        found += _incomplete(view, owner)
    if network.rules == "cloud":
        on_edge = list(_conservative(network))
        together = [{each.kernel, *each.others} for each in on_edge]
        found = [each for each in found if not any({each.kernel, *each.others} <= group for group in together)]
        found += on_edge
    order = {kernel.id: kernel.index for kernel in network.kernels}
    return tuple(sorted(found, key=lambda each: order[each.kernel]))


Owner = dict[int, Kernel]


def _apart(view: View, partition: Partition, rules: RuleSet, owner: Owner) -> Iterator[NotFused]:
    """Elementwise kernels that read what an anchor, a norm or another elementwise kernel makes; pools behind those."""
    for region in partition:
        pool = region.kind is Kind.POOL and rules.pools and view.ops[region.anchor] in WINDOWS
        if region.labels == (PAIR,) or not (pool or region.kind is Kind.ELEMENTWISE):
            continue
        for name in dict.fromkeys(name for at in region.nodes for name in view.inputs[at]):
            at = view.producer.get(name)
            before = None if at is None else partition.owner(at)
            if before is None or before is region or not _could_take(before, rules, pool):
                continue
            reason = _why_apart(view, partition, before, region, name, rules, owner)
            if reason is not None:
                front, behind = owner[before.last], owner[region.last]
                pattern = join_labels((join_labels(before.labels), join_labels(region.labels)))
                yield NotFused(front.id, (behind.id,), pattern, reason)
                break


def _could_take(before: Region, rules: RuleSet, pool: bool) -> bool:
    if pool:
        return before.kind in CONVOLUTIONS
    if before.kind is Kind.ELEMENTWISE:
        return rules.chains
    return before.kind in ANCHORS or (before.kind is Kind.NORM and rules.norm_epilogue)


def _why_apart(
    view: View, partition: Partition, before: Region, region: Region, tensor: str, rules: RuleSet, owner: Owner
) -> Text | None:
    """What keeps `region` from being part of `before`; None if it is not for `before` to take it."""
    if tensor in view.results:
        return say("{tensor} between them is an output of the model", tensor=tensor)
    strangers = {owner[at].name for at in view.read_by(tensor) if partition.owner(at) not in (before, region)}
    if strangers:
        return say("{tensor} between them is also read by {readers}", tensor=tensor, readers=_list(sorted(strangers)))
    if partition.outputs(before) != (tensor,):
        return say("the first has more results than {tensor}", tensor=tensor)
    if region.kind is Kind.POOL:
        return None
    first = next(at for at in region.nodes if tensor in view.inputs[at])
    result = view.outputs[first][0]
    if view.shape(result) != view.shape(tensor):
        return say(
            "the shape changes from {before} to {after}", before=_shape(view, tensor), after=_shape(view, result)
        )
    if before.kind is Kind.ELEMENTWISE:
        return None
    if view.ops[first] in BINARY and len(set(view.inputs[first])) > 1:
        taken = rules.operands if before.kind in ANCHORS else 0
        if taken:
            return say("{first} takes one tensor from elsewhere, and has one already", first=before.labels[0])
        return say("{first} takes no tensor from elsewhere under these rules", first=before.labels[0])
    if view.ops[first] not in rules.epilogue:
        return say("these rules leave {step} to a kernel of its own", step=label_node(view, first))
    return None


def _not_folded(view: View, owner: Owner) -> Iterator[NotFused]:
    """BatchNormalization behind a layer whose weights it could have gone into."""
    for at, op in enumerate(view.ops):
        if op != "BatchNormalization":
            continue
        tensor = view.nodes[at].inputs[0]
        before = view.producer.get(tensor)
        through = ""
        while before is not None and view.ops[before] in ("QuantizeLinear", "DequantizeLinear"):
            through, before = PAIR, view.producer.get(view.nodes[before].inputs[0])
        if before is None or view.ops[before] not in ("Conv", "ConvTranspose", "Gemm") or owner[before] is owner[at]:
            continue
        reason = _why_not_folded(view, at, before, tensor, through)
        yield NotFused(owner[before].id, (owner[at].id,), f"{label_node(view, before)} + BatchNorm", reason)


def _why_not_folded(view: View, at: int, before: int, tensor: str, through: str) -> Text:
    node = view.nodes[at]
    if attribute(node, "training_mode", 0):
        return say("the BatchNorm is in training mode: its statistics change with every run")
    if not all(name in view.constants for name in node.inputs[1:5]):
        return say("the statistics of the BatchNorm are computed at run time")
    if through:
        return say("the tensor between them is quantized, so that the layer has to finish first")
    if tensor in view.results:
        return say("{tensor} between them is an output of the model", tensor=tensor)
    if view.sole_reader(tensor) is None:
        return say("{tensor} between them is read by other nodes, too", tensor=tensor)
    if not all(name in view.constants for name in view.nodes[before].inputs[1:3] if name):
        return say("the weights of the layer are computed at run time")
    return say("the statistics of the BatchNorm are no finite numbers")


def _incomplete(view: View, owner: Owner) -> Iterator[NotFused]:
    """Functions written as several nodes that would be one kernel, if a tensor inside were not needed outside."""
    for name, nodes, tensor in near_misses(view):
        kernels = dict.fromkeys(owner[at].id for at in nodes)
        if len(kernels) < 2:
            continue
        first, *others = kernels
        if tensor in view.results:
            reason = say("{tensor} inside is an output of the model", tensor=tensor)
        else:
            readers = {owner[at].name for at in view.read_by(tensor) if at not in nodes}
            reason = say("{tensor} inside is also read by {readers}", tensor=tensor, readers=_list(sorted(readers)))
        yield NotFused(first, tuple(others), name, reason)


def _conservative(network: Network) -> Iterator[NotFused]:
    """What the edge rules make one kernel of."""
    owner = {node.index: kernel for kernel in network.kernels for node in kernel.nodes}
    for kernel in fuse(network.graph, "edge").kernels:
        parts = dict.fromkeys(owner[node.index].id for node in kernel.nodes if node.index in owner)
        if len(parts) > 1:
            first, *others = parts
            reason = say("the cloud rules fuse only what every runtime does; the edge rules make it one kernel")
            yield NotFused(first, tuple(others), kernel.op, reason)


def _shape(view: View, tensor: str) -> str:
    return "×".join(map(str, view.shape(tensor))) or "scalar"


def _list(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" … ({len(names)})" if len(names) > 3 else "")
