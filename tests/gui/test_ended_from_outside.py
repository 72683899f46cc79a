"""A program with unsaved edits that the system ends: it asks nobody, and offers them at the next start."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from small_models import small_cnn

from engine.session.claim import recoveries
from engine.session.project import read_project

ROOT = Path(__file__).parents[2]
MANY_S = 300
_PROGRAM = """
import os, sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from gui import app, starter
from gui.window import Window

def look():
    window, = [w for w in QApplication.topLevelWidgets() if isinstance(w, Window)]
    session = window.session
    if session is not None and session.network is not None:
        timer.stop()
        session.start_sweep()
        session.apply_preset("int8")
        if sys.argv[2] == "asked":
            window.close()
        os.kill(os.getpid(), int(sys.argv[3]))

timer = QTimer()
timer.timeout.connect(look)
begin = starter.Starter.begin
starter.Starter.begin = lambda self: (timer.start(20), begin(self))
code = app.run(Path(sys.argv[1]))
print("ended", code, flush=True)
"""


@pytest.mark.parametrize(
    ("number", "state"), [(signal.SIGTERM, "working"), (signal.SIGHUP, "working"), (signal.SIGTERM, "asked")]
)
def test_a_polite_end_keeps_the_last_edit(tmp_path, number, state):
    model = small_cnn(tmp_path / "net.onnx")
    env = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    env |= {"HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", _PROGRAM, str(model), state, str(int(number))]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=MANY_S, check=False)
    assert done.stdout.split() == ["ended", "0"], done.stderr
    assert done.returncode == 0
    (offered,) = recoveries(tmp_path / ".local" / "share" / "mixbit" / "recovery")
    assert {entry.scheme for entry in read_project(Path(offered.about.work)).plan.kernels} == {"int8"}
    assert list((tmp_path / ".local" / "share" / "mixbit" / "crashes").iterdir()) == []
