"""How kernels are called where there is little room: one short name per kernel, the same in every view.

What the names of a network have in common says nothing, so a short name is found with all names of the network known.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.fusion.types import Network

GENERIC = frozenset({"conv", "conv1d", "conv2d", "convtranspose", "dense", "fc", "gemm", "linear", "matmul", "proj"})
"""Last words of layer names that say the operator and not the place."""
_COUNTER = re.compile(r"tmp_\d+|output_\d+|out_\d+")
"""Last words that an exporter puts behind the name of a layer."""
_SHARED_SHARE, _SHARED_LEAST = 0.5, 4
"""A last word says nothing if more than this share of at least so many names end with it."""


@dataclass(frozen=True, slots=True)
class ShortNames:
    """Short names of the kernels of a network."""

    short: tuple[str, ...]
    """In the order of the names; each is a piece of its name, as few words as tell it from the others if any do."""
    by_name: dict[str, str]

    def of(self, name: str) -> str:
        """The short name of a kernel; that of a name alone if the network doesn't have it."""
        return self.by_name[name] if name in self.by_name else short_name(name)

    def split(self, name: str) -> tuple[str, str]:
        """A name as (path, the rest, which begins with the short name)."""
        return split_at(name, self.of(name))


@lru_cache(maxsize=4)
def short_names(names: tuple[str, ...]) -> ShortNames:
    """Short names with all names of the network known."""
    cores = _without_tails(names)
    short = [_short(core) for core in cores]
    seen = Counter(short)
    longer = [_short(core, 1) if seen[found] > 1 else found for core, found in zip(cores, short, strict=True)]
    told = Counter(longer)
    found = tuple(b if told[b] == 1 else a for a, b in zip(short, longer, strict=True))
    return ShortNames(found, dict(zip(names, found, strict=True)))


def short_name(name: str) -> str:
    """The last part of a layer name, with the number in front of it: "features.3.dw" is "3.dw".

    A word that many layers end with says nothing alone and keeps the one before it: "stem.conv". What exporters count
    is left out: "hardswish_3.tmp_0" is "hardswish_3".
    """
    return _short(_without_counter(name))


def split_at(name: str, short: str) -> tuple[str, str]:
    """A name as (path, the rest, which begins with the short name)."""
    start = name.rfind(short) if short else 0
    return name[: max(0, start)], name[max(0, start) :]


def mark_of(name: str) -> str:
    """What stands between the words of a name."""
    return "/" if "/" in name.strip("/") else "."


def _without_tails(names: Sequence[str]) -> list[str]:
    """Names without the last word that most share, or that an exporter counts, where that keeps them apart."""
    tails = Counter(_last(name) for name in names)
    least = max(_SHARED_LEAST, _SHARED_SHARE * len(names))
    cores = [_cut(name) if tails[_last(name)] > least else _without_counter(name) for name in names]
    seen = Counter(cores)
    return [core if seen[core] == 1 else name for core, name in zip(cores, names, strict=True)]


def _without_counter(name: str) -> str:
    return _cut(name) if _COUNTER.fullmatch(_last(name)) else name


def _last(name: str) -> str:
    return name.rpartition(mark_of(name))[2]


def _cut(name: str) -> str:
    """A name without its last word, unless there is no other or only a number would be left to end it."""
    rest = name.rpartition(mark_of(name))[0]
    return rest if rest and not _last(rest).isdigit() else name


def _short(name: str, more: int = 0) -> str:
    """The words of a name from where it begins to tell something, and some before them."""
    mark = mark_of(name)
    parts = [part for part in name.split(mark) if part]
    return mark.join(parts[max(0, _start(parts) - more) :]) if parts else name


def _start(parts: Sequence[str]) -> int:
    """Where the short name begins."""
    start = len(parts) - 1
    while start > 0 and parts[start].isdigit():
        start -= 1
    alone = start == len(parts) - 1
    if start > 0 and parts[start - 1].isdigit():
        return start - 1
    if start > 0 and alone and parts[start].lower() in GENERIC and parts[start - 1].lower() != parts[start].lower():
        return start - 1
    return start


def role_of(name: str) -> str:
    """What a kernel does in its block: the last word and the numbers behind it, "conv.0" of "features.3.conv.0"."""
    mark = mark_of(name)
    parts = name.split(mark)
    start = len(parts) - 1
    while start > 0 and (not parts[start] or parts[start].isdigit()):
        start -= 1
    return mark.join(parts[start:])


def names_of(network: Network) -> ShortNames:
    """Short names of the kernels of a network."""
    return short_names(tuple(kernel.name for kernel in network.kernels))
