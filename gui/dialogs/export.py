"""Asks what to write and where, and says what the target makes of the plan before anything is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from engine.interop.targets import Target, target
from engine.session.changes import Change, What
from engine.text import Text, say
from gui.dialogs.base import Dialog
from gui.dialogs.export_check import Checked, check
from gui.dialogs.export_handover import HandoverPanel
from gui.dialogs.export_options import OptionsForm
from gui.dialogs.export_targets import TargetList, proposed_name
from gui.dialogs.replace import unless_exists
from gui.i18n import data_text
from gui.i18n import text as translated
from gui.widgets.themed import box, button, label

if TYPE_CHECKING:
    from engine.jobs import Job
    from engine.session import Session
    from gui.actions import Actions

_FIRST = "qdq"
_SIZE = QSize(900, 648)
_WATCHED = frozenset({What.DATA, What.PLAN, What.DEVICE})


class ExportDialog(Dialog):
    """Targets on the left; title, options, hand-over and path of the chosen one on the right."""

    def __init__(self, session: Session, actions: Actions, parent: QWidget | None) -> None:
        super().__init__("", "", parent, width=720)
        self.setWindowTitle(self.tr("Export"))
        self.title_label.hide()
        self._session, self._actions = session, actions
        self._job: Job | None = None
        self._writing: Job | None = None
        """Writes the files; the dialog waits for it."""
        self._unsubscribe: Callable[[], None] | None = None
        self.targets = TargetList()
        self.options = OptionsForm()
        self.handover = HandoverPanel()
        self.path = QLineEdit()
        self._name, self._note = label(role="title"), label(role="caption")
        self._note.setWordWrap(True)
        self._kind = label(role="caption")
        row = QHBoxLayout()
        row.setSpacing(16)
        frame = box()
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(4, 4, 4, 4)
        inside.addWidget(self.targets)
        frame.setFixedWidth(self.targets.whole_width() + 2 * (inside.contentsMargins().left() + frame.frameWidth()))
        row.addWidget(frame)
        row.addLayout(self._right(), 1)
        self.body.addLayout(row, 1)
        self.add_button(self.tr("Cancel"), self.reject)
        self.export = self.add_button(self.tr("Export"), self._on_export, primary=True)
        self.targets.chosen.connect(self._on_target)
        self.options.changed.connect(self._check)
        self.targets.choose(_FIRST)
        self.targets.setFocus()
        self.resize(_SIZE)

    def _right(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(8)
        column.addWidget(self._name)
        column.addWidget(self._note)
        column.addWidget(self.options)
        frame = box()
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.addWidget(self.handover)
        column.addWidget(frame, 1)
        row = QHBoxLayout()
        browse = button(self.tr("Browse…"))
        browse.clicked.connect(self._browse)
        row.addWidget(self._kind)
        row.addWidget(self.path, 1)
        row.addWidget(browse)
        column.addLayout(row)
        return column

    @property
    def kind(self) -> str:
        """Name of the target that was chosen."""
        return self.targets.current

    @property
    def target(self) -> Target:
        """The target that was chosen."""
        return target(self.kind)

    @property
    def checking(self) -> bool:
        """Whether the answer to what the target makes of the plan is still on its way."""
        return self._job is not None and self._job.active

    def showEvent(self, event: QShowEvent) -> None:
        """Check from now on, and again when the data arrive."""
        super().showEvent(event)
        if self._unsubscribe is None:
            self._unsubscribe = self._session.subscribe(self._on_change)
            self._check()

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody waits for the answer any more."""
        super().hideEvent(event)
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        if self._job is not None:
            self._job.cancel()
        if self._writing is not None and not event.spontaneous():
            self._writing.cancel()

    def _on_target(self) -> None:
        chosen = self.target
        self._name.setText(translated(chosen.title))
        self._note.setText(translated(chosen.note))
        folder = chosen.form == "folder"
        self._kind.setText(self.tr("Folder") if folder else self.tr("File"))
        self.path.setAccessibleName(self.tr("Folder to write") if folder else self.tr("File to write"))
        self.options.show_target(chosen)
        self.show_problem("")
        self._propose()
        self._check()

    def _propose(self) -> None:
        model = self._session.path
        if model is not None:
            typed = self.path.text().strip()
            folder = Path(typed).parent if typed else self._actions.output_folder()
            self.path.setText(str(folder / proposed_name(self.target, model.stem)))

    def _browse(self) -> None:
        text, title = self.path.text().strip(), translated(self.target.title)
        if self.target.form == "file":
            name, _ = QFileDialog.getSaveFileName(
                self,
                self.tr("Export {target}").format(target=title),
                text,
                options=QFileDialog.Option.DontConfirmOverwrite,  # asked when it is written
            )
        else:
            place = self.tr("Where to put the folder {name}").format(name=Path(text).name)
            name = QFileDialog.getExistingDirectory(self, place, str(Path(text).parent))
            name = str(Path(name) / Path(text).name) if name else ""
        if name:
            self.path.setText(name)

    # hand-over ------------------------------------------------------------------------------------------------------

    def _on_change(self, change: Change) -> None:
        if change.what in _WATCHED and self._session.network is not None:
            self._check()

    def _check(self) -> None:
        if self._unsubscribe is None:
            return
        if self._job is not None:
            self._job.cancel()
        if "ranges" in self.target.needs and self._session.ranges is None:
            self._refused(say("Calibration has not finished yet; this export needs its ranges."))
            return
        self.export.setEnabled(self._writing is None)
        self.handover.show_busy()
        self._job = check(self._session, self.target, self.options.values(), done=self._checked, failed=self._refused)

    def _checked(self, checked: Checked) -> None:
        network = self._session.network
        if network is not None:
            self.handover.show_checked(checked, len(network.tunable), data_text(self._session.device.title))

    def _refused(self, sentence: Text) -> None:
        self.handover.show_refusal(sentence)
        self.export.setEnabled(False)

    def _on_export(self) -> None:
        path = self.path.text().strip()
        if not path:
            self.show_problem(
                self.tr("Choose a folder to write.")
                if self.target.form == "folder"
                else self.tr("Choose a file to write.")
            )
            return
        place = Path(path).expanduser()
        problem = self._place_problem(place)
        self.show_problem(problem)
        if not problem:
            unless_exists(place, self, lambda: self._write(place))

    def _place_problem(self, place: Path) -> str:
        """What is wrong with a path that nobody should be asked about first."""
        model = self._session.path
        if model is not None and place.resolve() == model.resolve():
            return self.tr("{name} is the opened model and is never written; choose another name.").format(
                name=place.name
            )
        if self.target.form == "file" and place.is_dir():
            return self.tr("{name} is a folder; write the name of a file.").format(name=place)
        if self.target.form == "folder" and place.is_file():
            return self.tr("{name} is a file; write the name of a folder.").format(name=place)
        return ""

    def _write(self, place: Path) -> None:
        """Write it; the dialog ends when it is there, and stays with the reason if it can't be."""
        session, kind, options = self._session, self.kind, self.options.values()

        def export() -> None:
            self._writing = session.export(kind, place, options, wrote=lambda: self._wrote(place), failed=self._failed)

        if not self._actions.guarded(export):
            return
        if self._writing is None:
            self.accept()
        else:
            self.export.setEnabled(False)
            self.export.setText(self.tr("Exporting…"))

    def _wrote(self, place: Path) -> None:
        self._actions.wrote_to(place.parent)
        self._end_writing()
        self.accept()

    def _failed(self, reason: Text) -> None:
        self._end_writing()
        self.show_problem(translated(reason))
        self.path.setFocus()
        self.path.selectAll()

    def _end_writing(self) -> None:
        self._writing = None
        self.export.setText(self.tr("Export"))
        self.export.setEnabled(True)
