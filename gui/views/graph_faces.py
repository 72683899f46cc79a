"""Words and figures on the cards of the Graph view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan
from typing import overload

import numpy as np
from PySide6.QtCore import QCoreApplication

from engine.fusion.blocks import Series
from gui import format as fmt
from gui.plots.table import Table
from gui.views.graph_cards import Card, Frame, Picture
from gui.views.graph_overlay import Overlay
from gui.views.graph_paint import Face
from gui.views.layers_rows import LayerRows

translate = QCoreApplication.translate


def faces_of(
    picture: Picture, series: Sequence[Series], rows: LayerRows, overlay: Overlay, threshold: float
) -> Sequence[Face]:
    """One face per card, each made when it is asked for: most cards of a large graph are not on show."""
    over = overlay.above(threshold)

    def make(place: int) -> Face:
        card = picture.cards[place]
        return _folded(card, series, rows, overlay) if card.folded else _kernel(card, series, rows, overlay, over)

    return _Faces(len(picture.cards), make)


class _Faces(Sequence[Face]):
    """Faces by card, made once."""

    def __init__(self, count: int, make: Callable[[int], Face]) -> None:
        self._made: list[Face | None] = [None] * count
        self._make = make

    def __len__(self) -> int:
        return len(self._made)

    @overload
    def __getitem__(self, place: int) -> Face: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Face]: ...
    def __getitem__(self, place: int | slice) -> Face | Sequence[Face]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        made = self._made[place]
        if made is None:
            made = self._made[place] = self._make(place % len(self))
        return made


def frame_words(frame: Frame, series: Sequence[Series], rows: LayerRows) -> tuple[str, str]:
    """Title and detail of an unfolded block."""
    one = series[frame.series]
    block = one.blocks[frame.block]
    title = block.name if one.prefix else translate("Graph", "block {n} of {all}").format(
        n=frame.block + 1, all=len(one.blocks)
    )  # fmt: skip
    return title, _size(len(block), rows, block.kernels)


def edge_table(picture: Picture, rows: LayerRows, overlay: Overlay) -> Table:
    """One row per kernel on show, with those that it feeds."""
    after: dict[int, list[str]] = {}
    names = rows.shape.names
    for a, b in picture.edges:
        after.setdefault(a, []).append(names[picture.cards[b].kernels[0]])
    found = []
    for c, card in enumerate(picture.cards):
        for k in card.kernels:
            value = float(overlay.values[k]) if np.isfinite(overlay.values[k]) else None
            latency = float(rows.latency_us[k]) if np.isfinite(rows.latency_us[k]) else None
            feeds = "; ".join(after.get(c, ())) if k == card.kernels[-1] else ""
            found.append((k, names[k], rows.shape.ops[k], rows.labels[k], rows.units[k], latency, value, feeds))
    header = ("index", "kernel", "op", "scheme", "unit", "latency_us", overlay.key or "value", "feeds")
    return Table(header, found)


def _kernel(card: Card, series: Sequence[Series], rows: LayerRows, overlay: Overlay, over: np.ndarray) -> Face:
    k = card.kernels[0]
    latency = fmt.latency_us(float(rows.latency_us[k])) if np.isfinite(rows.latency_us[k]) else ""
    return Face(
        title=rows.shape.short[k],
        detail=rows.shape.ops[k],
        latency=latency,
        value=overlay.texts[k] if overlay.key != "latency" else "",
        height=float(overlay.heights[k]),
        family=rows.families[k],
        label=rows.labels[k],
        cpu=rows.units[k] == "CPU",
        over=bool(over[k]),
        stale=overlay.stale is not None and bool(overlay.stale[k]),
        estimated=overlay.estimated is not None and bool(overlay.estimated[k]),
        ground="family" if overlay.key == "precision" else "unit" if overlay.key == "unit" else "",
    )


def _folded(card: Card, series: Sequence[Series], rows: LayerRows, overlay: Overlay) -> Face:
    assert card.series is not None
    assert card.blocks is not None
    one = series[card.series]
    first, last = card.blocks
    blocks = one.blocks[first : last + 1]
    if one.prefix:
        title = f"{one.prefix}.{blocks[0].number}" + (f" … {blocks[-1].number}" if len(blocks) > 1 else "")
    else:
        title = translate("Graph", "{n} more of the same").format(n=len(blocks))
    return Face(
        title=title,
        detail=f"{len(blocks)} × {_size(len(one.blocks[0]), rows, card.kernels)}",
        value=_strip_words(overlay.key) if len(blocks) > 3 else "",
        strip=tuple(_worst(overlay, block.kernels) for block in blocks),
        strip_families=tuple(_lowest(rows, block.kernels) for block in blocks) if overlay.key == "precision" else (),
        first=str(blocks[0].number),
        last=str(blocks[-1].number) if len(blocks) > 1 else "",
    )


def _worst(overlay: Overlay, kernels: range) -> float:
    heights = overlay.heights[kernels.start : kernels.stop]
    return float(np.nanmax(heights)) if np.isfinite(heights).any() else nan


def _lowest(rows: LayerRows, kernels: range) -> str:
    there = {rows.families[k] for k in kernels}
    return next((family for family in ("INT4", "INT8", "FP16") if family in there), "")


def _strip_words(key: str) -> str:
    return {
        "precision": translate("Graph", "lowest in each block"),
        "sensitivity": translate("Graph", "highest in each block"),
        "latency": translate("Graph", "longest in each block"),
        "local": translate("Graph", "worst in each block"),
        "accumulated": translate("Graph", "worst in each block"),
    }.get(key, "")


def _size(count: int, rows: LayerRows, kernels: range) -> str:
    words = translate("Graph", "{n} kernels").format(n=count)
    latency = rows.latency_us[kernels.start : kernels.stop]
    known = latency[np.isfinite(latency)]
    return f"{words} · {fmt.run_latency(float(known.sum()))}" if known.size else words
