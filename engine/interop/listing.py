"""Files of a folder, and the one way in which anything that is wrong with a file becomes a sentence."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from engine.errors import Cancelled, DataError, MixbitError
from engine.progress import NEVER, CancelToken
from engine.text import say


@contextmanager
def readable(path: Path, kind: Literal["file", "arrays", "picture"] = "file") -> Iterator[None]:
    """Turn whatever a reader of other people's files stumbles over into one sentence that names the file.

    Decoders raise far more kinds of errors on broken files than their manuals list.

    Raises:
        DataError: Instead of any error but a cancel or an error that is a sentence already.
    """
    try:
        yield
    except (MixbitError, Cancelled):
        raise
    except Exception as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
        shown, short = _short(path), " ".join(reason.split())[:200].rstrip(".")
        if kind == "arrays":
            text = say("{path} can't be read as NumPy data ({reason}).", path=shown, reason=short)
        elif kind == "picture":
            text = say("{path} can't be read as a picture ({reason}).", path=shown, reason=short)
        else:
            text = say("{path} can't be read ({reason}).", path=shown, reason=short)
        raise DataError(text) from error


def _short(path: Path) -> str:
    """A path that nobody could read to its end loses its middle."""
    text = str(path)
    return text if len(text) <= 300 else f"{text[:140]}…{text[-140:]}"


def walk(folder: Path, endings: Collection[str], cancel: CancelToken = NEVER) -> Iterator[Path]:
    """Files of a folder and its subfolders with one of these endings (lower case), in no order; hidden ones left out.

    Links to folders are not followed. A folder that can't be listed raises OSError.
    """

    def refuse(error: OSError) -> None:
        raise error

    for place, folders, names in os.walk(folder, onerror=refuse):
        cancel.check()
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if os.path.splitext(name)[1].lower() in endings and not name.startswith("."):
                yield Path(place) / name


def listed(folder: Path, endings: Collection[str], cancel: CancelToken = NEVER) -> list[Path]:
    """The same in name order; a file stands for itself."""
    return [folder] if folder.is_file() else sorted(walk(folder, endings, cancel))


def place_of(folder: Path, name: str, ending: str = "") -> Path:
    """Where a folder keeps what belongs to an input: a subfolder or file of its name, never outside the folder.

    Names may hold slashes; those that would lead out of the folder, and those of which there is nothing, are looked
    for with underscores instead, as exports write them.
    """
    meant = folder / f"{name}{ending}"
    inside = Path(os.path.normpath(meant)).is_relative_to(os.path.normpath(folder)) and ".." not in Path(name).parts
    plain = folder / f"{name.replace('/', '_').replace(chr(92), '_').lstrip('.')[:80] or 'input'}{ending}"
    return meant if inside and (meant.exists() or not plain.exists()) else plain
