"""Sentences for people, kept translatable without Qt.

The engine writes English templates; a window translates the template and fills the fields in afterwards.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath

_LONGEST = 400
"""Characters of a field that a sentence shows: names in a file may have any length."""
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories that break a line, turn its direction or show nothing."""


@dataclass(frozen=True, slots=True)
class Text:
    """A sentence: an English template in `str.format` form and what goes into it."""

    template: str
    fields: Mapping[str, object] = field(default_factory=dict, hash=False)
    """No part of the hash: a dict has none, and sentences are told apart by comparing them."""

    def __str__(self) -> str:
        """The English sentence."""
        return self.template.format(**{name: one_line(value) for name, value in self.fields.items()})


def say(template: str, **fields: object) -> Text:
    """Make a translatable sentence. The template must be a literal: translations are collected from the source."""
    return Text(template, fields)


class Count(int):
    """A number that knows its words: of "{count} {count:kernel is|kernels are} slow" the first are for one."""

    def __format__(self, spec: str) -> str:
        """The part in front of the bar for 1, the part behind it for all else; other formats as of an int."""
        one, bar, many = spec.partition("|")
        if bar:
            return one if self == 1 else many
        return super().__format__(spec)


def one_line(value: object) -> object:
    r"""What a sentence shows of a field: text on one line and of bounded length; whole numbers as counts.

    Names of tensors, layers and files come from outside and may hold anything. A line feed is shown as `\n`, and so on.
    """
    if isinstance(value, PurePath):
        value = str(value)
    if type(value) is int:
        return Count(value)
    if not isinstance(value, str):
        return value
    if len(value) > _LONGEST:
        value = f"{value[: _LONGEST // 2]}…{value[-_LONGEST // 2 + 1 :]}"
    if value.isprintable():
        return value
    return "".join(_escaped(char) if unicodedata.category(char) in _UNSEEN else char for char in value)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode()
