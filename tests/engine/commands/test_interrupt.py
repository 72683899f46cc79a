"""Ctrl-C ends a command soon, whatever it is doing, and leaves nothing half written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from engine.cli import interrupt
from engine.cli.interrupt import STOPPED, interruptible

LONG_CALL = """
import signal, sys
import numpy as np, onnx, onnxruntime as ort
from onnx import helper, TensorProto, numpy_helper
from engine.cli.interrupt import interruptible
size = 600
info = helper.make_tensor_value_info
body = helper.make_graph(
    [helper.make_node("MatMul", ["x", "x"], ["y"]), helper.make_node("Identity", ["go"], ["on"])], "body",
    [info("i", TensorProto.INT64, []), info("go", TensorProto.BOOL, []), info("x", 1, [size, size])],
    [info("on", TensorProto.BOOL, []), info("y", 1, [size, size])])
graph = helper.make_graph([helper.make_node("Loop", ["count", "", "x0"], ["out"], body=body)], "long",
    [info("x0", 1, [size, size])], [info("out", 1, [size, size])],
    [numpy_helper.from_array(np.int64(1_000_000), "count")])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
def work():
    print("in the call", flush=True)
    session.run(None, {"x0": np.zeros((size, size), np.float32)})
    return 0
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(interruptible(work))
"""
"""One call into ONNX Runtime of some minutes."""


@pytest.fixture(autouse=True)
def listening_to_ctrl_c():
    """Programs started in the background of a script inherit that Ctrl-C is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_call_into_onnx_runtime_is_left(tmp_path):
    command = [sys.executable, "-c", LONG_CALL]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env={**os.environ}) as child:
        assert child.stdout.readline() == "in the call\n"
        try:
            child.send_signal(signal.SIGINT)
            _, error = child.communicate(timeout=60)
        finally:
            child.kill()
    assert child.returncode == STOPPED
    assert error == "mixbit: stopped\n"


def test_a_command_that_can_cleans_up_behind_itself(capsys):
    cleaned = []

    def work() -> int:
        threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            while True:
                time.sleep(0.005)
        finally:
            cleaned.append(True)

    assert interruptible(work) == STOPPED
    assert cleaned == [True]
    assert capsys.readouterr().err == "mixbit: stopped\n"


def test_ctrl_c_while_the_command_starts_is_no_traceback(monkeypatch, capsys):
    begun = threading.Event()

    class Interrupted(threading.Thread):
        def start(self) -> None:
            super().start()
            assert begun.wait(10)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)  # where the signal is answered

    def work() -> int:
        begun.set()
        while True:
            time.sleep(0.005)

    monkeypatch.setattr(interrupt.threading, "Thread", Interrupted)
    assert interruptible(work) == STOPPED
    assert capsys.readouterr().err == "mixbit: stopped\n"


def test_codes_and_errors_are_passed_on():
    assert interruptible(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 // 0)
    with pytest.raises(SystemExit):
        interruptible(lambda: sys.exit(3))


def test_a_second_ctrl_c_does_not_wait(monkeypatch, capsys):
    left, release = [], threading.Event()
    monkeypatch.setattr(interrupt.os, "_exit", left.append)
    monkeypatch.setattr(interrupt, "PATIENCE_S", 60.0)

    def work() -> int:
        for delay in (0.05, 0.5):
            threading.Timer(delay, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        while not release.is_set():
            try:
                release.wait(0.01)
            except KeyboardInterrupt:
                continue  # what does not let itself be stopped
        return 0

    assert interruptible(work) == STOPPED
    release.set()
    assert left == [STOPPED]


def test_ctrl_c_while_modules_are_imported_ends_the_process_and_is_an_interrupt_again_behind_it():
    script = """
import importlib.abc, os, signal, sys
class Press(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "engine.cli":
            if os.environ.get("PRESS"):
                os.kill(os.getpid(), signal.SIGINT)
            assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
sys.meta_path.insert(0, Press())
from gui.main import main
code = main(["devices", "--quiet"])
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
sys.exit(code)
"""
    for pressed, code in (("", 0), ("1", -signal.SIGINT)):
        found = subprocess.run(
            [
                sys.executable,
                "-c",
                "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n" + script,
            ],
            capture_output=True,
            env={**os.environ, "PRESS": pressed},
            check=False,
        )
        assert (found.returncode, found.stderr) == (code, b"")
