"""Which tensor of a dump is which kernel's output: a table that a user can read and correct."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod

import numpy as np

from engine.fusion.types import Kernel, Network
from engine.graph.types import Array
from engine.interop.dump_set import DumpSet, DumpTensor
from engine.interop.foreign_names import Goal, How, NameIndex
from engine.text import Text, say

Key = tuple[str, int]
"""Kernel id and number of the output."""


@dataclass(frozen=True, eq=False, slots=True)
class Match:
    """One tensor of a dump, and what it is."""

    tensor: DumpTensor
    kernel: str
    """Kernel id; '' if it is unmatched."""
    output: int
    how: How
    reason: Text | None
    """Why it is unmatched, or what to look at."""


@dataclass(frozen=True, eq=False, slots=True)
class MatchTable:
    """All tensors of a dump, none dropped."""

    dump: DumpSet
    matches: tuple[Match, ...]
    missing: tuple[str, ...]
    """Ids of kernels that the dump has no output of."""

    def get(self, kernel: str, output: int = 0, sample: int = 0) -> DumpTensor | None:
        """The tensor that stands for a kernel's output. A dump of one sample stands for whichever is asked for."""
        found = [m.tensor for m in self.matches if m.kernel == kernel and m.output == output]
        exact = [t for t in found if t.sample == sample]
        return exact[-1] if exact else None

    @property
    def counts(self) -> dict[How, int]:
        """How many were matched in which way."""
        found: dict[How, int] = {}
        for match in self.matches:
            found[match.how if match.kernel else "none"] = found.get(match.how if match.kernel else "none", 0) + 1
        return found


def match_dump(
    dump: DumpSet,
    network: Network,
    *,
    fusions: Mapping[str, Sequence[str]] | None = None,
    corrections: Mapping[str, Key | None] | None = None,
) -> MatchTable:
    """Find the kernel of every tensor.

    Args:
        dump: What to match.
        network: Where the kernels are.
        fusions: Fused operator -> original nodes, from the compiler's fusion table.
        corrections: Name in the dump -> what a user says it is; None for "nothing".
    """
    index = NameIndex(goals(network), fusions=fusions, corrections=corrections or {})
    known = {kernel.id for kernel in network.kernels}
    matches = []
    for tensor in dump.tensors:
        by_id = tensor.kernel in known and tensor.name not in (corrections or {})
        if by_id:
            matches.append(_checked(tensor, (tensor.kernel, tensor.output), "id", None, network))
            continue
        found = index.find(_with_output(tensor), device=dump.origin in ("ascend", "mindspore"))
        if isinstance(found.key, tuple):
            key = (found.key[0], tensor.output if found.how == "fused" else found.key[1])
            matches.append(_checked(tensor, key, found.how, found.reason, network))
        else:
            matches.append(Match(tensor, "", 0, found.how, found.reason))
    settled = _one_each(matches)
    have = {match.kernel for match in settled}
    return MatchTable(dump, tuple(settled), tuple(k.id for k in network.kernels if k.id not in have))


def pair_dumps(a: DumpSet, b: DumpSet) -> tuple[list[tuple[DumpTensor, DumpTensor, How]], list[DumpTensor]]:
    """Tensors of two dumps that are the same output of the same sample, by their names alone.

    Returns:
        Pairs in the order of `a`, and what `b` has and `a` has not.
    """
    pairs: list[tuple[DumpTensor, DumpTensor, How]] = []
    used: set[int] = set()
    by_sample: dict[int, list[DumpTensor]] = {}
    for tensor in b.tensors:
        by_sample.setdefault(tensor.sample, []).append(tensor)
    for sample in sorted({t.sample for t in a.tensors}):
        theirs = by_sample.get(sample, [])
        ids = {(t.kernel, t.output): t for t in theirs if t.kernel}
        index = NameIndex([Goal(at, t.name, _with_output(t)) for at, t in enumerate(theirs)])
        for tensor in (t for t in a.tensors if t.sample == sample):
            same = ids.get((tensor.kernel, tensor.output)) if tensor.kernel else None
            how: How = "id"
            if same is None:
                found = index.find(_with_output(tensor), weak=not (tensor.kernel and ids))
                how = found.how
                same = theirs[found.key] if isinstance(found.key, int) else None
            if same is not None and id(same) not in used:
                used.add(id(same))
                pairs.append((tensor, same, how))
    return pairs, [t for t in b.tensors if id(t) not in used]


def goals(network: Network) -> list[Goal]:
    """Every output of every kernel."""
    return [
        Goal((kernel.id, output), kernel.name, _names(kernel, name), _inside(kernel, name))
        for kernel in network.kernels
        for output, name in enumerate(kernel.outputs)
    ]


def _names(kernel: Kernel, tensor: str) -> tuple[str, ...]:
    writer = next((node for node in kernel.nodes if tensor in node.outputs), None)
    found = [tensor]
    if writer is not None and writer.proto.name and writer.outputs.index(tensor) == 0:
        found.append(writer.proto.name)
    if writer is not None and writer.proto.name:
        found.append(f"{writer.proto.name}:{writer.outputs.index(tensor)}")
    return tuple(dict.fromkeys(found))


def _inside(kernel: Kernel, tensor: str) -> tuple[str, ...]:
    """Names of nodes and of values between them; only for the first output, or they would fit several."""
    if kernel.outputs[0] != tensor:
        return ()
    names = [node.proto.name for node in kernel.nodes if node.proto.name]
    values = [name for node in kernel.nodes for name in node.outputs if name and name not in kernel.outputs]
    return (*names, *values)


def _with_output(tensor: DumpTensor) -> tuple[str, ...]:
    """Names of a tensor; a further output of a layer must not pass for its first."""
    if not tensor.output or tensor.kernel:
        return tensor.names
    return tuple(name for plain in tensor.names for name in (f"{plain}:{tensor.output}", f"{plain}_{tensor.output}"))


def _checked(tensor: DumpTensor, key: Key, how: How, reason: Text | None, network: Network) -> Match:
    """A match whose values have the right number, brought into the kernel's own shape."""
    kernel = network.by_id(key[0])
    if key[1] >= len(kernel.outputs):
        return Match(tensor, "", 0, how, say("{kernel} has no output {number}.", kernel=kernel.name, number=key[1]))
    name = kernel.outputs[key[1]]
    info = network.tensors.get(name)
    if info is None or name in network.graph.dynamic or info.shape == tensor.shape:
        return Match(tensor, *key, how, reason)
    if prod(tensor.shape) != info.elements:
        return Match(
            tensor,
            "",
            0,
            how,
            say(
                "{kernel} gives {want}, and this is {have}: another input shape, or another layer.",
                kernel=kernel.name,
                want=list(info.shape),
                have=list(tensor.shape),
            ),
        )
    note = say("Seen as {want}; it is stored as {have}.", want=list(info.shape), have=list(tensor.shape))
    return Match(replace(tensor, shape=info.shape, read=partial(_read_as, tensor, info.shape)), *key, how, note)


def _read_as(tensor: DumpTensor, shape: tuple[int, ...]) -> Array:
    return in_shape(tensor.read(), shape)


def in_shape(values: Array, shape: tuple[int, ...]) -> Array:
    """Values in another shape of as many elements; channels last become channels second, all else is cut anew."""
    if len(shape) == values.ndim == 4 and values.shape == (shape[0], shape[2], shape[3], shape[1]):
        return np.moveaxis(values, -1, 1)
    return values.reshape(shape)


def _one_each(matches: list[Match]) -> list[Match]:
    """A kernel's output has one tensor per sample: the surest match, of equals the last."""
    rank: dict[How, int] = {"user": 0, "id": 1, "exact": 2, "characters": 3, "csv": 4, "fused": 5, "part": 6, "none": 7}
    best: dict[tuple[str, int, int], int] = {}
    for at, match in enumerate(matches):
        if match.kernel:
            place = (match.kernel, match.output, match.tensor.sample)
            before = best.get(place)
            if before is None or rank[match.how] <= rank[matches[before].how]:
                best[place] = at
    return [
        match
        if not match.kernel or best[match.kernel, match.output, match.tensor.sample] == at
        else Match(match.tensor, "", 0, match.how, say("Another tensor fits this layer better."))
        for at, match in enumerate(matches)
    ]
