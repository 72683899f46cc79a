"""Faults leave a report without private paths, and a crash that nobody could catch is told at the next start."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from engine.version import VERSION
from gui.app import Hook
from gui.crash import MOST, Crashes
from gui.settings import Settings
from gui.window import Window

ROOT = Path(__file__).parents[2]


def run_and_end(folder, how):
    program = f"""
import os, sys, faulthandler
from pathlib import Path
from gui.crash import Crashes
crashes = Crashes(Path(sys.argv[1]))
assert crashes.watch() == []
print("watching", flush=True)
{how}
"""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, "-c", program, str(folder)], env=env, capture_output=True, check=False)


def test_a_segmentation_fault_is_found_at_the_next_start_and_told_once(tmp_path):
    done = run_and_end(tmp_path, "faulthandler._sigsegv()")
    assert done.returncode < 0
    crashes = Crashes(tmp_path)
    (found,) = crashes.watch()
    words = found.read_text()
    assert "Segmentation fault" in words
    assert f"Mixbit {VERSION}" in words
    assert str(ROOT) not in words
    again = Crashes(tmp_path)
    assert again.watch() == []
    crashes.stop()
    again.stop()
    assert [p.name for p in tmp_path.iterdir()] == [found.name]


@pytest.mark.parametrize("how", ["crashes.stop()", "os.kill(os.getpid(), 9)"])
def test_an_ordinary_end_and_a_kill_are_no_crash(tmp_path, how):
    run_and_end(tmp_path, how)
    crashes = Crashes(tmp_path)
    assert crashes.watch() == []
    crashes.stop()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_used_changes_nothing(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    for crashes in (Crashes(blocked), Crashes(None)):
        assert crashes.watch() == []
        assert crashes.write("Traceback") is None
        crashes.stop()


def test_old_reports_are_thrown_away(tmp_path):
    for number in range(MOST + 5):
        path = tmp_path / f"fault-20260101-{number:06}-1.txt"
        path.write_text("old")
        os.utime(path, (number, number))
    crashes = Crashes(tmp_path)
    new = crashes.write('File "/home/anna lee/x.py"')
    assert new.exists()
    assert "anna" not in new.read_text()
    assert len(list(tmp_path.iterdir())) == MOST


@pytest.fixture
def window(qtbot):
    made = Window(Settings(None), confirm=False)
    qtbot.addWidget(made)
    made.show()
    return made


def test_a_fault_is_shown_with_the_folder_of_its_report(window, tmp_path, monkeypatch, qtbot):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    hook = Hook(window, Crashes(tmp_path))
    try:
        raise RuntimeError("broken")
    except RuntimeError as error:
        hook(type(error), error, error.__traceback__)
    dialog = window._error
    (report,) = tmp_path.glob("fault-*.txt")
    assert "RuntimeError: broken" in report.read_text()
    assert dialog.folder.isVisible()
    dialog.folder.click()
    assert opened == [QUrl.fromLocalFile(str(tmp_path))]
    dialog.accept()


def test_a_fault_in_a_thread_is_shown_too(window, tmp_path, qtbot, monkeypatch):
    hook = Hook(window, Crashes(tmp_path))
    monkeypatch.setattr(threading, "excepthook", hook.in_thread)

    def fail():
        raise RuntimeError("in a thread")

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: window._error is not None)
    assert "in a thread" in window._error.report()
    window._error.accept()


def test_a_plain_refusal_has_no_folder(window):
    from engine.text import say

    window.show_error(say("{file} is no model.", file="x"))
    assert not window._error.folder.isVisible()
    window._error.accept()
