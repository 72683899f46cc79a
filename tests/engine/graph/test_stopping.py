"""Opening is stopped wherever it is: between its steps, and while ONNX Runtime builds a session."""

from __future__ import annotations

import threading
import traceback
from pathlib import Path

import pytest
from small_models import small_cnn

from engine.errors import Cancelled
from engine.graph import runtime
from engine.graph.guard import watched
from engine.progress import NEVER, CancelToken
from engine.session.work import open_network


class Counting(CancelToken):
    """Notes where it is checked, and raises itself at the check that was asked for."""

    def __init__(self, last: int = -1) -> None:
        super().__init__()
        self.last, self.places = last, []

    def check(self) -> None:
        self.places.append(Path(traceback.extract_stack(limit=2)[0].filename).name)
        if len(self.places) == self.last:
            self.cancel()
        super().check()


def test_every_step_of_opening_can_be_the_last(tmp_path):
    model = small_cnn(tmp_path / "m.onnx")
    whole = Counting()
    open_network(model, cancel=whole)
    assert {"work.py", "load.py", "trial.py", "guard.py", "fold.py", "fuse.py"} <= set(whole.places)
    for last in range(1, len(whole.places) + 1, 7):
        with pytest.raises(Cancelled):
            open_network(model, cancel=Counting(last))


def test_what_is_watched_is_stopped_by_another_thread():
    token, stopped = CancelToken(), threading.Event()
    threading.Timer(0.01, token.cancel).start()

    def give_up():
        assert stopped.wait(10)
        raise RuntimeError("the runtime gave up")

    with pytest.raises(Cancelled), watched(stopped.set, token):
        give_up()
    with pytest.raises(RuntimeError, match="of its own"), watched(stopped.set, CancelToken()):
        raise RuntimeError("of its own")
    with watched(stopped.set, NEVER):
        pass


def test_a_session_that_is_being_built_is_told(tmp_path, monkeypatch):
    told = threading.Event()

    class Options(runtime.ort.SessionOptions):
        def set_load_cancellation_flag(self, value: bool) -> None:
            super().set_load_cancellation_flag(value)
            told.set()

    def build(*_, **__):
        assert told.wait(10)
        raise RuntimeError("cancelled")

    token = CancelToken()
    token.cancel()
    monkeypatch.setattr(runtime.ort, "SessionOptions", Options)
    monkeypatch.setattr(runtime.ort, "InferenceSession", build)
    with pytest.raises(Cancelled):
        runtime.open_session(runtime.onnx.ModelProto(), tmp_path, token)
