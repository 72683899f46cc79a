"""The engine tells nobody what it works on."""

import os
import subprocess
import sys
from pathlib import Path

from small_models import small_cnn

ROOT = Path(__file__).parents[2]


def test_the_runtime_makes_no_number_of_this_computer_and_keeps_no_events(tmp_path):
    model = small_cnn(tmp_path / "net.onnx")
    home = tmp_path / "home"
    (home / "tmp").mkdir(parents=True)
    env = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "ORT_"))}
    env |= {"HOME": str(home), "TMPDIR": str(home / "tmp"), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "gui.main", "evaluate", str(model), "--preset", "int8"]
    subprocess.run(command, env=env, check=True, capture_output=True)
    assert [path for path in home.rglob("*") if path.is_file()] == []
