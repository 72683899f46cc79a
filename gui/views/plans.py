"""Plans: those that are kept by name, side by side with the current one, and one of them against it in detail."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFileDialog, QMenu, QSplitter, QStackedWidget, QToolTip, QVBoxLayout, QWidget

from engine.errors import MixbitError
from engine.precision.scheme import label
from engine.session.changes import What
from gui import folders
from gui.dialogs.replace import unless_exists
from gui.i18n import text as translated
from gui.plots.export import Exporter
from gui.theme import Theme
from gui.views.plan_words import plan_word
from gui.views.plans_ab import DifferencesView, TransitionMatrix, pairs_of
from gui.views.plans_list import PlansList
from gui.views.plans_model import PlansModel, plan_rows
from gui.views.session_view import SessionView
from gui.widgets.empty import EmptyState
from gui.widgets.icon_button import IconButton
from gui.widgets.popup import one_use_menu

if TYPE_CHECKING:
    from engine.session import Session

WHO = "plans"
LEAST_TABLE = 340
"""Px that the table of differences needs beside the matrix."""


class PlansView(SessionView):
    """List above, A against B below; beside each other where the dock is wide."""

    MARKS_BEHIND = False
    WATCHES: ClassVar[frozenset[What]] = frozenset(
        {What.PLAN, What.SIMULATION, What.EVALUATION, What.DEVICE, What.DATA}
    )

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self.model = PlansModel(lambda name, to: session.kept.rename(name, to), self._refuse)
        self.list = PlansList(self.model, theme)
        self.matrix = TransitionMatrix(theme)
        self.differences = DifferencesView(session, theme)
        self.below = QSplitter(Qt.Orientation.Horizontal)
        self.below.addWidget(self.matrix)
        self.below.addWidget(self.differences)
        self.below.setStretchFactor(1, 1)
        self.below.setChildrenCollapsible(False)
        self.split = QSplitter(Qt.Orientation.Vertical)
        self.split.addWidget(self.list)
        self.split.addWidget(self.below)
        self.exporter = Exporter(self, None, self.model.table, self.title)
        self.add, self.against = IconButton("plus"), IconButton("swap")
        self.more = IconButton("more", token="muted")
        self.empty = EmptyState()
        self._pages = QStackedWidget()
        self._pages.addWidget(self.split)
        self._pages.addWidget(self.empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._pages)
        self.add.clicked.connect(self.keep)
        self.against.clicked.connect(lambda: self.compare(self.list.chosen))
        self.list.selectionModel().selectionChanged.connect(lambda *_: self._show_against())
        self.more.clicked.connect(lambda: self._popup(self.menu(), self.more.mapToGlobal(QPoint(0, 24))))
        self.list.apply_pressed.connect(self.apply)
        self.list.delete_pressed.connect(lambda name: self._guarded(lambda: session.kept.delete(name)))
        self.list.customContextMenuRequested.connect(
            lambda at: self._popup(self.menu(), self.list.viewport().mapToGlobal(at))
        )
        self.matrix.chosen.connect(self._select_pair)
        self.empty.clicked.connect(lambda: self.command_wanted.emit("open_model"))
        self.retranslate()
        self.refresh(frozenset({What.MODEL}))

    # dock -----------------------------------------------------------------------------------------------------------

    def title(self) -> str:
        """Name of the dock."""
        return self.tr("Plans")

    def subtitle(self) -> str:
        """How many are kept."""
        count = len(self.session.kept.plans)
        return self.tr("%n kept", "", count) if count else ""

    def header_widgets(self) -> list[QWidget]:
        """Keep, compare, more."""
        return [self.add, self.against, self.more]

    def retranslate(self) -> None:
        """Write the texts again."""
        self.add.set_tip(self.tr("Keep the current plan by a name"))
        self._show_against()
        self.more.set_tip(self.tr("More"))
        self.list.setAccessibleName(self.tr("Plans"))
        self.matrix.setAccessibleName(self.tr("Transitions between precisions, from A to B"))
        self.empty.set_texts(self.tr("Open a model to keep plans and compare them here."), self.tr("Open a model…"))
        self.model.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.model.columnCount() - 1)
        self.mark_dirty(What.PLAN)
        self.subtitle_changed.emit()

    def apply_theme(self, theme: Theme) -> None:
        """Use other colours."""
        super().apply_theme(theme)
        self.list.apply_theme(theme)
        self.matrix.apply_theme(theme)
        self.differences.apply_theme(theme)
        self._write_matrix()

    def dispose(self) -> None:
        """Stop listening."""
        self.differences.dispose()
        super().dispose()

    def refresh(self, changes: frozenset[What]) -> None:
        """Show plans and figures."""
        self._pages.setCurrentIndex(0 if self.session.network is not None else 1)
        chosen = self.list.chosen
        self.model.show(plan_rows(self.session))
        if chosen and self.list.chosen != chosen:
            self.list.choose(chosen)
        compared = self.session.kept.b is not None
        self.below.setVisible(compared)
        self._show_against()
        self._write_matrix()
        self.subtitle_changed.emit()

    def _compare_words(self, name: str) -> str:
        return self.tr("Compare no more") if name == self.session.kept.b_name else self.tr("Compare with (B)")

    def _show_against(self) -> None:
        """The button is about the chosen plan."""
        name = self.list.chosen
        self.against.setEnabled(bool(name))
        self.against.set_tip(self._compare_words(name) if name else self.tr("Choose a kept plan to compare with"))

    def _write_matrix(self) -> None:
        pairs = pairs_of(self.session)
        self.matrix.show_pairs(pairs, self.tr("{count} kernels: {a} in A, {b} in B"))
        sides = len({name for pair in pairs for name in pair})
        width = TransitionMatrix.SIDE + sides * TransitionMatrix.CELL + 2
        if self.matrix.width() != width:
            self.matrix.setFixedWidth(width)
            self.below.setSizes([width, max(1, self.below.width() - width)])
        self.matrix.setVisible(bool(pairs) and self.below.width() > width + LEAST_TABLE)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stand side by side where that leaves both enough room."""
        super().resizeEvent(event)
        wide = self.width() > 900 and self.width() > 2 * self.height()
        self.split.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)
        self._write_matrix()

    # doing ----------------------------------------------------------------------------------------------------------

    def keep(self) -> None:
        """Keep the current plan and let its name be written."""
        if self.session.network is None:
            return
        name = self.session.kept.free_name(plan_word(self.session.plan.name) or self.tr("Plan"))
        if self._guarded(lambda: self.session.keep_plan(name)):
            self.refresh_now()
            self.list.setFocus()
            self.list.choose(name, edit=True)

    def apply(self, name: str) -> None:
        """Make a kept plan the current one."""
        self._guarded(lambda: self.session.apply_kept(name, who=WHO))

    def compare(self, name: str) -> None:
        """Make a kept plan B, or no plan if it is that already."""
        wanted = None if name == self.session.kept.b_name else name
        self._guarded(lambda: self.session.kept.compare_with(wanted))

    def duplicate(self, name: str) -> None:
        """Keep a plan a second time."""
        self._guarded(lambda: self.session.kept.duplicate(name))

    def export(self, name: str, path: Path) -> None:
        """Write a kept plan as a plan file."""
        self._guarded(lambda: self.session.export_kept(name, path))

    def menu(self) -> QMenu:
        """What can be done with the chosen plan, then with all."""
        menu, name = one_use_menu(self), self.list.chosen
        entries: list[tuple[str, Callable[[], object]]] = [
            (self.tr("Apply"), lambda: self.apply(name)),
            (self._compare_words(name), lambda: self.compare(name)),
            (self.tr("Rename"), lambda: self.list.choose(name, edit=True)),
            (self.tr("Duplicate"), lambda: self.duplicate(name)),
            (self.tr("Export…"), lambda: self._ask_export(name)),
            (self.tr("Delete"), lambda: self._guarded(lambda: self.session.kept.delete(name))),
        ]
        for title, act in entries:
            action = menu.addAction(title)
            action.setEnabled(bool(name))
            action.triggered.connect(lambda _=False, act=act: act())
        menu.addSeparator()
        keep = menu.addAction(self.tr("Keep the current plan"))
        keep.setEnabled(self.session.network is not None)
        keep.triggered.connect(lambda _=False: self.keep())
        measure = menu.addAction(self.tr("Measure again with the data in use"))
        kept = self.session.kept
        measure.setEnabled(self.session.data is not None and not all(map(kept.up_to_date, kept.plans)))
        measure.triggered.connect(lambda _=False: kept.measure())
        menu.addSeparator()
        self.exporter.fill(menu)
        if kept.b is not None:
            differing = menu.addMenu(self.tr("Differences of A and B"))
            self.differences.exporter.fill(differing)
        return menu

    def _popup(self, menu: QMenu, at: QPoint) -> None:
        menu.popup(at)

    def _ask_export(self, name: str) -> None:
        dialog = QFileDialog(self, self.tr("Export {plan}").format(plan=name))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)  # a suffix may be added yet: asked later
        dialog.setNameFilter(self.tr("Plans (*.json)"))
        dialog.setDefaultSuffix("json")
        dialog.selectFile(folders.to_save(self, f"{name}.json".replace("/", "_")))
        dialog.fileSelected.connect(lambda path: unless_exists(Path(path), self, lambda: self.export(name, Path(path))))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _select_pair(self, a: str, b: str) -> None:
        network, other = self.session.network, self.session.kept.b
        if network is None or other is None:
            return
        plan = self.session.plan
        ids = [k.id for k in network.tunable if label(plan.scheme(k.id)) == a and label(other.plan.scheme(k.id)) == b]
        if ids:
            self.session.select(ids, ids[0], who=WHO)

    def _guarded(self, act: Callable[[], object]) -> bool:
        try:
            act()
        except MixbitError as error:
            self._refuse(translated(error.text))
            return False
        return True

    def _refuse(self, sentence: str) -> None:
        """Say at the place why not."""
        row = max(0, self.list.currentIndex().row())
        at = self.list.viewport().mapToGlobal(self.list.corner(row).toPoint())
        QToolTip.showText(at, sentence, self.list)
