"""The error dialog: one sentence, and below a fold all that helps to report it."""

from __future__ import annotations

import platform
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QToolButton, QWidget

from engine.version import VERSION
from gui.dialogs.base import Dialog
from gui.icons import icon
from gui.theme import theme_manager
from gui.widgets.themed import label

MESSAGE_WIDTH = 440


class ErrorDialog(Dialog):
    """One dialog for several errors: a later one is added to those on show."""

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__("", "", parent, width=520)
        self.setWindowTitle(self.tr("That did not work"))
        self.title_label.hide()
        self._sentences: list[str] = []
        self._texts: list[str] = []
        row = QHBoxLayout()
        row.setSpacing(12)
        mark = QLabel()
        mark.setPixmap(icon("octagon", theme_manager.theme.bad, 22).pixmap(QSize(22, 22)))
        row.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        self.message = label(role="heading")
        self.message.setWordWrap(True)
        self.message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.message.setFixedWidth(MESSAGE_WIDTH)
        row.addWidget(self.message, 1)
        self.body.addLayout(row)
        self.fold = QToolButton()
        self.fold.setText(self.tr("Details"))
        self.fold.setCheckable(True)
        self.fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.body.addWidget(self.fold)
        self.details = QPlainTextEdit()
        self.details.setReadOnly(True)
        self.details.setMinimumHeight(150)
        self.details.hide()
        self.body.addWidget(self.details, 1)
        self.fold.toggled.connect(self._on_fold)
        self._on_fold(False)
        self._folder: Path | None = None
        self.folder = self.add_button(self.tr("Show folder"), self._on_folder, left=True)
        self.folder.hide()
        self.copy = self.add_button(self.tr("Copy details"), self._on_copy, left=True)
        self.add_button(self.tr("Close"), self.accept, primary=True).setFocus()

    def add(self, sentence: str, details: str = "", written: Path | None = None) -> None:
        """Show a sentence; details are kept behind the fold.

        Args:
            sentence: what went wrong.
            details: what helps to find out why.
            written: a report of it on disk, whose folder can be shown.
        """
        if written is not None:
            self._folder = written.parent
            self.folder.setToolTip(str(written))
            self.folder.show()
        if sentence not in self._sentences:
            self._sentences.append(sentence)
        self._texts.append("\n".join(part for part in (sentence, details) if part))
        self.message.setText("\n\n".join(self._sentences[-4:]))
        self.message.setMinimumHeight(self.message.heightForWidth(MESSAGE_WIDTH))
        self.details.setPlainText(self.report())
        self.adjustSize()

    def report(self) -> str:
        """What Copy copies: versions and everything that was said."""
        head = f"Mixbit {VERSION}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"
        return "\n\n".join((head, *self._texts))

    def _on_fold(self, open_: bool) -> None:
        self.details.setVisible(open_)
        name = "chevron-down" if open_ else "chevron-right"
        self.fold.setIcon(icon(name, theme_manager.theme.text2, 14))
        if not open_:
            self.adjustSize()

    def _on_folder(self) -> None:
        if self._folder is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._folder)))

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report())
