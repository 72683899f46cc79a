import re

import pytest
from fakes import running_job
from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QWidget

from engine.errors import ModelError
from engine.precision.scheme import FP16, INT4, INT8
from engine.session.changes import What
from engine.session.state import LogEntry
from engine.text import say
from gui.bridge import hub
from gui.i18n import set_language
from gui.layouts import LAYOUTS
from gui.settings import Settings
from gui.theme import DARK, theme_manager
from gui.window import Window


@pytest.fixture
def make_window(qtbot):
    def make(session=None, settings=None, size=(1440, 900)):
        window = Window(settings or Settings(None), confirm=False)
        qtbot.addWidget(window)
        window.resize(*size)
        window.show()
        if session is not None:
            window.set_session(session)
        qtbot.waitExposed(window)
        QApplication.processEvents()
        return window

    return make


def shown_docks(window):
    return {name for name, dock in window.host.docks.items() if dock.isVisible()}


def test_the_window_shows_before_there_is_an_engine(make_window):
    window = make_window()
    assert window.start.isVisible()
    assert window.status._state.text() == "Starting"
    assert not window.menus.by_id["open_model"].isEnabled()
    assert window.menus.by_id["quit"].isEnabled()


def test_without_a_model_only_the_start_page_shows(make_window, empty_session, qtbot):
    window = make_window(empty_session)
    assert window.start.isVisible()
    assert not window.context.isVisible()
    assert not window.menus.by_id["export"].isEnabled()
    qtbot.mouseClick(window.start.findChild(QPushButton, "open_swiglu_decoder"), Qt.MouseButton.LeftButton)
    assert empty_session.calls == [("open_sample", "swiglu_decoder")]


def test_a_model_brings_docks_and_context(make_window, session):
    window = make_window(session)
    assert not window.start.isVisible()
    assert {"layers", "summary", "error"} <= shown_docks(window)
    assert window.context.model.accessibleName().startswith("Model: mobilenetv2-12.onnx")
    assert window.windowTitle() == "mobilenetv2-12.onnx - Mixbit"
    session.close_model()
    assert window.start.isVisible()


@pytest.mark.parametrize(("size", "mode", "language"), [((1280, 800), "dark", "zh"), ((1920, 1080), "light", "en")])
def test_every_layout_theme_and_language_shows_without_a_warning(make_window, session, size, mode, language):
    window = make_window(session, size=size)
    theme_manager.set_mode(mode)
    set_language(language)
    for name in LAYOUTS[:4]:
        window.show_layout(name)
        QApplication.processEvents()
        assert shown_docks(window)
        assert not window.grab().isNull()
    assert (window.width(), window.height()) == size


def test_docks_of_the_tune_layout_have_the_sizes_of_the_design(make_window, session):
    window = make_window(session)
    docks = window.host.docks
    assert abs(docks["summary"].width() - 322) <= 4
    assert abs(docks["error"].height() - 232) <= 4
    assert docks["layers"].width() > 1000
    assert docks["layers"].mapTo(window, docks["layers"].rect().topLeft()).y() <= 90


def test_layout_keys_change_the_layout_and_reset_brings_closed_docks_back(make_window, session, qtbot):
    window = make_window(session)
    qtbot.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert window.layout_name == "profile"
    assert "timeline" in shown_docks(window)
    window.host.docks["timeline"].close()
    assert "timeline" not in shown_docks(window)
    window.reset_layout()
    assert "timeline" in shown_docks(window)


def test_no_button_becomes_a_window_while_a_sweep_runs(make_window, session, qtbot):
    window = make_window(session)
    session.sweeps.running = True
    window.show_layout("sweep")
    for dock in ("sensitivity", "ranking"):
        window.reveal(dock).refresh_now()
    qtbot.waitUntil(lambda: window.host.settled)
    assert [w for w in QApplication.topLevelWidgets() if w.isVisible() and w is not window] == []


def test_no_widget_without_a_place_lies_over_the_corner_of_the_window(make_window, session, qtbot):
    window = make_window(session)
    session.sweeps.running = True
    for name in LAYOUTS:
        window.show_layout(name)
        for dock in shown_docks(window):
            window.reveal(dock).refresh_now()
        QApplication.processEvents()
    qtbot.waitUntil(lambda: window.host.settled)
    assert [w for w in QApplication.topLevelWidgets() if w.isVisible() and w is not window] == []
    direct = window.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
    first = [w for w in direct if w.isVisible() and w.pos().isNull()]
    assert [w for w in first if w.width() < window.width()] == []
    assert len(first) == 1  # the row of menus


def test_words_that_change_their_length_in_a_view_lay_no_other_dock_out(make_window, session, qtbot):
    window = make_window(session)
    qtbot.waitUntil(lambda: window.host.settled)
    view = window.view("layers")
    for name in shown_docks(window):  # what is still due would ask as well
        window.view(name).refresh_now()
    qtbot.wait(100)
    asked = Requests(window.host)
    view.filter_bar.updateGeometry()
    QApplication.processEvents()
    assert asked.count == 0
    window.resize(window.width() - 90, window.height() - 60)
    QApplication.processEvents()
    assert view.rect() == view.parentWidget().rect()


class Requests(QObject):
    """How often a widget's layout was asked to lay out again."""

    def __init__(self, watched):
        super().__init__(watched)
        self.count = 0
        watched.installEventFilter(self)

    def eventFilter(self, watched, event):
        self.count += event.type() == QEvent.Type.LayoutRequest
        return False


def test_arrangements_are_remembered(make_window, session, tmp_path, qtbot):
    window = make_window(session, Settings(tmp_path))
    window.host.docks["error"].close()
    window.show_layout("profile")
    window.show_layout("tune")
    assert "error" not in shown_docks(window)


def test_a_dock_can_float_stand_alone_and_come_back(make_window, session):
    window = make_window(session)
    before = shown_docks(window)
    window.host.toggle_maximized(window.host.docks["layers"])
    QApplication.processEvents()
    assert shown_docks(window) == {"layers"}
    window.host.toggle_maximized(window.host.docks["layers"])
    QApplication.processEvents()
    assert shown_docks(window) == before
    window.host.docks["error"].setFloating(True)
    assert window.host.docks["error"].isFloating()


def test_panels_menu_hides_shows_and_brings_in_docks_of_other_layouts(make_window, session):
    window = make_window(session)
    menu = QMenu(window)
    window.menus.fill_panels(menu)
    entries = {action.text(): action for action in menu.actions()}
    assert entries["Summary"].isChecked()
    assert not entries["Thermal"].isChecked()
    entries["Summary"].trigger()
    entries["Thermal"].trigger()
    QApplication.processEvents()
    assert "summary" not in shown_docks(window)
    assert "thermal" in shown_docks(window)
    assert not window.host.docks["thermal"].isFloating()


def test_a_filter_wanted_in_a_layout_without_layers_goes_to_tune(make_window, session, qtbot):
    window = make_window(session)
    window.show_layout("profile")
    assert "layers" not in shown_docks(window)
    qtbot.keyClick(window, Qt.Key.Key_Slash)
    assert window.layout_name == "tune"
    assert window.view("layers").isAncestorOf(QApplication.focusWidget())


def test_tabs_of_a_group_stand_in_every_header(make_window, session, qtbot):
    window = make_window(session)
    summary, kernel, history = (window.host.docks[name] for name in ("summary", "kernel", "history"))
    assert window.host.group_of(summary) == [summary, kernel, history]
    qtbot.waitUntil(lambda: len(summary.title._tabs) == 3, timeout=1000)
    tab = summary.title._tabs[1]
    assert tab.text() == "Kernel"
    qtbot.mouseClick(tab, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not kernel.visibleRegion().isEmpty(), timeout=1000)


@pytest.mark.parametrize(("key", "scheme"), [(Qt.Key.Key_4, INT4), (Qt.Key.Key_8, INT8), (Qt.Key.Key_6, FP16)])
def test_keys_set_the_selection_and_undo_takes_it_back(make_window, session, qtbot, key, scheme):
    window = make_window(session)
    before = session.plan
    session.select(("k3", "k9"), "k3")
    qtbot.keyClick(window, key)
    assert {session.plan["k3"], session.plan["k9"]} == {scheme}
    if session.plan != before:
        qtbot.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert session.plan == before


def test_lock_key_toggles(make_window, session, qtbot):
    window = make_window(session)
    session.select(("k3", "k9"), "k3")
    qtbot.keyClick(window, Qt.Key.Key_L)
    assert session.locked == {"k3", "k9"}
    qtbot.keyClick(window, Qt.Key.Key_L)
    assert session.locked == frozenset()


def test_escape_clears_the_selection_then_cancels_a_job(make_window, session, qtbot):
    window = make_window(session)
    qtbot.waitUntil(lambda: window.host.settled, timeout=10_000)  # views that are made begin jobs of their own
    session.select(("k3", "k9"), "k3")
    qtbot.waitUntil(lambda: not session.jobs.active, timeout=10_000)
    job = running_job(session, say("Counting"), 0.5)
    for _ in range(2):
        qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert session.selection == ()
    assert session.current == "k3"  # the place in the list is kept
    assert not job.token.cancelled
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert job.token.cancelled
    session.jobs.history.clear()


def test_holding_p_shows_the_previous_plan(make_window, session, qtbot):
    window = make_window(session)
    window.activateWindow()
    window.host.setFocus()
    qtbot.keyPress(window.host, Qt.Key.Key_P)
    assert hub.peek
    qtbot.keyRelease(window.host, Qt.Key.Key_P)
    assert not hub.peek


def test_status_row_shows_a_running_job_and_cancels_it(make_window, session, qtbot):
    window = make_window(session)
    job = running_job(session, say("Sensitivity sweep"), 0.57)
    window.status.refresh(session)
    assert window.status._job_box.isVisible()
    assert window.status._job_title.text() == "Sensitivity sweep"
    assert window.status._bar.fraction == 0.57
    assert re.fullmatch(r"\d:\d\d left", window.status._left.text())
    qtbot.mouseClick(window.status._cancel, Qt.MouseButton.LeftButton)
    assert job.token.cancelled
    session.jobs.history.clear()


def test_status_row_stays_with_the_work_that_others_look_up_beside(make_window, session, qtbot):
    window = make_window(session)
    sweep = running_job(session, say("Sensitivity sweep"), 0.57)
    for title, lane in (("Price preview", "query"), ("Local errors", "engine")):
        other = running_job(session, say(title), 0.1)
        other.lane, other.started_at = lane, sweep.started_at + 1.0
    window.status.refresh(session)
    assert window.status._job_title.text() == "Sensitivity sweep"
    sweep.lane = "exact"
    sweep.pause()  # what goes on is told before what waits
    window.status.refresh(session)
    assert window.status._job_title.text() == "Local errors"
    session.jobs.history.clear()


def test_status_row_never_calls_stale_figures_up_to_date(make_window, session, qtbot):
    window = make_window(session)
    qtbot.waitUntil(lambda: window.status._state.text() == "Up to date", timeout=1000)
    session.make_stale(34)
    qtbot.waitUntil(lambda: window.status._state.text() != "Up to date", timeout=1000)


def test_an_error_in_the_log_is_shown_as_a_sentence(make_window, session, qtbot):
    window = make_window(session)
    session.log.append(LogEntry("error", say("{file} is not an ONNX model.", file="a.onnx"), details="line 7"))
    session.emit(What.LOG)
    assert window._error.message.text() == "a.onnx is not an ONNX model."
    assert not window._error.details.isVisible()
    qtbot.mouseClick(window._error.fold, Qt.MouseButton.LeftButton)
    assert "line 7" in window._error.details.toPlainText()
    qtbot.mouseClick(window._error.copy, Qt.MouseButton.LeftButton)
    assert "line 7" in QApplication.clipboard().text()
    window._error.accept()


def test_a_refusal_of_a_command_is_shown_and_changes_nothing(make_window, session):
    window = make_window(session)

    def refuse():
        raise ModelError(say("That file is broken."))

    plan = session.plan
    assert not window.actions_.guarded(refuse)
    assert window._error.message.text() == "That file is broken."
    assert session.plan is plan
    window._error.accept()


def drop(window: QWidget, name: str) -> bool:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(f"/models/{name}")])
    where, action = QPointF(300, 300), Qt.DropAction.CopyAction
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(where.toPoint(), action, data, buttons, keys)
    QApplication.sendEvent(window, enter)
    if enter.isAccepted():
        QApplication.sendEvent(window, QDropEvent(where, action, data, buttons, keys))
    return enter.isAccepted()


def test_models_and_projects_can_be_dropped_and_nothing_else(make_window, empty_session):
    window = make_window(empty_session)
    assert drop(window, "a.onnx")
    assert drop(window, "b.MIXBIT")
    assert not drop(window, "c.txt")
    assert [call[0] for call in empty_session.calls] == ["open_model", "open_project"]


def test_language_changes_without_a_restart(make_window, session, qtbot):
    window = make_window(session)
    bar = window.menu_row.bar
    assert bar.actions()[0].text() == "File"
    window.menu_row.language.chosen.emit("zh")
    QApplication.processEvents()
    assert bar.actions()[0].text() == "文件"
    assert window.context.export.text() == "导出…"
    window.menu_row.language.chosen.emit("en")
    QApplication.processEvents()
    assert bar.actions()[0].text() == "File"


def test_theme_button_switches_and_is_remembered(make_window, session, qtbot):
    settings = Settings(None)
    window = make_window(session, settings)
    qtbot.mouseClick(window.menu_row.colors, Qt.MouseButton.LeftButton)
    assert theme_manager.theme is DARK
    assert settings.mode == "dark"


def test_every_icon_button_has_a_name_and_a_tip(make_window, session):
    from gui.widgets.icon_button import IconButton

    window = make_window(session)
    for name in LAYOUTS[:4]:
        window.show_layout(name)
        QApplication.processEvents()
        nameless = [b.name for b in window.findChildren(IconButton) if not (b.accessibleName() and b.toolTip())]
        assert nameless == []


def test_a_click_anywhere_on_a_card_opens_its_sample(make_window, empty_session, qtbot):
    window = make_window(empty_session)
    card = window.start.findChild(QPushButton, "open_swiglu_decoder").parentWidget()
    qtbot.mouseClick(card, Qt.MouseButton.LeftButton, pos=QPoint(card.width() // 3, card.height() // 2))
    assert empty_session.calls == [("open_sample", "swiglu_decoder")]
    qtbot.mouseClick(card, Qt.MouseButton.RightButton, pos=QPoint(card.width() // 3, card.height() // 2))
    assert len(empty_session.calls) == 1


@pytest.mark.parametrize(("file", "words"), [(None, "Save…"), ("work.mixbit", "Save")])
def test_saving_unsaved_edits_announces_another_question_only_without_a_file(qtbot, session, tmp_path, file, words):
    from gui.dialogs.unsaved import UnsavedDialog

    window = Window(Settings(None))
    qtbot.addWidget(window)
    window.show()
    window.set_session(session)
    session.project_path = tmp_path / file if file else None
    session.modified = True
    window.unless_unsaved(lambda: None)
    dialog = window.findChild(UnsavedDialog)
    assert words in [button.text() for button in dialog.findChildren(QPushButton)]
    dialog.reject()
    session.modified = False


def test_closing_a_window_with_unsaved_edits_asks(qtbot, session):
    from gui.dialogs.unsaved import UnsavedDialog

    window = Window(Settings(None))
    qtbot.addWidget(window)
    window.show()
    window.set_session(session)
    session.modified = True
    window.close()
    dialog = window.findChild(UnsavedDialog)
    assert window.isVisible()
    assert dialog is not None
    dialog._on_discard()
    assert not window.isVisible()


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_a_floating_panel_has_a_line_around_it(make_window, session, mode):
    theme_manager.set_mode(mode)
    window = make_window(session)
    dock = window.host.docks["layers"]
    dock.float_or_dock()
    QApplication.processEvents()
    seen, line = dock.grab().toImage(), theme_manager.theme.strong
    right, bottom = seen.width() - 1, seen.height() - 1
    corners = [(0, bottom // 2), (right, bottom // 2), (right // 2, 0), (right // 2, bottom)]
    assert [seen.pixelColor(x, y).name() for x, y in corners] == [line.name()] * 4
    dock.float_or_dock()


def test_the_tabs_beside_the_layers_stay_where_they_are_whichever_is_in_front(make_window, session, qtbot):
    window = make_window(session, size=(1280, 800))
    group = ("summary", "kernel", "history")
    fit = True
    for name in group:
        window.reveal(name)
        title = window.host.docks[name].title
        qtbot.waitUntil(lambda title=title: len(title._tabs) == 3)
        QApplication.processEvents()
        there = [tab.dock.spec.id for tab in title._tabs if not tab.isHidden()]
        if name == group[0]:
            fit = title._others.isHidden()  # with a wide font the last one may go into the menu
        assert name in there
        assert not fit or (there == list(group) and title._others.isHidden())
