"""An edit of few kernels: the precision at once, the error at the output as soon as it is there, then all else."""

from dataclasses import replace

import pytest
from fake_network import mobilenet
from fake_results import evaluation_of
from fakes import FakeSession
from plot_hand import show
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.precision.presets import preset
from engine.precision.scheme import INT4, INT8
from engine.session.changes import What
from engine.session.state import Staleness
from gui.theme import LIGHT
from gui.views.layers import FEW_KERNELS, SOON_S, LayersView
from gui.views.layers_columns import COLUMNS
from gui.views.session_view import HOLD_MS
from gui.views.summary import SummaryView

KERNEL = 5


class Slow(FakeSession):
    """Says of an edit what the real one says at first; `answer` brings the figures."""

    def set_scheme(self, kernel_ids, scheme, who=""):
        ids = tuple(kernel_ids)
        self.previous_plan, self.plan = self.plan, self.plan.with_schemes(dict.fromkeys(ids, scheme))
        self.kept_local = {(i, scheme): self.local.pop((i, scheme)) for i in ids}
        self.staleness = Staleness(True, KERNEL)
        self.figures = replace(self.figures, plan=self.plan, simulated=False)
        self.emit(What.PLAN, who)
        self.emit(What.EVALUATION, who)

    def simulate(self):
        self.figures = replace(self.figures, simulated=True)
        self.emit(What.SIMULATION)

    def find_local(self):
        self.local.update(self.kept_local)
        self.emit(What.LOCAL)

    def find_output(self):
        self.figures = replace(self.figures, evaluation=evaluation_of(self.network, preset(self.network, "fp16")))
        self.staleness = Staleness(True, KERNEL, output=False)
        self.emit(What.EVALUATION)


class Order(QObject):
    """Notes which of some widgets are painted, one after the other."""

    def __init__(self, **watched):
        super().__init__()
        self.seen = []
        self._names = {widget: name for name, widget in watched.items()}
        for widget in watched.values():
            widget.installEventFilter(self)

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            self.seen.append(self._names[watched])
        return False


@pytest.fixture
def session(qapp):
    made = Slow(mobilenet())
    made.last_output_s = SOON_S / 2
    yield made
    made.jobs.close()


@pytest.fixture
def table(session, qtbot):
    view = show(qtbot, LayersView, session, LIGHT, 1114, 640)
    view.refresh_now()
    return view


@pytest.fixture
def both(session, qtbot):
    """Table and Summary in one window."""
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    table, summary = LayersView(session, LIGHT), SummaryView(session, LIGHT)
    column.addWidget(table)
    column.addWidget(summary)
    window.resize(1114, 900)
    window.show()
    qtbot.waitExposed(window)
    for view in (table, summary):
        view.refresh_now()
    yield table, summary
    for view in (table, summary):
        view.dispose()


def press_key(qtbot, view, kernel, key=Qt.Key.Key_4):
    view.table.scrollTo(view.model.index(view.model.row_of(kernel), 0))
    view.table.select_kernels([kernel], kernel)
    view._push_selection()
    qtbot.wait(20)
    view.refresh_now()
    qtbot.keyClick(view.table, key)


def changed_columns(view):
    """Keys of the columns of which the model says that a cell looks different, as they come."""
    seen = []
    view.model.dataChanged.connect(lambda first, last: seen.append((COLUMNS[first.column()].key, first.row())))
    return seen


def test_a_key_shows_the_precision_at_once_and_the_cells_of_that_row_only(table, session, qtbot):
    other = next(s for s in (INT4, INT8) if s != session.plan.scheme(session.network.kernels[KERNEL].id))
    seen = changed_columns(table)
    press_key(qtbot, table, KERNEL, {INT4: Qt.Key.Key_4, INT8: Qt.Key.Key_8}[other])
    row = table.model.row_of(KERNEL)
    assert ("precision", row) in seen
    assert ("local", row) in seen
    assert {at for _, at in seen} == {row}
    assert table.model.rows.schemes[KERNEL] == other
    assert table.model.rows.local_db[KERNEL] != table.model.rows.local_db[KERNEL], "not known yet"
    assert table._timer.isActive()
    assert table._timer.interval() > HOLD_MS / 2


def test_what_takes_longer_is_not_waited_for(table, session, qtbot):
    session.last_output_s = 2 * SOON_S
    press_key(qtbot, table, KERNEL)
    assert table._timer.interval() < HOLD_MS / 2


def test_an_edit_of_many_kernels_is_drawn_as_a_whole(table, session):
    session.set_scheme([k.id for k in session.network.tunable[: FEW_KERNELS + 1]], INT4)
    assert table._timer.interval() < HOLD_MS / 2


def test_figures_that_do_not_come_are_not_waited_for_long(table, session, qtbot):
    press_key(qtbot, table, KERNEL)
    assert not table.model.rows.accumulated_stale.any()
    qtbot.waitUntil(lambda: bool(table.model.rows.accumulated_stale.any()), timeout=20 * HOLD_MS)
    assert not table.due


def test_the_error_at_the_output_is_painted_first_then_the_table(both, session, qtbot):
    table, summary = both
    card = summary.cards["sqnr"]
    press_key(qtbot, table, KERNEL)
    assert card.look.stale
    session.simulate()
    session.find_local()
    qtbot.wait(10)
    assert table.due, "waits for the error at the output"
    value = card.look.value
    order = Order(card=card, latency=summary.cards["latency"], table=table.table.viewport())
    session.find_output()
    assert not card.look.stale, "before anything is redrawn"
    assert card.look.value != value
    assert table.due
    qtbot.waitUntil(lambda: not table.due and not summary.due, timeout=20 * HOLD_MS)
    qtbot.waitUntil(lambda: "table" in order.seen, timeout=1000)
    assert order.seen[0] == "card"
    assert order.seen.index("card") < order.seen.index("table")
    kernel = session.network.kernels[KERNEL]
    assert table.model.rows.local_db[KERNEL] == session.local[kernel.id, session.plan.scheme(kernel.id)].sqnr_db


def test_the_table_waits_for_the_local_error_too(table, session, qtbot):
    press_key(qtbot, table, KERNEL)
    session.simulate()
    session.find_output()
    assert table._timer.interval() > HOLD_MS / 3
    session.find_local()
    assert table._timer.interval() < HOLD_MS / 3
