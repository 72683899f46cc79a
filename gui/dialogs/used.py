"""How many samples are used of how many there are."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from gui import format as form

translate = QCoreApplication.translate


def used_words(used: int, available: int) -> str:
    """The count alone where all are used: "160", otherwise "16 of 160"."""
    if used >= available:
        return form.integer(used)
    return translate("Samples", "{used} of {all}").format(used=form.integer(used), all=form.integer(available))
