"""Plots and their numbers, out of the window: clipboard, CSV, PNG, SVG."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QBuffer, QCoreApplication, QIODevice, QRect, QRectF, QSize
from PySide6.QtGui import QGuiApplication, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox, QWidget

from engine.errors import MixbitError
from engine.files import write_atomically, written_aside
from gui import folders
from gui.bridge import hub
from gui.i18n import text
from gui.plots.table import Table

PNG_SCALE = 2


class Drawing(Protocol):
    """What can be drawn on another device."""

    def size(self) -> QSize:
        """Size in px."""

    def paint_to(self, painter: QPainter, target: QRectF) -> None:
        """Draw everything into the target rectangle."""


class Twofold(Protocol):
    """What can stand there as a plot or as a table."""

    @property
    def as_table(self) -> bool:
        """Whether it is a table now."""

    def toggle_table(self) -> None:
        """Show the other of the two."""


def picture(drawing: Drawing, scale: int = PNG_SCALE) -> QImage:
    """A picture of `scale` times the size on the screen."""
    size = drawing.size()
    image = QImage(size * scale, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(scale)
    painter = QPainter(image)
    drawing.paint_to(painter, QRectF(0, 0, size.width(), size.height()))
    painter.end()
    return image


def write_png(drawing: Drawing, path: Path, scale: int = PNG_SCALE) -> None:
    """Save the picture; ExportError if it can't be written."""
    data = QBuffer()
    data.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(data, b"PNG").write(picture(drawing, scale))
    write_atomically(path, bytes(data.data().data()))


def write_svg(drawing: Drawing, path: Path, title: str) -> None:
    """Save as SVG; ExportError if it can't be written."""
    size = drawing.size()
    with written_aside(path) as aside:
        aside.touch()  # Qt only prints a warning when it can't write: find out first
        generator = QSvgGenerator()
        generator.setFileName(str(aside))
        generator.setSize(size)
        generator.setViewBox(QRect(0, 0, size.width(), size.height()))
        generator.setTitle(title)
        painter = QPainter(generator)
        drawing.paint_to(painter, QRectF(0, 0, size.width(), size.height()))
        painter.end()


class Exporter:
    """Fills a menu with what can be taken out of a plot; without a drawing only the numbers."""

    def __init__(
        self,
        owner: QWidget,
        drawing: Drawing | None,
        table: Callable[[], Table],
        title: Callable[[], str],
        *,
        twin: Twofold | None = None,
    ) -> None:
        self._owner, self._drawing, self._table, self._title = owner, drawing, table, title
        self._twin = twin

    def fill(self, menu: QMenu) -> None:
        """Add the actions."""
        if self._twin is not None:
            words = _tr("Show the plot") if self._twin.as_table else _tr("Show as a table")
            menu.addAction(f"{words}\tT", self._twin.toggle_table)
            menu.addSeparator()
        menu.addAction(_tr("Copy data"), self.copy)
        if self._drawing is not None:
            menu.addAction(_tr("Copy picture"), self.copy_picture)
        menu.addSeparator()
        for kind in ("csv", "png", "svg") if self._drawing is not None else ("csv",):
            menu.addAction(_tr("Export {kind}…").format(kind=kind.upper()), lambda k=kind: self.ask(k))

    def copy(self) -> None:
        """Put the numbers on the clipboard, with their header."""
        QGuiApplication.clipboard().setText(self._table().to_tsv())

    def copy_picture(self) -> None:
        """Put what is shown on the clipboard as a picture."""
        if self._drawing is not None:
            QGuiApplication.clipboard().setImage(picture(self._drawing))

    def ask(self, kind: str) -> None:
        """Ask for a file and save. The dialog doesn't stop the window."""
        dialog = QFileDialog(self._owner, _tr("Export {title}").format(title=self._title()))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(f"{kind.upper()} (*.{kind})")
        dialog.setDefaultSuffix(kind)
        dialog.selectFile(folders.to_save(self._owner, f"{self._title()}.{kind}"))
        dialog.fileSelected.connect(lambda path: self.save(kind, Path(path)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def save(self, kind: str, path: Path) -> None:
        """Write the file, and say so or why not."""
        try:
            if kind == "csv":
                write_atomically(path, self._table().to_csv().encode("utf-8-sig"))
            elif self._drawing is not None and kind == "png":
                write_png(self._drawing, path)
            elif self._drawing is not None:
                write_svg(self._drawing, path, self._title())
        except MixbitError as error:
            box = QMessageBox(QMessageBox.Icon.Warning, self._title(), text(error.text), parent=self._owner)
            box.finished.connect(box.deleteLater)
            box.open()
        else:
            folders.wrote(self._owner, path)
            hub.file_written.emit(path)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Exporter", text)
