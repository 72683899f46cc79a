"""The window's verbs: those that open, save or write a file, and from `gui.verbs` those that ask for none."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from engine.errors import ChangedElsewhereError, MixbitError
from engine.paths import sample_models
from gui.dialogs.replace import unless_exists
from gui.dropping import PROJECT_SUFFIX, file_among, samples_among
from gui.i18n import text as translated
from gui.verbs import WHO, Verbs

if TYPE_CHECKING:
    from PySide6.QtCore import QUrl

    from engine.graph.limits import TooBigError
    from engine.session.claim import Recovery
    from engine.session.sizes import SizesQuestion
    from engine.text import Text
    from gui.dialogs.data import TriedData
    from gui.window import Window


class Actions(Verbs):
    """All verbs of one window: those of `Verbs`, and those that open, save or write a file or go elsewhere."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.tried_data: TriedData | None = None
        """What the Data dialog asked for last."""
        self.waiting: Callable[[], None] | None = None
        """Opens what was asked for before the engine was there."""

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
        if session is None:  # the engine is on its way
            self.waiting = lambda: self.open_path(path, then)
            self._window.start.show_opening(path)
            return

        def go() -> None:
            self._window.when_open(then)
            self._window.start.show_opening(path)
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
            self._window.start.show_opening(Path(f"{name}.onnx"))
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
        question: SizesQuestion,
        proceed: Callable[[Mapping[str, tuple[int, ...]] | None], None],
    ) -> None:
        from gui.dialogs.dimensions import DimensionsDialog

        dialog = DimensionsDialog(question.inputs, self._window, question.refusal, proven=question.proven)
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

    def tour(self) -> None:
        """Show the parts of the window one after the other; without a model a sample is opened first."""
        from gui.tour import Tour

        if self.session is None:
            return
        if self.session.network is None:
            self.open_sample("mobile_vision_encoder", self.tour)
        else:
            Tour(self._window)

    def data(self) -> None:
        """Choose samples."""
        self._open_data(None)

    def dropped(self, urls: Sequence[QUrl]) -> Callable[[], None] | None:
        """What to do with what is dropped on the window: open it, or offer it as data; None if it means nothing."""
        file, samples = file_among(urls), samples_among(urls)
        if file is not None:
            return lambda: self.open_path(file)
        if samples is not None and self.session is not None and self.session.network is not None:
            return lambda: self._open_data(samples)
        return None

    def _open_data(self, path: Path | None) -> None:
        if self.session is not None and self.session.network is not None:
            from gui.dialogs.data import DataDialog

            dialog = DataDialog(self.session, self, self._window)
            if path is not None:
                dialog.choose(path)
            self._open_on_model(dialog)

    def device(self) -> None:
        """Choose a device from a list or a file."""
        if self.session is not None:
            from gui.dialogs.device import DeviceDialog

            DeviceDialog(self.session, self, self._window).open()

    # helpers --------------------------------------------------------------------------------------------------------

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
