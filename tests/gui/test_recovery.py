"""Unsaved work is offered when a window starts, and saving over another window's work is asked about."""

import gc

import pytest
from hand import Hand
from small_models import small_cnn

from engine.precision import preset
from engine.session import Session
from gui.bridge import Dispatcher
from gui.dialogs.conflict import ConflictDialog
from gui.dialogs.dimensions import DimensionsDialog
from gui.dialogs.recovery import RecoveryDialog
from gui.settings import Settings
from gui.starter import Starter
from gui.window import Window


@pytest.fixture
def start(qtbot, tmp_path):
    def make():
        window = Window(Settings(tmp_path / "settings", tmp_path / "recovery"), confirm=False)
        qtbot.addWidget(window)
        window.resize(1280, 800)
        window.show()
        qtbot.waitExposed(window)
        dispatcher = Dispatcher()
        dispatcher.setParent(window)
        window.set_session(
            Session(dispatch=dispatcher.dispatch, settings=window.settings.folder, recovery=window.settings.recovery)
        )
        window.offer_recoveries()
        return Hand(qtbot, window)

    return make


def crashed(start, tmp_path, *, project=False):
    """What a window leaves that ended with an INT8 plan and no word."""
    hand = start()
    session = hand.window.session
    session.open_model(small_cnn(tmp_path / "net.onnx"))
    hand.until(lambda: session.data is not None and not session.jobs.active, 20)
    if project:
        session.save_project(tmp_path / "work.mixbit")
    session.apply_preset("int8")
    assert session.flush()
    session._safe._autosave.forget = lambda: None
    hand.window.close()


def test_unsaved_work_is_offered_restored_and_saved(start, tmp_path):
    crashed(start, tmp_path, project=True)
    hand = start()
    dialog = hand.dialog(RecoveryDialog)
    assert hand.window.session.network is None  # nothing is loaded by itself
    assert dialog.list.count() == 1
    assert "work.mixbit" in dialog.list.item(0).text()
    hand.press(dialog, "Restore")
    session = hand.window.session
    hand.until(lambda: session.network is not None and not session.jobs.active, 20)
    assert session.plan == preset(session.network, "int8")
    hand.until(lambda: hand.window.windowTitle() == "work.mixbit* - Mixbit", 5)
    hand.window.actions_.save_project()
    assert not session.modified
    hand.window.close()
    again = start()
    assert again.window.session.recoveries == ()
    assert again.window.findChildren(RecoveryDialog) == []


def test_it_can_wait_and_be_thrown_away(start, tmp_path):
    crashed(start, tmp_path)
    hand = start()
    hand.press(hand.dialog(RecoveryDialog), "Later")
    assert len(hand.window.session.recoveries) == 1
    hand.window.actions_.recover()
    dialog = hand.dialog(RecoveryDialog)
    hand.press(dialog, "Discard")
    assert hand.window.session.recoveries == ()
    assert "no unsaved work" in dialog.title_label.text()
    assert not dialog.restore.isVisible()
    hand.press(dialog, "Close")


def test_a_project_that_another_window_has_saved_is_overwritten_only_on_purpose(start, tmp_path):
    hand = start()
    session, project = hand.window.session, tmp_path / "work.mixbit"
    session.open_model(small_cnn(tmp_path / "net.onnx"))
    hand.until(lambda: session.data is not None and not session.jobs.active, 20)
    session.save_project(project)
    other = project.read_bytes() + b"\n"
    project.write_bytes(other)
    session.apply_preset("int8")
    hand.window.actions_.save_project()
    hand.press(hand.dialog(ConflictDialog), "Cancel")
    assert project.read_bytes() == other
    assert session.modified
    hand.window.actions_.save_project()
    hand.press(hand.dialog(ConflictDialog), "Overwrite")
    assert not session.modified
    assert project.read_bytes() != other


def test_what_the_model_asks_comes_before_the_offer(start, tmp_path, qtbot):
    crashed(start, tmp_path)
    window = Window(Settings(tmp_path / "settings", tmp_path / "recovery"), confirm=False)
    qtbot.addWidget(window)
    window.resize(1280, 800)
    window.show()
    hand = Hand(qtbot, window)
    window.actions_.open_path(small_cnn(tmp_path / "free.onnx", batch="n"))
    starter = Starter(window)
    starter.begin()
    dialog = hand.dialog(DimensionsDialog)
    qtbot.waitUntil(gc.isenabled, timeout=60_000)  # all else has been brought in
    qtbot.wait(200)
    assert window.findChildren(RecoveryDialog) == []
    dialog.reject()
    hand.press(hand.dialog(RecoveryDialog), "Later")
    starter.wait()
    window.close()
