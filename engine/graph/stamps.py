"""Whether a model's files are still those that were opened, told by size, time and inode: nothing is read again."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class Fate(Enum):
    """What has become of the files of an open model."""

    SAME = "same"
    REPLACED = "replaced"
    """Others have their names now; what is open is as it was."""
    OVERWRITTEN = "overwritten"
    """Weights that are read from the file when they are needed are no longer those that were opened."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """A file as it was at one moment."""

    path: Path
    place: tuple[int, int]
    """Device and inode."""
    state: tuple[int, int]
    """Size in bytes, and time of the last change in ns."""


def stamp(path: Path) -> Stamp | None:
    """The file as it is now; None if it can't be seen."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return Stamp(path, (found.st_dev, found.st_ino), (found.st_size, found.st_mtime_ns))


def stamps(paths: Iterable[Path]) -> tuple[Stamp, ...]:
    """All of them that can be seen."""
    return tuple(found for path in sorted(paths) if (found := stamp(path)) is not None)


def fate(before: Iterable[Stamp]) -> tuple[Fate, Path | None]:
    """What has become of files since, and of which. One that can't be seen now is taken to be as it was.

    Large tensors are mapped, those inside of the model's own file too: they follow what is written to the same inode.
    """
    worst: tuple[Fate, Path | None] = (Fate.SAME, None)
    for old in before:
        now = stamp(old.path)
        if now is None or now == old:
            continue
        if now.place == old.place:
            return Fate.OVERWRITTEN, old.path
        worst = Fate.REPLACED, old.path
    return worst
