"""A titled part of the Compare view: header like a dock's, one body below it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from gui.plots.export import Exporter
from gui.plots.table import Table
from gui.plots.twin import TableTwin
from gui.widgets.icon_button import IconButton
from gui.widgets.popup import one_use_menu
from gui.widgets.stops import give_keys
from gui.widgets.themed import label

HEADER = 29


class Section(QWidget):
    """Title, muted note, buttons on the right; a menu to take the body's content out when there is an exporter."""

    def __init__(self, body: QWidget, buttons: tuple[QWidget, ...] = ()) -> None:
        super().__init__()
        self.setObjectName("dockBody")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.body = body
        self.exporter: Exporter | None = None
        self.table: Callable[[], Table] | None = None
        """What the body shows, as a table."""
        self.twin: TableTwin | None = None
        self.heading, self.note = label("", "strong"), label("", "muted")
        self.more = IconButton("more", token="muted")
        self.more.clicked.connect(lambda: self.popup(self.more.mapToGlobal(QPoint(0, self.more.height()))))
        header = QWidget()
        header.setObjectName("dockTitle")
        header.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        header.setFixedHeight(HEADER)
        row = QHBoxLayout(header)
        row.setContentsMargins(12, 0, 8, 0)
        row.setSpacing(8)
        row.addWidget(self.heading)
        row.addWidget(self.note, 1)
        self._buttons = (*buttons, self.more)
        for button in self._buttons:
            row.addWidget(button)
        self.note.setMinimumWidth(1)
        self.whole_note = ""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(header)
        self._place = QStackedWidget()
        self._place.addWidget(body)
        column.addWidget(self._place, 1)

    def set_texts(self, heading: str, more: str) -> None:
        """Title and the name of the menu button."""
        self.heading.setText(heading)
        self.more.set_tip(more)
        self.body.setAccessibleName(heading)
        if self.twin is not None:
            self.twin.setAccessibleName(heading)
            self.twin.retranslate()

    @property
    def as_table(self) -> bool:
        """Whether a table stands instead of the body."""
        return self.twin is not None and self._place.currentWidget() is self.twin

    def toggle_table(self) -> None:
        """Show the figures in a table, or the body again; whichever comes has the keys if the other had them."""
        had = any(part.hasFocus() for part in self._place.findChildren(QWidget))
        back = self.as_table
        if self.twin is None:
            self.twin = TableTwin()
            self.twin.setAccessibleName(self.heading.text())
            self._place.addWidget(self.twin)
        self._place.setCurrentWidget(self.body if back else self.twin)
        self.fill_twin()
        if had:
            self.take_keys()

    def fill_twin(self) -> None:
        """Bring the table up to date, if that is what is on show."""
        if self.twin is not None and self.table is not None and self.as_table:
            self.twin.show_table(self.table())

    def take_keys(self) -> None:
        """Give the keys to what is on show."""
        give_keys(self._place.currentWidget())

    def set_note(self, note: str) -> None:
        """Muted words after the title; the parts behind a "·" are left out where they would be cut, at last all."""
        self.whole_note = note
        self._fold()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Look again whether the note has room."""
        super().resizeEvent(event)
        self._fold()

    def _fold(self) -> None:
        shown = [button for button in self._buttons if not button.isHidden()]
        taken = self.heading.sizeHint().width() + sum(button.sizeHint().width() for button in shown)
        room = self.width() - 20 - taken - 8 * (len(shown) + 1)
        words = self.whole_note
        while words and self.note.fontMetrics().horizontalAdvance(words) > room:
            words = words.rpartition(" · ")[0]
        self.note.setText(words)
        self.note.setToolTip(self.whole_note)

    def popup(self, at: QPoint) -> None:
        """Show the menu at a global position."""
        if self.exporter is not None:
            menu = one_use_menu(self)
            self.exporter.fill(menu)
            menu.popup(at)
