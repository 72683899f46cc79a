"""Where docks stand in each layout: nested rows and columns of tab groups, and how they are put into the window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import Qt

from gui.docks import GAP, Dock, DockHost


@dataclass(frozen=True, slots=True)
class Tabs:
    """Docks on one place, the first in front."""

    docks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Split:
    """Parts side by side or one above the other, each with a size in px; 0 takes what is left."""

    orientation: Qt.Orientation
    parts: tuple[Node, ...]
    sizes: tuple[int, ...]


Node = Tabs | Split
NARROW = 1180
"""Px of a window below which no layout has a column on the right."""
MAIN = {"tune": "layers", "profile": "timeline", "sweep": "sensitivity", "compare": "compare", "graph": "graph"}
"""Each layout's dock that gets the keys when the layout comes up."""
LAYOUTS = tuple(MAIN)


def row(*parts: tuple[Node, int]) -> Split:
    """Parts from left to right."""
    return Split(Qt.Orientation.Horizontal, tuple(p for p, _ in parts), tuple(s for _, s in parts))


def column(*parts: tuple[Node, int]) -> Split:
    """Parts from top to bottom."""
    return Split(Qt.Orientation.Vertical, tuple(p for p, _ in parts), tuple(s for _, s in parts))


def tabs(*docks: str) -> Tabs:
    """Docks on one place."""
    return Tabs(docks)


def stored_name(name: str, width: int) -> str:
    """What the arrangement of a layout is remembered by: narrow windows have arrangements of their own."""
    return name if width >= NARROW else f"{name}-narrow"


def default(name: str, width: int, height: int) -> Node:
    """The arrangement of a layout for an area of that size in px."""
    if width < NARROW:
        return _narrow(name, width, height)
    side = 322 if width >= 1366 else 296
    low = 232 if height >= 780 else 210
    if name == "tune":
        lists = tabs("preflight", "timeline", "plans", "jobs", "log")
        lower = row((tabs("error", "latency"), 0), (lists, 452 if width >= 1366 else 356))
        return row((column((tabs("layers"), 0), (lower, low)), 0), (tabs("summary", "kernel", "history"), side))
    if name == "profile":
        lower = row(
            (tabs("roofline", "measured", "usage", "latency"), 0),
            (tabs("memory"), 0),
            (tabs("thermal", "coldstart", "jitter"), 0),
        )
        return row((column((tabs("timeline"), 336), (lower, 0)), 0), (tabs("kernel", "cost", "summary"), side - 6))
    if name == "sweep":
        lower = row((tabs("ranking", "layers"), 0), (tabs("pareto", "error", "plans"), 0))
        return row((column((tabs("sensitivity"), 326), (lower, 0)), 0), (tabs("search", "summary", "kernel"), side))
    if name == "compare":
        return row((tabs("tensors", "kernel"), 334), (tabs("compare"), 0))
    return row(
        (tabs("blocks"), 286 if width >= 1366 else 236), (tabs("graph"), 0), (tabs("kernel", "summary"), side - 16)
    )


def _narrow(name: str, width: int, height: int) -> Node:
    """Without a column on the right: its docks are tabs of a group below or on the left."""
    side = max(286, round(0.4 * width))
    low = 232 if height >= 600 else 210
    if name == "tune":
        lists = tabs("summary", "kernel", "preflight", "timeline", "plans", "history", "jobs", "log")
        return column((tabs("layers"), 0), (row((tabs("error", "latency"), 0), (lists, side)), low))
    if name == "profile":
        charts = (tabs("roofline", "measured", "usage", "latency"), 0)
        slow = (tabs("memory", "thermal", "coldstart", "jitter"), 0)
        lower = row(charts, slow, (tabs("kernel", "cost", "summary"), 290))
        return column((tabs("timeline"), round(0.48 * height)), (lower, 0))
    if name == "sweep":
        lower = row(
            (tabs("ranking", "layers"), 0), (tabs("pareto", "search", "summary", "kernel", "error", "plans"), 0)
        )
        return column((tabs("sensitivity"), round(0.42 * height)), (lower, 0))
    if name == "compare":
        return tabs("compare", "tensors", "kernel")
    return row((tabs("kernel", "blocks", "summary"), 290), (tabs("graph"), 0))


def arrange(host: DockHost, node: Node, width: int, height: int) -> None:
    """Show exactly the docks of an arrangement, in their places and sizes."""
    for dock in host.docks.values():
        dock.setFloating(False)
        host.removeDockWidget(dock)
    known = _known(node, host)
    if known is None:
        return
    first = _first(known, host)
    host.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, first)
    first.show()
    _place(known, host)
    _resize(known, host, width, height)
    for leaf in _leaves(known):
        host.docks[leaf.docks[0]].raise_()


def _known(node: Node, host: DockHost) -> Node | None:
    """The arrangement without docks that this version lacks."""
    if isinstance(node, Tabs):
        found = tuple(d for d in node.docks if d in host.docks)
        return Tabs(found) if found else None
    kept = [(p, s) for part, s in zip(node.parts, node.sizes, strict=True) if (p := _known(part, host)) is not None]
    if len(kept) < 2:
        return kept[0][0] if kept else None
    return Split(node.orientation, tuple(p for p, _ in kept), tuple(s for _, s in kept))


def _leaves(node: Node) -> Iterator[Tabs]:
    if isinstance(node, Tabs):
        yield node
    else:
        for part in node.parts:
            yield from _leaves(part)


def _first(node: Node, host: DockHost) -> Dock:
    return host.docks[next(_leaves(node)).docks[0]]


def _place(node: Node, host: DockHost) -> None:
    if isinstance(node, Tabs):
        front = host.docks[node.docks[0]]
        for name in node.docks[1:]:
            host.tabifyDockWidget(front, host.docks[name])
            host.docks[name].show()
        return
    firsts = [_first(part, host) for part in node.parts]
    for before, after in pairwise(firsts):
        host.splitDockWidget(before, after, node.orientation)
        after.show()
    for part in node.parts:
        _place(part, host)


def _resize(node: Node, host: DockHost, width: int, height: int) -> None:
    if isinstance(node, Tabs):
        return
    across = node.orientation is Qt.Orientation.Horizontal
    sizes = share(node.sizes, (width if across else height) - GAP * (len(node.parts) - 1))
    host.resizeDocks([_first(part, host) for part in node.parts], list(sizes), node.orientation)
    for part, size in zip(node.parts, sizes, strict=True):
        _resize(part, host, size if across else width, height if across else size)


def share(sizes: Sequence[int], room: int) -> list[int]:
    """Sizes in px that fill the room: parts with size 0 share what the others leave, at least 120 px each."""
    open_parts = sum(1 for size in sizes if size == 0)
    left = room - sum(sizes)
    each = max(120, left // open_parts) if open_parts else 0
    return [size or each for size in sizes]
