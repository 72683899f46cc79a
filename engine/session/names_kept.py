"""Which names of foreign dumps a user has said to be which kernel: kept per model, in the settings folder."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import msgspec

from engine.errors import ExportError
from engine.files import write_atomically
from engine.interop.dump_weights import Key
from engine.text import Text

FILE = "dump-names.json"
_MOST_MODELS = 50
_Book = dict[str, dict[str, Key | None]]


class NamesKept:
    """Model hash -> name -> kernel id and output (None: no kernel)."""

    def __init__(self, folder: Path | None) -> None:
        """Read what is there.

        Args:
            folder: Where; None keeps names until the program ends.
        """
        self._path = folder / FILE if folder is not None else None
        self._book: _Book | None = None

    def of(self, model: str) -> dict[str, Key | None]:
        """All of a model."""
        return dict(self._known().get(model, {}))

    def keep(self, model: str, name: str, key: Key | None) -> Text | None:
        """Remember one more; a sentence if it can't be written down."""
        book = self._known()
        book[model] = {**book.pop(model, {}), name: key}  # the latest model last
        while len(book) > _MOST_MODELS:
            del book[next(iter(book))]
        if self._path is None:
            return None
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path, msgspec.json.encode(book))
        except ExportError as error:
            return error.text
        except OSError:
            return None
        return None

    def _known(self) -> _Book:
        if self._book is None:
            self._book = {}
            if self._path is not None and self._path.is_file():
                # A damaged file of conveniences is not worth a complaint: it is written anew.
                with suppress(OSError, msgspec.DecodeError, UnicodeDecodeError):
                    self._book = msgspec.json.decode(self._path.read_bytes(), type=_Book)
        return self._book
