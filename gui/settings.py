"""What the window remembers between two starts. Losing it costs nothing but a few clicks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from gui.i18n import LANGUAGES, Language, system_language
from gui.theme import Mode

VERSION = 1
LEAST_MEMORY = 100_000_000


class Settings:
    """Window settings in an .ini file; without a folder they live in memory only."""

    def __init__(self, folder: Path | None, recovery: Path | None = None) -> None:
        """Read what was remembered.

        Args:
            folder: for settings; None = they are forgotten.
            recovery: for unsaved work; None = it is lost with the window.
        """
        self.folder, self.recovery = folder, recovery
        self._file: QSettings | None = None
        self._memory: dict[str, object] = {}
        if folder is not None and _made(folder):
            self._file = QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat)
            if self._file.value("version", VERSION) not in (VERSION, str(VERSION)):
                self._file.clear()
            self._file.setValue("version", VERSION)

    @property
    def device_folder(self) -> Path | None:
        """Where device profiles of one's own lie; None where nothing is remembered."""
        return self.folder / "devices" if self.folder is not None else None

    @property
    def remembered(self) -> bool:
        """Whether anything outlives the window."""
        return self._file is not None

    @property
    def language(self) -> Language:
        """The language in use; the desktop's own until one is chosen."""
        found = self._text("language")
        return next((known for known in LANGUAGES if known == found), system_language())

    @language.setter
    def language(self, value: Language) -> None:
        self._set("language", value)

    @property
    def mode(self) -> Mode:
        """Light, dark, or as the desktop."""
        found = self._text("theme")
        return "dark" if found == "dark" else "light" if found == "light" else "system"

    @mode.setter
    def mode(self, value: Mode) -> None:
        self._set("theme", value)

    @property
    def layout(self) -> str:
        """The layout in use; "" if none was remembered."""
        return self._text("layout_used")

    @layout.setter
    def layout(self, value: str) -> None:
        self._set("layout_used", value)

    @property
    def views(self) -> dict[str, object]:
        """What views are to find again (columns, order, axes), by dock; it may hold anything."""
        try:
            found = json.loads(self._text("views") or "{}")
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    @views.setter
    def views(self, value: Mapping[str, object]) -> None:
        self._set("views", json.dumps(value))

    @property
    def memory_limit(self) -> int | None:
        """Bytes that a model may take before the user is asked; None if nobody has chosen."""
        found = self._text("memory_limit")
        return int(found) if found.isdecimal() and len(found) < 16 and int(found) >= LEAST_MEMORY else None

    @memory_limit.setter
    def memory_limit(self, value: int) -> None:
        self._set("memory_limit", str(value))

    @property
    def folder_used(self) -> str:
        """Folder of the last file dialog."""
        return self._text("last_folder")

    @folder_used.setter
    def folder_used(self, value: str) -> None:
        self._set("last_folder", value)

    @property
    def knows_steps(self) -> bool:
        """Whether the first steps have been taken or closed."""
        return bool(self._text("knows_steps"))

    @knows_steps.setter
    def knows_steps(self, value: bool) -> None:
        self._set("knows_steps", "yes" if value else "")

    @property
    def export_folder(self) -> str:
        """Folder that something was last written to."""
        return self._text("export_folder")

    @export_folder.setter
    def export_folder(self, value: str) -> None:
        self._set("export_folder", value)

    def bytes(self, key: str) -> QByteArray | None:
        """A saved geometry or dock state."""
        value = self._get(key)
        return value if isinstance(value, QByteArray) and not value.isEmpty() else None

    def set_bytes(self, key: str, value: QByteArray) -> None:
        """Save a geometry or dock state."""
        self._set(key, value)

    def forget(self, key: str) -> None:
        """Drop an entry."""
        if self._file is not None:
            self._file.remove(key)
        self._memory.pop(key, None)

    def sync(self) -> None:
        """Write to disk now."""
        if self._file is not None:
            self._file.sync()

    def _text(self, key: str) -> str:
        value = self._get(key)
        return value if isinstance(value, str) else ""

    def _get(self, key: str) -> object:
        return self._file.value(key) if self._file is not None else self._memory.get(key)

    def _set(self, key: str, value: object) -> None:
        if self._file is not None:
            self._file.setValue(key, value)
        else:
            self._memory[key] = value


def _made(folder: Path) -> bool:
    """Whether a folder is there, made now if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError):  # a file in its place, no right to: the window starts all the same
        return False
    return True
