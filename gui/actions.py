"""What the commands do: the window's verbs. Each is a few lines that call the session or open a dialog."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QFileDialog

from engine.errors import ChangedElsewhereError, MixbitError
from engine.paths import sample_models
from gui.dialogs.replace import unless_exists
from gui.i18n import Language, language, set_language
from gui.i18n import text as translated
from gui.theme import Mode, theme_manager

if TYPE_CHECKING:
    from engine.graph.limits import TooBigError
    from engine.graph.types import ModelInput
    from engine.session import Session
    from engine.session.claim import Recovery
    from engine.text import Text
    from gui.dialogs.data import TriedData
    from gui.window import Window

WHO = "commands"
MODEL_SUFFIXES = (".onnx",)
PROJECT_SUFFIX = ".mixbit"


class Actions(QObject):
    """The verbs of one window. `session` is None until the engine is there."""

    happened = Signal()
    """Something changed that a checked or enabled command depends on and no session announces."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self.session: Session | None = None
        self.tried_data: TriedData | None = None
        """What the Data dialog asked for last."""

    # files ----------------------------------------------------------------------------------------------------------

    def open_model(self) -> None:
        """Ask for a model file."""
        path = self._ask_open(self.tr("Open model"), self.tr("ONNX models (*.onnx)"))
        if path:
            self.open_path(path)

    def compare_dumps(self) -> None:
        """Ask for the model that two dumps are of, then for the dumps, and compare them."""
        path = self._ask_open(self.tr("Model that the dumps are of"), self.tr("ONNX models (*.onnx)"))
        if path:
            self.open_path(path, self._ask_dumps)

    def _ask_dumps(self) -> None:
        from gui.dialogs.dumps import DumpsDialog

        session = self.session
        if session is None:
            return

        def compare(first: Path, second: Path) -> None:
            for path in (first, second):
                session.comparing.open_dump(path)

        self._window.show_layout("compare")
        self._open_on_model(DumpsDialog(compare, self._window))

    def figures(self) -> None:
        """Say how figures are computed."""
        self.manual("figures")

    def open_project(self) -> None:
        """Ask for a project file."""
        path = self._ask_open(self.tr("Open project"), self.tr("Mixbit projects (*.mixbit)"))
        if path:
            self.open_path(path)

    def open_path(self, path: Path, then: Callable[[], None] | None = None) -> None:
        """Open a model or a project, whichever it is, after asking about unsaved edits.

        Args:
            path: Of the file.
            then: Done once it is on show; forgotten if another is opened instead.
        """
        session = self.session
        if session is None:
            return

        def go() -> None:
            self._window.when_open(then)
            if path.suffix.lower() == PROJECT_SUFFIX:
                self.guarded(lambda: session.open_project(path))
            else:
                self.guarded(lambda: session.open_model(path, None, self._ask_shapes))

        self._window.unless_unsaved(go)

    def open_sample(self, name: str, then: Callable[[], None] | None = None) -> None:
        """Open a model that comes with Mixbit; `then` is done once it is on show, unless another is opened instead."""
        session = self.session
        if session is None:
            return

        def go() -> None:
            self._window.when_open(then)
            self.guarded(lambda: session.open_sample(name))

        self._window.unless_unsaved(go)

    def memory_limit(self) -> None:
        """Set how much memory a model may take."""
        session = self.session
        if session is not None:
            from gui.dialogs.memory_limit import MemoryLimitDialog

            MemoryLimitDialog(session.memory_limit, self.allow_memory, self._window).open()

    def allow_memory(self, limit: int | None) -> None:
        """Remember a new limit, in bytes; None changes nothing."""
        if limit is not None and self.session is not None:
            self.session.memory_limit = limit
            self._window.settings.memory_limit = limit

    def ask_memory(self, error: TooBigError, proceed: Callable[[int | None], None]) -> None:
        """Ask about a model that needs more than the limit."""
        from gui.dialogs.memory_limit import MemoryLimitDialog

        def answer(limit: int | None) -> None:
            self.allow_memory(limit)
            proceed(limit)

        limit = self.session.memory_limit if self.session is not None else 0
        MemoryLimitDialog(limit, answer, self._window, refusal=error.text, need=error.need).open()

    def _ask_shapes(
        self,
        inputs: tuple[ModelInput, ...],
        proceed: Callable[[Mapping[str, tuple[int, ...]] | None], None],
    ) -> None:
        from gui.dialogs.dimensions import DimensionsDialog

        dialog = DimensionsDialog(inputs, self._window)
        dialog.accepted.connect(lambda: proceed(dialog.shapes()))
        dialog.rejected.connect(lambda: proceed(None))
        dialog.open()

    def save_project(self) -> None:
        """Save to where the project was last saved, or ask."""
        session = self.session
        if session is None or session.network is None:
            return
        if session.project_path is None:
            self.save_project_as()
        else:
            self._save(None)

    def save_project_as(self) -> None:
        """Ask where to save the project."""
        session = self.session
        if session is None or session.path is None:
            return
        proposal = session.project_path or self.output_folder() / session.path.with_suffix(PROJECT_SUFFIX).name
        path = self._ask_save(self.tr("Save project"), proposal, self.tr("Mixbit projects (*.mixbit)"), PROJECT_SUFFIX)
        if path is None:
            return

        if path == session.project_path:
            self._save(path)
        else:
            unless_exists(path, self._window, lambda: self._save(path))

    def _save(self, path: Path | None, *, overwrite: bool = False) -> None:
        """Write the project; if another window has written it since, ask."""
        session = self.session
        assert session is not None
        self._window.store_view_state()
        try:
            session.save_project(path, overwrite=overwrite)
        except ChangedElsewhereError as error:
            from gui.dialogs.conflict import ConflictDialog

            dialog = ConflictDialog(error.text, self._window)
            dialog.overwritten.connect(lambda: self._save(path, overwrite=True))
            dialog.elsewhere.connect(self.save_project_as)
            dialog.open()
        except MixbitError as error:
            self._window.show_error(error.text)

    def recover(self) -> None:
        """Offer unsaved work of windows that have ended without asking."""
        if self.session is not None:
            from gui.dialogs.recovery import RecoveryDialog

            RecoveryDialog(self.session, self, self._window).open()

    def restore(self, recovery: Recovery) -> None:
        """Go on with such work, after asking about unsaved edits of this window."""
        session = self.session
        if session is not None:
            self._window.unless_unsaved(lambda: self.guarded(lambda: session.recover(recovery)))

    def export(self) -> None:
        """Ask what to export and where."""
        if self.session is not None and self.session.network is not None:
            from gui.dialogs.export import ExportDialog

            self._open_on_model(ExportDialog(self.session, self, self._window))

    def import_plan(self) -> None:
        """Take precisions from a plan, or from a file of another tool."""
        session = self.session
        kinds = self.tr("Precisions (*.json *.encodings *.onnx)")
        path = self._ask_open(self.tr("Import precisions"), kinds)
        if path and session is not None:
            from gui.importing import import_precisions

            import_precisions(session, path, self._window.show_error, WHO, self._ask_foreign)

    def _ask_foreign(self, sentence: Text, apply: Callable[[], object]) -> None:
        """A plan of another model is applied by names only if that is wanted."""
        from gui.dialogs.foreign_plan import ForeignPlanDialog

        dialog = ForeignPlanDialog(translated(sentence), self._window)
        dialog.chosen.connect(apply)
        self._open_on_model(dialog)

    def close_model(self) -> None:
        """Back to the start page."""
        session = self.session
        if session is not None:
            self._window.unless_unsaved(session.close_model)

    def quit(self) -> None:
        """Close the window."""
        self._window.close()

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
        self._window.start_peek()

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

    def data(self) -> None:
        """Choose samples."""
        if self.session is not None and self.session.network is not None:
            from gui.dialogs.data import DataDialog

            self._open_on_model(DataDialog(self.session, self, self._window))

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

    def device(self) -> None:
        """Choose a device from a list or a file."""
        if self.session is not None:
            from gui.dialogs.device import DeviceDialog

            DeviceDialog(self.session, self, self._window).open()

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

    def tour(self) -> None:
        """Show the parts of the window one after the other; without a model a sample is opened first."""
        from gui.tour import Tour

        if self.session is None:
            return
        if self.session.network is None:
            self.open_sample("mobile_vision_encoder", self.tour)
        else:
            Tour(self._window)

    def about(self) -> None:
        """Show version, licence and what it runs on."""
        from gui.dialogs.about import AboutDialog

        AboutDialog(self._window).open()

    # helpers --------------------------------------------------------------------------------------------------------

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

    def _ask_open(self, title: str, kinds: str) -> Path | None:
        settings = self._window.settings
        name, _ = QFileDialog.getOpenFileName(
            self._window, title, settings.folder_used, f"{kinds};;{self.tr('All files (*)')}"
        )
        if not name:
            return None
        settings.folder_used = str(Path(name).parent)
        return Path(name)

    def output_folder(self) -> Path:
        """Where new files are proposed: beside the model, but not among the samples or where nothing can be."""
        model = self.session.path if self.session is not None else None
        if model is not None:
            folder = model.absolute().parent
            if not folder.is_relative_to(sample_models()) and os.access(folder, os.W_OK):
                return folder
        used = self._window.settings.export_folder
        return Path(used) if used and Path(used).is_dir() else Path.home()

    def wrote_to(self, folder: Path) -> None:
        """Remember where something was written."""
        self._window.settings.export_folder = str(folder)

    def _ask_save(self, title: str, proposal: Path, kinds: str, suffix: str) -> Path | None:
        name, _ = QFileDialog.getSaveFileName(
            self._window, title, str(proposal), kinds, options=QFileDialog.Option.DontConfirmOverwrite
        )  # a suffix may be added yet: asked later
        if not name:
            return None
        path = Path(name)
        self._window.settings.folder_used = str(path.parent)
        self.wrote_to(path.parent)
        return path if path.suffix else path.with_suffix(suffix)
