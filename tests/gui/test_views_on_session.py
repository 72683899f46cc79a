"""The table views on a real session: a click on the table reaches every figure, and nothing waits for anything."""

import itertools
import sys
from collections import Counter

import numpy as np
import pytest
from PySide6.QtCore import Qt

from engine.precision.scheme import INT4, INT8
from engine.session import Session
from gui.bridge import Dispatcher
from gui.theme import LIGHT
from gui.views.jobs import JobsView
from gui.views.kernel import KernelView
from gui.views.layers import LayersView
from gui.views.log import LogView
from gui.views.preflight import PreflightView
from gui.views.session_view import SessionView
from gui.views.summary import SummaryView

LEFT, NO = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
VIEWS = (LayersView, SummaryView, KernelView, PreflightView, JobsView, LogView)


@pytest.fixture
def live(qtbot):
    """A session with the smallest sample open and evaluated, and every view on it."""
    dispatcher = Dispatcher()
    session = Session(dispatch=dispatcher.dispatch)
    views = {}
    for make in VIEWS:
        view = views[make] = make(session, LIGHT)
        qtbot.addWidget(view)
        view.resize(1114 if make is LayersView else 322, 700)
        view.show()
    session.open_sample("mobile_vision_encoder")
    qtbot.waitUntil(lambda: ready(session), timeout=20_000)
    yield session, views
    for view in views.values():
        view.dispose()
    session.close()


def ready(session):
    return session.figures.evaluation is not None and not session.staleness.stale and not session.jobs.active


def click_segment(qtbot, view, kernel, family):
    view.refresh_now()
    view.table.scrollTo(view.model.index(view.model.row_of(kernel), 0))
    qtbot.mouseClick(view.table.viewport(), LEFT, NO, view.table.segment_rect(kernel, family).center())


def test_one_click_changes_size_latency_and_error_on_the_screen(live, qtbot):
    session, views = live
    layers, summary = views[LayersView], views[SummaryView]
    summary.refresh_now()
    before = {key: card.look.value for key, card in summary.cards.items()}
    kernel = session.network.tunable[-1]
    local = session.local[kernel.id, session.plan.scheme(kernel.id)].sqnr_db
    click_segment(qtbot, layers, kernel.index, "INT8")
    assert session.plan.scheme(kernel.id) == INT8
    qtbot.waitUntil(lambda: ready(session), timeout=20_000)
    for view in views.values():
        view.refresh_now()
    after = {key: card.look.value for key, card in summary.cards.items()}
    assert after["size"] != before["size"]
    assert after["sqnr"] != before["sqnr"]
    rows = layers.model.rows
    assert rows.local_db[kernel.index] == pytest.approx(session.local[kernel.id, INT8].sqnr_db)
    assert rows.local_db[kernel.index] < local
    assert rows.weight_bytes[kernel.index] == session.figures.size.per_kernel[kernel.id]
    assert rows.differs.tolist() == [k.id == kernel.id for k in session.network.kernels]
    assert np.isfinite(rows.latency_us).all()


def test_figures_of_an_older_plan_are_marked_until_the_new_ones_are_there(live, qtbot):
    session, views = live
    layers = views[LayersView]
    seen = []

    def watch(change):
        layers.refresh_now()
        seen.append(bool(layers.model.rows.accumulated_stale.any()))

    stop = session.subscribe(watch)
    session.set_scheme([session.network.tunable[1].id], INT4)
    qtbot.waitUntil(lambda: ready(session), timeout=20_000)
    stop()
    layers.refresh_now()
    assert seen[0]
    assert not layers.model.rows.accumulated_stale.any()


def test_a_bulk_edit_names_its_price_before_the_click_and_keeps_its_word(live, qtbot):
    session, views = live
    layers = views[LayersView]
    session.apply_preset("fp16")
    qtbot.waitUntil(lambda: ready(session), timeout=20_000)
    session.select([k.id for k in session.network.tunable[:3]])
    layers.refresh_now()
    bar = layers.bulk_bar
    qtbot.waitUntil(lambda: "latency" in bar.price.text(), timeout=10_000)
    assert bar.target() == "INT8"
    promised = bar.price.text()
    old = session.figures
    layers.edits.set_family("INT8")
    qtbot.waitUntil(lambda: ready(session), timeout=20_000)
    latency = session.figures.simulation.latency_us - old.simulation.latency_us
    size = (session.figures.size.total - old.size.total) / 1024
    assert f"{abs(latency):.1f}" in promised
    assert f"{abs(size):.1f}" in promised


def test_what_if_agrees_with_what_the_edit_then_brings(live, qtbot):
    session, views = live
    inspector = views[KernelView]
    kernel = session.network.tunable[2]
    session.select([kernel.id], kernel.id)
    inspector.refresh_now()
    qtbot.waitUntil(lambda: any(r.scheme == INT8 and r.latency_us for r in inspector.table.rows), timeout=10_000)
    promised = next(r for r in inspector.table.rows if r.scheme == INT8)
    session.set_scheme([kernel.id], INT8)
    qtbot.waitUntil(lambda: ready(session), timeout=20_000)
    assert session.figures.simulation.kernels[kernel.index].latency_us == pytest.approx(promised.latency_us)
    assert promised.local_db == pytest.approx(session.local[kernel.id, INT8].sqnr_db)


def test_jobs_and_log_tell_what_happened(live, qtbot):
    _, views = live
    jobs, log = views[JobsView], views[LogView]
    jobs.refresh_now()
    log.refresh_now()
    assert jobs.model.jobs
    assert not any(job.active for job in jobs.model.jobs)
    assert any("mobile_vision_encoder" in str(entry.text) for entry in log.model.entries)


def test_a_toggle_costs_the_window_little(live, qtbot, monkeypatch):
    """What the window's own thread does for one edit, counted in redraws and in function calls per redraw."""
    session, views = live
    kernel = session.network.tunable[2]
    drawn, calls = Counter(), Counter()
    original = SessionView.redraw

    def redraw(view: SessionView) -> None:
        counted = itertools.count()
        sys.setprofile(lambda *_: next(counted))
        try:
            original(view)
        finally:
            sys.setprofile(None)
        done = next(counted)
        if done > 20:  # else nothing was due
            drawn[type(view).__name__] += 1
            calls[type(view).__name__] = max(calls[type(view).__name__], done)

    monkeypatch.setattr(SessionView, "redraw", redraw)
    session.set_scheme([kernel.id], INT4)
    assert not drawn  # an edit draws nothing before events have had their turn
    qtbot.waitUntil(lambda: ready(session), timeout=20_000)
    qtbot.waitUntil(lambda: not any(view._dirty and view.isVisible() for view in views.values()), timeout=20_000)
    assert drawn["LayersView"] >= 2  # the new scheme at once, its figures afterwards
    # Plan, cost, heat, local error, error at the output, all errors, and each job that starts or ends.
    assert max(drawn.values()) <= 12
    assert max(calls.values()) < 10_000
