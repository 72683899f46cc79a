"""Folders of a moment, which a killed process leaves behind: each is locked, and unlocked ones are swept.

The system takes a lock back however its process ends, so what is not locked belongs to nobody. That holds where a
process number would not: it is given to others, and means nothing to a container that shares the disk.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType

BESIDE = (".mixbit-", ".part")
"""How folders begin and end whose content is moved to its place once it is whole."""
SCRATCH = ("mixbit-", "")
"""The same of those in the system's temporary folder."""
_LOCK = ".lock"
_YOUNG_S = 60.0
"""One without a lock in it may just have been made."""
_SWEPT_S = 0.05


class Aside:
    """A folder that is held by this process until it is closed. Made by `aside_in` and `scratch`."""

    def __init__(self, path: Path, handle: int) -> None:
        self.path, self._handle = path, handle

    def close(self) -> None:
        """Remove it with what is left in it, and let go."""
        if self._handle < 0:
            return
        if sys.platform == "win32":  # there nothing is removed that is open
            os.close(self._handle)
        with suppress(OSError):  # a disk that is read-only by now
            (self.path / _LOCK).unlink(missing_ok=True)
        try:
            self.path.rmdir()
        except OSError:
            shutil.rmtree(self.path, ignore_errors=True)
        if sys.platform != "win32":
            os.close(self._handle)
        self._handle = -1

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def aside_in(folder: Path, form: tuple[str, str] = BESIDE) -> Aside:
    """A new folder in a folder, empty but for its lock.

    Args:
        folder: where.
        form: how its name begins and ends.

    Raises:
        OSError: it can't be made.
    """
    while True:
        path = Path(tempfile.mkdtemp(form[1], form[0], folder))
        try:
            handle = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        except FileNotFoundError:  # swept in this very moment
            continue
        except OSError:
            path.rmdir()
            raise
        if not locked(handle):  # being swept, or on a disk without locks: there nobody sweeps
            time.sleep(_SWEPT_S)
        if _same(handle, path / _LOCK):
            return Aside(path, handle)
        os.close(handle)


def scratch() -> Aside:
    """A new folder in the system's temporary folder.

    Raises:
        OSError: it can't be made.
    """
    return aside_in(Path(tempfile.gettempdir()), SCRATCH)


def sweep(folders: Iterable[Path]) -> None:
    """Remove what ended processes have left aside in these folders, and in the system's temporary folder."""
    for folder in dict.fromkeys(folders):
        _sweep(folder, BESIDE)
    _sweep(Path(tempfile.gettempdir()), SCRATCH)


def _sweep(folder: Path, form: tuple[str, str]) -> None:
    try:
        with os.scandir(folder) as entries:
            found = [Path(e.path) for e in entries if e.name.startswith(form[0]) and e.name.endswith(form[1])]
    except (OSError, ValueError):  # a folder that is gone, or a name that no folder can have
        return
    for path in found:
        with suppress(OSError):  # another user's, or gone
            _remove_abandoned(path)


def _remove_abandoned(path: Path) -> None:
    if path.is_symlink() or not path.is_dir():
        return
    lock = path / _LOCK
    if not lock.is_file():  # killed between two lines of `aside_in`; others may have folders of such a name
        if abs(time.time() - path.stat().st_mtime) > _YOUNG_S:
            path.rmdir()
        return
    handle = os.open(lock, os.O_RDWR)
    abandoned = locked(handle) and _same(handle, lock)
    if sys.platform == "win32":
        os.close(handle)
    if abandoned:
        shutil.rmtree(path, ignore_errors=True)
    if sys.platform != "win32":
        os.close(handle)


def _same(handle: int, path: Path) -> bool:
    """Whether an open file still has that name: who removes a folder holds its lock before."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except OSError:
        return False


def locked(handle: int) -> bool:
    """Lock an open file for this handle, if nobody has; the system takes the lock back when the process ends."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
