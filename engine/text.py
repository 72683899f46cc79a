"""Sentences for people, kept translatable without Qt.

The engine writes English templates; a window translates the template and fills the fields in afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Text:
    """A sentence: an English template in `str.format` form and what goes into it."""

    template: str
    fields: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        """The English sentence."""
        return self.template.format(**self.fields)


def say(template: str, **fields: object) -> Text:
    """Make a translatable sentence. The template must be a literal: translations are collected from the source."""
    return Text(template, fields)
