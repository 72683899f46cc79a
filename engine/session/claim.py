"""Files of unsaved work, and who works on them: a lock that ends with the process, however it ends."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from engine.asides import locked
from engine.errors import ExportError
from engine.files import decode_json, write_atomically


class About(msgspec.Struct, frozen=True):
    """What a claim says of itself, so that it can be offered without reading the work."""

    work: str
    """Where the unsaved work was written."""
    model: str
    project: str = ""
    """The project that it belongs to; '' if it was never saved."""
    base: str = ""
    """Digest of the project file that the edits started from."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """Unsaved work of a window that has ended without asking."""

    folder: Path
    token: str
    about: About
    at: float
    """When it was written last, in seconds since 1970."""

    @property
    def name(self) -> str:
        """Name of the file that was worked on."""
        return Path(self.about.project or self.about.model).name


class Claim:
    """One piece of unsaved work, locked by this process. Made by `claim`."""

    def __init__(self, folder: Path, token: str, lock: int) -> None:
        self.folder, self.token, self._lock = folder, token, lock
        self._work: Path | None = None
        about = _about(folder, token)
        if about is not None:
            self._work = Path(about.work)

    def write(self, data: bytes, model: Path, project: Path | None, base: str) -> None:
        """Write the work beside its project, or into the claim's own folder if there is none or it can't be written.

        Raises:
            ExportError: neither can be written.
        """
        places = [self.folder / f"{self.token}.mixbit"]
        if project is not None:
            places.insert(0, project.with_name(f".{project.name}.{self.token}.autosave"))
        for place in places:
            try:
                write_atomically(place, data)
                break
            except ExportError:
                if place is places[-1]:
                    raise
        about = About(str(place), str(model), str(project) if project is not None else "", base)
        write_atomically(_note(self.folder, self.token), msgspec.json.encode(about))
        if self._work is not None and self._work != place:
            _remove(self._work)
        self._work = place

    def clear(self) -> None:
        """There is nothing to recover any more."""
        if self._work is None:
            return
        _remove(_note(self.folder, self.token))
        _remove(self._work)
        self._work = None

    def release(self) -> None:
        """Let go; what is written stays and is offered to others."""
        if self._lock >= 0:
            if self._work is None:
                _remove(_lock_file(self.folder, self.token))
            os.close(self._lock)
            self._lock = -1


def claim(folder: Path, token: str = "") -> Claim | None:
    """Lock a piece of work, a new one without a token; None if another process has it or the folder can't be used."""
    token = token or secrets.token_hex(6)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(_lock_file(folder, token), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        return None
    if not locked(handle):
        os.close(handle)
        return None
    return Claim(folder, token, handle)


def recoveries(folder: Path) -> tuple[Recovery, ...]:
    """Unsaved work that no living process holds, newest first. Leftovers without any work are tidied away."""
    return tuple(sorted(_abandoned(folder), key=lambda found: -found.at))


def _abandoned(folder: Path) -> Iterator[Recovery]:
    try:
        locks = sorted(folder.glob("*.lock"))
    except OSError:
        return
    for lock in locks:
        held = claim(folder, lock.stem)
        if held is None:
            continue
        about = _about(folder, lock.stem)
        try:
            if about is not None:
                yield Recovery(folder, lock.stem, about, os.stat(about.work).st_mtime)
                continue
        except (OSError, ValueError):
            if _is_gone(about):
                held.clear()
        finally:
            held.release()


def _is_gone(about: About | None) -> bool:
    """Whether the work is no more; where its folder is missing too, that may be a disk that is not connected now."""
    return about is None or Path(about.work).parent.is_dir()


def discard(recovery: Recovery) -> None:
    """Throw unsaved work away, unless a process works on it."""
    held = claim(recovery.folder, recovery.token)
    if held is not None:
        held.clear()
        held.release()


def _about(folder: Path, token: str) -> About | None:
    """What a claim says of itself; None if it says nothing, or names a file that no claim has written."""
    try:
        about = decode_json(_note(folder, token).read_bytes(), About)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None
    work = Path(about.work)
    own = work == folder / f"{token}.mixbit" or work.name.endswith(f".{token}.autosave")
    return about if own else None


def _note(folder: Path, token: str) -> Path:
    return folder / f"{token}.json"


def _lock_file(folder: Path, token: str) -> Path:
    return folder / f"{token}.lock"


def _remove(path: Path) -> None:
    with suppress(OSError, ValueError):
        path.unlink(missing_ok=True)
