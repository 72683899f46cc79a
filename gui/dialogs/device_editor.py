"""Edits a copy of a device profile and saves it as one of the user's own; the profile in use stays until that works."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QTableView,
    QWidget,
)

from engine.errors import DeviceError, MixbitError
from engine.npu.device import Device
from engine.npu.editing import free_name, with_edits
from engine.npu.profiles import list_devices, save_device
from gui import folders
from gui.dialogs.base import Dialog
from gui.dialogs.device_fields import KEY, MEANING, ORIGIN, RANGE, UNIT, VALUE, FieldDelegate, FieldFilter, FieldModel
from gui.dialogs.replace import unless_exists
from gui.i18n import data_text
from gui.i18n import text as translated

if TYPE_CHECKING:
    from collections.abc import Callable

_WIDTHS = {KEY: 148, VALUE: 128, UNIT: 72, ORIGIN: 82, RANGE: 124}


class DeviceEditor(Dialog):
    """All fields of a profile in one table; an impossible value says which field and what it allows."""

    def __init__(
        self, device: Device, folder: Path | None, use: Callable[[Path], bool], parent: QWidget | None
    ) -> None:
        """Edit a copy.

        Args:
            device: what is copied.
            folder: where profiles of one's own lie; None = a file is asked for.
            use: takes the saved profile into use; False if it was refused.
            parent: the dialog stands above it.
        """
        super().__init__("", "", parent, width=760)
        self.setWindowTitle(self.tr("Device editor"))
        self.title_label.setText(self.tr("A profile of your own, from {device}").format(device=data_text(device.title)))
        self.sentence.setText(
            self.tr("Bold values are edited. The profile in use stays as it is until this one is saved and accepted.")
        )
        self.sentence.show()
        self._device, self._folder, self._use = device, folder, use
        taken = frozenset(info.name for info in list_devices(folder))
        own = bool(folder is not None and device.source and (folder / f"{device.name}.json").is_file())
        self.name = QLineEdit(device.name if own else free_name(device, taken))
        self.profile_title = QLineEdit(
            device.title if own else self.tr("{title}, copy").format(title=data_text(device.title))
        )
        self.model = FieldModel(device)
        self._rows = FieldFilter(self.model)
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Filter fields"))
        self.search.setAccessibleName(self.search.placeholderText())
        self.search.setClearButtonEnabled(True)
        self.only_edited = QCheckBox(self.tr("edited only"))
        self.table = self._made_table()
        names = QFormLayout()
        names.addRow(self.tr("Name"), self.name)
        names.addRow(self.tr("Title"), self.profile_title)
        tools = QHBoxLayout()
        tools.addWidget(self.search, 1)
        tools.addWidget(self.only_edited)
        self.body.addLayout(names)
        self.body.addLayout(tools)
        self.body.addWidget(self.table, 1)
        self.add_button(self.tr("Reset all"), lambda: self.model.reset(), left=True)
        self.add_button(self.tr("Cancel"), self.reject)
        self.save = self.add_button(self.tr("Save and use"), self._on_save, primary=True)
        self.search.textChanged.connect(self._filter)
        self.only_edited.toggled.connect(self._filter)
        self.model.edited.connect(self._check)
        self.name.textChanged.connect(self._check)
        self.resize(QSize(900, 640))
        self._check()

    def _made_table(self) -> QTableView:
        table = QTableView()
        table.setTabKeyNavigation(False)
        table.setModel(self._rows)
        table.setItemDelegate(FieldDelegate(table))
        table.setAccessibleName(self.tr("Values of the profile"))
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(24)
        table.setShowGrid(False)
        table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        table.setEditTriggers(
            QTableView.EditTrigger.DoubleClicked
            | QTableView.EditTrigger.SelectedClicked
            | QTableView.EditTrigger.EditKeyPressed
            | QTableView.EditTrigger.AnyKeyPressed
        )
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column, width in _WIDTHS.items():
            header.resizeSection(column, width)
        header.setSectionResizeMode(MEANING, QHeaderView.ResizeMode.Stretch)
        return table

    def draft(self) -> Device:
        """The edited copy; DeviceError names what is wrong."""
        return with_edits(
            self._device,
            self.model.edits,
            name=self.name.text(),
            title=self.profile_title.text(),
            note=self._device.note,
        )

    def _filter(self) -> None:
        self._rows.look_for(self.search.text(), self.only_edited.isChecked())

    def _check(self) -> None:
        """Say what is wrong as soon as it is typed."""
        problem = self.model.problem
        if not problem:
            try:
                self.draft()
            except DeviceError as error:
                problem = translated(error.text)
        self.show_problem(problem)
        self.save.setEnabled(not problem)

    def _on_save(self) -> None:
        device = self.draft()
        path = self._place(device)
        if path is not None:
            unless_exists(path, self, lambda: self._write(device, path))

    def _place(self, device: Device) -> Path | None:
        if self._folder is not None:
            return self._folder / f"{device.name}.json"
        name, _ = QFileDialog.getSaveFileName(
            self,
            self.tr("Save the profile"),
            folders.to_save(self, f"{device.name}.json"),
            self.tr("Device profiles (*.json)"),
            options=QFileDialog.Option.DontConfirmOverwrite,
        )
        return Path(name) if name else None

    def _write(self, device: Device, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            save_device(device, path)
        except OSError as error:
            self.show_problem(f"{path}: {error.strerror or error}")
            return
        except MixbitError as error:
            self.show_problem(translated(error.text))
            return
        if self._use(path):
            self.accept()
