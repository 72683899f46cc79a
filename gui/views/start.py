"""The start page: drop target, recent files, sample models, device, three steps. On show while no model is open."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from engine.version import VERSION
from gui import format as form
from gui.i18n import data_text, language
from gui.icons import icon
from gui.theme import Theme, theme_manager
from gui.views.start_drop import DropTarget
from gui.views.start_rows import RecentRow, SampleCard, StepRow
from gui.widgets.themed import box, button, label, line

if TYPE_CHECKING:
    from engine.session import Session
    from gui.actions import Actions


class StartPage(QWidget):
    """Left: what Mixbit is and how to begin. Right: something to begin with."""

    def __init__(self, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._actions = actions
        self._session: Session | None = None
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._make_side())
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # what is focused in it comes into sight
        scroll.setWidget(self._make_main())
        row.addWidget(scroll, 1)
        theme_manager.changed.connect(self._apply_theme)
        self._apply_theme(theme_manager.theme)
        self.retranslate()

    # building -------------------------------------------------------------------------------------------------------

    def _make_side(self) -> QWidget:
        from gui.menu_row import Logo

        side = QWidget()
        side.setObjectName("startSide")
        side.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        side.setFixedWidth(316)
        column = QVBoxLayout(side)
        column.setContentsMargins(32, 40, 32, 20)
        column.setSpacing(10)
        head = QHBoxLayout()
        head.setSpacing(14)
        head.addWidget(Logo(15.0))
        name = QVBoxLayout()
        name.setSpacing(0)
        name.addWidget(label("Mixbit", "page"))
        name.addWidget(label(VERSION, "muted"))
        head.addLayout(name)
        head.addStretch()
        column.addLayout(head)
        column.addSpacing(14)
        self._claim = label()
        self._claim.setWordWrap(True)
        column.addWidget(self._claim)
        column.addSpacing(10)
        self._open, self._project, self._compare = button(primary=True), button(), button()
        self._open.clicked.connect(self._actions.open_model)
        self._project.clicked.connect(self._actions.open_project)
        self._compare.clicked.connect(self._actions.compare_dumps)
        for part in (self._open, self._project, self._compare):
            part.setProperty("tall", True)
            column.addWidget(part)
        column.addSpacing(12)
        self._steps_title = label(role="strong")
        column.addWidget(self._steps_title)
        self._steps = [StepRow(number) for number in (1, 2, 3)]
        for step in self._steps:
            column.addWidget(step)
        column.addSpacing(6)
        column.addWidget(line())
        column.addSpacing(2)
        self._links = {
            name: self._make_link(column, name, keys)
            for name, keys in (("palette", "Ctrl+Shift+P"), ("shortcuts", "?"), ("figures", ""))
        }
        column.addStretch()
        return side

    def _make_link(self, column: QVBoxLayout, name: str, keys: str) -> QPushButton:
        row = QHBoxLayout()
        link = button(flat=True)
        link.setProperty("start", True)
        link.clicked.connect(getattr(self._actions, name))
        row.addWidget(link)
        row.addStretch()
        if keys:
            row.addWidget(label(keys, "key"), 0, Qt.AlignmentFlag.AlignVCenter)
        column.addLayout(row)
        return link

    def _make_main(self) -> QWidget:
        main = QWidget()
        column = QVBoxLayout(main)
        column.setContentsMargins(48, 44, 48, 24)
        column.setSpacing(0)
        self.drop = DropTarget()
        column.addWidget(self.drop)
        column.addSpacing(30)
        halves = QHBoxLayout()
        halves.setSpacing(32)
        self._recent, self._right = QVBoxLayout(), QVBoxLayout()
        for half in (self._recent, self._right):
            half.setSpacing(8)
            halves.addLayout(half, 1)
        column.addLayout(halves)
        column.addStretch()
        return main

    # content --------------------------------------------------------------------------------------------------------

    def set_session(self, session: Session) -> None:
        """The engine is there: show samples, recent files and the device."""
        self._session = self.drop.session = session
        self.refresh()

    def show_opening(self, path: Path) -> None:
        """Say that a model or project is being opened, also before the engine is there."""
        self.drop.show_opening(path.name)

    def refresh(self) -> None:
        """Read recent files, samples and device again."""
        self._fill_recent()
        self._fill_right()

    def _fill_recent(self) -> None:
        _clear(self._recent)
        self._recent.addWidget(label(self.tr("Recent"), "heading"))
        paths: list[Path] = self._session.recent if self._session is not None else []
        for path in paths[:6]:
            row = RecentRow(path)
            row.clicked.connect(lambda _=False, p=path: self._actions.open_path(p))
            self._recent.addWidget(row)
        if not paths:
            hint = label(self.tr("Models and projects that you open are listed here."), "caption")
            hint.setWordWrap(True)
            self._recent.addWidget(hint)
        self._recent.addStretch()

    def _fill_right(self) -> None:
        _clear(self._right)
        head = QHBoxLayout()
        head.addWidget(label(self.tr("Samples"), "heading"))
        head.addStretch()
        head.addWidget(label(self.tr("trained, with data"), "muted"))
        self._right.addLayout(head)
        if self._session is None:
            self._right.addWidget(label(self.tr("The engine is starting…"), "caption"))
            self._right.addStretch()
            return
        for sample in self._session.samples():
            card = SampleCard(
                sample.titles.get(language(), sample.titles["en"]),
                sample.descriptions.get(language(), sample.descriptions["en"]),
                form.bytes_(sample.file_bytes),
                self.tr("{share} accuracy").format(share=form.accuracy(sample.accuracy)) if sample.accuracy else "",
                sample.name,
            )
            card.clicked.connect(lambda _=False, name=sample.name: self._actions.open_sample(name))
            self._right.addWidget(card)
        self._right.addSpacing(14)
        self._right.addWidget(label(self.tr("Device"), "heading"))
        self._right.addWidget(self._device_box(self._session))
        self._right.addStretch()

    def _device_box(self, session: Session) -> QWidget:
        frame = box()
        row = QHBoxLayout(frame)
        row.setContentsMargins(16, 10, 12, 10)
        row.setSpacing(14)
        mark = QLabel()
        mark.setPixmap(icon("device", theme_manager.theme.text2, 22).pixmap(22, 22))
        row.addWidget(mark)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(label(data_text(session.device.title), "strong"))
        note = label(data_text(session.device.note), "caption")
        note.setWordWrap(True)
        words.addWidget(note)
        row.addLayout(words, 1)
        change = button(self.tr("Change…"))
        change.clicked.connect(self._actions.device)
        row.addWidget(change)
        return frame

    # looks ----------------------------------------------------------------------------------------------------------

    def retranslate(self) -> None:
        """Write all texts again."""
        self._claim.setText(self.tr("Per-layer precision for phone NPUs: what you see is what you export."))
        self._open.setText(self.tr("Open model…"))
        self._project.setText(self.tr("Open project…"))
        self._compare.setText(self.tr("Compare two dumps…"))
        self._steps_title.setText(self.tr("Three steps"))
        for step, (title, detail) in zip(
            self._steps,
            (
                (self.tr("Open an ONNX model"), self.tr("or start from a sample on the right")),
                (self.tr("Give it data"), self.tr("Analyze > Data; samples have theirs")),
                (self.tr("Click precisions, then export"), self.tr("4, 8 and 6 set INT4, INT8 and FP16")),
            ),
            strict=True,
        ):
            step.set_texts(title, detail)
        self._links["palette"].setText(self.tr("Search commands"))
        self._links["shortcuts"].setText(self.tr("Shortcuts"))
        self._links["figures"].setText(self.tr("How figures are computed"))
        self.drop.set_texts(
            self.tr("Drop an .onnx or .mixbit file anywhere in this window"),
            self.tr("external data is read from beside it  ·  the model is only read, never changed"),
        )
        self.refresh()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()

    def _apply_theme(self, theme: Theme) -> None:
        self._open.setIcon(icon("folder", theme.on_accent, 16))
        self._project.setIcon(icon("file", theme.text, 16))
        self._compare.setIcon(icon("swap", theme.text, 16))
        self._links["palette"].setIcon(icon("search", theme.text2, 16))
        self._links["shortcuts"].setIcon(icon("help", theme.text2, 16))
        self._links["figures"].setIcon(icon("info", theme.text2, 16))
        if self._session is not None:
            self._fill_right()


def _clear(column: QVBoxLayout) -> None:
    while column.count():
        item = column.takeAt(0)
        if item is None:
            return
        widget, inner = item.widget(), item.layout()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
        elif isinstance(inner, QHBoxLayout):
            while (part := inner.takeAt(0)) is not None:
                child = part.widget()
                if child is not None:
                    child.hide()
                    child.deleteLater()
