"""The window's verbs that ask for no file: editing, analysis, device, layouts. `gui.actions` adds those that do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QDialog

from engine.errors import MixbitError
from gui.i18n import Language, language, set_language
from gui.theme import Mode, theme_manager

if TYPE_CHECKING:
    from engine.session import Session
    from gui.window import Window

WHO = "commands"


class Verbs(QObject):
    """What the commands of one window do. `session` is None until the engine is there."""

    happened = Signal()
    """Something changed that a checked or enabled command depends on and no session announces."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self.session: Session | None = None

    # editing --------------------------------------------------------------------------------------------------------

    def undo(self) -> None:
        """Take the last edit back."""
        if self.session is not None:
            self.session.undo(WHO)

    def redo(self) -> None:
        """Do the last undone edit again."""
        if self.session is not None:
            self.session.redo(WHO)

    def select_all(self) -> None:
        """Select every kernel."""
        if self.session is not None and self.session.network is not None:
            self.session.select([k.id for k in self.session.network.kernels], self.session.current, WHO)

    def set_scheme(self, name: str) -> None:
        """Set a scheme on the selected kernels, by its name."""
        from engine.precision.scheme import PRESETS  # brings ONNX: not before there is a session

        if self.session is not None:
            self.session.set_scheme(self.session.selection, PRESETS[name], WHO)

    def preset(self, name: str) -> None:
        """Set all kernels by a preset."""
        session = self.session
        if session is not None:
            self.guarded(lambda: session.apply_preset(name, WHO))

    def toggle_lock(self) -> None:
        """Lock the selection; unlock it if all of it is locked."""
        session = self.session
        if session is not None:
            locked = set(session.selection) <= session.locked
            session.set_locked(session.selection, not locked, WHO)

    def peek(self) -> None:
        """Show the previous plan until the key comes up."""
        self._window.peek.start()

    def bulk_edit(self) -> None:
        """Open the bulk edit of the Layers dock."""
        view = self._window.reveal("layers")
        opener = getattr(view, "open_bulk_edit", None)
        if opener is not None:
            opener()

    def focus_filter(self) -> None:
        """Go to the filter of the Layers dock."""
        view = self._window.reveal("layers")
        focus = getattr(view, "focus_filter", None)
        if focus is not None:
            focus()

    def escape(self) -> None:
        """Clear the selection; if there is none the filter; if there is none the newest job."""
        session = self.session
        if session is None:
            return
        view = self._window.view("layers")
        clear = getattr(view, "clear_filter", None)
        if len(session.selection) > 1:
            session.select((session.current,) if session.current else (), session.current, WHO)
        elif session.selection:
            session.select((), session.current, WHO)  # the place in the list is kept
        elif clear is not None and clear():
            return
        elif session.jobs.active:
            session.jobs.active[-1].cancel()

    # analysis -------------------------------------------------------------------------------------------------------

    def budgets(self) -> None:
        """Choose budgets."""
        if self.session is not None:
            from gui.dialogs.budgets import BudgetsDialog

            BudgetsDialog(self.session, self._window).open()

    def methods(self) -> None:
        """Compare the weight methods of the current kernel."""
        session = self.session
        if session is None or session.network is None or session.current is None:
            return
        kernel = next((k for k in session.network.tunable if k.id == session.current), None)
        if kernel is not None:
            from gui.dialogs.methods import MethodsDialog

            self._open_on_model(MethodsDialog(session, kernel, self._window))

    def own_metric(self) -> None:
        """Choose a Python function that rates the outputs."""
        if self.session is not None and self.session.network is not None:
            from gui.dialogs.own_metric import OwnMetricDialog

            self._open_on_model(OwnMetricDialog(self.session, self._window))

    def best_methods(self) -> None:
        """Choose weight methods by measurement, for the selected kernels or for all."""
        if self.session is not None and self.session.network is not None:
            self.session.refining.refine(self.session.selection or None, who=WHO)

    def toggle_sweep(self) -> None:
        """Start the sensitivity sweep, or stop it."""
        if self.session is not None:
            self.session.stop_sweep() if self.session.sweeping else self.session.start_sweep()

    def measure_again(self) -> None:
        """Compute what cancelled jobs have left stale."""
        if self.session is not None:
            self.session.measure_again()

    def cancel_jobs(self) -> None:
        """Stop everything that runs."""
        if self.session is not None:
            self.session.jobs.cancel_all()

    def rules(self, name: str) -> None:
        """Fuse by other rules."""
        if self.session is not None:
            self.session.set_rules("cloud" if name == "cloud" else "edge")
            self.happened.emit()

    @property
    def rules_now(self) -> str:
        """The fusion rules in use."""
        return self.session.rules if self.session is not None else ""

    # device ---------------------------------------------------------------------------------------------------------

    @property
    def device_folder(self) -> Path | None:
        """Where device profiles of one's own lie; None if nothing is remembered."""
        return self._window.settings.device_folder

    def edit_device(self) -> None:
        """Edit a copy of the profile in use."""
        session = self.session
        if session is not None:
            from gui.dialogs.device_editor import DeviceEditor

            def use(path: Path) -> bool:
                return self.guarded(lambda: session.set_device(path))

            DeviceEditor(session.device, self.device_folder, use, self._window).open()

    def set_device(self, name_or_path: str) -> None:
        """Simulate another device."""
        session = self.session
        if session is not None:
            self.guarded(lambda: session.set_device(name_or_path))

    def fusion(self) -> None:
        """Show what fusion saves, and why some patterns did not fuse."""
        if self.session is not None:
            from gui.dialogs.fusion import FusionDialog

            FusionDialog(self.session, self._window).show()

    def scenario(self) -> None:
        """Choose how long and how hard the device is used."""
        if self.session is not None:
            from gui.dialogs.scenario import ScenarioDialog

            ScenarioDialog(self.session, self._window).open()

    # window ---------------------------------------------------------------------------------------------------------

    def layout(self, name: str) -> None:
        """Show a layout."""
        self._window.show_layout(name)
        self.happened.emit()

    @property
    def layout_now(self) -> str:
        """The layout on show."""
        return self._window.layout_name

    def reset_layout(self) -> None:
        """Put the docks of this layout where they belong."""
        self._window.reset_layout()

    def float_panel(self) -> None:
        """Make the panel in use a window of its own, or put it back."""
        dock = self._window.panel_in_use()
        if dock is not None:
            dock.float_or_dock()

    def toggle_table(self) -> None:
        """Show the figures of the plot in use in a table, or the plot again."""
        dock = self._window.panel_in_use()
        if dock is not None and hasattr(dock.ensure_view(), "toggle_table"):
            dock.view.toggle_table()

    def go_to_panel(self, step: int) -> None:
        """Give the keys to the next panel on show, as one reads, or to the one before (-1)."""
        host = self._window.host
        panels = host.panels_on_show() if host is not None else []
        if not panels:
            return
        here = self._window.focused_dock()
        at = next((i for i, dock in enumerate(panels) if dock.spec.id == here), None)
        if at is None:  # from the menus, the context bar
            main = self._window.panel_in_use()
            (main if main in panels else panels[0]).take_keys()
        else:
            panels[(at + step) % len(panels)].take_keys()

    def panel(self, dock_id: str) -> None:
        """Bring a panel in front and give it the keys."""
        if self._window.reveal(dock_id) is not None and self._window.host is not None:
            dock = self._window.host.docks[dock_id]
            QTimer.singleShot(0, dock, dock.take_keys)  # what has just come in front is not laid out yet

    def panel_alone(self) -> None:
        """Show the panel in use alone, or all again."""
        host = self._window.host
        if host is None or host.restore_all():
            return
        dock = self._window.panel_in_use()
        if dock is not None:
            host.toggle_maximized(dock)

    def close_panel(self) -> None:
        """Close the panel in use."""
        dock = self._window.panel_in_use()
        if dock is not None:
            dock.close()

    def theme(self, mode: Mode) -> None:
        """Use light or dark colours, or those of the desktop."""
        theme_manager.set_mode(mode)
        self._window.settings.mode = mode
        self.happened.emit()

    @property
    def theme_now(self) -> Mode:
        """What was chosen."""
        return theme_manager.mode

    def language(self, code: Language) -> None:
        """Speak another language from now on."""
        if code != language():
            set_language(code)
            self._window.settings.language = code
            self._window.check_fonts()
        self.happened.emit()

    @property
    def language_now(self) -> Language:
        """The language in use."""
        return language()

    def palette(self) -> None:
        """Search kernels and commands."""
        self._window.open_palette()

    def shortcuts(self) -> None:
        """Show all keys."""
        from gui.dialogs.shortcuts import ShortcutsDialog

        ShortcutsDialog(self._window).open()

    def manual(self, page: str = "") -> None:
        """Open the manual at a page, or at the one of the panel that has the focus."""
        self._window.show_manual(page or self._window.focused_dock() or "start")

    def about(self) -> None:
        """Show version, licence and what it runs on."""
        from gui.dialogs.about import AboutDialog

        AboutDialog(self._window).open()

    # helpers -------------------------------------------------------------------------------------------------------

    def _open_on_model(self, dialog: QDialog) -> None:
        """Open a dialog that ends with the model it is about."""
        from gui.dialogs.with_model import close_with_model

        if self.session is not None:
            close_with_model(dialog, self.session)
            dialog.open()

    def guarded(self, act: Callable[[], object]) -> bool:
        """Do something; a refusal is shown as one sentence. Whether it went well."""
        try:
            act()
        except MixbitError as error:
            self._window.show_error(error.text)
            return False
        return True
