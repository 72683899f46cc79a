"""Search: a plan under limits, proposed, measured, applied as one step; and what to raise next."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from engine.session.changes import What
from engine.session.kept import free_name
from engine.session.state import Figures
from engine.session.wishes import Found
from engine.text import say
from gui import format as fmt
from gui.i18n import text
from gui.kernel_names import names_of
from gui.theme import Theme
from gui.views.search_form import SearchForm
from gui.views.search_rows import ProposalRow, StepRow
from gui.views.search_words import edits, figures_line, rule_lines, verdict
from gui.views.session_view import SessionView
from gui.widgets.scrolling import scrolling
from gui.widgets.segmented import SegmentedControl
from gui.widgets.themed import button, label, line

if TYPE_CHECKING:
    from engine.session import Session
    from engine.tuning.search import Step

SHOWN_PROPOSALS, SHOWN_STEPS = 8, 6
ORDERS = {"gain": "gain_db", "time": "gain_per_us", "space": "gain_per_byte"}


class SearchView(SessionView):
    """Form above, what was found below; nothing is applied unasked."""

    MARKS_BEHIND = False
    WATCHES: ClassVar[frozenset[What]] = frozenset(
        {
            What.SEARCH,
            What.PLAN,
            What.DATA,
            What.DEVICE,
            What.SIMULATION,
            What.EVALUATION,
            What.JOBS,
            What.SENSITIVITY,
        }
    )

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(session, theme, parent)
        self._chosen: Found | None = None
        self._shown: tuple[object, ...] = ()
        self._for: object = None
        """The network that the form was filled for."""
        self.form = SearchForm(session)
        self.start, self.apply, self.keep = button(primary=True), button(primary=True), button()
        self.start.clicked.connect(self._on_start)
        self.apply.clicked.connect(self._on_apply)
        self.keep.clicked.connect(self._on_keep)
        self.state: QLabel = label("", "muted")
        self.state.setWordWrap(True)
        self.found_title: QLabel = label("", "strong")
        self.rows: list[ProposalRow] = []
        self.steps: list[StepRow] = []
        self.sentences: QLabel = label("")
        self.sentences.setWordWrap(True)
        self.sentences.setMinimumWidth(1)  # a long kernel name must not make the whole panel wider than its dock
        self.sentences.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.next_title: QLabel = label("", "strong")
        self.order = SegmentedControl([(key, key) for key in ORDERS])
        self.order.chosen.connect(lambda _: self._show_steps())
        self._lay_out()
        self.retranslate()
        self.mark_dirty(What.MODEL)

    def _lay_out(self) -> None:
        inner = QWidget()
        inner.setObjectName("dockBody")
        column = QVBoxLayout(inner)
        column.setContentsMargins(10, 10, 12, 12)
        column.setSpacing(7)
        column.addWidget(self.form)
        column.addWidget(self.start)
        column.addWidget(self.state)
        self._rules = line(), line()
        column.addWidget(self._rules[0])
        column.addWidget(self.found_title)
        self._proposals = QVBoxLayout()
        self._proposals.setSpacing(0)
        column.addLayout(self._proposals)
        column.addWidget(self.sentences)
        buttons = QHBoxLayout()
        buttons.addWidget(self.keep)
        buttons.addWidget(self.apply, 1)
        column.addLayout(buttons)
        column.addWidget(self._rules[1])
        head = QHBoxLayout()
        head.addWidget(self.next_title)
        head.addStretch(1)
        head.addWidget(self.order)
        column.addLayout(head)
        self._steps = QVBoxLayout()
        self._steps.setSpacing(0)
        column.addLayout(self._steps)
        column.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolling(inner))

    # -- dock -------------------------------------------------------------------------------------------------------

    def title(self) -> str:
        """Title of the dock."""
        return self.tr("Search")

    def subtitle(self) -> str:
        """What it is for."""
        return self.tr("propose a plan")

    def retranslate(self) -> None:
        """The language has changed."""
        self.setAccessibleName(self.title())
        self.form.retranslate()
        self.found_title.setText(self.tr("Proposals"))
        self.keep.setText(self.tr("Keep"))
        self.keep.setToolTip(self.tr("Keep the proposal as a plan with a name, to compare it with others"))
        self.next_title.setText(self.tr("What to raise next"))
        self.order.set_choices([("gain", self.tr("gain")), ("time", self.tr("per µs")), ("space", self.tr("per byte"))])
        self.order.setAccessibleName(self.tr("Order of the steps"))
        self._shown = ()
        self.mark_dirty(What.MODEL)
        self.subtitle_changed.emit()

    def save_state(self) -> dict[str, object]:
        """What the form holds."""
        return self.form.save_state()

    def restore_state(self, state: dict[str, object]) -> None:
        """Fill it again."""
        if state:
            self.form.restore_state(state)
            self._for = self.session.network

    def refresh(self, changes: frozenset[What]) -> None:
        """Show what there is."""
        session, searches = self.session, self.session.searches
        if session.network is not self._for:
            self._for, self._chosen = session.network, None
            self.form.take_budgets()
        self.form.show_session()
        self.form.setEnabled(session.network is not None)
        ready = session.data is not None
        self.start.setEnabled(ready)
        self.start.setText(self.tr("Stop") if searches.running else self.tr("Search"))
        self.state.setText(self._state())
        self.state.setVisible(bool(self.state.text()))
        if ready and self.isVisible() and not session.staleness.stale:
            searches.explore_once()
            if not searches.steps and changes & {What.EVALUATION, What.SEARCH, What.MODEL}:
                searches.look_ahead()
        self._show_proposals()
        self._show_steps()
        found = bool(self.rows), bool(self.steps)
        self._rules[0].setVisible(any(found))
        self._rules[1].setVisible(all(found))

    def _state(self) -> str:
        session, searches = self.session, self.session.searches
        if session.network is None:
            return self.tr("Open a model to search a plan for it.")
        if session.data is None:
            return self.tr("Waiting for the data.")
        if searches.problem_text is not None:
            return text(searches.problem_text)
        job = searches.job
        if searches.running and job is not None:
            return text(job.message) if job.message is not None else self.tr("Searching…")
        return ""

    # -- what was found ---------------------------------------------------------------------------------------------

    @property
    def chosen(self) -> Found | None:
        """The proposal on show: the one that was clicked, else the newest."""
        proposals = self.session.searches.proposals
        return self._chosen if self._chosen in proposals else (proposals[-1] if proposals else None)

    def _show_proposals(self) -> None:
        session, proposals = self.session, self.session.searches.proposals[-SHOWN_PROPOSALS:]
        self.found_title.setVisible(bool(proposals))
        key = (proposals, self.chosen, session.plan, session.searches.additive)
        if key != self._shown:
            self._shown = key
            _clear(self._proposals, self.rows)
            for found in reversed(proposals):
                self._add_row(found)
        chosen = self.chosen
        count = 0 if chosen is None else edits(session, chosen)
        self.apply.setVisible(chosen is not None)
        self.keep.setVisible(chosen is not None)
        self.apply.setEnabled(count > 0)
        words = self.tr("Apply %n edit(s)", "", count) if count else self.tr("This is the current plan")
        self.apply.setText(words)
        lines = [] if chosen is None else [*verdict(session, chosen), *(f"· {r}" for r in rule_lines(session, chosen))]
        self.sentences.setText("\n".join(lines))
        self.sentences.setToolTip("\n".join(lines))
        self.sentences.setVisible(bool(lines))

    def _add_row(self, found: Found) -> None:
        asked = found.wishes is not None and bool(found.wishes.budgets.given or found.wishes.accuracy_drop is not None)
        state = "bad" if found.overdrawn else "good" if asked else ""
        name = self.tr("Proposal {number}").format(number=found.number)
        detail = self.tr("%n edit(s)", "", edits(self.session, found))
        row = ProposalRow(name, detail, figures_line(found), state)
        row.setChecked(found is self.chosen)
        row.clicked.connect(lambda _=False, found=found: self._choose(found))
        self.rows.append(row)
        self._proposals.addWidget(row)

    def _choose(self, found: Found) -> None:
        self._chosen = found
        self._show_proposals()

    def _show_steps(self) -> None:
        session = self.session
        key = ORDERS[self.order.current]
        steps = sorted(session.searches.steps, key=lambda s: (-getattr(s, key), -s.gain_db))[:SHOWN_STEPS]
        self.next_title.setVisible(bool(steps))
        self.order.setVisible(bool(steps))
        _clear(self._steps, self.steps)
        for step in steps:
            self._add_step(step)

    def _add_step(self, step: Step) -> None:
        network = self.session.network
        if network is None:
            return
        name = network.by_id(step.kernels[0]).name
        short = names_of(network).of(name)
        if len(step.kernels) > 1:
            words = self.tr("{name} and %n more", "", len(step.kernels) - 1)
            name, short = words.format(name=name), words.format(name=short)
        gain = fmt.delta(step.gain_db, fmt.sqnr) if step.noticeable else self.tr("hardly any gain")
        parts = [("≈" + gain) if step.noticeable and not step.measured else gain]
        if step.extra_us is not None:
            parts.append(fmt.delta(step.extra_us, fmt.latency_us))
        parts.append(fmt.delta(step.extra_bytes, fmt.bytes_))
        row = StepRow(name, step.before, step.after, "   ".join(parts), short)
        row.clicked.connect(lambda _=False, step=step: self._raise(step))
        self.steps.append(row)
        self._steps.addWidget(row)

    # -- commands ---------------------------------------------------------------------------------------------------

    def _on_start(self) -> None:
        searches = self.session.searches
        if searches.running:
            searches.stop()
        else:
            self._chosen = None
            searches.start(self.form.wishes())

    def _on_apply(self) -> None:
        found = self.chosen
        if found is not None:
            self.session.apply_plan(found.plan, say("Proposal {number}", number=found.number), type(self).__name__)

    def _on_keep(self) -> None:
        found = self.chosen
        if found is not None:
            kept = self.session.kept
            name = free_name(kept.plans, self.tr("Proposal {number}").format(number=found.number))
            kept.keep(name, found.plan, Figures(found.plan))

    def _raise(self, step: Step) -> None:
        from engine.precision.scheme import label as scheme_label

        network = self.session.network
        if network is not None:
            kernel, scheme = network.by_id(step.kernels[0]).name, scheme_label(step.after)
            plan = self.session.plan.with_schemes(dict.fromkeys(step.kernels, step.after), "")
            self.session.apply_plan(plan, say("{scheme} for {kernel}", scheme=scheme, kernel=kernel),
                                    type(self).__name__)  # fmt: skip


def _clear(column: QVBoxLayout, rows: list[ProposalRow] | list[StepRow]) -> None:
    for row in rows:
        column.removeWidget(row)
        row.hide()
        row.deleteLater()
    rows.clear()
