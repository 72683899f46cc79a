"""A user's function as metric: its number, and every way in which it can fail, in one sentence each."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from engine.errors import Cancelled, DataError
from engine.numerics import user_metric
from engine.numerics.user_metric import named_metric, user_figures
from engine.progress import CancelToken

ROOT = Path(__file__).resolve().parents[3]
RNG = np.random.default_rng(0)
REFERENCES = [{"y": RNG.standard_normal((1, 4)).astype(np.float32), "名/z": np.arange(3)} for _ in range(3)]
PLAN = [{"y": out["y"] + np.float32(0.5), "名/z": out["名/z"]} for out in REFERENCES]
LABELS = np.array([1, 2, 3])


@pytest.fixture
def figures(tmp_path):
    def run(source: str, *, function: str = "metric", seconds: float = 30.0, cancel=None, labels=LABELS):
        path = tmp_path / "my metric.py"
        path.write_text(source, encoding="utf-8")
        made = named_metric(f"{path}:{function}", seconds)
        more = {} if cancel is None else {"cancel": cancel}
        return user_figures(made, [PLAN, REFERENCES], REFERENCES, labels, **more)

    return run


def test_the_function_sees_outputs_references_and_labels(figures, capfd):
    found = figures(
        "import numpy as np\n"
        "print('noise on standard output')\n"
        "def metric(outputs, references, labels):\n"
        "    assert [sorted(o) for o in outputs] == [['y', '名/z']] * 3\n"
        "    assert outputs[0]['名/z'].tolist() == [0, 1, 2]\n"
        "    worst = max(np.abs(o['y'] - r['y']).max() for o, r in zip(outputs, references))\n"
        "    return np.float32(worst) + labels.sum()\n"
    )
    assert found == pytest.approx([6.5, 6.0])
    assert figures("def metric(o, r, labels):\n    return int(labels is None)\n", labels=None) == [1.0, 1.0]
    assert capfd.readouterr() == ("", "")


def test_a_module_beside_the_file_can_be_imported(figures, tmp_path):
    (tmp_path / "helper_beside.py").write_text("FACTOR = 3\n")
    assert figures("import helper_beside\ndef metric(o, r, l):\n    return helper_beside.FACTOR\n") == [3.0, 3.0]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def other(o, r, l): return 1\n", "my metric.py has no function metric."),
        ("metric = 3\n", "my metric.py has no function metric."),
        ("def metric(o, r, l):\n    return o[0]['gone']\n", r"failed: KeyError: 'gone' \(line 2\)"),
        ("def metric(o):\n    return 1\n", "failed: TypeError"),
        ("def metric(o, r, l)\n    return 1\n", r"failed: SyntaxError: .* \(line 1\)"),
        ("import no_such_module_here\n", r"failed: ModuleNotFoundError.*\(line 1\)"),
        ("import sys\ndef metric(o, r, l):\n    sys.exit(0)\n", "failed: SystemExit"),
        ("def metric(o, r, l):\n    return None\n", "has to return one finite number, and returned NoneType None"),
        ("def metric(o, r, l):\n    return float('nan')\n", "and returned float nan"),
        ("def metric(o, r, l):\n    return [1, 2]\n", r"and returned list \[1, 2\]"),
        ("def metric(o, r, l):\n    return True\n", "and returned bool True"),
        ("def metric(o, r, l):\n    return 10**400\n", "and returned int 1000"),
        ("class A:\n    def __repr__(self): 1 / 0\ndef metric(o, r, l):\n    return A()\n", r"A \(can't be shown\)"),
        ("class A(float):\n    __float__ = None\ndef metric(o, r, l):\n    return A(1)\n", "and returned A 1.0"),
        (
            "class E(Exception):\n    __str__ = None\ndef metric(o, r, l):\n    raise E\n",
            r"E: \(can't be shown\) \(line 4",
        ),
        ("def metric(o, r, l):\n    raise ValueError('one\\ntwo\\ud800')\n", r"ValueError: one two\\ud800 \(line 2\)"),
        ("import os\ndef metric(o, r, l):\n    os._exit(3)\n", r"ended its process without an answer \(exit code 3\)"),
    ],
)
def test_failures_are_one_sentence(figures, source, reason):
    with pytest.raises(DataError, match=reason):
        figures(source)


def test_it_is_stopped_when_its_time_is_over_with_all_it_has_started(figures, tmp_path):
    mark = tmp_path / "child.pid"
    source = (
        "import subprocess, sys, time\n"
        "def metric(o, r, l):\n"
        "    child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"    open({str(mark)!r}, 'w').write(str(child.pid))\n"
        "    while True: time.sleep(1)\n"
    )
    with pytest.raises(DataError, match="took longer than 2 s and was stopped"):
        figures(source, seconds=2)
    if os.name == "posix" and mark.exists():
        pid = int(mark.read_text())
        end = time.monotonic() + 10
        while _alive(pid):
            assert time.monotonic() < end
            time.sleep(0.02)


def test_it_is_stopped_when_it_takes_all_memory(figures, monkeypatch):
    monkeypatch.setattr(user_metric, "most_memory", lambda: 200_000_000)
    source = "kept = []\ndef metric(o, r, l):\n    while True: kept.append(bytearray(b'x' * 10**6))\n"
    with pytest.raises(DataError, match=r"metric took more than 0\.2 GB of memory and was stopped"):
        figures(source)


def test_it_ends_with_the_process_that_asked_even_if_that_is_killed(tmp_path):
    mark = tmp_path / "own.pid"
    (tmp_path / "endless.py").write_text(
        f"import os\ndef metric(o, r, l):\n    open({str(mark)!r}, 'w').write(str(os.getpid()))\n    while True: pass\n"
    )
    program = (
        "import sys, numpy as np\n"
        "from engine.numerics.user_metric import named_metric as named, user_figures\n"
        "outputs = [{'y': np.zeros(3)}]\n"
        "user_figures(named(sys.argv[1]), [outputs], outputs)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    asking = subprocess.Popen([sys.executable, "-c", program, f"{tmp_path / 'endless.py'}:metric"], env=environment)
    end = time.monotonic() + 60
    try:
        while not (mark.exists() and mark.read_text()):
            assert asking.poll() is None
            assert time.monotonic() < end
            time.sleep(0.02)
    finally:
        asking.kill()
        asking.wait()
    while _alive(int(mark.read_text())):
        assert time.monotonic() < end
        time.sleep(0.02)


def _alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_a_cancel_ends_it(figures):
    token = CancelToken()
    threading.Timer(0.3, token.cancel).start()
    with pytest.raises(Cancelled):
        figures("import time\ndef metric(o, r, l):\n    time.sleep(600)\n", cancel=token)


@pytest.mark.parametrize("text", ["metric.py", "metric.txt:f", "metric.py:", "metric.py:a b", ":f"])
def test_a_metric_is_a_file_and_a_function(text):
    with pytest.raises(DataError, match=r"write FILE\.py:FUNCTION"):
        named_metric(text)


def test_the_file_must_exist_and_the_time_be_some(tmp_path):
    with pytest.raises(DataError, match="does not exist"):
        named_metric(f"{tmp_path / 'gone.py'}:f")
    (tmp_path / "m.py").write_text("")
    with pytest.raises(DataError, match="above 0 seconds"):
        named_metric(f"{tmp_path / 'm.py'}:f", 0)
