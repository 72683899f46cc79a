"""Layer names in less room than they need: what tells layers apart stays, what they share goes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF

from gui.fonts import font
from gui.kernel_names import mark_of, short_name, split_at


@lru_cache(maxsize=8192)
def fitting_name(name: str, room: int, weight: int = 600, short: str = "") -> tuple[str, str]:
    """A name as (path, last part) within `room` px: the path in the plain face, the last part in the strong one.

    Parts without a number go first, from the front: "/encoder/layer.0/attention/self/query/MatMul" becomes
    "…/layer.0/…/query/MatMul". The last part is `short`, the name that the network's other names leave to the kernel,
    with what follows it as long as the whole name has room. When nothing can go any more the rest loses its middle.
    """
    plain, strong = QFontMetricsF(font(12)), QFontMetricsF(font(12, weight))
    short = short or short_name(name)
    path, last = split_at(name, short)

    def width(words: str) -> float:
        return plain.horizontalAdvance(words) + strong.horizontalAdvance(last)

    if width(path) <= room:
        return path, last
    last, mark = short, mark_of(name)
    parts = [part for part in path.split(mark) if part]
    for shown in map(_without_dots, _shorter(parts, mark)):
        if width(shown) <= room:
            return shown, last
    return "", strong.elidedText(last, Qt.TextElideMode.ElideMiddle, room)


def _without_dots(path: str) -> str:
    """Dots beside "…" would look like more of them."""
    return path.replace("….", "…").replace(".…", "…")


def _shorter(parts: list[str], mark: str) -> Iterator[str]:
    """A path, ever shorter: parts without a number go from the front, then separators, then the rest.

    A path without parts leaves nothing: its mark alone would say that something stands in front.
    """
    if not parts:
        return
    last = len(parts) - 1
    numbered = [i for i, part in enumerate(parts) if any(c.isdigit() for c in part)]
    kept = [True] * len(parts)
    for place in [i for i in range(last) if i not in numbered] + [i for i in numbered[:-1] if i != last]:
        kept[place] = False
        yield _joined(parts, kept, mark)
    telling = [part for part, stays in zip(parts, kept, strict=True) if stays]
    yield "…".join(telling) + mark
    if telling:
        yield f"{_number(telling[0])}…{telling[-1]}{mark}"
        yield f"{telling[0]}…"
        yield f"…{telling[-1]}{mark}"
    yield "…"


def _number(part: str) -> str:
    """The number that a part ends with: "0" of "layer0", none of "jax2tf"."""
    return part[len(part.rstrip("0123456789")) :]


def _joined(parts: list[str], kept: list[bool], mark: str) -> str:
    words: list[str] = []
    for part, stays in zip(parts, kept, strict=True):
        if stays:
            words.append(part)
        elif not words or words[-1] != "…":
            words.append("…")
    return mark.join(words) + mark if words != ["…"] else "…"
