"""A plan in plain words: "all gate_proj to FP16" instead of a list of thirty layers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.fusion.types import Kernel, Network
from engine.precision.plan import Plan
from engine.precision.scheme import Scheme, label
from engine.text import Text, say

_LEAST = 2
"""Fewer kernels are named one by one."""
_NAMED = 3
"""At most so many kernels are named in one rule."""
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Rule:
    """Kernels that take one scheme for a reason that their names share."""

    text: Text
    scheme: Scheme
    kernels: tuple[str, ...]


def rules_of(network: Network, plan: Plan) -> list[Rule]:
    """Describe a plan: the scheme that most kernels have, and groups that differ from it.

    A group is all kernels of one part of their block ("gate_proj"), of one block ("layers.3"), or of one kind
    ("depthwise"); a group counts only if all its kernels have the scheme. What is left is named.
    """
    kernels = [kernel for kernel in network.tunable if kernel.id in plan]
    if not kernels:
        return []
    usual = Counter(plan[kernel.id] for kernel in kernels).most_common(1)[0][0]
    rules = []
    for scheme in dict.fromkeys(plan[kernel.id] for kernel in kernels):
        if scheme != usual:
            rules += _groups(kernels, {kernel.id for kernel in kernels if plan[kernel.id] == scheme}, scheme)
    rest = tuple(kernel.id for kernel in kernels if plan[kernel.id] == usual)
    name = label(usual)
    said = say("All else to {scheme}", scheme=name) if rules else say("All to {scheme}", scheme=name)
    return [*rules, Rule(said, usual, rest)]


def _groups(kernels: Sequence[Kernel], wanted: set[str], scheme: Scheme) -> list[Rule]:
    """Cover the wanted kernels by whole groups, the largest first; name what no group covers."""
    offered = _named_groups(kernels)
    left, rules = set(wanted), []
    while True:
        fitting = {text: found for text, found in offered.items() if found <= wanted and len(found & left) >= _LEAST}
        if not fitting:
            break
        best = max(fitting, key=lambda name: (len(fitting[name] & left), -len(name[1])))
        members = fitting[best] & left
        left -= members
        order = tuple(kernel.id for kernel in kernels if kernel.id in members)
        rules.append(Rule(_words(best, scheme), scheme, order))
    names = [kernel for kernel in kernels if kernel.id in left]
    if names:
        shown, more = ", ".join(kernel.name for kernel in names[:_NAMED]), len(names) - _NAMED
        text = say("{names} to {scheme}", names=shown, scheme=label(scheme))
        if more > 0:
            text = say("{names} and {count} more to {scheme}", names=shown, count=more, scheme=label(scheme))
        rules.append(Rule(text, scheme, tuple(kernel.id for kernel in names)))
    return rules


def _named_groups(kernels: Sequence[Kernel]) -> Mapping[tuple[str, str], set[str]]:
    """(kind of group, its name) -> kernel ids."""
    found: dict[tuple[str, str], set[str]] = {}
    for kernel in kernels:
        parts = [part for part in kernel.name.replace("/", ".").split(".") if part]
        last = _DIGITS.sub("", parts[-1]).strip("_") if parts else ""
        if last:
            found.setdefault(("part", last), set()).add(kernel.id)
        at = next((i for i, part in enumerate(parts[:-1]) if part.isdigit()), None)
        if at is not None:
            found.setdefault(("block", ".".join(parts[: at + 1])), set()).add(kernel.id)
        found.setdefault(("kind", str(kernel.kind)), set()).add(kernel.id)
    return found


def _words(group: tuple[str, str], scheme: Scheme) -> Text:
    kind, name = group
    if kind == "block":
        return say("All of block {name} to {scheme}", name=name, scheme=label(scheme))
    if kind == "kind":
        return say("All kernels of kind {name} to {scheme}", name=name, scheme=label(scheme))
    return say("All {name} to {scheme}", name=name, scheme=label(scheme))
