"""What is open about a model ends with it, and a click that comes a moment too late does nothing."""

from dataclasses import replace

import pytest
from plot_hand import CTRL, PlotHand, settle, show
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog

from engine.precision.scheme import INT4, INT8
from engine.session.changes import What
from gui.dialogs.data import DataDialog
from gui.dialogs.export import ExportDialog
from gui.settings import Settings
from gui.theme import LIGHT
from gui.views.error_profile import ErrorProfileView
from gui.views.latency import LatencyView
from gui.views.layers_order import Filter
from gui.views.layers_rule_dialog import RuleDialog
from gui.views.scheme_dialog import SchemeDialog
from gui.views.sensitivity import SensitivityView
from gui.views.timeline import TimelineView
from gui.window import Window


@pytest.fixture
def window(qtbot, session):
    made = Window(Settings(None), confirm=False)
    qtbot.addWidget(made)
    made.resize(1440, 900)
    made.show()
    made.set_session(session)
    qtbot.waitExposed(made)
    QApplication.processEvents()
    return made


def open_dialogs(window):
    return [d for d in window.findChildren(QDialog) if d.isVisible()]


OPENERS = {
    ExportDialog: lambda w: w.actions_.export(),
    DataDialog: lambda w: w.actions_.data(),
    RuleDialog: lambda w: w.view("layers").open_bulk_edit(),
    SchemeDialog: lambda w: w.view("layers").edits.edit_scheme(),
}


@pytest.mark.parametrize("kind", OPENERS)
@pytest.mark.parametrize("how", ["closed", "replaced"])
def test_dialogs_about_a_model_close_with_it(window, session, qtbot, kind, how):
    qtbot.waitUntil(lambda: window.host.settled)
    before, listeners = dict(session.plan), session.listeners
    OPENERS[kind](window)
    (dialog,) = open_dialogs(window)
    assert isinstance(dialog, kind)
    assert session.listeners > listeners
    session.close_model() if how == "closed" else session.show(session.network)
    assert open_dialogs(window) == []
    QApplication.processEvents()
    qtbot.waitUntil(lambda: session.listeners == listeners)
    if how == "replaced":
        assert dict(session.plan) == before


def test_a_click_before_the_table_has_heard_of_the_new_model_does_nothing(window, session, qtbot):
    view = window.view("layers")
    view.refresh_now()
    kernel = next(k.index for k in session.network.tunable if session.plan[k.id] == INT8)
    segment = view.table.segment_rect(kernel, "INT4").center()
    edits = []
    session.set_scheme = lambda *args, **kwargs: edits.append(args)
    session.select = lambda *args, **kwargs: edits.append(args)
    plan = session.plan
    session.show(session.network)
    edits.clear()
    QTest.mouseClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=segment)
    view.open_bulk_edit()
    assert edits == []
    assert open_dialogs(window) == []
    assert session.plan == plan
    view.refresh_now()
    QTest.mouseClick(
        view.table.viewport(), Qt.MouseButton.LeftButton, pos=view.table.segment_rect(kernel, "INT4").center()
    )
    assert edits


def test_a_selection_made_elsewhere_stays_when_the_table_gets_the_focus_in_the_same_turn(window, session):
    view = window.view("layers")
    view.refresh_now()
    view.filter_bar.focus_input("is:nothing-matches")
    view.model.set_filter(Filter("features.1"))
    hidden = next(k for k in session.network.kernels if view.model.row_of(k.index) < 0)
    session.select((), None, who="test")
    view.table.clearSelection()
    view.table.setCurrentIndex(view.model.index(-1, -1))
    view._choosing.stop()
    session.select((hidden.id,), hidden.id, who="RooflineView")
    view.table.setFocus(Qt.FocusReason.OtherFocusReason)
    QApplication.processEvents()
    assert (session.selection, session.current) == ((hidden.id,), hidden.id)


def test_of_two_selections_in_one_turn_the_later_holds(window, session):
    view = window.view("layers")
    view.refresh_now()
    ids = [k.id for k in session.network.kernels]
    view.table.selectRow(2)
    session.select((ids[9],), ids[9], who="RooflineView")
    QApplication.processEvents()
    assert session.selection == (ids[9],)
    assert view.table.selected_kernels() == [9]
    view.table.selectRow(view.model.row_of(4))
    QApplication.processEvents()
    assert session.selection == (ids[4],)


def test_a_scheme_is_set_on_what_was_selected_when_it_was_asked_for(window, session, qtbot):
    first, other = (k.id for k in session.network.tunable[3:5])
    view = window.view("layers")
    view.refresh_now()
    session.select((first,), first)
    view.edits.edit_scheme()
    (dialog,) = open_dialogs(window)
    dialog.editor.show_scheme(INT4)
    session.select((other,), other)
    before = session.plan[other]
    dialog.accept()
    assert session.plan[first] == INT4
    assert session.plan[other] == before
    QTest.mouseMove(window, QPoint(1, 1))


@pytest.mark.parametrize("kind", [TimelineView, ErrorProfileView, LatencyView, SensitivityView])
def test_the_next_model_is_shown_whole(session, qtbot, kind):
    view = show(qtbot, kind, session, LIGHT)
    assert view.span.is_fit
    PlotHand(view).wheel((view.span.low + view.span.high) / 2, 5, CTRL)
    assert not view.span.is_fit
    session.emit(What.PLAN)
    settle(view)
    assert not view.span.is_fit, "an edit leaves it where it is"
    session.show(replace(session.network, graph=replace(session.network.graph, sha256="1" * 64)))
    settle(view)
    assert view.span.is_fit


@pytest.mark.parametrize("kind", [TimelineView, ErrorProfileView, LatencyView])
def test_a_project_finds_its_part_again_though_it_is_restored_before_it_is_drawn(session, qtbot, kind):
    view = show(qtbot, kind, session, LIGHT)
    for _ in range(3):
        PlotHand(view).key(Qt.Key.Key_W)
    before, state = (view.span.low, view.span.high), view.save_state()
    other = show(qtbot, kind, session, LIGHT)
    network = session.network
    session.close_model()
    other.restore_state(state)
    session.show(network)
    settle(other)
    assert (other.span.low, other.span.high) == pytest.approx(before)
