"""A start without a display ends with a sentence, never with Qt's core."""

import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QTimer

from gui import display, main
from gui.interrupts import Interrupts

QT = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


def start(**more: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key not in QT} | more
    return subprocess.run(
        [sys.executable, "-m", "gui.main"], env=environment, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize(
    ("environment", "words"),
    [({}, "needs a display"), ({"QT_QPA_PLATFORM": "xcb"}, "needs a display"), ({"DISPLAY": ":7654"}, ":7654")],
)
def test_a_start_without_a_display_says_so_in_one_line(environment, words):
    done = start(**environment)
    assert done.returncode == 1, done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert words in done.stderr or "apt-get install" in done.stderr
    assert done.stdout == ""


def test_a_plugin_that_cannot_be_loaded_names_the_packages(monkeypatch, tmp_path):
    folder = tmp_path / "Qt" / "plugins" / "platforms"
    folder.mkdir(parents=True)
    (folder / "libqxcb.so").write_bytes(b"no library")
    monkeypatch.setattr(display.sys, "platform", "linux")
    found = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(display.importlib.util, "find_spec", lambda name: found)
    said = display.problem({"DISPLAY": ":0"})
    assert "libqxcb.so" in said
    assert "sudo apt-get install" in said
    assert "libxcb-cursor0" in said


@pytest.mark.parametrize("environment", [{"WAYLAND_DISPLAY": "wayland-0"}, {"QT_QPA_PLATFORM": "offscreen"}])
def test_what_needs_no_x_server_is_left_to_qt(environment):
    assert display.problem(environment) == ""


def test_the_packages_are_those_that_the_set_up_installs():
    script = (display.Path(display.__file__).parents[1] / "scripts" / "setup.sh").read_text(encoding="utf-8")
    assert all(package in script for package in display.PACKAGES.split())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_loop_of_the_window(qtbot, number):
    left = []
    before = signal.getsignal(signal.SIGINT)  # ignored, where a script started the tests in the background
    interrupts = Interrupts(lambda: left.append(number))
    try:
        QTimer.singleShot(0, lambda: os.kill(os.getpid(), number))
        qtbot.waitUntil(lambda: left == [number])
    finally:
        interrupts.stop()
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_while_python_imports_is_no_traceback(monkeypatch, capsys):
    def stopped(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "_command", stopped)
    assert main.main(["inspect", "nothing.onnx"]) == 130
    assert capsys.readouterr().err == "mixbit: stopped\n"
