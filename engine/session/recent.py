"""Files that were opened lately."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from engine.errors import ExportError
from engine.files import decode_json, write_atomically

_MOST = 12


class Recent:
    """A list of paths, newest first, kept in a settings folder (or only in memory without one)."""

    def __init__(self, folder: Path | None) -> None:
        self._file = folder / "recent.json" if folder is not None else None
        self._paths = self._read()

    @property
    def paths(self) -> list[Path]:
        """Files that still exist."""
        return [path for path in self._paths if os.path.isfile(path)]  # False, too, for what no path can be

    def add(self, path: Path) -> None:
        """Put a file at the front."""
        path = path.absolute()
        self._paths = [path, *(p for p in self._paths if p != path)][:_MOST]
        self._write()

    def clear(self) -> None:
        """Forget all."""
        self._paths = []
        self._write()

    def _read(self) -> list[Path]:
        if self._file is None:
            return []
        try:
            return [Path(p) for p in decode_json(self._file.read_bytes(), list[str])]
        except (OSError, msgspec.DecodeError):  # a lost list is no reason to trouble anybody
            return []

    def _write(self) -> None:
        if self._file is None:
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._file, msgspec.json.encode([str(p) for p in self._paths]))
        except (OSError, ExportError):
            return
