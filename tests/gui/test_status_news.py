"""The status bar tells what was written, and a job's progress only ever grows."""

import shutil
from pathlib import Path

import pytest
from fakes import running_job
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from engine.jobs import Job, JobContext
from engine.session import Session
from engine.session.samples import find_sample
from engine.session.state import Budgets
from engine.text import say
from gui import format as form
from gui.bridge import Dispatcher
from gui.i18n import set_language, text
from gui.settings import Settings
from gui.status_row import StatusRow
from gui.views.jobs_model import state_words
from gui.views.summary_cards import cards
from gui.views.summary_verdict import statement
from gui.window import Window


def test_an_export_is_told_with_the_way_to_its_folder(qtbot, tmp_path, monkeypatch):
    dispatcher, opened = Dispatcher(), []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(Path(url.toLocalFile())))
    session = Session(dispatch=dispatcher.dispatch)
    window = Window(Settings(None), confirm=False)
    qtbot.addWidget(window)
    window.show()
    window.set_session(session)
    session.open_sample("mobile_vision_encoder")
    qtbot.waitUntil(lambda: session.network is not None, timeout=20_000)
    status = window.status
    assert not status._news_box.isVisible()
    session.export("plan", tmp_path / "net.plan.json")
    qtbot.waitUntil(status._news_box.isVisible, timeout=20_000)
    assert (tmp_path / "net.plan.json").is_file()
    assert status._news.text() == "Wrote net.plan.json"
    assert status._news.toolTip() == str(tmp_path / "net.plan.json")
    assert status._open_folder.toolTip() == str(tmp_path)
    qtbot.mouseClick(status._open_folder, Qt.MouseButton.LeftButton)
    assert opened == [tmp_path]
    status._news_timer.setInterval(1)
    session.save_project(tmp_path / "net.mixbit")
    qtbot.waitUntil(lambda: status._news.text() == "Wrote net.mixbit", timeout=5_000)
    qtbot.waitUntil(lambda: not status._news_box.isVisible(), timeout=5_000)
    window.close()


@pytest.mark.parametrize(
    ("seconds", "shown"), [(None, ""), (0.0, ""), (0.4, ""), (0.5, ""), (0.6, "0:01"), (75.0, "1:15")]
)
def test_time_left_is_told_only_while_there_is_some(seconds, shown):
    assert form.time_left(seconds) == shown


def test_neither_the_status_bar_nor_the_job_list_says_no_time_left(qtbot, session):
    window = Window(Settings(None), confirm=False)
    qtbot.addWidget(window)
    window.show()
    window.set_session(session)
    job = running_job(session, say("Sensitivity sweep"), 0.999)
    qtbot.waitUntil(lambda: window.status._job_box.isVisible(), timeout=2000)
    assert window.status._left.text() == ""
    assert "left" not in state_words(job)
    session.jobs.history.clear()


def test_progress_of_one_job_never_goes_back():
    job = Job(1, say("Sensitivity sweep"), "engine")
    context, seen = JobContext(job, job.token), []
    for fraction in (0.2, 0.7, 0.1, 0.69, 0.8, 2.0):
        context.progress(fraction, say("Sensitivity sweep"))
        seen.append(job.fraction)
    assert seen == [0.2, 0.7, 0.7, 0.7, 0.8, 1.0]


def test_one_budget_is_not_told_as_several(session):
    session.budgets = Budgets(min_sqnr_db=1.0, max_latency_us=1e9, max_skin_c=None)
    session.make_stale(30)
    assert statement(cards(session), "").title == "1 budget met, 1 being checked"


def test_an_edit_that_a_lock_stops_is_answered(qtbot, monkeypatch):
    dispatcher = Dispatcher()
    session = Session(dispatch=dispatcher.dispatch)
    window = Window(Settings(None), confirm=False)
    qtbot.addWidget(window)
    window.resize(1280, 800)
    window.show()
    window.set_session(session)
    session.open_sample("mobile_vision_encoder")
    qtbot.waitUntil(lambda: session.network is not None and window.host.settled, timeout=20_000)
    window.activateWindow()
    status, table = window.status, window.view("layers").table
    head = session.network.tunable[-1]
    table.setFocus()
    session.select([head.id], head.id)
    qtbot.waitUntil(table.hasFocus)
    QTest.keyClick(table, Qt.Key.Key_L)
    assert session.locked == {head.id}
    assert not status._news_box.isVisible()
    before = session.plan
    QTest.keyClick(table, Qt.Key.Key_8)
    assert session.plan == before
    assert status._news_box.isVisible()
    assert status._news.text() == "1 locked layer keeps its precision."
    assert not status._open_folder.isVisible()
    status._news_timer.setInterval(1)
    session.apply_preset("int4")
    assert "depthwise" in session.log[-2].text.template
    assert status._news.toolTip() == "1 locked layer keeps its precision."
    qtbot.waitUntil(lambda: not status._news_box.isVisible(), timeout=5_000)
    window.close()


def test_a_paused_job_has_no_time_left(qtbot, session, monkeypatch):
    window = Window(Settings(None), confirm=False)
    qtbot.addWidget(window)
    window.show()
    window.set_session(session)
    job = running_job(session, say("Sensitivity sweep"), 0.02)
    qtbot.waitUntil(lambda: "left" in window.status._left.text(), timeout=2000)
    job.lane = "sweep"
    job.pause()
    assert job.paused
    qtbot.waitUntil(lambda: window.status._left.text() == "paused", timeout=2000)
    job.resume()
    qtbot.waitUntil(lambda: "left" in window.status._left.text(), timeout=2000)
    session.jobs.history.clear()


def test_a_table_that_a_view_has_saved_is_told_like_any_export(qtbot, session, tmp_path):
    window = Window(Settings(None), confirm=False)
    qtbot.addWidget(window)
    window.show()
    window.set_session(session)
    qtbot.waitUntil(lambda: window.host.settled, timeout=15_000)
    status = window.status
    window.view("error").exporter.save("png", tmp_path / "errors.png")
    assert status._news.text() == "Wrote errors.png"
    assert status._open_folder.isVisible()
    window.view("layers").copies.write_csv(tmp_path / "layers.csv")
    assert status._news.text() == "Wrote layers.csv"
    window.close()


def test_news_follow_the_language_and_take_the_place_of_the_detail_where_it_is_narrow(qtbot, session, tmp_path):
    window = Window(Settings(None), confirm=False)
    qtbot.addWidget(window)
    window.resize(1280, 800)
    window.show()
    window.set_session(session)
    status = window.status
    sentence = say("{count} locked {count:layer keeps its|layers keep their} precision.", count=2)
    status.show_note(sentence)
    assert status._news.toolTip() == "2 locked layers keep their precision."
    assert not status._detail.isVisible()
    set_language("zh")
    QApplication.processEvents()
    assert status._news.toolTip() == text(sentence) != str(sentence)
    status.show_written(tmp_path / "net.onnx")
    set_language("en")
    QApplication.processEvents()
    assert status._news.text() == "Wrote net.onnx"
    status._end_news()
    assert status._detail.isVisible()
    window.close()


def test_words_beside_a_job_are_cut_with_dots_and_are_whole_again_after_it(qtbot, session):
    status = StatusRow()
    qtbot.addWidget(status)
    status.show()
    status.refresh(session)
    detail = status._detail
    for wide in range(760, 1400, 10):  # as wide as this font needs
        status.resize(wide, status.height())
        QApplication.processEvents()
        if detail.shown() == detail.text():
            break
    assert detail.shown() == detail.text() != ""
    job = running_job(session, say("Opening {file}", file="a_recogniser_of_its_own_v4.onnx"), 0.3)
    status.refresh(session)
    qtbot.waitUntil(lambda: status._job_box.isVisible() and detail.shown() != detail.text())
    for width in range(500, wide, 20):
        status.resize(width, status.height())
        QApplication.processEvents()
        shown = detail.shown()
        assert shown in ("", detail.text()) or shown.endswith("…")
        assert detail.fontMetrics().horizontalAdvance(shown) <= detail.width()
    assert detail.toolTip() == detail.text()
    status.resize(wide, status.height())
    session.jobs.history.remove(job)
    status.refresh(session)
    qtbot.waitUntil(lambda: detail.shown() == detail.text())
    status.stop()


def test_a_project_that_another_window_has_open_is_told_without_a_question(qtbot, tmp_path):
    project, windows = tmp_path / "net.mixbit", []
    for _ in range(2):
        session = Session(dispatch=Dispatcher().dispatch, recovery=tmp_path / "recovery")
        window = Window(Settings(None), confirm=False)
        qtbot.addWidget(window)
        window.show()
        window.set_session(session)
        windows.append(window)
    first, second = windows
    first.session.open_sample("mobile_vision_encoder")
    qtbot.waitUntil(lambda: first.session.network is not None, timeout=20_000)
    first.session.save_project(project)
    second.session.open_project(project)
    qtbot.waitUntil(second.status._news_box.isVisible, timeout=20_000)
    words = "This project is open in another window; saving asks first."
    assert second.status._news.toolTip() == words
    assert QApplication.activeModalWidget() is None
    assert words in [text(entry.text) for entry in second.session.log]
    for window in windows:
        window.close()


def test_who_comes_back_to_the_window_hears_that_the_model_was_written_anew(qtbot, tmp_path):
    model = tmp_path / "net.onnx"
    session = Session(dispatch=Dispatcher().dispatch)
    window = Window(Settings(None), confirm=False)
    qtbot.addWidget(window)
    window.show()
    window.set_session(session)
    shutil.copy(find_sample("mobile_vision_encoder").model, model)
    session.open_model(model)
    qtbot.waitUntil(lambda: session.network is not None, timeout=20_000)
    other = QWidget()
    qtbot.addWidget(other)
    other.show()
    other.activateWindow()
    qtbot.waitUntil(lambda: not window.isActiveWindow())
    (tmp_path / "new").write_bytes(model.read_bytes())
    (tmp_path / "new").replace(model)
    assert not window.status._news_box.isVisible()
    window.activateWindow()
    qtbot.waitUntil(window.status._news_box.isVisible)
    assert window.status._news.toolTip().startswith("net.onnx was changed on disk; here it is as it was opened.")
    window.close()


def test_what_has_no_room_in_the_status_bar_is_cut_with_dots_and_told_by_the_tip(qtbot, session):
    row = StatusRow()
    qtbot.addWidget(row)
    row.refresh(session)
    running_job(session, say("Sensitivity sweep"), 0.5)
    row.resize(1280, 25)
    row.show()
    row.refresh(session)
    qtbot.waitUntil(row._job_box.isVisible, timeout=2000)
    row.show_note(say("1 locked layer keeps its precision."))
    QApplication.processEvents()
    title = row._job_title
    assert title.shown() == title.text()
    for name in ("Sweep", "Sensitivity sweep over all kernels"):
        row._job.title = say(name)
        row._show_job()
        assert title.shown() == title.text() == name, "no turn of the loop later"
    row.resize(row.minimumSizeHint().width() + 30, 25)
    QApplication.processEvents()
    assert title.width() < title.fontMetrics().horizontalAdvance(title.text())
    for cut in (title, row._news):
        assert cut.shown().endswith("…")
        assert cut.shown() != cut.text()
        assert cut.text() in cut.toolTip()
    assert title.geometry().right() < row._bar.geometry().left()
    session.jobs.history.clear()
    row.stop()
