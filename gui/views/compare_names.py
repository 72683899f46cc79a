"""Which name of a dump was matched to which kernel, and how; a user corrects what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QComboBox, QCompleter, QHBoxLayout, QHeaderView, QTableView, QWidget

from engine.interop.dump_matching import Key, Match
from gui.dialogs.base import Dialog
from gui.i18n import text
from gui.widgets.themed import button, label

if TYPE_CHECKING:
    from engine.session import Session

Index = QModelIndex | QPersistentModelIndex
translate = QCoreApplication.translate


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


class _Model(QAbstractTableModel):
    """Name, kernel, how, remark; unmatched names first."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.matches: list[Match] = []

    def show(self, matches: tuple[Match, ...]) -> None:
        """Show the matches of a dump, each name once."""
        self.beginResetModel()
        once = {(match.tensor.name, match.tensor.output): match for match in reversed(matches)}
        rank = {"none": 0, "part": 1}
        self.matches = sorted(once.values(), key=lambda m: (rank.get(m.how, 2) if m.kernel else 0, m.tensor.order))
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """Names."""
        return 0 if parent is not None and parent.isValid() else len(self.matches)

    def columnCount(self, parent: Index | None = None) -> int:
        """Name, shape, kernel, how, remark."""
        return 0 if parent is not None and parent.isValid() else 5

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Texts."""
        if not index.isValid() or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        match, network = self.matches[index.row()], self._session.network
        if network is None:
            return None
        kernel = network.by_id(match.kernel).name if match.kernel else "–"
        shape = " × ".join(map(str, match.tensor.shape))
        reason = text(match.reason) if match.reason is not None else ""
        how = how_words()[match.how if match.kernel or match.how == "user" else "none"]
        return (match.tensor.name, shape, kernel, how, reason)[index.column()]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Column titles."""
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        return (
            translate("DumpNames", "Name in the dump"),
            translate("DumpNames", "Shape"),
            translate("DumpNames", "Kernel"),
            translate("DumpNames", "Matched by"),
            translate("DumpNames", "Remark"),
        )[section]


class DumpNames(Dialog):
    """The table, and below it what the selected name is said to be."""

    def __init__(self, session: Session, path: str, parent: QWidget | None) -> None:
        sentence = translate(
            "DumpNames",
            "Unmatched names come first. What you correct is remembered for this model, also in later runs.",
        )
        title = translate("DumpNames", "Names of {dump}").format(dump=Path(path).name)
        super().__init__(title, sentence, parent, width=860)
        self._session, self._path = session, path
        self.model = _Model(session)
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        self.table.verticalHeader().setDefaultSectionSize(24)
        self.table.setMinimumHeight(340)
        header = self.table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column, width in enumerate((240, 120, 170, 120)):
            self.table.setColumnWidth(column, width)
        header.setSectionResizeMode(4, QHeaderView.ResizeMode.Stretch)
        self.body.addWidget(self.table, 1)
        self.choice = QComboBox()
        self.choice.setEditable(True)
        self.choice.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.choice.setMinimumWidth(320)
        self._keys: list[Key | None] = []
        self._fill_choice()
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(label(self.tr("The selected name is the output of"), "caption"))
        row.addWidget(self.choice, 1)
        self.set_button = button(self.tr("Set"))
        self.set_button.clicked.connect(self._on_set)
        row.addWidget(self.set_button)
        self.body.addLayout(row)
        self.add_button(self.tr("Close"), self.accept, primary=True)
        self.table.selectionModel().currentRowChanged.connect(lambda now, _: self._on_row(now))
        self.refresh()

    def refresh(self) -> None:
        """Show the table again."""
        table = self._session.comparing.dumps.get(self._path)
        self.model.show(table.matches if table is not None else ())
        if self.model.matches:
            self.table.selectRow(0)

    def _fill_choice(self) -> None:
        network = self._session.network
        self.choice.addItem(self.tr("no kernel"))
        self._keys = [None]
        for kernel in network.kernels if network is not None else ():
            for output in range(len(kernel.outputs)):
                self.choice.addItem(kernel.name if not output else f"{kernel.name}:{output}")
                self._keys.append((kernel.id, output))
        completer = QCompleter(self.choice.model(), self.choice)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.choice.setCompleter(completer)

    def _on_row(self, index: QModelIndex) -> None:
        self.set_button.setEnabled(index.isValid())
        if index.isValid():
            match = self.model.matches[index.row()]
            key = (match.kernel, match.output) if match.kernel else None
            self.choice.setCurrentIndex(self._keys.index(key) if key in self._keys else 0)

    def _on_set(self) -> None:
        row = self.table.currentIndex().row()
        at = self.choice.findText(self.choice.currentText(), Qt.MatchFlag.MatchExactly)
        if row < 0 or at < 0:
            self.show_problem(self.tr("There is no kernel {name}.").format(name=self.choice.currentText()))
            return
        self.show_problem("")
        name = self.model.matches[row].tensor.name
        self._session.comparing.correct(self._path, name, self._keys[at])
        self.refresh()
        for place, match in enumerate(self.model.matches):
            if match.tensor.name == name:
                self.table.selectRow(place)
                if not match.kernel and match.reason is not None:
                    self.show_problem(text(match.reason))
