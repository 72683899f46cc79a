"""Whether there is something to save, and that it survives whatever happens before it is."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from engine.errors import ChangedElsewhereError, PlanError
from engine.fusion.types import Network
from engine.precision.planfile import encode
from engine.session.autosave import Autosave, Work
from engine.session.claim import Claim, Recovery, claim, discard, recoveries
from engine.session.document import Document
from engine.session.presence import Presence
from engine.session.project import Project, digest_of, project_of, write_project
from engine.text import Text, say


@dataclass(frozen=True, eq=False, slots=True)
class Place:
    """Where the work belongs."""

    project: Path | None = None
    seen: str = ""
    """Digest of the project file as it was when it was read or written here last."""


class Safekeeping:
    """Knows what was saved last, writes what is not saved aside, and saves."""

    def __init__(self, folder: Path | None, failed: Callable[[Text], None]) -> None:
        """Start with nothing.

        Args:
            folder: for unsaved work; None = none is kept.
            failed: told once, from another thread, why unsaved work can't be kept.
        """
        self._folder = folder
        self._autosave = Autosave(folder, failed)
        self._presence = Presence(folder)
        self.saved: Document | None = None
        """What would not be lost."""
        self.place = Place()

    def start(self, saved: Document | None, place: Place, taken: Claim | None = None) -> bool:
        """Go over to other work; whether its project, if another one than before, is open in another window too.

        Args:
            saved: what would not be lost; None if nothing of it is saved.
            place: where it belongs.
            taken: unsaved work of a process that has ended, if this is it.
        """
        self._autosave.forget()
        if taken is not None:
            self._autosave.take_over(taken)
        self.saved, self.place = saved, place
        return self._presence.enter(place.project)

    def modified(self, document: Document) -> bool:
        """Whether something would be lost."""
        return document != self.saved

    def look(self, document: Document, network: Network, view: dict[str, object]) -> None:
        """Something may have changed: keep what is not saved, forget what is."""
        if not self.modified(document):
            self._autosave.forget()
            return
        encode = partial(_encode, document, network, view)
        self._autosave.keep(Work(encode, network.graph.path, self.place.project, self.place.seen))

    def save(self, document: Document, network: Network, view: dict[str, object], path: Path, overwrite: bool) -> None:
        """Write the project.

        Raises:
            ChangedElsewhereError: the file was written by somebody else since, and `overwrite` is not given.
            ExportError: it can't be written.
        """
        place = self.place.project
        here = place is not None and os.path.realpath(path) == os.path.realpath(place)  # one file has many spellings
        now = digest_of(path) if here else ""
        if here and now and now != self.place.seen and not overwrite:
            raise ChangedElsewhereError(
                say(
                    "{path} was changed by another window since it was opened here; save under another name, or "
                    "overwrite it on purpose.",
                    path=path,
                )
            )
        self.place = Place(path, write_project(project_of(document, network, view), path))
        self.saved = document
        self._autosave.forget()
        self._presence.enter(path)

    def recoveries(self) -> tuple[Recovery, ...]:
        """Unsaved work of windows that have ended without asking, newest first."""
        return recoveries(self._folder) if self._folder is not None else ()

    def discard(self, recovery: Recovery) -> None:
        """Throw it away."""
        discard(recovery)

    def take(self, recovery: Recovery) -> Claim:
        """Take unsaved work over, so that no other window does.

        Raises:
            PlanError: another window has it.
        """
        taken = claim(recovery.folder, recovery.token)
        if taken is None:
            raise PlanError(say("{name} is being recovered in another window.", name=recovery.name))
        return taken

    def flush(self) -> bool:
        """Wait until what is not saved is written aside; whether that is so."""
        return self._autosave.flush()

    def close(self, keep_unsaved: bool = False) -> None:
        """The work is saved or given up, unless it is to be kept for the next start."""
        if keep_unsaved:
            self._autosave.flush()
        else:
            self._autosave.forget()
        self._autosave.close()
        self._presence.leave()


def _encode(document: Document, network: Network, view: dict[str, object]) -> bytes:
    project: Project = project_of(document, network, view)
    return encode(project)
