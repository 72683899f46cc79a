"""One source of samples: what kind, where, and how each input is filled from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QSpinBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from engine.interop.arrays import RawOptions
from engine.interop.pictures import ImageOptions
from engine.interop.samples import DataSource
from engine.text import Text
from gui import folders
from gui.dialogs import data_check
from gui.dialogs.data_check import Looked
from gui.dialogs.data_options import BadInputError, ImageForm, RawForm
from gui.dialogs.used import used_words
from gui.i18n import text as translated
from gui.widgets.scrolling import scrolling
from gui.widgets.segmented import SegmentedControl
from gui.widgets.themed import button, label

if TYPE_CHECKING:
    from engine.graph.types import TensorInfo
    from engine.jobs import Job, Jobs

__all__ = ["BadInputError", "SourceEditor"]


class SourceEditor(QWidget):
    """Edits a `DataSource` for the inputs of a model."""

    looked = Signal()
    """What stands at the path is known now."""

    def __init__(self, inputs: Sequence[TensorInfo], source: DataSource, jobs: Jobs, automatic: str = "") -> None:
        """Show a source.

        Args:
            inputs: of the model.
            source: what is set now.
            jobs: runs what looks at the files.
            automatic: what it means to set no limit.
        """
        super().__init__()
        self._automatic = automatic
        self._jobs = jobs
        self._looking: Job | None = None
        self._read = {(str(source.kind), source.path)}
        """Kinds and paths that were looked at; what is set by hand after that stays."""
        self._before: tuple[object, ...] = ()
        self._inputs = tuple(inputs)
        self.kind = SegmentedControl(
            (
                ("synthetic", self.tr("Synthetic")),
                ("images", self.tr("Images")),
                ("arrays", self.tr("NumPy files")),
                ("raw", self.tr("Raw files")),
            ),
            source.kind,
            height=24,
        )
        self.kind.setAccessibleName(self.tr("Kind of data"))
        self.path = QLineEdit(source.path)
        self.path.setAccessibleName(self.tr("Folder or file"))
        self.path.setPlaceholderText(self.tr("Folder or file"))
        self.limit = QSpinBox()
        self.limit.setRange(0, 1_000_000)
        self.limit.setSpecialValueText(self.tr("automatic"))
        self.limit.setToolTip(self._automatic)
        self.limit.setAccessibleName(self.tr("At most so many samples"))
        self.images = {i.name: ImageForm(i) for i in self._inputs}
        self.raws = {i.name: RawForm(i) for i in self._inputs}
        self._stack = QStackedWidget()
        self._pages = {
            "synthetic": _sentence(self.tr("Seeded noise in the shape and type of each input.")),
            "images": _page(list(self.images.values())),
            "arrays": _sentence(
                self.tr(
                    ".npz with an array per input name, or .npy for one input; the first axis counts samples. "
                    "An array named labels gives the class of each sample."
                )
            ),
            "raw": _page(list(self.raws.values())),
        }
        for page in self._pages.values():
            self._stack.addWidget(page)
        self._build()
        self.take_options(source)
        self.limit.setValue(source.limit or 0)
        self._show_kind(source.kind)

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 12, 0, 0)
        column.setSpacing(10)
        head = QHBoxLayout()
        head.addWidget(self.kind)
        head.addStretch()
        head.addWidget(label(self.tr("At most")))
        head.addWidget(self.limit)
        column.addLayout(head)
        self._where = QWidget()
        where = QHBoxLayout(self._where)
        where.setContentsMargins(0, 0, 0, 0)
        folder, file = button(self.tr("Folder…")), button(self.tr("File…"))
        folder.clicked.connect(self._on_folder)
        file.clicked.connect(self._on_file)
        for part in (self.path, folder, file):
            where.addWidget(part)
        column.addWidget(self._where)
        self._hint = label(role="bad")
        self._hint.setWordWrap(True)
        self._hint.hide()
        column.addWidget(self._hint)
        self._found = label(role="caption")
        kept = self._found.sizePolicy()
        kept.setRetainSizeWhenHidden(True)  # or all fields would move under the pointer once the files are counted
        self._found.setSizePolicy(kept)
        self._found.hide()
        column.addWidget(self._found)
        self._used = label(role="caption")
        self._used.setWordWrap(True)
        self._used.setText(self._automatic)
        column.addWidget(self._used)
        column.addWidget(self._stack, 1)
        self.kind.chosen.connect(self._show_kind)
        self.kind.chosen.connect(lambda _: self._show_count(None))
        self.kind.chosen.connect(self._on_path)
        self.path.textEdited.connect(self._on_edited)
        self.path.editingFinished.connect(self._on_path)

    def take_options(self, source: DataSource) -> None:
        """Show how another source reads its files."""
        for name, form in self.images.items():
            form.take(source.images.get(name, source.images.get("", ImageOptions())))
        for info in self._inputs:
            self.raws[info.name].take(source.raw.get(info.name, RawOptions(info.dtype.name, info.shape)))

    def read_like(self, other: SourceEditor) -> bool:
        """Read files as another page does; synthetic data give way to its kind.

        Returns:
            Whether a path is still missing.

        Raises:
            BadInputError: a field of the other page that can't be read.
        """
        self.take_options(other.options())
        if self.kind.current == "synthetic":
            self.kind.set_current(other.kind.current)
            self._show_kind(other.kind.current)
        return self.kind.current != "synthetic" and not self.path.text().strip()

    def show_used(self, used: int, available: int) -> None:
        """Say how many samples of how many are in use now."""
        words = self.tr("In use now: {count}.").format(count=used_words(used, available))
        self._used.setText(f"{words} {self._automatic}".rstrip())

    def hint(self, problem: Text | None) -> None:
        """Say beside the path what is wrong with it; None for nothing."""
        self._hint.setText(translated(problem) if problem is not None else "")
        self._hint.setVisible(problem is not None)

    def _show_count(self, files: int | None) -> None:
        """Say how many files there are, before anything is read from them."""
        words = {
            "images": self.tr("%n picture(s) found", "", files or 0),
            "arrays": self.tr("%n NumPy file(s) found", "", files or 0),
            "raw": self.tr("%n raw file(s) found", "", files or 0),
        }
        self._found.setText(words.get(self.kind.current, "") if files is not None else "")
        self._found.setVisible(bool(self._found.text()))

    def forget(self) -> None:
        """Stop looking at the files, and say nothing about them."""
        self._show_count(None)
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        self.hint(None)

    def options(self) -> DataSource:
        """How files are read, wherever they are.

        Raises:
            BadInputError: a field that can't be read.
        """
        made = DataSource("arrays")
        if self.kind.current == "images":
            return replace(made, images={name: form.options() for name, form in self.images.items()})
        if self.kind.current == "raw":
            return replace(made, raw={name: form.options() for name, form in self.raws.items()})
        return made

    def source(self) -> DataSource:
        """What is set.

        Raises:
            BadInputError: a field that can't be read, or no path.
        """
        kind, path = self.kind.current, self.path.text().strip()
        if kind == "synthetic":
            return DataSource("synthetic")
        if not path:
            raise BadInputError(self.tr("Choose a folder or file."))
        made = DataSource("arrays", path, limit=self.limit.value() or None)
        if kind == "images":
            return replace(made, kind="images", images={name: form.options() for name, form in self.images.items()})
        if kind == "raw":
            return replace(made, kind="raw", raw={name: form.options() for name, form in self.raws.items()})
        return made

    def choose(self, path: Path) -> None:
        """Take a path and find out, in the background, what it holds."""
        self.forget()
        self.path.setText(str(path))
        self._before = self._shown()
        self._looking = data_check.guess(self._jobs, path, self._on_chosen, self._on_failed)

    def settle(self) -> bool:
        """Whether all is known about the path; else it is looked at, and `looked` comes then."""
        self._on_path()
        return self._looking is None

    def _on_chosen(self, found: Looked) -> None:
        """A path that was picked brings its kind along."""
        if self._looking is None:
            return
        if found.source is not None and self.kind.current == self._before[0]:
            self.kind.set_current(found.source.kind)
            self._show_kind(found.source.kind)
            self._before = self._shown()[:1] + self._before[1:]
        self._on_looked(found)

    def _on_looked(self, found: Looked) -> None:
        """Show how the files are read, unless somebody has set it by hand meanwhile."""
        if self._looking is None:
            return
        self._looking = None
        self._read.add((self.kind.current, self.path.text().strip()))
        self.hint(found.problem)
        self._show_count(found.files)
        if found.source is not None and found.source.images and self._shown()[1:] == self._before[1:]:
            self.take_options(found.source)
        self.looked.emit()

    def _on_failed(self, problem: Text) -> None:
        if self._looking is not None:
            self._looking = None
            self._read.add((self.kind.current, self.path.text().strip()))
            self.hint(problem)
            self.looked.emit()

    def _shown(self) -> tuple[object, ...]:
        """Kind, and what the fields of pictures hold."""
        return (self.kind.current, *(form.shown() for form in self.images.values()))

    def _show_kind(self, kind: str) -> None:
        self._stack.setCurrentWidget(self._pages[kind])
        self._where.setVisible(kind != "synthetic")
        self.limit.setEnabled(kind != "synthetic")

    def _on_edited(self) -> None:
        self.forget()
        self._read.clear()

    def _on_path(self) -> None:
        """Look at a path that was typed, once: what is set by hand after that stays."""
        path, kind = self.path.text().strip(), self.kind.current
        if not path or kind == "synthetic" or self._looking is not None or (kind, path) in self._read:
            return
        self._before = self._shown()
        made = DataSource(kind, path)  # type: ignore[arg-type]
        self._looking = data_check.look(self._jobs, made, self._on_looked, self._on_failed)

    def _on_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, self.tr("Folder of samples"), self._start())
        if name:
            folders.opened(self, Path(name))
            self.choose(Path(name))

    def _on_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, self.tr("File of samples"), self._start(), self.tr("Samples (*.npz *.npy *.bin *.raw *.png *.jpg)")
        )
        if name:
            folders.opened(self, Path(name))
            self.choose(Path(name))

    def _start(self) -> str:
        """Where to look for samples: at those that are chosen, else in the folder used last."""
        return self.path.text() or folders.to_open(self)


def _sentence(text: str) -> QWidget:
    page = QWidget()
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 6, 0, 0)
    shown = label(text, "caption")
    shown.setWordWrap(True)
    column.addWidget(shown)
    column.addStretch()
    return page


def _page(forms: Sequence[QWidget]) -> QWidget:
    inner = QWidget()
    column = QVBoxLayout(inner)
    column.setContentsMargins(0, 0, 6, 0)
    column.setSpacing(12)
    for each in forms:
        column.addWidget(each)
    column.addStretch()
    return scrolling(inner, whole_width=True)  # its fields bring themselves into sight
