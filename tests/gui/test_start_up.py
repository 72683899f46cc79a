import gc
import subprocess
import sys
import threading
import time

import pytest
from fakes import running_job
from PySide6.QtCore import QByteArray, QSize, QThread
from PySide6.QtWidgets import QApplication

from engine.session.changes import Change, What
from engine.text import say
from gui.bridge import Dispatcher
from gui.main import _is_file, main
from gui.settings import Settings
from gui.widgets.first_steps import FirstSteps
from gui.window import Window

CODE = """
import sys
from gui.main import main
code = main({argv!r})
assert 'PySide6' not in sys.modules
sys.exit(code)
"""


def run_main(*argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", CODE.format(argv=list(argv))], capture_output=True, text=True, timeout=60, check=False
    )


def test_commands_run_without_qt():
    done = run_main("devices", "--json")
    assert done.returncode == 0, done.stderr
    assert "kirin9030" in done.stdout


def test_wrong_usage_goes_to_the_command_line_as_well():
    with pytest.raises(SystemExit) as stop:
        main(["no-such-command"])
    assert stop.value.code == 2


@pytest.mark.parametrize(
    ("arguments", "window"),
    [
        (["model.onnx"], True),
        (["work/plan.mixbit"], True),
        (["./inspect"], True),
        (["inspect"], False),
        (["--help"], False),
        (["--version"], False),
        (["inspect", "model.onnx"], False),
        (["model.onnx", "--json"], False),
    ],
)
def test_a_path_opens_the_window_and_all_else_is_a_command(arguments, window):
    assert _is_file(arguments) is window


def test_importing_the_window_brings_no_engine_and_no_plots():
    code = (
        "import sys, gui.app\nheavy = {'onnxruntime', 'onnx', 'pyqtgraph'} & set(sys.modules)\nassert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_the_program_imports_without_reading_sources():
    code = (
        "import builtins, linecache\n"
        "from gui.plain_imports import restore\n"
        "restore()\n"
        "assert builtins.__import__ is builtins.__orig_import__\n"
        "import gui.app, gui.views.layers\n"
        "assert not [name for name in linecache.cache if name.endswith('layers.py')]"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_dispatch_runs_callbacks_on_the_owners_thread_in_order(qtbot):
    dispatcher, seen = Dispatcher(), []

    def work():
        for number in range(50):
            dispatcher.dispatch(lambda n=number: seen.append((n, QThread.currentThread() is owner)))

    owner = QThread.currentThread()
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == []
    qtbot.waitUntil(lambda: len(seen) == 50, timeout=1000)
    assert seen == [(n, True) for n in range(50)]


def test_the_engine_comes_in_behind_the_window(qtbot, monkeypatch, tmp_path):
    from gui.starter import Starter
    from gui.window import Window

    window = Window(Settings(tmp_path), confirm=False)
    qtbot.addWidget(window)
    window.show()
    started = time.monotonic()
    starter = Starter(window)
    starter.begin()
    qtbot.waitUntil(lambda: window.session is not None, timeout=20_000)
    starter.wait()
    assert window.status._state.text() == "Ready"
    assert window.start.findChildren(type(window.start._open))
    assert time.monotonic() - started < 20
    window.close()


@pytest.mark.parametrize(("room", "filled"), [((1280, 800), True), ((1440, 900), True), ((1920, 1040), False)])
def test_a_first_window_is_within_the_screen(qtbot, tmp_path, room, filled):
    from gui.window import Window

    window = Window(Settings(tmp_path), confirm=False)
    qtbot.addWidget(window)
    window.fit(QSize(*room))
    assert window.width() <= room[0]
    assert window.height() < room[1]
    window.show()
    assert window.isMaximized() is filled
    window.close()  # remembers its geometry
    if not filled:
        again = Window(Settings(tmp_path), confirm=False)
        qtbot.addWidget(again)
        again.fit(QSize(1280, 800))
        assert not again.isMaximized()


def test_a_model_on_the_command_line_has_figures_before_its_plots(qtbot, monkeypatch, tmp_path):
    from engine.paths import sample_models
    from gui.docks import DockHost
    from gui.starter import Starter
    from gui.window import Window

    window = Window(Settings(tmp_path), confirm=False)
    qtbot.addWidget(window)
    window.resize(1440, 900)
    window.show()
    window.actions_.open_path(sample_models() / "mobile_vision_encoder" / "mobile_vision_encoder.onnx")
    starter = Starter(window)
    held, hold_back = [], DockHost.hold_back

    def watched(host, docks):
        held.append(("error" in docks, window.session.figures.evaluation is not None))
        hold_back(host, docks)

    monkeypatch.setattr(DockHost, "hold_back", watched)
    monkeypatch.setattr("gui.starter._PATIENCE_S", 60.0)
    starter.begin()
    qtbot.waitUntil(lambda: len(held) == 2, timeout=60_000)
    assert held == [(True, False), (False, True)]
    qtbot.waitUntil(lambda: window.host.settled and window.host.docks["error"].view is not None, timeout=60_000)
    qtbot.waitUntil(gc.isenabled, timeout=60_000)
    starter.wait()
    window.close()


def test_settings_survive_and_an_older_file_is_forgotten(qapp, tmp_path):
    settings = Settings(tmp_path)
    settings.language, settings.mode, settings.folder_used = "zh", "dark", "/models"
    settings.set_bytes("geometry", QByteArray(b"abc"))
    settings.sync()
    again = Settings(tmp_path)
    assert (again.language, again.mode, again.folder_used) == ("zh", "dark", "/models")
    assert again.bytes("geometry") == QByteArray(b"abc")
    again.forget("geometry")
    assert again.bytes("geometry") is None
    again._file.setValue("version", 0)
    again.sync()
    assert Settings(tmp_path).mode == "system"


def test_hook_shows_a_fault_and_keeps_the_window(qtbot, monkeypatch):
    from gui.app import Hook
    from gui.crash import Crashes
    from gui.window import Window

    window = Window(Settings(None), confirm=False)
    qtbot.addWidget(window)
    window.show()
    try:
        raise RuntimeError("broken")
    except RuntimeError as error:
        Hook(window, Crashes(None))(type(error), error, error.__traceback__)
    QApplication.processEvents()
    assert "broken" in window._error.message.text()
    assert "test_start_up" in window._error.report()
    window._error.accept()


def test_the_first_steps_are_said_until_the_first_edit(qtbot, session, tmp_path):
    settings = Settings(tmp_path)
    window = Window(settings, confirm=False)
    qtbot.addWidget(window)
    window.show()
    window.set_session(session)
    steps = window.first_steps
    steps.show_for(model=True, edited=False)
    assert steps.isVisible()
    window._on_change(Change(What.PLAN))  # the session has a step to undo
    assert not steps.isVisible()
    steps.show_for(model=True, edited=False)
    assert not steps.isVisible()
    assert Settings(tmp_path).knows_steps or settings.knows_steps


def test_the_first_steps_can_be_closed(qtbot, tmp_path):
    steps = FirstSteps(Settings(tmp_path))
    qtbot.addWidget(steps)
    steps.show_for(model=True, edited=False)
    assert steps.isVisible()
    steps.cross.click()
    steps.show_for(model=True, edited=False)
    assert not steps.isVisible()


def test_a_model_is_named_before_the_engine_is_there_and_until_it_is_open(qtbot, session, tmp_path):
    window = Window(Settings(tmp_path), confirm=False)
    qtbot.addWidget(window)
    drop = window.start.drop
    assert drop.words()[0].startswith("Drop")
    window.actions_.open_path(tmp_path / "encoder.onnx")
    window.show()
    assert drop.words() == ("Opening encoder.onnx", "The engine is starting…")
    assert drop.accessibleName() == "Opening encoder.onnx"
    assert drop.progress.isVisible()
    session.network = None
    job = running_job(session, say("Reading"), 0.4)
    window.start.set_session(session)
    qtbot.waitUntil(lambda: drop.progress.fraction == 0.4)
    assert drop.words()[1] == "Reading"
    job.state = "done"  # refused, or the model is there
    qtbot.waitUntil(lambda: not drop.opening)
    assert drop.words()[0].startswith("Drop")
    assert not drop.progress.isVisible()
