"""Where the cards of a graph stand: rows from top to bottom, residual edges in lanes on the left. No Qt in here.

Rows and the order in them come from fast-sugiyama (layered layout with few crossings); it knows no sizes, so px are
given afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fast_sugiyama import from_edges

from gui.views.graph_cards import Picture

WIDTH, HEIGHT = 176.0, 36.0
"""Px of a kernel's card."""
FOLD_WIDTH, FOLD_HEIGHT = 420.0, 52.0
"""Px of a card of folded blocks."""
GAP_X, GAP_Y = 28.0, 14.0
PAD = 24.0
"""Px between a frame and its cards."""
TITLE = 30.0
"""Px at the top of a frame for its name."""
LANE = 12.0
"""Px between two residual edges on the left."""
RESIDUAL_ROWS = 3
"""An edge over more rows than this goes to the left, if a shorter way leads there as well."""

OPTIONS: Any = {"vertex_spacing": 1, "dummy_vertices": True, "ranking_type": "up", "check_layout": False}
"""One px is one column; edges over several rows get bends; cards stand as high as they can."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in px."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Right end."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Lower end."""
        return self.y + self.height

    @property
    def middle(self) -> float:
        """Horizontal middle."""
        return self.x + self.width / 2


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Boxes and lines in px, the origin at the upper left."""

    cards: tuple[Box, ...]
    frames: tuple[Box, ...]
    edges: tuple[tuple[Point, ...], ...]
    """Points from the lower end of one card to the upper end of another."""
    residual: tuple[bool, ...]
    """Which edges run in a lane on the left; theirs are the corners of a line with four points."""
    width: float
    height: float


def arrange(picture: Picture) -> Arrangement:
    """Give every card of a picture its place."""
    count = len(picture.cards)
    residual = _residual(count, picture.edges)
    while True:
        places, bends = _sugiyama(count, [e for e, aside in zip(picture.edges, residual, strict=True) if not aside])
        rows = _rows(picture, places)
        boxes = [_box(picture, rows, i, places[i]) for i in range(count)]
        behind = _behind_cards(boxes)
        kept = tuple(r and not behind.intersection(e) for r, e in zip(residual, picture.edges, strict=True))
        if kept == residual:
            break
        residual = kept
    frames = tuple(_frame([boxes[i] for i in frame.cards]) for frame in picture.frames)
    lanes = _lanes([e for e, aside in zip(picture.edges, residual, strict=True) if aside])
    left = min((box.x for box in (*boxes, *frames)), default=0.0)
    lines: list[tuple[Point, ...]] = []
    for edge, aside in zip(picture.edges, residual, strict=True):
        start, end = boxes[edge[0]], boxes[edge[1]]
        if aside:
            x = left - LANE * (lanes[edge] + 1)
            y0, y1 = start.y + start.height / 2, end.y + end.height / 2
            lines.append(((start.x, y0), (x, y0), (x, y1), (end.x, y1)))
        else:
            middles = [(_middle(column), _center(rows, row)) for column, row in bends.get(edge, ())]
            lines.append(((start.middle, start.bottom), *middles, (end.middle, end.y)))
    return _from_zero(boxes, frames, lines, residual)


def _ranks(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """The longest way from a start; cards are in execution order, so one pass is enough."""
    into: list[list[int]] = [[] for _ in range(count)]
    for a, b in edges:
        into[b].append(a)
    ranks = [0] * count
    for b in range(count):
        ranks[b] = max((ranks[a] + 1 for a in into[b]), default=0)
    return ranks


def _residual(count: int, edges: Sequence[tuple[int, int]]) -> tuple[bool, ...]:
    """Edges over many rows whose ends are joined by shorter ones too: they would cross half the picture."""
    ranks = _ranks(count, edges)
    out = [0] * count
    for a, _ in edges:
        out[a] += 1
    near = {b for a, b in edges if ranks[b] == ranks[a] + 1}
    found = []
    for a, b in edges:
        aside = ranks[b] - ranks[a] > RESIDUAL_ROWS and out[a] > 1 and b in near
        out[a] -= aside
        found.append(aside)
    return tuple(found)


def _sugiyama(
    count: int, edges: Sequence[tuple[int, int]]
) -> tuple[list[Point], dict[tuple[int, int], tuple[Point, ...]]]:
    """Column and row of each card, and of the bends of edges that pass rows by."""
    used = sorted({end for edge in edges for end in edge})
    number = {card: i for i, card in enumerate(used)}
    alone = [card for card in range(count) if card not in number]
    places: list[Point] = [(0.0, 0.0)] * count
    for i, card in enumerate(alone):
        places[card] = (float(i), 0.0)
    bends: dict[tuple[int, int], tuple[Point, ...]] = {}
    if not edges:
        return places, bends
    shift = float(len(alone))
    inner = [(number[a], number[b]) for a, b in edges]
    for positions, _, _, links in from_edges(inner, **OPTIONS):
        left, top = min(x for _, (x, _) in positions), max(y for _, (_, y) in positions)
        spot = {int(node): (x - left + shift, top - y) for node, (x, y) in positions}
        shift = max(x for x, _ in spot.values()) + 1
        for node, place in spot.items():
            if node < len(used):
                places[used[node]] = place
        bends |= _bends(spot, [(int(a), int(b)) for a, b in links or ()], used)
    return places, bends


def _bends(
    spot: dict[int, Point], links: Sequence[tuple[int, int]], used: Sequence[int]
) -> dict[tuple[int, int], tuple[Point, ...]]:
    """Follow each edge over the nodes that the layout put in for it; their numbers lie above those of the cards."""
    after = {a: b for a, b in links if a >= len(used)}
    found = {}
    for a, b in links:
        if a < len(used) <= b:
            way = []
            while b >= len(used):
                way.append(spot[b])
                b = after[b]
            found[used[a], used[b]] = tuple(way)
    return found


@dataclass(frozen=True, slots=True)
class _Rows:
    """Upper end and height of each row in px."""

    tops: tuple[float, ...]
    heights: tuple[float, ...]


def _rows(picture: Picture, places: Sequence[Point]) -> _Rows:
    count = 1 + max((round(row) for _, row in places), default=-1)
    heights = [HEIGHT] * count
    before, after = [0.0] * count, [0.0] * count
    for card, (_, row) in zip(picture.cards, places, strict=True):
        if card.folded:
            heights[round(row)] = FOLD_HEIGHT
    for frame in picture.frames:
        rows = [round(places[i][1]) for i in frame.cards]
        before[min(rows)] = max(before[min(rows)], PAD + TITLE)
        after[max(rows)] = max(after[max(rows)], PAD)
    tops = []
    y = 0.0
    for row in range(count):
        y += before[row]
        tops.append(y)
        y += heights[row] + GAP_Y + after[row]
    return _Rows(tuple(tops), tuple(heights))


def _middle(column: float) -> float:
    return column * (WIDTH + GAP_X)


def _center(rows: _Rows, row: float) -> float:
    return rows.tops[round(row)] + rows.heights[round(row)] / 2


def _box(picture: Picture, rows: _Rows, card: int, place: Point) -> Box:
    folded = picture.cards[card].folded
    width, height = (FOLD_WIDTH, FOLD_HEIGHT) if folded else (WIDTH, HEIGHT)
    column, row = place
    return Box(_middle(column) - width / 2, _center(rows, row) - height / 2, width, height)


def _frame(boxes: Sequence[Box]) -> Box:
    left, right = min(b.x for b in boxes) - PAD, max(b.right for b in boxes) + PAD
    aside = max(0.0, (FOLD_WIDTH - (right - left)) / 2)  # no narrower than a folded card: the title needs room
    y = min(b.y for b in boxes) - PAD - TITLE
    return Box(left - aside, y, right - left + 2 * aside, max(b.bottom for b in boxes) + PAD / 2 - y)


def _behind_cards(boxes: Sequence[Box]) -> set[int]:
    """Cards with another one on their left: a line from there would run through it."""
    leftmost: dict[float, float] = {}
    for box in boxes:
        middle = box.y + box.height / 2
        leftmost[middle] = min(box.x, leftmost.get(middle, box.x))
    return {i for i, box in enumerate(boxes) if box.x > leftmost[box.y + box.height / 2]}


def _lanes(edges: Sequence[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """The innermost lane that is free over the whole length of each edge; short edges come first."""
    taken: list[list[tuple[int, int]]] = []
    found = {}
    for a, b in sorted(edges, key=lambda e: (e[1] - e[0], e)):
        lane = next((i for i, used in enumerate(taken) if all(b <= c or d <= a for c, d in used)), len(taken))
        if lane == len(taken):
            taken.append([])
        taken[lane].append((a, b))
        found[a, b] = lane
    return found


def _from_zero(
    boxes: Sequence[Box], frames: Sequence[Box], lines: Sequence[tuple[Point, ...]], residual: tuple[bool, ...]
) -> Arrangement:
    everything = (*boxes, *frames)
    left = min([b.x for b in everything] + [x for line in lines for x, _ in line], default=0.0)
    top = min((b.y for b in everything), default=0.0)

    def moved(box: Box) -> Box:
        return Box(box.x - left, box.y - top, box.width, box.height)

    return Arrangement(
        tuple(moved(b) for b in boxes),
        tuple(moved(b) for b in frames),
        tuple(tuple((x - left, y - top) for x, y in line) for line in lines),
        residual,
        max((b.right for b in everything), default=0.0) - left,
        max((b.bottom for b in everything), default=0.0) - top,
    )
