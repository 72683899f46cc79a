"""How plans are called where people read it."""

from __future__ import annotations

from engine.precision.presets import plan_title
from engine.text import Text
from gui.i18n import text as translated


def plan_word(name: str) -> str:
    """A plan's name as people read it: presets by their title in the window's language; "" stays."""
    title = plan_title(name)
    return translated(title) if isinstance(title, Text) else title
