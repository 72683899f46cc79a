"""What all table views have in common: they follow the session, and redraw at most 40 times a second, when seen."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, cast

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from engine.session.changes import Change, What
from gui.bridge import hub
from gui.theme import Theme
from gui.views.peek import PreviousPlan
from gui.views.turns import turns
from gui.widgets.behind import BehindMark

if TYPE_CHECKING:
    from engine.session import Session

FRAME_MS, CALM_FRAME_MS, BUSY_FRAME_MS = 25, 150, 700
"""Least time from one redraw to the next: of the views where an edit is answered, of all others, and of these while
jobs bring new figures all the time."""
LONGEST_PAUSE_MS = 2000
HOLD_MS, EDIT_LEAD_MS, LEAD_MS = 75, 95, 300
"""How long the table (once it shows the new precision) and the Summary wait for the figures of an edit at most, and how
long all other views let the two go first when an edit or its figures arrive."""
OF_AN_EDIT = frozenset({What.PLAN, What.SIMULATION, What.LOCAL, What.EVALUATION, What.JOBS})
OF_A_PLAN = frozenset({What.PLAN, What.DEVICE})
"""After these nothing on show is true any more."""
QUICK_SPACE, CALM_SPACE, BUSY_SPACE = 1, 5, 40
"""A view that takes long to redraw waits this many times as long before it does so again, just as above."""


class SessionView(QWidget):
    """A view of one session. Subclasses say what they watch and how they redraw."""

    subtitle_changed = Signal()
    command_wanted = Signal(str)
    """A button of the view asks for a command of `gui.commands` by its id."""
    WATCHES: ClassVar[frozenset[What]] = frozenset(What)
    """Changes that make a redraw necessary; a new model always does."""
    RANK: ClassVar[int] = 2
    """Views with a lower number are redrawn first."""
    MARKS_BEHIND: ClassVar[bool] = True
    """Whether it is marked from an edit until it is redrawn, if it lets others go first."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.theme = theme
        self._dirty: set[What] = set()
        self._drawn_at = 0.0
        self._lacks_output = False
        """Whether the last redraw had to do without the output error of the plan."""
        self._due_since = 0.0
        self._took_ms = 0.0
        self.patient = False
        """Whether the first redraw need not come with the first showing."""
        self.unfilled = False
        """Whether it is on show and waits for that first redraw."""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._on_timeout)
        self._behind_mark: BehindMark | None = None
        self._unsubscribe: Callable[[], None] | None = session.subscribe(self._on_change)
        hub.peek_changed.connect(self._on_peek)

    @property
    def shown(self) -> Session:
        """What to read figures from: the session, or while P is held the same with the compared plan in it."""
        return cast("Session", PreviousPlan(self.session)) if hub.peek and self.session.previous else self.session

    @property
    def model_hash(self) -> str:
        """Of the model that is open; "" without one."""
        return self.session.network.graph.sha256 if self.session.network is not None else ""

    def title(self) -> str:
        """Name of the dock."""
        raise NotImplementedError

    def subtitle(self) -> str:
        """Quiet text after the title."""
        return ""

    def header_widgets(self) -> list[QWidget]:
        """Controls for the right side of the dock header."""
        return []

    def save_state(self) -> dict[str, object]:
        """What should be found again next time, as plain values."""
        return {}

    def restore_state(self, state: dict[str, object]) -> None:
        """Take back what `save_state` gave; unknown or odd entries are ignored."""

    def retranslate(self) -> None:
        """Write all texts again in the language in use."""

    def apply_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.theme = theme

    def refresh(self, changes: frozenset[What]) -> None:
        """Redraw what these changes touch."""
        raise NotImplementedError

    def changed_by_other(self, change: Change) -> None:
        """React at once to a change; called before the redraw is put down."""

    def mark_dirty(self, *changes: What) -> None:
        """Redraw soon, and only if somebody sees it."""
        if not self._dirty:
            self._due_since = time.monotonic()
        self._dirty.update(changes)
        if self.isVisible() and not self._timer.isActive():
            if self.RANK < 2:
                least, space = FRAME_MS, QUICK_SPACE
            elif self.session.jobs.active:
                least, space = BUSY_FRAME_MS, BUSY_SPACE
            else:
                least, space = CALM_FRAME_MS, CALM_SPACE
            pause = max(least, min(space * self._took_ms, LONGEST_PAUSE_MS))
            wait = pause - 1000 * (time.monotonic() - self._drawn_at)
            if self._lacks_output and not self.session.staleness.output_stale:
                wait = 0  # what was waited for longest is there
            self._timer.start(max(self._lead(), round(wait)))

    def _lead(self) -> int:
        """How long, in ms, to let views of a lower rank go first."""
        if self.RANK == 0 or not self._dirty <= OF_AN_EDIT:
            return 0
        if self.RANK >= 2:
            return LEAD_MS
        return EDIT_LEAD_MS if self._awaits() else 0

    def _awaits(self) -> bool:
        """Whether an edit is to be answered whose figures are on their way: one redraw then shows them all."""
        if What.PLAN not in self._dirty:
            return False
        session = self.session
        return not session.figures.simulated or (session.data is not None and session.staleness.output_stale)

    def refresh_now(self) -> None:
        """Redraw what is due, all of it, without waiting."""
        self._catch_up()

    def _catch_up(self) -> None:
        """Redraw what is due now; what a view works out in slices comes with them."""
        self._timer.stop()
        turns.leave(self)
        self.redraw()

    def draw_first(self) -> None:
        """Redraw what is due with no pause: half a language or half a theme is read as a fault."""
        if self._dirty and self.isVisible():
            self._timer.stop()
            turns.take(self)

    def take_keys(self) -> None:
        """Get the keyboard's focus, as what the layout is about."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def due(self) -> bool:
        """Whether something is to be redrawn once it is this view's turn."""
        return bool(self._dirty)

    @property
    def listening(self) -> bool:
        """Whether `dispose` has not been called yet."""
        return self._unsubscribe is not None

    def dispose(self) -> None:
        """Stop listening."""
        self.unfilled = False
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
            hub.peek_changed.disconnect(self._on_peek)
        self._timer.stop()
        turns.leave(self)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened while nobody looked."""
        super().showEvent(event)
        if self._dirty and self.patient:
            self.unfilled = True
            self._timer.start(0)
        elif self._dirty:
            self._catch_up()
        self.patient = False

    def closeEvent(self, event: QCloseEvent) -> None:
        """A closed view listens no more."""
        self.dispose()
        super().closeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
            for part in self.findChildren(QWidget):  # painted words have no text that Qt could see change
                part.update()
            self.draw_first()

    def _on_change(self, change: Change) -> None:
        if change.what in self.WATCHES or change.what is What.MODEL:
            self.changed_by_other(change)
            if self.RANK < 2 and self._timer.isActive() and self._dirty <= OF_AN_EDIT and not self._awaits():
                self._timer.stop()  # nothing is missing any more
            if change.what is What.PLAN:
                self._step_back()
            self.mark_dirty(change.what)
            if change.what in OF_A_PLAN:
                self._mark_behind()

    def _step_back(self) -> None:
        """Put a redraw off that is due since before an edit: the answer to that goes first. Not for ever."""
        if self.RANK < 2 or not self._timer.isActive() or not self._dirty <= OF_AN_EDIT:
            return
        if 1000 * (time.monotonic() - self._due_since) < LONGEST_PAUSE_MS:
            self._timer.start(max(LEAD_MS, self._timer.remainingTime()))

    def _mark_behind(self) -> None:
        """Say at once that what is on show belongs to the plan or device before."""
        if not (self.MARKS_BEHIND and self.RANK >= 2 and self._dirty and self.isVisible() and self.session.network):
            return
        if self._behind_mark is None:
            self._behind_mark = BehindMark(self)
        self._behind_mark.show_on(self)

    @property
    def marked_behind(self) -> bool:
        """Whether it is marked as showing the plan before an edit."""
        return self._behind_mark is not None and not self._behind_mark.isHidden()

    def _on_peek(self, _: bool) -> None:
        self.mark_dirty(What.PLAN)

    def _on_timeout(self) -> None:
        turns.take(self)

    def redraw(self) -> None:
        """Redraw what is due, in this view's turn."""
        if self._unsubscribe is None or not self._dirty:
            return
        changes, self._dirty, self.unfilled = frozenset(self._dirty), set(), False
        start = time.monotonic()
        self.refresh(changes)
        if self._behind_mark is not None:
            self._behind_mark.hide()
        self._drawn_at = time.monotonic()
        self._took_ms = 1000 * (self._drawn_at - start)
        self._lacks_output = self.RANK == 1 and self.session.staleness.output_stale
