"""Menus and shortcuts, made from the table of commands and kept up to date."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget
from shiboken6 import isValid

from gui.actions import Actions
from gui.commands import COMMANDS, MENUS, Command, MenuName, Submenu, shown
from gui.i18n import data_text, language
from gui.i18n import text as translated
from gui.icons import icon
from gui.theme import Theme, theme_manager

if TYPE_CHECKING:
    from gui.docks import Dock, DockHost


class Menus(QObject):
    """One QAction per command, shared by all menus that show it."""

    def __init__(self, actions: Actions, owner: QWidget) -> None:
        super().__init__(owner)
        self._actions = actions
        self.host: DockHost | None = None
        self.by_id: dict[str, QAction] = {}
        for entry in COMMANDS:
            if isinstance(entry, Command):
                self.by_id[entry.id] = self._action(entry, owner)
        self.retranslate()
        self._apply_theme(theme_manager.theme)
        theme_manager.changed.connect(self._apply_theme)

    def _action(self, entry: Command, owner: QWidget) -> QAction:
        action = QAction(owner)
        action.setObjectName(f"command_{entry.id}")
        action.setCheckable(entry.checked is not None)
        action.setShortcuts([QKeySequence(key) for key in entry.keys])
        action.setAutoRepeat(entry.id not in ("peek", "lock"))
        action.triggered.connect(lambda: self.run(entry))
        owner.addAction(action)
        return action

    def run(self, entry: Command) -> None:
        """Carry a command out, if it can be done now."""
        if self.enabled(entry):
            entry.run(self._actions)
        self.update()

    def enabled(self, entry: Command) -> bool:
        """Whether a command can be done now."""
        if entry.when is None:
            return True
        return self._actions.session is not None and entry.when(self._actions.session)

    def update(self) -> None:
        """Look again at what can be done and what is in use."""
        session = self._actions.session
        for entry in COMMANDS:
            if not isinstance(entry, Command):
                continue
            action = self.by_id[entry.id]
            action.setEnabled(self.enabled(entry))
            if entry.checked is not None:
                action.setChecked(entry.checked(self._actions))
            if entry.id in ("undo", "redo") and session is not None:
                step = session.undo_step if entry.id == "undo" else session.redo_step
                action.setText(shown(entry.text) if step is None else f"{shown(entry.text)}: {translated(step.title)}")
                action.setToolTip(action.text())

    def retranslate(self) -> None:
        """Write all texts again."""
        for entry in COMMANDS:
            if isinstance(entry, Command):
                action = self.by_id[entry.id]
                action.setText(shown(entry.text))
                keys = ", ".join(k.toString(QKeySequence.SequenceFormat.NativeText) for k in action.shortcuts())
                action.setToolTip(f"{shown(entry.text)} ({keys})" if keys else shown(entry.text))
        self.update()

    def fill_bar(self, bar: QMenuBar) -> None:
        """Make all menus of a menu bar, or write those that it has again in another language."""
        for name, title in MENUS.items():
            menu = bar.findChild(QMenu, f"menu_{name}", Qt.FindChildOption.FindDirectChildrenOnly)
            if menu is None:
                menu = bar.addMenu("")
                menu.setObjectName(f"menu_{name}")
            menu.setTitle(shown(title))
            menu.clear()
            self.fill(menu, name)

    def fill(self, menu: QMenu, name: MenuName) -> None:
        """Put the commands of one menu into a QMenu."""
        group = 0
        for entry in COMMANDS:
            if entry.menu != name or (isinstance(entry, Command) and not entry.listed):
                continue
            if entry.group != group:
                menu.addSeparator()
                group = entry.group
            if isinstance(entry, Command):
                menu.addAction(self.by_id[entry.id])
            else:
                self.add_submenu(menu, entry)

    def add_submenu(self, menu: QMenu, entry: Submenu) -> QMenu:
        """Add a menu that is filled when it opens; one that the menu has had before is written again.

        A new one in its place would not be freed: PySide keeps what is connected to a menu that is gone.
        """
        old = menu.findChild(QMenu, f"menu_{entry.id}", Qt.FindChildOption.FindDirectChildrenOnly)
        if old is not None:
            old.setTitle(shown(entry.text))
            menu.addMenu(old)
            return old
        sub = menu.addMenu(shown(entry.text))
        sub.setObjectName(f"menu_{entry.id}")
        if entry.icon:
            sub.setIcon(icon(entry.icon, theme_manager.theme.text2, 14))
        filler: Callable[[QMenu], None] = getattr(self, f"fill_{entry.fill}")

        def refill() -> None:
            if not isValid(sub):  # closed together with the menu above it
                return
            sub.clear()
            filler(sub)
            if sub.isEmpty():
                sub.addAction(self.tr("Nothing yet")).setEnabled(False)

        sub.aboutToShow.connect(refill)
        return sub

    def add(self, menu: QMenu, *command_ids: str) -> None:
        """Add some commands to a menu; "-" is a line, "@id" a submenu of the table."""
        for name in command_ids:
            if name == "-":
                menu.addSeparator()
            elif name.startswith("@"):
                self.add_submenu(menu, next(e for e in COMMANDS if isinstance(e, Submenu) and e.id == name[1:]))
            else:
                menu.addAction(self.by_id[name])

    # menus that are known only when they open -----------------------------------------------------------------------

    def fill_samples(self, menu: QMenu) -> None:
        """Models that come with Mixbit."""
        session = self._actions.session
        for sample in session.samples() if session is not None else ():
            title = sample.titles.get(language(), sample.titles["en"])
            menu.addAction(title, lambda name=sample.name: self._actions.open_sample(name))

    def fill_recent(self, menu: QMenu) -> None:
        """Files opened lately."""
        session = self._actions.session
        for path in session.recent if session is not None else ():
            menu.addAction(f"{path.name}   {_short(path.parent)}", lambda p=path: self._actions.open_path(p))

    def fill_devices(self, menu: QMenu) -> None:
        """Device profiles."""
        session = self._actions.session
        if session is None:
            return
        group = QActionGroup(menu)
        from engine.npu.profiles import list_devices  # the first window does not wait for it

        shipped = {device.path for device in session.devices}
        for device in list_devices(self._actions.device_folder):
            reference = device.name if device.path in shipped else str(device.path)
            action = menu.addAction(data_text(device.title), lambda name=reference: self._actions.set_device(name))
            action.setCheckable(True)
            action.setChecked(device.name == session.device.name)
            group.addAction(action)

    def fill_panels(self, menu: QMenu) -> None:
        """All docks, to show and hide."""
        if self.host is None:
            return
        for dock in self.host.docks.values():
            action = menu.addAction(dock.name(), partial(self._toggle, dock))
            action.setCheckable(True)
            action.setChecked(not dock.isHidden())

    def _toggle(self, dock: Dock) -> None:
        if self.host is None:
            return
        if dock.isHidden():
            self.host.reveal(dock.spec.id)
        else:
            dock.close()

    def _apply_theme(self, theme: Theme) -> None:
        for entry in COMMANDS:
            if isinstance(entry, Command) and entry.icon:
                self.by_id[entry.id].setIcon(icon(entry.icon, theme.text2, 16, disabled=theme.faint))


def _short(folder: Path) -> str:
    try:
        return f"~/{folder.relative_to(Path.home()).as_posix()}"
    except ValueError:
        return str(folder)
