"""The manual: Markdown pages in both languages, one for each view and for each group of figures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from engine.paths import manual

PAGES = (
    "start", "data", "methods", "export", "figures", "keys", "layers", "summary", "kernel", "cost", "error",
    "preflight", "timeline", "latency", "roofline", "usage", "measured", "memory", "thermal", "coldstart", "jitter",
    "sensitivity", "ranking", "pareto", "search", "tensors", "compare", "blocks", "graph", "plans", "history", "jobs",
    "log",
)  # fmt: skip
"""In the order of the contents: what concerns all, then a page for each dock, which has the dock's id."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page."""

    id: str
    title: str
    text: str
    """Markdown."""


@cache
def pages(language: str) -> tuple[Page, ...]:
    """All pages in a language, "en" or "zh"; a page that is missing there comes in English."""
    return tuple(page for name in PAGES if (page := _read(name, language) or _read(name, "en")) is not None)


def search(language: str, words: str) -> tuple[Page, ...]:
    """Pages that hold all of the words; those with a word in the title come first."""
    wanted = words.casefold().split()
    found = [p for p in pages(language) if all(w in p.text.casefold() for w in wanted)]
    return tuple(sorted(found, key=lambda p: not any(w in p.title.casefold() for w in wanted)))


def _read(name: str, language: str) -> Page | None:
    path = manual() / language / f"{name}.md"
    if not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    title = next((line.lstrip("# ") for line in text.splitlines() if line.startswith("# ")), name)
    return Page(name, title, text)
