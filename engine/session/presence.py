"""Which projects are open in which windows: a lock for each, which ends with the process, however it ends."""

from __future__ import annotations

import hashlib
import os
import secrets
import time
from contextlib import suppress
from pathlib import Path

from engine.asides import locked

_YOUNG_S = 60.0
"""A file that nobody has locked may just have been made."""


class Presence:
    """Says to other windows which project this one has open."""

    def __init__(self, folder: Path | None) -> None:
        """Have nothing open yet.

        Args:
            folder: where windows leave word of themselves; None = this one doesn't, and hears of none.
        """
        self._folder = folder
        self._key = ""
        self._own: tuple[Path, int] | None = None

    def enter(self, project: Path | None) -> bool:
        """Have another project open, or none; whether another window has it too. False if it was open here before."""
        key = _key(project) if project is not None else ""
        if key == self._key:
            return False
        self.leave()
        self._key = key
        if not key or self._folder is None:
            return False
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            others = [path for path in self._folder.glob(f"{key}-*.open") if _held(path)]
            own = self._folder / f"{key}-{secrets.token_hex(6)}.open"
            handle = os.open(own, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:  # a folder that can't be used: saving still compares the file
            return False
        self._own = (own, handle)
        locked(handle)
        return bool(others)

    def leave(self) -> None:
        """The project is closed."""
        self._key = ""
        if self._own is not None:
            path, handle = self._own
            self._own = None
            os.close(handle)
            _remove(path)


def _key(project: Path) -> str:
    """The same for all spellings of a path."""
    return hashlib.sha256(os.fsencode(os.path.realpath(project))).hexdigest()[:24]


def _held(path: Path) -> bool:
    """Whether a living window has locked it; what a dead one has left is removed."""
    try:
        handle = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        if not locked(handle):
            return True
        old = abs(time.time() - os.fstat(handle).st_mtime) > _YOUNG_S
    finally:
        os.close(handle)
    if old:
        _remove(path)
    return False


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)
