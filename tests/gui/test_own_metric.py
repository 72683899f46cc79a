"""A Python function as metric in the window: chosen, computed with every plan, its failures told."""

from __future__ import annotations

import numpy as np
import pytest
from small_models import small_cnn

from engine.precision.plan import Plan
from engine.session import Session
from gui.bridge import Dispatcher
from gui.dialogs.own_metric import OwnMetricDialog
from gui.views.summary_notes import explain

SOURCE = """
import numpy as np

def distance(outputs, references, labels):
    return float(np.mean([np.abs(o["logits"] - r["logits"]).mean() for o, r in zip(outputs, references)]))

def broken(outputs, references, labels):
    raise ValueError("no such thing")
"""


@pytest.fixture
def session(qtbot, tmp_path):
    made = Session(dispatch=Dispatcher().dispatch)
    made.open_model(small_cnn(tmp_path / "small_cnn.onnx"))
    qtbot.waitUntil(lambda: made.data is not None and not made.jobs.active, timeout=60_000)
    made.apply_preset("int4")
    qtbot.waitUntil(lambda: not made.jobs.active, timeout=60_000)
    (tmp_path / "mine.py").write_text(SOURCE)
    yield made
    made.close()


def dialog_for(session, qtbot, path, function):
    dialog = OwnMetricDialog(session, None)
    dialog.show()
    dialog.path.setText(str(path))
    dialog.function.setText(function)
    dialog._on_apply()
    return dialog


def test_the_figure_follows_the_plan(qtbot, session, tmp_path):
    dialog = dialog_for(session, qtbot, tmp_path / "mine.py", "distance")
    own = session.own_metric
    qtbot.waitUntil(lambda: own.figure is not None, timeout=60_000)
    evaluator = session._work._evaluator
    plans = [evaluator.output(p) for p in (session.plan, Plan())]
    wanted = np.mean([np.abs(o["logits"] - r["logits"]).mean() for o, r in zip(*plans, strict=True)])
    assert own.figure.value == pytest.approx(wanted, rel=1e-5)
    assert own.figure.reference == 0
    assert "FP32" in dialog.figure.text()
    assert any(part.startswith("distance ") for part in explain(session, "sqnr"))
    first = own.figure.value
    session.apply_preset("int8")
    qtbot.waitUntil(lambda: own.figure is not None and not session.jobs.active, timeout=60_000)
    assert own.figure.value < first
    session.undo()
    assert own.figure.value == first
    dialog.remove.click()
    assert own.metric is None
    assert not any(part.startswith("distance ") for part in explain(session, "sqnr"))
    dialog.reject()
    qtbot.waitUntil(lambda: not session.jobs.active, timeout=60_000)


def test_what_goes_wrong_stands_in_the_dialog_and_in_the_log(qtbot, session, tmp_path):
    dialog = dialog_for(session, qtbot, tmp_path / "gone.py", "distance")
    assert "does not exist" in dialog.problem.text()
    assert session.own_metric.metric is None
    dialog.path.setText(str(tmp_path / "mine.py"))
    dialog.function.setText("broken")
    dialog._on_apply()
    qtbot.waitUntil(lambda: session.own_metric.problem is not None, timeout=60_000)
    assert "ValueError: no such thing" in dialog.problem.text()
    assert "mine.py:broken failed" in str(session.last_error)
    assert "broken failed" in explain(session, "sqnr")
    dialog.reject()


def test_a_project_holds_no_code(qtbot, session, tmp_path):
    dialog = dialog_for(session, qtbot, tmp_path / "mine.py", "distance")
    qtbot.waitUntil(lambda: session.own_metric.figure is not None, timeout=60_000)
    dialog.reject()
    session.save_project(tmp_path / "work.mixbit")
    assert b"mine.py" not in (tmp_path / "work.mixbit").read_bytes()
