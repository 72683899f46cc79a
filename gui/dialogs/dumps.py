"""Asks for two dumps: each a folder or one file, as the tools write them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QGridLayout, QLineEdit, QWidget

from gui import folders
from gui.dialogs.base import Dialog
from gui.widgets.themed import button, label


class DumpsDialog(Dialog):
    """One row per dump. `chosen` gets both paths once both exist; what they hold is found out by who reads them."""

    def __init__(self, chosen: Callable[[Path, Path], None], parent: QWidget | None) -> None:
        super().__init__("", "", parent, width=560)
        self._chosen = chosen
        self.setWindowTitle(self.tr("Compare two dumps"))
        self.title_label.setText(self.tr("Two runs of the same model, layer by layer"))
        self.sentence.setText(
            self.tr("Folders as Mixbit, Ascend or MindSpore Lite write them, or single files: .npz, .npy, .pb, .bin.")
        )
        self.sentence.show()
        grid = QGridLayout()
        grid.setColumnStretch(1, 1)
        self.fields: list[QLineEdit] = []
        for row, title in enumerate((self.tr("First dump (A)"), self.tr("Second dump (B)"))):
            self._add_row(grid, row, title)
        self.body.addLayout(grid)
        self.body.addStretch()
        self.add_button(self.tr("Cancel"), self.reject)
        self.add_button(self.tr("Compare"), self._on_compare, primary=True)
        self.fields[0].setFocus()

    def _add_row(self, grid: QGridLayout, row: int, title: str) -> None:
        field, folder, file = QLineEdit(), button(self.tr("Folder…")), button(self.tr("File…"))
        caption = label(title)
        caption.setBuddy(field)
        field.setAccessibleName(title)
        field.setPlaceholderText(self.tr("Folder or file"))
        folder.setAccessibleName(f"{title}: {folder.text()}")
        file.setAccessibleName(f"{title}: {file.text()}")
        folder.clicked.connect(
            lambda: self._take(field, QFileDialog.getExistingDirectory(self, title, self._start(field)))
        )
        file.clicked.connect(lambda: self._take(field, QFileDialog.getOpenFileName(self, title, self._start(field))[0]))
        for column, part in enumerate((caption, field, folder, file)):
            grid.addWidget(part, row, column)
        self.fields.append(field)

    def _start(self, field: QLineEdit) -> str:
        """Where to look: at what is chosen, else where the other dump is, else in the folder used last."""
        chosen = [field.text(), *(each.text() for each in self.fields)]
        return next(filter(None, chosen), folders.to_open(self))

    def _take(self, field: QLineEdit, name: str) -> None:
        if name:
            field.setText(name)
            self.show_problem("")

    def _on_compare(self) -> None:
        paths = [Path(field.text().strip()).expanduser() for field in self.fields]
        for field, path in zip(self.fields, paths, strict=True):
            if not field.text().strip() or not path.exists():
                words = self.tr("Choose a folder or file.") if not field.text().strip() else self.tr(
                    "{path} does not exist."
                ).format(path=path)  # fmt: skip
                self.show_problem(words)
                field.setFocus()
                return
        self.accept()
        self._chosen(paths[0], paths[1])
