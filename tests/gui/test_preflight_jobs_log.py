import time
from dataclasses import replace
from pathlib import Path

import pytest
from fakes import FakeSession, running_job
from msgspec.structs import replace as changed
from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication

from engine.jobs import Job
from engine.precision.scheme import FP16, INT4
from engine.session.changes import What
from engine.session.state import Budgets, LogEntry
from engine.text import say
from gui.fonts import font
from gui.reports import without_paths
from gui.theme import LIGHT
from gui.views.jobs import JobsView, bar_rect
from gui.views.jobs_model import listed, state_words
from gui.views.log import LogView
from gui.views.log_report import report
from gui.views.preflight import PreflightView
from gui.views.preflight_findings import findings

LEFT, NO = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
N = "\u202f"


def shown(qtbot, view):
    qtbot.addWidget(view)
    view.resize(452, 220)
    view.show()
    qtbot.waitExposed(view)
    view.refresh_now()
    return view


def finding(session, words):
    return next((f for f in findings(session) if words in f.title), None)


# Preflight.


def test_cpu_kernels_are_found_with_their_share(session):
    found = finding(session, "runs on the CPU")
    assert found.severity == "warn"  # no kernel of the NPU waits for it
    assert found.kernels == (54,)
    share = session.figures.simulation.kernels[54].latency_us / session.figures.simulation.latency_us
    assert f"{100 * share:.0f}{N}%" in found.detail


def test_launch_bound_kernels_are_counted(session):
    bound = [i for i, c in enumerate(session.figures.simulation.kernels) if c.bound == "Launch"]
    found = finding(session, "launch-bound")
    assert found.kernels == tuple(bound)
    assert found.severity == "info"


def test_kernels_that_their_scheme_slows_down_are_named_with_the_price(session):
    assert finding(session, "slower than FP16") is None
    kernels = list(session.figures.simulation.kernels)
    index = next(k.index for k in session.network.tunable if session.plan.scheme(k.id) == INT4)
    base = session.baseline.simulation.kernels[index].latency_us
    kernels[index] = changed(kernels[index], latency_us=base + 10)
    session.figures = replace(session.figures, simulation=replace(session.figures.simulation, kernels=tuple(kernels)))
    found = finding(session, "slower than FP16")
    assert found.title.startswith("INT4 makes")
    assert found.kernels == (index,)
    assert f"+10.0{N}µs" in found.detail


def test_schemes_without_native_support_are_grouped_by_reason(session):
    ids = [k.id for k in session.network.kernels if k.kind == "depthwise"][:2]
    session.plan = session.plan.with_schemes(dict.fromkeys(ids, INT4))
    found = finding(session, "not native")
    assert len(found.kernels) == 2
    assert "INT4 depthwise" in found.detail


def test_overflow_is_the_worst_there_is(session):
    kernel = session.network.tunable[3]
    session.plan = session.plan.with_schemes({kernel.id: FP16})
    session.local[kernel.id, FP16] = replace(session.local[kernel.id, FP16], nonfinite=7)
    found = findings(session)[0]
    assert found.severity == "bad"
    assert "overflows in FP16" in found.title
    assert finding(session, "overflows").kernels == (kernel.index,)


def test_imprecise_kernels_need_a_requirement(session):
    assert finding(session, "miss the required") is not None
    session.budgets = Budgets(min_sqnr_db=None)
    assert finding(session, "miss the required") is None


def test_a_click_on_a_finding_selects_its_kernels(session, qtbot):
    view = shown(qtbot, PreflightView(session, LIGHT))
    places = []
    view.command_wanted.connect(places.append)
    row = next(i for i, f in enumerate(view.model.findings) if f.kernels == (54,))
    qtbot.mouseClick(view.list.viewport(), LEFT, NO, view.list.visualRect(view.model.index(row)).center())
    assert session.selection == ("k54",)
    assert places == []
    qtbot.keyClick(view.list, Qt.Key.Key_Return)
    assert places == ["timeline"]
    tip = view.model.data(view.model.index(row), Qt.ItemDataRole.ToolTipRole)
    assert "take it out of the model" in tip
    view.dispose()


def test_the_badge_counts_what_is_broken_or_near_it(session, qtbot):
    view = shown(qtbot, PreflightView(session, LIGHT))
    assert view.badge() == str(sum(f.severity != "info" for f in findings(session)))
    session.close_model()
    view.refresh_now()
    assert view.badge() == ""
    assert view.empty.isVisible()
    view.dispose()


# Jobs.


def done(number, lane="engine", seconds=2.0, state="done"):
    job = Job(number, say("Work {number}", number=number), lane, state=state)
    job.started_at, job.finished_at = 10.0, 10.0 + seconds
    return job


def test_running_jobs_come_first_and_short_queries_are_left_out():
    running = Job(2, say("Run"), "engine", state="running")
    history = [done(1), running, done(3), done(4, "query", 0.01), done(5, "query", 0.9)]
    assert [job.id for job in listed(history)] == [2, 5, 3, 1]


def test_states_in_words():
    assert state_words(done(1, seconds=0.041)) == f"41{N}ms"
    assert state_words(done(1, state="failed")) == f"failed after 2.0{N}s"
    assert state_words(Job(1, say("x"), "engine")) == "queued"


def test_the_cross_cancels_its_job_and_no_other(session: FakeSession, qtbot):
    view = shown(qtbot, JobsView(session, LIGHT))
    assert view.empty.isVisible()
    first, second = running_job(session, say("One"), 0.2), running_job(session, say("Two"), 0.6)
    view.refresh_now()
    assert view._poll.isActive()
    row = next(i for i, job in enumerate(view.model.jobs) if job is first)
    cross = view.delegate.cancel_rect(view.list.visualRect(view.model.index(row))).center()
    qtbot.mouseClick(view.list.viewport(), LEFT, NO, cross)
    assert first.token.cancelled
    assert not second.token.cancelled
    view.list.setCurrentIndex(view.model.index(1 - row))
    qtbot.keyClick(view.list, Qt.Key.Key_Delete)
    assert second.token.cancelled
    view.dispose()


@pytest.mark.parametrize("words", ["Kernel 7", "Measuring kernel 12 of 79 with four weight methods", ""])
def test_what_a_job_does_is_read_whole_where_it_fits(session, qtbot, words):
    """Words of 250 px in the 356 px of a small screen: the bar goes under them."""
    view = shown(qtbot, JobsView(session, LIGHT))
    width = QFontMetrics(font(11)).horizontalAdvance(words)
    view.resize(max(356, width + 80), 180)
    job = running_job(session, say("Comparing weight methods"), 0.5)
    job.message = say(words) if words else None
    view.refresh_now()
    row = view.list.visualRect(view.model.index(0))
    line = QRect(row.x() + 38, row.y() + 20, row.width() - 76, 15)
    bar = bar_rect(line, width, row.bottom())
    words_from = bar.right() + 10 if bar.y() < line.bottom() else line.x()
    assert words_from + width <= line.right() + 1
    assert row.contains(bar.toRect())
    assert bar.width() >= 60
    seen = view.list.viewport().grab().toImage()
    ratio = seen.devicePixelRatio()
    at = QPointF(bar.x() + bar.width() * 0.25, bar.center().y()) * ratio
    assert seen.pixelColor(at.toPoint()) == LIGHT.accent
    view.dispose()


def test_a_click_beside_the_cross_cancels_nothing(session, qtbot):
    view = shown(qtbot, JobsView(session, LIGHT))
    job = running_job(session, say("One"), 0.2)
    view.refresh_now()
    qtbot.mouseClick(view.list.viewport(), LEFT, NO, view.list.visualRect(view.model.index(0)).center())
    assert not job.token.cancelled
    view.dispose()


def test_polling_ends_with_the_last_job(session, qtbot):
    view = shown(qtbot, JobsView(session, LIGHT))
    job = running_job(session, say("One"), 0.2)
    view.refresh_now()
    job.state = "failed"
    job.error, job.details = say("It broke."), "Traceback"
    session.emit(What.JOBS)
    view.refresh_now()
    assert not view._poll.isActive()
    menu = view.row_menu(view.model.index(0))
    next(a for a in menu.actions() if a.text() == "Copy details").trigger()
    assert "It broke." in QGuiApplication.clipboard().text()
    assert "Traceback" in QGuiApplication.clipboard().text()
    view.dispose()


def test_a_sweep_is_paused_and_goes_on_and_its_pause_counts_for_nothing(session, qtbot):
    view = shown(qtbot, JobsView(session, LIGHT))
    live = running_job(session, say("Evaluating"), 0.2)
    job = Job(100, say("Sweep"), "sweep", state="running", fraction=0.5)
    job.started_at = job.submitted_at - 10.0
    session.jobs.history.append(job)
    session.emit(What.JOBS)
    view.refresh_now()
    row = next(i for i, each in enumerate(view.model.jobs) if each is job)
    place = view.delegate.pause_rect(view.list.visualRect(view.model.index(row))).center()
    qtbot.mouseClick(view.list.viewport(), LEFT, NO, place)
    assert job.paused
    assert state_words(job).startswith("paused after")
    before = job.seconds
    qtbot.waitUntil(lambda: time.monotonic() - job._paused_at > 0.05)
    assert job.seconds == before
    view.list.setCurrentIndex(view.model.index(row))
    qtbot.keyClick(view.list, Qt.Key.Key_Space)
    assert not job.paused
    assert job.seconds < before + 0.05 + 2.0
    other = next(i for i, each in enumerate(view.model.jobs) if each is live)
    view.list.setCurrentIndex(view.model.index(other))
    qtbot.keyClick(view.list, Qt.Key.Key_Space)  # what answers an edit is never paused
    assert not live.paused
    actions = {a.text(): a.isEnabled() for a in view.row_menu(view.model.index(other)).actions()}
    assert actions["Pause"] is False
    view.dispose()


# Log.


@pytest.fixture
def logged(session):
    session.log = [
        LogEntry("info", say("Opened {file}.", file="/home/anna/secret/net.onnx")),
        LogEntry("warning", say("Only {count} samples.", count=8)),
        LogEntry("error", say("It broke."), details='File "C:\\Users\\anna\\x.py", line 3'),
    ]
    return session


def test_levels_filter_and_are_remembered(logged, qtbot):
    view = shown(qtbot, LogView(logged, LIGHT))
    assert len(view.model.entries) == 3
    view.levels.setFocus()
    qtbot.keyClick(view.levels, Qt.Key.Key_Right)
    assert [e.level for e in view.model.entries] == ["warning", "error"]
    state = view.save_state()
    other = shown(qtbot, LogView(logged, LIGHT))
    other.restore_state(state)
    assert len(other.model.entries) == 2
    view.dispose()
    other.dispose()


def test_new_lines_are_added_without_losing_the_selection(logged, qtbot):
    view = shown(qtbot, LogView(logged, LIGHT))
    view.list.setCurrentIndex(view.model.index(1))
    logged.log.append(LogEntry("info", say("More.")))
    logged.emit(What.LOG)
    view.refresh_now()
    assert len(view.model.entries) == 4
    assert view.list.currentIndex().row() == 1
    view.dispose()


def test_details_unfold_under_the_entry_that_has_some(logged, qtbot):
    view = shown(qtbot, LogView(logged, LIGHT))
    row = view.list.visualRect(view.model.index(2)).center()
    qtbot.mouseClick(view.list.viewport(), LEFT, NO, row)
    assert view.details.isVisible()
    assert "line 3" in view.details.toPlainText()
    qtbot.mouseClick(view.list.viewport(), LEFT, NO, view.list.visualRect(view.model.index(0)).center())
    assert not view.details.isVisible()
    view.dispose()


def test_a_sentence_that_is_cut_is_read_below(logged, qtbot):
    long = "To get the errors that are shown, run the file with a session setting; it stands in its metadata, too."
    logged.log.append(LogEntry("info", say(long)))
    view = shown(qtbot, LogView(logged, LIGHT))
    view.list.setFocus()
    view.list.setCurrentIndex(view.model.index(0))
    assert not view.details.isVisible()
    for _ in range(3):
        qtbot.keyClick(view.list, Qt.Key.Key_Down)
    assert view.details.isVisible()
    assert view.details.toPlainText() == long
    view.dispose()


def test_a_bug_report_has_versions_and_model_but_no_folders(logged):
    logged.log += [
        LogEntry("info", say("Wrote {path}.", path=Path("/home/anna lee/secret plans/out.json"))),
        LogEntry("info", say("{why} Again.", why=say("{file} is gone.", file="/home/anna lee/secret/a b.onnx"))),
    ]
    words = report(logged)
    assert "Wrote …/out.json." in words
    assert "…/a b.onnx is gone. Again." in words
    assert "onnxruntime" in words
    assert logged.network.graph.sha256[:12] in words
    assert "net.onnx" in words
    assert "anna" not in words
    assert "secret" not in words


def test_the_copy_button_copies_sentences_with_one_and_with_many(logged, qtbot):
    opened = "Opened {file}: {count} {count:kernel|kernels}."
    for count in (1, 75):
        logged.log.append(LogEntry("info", say(opened, file=Path("/home/anna/n.onnx"), count=count)))
    logged.log.append(LogEntry("info", say("It said: {why}", why=say(opened, file="/home/anna/n.onnx", count=2))))
    view = shown(qtbot, LogView(logged, LIGHT))
    view.copy_button.show()
    qtbot.mouseClick(view.copy_button, LEFT)
    words = QGuiApplication.clipboard().text()
    for line in ("Opened …/n.onnx: 1 kernel.", "Opened …/n.onnx: 75 kernels.", "It said: Opened …/n.onnx: 2 kernels."):
        assert line in words
    view.dispose()


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("/home/anna/x/net.onnx is bad", "…/net.onnx is bad"),
        ("C:\\Users\\anna\\net.onnx", "…/net.onnx"),
        ("~/models/a.onnx", "…/a.onnx"),
        ("12 µs/kernel and 3/4", "12 µs/kernel and 3/4"),
        ('File "/home/anna lee/my models/x.py", line 3', 'File "…/x.py", line 3'),
        ("open('C:\\\\Users\\\\anna lee\\\\a b.onnx')", "open('…/a b.onnx')"),
        ("\\\\server\\anna\\net.onnx", "…/net.onnx"),
    ],
)
def test_only_folders_are_cut_away(words, kept):
    assert without_paths(words) == kept


def test_findings_are_laid_out_anew_when_a_scroll_bar_takes_some_of_their_width(session, qtbot, monkeypatch):
    view = shown(qtbot, PreflightView(session, LIGHT))
    asked, seen = [], view.list.viewport()
    monkeypatch.setattr(view.list, "scheduleDelayedItemsLayout", lambda: asked.append(seen.width()), raising=False)
    seen.resize(seen.width() - 10, seen.height())
    assert asked == [seen.width()]
    seen.resize(seen.width(), seen.height() - 10)
    assert len(asked) == 1
    view.dispose()


def test_words_of_a_finding_are_broken_into_lines_once_for_each_width(session, qtbot, monkeypatch):
    view = shown(qtbot, PreflightView(session, LIGHT))
    delegate, asked = view._delegate, []
    measured = delegate._measured
    monkeypatch.setattr(delegate, "_measured", lambda found, width: asked.append(width) or measured(found, width))
    found = view.model.findings[0]
    wide, narrow = delegate._heights(found, 900), delegate._heights(found, 150)
    assert sum(narrow) > sum(wide)
    assert (delegate._heights(found, 900), delegate._heights(found, 150)) == (wide, narrow)
    assert asked == [900, 150]
    longer = replace(found, detail=f"{found.detail} {found.detail}")
    assert delegate._heights(longer, 150)[1] > narrow[1], "other words, other lines"
    view.dispose()
