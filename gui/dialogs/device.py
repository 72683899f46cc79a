"""Chooses a device profile: one that comes with Mixbit, or a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFileDialog, QListWidget, QListWidgetItem, QWidget

from engine.npu.device import Device
from engine.npu.profiles import list_devices, load_device
from gui import folders
from gui.dialogs.base import Dialog
from gui.dialogs.device_editor import DeviceEditor
from gui.i18n import data_text
from gui.widgets.themed import label

if TYPE_CHECKING:
    from engine.session import Session
    from gui.actions import Actions


class DeviceDialog(Dialog):
    """A list of profiles with what each one is based on."""

    def __init__(self, session: Session, actions: Actions, parent: QWidget | None) -> None:
        super().__init__("", "", parent, width=520)
        self.setWindowTitle(self.tr("Device"))
        self.title_label.setText(self.tr("Simulated device"))
        self.sentence.setText(
            self.tr("Latency, memory, energy and heat are simulated for this device; they carry its error band.")
        )
        self.sentence.show()
        self._session, self._actions = session, actions
        self._folder = actions.device_folder
        self._infos = {str(info.path): info for info in list_devices(self._folder)}
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Device profiles"))
        for path, info in self._infos.items():
            item = QListWidgetItem(data_text(info.title))
            item.setData(Qt.ItemDataRole.UserRole, path)
            item.setSizeHint(QSize(0, 26))
            self.list.addItem(item)
            if info.name == session.device.name:
                self.list.setCurrentItem(item)
        self.note = label(role="caption")
        self.note.setWordWrap(True)
        self.note.setMinimumHeight(48)
        self.body.addWidget(self.list, 1)
        self.body.addWidget(self.note)
        self.list.currentItemChanged.connect(self._show_note)
        self.list.itemDoubleClicked.connect(lambda _: self._on_use())
        self.add_button(self.tr("Edit a copy…"), self._on_edit, left=True)
        self.add_button(self.tr("From a file…"), self._on_file, left=True)
        self.add_button(self.tr("Cancel"), self.reject)
        self.add_button(self.tr("Use"), self._on_use, primary=True)
        self._show_note()

    def _chosen(self) -> str | None:
        item = self.list.currentItem()
        return None if item is None else str(item.data(Qt.ItemDataRole.UserRole))

    def _show_note(self) -> None:
        info = self._infos.get(self._chosen() or "")
        self.note.setText(data_text(info.note) if info is not None else "")

    def _on_use(self) -> None:
        path = self._chosen()
        if path is not None:
            shipped = {str(info.path): info.name for info in list_devices()}
            self._take(shipped.get(path, path))

    def _on_edit(self) -> None:
        """Open the editor on the chosen profile; what it saves is taken into use, and both close."""
        path = self._chosen()
        opened: list[Device] = []
        if path is not None and self._actions.guarded(lambda: opened.append(load_device(path))):
            editor = DeviceEditor(opened[0], self._folder, lambda saved: self._take(str(saved)), self)
            editor.open()

    def _on_file(self) -> None:
        kinds = self.tr("Device profiles (*.json)")
        name, _ = QFileDialog.getOpenFileName(self, self.tr("Device profile"), folders.to_open(self), kinds)
        if name:
            folders.opened(self, Path(name))
            self._take(name)

    def _take(self, name: str) -> bool:
        done = self._actions.guarded(lambda: self._session.set_device(name))
        if done:
            self.accept()
        return done
