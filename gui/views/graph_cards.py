"""What the Graph view draws: a card for each kernel on show and one for each run of folded blocks. No Qt in here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.fusion.blocks import Block, Series
from engine.fusion.types import Network

Opened = frozenset[tuple[int, int]]
"""Blocks that are unfolded: (place of the series, place of the block in it)."""
ALL_OPEN = None
"""Nothing is folded."""


@dataclass(frozen=True, slots=True)
class Card:
    """One kernel, or a run of blocks of one series."""

    kernels: range
    series: int | None = None
    """Place of the series that its kernels belong to."""
    blocks: tuple[int, int] | None = None
    """First and last folded block; None for a kernel."""

    @property
    def folded(self) -> bool:
        """Whether it stands for whole blocks."""
        return self.blocks is not None


@dataclass(frozen=True, slots=True)
class Frame:
    """An unfolded block, drawn as a box around its cards."""

    series: int
    block: int
    cards: range


@dataclass(frozen=True, slots=True)
class Picture:
    """Cards in execution order, and who feeds whom."""

    cards: tuple[Card, ...]
    edges: tuple[tuple[int, int], ...]
    """Pairs of cards, without repetition."""
    tensors: tuple[str, ...]
    """The first tensor that runs along each edge."""
    frames: tuple[Frame, ...]
    place: tuple[int, ...]
    """Card of each kernel."""


def picture_of(network: Network, series: Sequence[Series], opened: Opened | None) -> Picture:
    """The cards of a network with these blocks unfolded, and the edges between them.

    Args:
        network: The kernels.
        series: Its repeated blocks.
        opened: The blocks that are not folded; ALL_OPEN for one card per kernel, without frames.
    """
    cards, frames = _cards(len(network.kernels), series if opened is not None else (), opened or frozenset())
    place = [0] * len(network.kernels)
    for c, card in enumerate(cards):
        for k in card.kernels:
            place[k] = c
    edges = _edges(network, place)
    return Picture(tuple(cards), tuple(edges), tuple(edges.values()), tuple(frames), tuple(place))


def first_open(series: Sequence[Series]) -> Opened:
    """The first block of each series: enough to read what the others do."""
    return frozenset((s, 0) for s in range(len(series)))


def block_of(series: Sequence[Series], kernel: int) -> tuple[int, int] | None:
    """The block that a kernel stands in, as in `Opened`."""
    for s, one in enumerate(series):
        if one.blocks[0].first <= kernel <= one.blocks[-1].last:
            length = len(one.blocks[0])
            return s, (kernel - one.blocks[0].first) // length
    return None


def _cards(count: int, series: Sequence[Series], opened: Opened) -> tuple[list[Card], list[Frame]]:
    cards: list[Card] = []
    frames: list[Frame] = []
    k = 0
    starts = {one.blocks[0].first: s for s, one in enumerate(series)}
    while k < count:
        s = starts.get(k)
        if s is None:
            cards.append(Card(range(k, k + 1)))
            k += 1
            continue
        blocks = series[s].blocks
        for first, last in _runs(len(blocks), {b for one, b in opened if one == s}):
            if first in {b for one, b in opened if one == s}:
                frames.append(Frame(s, first, range(len(cards), len(cards) + len(blocks[first]))))
                cards += [Card(range(i, i + 1), s) for i in blocks[first].kernels]
            else:
                cards.append(Card(_span(blocks, first, last), s, (first, last)))
        k = blocks[-1].last + 1
    return cards, frames


def _runs(count: int, opened: set[int]) -> Iterable[tuple[int, int]]:
    """Open blocks one by one, folded ones in runs."""
    b = 0
    while b < count:
        end = b
        while b not in opened and end + 1 < count and end + 1 not in opened:
            end += 1
        yield b, end
        b = end + 1


def _span(blocks: Sequence[Block], first: int, last: int) -> range:
    return range(blocks[first].first, blocks[last].last + 1)


def _edges(network: Network, place: Sequence[int]) -> dict[tuple[int, int], str]:
    made = {name: k for k, kernel in enumerate(network.kernels) for name in kernel.outputs}
    edges: dict[tuple[int, int], str] = {}
    for k, kernel in enumerate(network.kernels):
        for name in kernel.inputs:
            if name in made and place[made[name]] != place[k]:
                edges.setdefault((place[made[name]], place[k]), name)
    return edges
