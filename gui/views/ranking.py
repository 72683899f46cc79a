"""Ranking: kernels by their sensitivity at the output. It ranks by what the output loses, never by local error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from engine.precision.notation import name_of
from engine.session.changes import What
from gui.fonts import font
from gui.i18n import text
from gui.paint import badge, sensitivity_bar
from gui.plots.shapes import plain_text
from gui.plots.table import Table
from gui.theme import Theme
from gui.views.kernel_list import RIGHT, Index, KernelDelegate, KernelListView
from gui.views.ranking_model import (
    AS_PLANNED,
    KERNEL,
    NOW,
    OUT,
    RANK,
    VALUE,
    RankingModel,
    choices,
    ranking,
    scheme_of,
)
from gui.views.ranking_raise import RaiseBar
from gui.views.scheme_menu import kept_schemes
from gui.views.sensitivity_data import Question, used_metric
from gui.views.sweep_controls import QUESTIONS, MenuButton, SweepControls
from gui.views.sweep_words import difference_sentence, question_sentence, question_word, state_words
from gui.widgets.popup import one_use_menu

if TYPE_CHECKING:
    from engine.session import Session

FIGURE = 62.0


class _Delegate(KernelDelegate):
    """Rank, name, badge, figure with its bar, gain."""

    def __init__(self, model: RankingModel, theme: Theme) -> None:
        super().__init__(theme)
        self._model = model

    def paint_cell(self, painter: QPainter, area: QRectF, index: Index, quiet: QColor) -> None:
        """Paint one column."""
        row, theme, model = self._model.rows[index.row()], self.theme, self._model
        if index.column() == RANK:
            plain_text(painter, area, model.rank(index.row()), theme.text, font(12, 500), RIGHT)
        elif index.column() == KERNEL:
            self.paint_name(painter, area, row.name, quiet)
        elif index.column() == NOW:
            badge(painter, QPointF(area.left(), area.center().y() - 8), row.family, row.label, theme)
        elif index.column() == OUT:
            plain_text(
                painter, area, model.gain(row), theme.text if row.gain_db is not None else quiet, font(12), RIGHT
            )
        else:
            figure = QRectF(area.left(), area.top(), FIGURE, area.height())
            plain_text(painter, figure, model.value(row), theme.text if row.cell else quiet, font(12), RIGHT)
            if row.cell is not None or (model.question == "one-out" and row.gain_db is not None):
                bar = QRectF(figure.right() + 8, area.top(), max(20.0, area.width() - FIGURE - 18), area.height())
                estimated = row.cell is not None and row.cell.kind == "estimated"
                sensitivity_bar(painter, bar, row.bar, theme, estimated=estimated)


class RankingView(KernelListView):
    """Worst first, for the schemes in the plan or for one scheme in all kernels; the worst few can be raised."""

    WATCHES: ClassVar[frozenset[What]] = frozenset(
        {What.SENSITIVITY, What.PLAN, What.DATA, What.SELECTION, What.SIMULATION, What.EVALUATION}
    )

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        self.model = RankingModel()
        super().__init__(session, theme, self.model, _Delegate(self.model, theme), parent)
        self.set_columns({RANK: 44, NOW: 74, VALUE: 136, OUT: 84}, KERNEL)
        self.controls = SweepControls(session, self)
        self.controls.changed.connect(lambda: self.mark_dirty(What.MODEL))
        self.asked: Question | None = None
        """What the user wants to be ranked by; None = what there is."""
        self.question_button = MenuButton(self._fill_questions)
        self.choice = MenuButton(self._fill_choices)
        self.chosen = AS_PLANNED
        self.raise_bar = RaiseBar(session, self.who)
        self._page_with_bar()
        self.retranslate()

    def _page_with_bar(self) -> None:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._stack.removeWidget(self.list)
        column.addWidget(self.list, 1)
        self.list.show()  # the stack has hidden it
        column.addWidget(self.raise_bar)
        self.set_page(page)

    def title(self) -> str:
        """Title of the dock."""
        return self.tr("Ranking")

    def header_widgets(self) -> list[QWidget]:
        """What is ranked, by which question and measure, more."""
        return [self.question_button, self.choice, self.controls.metric, self.more]

    def retranslate(self) -> None:
        """The language has changed."""
        super().retranslate()
        self.controls.retranslate()
        self._name_choice()
        self.raise_bar.retranslate()

    def save_state(self) -> dict[str, object]:
        """Question and scheme."""
        return {"question": self.asked or "", "choice": self.chosen}

    def restore_state(self, state: dict[str, object]) -> None:
        """Ask again."""
        self.asked = next((key for key in QUESTIONS if key == state.get("question")), None)
        kept = kept_schemes([state.get("choice")])
        if kept or state.get("choice") == AS_PLANNED:
            self.choose(name_of(kept[0]) if kept else AS_PLANNED)
        self.mark_dirty(What.MODEL)

    @property
    def question(self) -> Question:
        """What is ranked by: unless the user says, measured figures once there is one of every kernel."""
        if self.asked is not None:
            return self.asked
        network, exact, wanted = self.session.network, self.session.sweeps.exact, scheme_of(self.chosen)
        kernels = () if network is None else network.tunable
        there = all((k.id, self.session.plan.scheme(k.id) if wanted is None else wanted) in exact for k in kernels)
        return "one-in" if there else "estimated"

    def ask(self, question: Question) -> None:
        """Rank by another question."""
        self.asked = question
        self.mark_dirty(What.MODEL)

    def _fill_questions(self, menu: QMenu) -> None:
        for key in QUESTIONS:
            action = menu.addAction(question_sentence(key))
            action.setCheckable(True)
            action.setChecked(key == self.question)
            action.triggered.connect(lambda _=False, key=key: self.ask(key))

    def choose(self, key: str) -> None:
        """Rank by the scheme in the plan (AS_PLANNED), or by one scheme for all kernels."""
        self.chosen = key
        self._name_choice()
        self.mark_dirty(What.MODEL)

    def _name_choice(self) -> None:
        word = self.tr("as planned") if self.chosen == AS_PLANNED else self.chosen
        self.choice.set_word(word, self.tr("Scheme whose sensitivity is ranked: {scheme}").format(scheme=word))

    def _fill_choices(self, menu: QMenu) -> None:
        for key in (AS_PLANNED, *choices(self.session)):
            action = menu.addAction(self.tr("as planned") if key == AS_PLANNED else key)
            action.setCheckable(True)
            action.setChecked(key == self.chosen)
            action.triggered.connect(lambda _=False, key=key: self.choose(key))

    def dispose(self) -> None:
        """Stop listening and asking."""
        self.raise_bar.stop()
        super().dispose()

    def menu(self) -> QMenu:
        """Schemes, sweeps, copy and export."""
        menu = one_use_menu(self)
        self.controls.fill_menu(menu)
        self.exporter.fill(menu)
        return menu

    def on_empty_clicked(self) -> None:
        """Start the sweep that answers the question on show."""
        self.controls.choose(self.question)
        self.controls.toggle()

    def kernels(self) -> Sequence[str]:
        """Kernel ids by row."""
        return [row.kernel for row in self.model.rows]

    def card_rows(self, row: int) -> list[tuple[str, str]]:
        """Rank and sensitivity."""
        value = self.model.value(self.model.rows[row])
        return [(self.tr("rank"), str(row + 1)), (question_word(self.question), value)]

    def draw(self) -> None:
        """Rank what is known."""
        session, question = self.session, self.question
        self.controls.choose(question)
        self.question_button.set_word(question_word(question), question_sentence(question))
        self.controls.show_state()
        self.choice.setVisible(question != "one-out")
        rows = ranking(self.shown, self.chosen, question)
        if not rows:
            self.show_no_model(self.tr("Open a model to rank its kernels."))
            return
        words = state_words(session)
        self.set_subtitle(words or self.tr("sensitivity at the output"))
        self.list.horizontalHeader().setToolTip(f"{question_sentence(question)}\n\n{difference_sentence()}")
        known = any(row.cell is not None or row.guess is not None or row.gain_db is not None for row in rows)
        if question == "one-out":
            known = any(row.gain_db is not None for row in rows)
        if not known and not session.sweeping:
            self._show_nothing()
            return
        self.show_page()
        if self.isVisible():
            session.sweeps.confirm()
        self.model.show(rows, used_metric(session), question)
        self.raise_bar.set_order([row.kernel for row in rows])
        self.draw_selection()

    def _show_nothing(self) -> None:
        sweeps = self.session.sweeps
        if self.question == "one-out":
            self.show_empty(difference_sentence(), self.tr("Measure one out"))
        elif sweeps.why_no_estimate is not None:
            self.show_empty(text(sweeps.why_no_estimate), self.tr("Measure instead"))
        elif self.session.data is not None:
            self.show_empty(self.tr("The ranking needs a sensitivity sweep."), self.tr("Start the sweep"))
        else:
            self.show_empty(self.tr("The ranking comes as soon as the data is there."))

    def table(self) -> Table:
        """The rows with plain numbers."""
        return self.model.table()
