"""What is wrong with the path of a source, before anything is read from it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication

from engine.errors import MixbitError
from engine.interop.pictures import SUFFIXES
from engine.interop.samples import guess_source
from gui.i18n import text as translated

translate = QCoreApplication.translate
_ENDINGS: dict[str, frozenset[str]] = {
    "images": frozenset(SUFFIXES),
    "arrays": frozenset({".npy", ".npz"}),
    "raw": frozenset({".bin", ".raw"}),
}


def path_problem(kind: str, text: str) -> str:
    """One sentence; '' if the path holds at least one file of a kind of `DataSource`."""
    if kind == "synthetic":
        return ""
    path = Path(text)
    if kind == "raw" and path.is_file():  # any file may be raw
        return ""
    try:
        guess_source(path)
    except MixbitError as error:
        return translated(error.text)
    except OSError as error:
        return translate("DataDialog", "{path} can't be read: {reason}.").format(path=path, reason=error.strerror)
    endings = _ENDINGS[kind]
    files = (path,) if path.is_file() else path.rglob("*")
    if any(file.suffix.lower() in endings for file in files):
        return ""
    return translate(
        "DataDialog", "{path} holds no file of this kind ({endings}); choose another kind or path."
    ).format(path=path, endings=", ".join(sorted(endings)))
