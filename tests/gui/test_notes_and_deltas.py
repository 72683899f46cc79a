"""Notes about kernels, and the columns that hold the plan against plan B."""

from math import isnan

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from engine.precision.scheme import INT4
from gui.theme import LIGHT
from gui.views.kernel import KernelView
from gui.views.layers import LayersView
from gui.views.layers_card import card
from gui.views.layers_columns import BY_KEY, COMPARED
from gui.views.layers_flags import flags_of
from gui.views.layers_order import Filter, matching

Key = Qt.Key


@pytest.fixture
def show(qtbot, session):
    made = []

    def make(kind, width=1500, height=640):
        view = kind(session, LIGHT)
        qtbot.addWidget(view)
        view.resize(width, height)
        view.show()
        qtbot.waitExposed(view)
        view.refresh_now()
        made.append(view)
        return view

    yield make
    for view in made:
        view.dispose()


def select(session, view, kernel):
    session.select((kernel.id,), kernel.id)
    view.refresh_now()


def test_a_note_is_written_kept_and_shown_again(show, session, qtbot):
    first, other = session.network.tunable[:2]
    view = show(KernelView, 322, 640)
    select(session, view, first)
    view.note.setFocus()
    QTest.keyClicks(view.note, "saturates at night")
    qtbot.waitUntil(lambda: session.notes == {first.id: "saturates at night"})
    select(session, view, other)
    assert view.note.toPlainText() == ""
    QTest.keyClicks(view.note, "fine")
    select(session, view, first)  # before the wait is over: it belongs to the other kernel
    assert session.notes == {first.id: "saturates at night", other.id: "fine"}
    assert view.note.toPlainText() == "saturates at night"
    view.note.setFocus()
    QTest.keyClicks(view.note, "!")
    QTest.keyClick(view.note, Key.Key_Escape)
    assert view.note.toPlainText() == "saturates at night"
    QTest.keyClicks(view.note, " ")
    view.note.selectAll()
    QTest.keyClick(view.note, Key.Key_Delete)
    QTest.keyClick(view.note, Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert session.notes == {other.id: "fine"}


def test_an_edit_elsewhere_does_not_take_away_what_is_being_written(show, session):
    view = show(KernelView, 322, 640)
    select(session, view, session.network.tunable[0])
    view.note.setFocus()
    QTest.keyClicks(view.note, "half a sen")
    session.set_scheme([session.network.tunable[5].id], INT4)
    view.refresh_now()
    assert view.note.toPlainText() == "half a sen"


def test_a_note_of_a_closed_model_is_not_written_into_the_next(show, session):
    view = show(KernelView, 322, 640)
    select(session, view, session.network.tunable[0])
    view.note.setFocus()
    QTest.keyClicks(view.note, "old model")
    network = session.network
    session.notes = {}
    session.show(network)
    view.refresh_now()
    view.note.keep()
    assert session.notes == {}


def test_notes_are_found_flagged_and_on_the_card(show, session):
    kernel = session.network.tunable[7]
    session.set_note(kernel.id, "Wait for the vendor's fix\nticket 4711 " + "x" * 200)
    view = show(LayersView)
    rows = view.model.rows
    for text in ("ticket 4711", "TICKET", "is:noted"):
        assert list(np.flatnonzero(matching(rows, Filter(text)))) == [kernel.index]
    assert not matching(rows, Filter("is:noted ticket nowhere")).any()
    assert [flag.icon for flag in flags_of(rows, kernel.index)] == ["note"]
    shown = dict(card(rows, kernel.index).rows)["note"]
    assert shown.startswith("Wait for the vendor's fix ticket 4711")
    assert len(shown) <= 64


def test_columns_against_b_come_and_go_with_it_and_agree_with_both_plans(show, session):
    view = show(LayersView)
    assert not COMPARED.keys() & {c.key for c in view.table.columns()}
    session.keep_plan("before")
    changed = session.network.tunable[12]
    assert session.plan[changed.id] != INT4
    session.set_scheme([changed.id], INT4)
    session.kept.compare_with("before")
    view.refresh_now()
    assert COMPARED.keys() <= {c.key for c in view.table.columns()}
    rows, b = view.model.rows, session.kept.b
    for kernel in session.network.kernels:
        i = kernel.index
        mine, other = (f.evaluation.accumulated.get(kernel.id) for f in (session.figures, b))
        if mine is not None and np.isfinite(mine.sqnr_db - other.sqnr_db):
            assert rows.delta_db[i] == pytest.approx(mine.sqnr_db - other.sqnr_db)
        else:
            assert isnan(rows.delta_db[i])
        latency = session.figures.simulation.kernels[i].latency_us - b.simulation.kernels[i].latency_us
        assert rows.delta_us[i] == pytest.approx(latency)
        if kernel.tunable:
            size = session.figures.size.per_kernel[kernel.id] - b.size.per_kernel[kernel.id]
            assert rows.delta_bytes[i] == size
    assert rows.delta_bytes[changed.index] < 0
    assert BY_KEY["delta_weights"].text(rows, changed.index).startswith("−")
    same = next(k for k in session.network.tunable if k.id != changed.id)
    assert BY_KEY["delta_weights"].text(rows, same.index) == "0"
    assert list(np.flatnonzero(matching(rows, Filter("delta_weights<0")))) == [changed.index]
    assert not view.grab().isNull()
    view.table.set_column_shown("delta_latency", False)
    session.kept.compare_with(None)
    view.refresh_now()
    QApplication.processEvents()
    assert not COMPARED.keys() & {c.key for c in view.table.columns()}
    session.kept.compare_with("before")
    view.refresh_now()
    assert "delta_latency" not in {c.key for c in view.table.columns()}
