"""Work in slices between other events, and Preflight that looks at a model in them."""

import pytest
from fakes import FakeSession
from PySide6.QtCore import QObject

from engine.session.changes import What
from gui.views import preflight, slices
from gui.views.preflight import PreflightView
from gui.views.slices import Slices


@pytest.fixture(autouse=True)
def one_step_per_slice(monkeypatch):
    monkeypatch.setattr(slices, "SLICE_S", -1.0)


def test_each_slice_is_an_event_of_its_own(qtbot):
    owner, done, told = QObject(), [], []
    work = Slices(owner)
    work.start((done.append(i) for i in range(4)), lambda: told.append("first"))
    assert done == [0]
    qtbot.waitUntil(lambda: bool(told), timeout=1000)
    assert done == [0, 1, 2, 3]
    assert not work._timer.isActive()
    work.start((done.append(i) for i in range(4, 8)), lambda: told.append("older"))
    work.start((done.append(i) for i in range(8, 12)), lambda: told.append("newer"))
    work.finish()
    assert done[4:] == [4, 8, 9, 10, 11]
    assert told == ["first", "newer"]
    work.start(iter(range(3)), lambda: told.append("stopped"))
    work.stop()
    work.finish()
    assert told == ["first", "newer"]
    assert not work._timer.isActive()


def test_preflight_shows_nothing_before_all_is_looked_at(qtbot, session, theme):
    view = PreflightView(session, theme)
    qtbot.addWidget(view)
    view.refresh_now()
    assert view.model.findings
    shown = view.model.findings
    session.budgets = type(session.budgets)()  # without requirements
    view.refresh(frozenset({What.PLAN}))
    assert view._looking._timer.isActive()
    assert view.model.findings == shown
    qtbot.waitUntil(lambda: view.model.findings != shown, timeout=2000)
    assert not view._looking._timer.isActive()
    view.refresh(frozenset({What.PLAN}))
    view.dispose()
    assert not view._looking._timer.isActive()


def test_a_model_that_has_gone_has_no_findings(qtbot, theme, monkeypatch):
    session = FakeSession()
    view = PreflightView(session, theme)
    qtbot.addWidget(view)
    assert view.model.findings == []
    assert preflight.worded(iter(())) == []


def test_a_view_that_comes_up_works_in_slices_too(qtbot, session, theme, monkeypatch):
    looked = []
    view = PreflightView(session, theme)
    qtbot.addWidget(view)
    view.refresh_now()
    monkeypatch.setattr(preflight, "finding_steps", lambda _: (looked.append(i) or [] for i in range(6)))
    view.mark_dirty(What.PLAN)
    view.show()
    assert len(looked) == 1
    qtbot.waitUntil(lambda: len(looked) == 6, timeout=2000)
    view.dispose()
