"""Local functions: their nodes take the place of the calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import onnx
from onnx import inliner

from engine.errors import ModelError
from engine.graph.limits import TooBigError
from engine.graph.subgraphs import subgraphs
from engine.text import say

MOST_NODES = 50_000
"""Nodes that calls may unfold into. A few functions that call each other twice make billions of a file of some KB."""

Name = tuple[str, str, str]
Size = tuple[int, int]
"""Nodes, and bytes of their messages."""


def inlined(model: onnx.ModelProto, path: Path, memory_limit: int) -> onnx.ModelProto:
    """The model with its local functions unfolded where onnx can do that; else they stay functions.

    Raises:
        ModelError: A function calls itself, or the calls would unfold into more than fits.
    """
    if not model.functions:
        return model
    nodes, size = _Sizes(model, path).total()
    if nodes > MOST_NODES:
        raise ModelError(
            say(
                "{file}: its local functions call each other so often that they unfold into more than {limit} nodes.",
                file=path.name,
                limit=MOST_NODES,
            )
        )
    if size > memory_limit:
        raise TooBigError(path, size, memory_limit)
    try:
        return inliner.inline_local_functions(model)
    except Exception:  # the library raises whatever its C++ throws; the runtime judges the model itself
        return model


class _Sizes:
    """Counts what each function unfolds into, once, before anything is unfolded."""

    def __init__(self, model: onnx.ModelProto, path: Path) -> None:
        self._graph = model.graph
        self._path = path
        self._functions = {_name(each.domain, each.name, each.overload): each for each in model.functions}
        self._known: dict[Name, Size] = {}

    def total(self) -> Size:
        """Of the whole model."""
        for start in self._functions:
            self._count(start)
        return self._sum(self._graph.node)

    def _count(self, start: Name) -> None:
        """Callees before callers, without recursion: chains of calls may be long."""
        stack, open_calls = [start], set[Name]()
        while stack:
            name = stack[-1]
            callees = [called for called in self._calls(name) if called not in self._known]
            if name in self._known:
                stack.pop()
            elif not callees:
                self._known[stack.pop()] = self._sum(self._functions[name].node)
                open_calls.discard(name)
            elif name in open_calls:
                raise ModelError(
                    say("{file}: the local function {name} calls itself.", file=self._path.name, name=name[1])
                )
            else:
                open_calls.add(name)
                stack += callees

    def _calls(self, name: Name) -> list[Name]:
        return [called for node in _all(self._functions[name].node) if (called := _called(node)) in self._functions]

    def _sum(self, nodes: Iterable[onnx.NodeProto]) -> Size:
        count = size = 0
        for node in _all(nodes):
            inner = self._known.get(_called(node))
            count += 1 if inner is None else inner[0]
            size += node.ByteSize() if inner is None else inner[1]
        return count, size


def _all(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    """Nodes and those in their bodies."""
    for node in nodes:
        yield node
        for body in subgraphs(node):
            yield from _all(body.node)


def _called(node: onnx.NodeProto) -> Name:
    return _name(node.domain, node.op_type, node.overload)


def _name(domain: str, name: str, overload: str) -> Name:
    return ("" if domain == "ai.onnx" else domain, name, overload)
