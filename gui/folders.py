"""Where file dialogs of views begin: the folder that was used last, new files beside the model.

A dialog that is given no folder begins where the program was started, which nobody has chosen.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QWidget


def to_open(widget: QWidget) -> str:
    """Folder in which a file is looked for: the one used last, else the model's."""
    window = _window(widget)
    if window is None:
        return str(Path.home())
    used = str(window.settings.folder_used)
    return used if used and Path(used).is_dir() else str(window.actions_.output_folder())


def to_save(widget: QWidget, name: str) -> str:
    """Path that is proposed for a new file of that name."""
    window = _window(widget)
    return str((window.actions_.output_folder() if window is not None else Path.home()) / name)


def opened(widget: QWidget, path: Path) -> None:
    """Remember where a file or folder was opened."""
    window = _window(widget)
    if window is not None:
        window.settings.folder_used = str(path if path.is_dir() else path.parent)


def wrote(widget: QWidget, path: Path) -> None:
    """Remember where a file was written."""
    window = _window(widget)
    if window is not None:
        window.actions_.wrote_to(path.parent)


def _window(widget: QWidget | None) -> Any:
    """The window around a widget, be it in a dialog or a floating panel."""
    while widget is not None and not hasattr(widget, "actions_"):
        widget = widget.parentWidget()
    return widget
