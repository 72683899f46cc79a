"""Weight methods in the window: compared in a dialog, taken, chosen for all; a candidate's error while one edits."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication
from small_models import small_cnn

from engine.precision.scheme import FP16, INT4, INT8, ActivationFormat
from engine.session import Session
from gui.bridge import Dispatcher
from gui.dialogs.methods import MethodsDialog
from gui.views.scheme_dialog import SchemeDialog
from gui.views.scheme_editor import SchemeEditor
from gui.views.scheme_words import method_words, scheme_words

GPTQ = replace(INT4, method="gptq", corrected=True)


@pytest.fixture
def session(qtbot, tmp_path):
    dispatcher = Dispatcher()
    made = Session(dispatch=dispatcher.dispatch)
    made.open_model(small_cnn(tmp_path / "small_cnn.onnx"))
    qtbot.waitUntil(lambda: made.data is not None and not made.jobs.active, timeout=60_000)
    made.apply_preset("int4")
    qtbot.waitUntil(lambda: not made.jobs.active, timeout=60_000)
    yield made
    made.close()


@pytest.mark.parametrize("scheme", [GPTQ, replace(INT8, method="mse"), replace(INT8, activations=ActivationFormat(4))])
def test_the_editor_gives_back_methods_and_four_bit_activations(qtbot, scheme):
    editor = SchemeEditor()
    qtbot.addWidget(editor)
    editor.show_scheme(scheme)
    assert editor.scheme() == scheme
    assert editor.method.isEnabled()
    editor.show_scheme(FP16)
    assert not editor.method.isEnabled()
    assert editor.scheme() == FP16


def test_a_method_is_chosen_in_the_editor(qtbot):
    editor = SchemeEditor()
    qtbot.addWidget(editor)
    edits = []
    editor.edited.connect(edits.append)
    editor.show_scheme(INT4)
    editor.method.setCurrentIndex(editor.method.findData("gptq"))
    editor.corrected.click()
    assert edits[-1] == GPTQ
    editor.activations.setCurrentIndex(editor.activations.findData("int4"))
    assert edits[-1].activations == ActivationFormat(4)
    assert not editor.static.isEnabled()


def test_words_of_a_method():
    assert method_words(INT4) == "round to nearest"
    assert method_words(GPTQ) == "GPTQ, corrected bias"
    assert scheme_words(replace(INT8, method="gptq")) == scheme_words(INT8)


def test_methods_are_measured_and_the_chosen_one_is_taken(qtbot, session):
    kernel = session.network.tunable[0]
    dialog = MethodsDialog(session, kernel, None)
    dialog.show()
    qtbot.waitUntil(lambda: "All measured" in dialog.state.text(), timeout=60_000)
    assert dialog.table.rowCount() == 8
    gains = session.refining.gains(kernel.id)
    rows = [[dialog.table.item(r, c).text() for c in range(5)] for r in range(8)]
    assert rows[0][0] == "round to nearest"
    assert rows[0][2] == rows[0][4] == "0.0"
    assert rows[3][1].startswith(f"{gains[replace(INT4, method='gptq')].local_db:.1f}")
    best = max(range(8), key=lambda r: gains[dialog._schemes[r]].output_db)
    assert [r for r in range(8) if dialog.table.item(r, 0).font().bold()] == [best]
    dialog.table.selectRow(7)
    dialog.use.click()
    assert session.plan.scheme(kernel.id) == GPTQ
    session.undo()
    assert session.plan.scheme(kernel.id) == INT4
    qtbot.waitUntil(lambda: not session.jobs.active, timeout=60_000)


def test_a_comparison_ends_with_its_dialog(qtbot, session):
    dialog = MethodsDialog(session, session.network.tunable[0], None)
    dialog.show()
    job = session.refining._comparing
    assert job.active
    dialog.reject()
    assert job.token.cancelled
    qtbot.waitUntil(lambda: not job.active, timeout=60_000)
    assert job.state == "cancelled"


def test_the_best_for_all_is_one_edit(qtbot, session):
    before = session.figures.evaluation.output.sqnr_db
    dialog = MethodsDialog(session, session.network.tunable[0], None)
    dialog.show()
    dialog.best.click()
    assert not dialog.best.isEnabled()
    qtbot.waitUntil(lambda: session.undo_step is not None and "methods" in str(session.undo_step.title), timeout=60_000)
    qtbot.waitUntil(lambda: not session.jobs.active, timeout=60_000)
    assert session.figures.evaluation.output.sqnr_db > before
    assert dialog.best.isEnabled()
    dialog.reject()


def test_float_weights_and_locked_kernels_have_no_method_to_take(qtbot, session):
    kernel = session.network.tunable[0]
    session.set_locked([kernel.id], True)
    dialog = MethodsDialog(session, kernel, None)
    dialog.table.selectRow(3)
    assert not dialog.use.isEnabled()
    dialog.reject()
    session.set_locked([kernel.id], False)
    session.set_scheme([kernel.id], FP16)
    empty = MethodsDialog(session, kernel, None)
    assert empty.table.rowCount() == 0
    assert empty.table.isHidden()  # the sentence says it all
    assert "float weights" in empty.state.text()
    assert not empty.use.isEnabled()
    empty.reject()
    qtbot.waitUntil(lambda: not session.jobs.active, timeout=60_000)


def test_a_candidate_shows_its_local_error_without_an_edit(qtbot, session):
    kernels = session.network.tunable
    dialog = SchemeDialog(INT4, len(kernels), session=session, kernels=kernels)
    qtbot.addWidget(dialog)
    dialog.show()
    plan = session.plan
    qtbot.waitUntil(lambda: "worst kernel" in dialog.error.text(), timeout=60_000)
    dialog.editor.method.setCurrentIndex(dialog.editor.method.findData("gptq"))
    wanted = session.refining.fitted([k.id for k in kernels], dialog.scheme())
    assert {s.method for s in wanted.values()} == {"gptq", "rtn"}
    qtbot.waitUntil(lambda: all(cell in session.local for cell in wanted.items()), timeout=60_000)
    worst = min(session.local[cell].sqnr_db for cell in wanted.items())
    qtbot.waitUntil(lambda: f"{worst:.1f}" in dialog.error.text(), timeout=60_000)
    assert session.plan == plan
    dialog.accept()
    qtbot.waitUntil(lambda: not session.jobs.active, timeout=60_000)
    QApplication.processEvents()
