"""Fonts: the system's own first, then one that has Chinese; figures of equal width."""

from __future__ import annotations

import sys
from functools import lru_cache

from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF

_LATIN = ("Segoe UI", "SF Pro Text", "Inter", "Noto Sans", "Cantarell", "Ubuntu", "Open Sans", "DejaVu Sans")
_CHINESE = (
    "Microsoft YaHei UI",
    "Microsoft YaHei",
    "PingFang SC",
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
)
_TABULAR = QFont.Tag("tnum")


@lru_cache(maxsize=1)
def families() -> tuple[str, ...]:
    """Families to try, best first: Latin, then Chinese."""
    known = set(QFontDatabase.families())
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()
    chosen = [system] if sys.platform in ("win32", "darwin") or system in known else []
    chosen += [name for name in _LATIN if name in known and name not in chosen]
    return (*chosen, *(name for name in _CHINESE if name in known)) or (system,)


def has_chinese() -> bool:
    """Whether any installed font can draw Chinese."""
    return bool(QFontDatabase.families(QFontDatabase.WritingSystem.SimplifiedChinese))


def font(pixels: int = 12, weight: int = 400, *, italic: bool = False, strike: bool = False) -> QFont:
    """A font of that size in px and weight (100 to 900) with figures of equal width.

    Copies are cheap and the caller may change what it gets.
    """
    return QFont(_font(pixels, weight, italic, strike))


def face(pixels: int = 12, weight: int = 400, *, italic: bool = False) -> QFont:
    """The same without a copy, for what is drawn hundreds of times per frame; not to be changed."""
    return _font(pixels, weight, italic, False)


@lru_cache(maxsize=4096)
def text_width(text: str, pixels: int = 12, weight: int = 400) -> float:
    """Width of a text in px; remembered, because measuring costs more than drawing."""
    return QFontMetricsF(_font(pixels, weight, False, False)).horizontalAdvance(text)


@lru_cache(maxsize=128)
def _font(pixels: int, weight: int, italic: bool, strike: bool) -> QFont:
    result = QFont(list(families()))
    result.setPixelSize(pixels)
    result.setWeight(QFont.Weight(weight))
    result.setItalic(italic)
    result.setStrikeOut(strike)
    result.setFeature(_TABULAR, 1)
    return result
