"""Which foreign name was matched to which kernel, and how; a user corrects what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QComboBox, QCompleter, QHBoxLayout, QHeaderView, QTableView, QWidget

from gui.dialogs.base import Dialog
from gui.widgets.themed import button, label

Index = QModelIndex | QPersistentModelIndex
translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True)
class NameRow:
    """One name."""

    name: str
    detail: str
    key: Hashable | None
    """What it was matched to; None if nothing."""
    how: str
    """A key of `how_words`."""
    remark: str = ""


def how_words() -> dict[str, str]:
    """Ways of matching, worded."""
    return {
        "id": translate("DumpNames", "kernel of Mixbit"),
        "user": translate("DumpNames", "by hand"),
        "exact": translate("DumpNames", "same name"),
        "characters": translate("DumpNames", "other characters"),
        "csv": translate("DumpNames", "fusion table"),
        "fused": translate("DumpNames", "fused names"),
        "part": translate("DumpNames", "part of the name"),
        "none": "–",
    }


class NamesModel(QAbstractTableModel):
    """Name, detail, kernel, how, remark."""

    def __init__(self, detail: str, labels: Callable[[Hashable], str]) -> None:
        super().__init__()
        self._detail, self._labels = detail, labels
        self.rows: list[NameRow] = []

    def show(self, rows: Sequence[NameRow]) -> None:
        """Show rows; those without a kernel, and those that should be looked at, come first."""
        rank = {"none": 0, "part": 1}
        self.beginResetModel()
        self.rows = sorted(rows, key=lambda row: rank.get(row.how, 2) if row.key is not None else 0)
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """Names."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index | None = None) -> int:
        """Name, detail, kernel, how, remark."""
        return 0 if parent is not None and parent.isValid() else 5

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Texts."""
        if not index.isValid() or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        row = self.rows[index.row()]
        kernel = self._labels(row.key) if row.key is not None else "–"
        how = how_words()[row.how if row.key is not None or row.how == "user" else "none"]
        return (row.name, row.detail, kernel, how, row.remark)[index.column()]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Column titles."""
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        return (
            translate("DumpNames", "Name in the file"),
            self._detail,
            translate("DumpNames", "Kernel"),
            translate("DumpNames", "Matched by"),
            translate("DumpNames", "Remark"),
        )[section]


class NamesDialog(Dialog):
    """The table, and below it what the selected name is said to be."""

    def __init__(
        self,
        title: str,
        detail: str,
        rows: Callable[[], Sequence[NameRow]],
        choices: Sequence[tuple[str, Hashable]],
        correct: Callable[[str, Hashable | None], None],
        parent: QWidget | None,
    ) -> None:
        sentence = translate("DumpNames", "Unmatched names come first. Choose what a name is, if it was taken wrongly.")
        super().__init__(title, sentence, parent, width=860)
        self._rows, self._correct = rows, correct
        self._keys: list[Hashable | None] = [None, *(key for _, key in choices)]
        known = {key: name for name, key in choices}
        self.model = NamesModel(detail, lambda key: known.get(key, "–"))
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.table.setTabKeyNavigation(False)
        self.table.setAccessibleName(title)
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        self.table.verticalHeader().setDefaultSectionSize(24)
        self.table.setMinimumHeight(340)
        header = self.table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column, width in enumerate((240, 130, 170, 120)):
            self.table.setColumnWidth(column, width)
        header.setSectionResizeMode(4, QHeaderView.ResizeMode.Stretch)
        self.body.addWidget(self.table, 1)
        self.choice = QComboBox()
        self.choice.setEditable(True)
        self.choice.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.choice.setMinimumWidth(320)
        self.choice.addItems([translate("DumpNames", "no kernel"), *(name for name, _ in choices)])
        completer = QCompleter(self.choice.model(), self.choice)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.choice.setCompleter(completer)
        row = QHBoxLayout()
        row.setSpacing(8)
        words = label(translate("DumpNames", "The selected name is"), "caption")
        words.setBuddy(self.choice)
        self.choice.setAccessibleName(words.text())
        row.addWidget(words)
        row.addWidget(self.choice, 1)
        self.set_button = button(translate("DumpNames", "Set"))
        self.set_button.clicked.connect(self._on_set)
        row.addWidget(self.set_button)
        self.body.addLayout(row)
        self.add_button(translate("DumpNames", "Close"), self.accept, primary=True)
        self.table.selectionModel().currentRowChanged.connect(lambda now, _: self._on_row(now))
        self.refresh()

    def refresh(self) -> None:
        """Show the table again."""
        self.model.show(self._rows())
        if self.model.rows:
            self.table.selectRow(0)

    def _on_row(self, index: QModelIndex) -> None:
        self.set_button.setEnabled(index.isValid())
        if index.isValid():
            key = self.model.rows[index.row()].key
            self.choice.setCurrentIndex(self._keys.index(key) if key in self._keys else 0)

    def _on_set(self) -> None:
        row = self.table.currentIndex().row()
        at = self.choice.findText(self.choice.currentText(), Qt.MatchFlag.MatchExactly)
        if row < 0 or at < 0:
            words = translate("DumpNames", "There is no kernel {name}.")
            self.show_problem(words.format(name=self.choice.currentText()))
            return
        self.show_problem("")
        name = self.model.rows[row].name
        self._correct(name, self._keys[at])
        self.refresh()
        for place, now in enumerate(self.model.rows):
            if now.name == name:
                self.table.selectRow(place)
                if now.key is None and now.remark:
                    self.show_problem(now.remark)
