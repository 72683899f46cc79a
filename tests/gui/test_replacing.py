"""Nothing that exists is written over without a question, and nothing is proposed where it does not belong."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from engine.paths import sample_models
from gui.dialogs.export import ExportDialog
from gui.dialogs.replace import ReplaceDialog
from gui.settings import Settings
from gui.window import Window


@pytest.fixture
def window(qtbot, session) -> Window:
    made = Window(Settings(None), confirm=False)
    qtbot.addWidget(made)
    made.show()
    made.set_session(session)
    return made


@pytest.fixture
def dialog(window, session) -> ExportDialog:
    made = ExportDialog(session, window.actions_, window)
    made.open()
    return made


def question(parent) -> ReplaceDialog | None:
    return next((d for d in parent.findChildren(ReplaceDialog) if d.isVisible()), None)


def exports(session) -> list[Path]:
    return [call[2] for call in session.calls if call[0] == "export"]


def test_export_onto_a_file_asks_and_enter_twice_leaves_it(dialog, session, qtbot, tmp_path):
    there = tmp_path / "there.onnx"
    there.write_text("mine")
    dialog.path.setText(str(there))
    qtbot.keyClick(dialog.path, Qt.Key.Key_Return)
    asked = question(dialog)
    assert asked is not None
    assert "there.onnx" in asked.title_label.text()
    qtbot.keyClick(asked, Qt.Key.Key_Return)
    assert exports(session) == []
    assert dialog.isVisible()
    qtbot.keyClick(dialog.path, Qt.Key.Key_Return)
    qtbot.mouseClick(question(dialog).replace, Qt.MouseButton.LeftButton)
    assert exports(session) == [there]
    assert not dialog.isVisible()


def test_a_folder_with_something_in_it_is_asked_about_an_empty_one_is_not(dialog, session, qtbot, tmp_path):
    dialog.targets.choose("atc")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "convert.sh").write_text("mine")
    dialog.path.setText(str(tmp_path / "out"))
    qtbot.mouseClick(dialog.export, Qt.MouseButton.LeftButton)
    assert question(dialog) is not None
    question(dialog).reject()
    (tmp_path / "out" / "convert.sh").unlink()
    qtbot.mouseClick(dialog.export, Qt.MouseButton.LeftButton)
    assert exports(session) == [tmp_path / "out"]


def test_the_opened_model_is_refused_in_place(dialog, session, qtbot, tmp_path, monkeypatch):
    model = tmp_path / "net.onnx"
    model.write_text("model")
    monkeypatch.setattr(session, "path", model, raising=False)
    dialog.path.setText(str(tmp_path / "." / "net.onnx"))
    qtbot.mouseClick(dialog.export, Qt.MouseButton.LeftButton)
    assert "opened model" in dialog.problem.text()
    assert question(dialog) is None
    assert exports(session) == []
    dialog.path.setText(str(tmp_path))
    qtbot.mouseClick(dialog.export, Qt.MouseButton.LeftButton)
    assert "is a folder" in dialog.problem.text()
    dialog.reject()


def test_saving_asks_also_where_the_suffix_was_left_out(window, session, qtbot, tmp_path, monkeypatch):
    there = tmp_path / "plan.mixbit"
    there.write_text("mine")
    chosen = (str(tmp_path / "plan"), "")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", staticmethod(lambda *a, **k: chosen))
    window.actions_.save_project_as()
    asked = question(window)
    assert asked is not None
    asked.reject()
    assert [c for c in session.calls if c[0] == "save_project"] == []
    monkeypatch.setattr(session, "project_path", there, raising=False)
    window.actions_.save_project_as()
    assert [c[1] for c in session.calls if c[0] == "save_project"] == [there]


def test_proposals_stay_out_of_the_samples(window, session, tmp_path, monkeypatch):
    sample = sample_models() / "page_orientation" / "page_orientation.onnx"
    monkeypatch.setattr(session, "path", sample, raising=False)
    assert window.actions_.output_folder() == Path.home()
    window.actions_.wrote_to(tmp_path)
    dialog = ExportDialog(session, window.actions_, window)
    assert Path(dialog.path.text()).parent == tmp_path
    dialog.deleteLater()
    (tmp_path / "own").mkdir()
    monkeypatch.setattr(session, "path", tmp_path / "own" / "net.onnx", raising=False)
    assert window.actions_.output_folder() == tmp_path / "own"
