"""The Layers table of a model that was just opened comes in over several frames; an edit is answered in the first."""

import pytest
from fakes import running_job
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication

from engine.precision.scheme import INT4, INT8
from engine.session.changes import What
from engine.text import say
from gui.theme import LIGHT
from gui.views.layers import LayersView
from gui.views.layers_columns import BY_KEY, COLUMNS
from gui.views.layers_table import BAND
from gui.widgets.repaints import repaints


class Painted(QObject):
    """Notes the rows that each frame of a table paints, [first, last] of those whose ground is drawn."""

    def __init__(self, table, monkeypatch):
        super().__init__()
        self.frames = []
        self._table = table
        ground = table._delegate._ground

        def note(painter, area, row, current, selected):
            self.frames[-1].add(row)
            ground(painter, area, row, current, selected)

        monkeypatch.setattr(table._delegate, "_ground", note)
        table.viewport().installEventFilter(self)

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            self.frames.append(set())
        return False


@pytest.fixture
def view(session, qtbot):
    made = LayersView(session, LIGHT)
    qtbot.addWidget(made)
    made.resize(1114, 700)
    made.show()
    qtbot.waitExposed(made)
    made.refresh_now()
    yield made
    made.dispose()
    session.jobs.close()


def columns_of(view, qtbot):
    seen = []
    view.model.dataChanged.connect(lambda first, _: seen.append(COLUMNS[first.column()].key))
    return seen


def test_the_rows_of_another_model_come_in_bands_and_all_of_them_come(view, session, qtbot, monkeypatch):
    rows = view.table.viewport().height() // view.table.rowHeight(0)
    assert rows > 2 * BAND
    session.select((), None)
    view.table.verticalScrollBar().setValue(0)
    job = running_job(session, say("Opening"), 0.5)
    session.emit(What.MODEL)
    painted = Painted(view.table, monkeypatch)
    view.refresh_now()
    qtbot.waitUntil(lambda: set().union(*painted.frames) >= set(range(rows)), timeout=2000)
    assert max(map(len, painted.frames)) <= rows - BAND + 1
    assert len(painted.frames[0]) <= BAND + 1
    job.state = "done"
    qtbot.waitUntil(lambda: view.table._band_end is None, timeout=2000)
    painted.frames.clear()
    view.table.viewport().repaint()
    assert painted.frames[0] >= set(range(rows)), "from then on in one"


def test_who_scrolls_meanwhile_sees_every_row(view, session, qtbot, monkeypatch):
    running_job(session, say("Opening"), 0.5)
    session.emit(What.MODEL)
    painted = Painted(view.table, monkeypatch)
    view.refresh_now()
    qtbot.waitUntil(lambda: bool(painted.frames), timeout=2000)
    painted.frames.clear()
    view.table.verticalScrollBar().setValue(view.table.verticalScrollBar().maximum())
    view.table.viewport().repaint()
    first, last = view.table.rowAt(0), view.table.rowAt(view.table.viewport().height() - 1)
    assert set().union(*painted.frames) >= set(range(first, (last if last >= 0 else len(view.model.order) - 1) + 1))
    session.jobs.history[-1].state = "done"


def test_a_column_that_changes_in_all_rows_is_painted_in_bands_and_that_of_the_current_row_first(
    view, session, qtbot, monkeypatch
):
    table = view.table
    rows = table.viewport().height() // table.rowHeight(0)
    session.select((), None)
    table.setCurrentIndex(table.layers.index(rows - 1, 0))
    table.verticalScrollBar().setValue(0)
    qtbot.waitUntil(lambda: not repaints.drop(table.viewport()), timeout=2000)
    QApplication.processEvents()
    painted = Painted(table, monkeypatch)
    for key in ("precision", "local"):
        column = COLUMNS.index(BY_KEY[key])
        table.layers.dataChanged.emit(table.layers.index(0, column), table.layers.index(rows - 1, column))
    qtbot.waitUntil(lambda: set().union(*painted.frames) >= set(range(rows)), timeout=2000)
    assert max(map(len, painted.frames)) <= BAND + 1
    assert rows - 1 in painted.frames[0]
    assert sum(map(len, painted.frames)) <= rows + len(painted.frames), "both columns of a band in one frame"


def test_who_scrolls_before_all_bands_are_painted_sees_no_old_figure(view, qtbot, monkeypatch):
    table, column, first = view.table, COLUMNS.index(BY_KEY["local"]), 5
    table.verticalScrollBar().setValue(0)
    QApplication.processEvents()
    painted = Painted(table, monkeypatch)
    last = table.viewport().height() // table.rowHeight(0) - 1
    table.layers.dataChanged.emit(table.layers.index(first, column), table.layers.index(last, column))
    table.verticalScrollBar().setValue(first - 1)
    assert not repaints.drop(table.viewport()), "what waits is where the rows were"
    qtbot.waitUntil(lambda: set().union(*painted.frames) >= set(range(first, last + 1)), timeout=2000)


def test_figures_of_a_new_model_come_column_by_column_and_those_of_an_edit_at_once(view, session, qtbot):
    session.emit(What.MODEL)
    view.refresh_now()
    kept = dict(session.local)
    session.local.clear()
    session.emit(What.LOCAL)
    view.refresh_now()
    seen = columns_of(view, qtbot)
    session.local.update(kept)
    session.emit(What.LOCAL)
    view.refresh_now()
    assert "local" not in seen
    qtbot.waitUntil(lambda: "local" in seen, timeout=2000)
    seen.clear()
    scheme = INT4 if session.plan.scheme(session.network.tunable[0].id) != INT4 else INT8
    session.set_scheme([k.id for k in session.network.tunable], scheme)
    view.refresh_now()
    assert {"precision", "local", "latency"} <= set(seen)
