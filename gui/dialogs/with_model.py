"""Dialogs about a model end with it: what they would do is about kernels that are no longer there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog

from engine.session.changes import Change, What

if TYPE_CHECKING:
    from engine.session import Session


def close_with_model(dialog: QDialog, session: Session) -> None:
    """Close a dialog as if it were cancelled when its model is closed or another one takes its place."""

    def on_change(change: Change) -> None:
        if change.what is What.MODEL:
            dialog.reject()

    unsubscribe = session.subscribe(on_change)
    dialog.finished.connect(lambda _: unsubscribe())
    dialog.destroyed.connect(lambda: unsubscribe())
