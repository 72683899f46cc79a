"""Summary: the answer first (which budgets hold), then six figures, then the precision mix."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from engine.jobs import Job
from engine.precision.plan import Plan
from engine.precision.scheme import label
from engine.session.changes import Change, What
from engine.text import Text, say
from gui import format as form
from gui.bridge import hub
from gui.i18n import text as translated
from gui.icons import pixmap
from gui.theme import Theme
from gui.views.layers_rows import Support
from gui.views.plan_words import plan_word
from gui.views.price import Pricer
from gui.views.session_view import SessionView
from gui.views.summary_cards import FIGURES, Card, card_of, cards
from gui.views.summary_fix import Fix, cheapest, proposals
from gui.views.summary_fix_box import FixBox
from gui.views.summary_mix import PrecisionMix, strips
from gui.views.summary_verdict import Statement, statement
from gui.widgets.empty import EmptyState
from gui.widgets.icon_button import IconButton
from gui.widgets.scrolling import scrolling
from gui.widgets.summary_card import CardLook, SummaryCard
from gui.widgets.themed import button
from gui.widgets.themed import label as text_label
from gui.widgets.verdict import Verdict

if TYPE_CHECKING:
    from engine.session import Session

WHO = "summary"
NOTES_FROM = 306
"""Below this width the explaining lines of the cards are left out."""
SPIN_MS = 100


class SummaryView(SessionView):
    """Verdict, cards and mix of the current plan."""

    WATCHES: ClassVar[frozenset[What]] = frozenset(
        {What.PLAN, What.DATA, What.DEVICE, What.SIMULATION, What.EVALUATION, What.SENSITIVITY, What.JOBS}
    )
    RANK: ClassVar[int] = 1

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self.verdict = Verdict()
        self.fix_box = FixBox()
        self.dropped = text_label(role="caption")
        """Says why the fix that was on show is not any more."""
        self._tried: tuple[Plan, Fix] | None = None
        """The plan that was to be mended, and the fix that was proposed for it."""
        self.cards = {figure.key: SummaryCard() for figure in FIGURES}
        self.mix = PrecisionMix()
        self.synthetic = QWidget()
        self.empty = EmptyState()
        self._found: list[Card] = []
        self._again = button(link=True)
        self._again.hide()
        self._pages = QStackedWidget()
        self._budgets_button = IconButton("settings")
        self._support = Support(session)
        self._pricer = Pricer(session, "cheapest fix", lambda: self.mark_dirty(What.PLAN))
        self._spin = QTimer(self)
        self._spin.setInterval(SPIN_MS)
        self._spin.timeout.connect(self._turn)
        self._lay_out()
        self._budgets_button.clicked.connect(lambda: self.command_wanted.emit("budgets"))
        self.fix_box.applied.connect(self._on_apply)
        self.retranslate()
        self.apply_theme(theme)
        self.refresh(frozenset({What.MODEL}))

    def _lay_out(self) -> None:
        self._again.clicked.connect(lambda: self.command_wanted.emit("measure_again"))
        self.verdict.body.addWidget(self._again, 0, Qt.AlignmentFlag.AlignLeft)
        self.verdict.body.addWidget(self.fix_box)
        self.dropped.setWordWrap(True)
        self.dropped.hide()
        self.verdict.body.addWidget(self.dropped)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.verdict)
        column.addWidget(self._synthetic_line())
        for card in self.cards.values():
            column.addWidget(card)
        column.addWidget(self.mix)
        column.addStretch(1)
        self._pages.addWidget(scrolling(content))
        self._pages.addWidget(self.empty)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._pages)

    def _synthetic_line(self) -> QWidget:
        self._warning = QLabel()
        self._indicative = text_label(role="caption")
        self._indicative.setWordWrap(True)
        self._choose_data = button(link=True)
        self._choose_data.clicked.connect(lambda: self.command_wanted.emit("data"))
        row = QHBoxLayout(self.synthetic)
        row.setContentsMargins(14, 6, 8, 2)
        row.setSpacing(6)
        row.addWidget(self._warning, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._indicative, 1)
        row.addWidget(self._choose_data)
        return self.synthetic

    # What the dock asks for.

    def title(self) -> str:
        """Name of the dock."""
        return self.tr("Summary")

    def subtitle(self) -> str:
        """Which plan is compared with which."""
        if self.session.network is None or self.session.previous is None:
            return ""
        now, before = plan_word(self.shown.plan.name), plan_word(self.shown.previous_plan.name)
        if now and before and now != before:
            return self.tr("{0} against {1}").format(now, before)
        return self.tr("against {0}").format(before) if before and before != now else self.tr("against the last plan")

    def header_widgets(self) -> list[QWidget]:
        """Budgets."""
        return [self._budgets_button]

    def retranslate(self) -> None:
        """Write the texts again."""
        self._budgets_button.set_tip(self.tr("Budgets…"))
        self.empty.set_texts(self.tr("Open a model to see what it costs and how far it is from its budgets."))
        self._indicative.setText(self.tr("Synthetic input: errors are indicative only."))
        self._choose_data.setText(self.tr("Choose data…"))
        self._again.setText(self.tr("Measure again"))
        self.fix_box.retranslate()
        self.mark_dirty(What.PLAN)

    def apply_theme(self, theme: Theme) -> None:
        """Use other colours."""
        super().apply_theme(theme)
        self._warning.setPixmap(pixmap("triangle", theme.warn, 14, 2.0))

    def dispose(self) -> None:
        """Stop listening."""
        self._spin.stop()
        self._pricer.stop()
        super().dispose()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the notes out where they have no room."""
        super().resizeEvent(event)
        for card in self.cards.values():
            card.set_notes(self.width() >= NOTES_FROM)

    # Drawing.

    def changed_by_other(self, change: Change) -> None:
        """Mark the error at the output at once when it belongs to the plan before, and show the new one at once too.

        It is what an edit is watched for, and all else of the view takes several times as long to draw.
        """
        card, session = self.cards["sqnr"], self.session
        look = card.look
        if hub.peek or not self._found or session.figures.evaluation is None:
            return
        if change.what is What.PLAN and session.staleness.output_stale and not look.stale:
            card.set_look(replace(look, stale=True, delta="", state="busy", gauge=replace(look.gauge, stale=True)))
        elif change.what is What.EVALUATION and look.stale and not session.staleness.output_stale:
            card.set_look(_look(card_of(session, "sqnr", self._support), working=False))

    def refresh(self, changes: frozenset[What]) -> None:
        """Write everything that is known."""
        if What.MODEL in changes:
            self._support.forget()
        network = self.session.network
        self._pages.setCurrentIndex(0 if network is not None else 1)
        if network is None:
            self._spin.stop()
            self.subtitle_changed.emit()
            return
        job = self._job()
        found = cards(self.shown, self._support)
        for card in found:
            self.cards[card.key].set_look(_look(card, job is not None), among_others=True)
            self.cards[card.key].setToolTip(card.tip)
        self._found = found
        busy = self._speak(job)
        self._again.setVisible(job is None and self.session.stopped)
        self._propose()
        self.synthetic.setVisible(self.session.data is not None and self.session.data.synthetic)
        self.mix.show_strips(strips(self.shown))
        if busy and self.isVisible():
            self._spin.start()
        elif not busy:
            self._spin.stop()
        self.subtitle_changed.emit()

    def _speak(self, job: Job | None) -> bool:
        """Say how the cards stand against their budgets; True while that is being found out."""
        said = statement(self._found, translated(job.message) if job is not None and job.message is not None else "")
        failed = self._failed() if job is None and said.state == "busy" else None
        if failed is not None:
            said = Statement("missed", self.tr("The output error could not be computed"), translated(failed))
        elif job is None and self.session.stopped:
            said = Statement("near", self.tr("Measuring was stopped"), self.tr("The error on show is out of date."))
        busy = said.state == "busy" and job is not None
        state = said.state if said.state != "busy" or busy else "none"
        self.verdict.show_state(state, said.title, said.detail, job.fraction if busy and job is not None else None)
        return busy

    def _job(self) -> Job | None:
        """The job whose end brings new figures."""
        active = [job for job in self.session.jobs.active if job.lane == "engine"]
        return active[0] if active else None

    def _failed(self) -> Text | None:
        """Why the newest job that should have brought figures did not."""
        jobs = [job for job in self.session.jobs.history if job.lane == "engine"]
        return jobs[-1].error if jobs and jobs[-1].state == "failed" else None

    def _turn(self) -> None:
        """Turn the spinners and follow the progress; the job is polled."""
        if not self.isVisible():
            self._spin.stop()
            return
        turn = time.monotonic() % 1.0
        self.verdict.set_turn(turn)
        for card in self.cards.values():
            card.set_turn(turn)
        job = self._job()
        if job is not None:  # when it ends, the session says so
            self._speak(job)

    # The cheapest fix.

    def _propose(self) -> None:
        fixes = proposals(self.session)
        shown = None
        if fixes:
            wanted = [self.session.plan, *(fix.plan for fix in fixes)]
            self._pricer.ask(wanted)
            prices = {plan: price for plan in wanted if (price := self._pricer.known(plan)) is not None}
            fix, now = cheapest(fixes, prices), prices.get(self.session.plan)
            if fix is not None and now is not None:
                self.fix_box.show_fix(self.session, fix, now, prices[fix.plan])
                self.session.try_plan(fix.plan)
                shown = fix
                self._tried = (self.session.plan, fix)
        self.fix_box.setVisible(shown is not None)
        words = self._why_dropped() if not fixes else ""
        self.dropped.setText(words)
        self.dropped.setVisible(bool(words))

    def _why_dropped(self) -> str:
        """What the last proposal for this plan gained when it was measured; empty where none was found wanting."""
        required, evaluation = self.session.budgets.min_sqnr_db, self.session.figures.evaluation
        if self._tried is None or self._tried[0] != self.session.plan or self.session.staleness.stale:
            return ""
        if required is None or evaluation is None:
            return ""
        measured = self.session.known(self._tried[1].plan)
        if measured is None or evaluation.output.sqnr_db >= required or measured.output.sqnr_db >= required:
            return ""
        gain = form.signed(form.sqnr(measured.output.sqnr_db - evaluation.output.sqnr_db))
        count = len(self._tried[1].changes)
        return self.tr(
            "Raising %n kernel(s) was measured: {gain}, which is not enough; Search looks further.", "", count
        ).format(gain=gain)

    def _on_apply(self, fix: Fix) -> None:
        network = self.session.network
        if network is None or any(all(k.id != kernel for k in network.kernels) for kernel, _ in fix.changes):
            return
        kernel, scheme = fix.changes[0]
        if len(fix.changes) == 1:
            title = say("{scheme} for {kernel}", scheme=label(scheme), kernel=network.by_id(kernel).name)
        else:
            title = say("Raise {count} kernels", count=len(fix.changes))
        self.session.apply_plan(fix.plan, title, who=WHO)
        self.session.select([kernel for kernel, _ in fix.changes], kernel, who=WHO)


def _look(card: Card, working: bool) -> CardLook:
    open_one = card.stale or card.pending
    state = "busy" if open_one and working else "none" if open_one else card.state
    return CardLook(
        name=card.title,
        value=f"~{card.figure}" if card.indicative and not card.stale and not card.pending else card.figure,
        unit=card.unit if not card.pending else "",
        band=card.band,
        requirement=card.requirement,
        delta=card.delta,
        delta_up=None if card.delta_helps is None else not card.delta.startswith("−"),
        delta_good=card.delta_helps,
        note=card.note,
        state=state,
        stale=card.stale,
        gauge=card.gauge,
    )
