import json
import threading
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget

from engine.errors import ExportError
from engine.graph.types import ModelInput
from engine.interop import listing
from engine.interop.pictures import ImageOptions
from engine.interop.samples import SYNTHETIC, DataSource
from engine.npu.results import Scenario
from engine.precision.scheme import INT8
from engine.session.sizes import SizesQuestion
from engine.session.state import Budgets, SampleRow
from engine.text import say
from gui.dialogs import data_check
from gui.dialogs.about import AboutDialog
from gui.dialogs.budgets import BudgetsDialog
from gui.dialogs.data import DataDialog
from gui.dialogs.data_source import BadInputError, SourceEditor
from gui.dialogs.device import DeviceDialog
from gui.dialogs.dimensions import DimensionsDialog
from gui.dialogs.error import ErrorDialog
from gui.dialogs.export import ExportDialog
from gui.dialogs.scenario import ScenarioDialog
from gui.dialogs.shortcuts import ShortcutsDialog, halved
from gui.dialogs.unsaved import UnsavedDialog
from gui.i18n import set_language
from gui.settings import Settings
from gui.theme import theme_manager
from gui.views.layers_rule_dialog import RuleDialog
from gui.views.scheme_dialog import SchemeDialog
from gui.widgets.themed import button
from gui.window import Window

INT64, FLOAT = np.dtype(np.int64), np.dtype(np.float32)
INPUTS = (
    ModelInput("input_ids", INT64, ("batch", "sequence"), (1, 64)),
    ModelInput("mask", INT64, ("batch", "sequence"), (1, 64)),
    ModelInput("pixels", FLOAT, ("", 3, 224, 224), (1, 3, 224, 224)),
    ModelInput("fixed", FLOAT, (1, 8), (1, 8)),
)


@pytest.fixture
def window(qtbot, session):
    made = Window(Settings(None), confirm=False)
    qtbot.addWidget(made)
    made.show()
    made.set_session(session)
    QApplication.processEvents()
    return made


def press(qtbot, dialog, text):
    found = [b for b in dialog.findChildren(type(button())) if b.text() == text]
    assert len(found) == 1, text
    qtbot.mouseClick(found[0], Qt.MouseButton.LeftButton)


def test_dimensions_propose_shapes_and_share_names(qtbot):
    dialog = DimensionsDialog(INPUTS, None)
    qtbot.addWidget(dialog)
    dialog.open()
    assert list(dialog.fields) == ["batch", "sequence", "pixels/0"]
    assert dialog.shapes() == {"input_ids": (1, 64), "mask": (1, 64), "pixels": (1, 3, 224, 224)}
    dialog.fields["sequence"].setValue(128)
    assert dialog.shapes()["mask"] == (1, 128)
    assert dialog._shown["mask"].text().endswith("1×128")
    words = [shown.text() for shown in dialog.findChildren(QLabel)]
    assert words[words.index("sequence") + 1] == "axis 1"  # names of exporters say little
    with qtbot.waitSignal(dialog.accepted, timeout=500):
        press(qtbot, dialog, "Open")


def test_opening_a_model_asks_for_dimensions_and_cancel_gives_up(window, session, qtbot):
    answers = []
    window.actions_._ask_shapes(SizesQuestion(INPUTS), answers.append)
    dialog = window.findChild(DimensionsDialog)
    dialog.fields["batch"].setValue(2)
    press(qtbot, dialog, "Open")
    assert answers[0]["input_ids"] == (2, 64)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    window.actions_._ask_shapes(SizesQuestion(INPUTS), answers.append)
    window.findChildren(DimensionsDialog)[-1].reject()
    assert answers[1] is None


def test_refused_dimensions_are_asked_for_again_with_the_reason(qtbot):
    proven = DimensionsDialog(INPUTS, None, say("It fails."), proven=True)
    other = DimensionsDialog(INPUTS, None, say("It fails."))
    for dialog in (proven, other):
        qtbot.addWidget(dialog)
        dialog.open()
        assert dialog.problem.isVisible()
        assert dialog.problem.text() == "It fails."
        assert "does not run" in dialog.title_label.text()
    assert "runs at those that stand here" in proven.sentence.text()
    assert "none of the usual ones" in other.sentence.text()


def test_budgets_start_from_what_is_set_and_keep_what_is_off(window, session, qtbot):
    dialog = BudgetsDialog(session, window)
    dialog.open()
    assert dialog.budgets() == session.budgets
    dialog.rows["latency"][0].setChecked(False)
    dialog.rows["sqnr"][1].setValue(30.5)
    press(qtbot, dialog, "Apply")
    assert session.budgets.max_latency_us is None
    assert session.budgets.min_sqnr_db == 30.5
    assert session.budgets.max_skin_c == 43.0


def test_a_budget_that_is_switched_on_starts_at_the_value_now(qtbot, session):
    session.budgets = Budgets(None, None, None, None, None, None)
    dialog = BudgetsDialog(session, None)
    qtbot.addWidget(dialog)
    dialog.rows["latency"][0].setChecked(True)
    assert dialog.budgets().max_latency_us == pytest.approx(session.figures.simulation.latency_us, abs=0.6)


def test_scenario(window, session, qtbot):
    dialog = ScenarioDialog(session, window)
    dialog.open()
    assert dialog.scenario() == session.scenario
    dialog.back_to_back.setChecked(False)
    dialog.rate.setValue(60)
    dialog.minutes.setValue(10)
    press(qtbot, dialog, "Apply")
    assert session.scenario == Scenario(10.0, 60.0, 25.0)


def test_device_dialog_uses_a_profile_and_shows_what_it_is_based_on(window, session, qtbot):
    dialog = DeviceDialog(session, window.actions_, window)
    dialog.open()
    assert dialog.list.currentItem().text() == session.device.title
    dialog.list.setCurrentRow(0)
    assert dialog.note.text() == session.devices[0].note
    press(qtbot, dialog, "Use")
    assert session.device.name == session.devices[0].name


def test_a_broken_profile_is_refused_and_the_old_one_stays(window, session, qtbot, tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"format": "mixbit-device"}))
    device = session.device
    dialog = DeviceDialog(session, window.actions_, window)
    dialog.open()
    dialog._take(str(path))
    assert dialog.isVisible()
    assert session.device is device
    assert "mine.json" in window._error.message.text()
    window._error.accept()
    dialog.reject()


def test_export_proposes_a_name_beside_the_model_and_passes_the_kind(window, session, qtbot):
    dialog = ExportDialog(session, window.actions_, window)
    dialog.open()
    assert dialog.path.text().endswith("mobilenetv2-12.qdq.onnx")
    qtbot.mouseClick(dialog.targets.viewport(), Qt.MouseButton.LeftButton, pos=dialog.targets.place("csv").center())
    assert dialog.path.text().endswith("mobilenetv2-12.csv")
    press(qtbot, dialog, "Export")
    assert [(c[0], c[1], c[2].name) for c in session.calls] == [("export", "csv", "mobilenetv2-12.csv")]


def test_export_without_a_path_says_so(window, session, qtbot):
    dialog = ExportDialog(session, window.actions_, window)
    dialog.open()
    dialog.path.clear()
    press(qtbot, dialog, "Export")
    assert dialog.problem.isVisible()
    dialog.reject()


def test_a_refused_export_keeps_the_dialog(window, session, qtbot, monkeypatch):
    def refuse(kind, path, options, **answers):
        raise ExportError(say("{path} can't be written ({reason}); choose another place.", path=path, reason="full"))

    monkeypatch.setattr(session, "export", refuse, raising=False)
    dialog = ExportDialog(session, window.actions_, window)
    dialog.open()
    press(qtbot, dialog, "Export")
    assert dialog.isVisible()
    assert "full" in window._error.message.text()
    window._error.accept()
    dialog.reject()


def test_data_dialog_gives_both_sources_to_the_session(window, session, qtbot, tmp_path):
    np.savez(tmp_path / "calibration.npz", input=np.zeros((2, 1, 3, 224, 224), np.float32))
    dialog = DataDialog(session, window.actions_, window)
    dialog.open()
    assert dialog.calibration.source() == SYNTHETIC
    dialog.calibration.choose(tmp_path / "calibration.npz")
    qtbot.waitUntil(lambda: dialog.calibration.kind.current == "arrays")
    dialog.calibration.limit.setValue(5)
    dialog.observer.setCurrentIndex(1)
    press(qtbot, dialog, "Apply")
    qtbot.waitUntil(lambda: any(call[0] == "set_data" for call in session.calls))
    name, calibration, evaluation, observer = next(call for call in session.calls if call[0] == "set_data")
    assert (name, observer) == ("set_data", "percentile")
    assert calibration == DataSource("arrays", str(tmp_path / "calibration.npz"), limit=5)
    assert evaluation == SYNTHETIC


def test_data_dialog_reads_both_pages_in_the_same_way(window, session, qtbot):
    dialog = DataDialog(session, window.actions_, window)
    dialog.open()
    form = dialog.calibration.images["input"]
    form.take(ImageOptions((256, 256), "center", (0.485, 0.456, 0.406), (0.229, 0.224, 0.225), 1.0, "BGR", "NHWC"))
    dialog.calibration.kind.set_current("images")
    dialog.calibration.path.setText("/somewhere")
    press(qtbot, dialog, "Read evaluation files like these")
    assert dialog.evaluation.images["input"].options() == form.options()
    assert dialog.evaluation.kind.current == "images"  # it would stay synthetic, unseen
    assert dialog.pages.currentWidget() is dialog.evaluation  # where a path is missing
    assert dialog.focusWidget() is dialog.evaluation.path
    dialog.reject()


def test_a_page_that_has_its_files_keeps_them_when_it_reads_like_the_other(window, session, qtbot, tmp_path):
    np.savez(tmp_path / "evaluation.npz", input=np.zeros((2, 3, 224, 224), np.float32))
    dialog = DataDialog(session, window.actions_, window)
    dialog.open()
    dialog.calibration.kind.set_current("images")
    dialog.evaluation.kind.set_current("arrays")
    dialog.evaluation.path.setText(str(tmp_path / "evaluation.npz"))
    press(qtbot, dialog, "Read evaluation files like these")
    assert dialog.evaluation.kind.current == "arrays"
    assert dialog.pages.currentWidget() is dialog.calibration
    dialog.reject()


@pytest.fixture
def editor(qtbot, session):
    made = SourceEditor(session.network.graph.inputs, SYNTHETIC, session.jobs)
    qtbot.addWidget(made)
    return made


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [("std", "1, 0, 1", "must not be 0"), ("std", "a b", "numbers"), ("mean", "", "numbers")],
)
def test_impossible_picture_options_name_input_and_field(editor, field, text, words):
    editor.kind.set_current("images")
    editor.path.setText("/pictures")
    getattr(editor.images["input"], field).setText(text)
    with pytest.raises(BadInputError, match=f"^input: .*{words}"):
        editor.source()


@pytest.mark.parametrize(("field", "text", "words"), [("std", "1, nan, 1", "positive"), ("mean", "inf", "numbers"),
                                                    ("std", "-1", "positive")])  # fmt: skip
def test_numbers_that_are_none_are_refused_as_the_engine_does(editor, field, text, words):
    editor.kind.set_current("images")
    editor.path.setText("/pictures")
    getattr(editor.images["input"], field).setText(text)
    with pytest.raises(BadInputError, match=f"input input must be .*{words}"):
        editor.source()


@pytest.mark.parametrize("scale", [1 / 255, 1.0, 1 / 127.5, 1 / 128, 0.017])
def test_a_scale_stays_what_it_was(editor, scale):
    form = editor.images["input"]
    form.take(ImageOptions(scale=0.25))
    form.take(ImageOptions(scale=scale))
    assert form.options().scale == pytest.approx(scale, rel=1e-9)


def test_means_keep_all_their_digits(editor):
    form, mean = editor.images["input"], (123.675 / 255, 0.1 + 0.2, 1 / 3)
    form.take(ImageOptions(mean=mean, std=mean))
    assert (form.options().mean, form.options().std) == (mean, mean)


@pytest.mark.parametrize(("shape", "words"), [("1x3x224x223", "must hold"), ("one", "write the shape")])
def test_impossible_raw_shapes_name_the_input(editor, shape, words):
    editor.kind.set_current("raw")
    editor.path.setText("/raw")
    editor.raws["input"].shape.setText(shape)
    with pytest.raises(BadInputError, match=f"^input: .*{words}"):
        editor.source()


def test_raw_options_go_both_ways(editor):
    editor.kind.set_current("raw")
    editor.path.setText("/raw")
    editor.raws["input"].shape.setText("1, 3, 224, 224")
    options = editor.source().raw["input"]
    assert (options.dtype, options.shape) == ("float32", (1, 3, 224, 224))


def test_a_source_needs_a_path_and_a_bad_path_is_explained(editor, qtbot, tmp_path):
    editor.kind.set_current("arrays")
    with pytest.raises(BadInputError):
        editor.source()
    editor.choose(tmp_path / "nothing")
    qtbot.waitUntil(lambda: "nothing" in editor._hint.text())


def typed(editor, qtbot, path):
    editor.path.selectAll()
    qtbot.keyClicks(editor.path, str(path))
    editor.path.editingFinished.emit()
    qtbot.waitUntil(editor.settle)


def test_a_typed_folder_is_read_as_its_preprocess_file_says_until_somebody_sets_it_otherwise(editor, qtbot, tmp_path):
    for name, channels in (("one", "BGR"), ("two", "GRAY")):
        (tmp_path / name).mkdir()
        Image.new("RGB", (8, 8)).save(tmp_path / name / "a.png")
        options = {"input": "input", "mean": [0.5], "std": [0.25], "channels": channels, "resize": [40, 50]}
        (tmp_path / name / "preprocess.json").write_text(json.dumps(options))
    editor.kind.set_current("images")
    form = editor.images["input"]
    typed(editor, qtbot, tmp_path / "one")
    assert (form.options().channels, form.options().resize, form.options().std) == ("BGR", (40, 50), (0.25,))
    form.std.setText("0.75")
    editor.path.editingFinished.emit()  # the field loses the focus again
    editor.kind.chosen.emit("images")
    qtbot.waitUntil(editor.settle)
    assert form.options().std == (0.75,)
    editor.path.setText(str(tmp_path / "two"))
    editor.path.editingFinished.emit()
    form.mean.setText("0.125")  # while the files are still looked at
    qtbot.waitUntil(editor.settle)
    assert (form.options().channels, form.options().mean) == ("BGR", (0.125,))


def test_apply_waits_for_the_options_of_a_path_that_was_just_typed(window, session, qtbot, tmp_path):
    Image.new("RGB", (8, 8)).save(tmp_path / "a.png")
    (tmp_path / "preprocess.json").write_text('{"input": "input", "channels": "BGR"}')
    dialog = DataDialog(session, window.actions_, window)
    dialog.open()
    for page in (dialog.calibration, dialog.evaluation):
        page.kind.set_current("images")
        page.path.setText(str(tmp_path))
    press(qtbot, dialog, "Apply")
    qtbot.waitUntil(lambda: "set_data" in {call[0] for call in session.calls})
    given = next(call for call in session.calls if call[0] == "set_data")
    assert [source.images["input"].channels for source in given[1:3]] == ["BGR", "BGR"]


def test_error_dialog_collects_sentences_and_reports_them_all(qtbot):
    dialog = ErrorDialog(None)
    qtbot.addWidget(dialog)
    dialog.open()
    dialog.add("First.", "trace 1")
    dialog.add("Second.")
    assert dialog.message.text() == "First.\n\nSecond."
    assert dialog.message.height() >= dialog.message.heightForWidth(dialog.message.width())
    assert all(part in dialog.report() for part in ("Mixbit", "Python", "First.", "trace 1", "Second."))
    dialog.accept()


@pytest.mark.parametrize("kind", [AboutDialog, ShortcutsDialog, UnsavedDialog])
def test_plain_dialogs_open_and_close(qtbot, kind):
    dialog = kind(None)
    qtbot.addWidget(dialog)
    dialog.open()
    assert not dialog.grab().isNull()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_every_field_of_every_dialog_has_a_name(window, session, qtbot):
    from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QLineEdit

    for dialog in (
        DimensionsDialog(INPUTS, window),
        DataDialog(session, window.actions_, window),
        BudgetsDialog(session, window),
        ExportDialog(session, window.actions_, window),
    ):
        for field in dialog.findChildren(QWidget):
            inner = field.objectName().startswith("qt_spinbox")
            if isinstance(field, (QAbstractSpinBox, QComboBox, QLineEdit)) and not inner:
                assert field.accessibleName(), (type(dialog).__name__, type(field).__name__)
        dialog.deleteLater()


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("nothing.npz", "arrays", "does not exist"),
        ("notes.txt", "arrays", "can't be read as data"),
        ("own", "images", "holds no file of this kind"),
        ("empty", "raw", "holds no pictures"),
    ],
)
def test_a_wrong_path_is_told_beside_the_field_and_the_dialog_stays(
    window, session, qtbot, tmp_path, name, kind, words
):
    (tmp_path / "notes.txt").write_text("no data")
    (tmp_path / "own").mkdir()
    np.save(tmp_path / "own" / "a.npy", np.zeros(3, np.float32))
    (tmp_path / "empty").mkdir()
    dialog = DataDialog(session, window.actions_, window)
    dialog.open()
    dialog.evaluation.kind.set_current(kind)
    dialog.evaluation._show_kind(kind)
    dialog.evaluation.path.setText(str(tmp_path / name))
    press(qtbot, dialog, "Apply")
    qtbot.waitUntil(lambda: dialog.evaluation._hint.isVisible())
    assert dialog.isVisible()
    assert dialog.pages.currentWidget() is dialog.evaluation
    assert dialog.evaluation._hint.isVisible()
    assert words in dialog.evaluation._hint.text()
    assert [c for c in session.calls if c[0] == "set_data"] == []
    if name == "own":
        dialog.evaluation.kind.set_current("arrays")
        press(qtbot, dialog, "Apply")
        qtbot.waitUntil(lambda: any(call[0] == "set_data" for call in session.calls))
    else:
        dialog.reject()


def test_used_samples_are_told_of_how_many_there_are(window, session, qtbot):
    session.data = replace(session.data, evaluation_samples=16, evaluation_available=160)
    window._refresh()
    assert "16 of 160 evaluation" in window.context.data._detail
    assert "64 calibration" in window.context.data._detail
    dialog = DataDialog(session, window.actions_, window)
    assert "In use now: 16 of 160." in dialog.evaluation._used.text()
    assert "toggle" in dialog.evaluation._used.text()
    assert dialog.evaluation.limit.text() == "automatic"
    dialog.deleteLater()


@pytest.mark.parametrize("lengths", [[9, 7, 4, 13, 5, 8, 3], [20, 2, 2], [5], [3, 3, 3, 3]])
def test_the_two_columns_of_the_shortcuts_are_as_even_as_can_be(lengths):
    places = halved(lengths)
    left = sum(n for n, place in zip(lengths, places, strict=True) if place == 0)
    best = min(
        max(some, sum(lengths) - some)
        for chosen in range(2 ** len(lengths))
        for some in [sum(n for i, n in enumerate(lengths) if chosen >> i & 1)]
    )
    assert places[0] == 0
    assert max(left, sum(lengths) - left) == best


def rule_dialog(window) -> RuleDialog:
    view = window.reveal("layers")
    view.refresh_now()
    return view.edits.edit_by_rule(view.model.rows, view.filter_bar.filter)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_primary_button_stands_last_in_every_dialog(window, session, qtbot, language):
    set_language(language)
    for dialog in (SchemeDialog(INT8, 3, window), BudgetsDialog(session, window), rule_dialog(window)):
        dialog.show()
        QApplication.processEvents()
        found = {b.text(): b.mapTo(dialog, QPoint(0, 0)).x() for b in dialog.findChildren(QPushButton) if b.isVisible()}
        apply, cancel = ("Apply", "Cancel") if language == "en" else ("应用", "取消")
        assert found[apply] > found[cancel], type(dialog).__name__
        main = next(b for b in dialog.findChildren(QPushButton) if b.text() == apply)
        ground = main.grab().toImage()
        assert ground.pixelColor(ground.width() // 2, 4) == theme_manager.theme.accent, type(dialog).__name__
        dialog.close()


def test_a_rule_says_how_many_locked_kernels_it_leaves_alone(window, session, qtbot):
    session.set_locked(("k3", "k9"), True)
    dialog = rule_dialog(window)
    dialog.show()
    dialog._write()
    assert dialog._count.text().endswith("2 locked kernels stay as they are")
    session.set_locked(("k3", "k9"), False)
    dialog.close()
    dialog = rule_dialog(window)
    assert "locked" not in dialog._count.text()
    dialog.close()


def test_looking_through_a_folder_never_holds_the_window_up(window, session, qtbot, tmp_path, monkeypatch):
    asked, go = threading.Event(), threading.Event()

    def slow(path, token):
        asked.set()
        go.wait(5)
        token.check()
        return DataSource("raw", str(path))

    monkeypatch.setattr(data_check, "guess_source", slow)
    monkeypatch.setattr(data_check, "holds", lambda path, kind, token: True)
    dialog = DataDialog(session, window.actions_, window)
    dialog.open()
    dialog.calibration.choose(tmp_path)  # returns at once
    assert asked.wait(5)
    assert dialog.calibration.kind.current == "synthetic"
    dialog.calibration.kind.set_current("arrays")
    press(qtbot, dialog, "Apply")
    apply = next(b for b in dialog.findChildren(QPushButton) if b.text() == "Looking at the files…")
    assert not apply.isEnabled()
    dialog.reject()  # whoever gives up hears nothing more of it
    go.set()
    qtbot.waitUntil(lambda: not session.jobs.active)
    assert "set_data" not in {call[0] for call in session.calls}  # the Summary tries plans meanwhile


def test_a_folder_that_vanishes_is_a_sentence(window, session, qtbot, tmp_path, monkeypatch):
    monkeypatch.setattr(listing.os, "walk", lambda *_, onerror, **__: onerror(FileNotFoundError(2, "it is gone")))
    dialog = DataDialog(session, window.actions_, window)
    dialog.open()
    dialog.calibration.kind.set_current("images")
    dialog.calibration.path.setText(str(tmp_path))
    press(qtbot, dialog, "Apply")
    qtbot.waitUntil(lambda: "it is gone" in dialog.calibration._hint.text())
    qtbot.waitUntil(lambda: any(b.text() == "Apply" and b.isEnabled() for b in dialog.findChildren(QPushButton)))
    dialog.reject()


def test_samples_in_use_are_listed_with_the_doubts_about_them(window, session, qtbot):
    rows = (
        SampleRow("calibration", "a.png", "input", -2.1, 2.6, 0.1, 1.2, 0),
        SampleRow("calibration", "b.png", "input", -80.0, 90.0, 4.0, 30.0, 12),
        SampleRow("evaluation", "c.png", "input", -2.0, 2.5, -0.2, 1.1, 0),
    )
    notes = (say("Only {count} calibration samples; 100 or more give steadier ranges.", count=2),) * 2
    session.data = replace(session.data, samples=rows, notes=notes)
    window._refresh()
    assert window.context.data._detail.startswith("2 warnings · ")
    window.resize(1000, 700)
    QApplication.processEvents()
    assert window.context.data._folded
    assert window.context.data.shown_detail == "2 warnings"  # where there is little room, too
    assert "Only 2 calibration samples" in window.context.data.toolTip()
    dialog = DataDialog(session, window.actions_, window)
    dialog.open()
    assert dialog.pages.tabText(2) == "Samples in use · 2 warnings"
    dialog.pages.setCurrentIndex(2)
    page = dialog.pages.currentWidget()
    shown = lambda row, column: page.model.data(page.model.index(row, column))
    assert [shown(i, 1) for i in range(3)] == ["a.png", "b.png", "c.png"]
    assert (shown(1, 3), shown(1, 7), shown(0, 7)) == ("−80", "12", "")
    page.table.sortByColumn(6, Qt.SortOrder.DescendingOrder)
    assert [shown(i, 1) for i in range(3)] == ["b.png", "a.png", "c.png"]
    assert not dialog.same.isVisible()
    dialog.reject()
    session.data = replace(session.data, notes=())
    window._refresh()
    assert "warning" not in window.context.data._detail
    assert "calibration samples;" not in window.context.data.toolTip()
    dialog = DataDialog(session, window.actions_, window)
    assert dialog.pages.tabText(2) == "Samples in use"
    dialog.deleteLater()


def test_the_data_button_opens_its_dialog_without_a_menu(window, qtbot):
    qtbot.mouseClick(window.context.data, Qt.MouseButton.LeftButton)
    dialog = next(d for d in window.findChildren(DataDialog) if d.isVisible())
    assert QApplication.activePopupWidget() is None
    dialog.reject()
