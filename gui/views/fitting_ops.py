"""Operators of fused kernels and paths of blocks in less room than they need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF

from gui.fonts import font
from gui.kernel_names import mark_of

_SHORT = {
    "HardSwish": "HSwish",
    "HardSigmoid": "HSigmoid",
    "LeakyReLU": "LReLU",
    "GlobalAvgPool": "GAvgPool",
    "GlobalMaxPool": "GMaxPool",
    "LayerNorm": "LNorm",
    "BatchNorm": "BNorm",
    "InstanceNorm": "INorm",
    "GroupNorm": "GNorm",
}
"""Words for operators where the room is small."""


@lru_cache(maxsize=8192)
def fitting_op(op: str, latency: str, room: int, points: int = 11) -> str:
    """An operator and its latency within `room` px, "DWConv 3×3 s2 + HSwish · 52.3 µs".

    First the operators take short words, then all behind the first are counted ("DWConv 3×3 s2 +2"), then only the
    operator without its dimensions is left; the latency goes last.
    """
    wide = QFontMetricsF(font(points)).horizontalAdvance
    for behind in dict.fromkeys((f" · {latency}" if latency else "", "")):
        for words in _ways(op):
            if wide(words + behind) <= room:
                return words + behind
    return QFontMetricsF(font(points)).elidedText(op, Qt.TextElideMode.ElideRight, room)


def _ways(op: str) -> Iterator[str]:
    """An operator, ever shorter."""
    yield op
    parts = [" ".join(_SHORT.get(word, word) for word in part.split()) for part in op.split(" + ")]
    yield " + ".join(parts)
    yield "+".join(parts)
    if len(parts) > 1:
        yield f"{parts[0]} +{len(parts) - 1}"
    first = parts[0].split()
    for kept in range(len(first) - 1, 0, -1):
        yield " ".join(first[:kept]) + (f" +{len(parts) - 1}" if len(parts) > 1 else "")
    yield first[0] if first else ""


def fitting_path(path: str, room: float, wide: Callable[[str], float]) -> str:
    """The name of a block within `room` px: its front gives way, for its number stands at its end."""
    if wide(path) <= room:
        return path
    mark = mark_of(path)
    words = path.split(mark)
    for start in range(1, len(words)):
        shown = "…" + mark.join(words[start:])
        if wide(shown) <= room:
            return shown
    return path
