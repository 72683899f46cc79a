"""Exports that are a folder: filled aside, read back, then put in place as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.asides import aside_in
from engine.errors import ExportError
from engine.files import check_replaceable
from engine.text import Text, say

MARK = "handover.txt"
"""A folder that holds this file was written by an export and may be replaced by the next one."""


@contextmanager
def folder_aside(path: Path) -> Iterator[Path]:
    """Give a folder beside `path` to fill; it takes the place of `path` when the block ends without an error.

    Raises:
        ExportError: `path` is a file, or a folder with things in it that no export has written; or its parent is
            missing, read-only or full.
    """
    try:
        _check_place(path)
        with aside_in(path.parent) as aside:
            new = aside / "new"
            new.mkdir()
            try:
                yield new
            except ExportError as error:
                raise ExportError(_in_place(error.text, new, path)) from error
            _sync(new)
            old = aside / "old"
            if path.exists():
                path.replace(old)
            try:
                new.replace(path)
            except OSError:
                if old.exists():
                    old.replace(path)
                raise
    except OSError as error:
        raise ExportError(
            say(
                "{path} can't be written ({reason}); choose another place.",
                path=path,
                reason=error.strerror or str(error),
            )
        ) from error


def _in_place(text: Text, aside: Path, path: Path) -> Text:
    """A sentence that names a file aside, with the place that the file was meant for."""
    fields = {
        name: path / value.relative_to(aside) if isinstance(value, Path) and value.is_relative_to(aside) else value
        for name, value in text.fields.items()
    }
    return Text(text.template, fields)


def write_text(path: Path, text: str, *, executable: bool = False) -> None:
    """A UTF-8 file with Unix line ends, in a folder that nobody sees yet."""
    path.write_bytes(text.encode())
    if executable:
        path.chmod(0o755)


def files_below(folder: Path) -> tuple[Path, ...]:
    """Every file of a folder, in name order."""
    return tuple(sorted(file for file in folder.rglob("*") if file.is_file()))


def _check_place(path: Path) -> None:
    if path.is_file():
        raise ExportError(say("{path} is a file, and this export writes a folder; choose another name.", path=path))
    if not path.is_dir():
        check_replaceable(path)  # a device or pipe
    if path.is_dir() and any(path.iterdir()) and not (path / MARK).is_file():
        raise ExportError(
            say("The folder {path} holds other files; choose a new or an empty folder, nothing was written.", path=path)
        )


def _sync(folder: Path) -> None:
    """Bring the files to the disk before the folder takes its name."""
    for file in files_below(folder):
        with file.open("rb") as stream:
            os.fsync(stream.fileno())
