"""Copy and export of the Layers table, for its menus and keys."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from engine.errors import ExportError
from gui import folders
from gui.bridge import hub
from gui.views import layers_export
from gui.views.layers_table import LayersTable

if TYPE_CHECKING:
    from engine.session import Session

translate = QCoreApplication.translate


class LayerCopies:
    """Takes what the table shows: its columns, its rows, its order."""

    def __init__(self, session: Session, table: LayersTable) -> None:
        self._session = session
        self._table = table
        self._model = table.layers

    def copy_value(self) -> None:
        """The current cell, as it is shown."""
        index = self._table.currentIndex()
        if index.isValid():
            _to_clipboard(str(self._model.data(index)))

    def copy_rows(self) -> None:
        """The selected rows with a header."""
        chosen = set(self._table.selected_kernels())
        self._copy([int(i) for i in self._model.order if int(i) in chosen])

    def copy_table(self) -> None:
        """Everything the table shows, with a header."""
        self._copy([int(i) for i in self._model.order])

    def _copy(self, kernels: list[int]) -> None:
        if self._model.rows is not None and kernels:
            _to_clipboard(layers_export.as_text(self._table.visible_columns(), self._model.rows, kernels))

    def export_csv(self) -> None:
        """Ask for a file and write what the table shows."""
        if self._model.rows is None:
            return
        stem = self._session.path.stem if self._session.path is not None else "layers"
        chosen, _ = QFileDialog.getSaveFileName(
            self._table,
            translate("Layers", "Export table as CSV"),
            folders.to_save(self._table, f"{stem}-layers.csv"),
            translate("Layers", "CSV files (*.csv)"),
        )
        if chosen:
            folders.wrote(self._table, Path(chosen))
            self.write_csv(Path(chosen))

    def write_csv(self, path: Path) -> None:
        """Write what the table shows; a refusal goes to the log."""
        rows = self._model.rows
        if rows is None:
            return
        kernels = [int(i) for i in self._model.order]
        try:
            layers_export.write_csv(path, layers_export.as_csv(self._table.columns(), rows, kernels))
        except ExportError as error:
            self._session.note(error.text, "error")
        else:
            hub.file_written.emit(path)


def _to_clipboard(text: str) -> None:
    clipboard = QGuiApplication.clipboard()
    if clipboard is not None:
        clipboard.setText(text)
