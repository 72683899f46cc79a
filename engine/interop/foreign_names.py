"""Which layer a name means that another tool has made out of ours.

Tools replace characters, add suffixes, join the names of what they fuse, and cut names off. Rules are tried from the
surest to the weakest; a name that fits two layers equally well fits none, and says so.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from engine.text import Text, say

How = Literal["id", "user", "exact", "characters", "csv", "fused", "part", "none"]
_REPLACED = re.compile(r"[^A-Za-z0-9]+")
_SUFFIXES = re.compile(
    r"(__matmul_converted_MatMul|_InReshape|_OutReshape|_nchwc|_output_\d+|_quantized|_QuantizeLinear|_DequantizeLinear"
    r"|_fused|_Duplicated|_post_reshape|_pre_reshape)+$"
)
"""What compilers and runtimes hang on to a layer's name."""
_LEAST_PART = 5
_LEAST_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class Goal:
    """A layer that may be meant."""

    key: Hashable
    title: str
    names: tuple[str, ...]
    """Names that mean exactly this: its output tensor, the node that writes it."""
    inside: tuple[str, ...] = ()
    """Names of nodes that it is fused of, in order."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a name means."""

    key: Hashable | None
    how: How
    reason: Text | None = None
    """Why it means nothing, or why one should look twice."""


class NameIndex:
    """All layers, looked up by name."""

    def __init__(
        self,
        goals: Sequence[Goal],
        *,
        fusions: Mapping[str, Sequence[str]] | None = None,
        corrections: Mapping[str, Hashable] | None = None,
        strict: bool = False,
    ) -> None:
        """Take the layers.

        Args:
            goals: In execution order.
            fusions: Fused operator -> names of the nodes that it was made of (a fusion table of the compiler).
            corrections: Name -> key, as a user has decided. They come first.
            strict: A fused operator of the table is its last node or nothing: among plain tensors an earlier node is
                another value, where among kernels it is the same kernel.
        """
        self._goals = {goal.key: goal for goal in goals}
        self._order = {goal.key: at for at, goal in enumerate(goals)}
        self._fusions = {normal(name): tuple(parts) for name, parts in (fusions or {}).items()}
        self._corrections = corrections or {}
        self._strict = strict
        self._exact: dict[str, list[Hashable]] = defaultdict(list)
        self._normal: dict[str, list[Hashable]] = defaultdict(list)
        self._inside: dict[str, list[Hashable]] = defaultdict(list)
        self._titles: dict[str, list[Hashable]] = {}
        for goal in goals:
            titled = self._titles.setdefault(goal.title, [])
            if not any(_same_layer(key, goal.key) for key in titled):  # of several outputs of one layer the first
                titled.append(goal.key)
            for name in dict.fromkeys(goal.names):
                self._exact[name].append(goal.key)
                _add(self._normal[normal(name)], goal.key)
            for name in dict.fromkeys((*goal.inside, *goal.names)):
                _add(self._inside[normal(name)], goal.key)
        self._longest = max((len(name) for name in self._inside), default=0)

    def find(self, names: Sequence[str], *, device: bool = False, weak: bool = True) -> Found:
        """The layer that a thing of these names is.

        Args:
            names: The name and its aliases, the surest first.
            device: The names come from a device's compiler, which calls a fused operator by any of its parts.
            weak: Also try the longest common part.
        """
        for name in names:
            if name in self._corrections:
                key = self._corrections[name]
                return Found(key, "user") if key in self._goals else Found(None, "user")
        known = [name for name in names if name]
        for name in known:
            listed = self._listed(name)
            if listed is not None and listed.key is not None:
                return listed
        for how, found in self._sure(known):
            if len(found) == 1:
                return Found(found[0], how)
            if len(found) > 1:
                return self._ambiguous(known[0], found)
        for name in known:
            made = self._fused(name, device)
            if made is not None:
                return made
        if weak and known:
            return self._part(known)
        return Found(None, "none", say("No layer has this name."))

    def _sure(self, names: Sequence[str]) -> Iterable[tuple[How, list[Hashable]]]:
        for name in names:
            yield "exact", self._exact.get(name, [])
        for name in names:
            yield "characters", self._normal.get(normal(name), [])
            yield "characters", self._normal.get(normal(_SUFFIXES.sub("", name)), [])
        for name in names:  # as we show it, and as we write it into tables
            yield "exact", self._titles.get(name, [])

    def _listed(self, name: str) -> Found | None:
        """What the compiler's table says, which goes before names: a fused operator has that of one of its parts."""
        parts = self._fusions.get(normal(name)) if self._fusions else None
        if parts is None:
            return None
        return self._last(name, parts[-1:] if self._strict else parts, "csv")

    def _fused(self, name: str, device: bool) -> Found | None:
        listed = self._listed(name)
        if listed is not None:
            return listed
        parts = name.split("&&") if "&&" in name else self._split(normal(name))
        if len(parts) > 1:
            return self._last(name, parts, "fused")
        inside = self._inside.get(normal(_SUFFIXES.sub("", name)), [])
        if device and len(inside) == 1:
            return Found(inside[0], "fused", say("Named after one of the nodes that are fused here."))
        if device and len(inside) > 1:
            return self._ambiguous(name, inside)
        if inside:
            return Found(
                None,
                "none",
                say("A value inside {kernel}, which is fused: only its output can be compared.",
                    kernel=self._goals[inside[0]].title),
            )  # fmt: skip
        return None

    def _last(self, name: str, parts: Sequence[str], how: How) -> Found | None:
        """A fused operator gives what the last of its parts gives."""
        for part in reversed(parts):
            keys = self._inside.get(normal(part.split("(")[0]), [])
            if len(keys) == 1:
                return Found(keys[0], how)
            if len(keys) > 1:
                return self._ambiguous(name, keys)
        return None

    def _split(self, name: str) -> list[str]:
        """Known names that make up a joined one, longest first at each place; empty if something is left over."""
        parts: list[str] = []
        at = 0
        while at < len(name):
            for end in range(min(len(name), at + self._longest), at, -1):
                if name[at:end] in self._inside and name[at:end]:
                    parts.append(name[at:end])
                    at = end
                    break
            else:
                return []
            while at < len(name) and name[at] == "_":
                at += 1
        return parts

    def _part(self, names: Sequence[str]) -> Found:
        """The layer with the longest common part, if it is long and there is only one."""
        scores: list[tuple[int, Hashable]] = []
        for goal in self._goals.values():
            best = 0
            for mine in names[:2]:
                for theirs in goal.names:
                    best = max(best, _common(normal(mine), normal(theirs)))
            if best:
                scores.append((best, goal.key))
        scores.sort(key=lambda pair: -pair[0])
        if scores and (len(scores) == 1 or scores[0][0] > scores[1][0]):
            return Found(scores[0][1], "part", say("Only part of the name agrees; check it."))
        return Found(None, "none", say("No layer has this name."))

    def _ambiguous(self, name: str, keys: Sequence[Hashable]) -> Found:
        titles = [self._goals[key].title for key in keys[:3]]
        return Found(
            None, "none", say("{name} fits several layers: {layers}; choose one.", name=name, layers=", ".join(titles))
        )


def normal(name: str) -> str:
    """A name with every run of other signs than letters and digits as one underscore, none at the ends."""
    return _REPLACED.sub("_", name).strip("_")


def _same_layer(a: Hashable, b: Hashable) -> bool:
    """Keys of outputs are pairs of a layer and an output."""
    return isinstance(a, tuple) and isinstance(b, tuple) and a[0] == b[0]


def _add(keys: list[Hashable], key: Hashable) -> None:
    if key not in keys:
        keys.append(key)


def _common(a: str, b: str) -> int:
    """Length of the longest common part, where it is most of the shorter name and ends where both names' words end."""
    if not a or not b or min(len(a), len(b)) < _LEAST_PART:
        return 0
    found = SequenceMatcher(None, a, b, autojunk=False).find_longest_match()
    before = _at_word(a, found.a) and _at_word(b, found.b)
    after = _at_word(a, found.a + found.size) and _at_word(b, found.b + found.size)
    long = found.size >= max(_LEAST_PART, _LEAST_SHARE * min(len(a), len(b)))
    return found.size if long and before and after else 0


def _at_word(name: str, at: int) -> bool:
    """Whether a word begins or ends at a place: never in the middle of a number, so that conv1 is not conv10."""
    return at in (0, len(name)) or name[at] == "_" or name[at - 1] == "_"
