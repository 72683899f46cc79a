"""Which tensor of a dump is which kernel's output: a table that a user can read and correct."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import prod

import numpy as np

from engine.fusion.types import Kernel, Network
from engine.graph.types import Array
from engine.interop.dump_set import DumpSet, DumpTensor
from engine.interop.dump_weights import WEIGHT, Key, WeightIndex, as_weight, weight_shape
from engine.interop.foreign_names import Found, Goal, How, NameIndex
from engine.text import Text, say


@dataclass(frozen=True, eq=False, slots=True)
class Match:
    """One tensor of a dump, and what it is."""

    tensor: DumpTensor
    kernel: str
    """Kernel id; '' if it is unmatched."""
    output: int
    """Number of the output; WEIGHT for the kernel's weight."""
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
    fusions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Fused operator -> original nodes, as used here."""

    def get(self, kernel: str, output: int = 0, sample: int = 0) -> DumpTensor | None:
        """The tensor that stands for a kernel's output. A dump of one sample stands for whichever is asked for."""
        found = [m.tensor for m in self.matches if m.kernel == kernel and m.output == output]
        exact = [t for t in found if t.sample == sample]
        return exact[-1] if exact else None

    def weight(self, kernel: Kernel, network: Network) -> DumpTensor | None:
        """The tensor that stands for a kernel's weight, or for that of a kernel that shares it."""
        ids = {kernel.id, *(other.id for other in network.sharing(kernel.id))}
        found = [m.tensor for m in self.matches if m.output == WEIGHT and m.kernel in ids]
        return found[-1] if found else None

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
    finder = _Finder(dump, network, fusions or {}, corrections or {})
    matches = [match for tensor in dump.tensors if (match := finder.match(tensor)) is not None]
    settled = _one_each(matches)
    have = {match.kernel for match in settled if match.output != WEIGHT}
    missing = tuple(k.id for k in network.kernels if k.id not in have)
    return MatchTable(dump, tuple(settled), missing, dict(fusions or {}))


class _Finder:
    """What is looked up for every tensor of a dump."""

    def __init__(
        self,
        dump: DumpSet,
        network: Network,
        fusions: Mapping[str, Sequence[str]],
        corrections: Mapping[str, Key | None],
    ) -> None:
        self._network, self._corrections = network, corrections
        self._outputs = NameIndex(goals(network), fusions=fusions, corrections=corrections)
        self._weights = WeightIndex(network, corrections)
        self._known = {kernel.id for kernel in network.kernels}
        self._device = dump.origin in ("ascend", "mindspore")

    def match(self, tensor: DumpTensor) -> Match | None:
        """What a tensor is; None for what an operator has read that is no weight: another one's output."""
        if tensor.input is not None:
            return self._read(tensor)
        if tensor.kernel in self._known and tensor.name not in self._corrections:
            return _checked(tensor, (tensor.kernel, tensor.output), "id", None, self._network)
        found = self._named(tensor)
        if not isinstance(found.key, tuple):
            return Match(tensor, "", 0, found.how, found.reason)
        joined = found.how == "fused" and found.key[1] != WEIGHT
        key = (found.key[0], tensor.output if joined else found.key[1])
        return _checked(tensor, key, found.how, found.reason, self._network)

    def _named(self, tensor: DumpTensor) -> Found:
        """Names of outputs before those of weights, sure ones before parts."""
        weight = self._weights.find(tensor, weak=False)
        if weight.how == "user":
            return weight
        names = _with_output(tensor)
        found = self._outputs.find(names, device=self._device, weak=False)
        if found.key is not None or found.how == "user":
            return found
        if weight.key is not None:
            return weight
        part = self._outputs.find(names, device=self._device)
        if part.key is None or not self._fits(tensor, part.key):
            weight = self._weights.find(tensor, weak=True)
            if weight.key is not None and self._fits(tensor, weight.key):
                return weight
        return part

    def _fits(self, tensor: DumpTensor, key: object) -> bool:
        assert isinstance(key, tuple)
        return bool(_checked(tensor, key, "part", None, self._network).kernel)

    def _read(self, tensor: DumpTensor) -> Match | None:
        found = self._outputs.find(tensor.names, device=self._device, weak=False)
        if not isinstance(found.key, tuple) or tensor.input is None:
            return None
        kernel = found.key[0]
        if not self._weights.read_by(kernel, tensor.input):
            return None
        match = _checked(tensor, (kernel, WEIGHT), found.how, found.reason, self._network)
        return match if match.kernel else None


_Pair = tuple[DumpTensor, DumpTensor, How]


def pair_dumps(
    a: DumpSet, b: DumpSet, fusions: Mapping[str, Sequence[str]] | None = None
) -> tuple[list[_Pair], list[DumpTensor]]:
    """Tensors of two dumps that are the same output of the same sample, by their names alone.

    Args:
        a: The reference.
        b: The other.
        fusions: Fused operator of either -> original nodes, of which the last gives the operator's result.

    Returns:
        Pairs in the order of `a`, and what `b` has and `a` has not.
    """
    pairs: list[_Pair] = []
    for sample in sorted({t.sample for t in a.tensors}):
        mine = [t for t in a.tensors if t.sample == sample]
        theirs = [t for t in b.tensors if t.sample == sample]
        if fusions:
            # The table may be that of either side, and goes before names: a fused operator is called by one of its
            # parts, and gives what another one gives.
            listed = _listed(mine, theirs, fusions)
            mine, theirs = _left(mine, listed), _left(theirs, listed)
            listed += [(x, y, how) for y, x, how in _listed(theirs, mine, fusions)]
            mine, theirs = _left(mine, listed), _left(theirs, listed)
            pairs += listed
        pairs += _named(mine, theirs)
    place = {id(tensor): at for at, tensor in enumerate(a.tensors)}
    pairs.sort(key=lambda pair: place[id(pair[0])])
    return pairs, _left(b.tensors, pairs)


def _left(tensors: Sequence[DumpTensor], pairs: Sequence[_Pair]) -> list[DumpTensor]:
    used = {id(tensor) for x, y, _ in pairs for tensor in (x, y)}
    return [tensor for tensor in tensors if id(tensor) not in used]


def _listed(
    fused: Sequence[DumpTensor], theirs: Sequence[DumpTensor], fusions: Mapping[str, Sequence[str]]
) -> list[_Pair]:
    """Tensors of one sample by the table of fused operators alone."""
    index = NameIndex([Goal(at, t.name, _with_output(t)) for at, t in enumerate(theirs)], fusions=fusions, strict=True)
    pairs: dict[int, _Pair] = {}
    for tensor in fused:
        found = index.find(tensor.names, weak=False)
        if found.how == "csv" and isinstance(found.key, int):
            pairs.setdefault(found.key, (tensor, theirs[found.key], found.how))
    return list(pairs.values())


def _named(mine: Sequence[DumpTensor], theirs: Sequence[DumpTensor]) -> list[_Pair]:
    """Tensors of one sample by kernel or name."""
    pairs: dict[int, _Pair] = {}
    ids = {(t.kernel, t.output): at for at, t in enumerate(theirs) if t.kernel}
    index = NameIndex([Goal(at, t.name, _with_output(t)) for at, t in enumerate(theirs)])
    for tensor in mine:
        same = ids.get((tensor.kernel, tensor.output)) if tensor.kernel else None
        how: How = "id"
        if same is None:
            found = index.find(_with_output(tensor), weak=not (tensor.kernel and ids))
            how = found.how
            same = found.key if isinstance(found.key, int) else None
        if same is not None:
            pairs.setdefault(same, (tensor, theirs[same], how))
    return list(pairs.values())


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
    if key[1] == WEIGHT:
        return _checked_weight(tensor, kernel, how, reason)
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


def _checked_weight(tensor: DumpTensor, kernel: Kernel, how: How, reason: Text | None) -> Match:
    shape = weight_shape(kernel)
    if prod(tensor.shape) != prod(shape):
        problem = say(
            "The weight of {kernel} is {want}, and this is {have}.",
            kernel=kernel.name,
            want=list(shape),
            have=list(tensor.shape),
        )
        return Match(tensor, "", 0, how, problem)
    if tensor.shape == shape:
        return Match(tensor, kernel.id, WEIGHT, how, reason)
    note = say("Seen as {want}; it is stored as {have}.", want=list(shape), have=list(tensor.shape))
    read = replace(tensor, shape=shape, read=lambda: as_weight(tensor.read(), shape))
    return Match(read, kernel.id, WEIGHT, how, note)


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
