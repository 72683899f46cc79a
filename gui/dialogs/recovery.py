"""Offers unsaved work of windows that have ended without asking. Nothing is loaded or thrown away by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QDateTime, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from gui.dialogs.base import Dialog

if TYPE_CHECKING:
    from engine.session import Session
    from engine.session.claim import Recovery
    from gui.actions import Actions

_ROW = 28
_MOST = 6
"""Rows that are seen at once."""


class RecoveryDialog(Dialog):
    """One row per piece of work, newest first."""

    def __init__(self, session: Session, actions: Actions, parent: QWidget | None) -> None:
        super().__init__("", "", parent, width=520)
        self.setWindowTitle(self.tr("Unsaved work"))
        self._session, self._actions = session, actions
        self.list = QListWidget()
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # the date tells pieces of work apart
        self.list.setAccessibleName(self.tr("Unsaved work"))
        self.list.itemDoubleClicked.connect(lambda _: self._on_restore())
        self.body.addWidget(self.list, 1)
        self.discard = self.add_button(self.tr("Discard"), self._on_discard, left=True)
        self.later = self.add_button(self.tr("Later"), self.reject)
        self.restore = self.add_button(self.tr("Restore"), self._on_restore, primary=True)
        self._show()

    def _show(self) -> None:
        self._found = self._session.recoveries
        self.list.clear()
        for recovery in self._found:
            item = QListWidgetItem(self._words(recovery))
            item.setToolTip(recovery.about.project or recovery.about.model)
            item.setSizeHint(QSize(0, _ROW))
            self.list.addItem(item)
        some = bool(self._found)
        self.list.setFixedHeight(_ROW * min(max(1, len(self._found)), _MOST) + 6)
        self.list.setCurrentRow(0 if some else -1)
        self.list.setVisible(some)
        self.discard.setVisible(some)
        self.restore.setVisible(some)
        self.later.setText(self.tr("Later") if some else self.tr("Close"))
        self.title_label.setText(
            self.tr("Mixbit ended with work that was not saved.") if some else self.tr("There is no unsaved work.")
        )
        self.sentence.setText(
            self.tr("Restore opens it as it was, still unsaved; what is saved stays untouched until you save again.")
            if some
            else ""
        )
        self.sentence.setVisible(some)

    def _words(self, recovery: Recovery) -> str:
        when = QDateTime.fromSecsSinceEpoch(int(recovery.at)).toString("yyyy-MM-dd HH:mm")
        kind = self.tr("project") if recovery.about.project else self.tr("never saved")
        return self.tr("{name} ({kind}), last edit {when}").format(name=recovery.name, kind=kind, when=when)

    def _chosen(self) -> Recovery | None:
        row = self.list.currentRow()
        return self._found[row] if 0 <= row < len(self._found) else None

    def _on_restore(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self.accept()
            self._actions.restore(chosen)

    def _on_discard(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self._session.discard(chosen)
            self._show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete throws the chosen work away."""
        if event.key() == Qt.Key.Key_Delete:
            self._on_discard()
        else:
            super().keyPressEvent(event)
