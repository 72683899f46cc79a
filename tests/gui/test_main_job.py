"""The whole main job on a real model in the real window with the real engine, by mouse and key events only."""

from __future__ import annotations

import csv
import json
import os
import shutil
import sys
from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest
from hand import CTRL, SHIFT, Hand
from handmade import run_whole
from PIL import Image
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from engine.paths import sample_models
from engine.precision import preset
from engine.precision.planfile import load_plan, save_plan
from engine.precision.scheme import FP16, INT4, INT8, family
from engine.session import Session
from engine.session.work import open_network
from gui.bridge import Dispatcher
from gui.dialogs.data import DataDialog
from gui.dialogs.dimensions import DimensionsDialog
from gui.dialogs.dumps import DumpsDialog
from gui.dialogs.export import ExportDialog
from gui.dialogs.foreign_plan import ForeignPlanDialog
from gui.i18n import language
from gui.main import main
from gui.settings import Settings
from gui.theme import DARK, theme_manager
from gui.window import Window

SAMPLES = 64
STEM, DEPTHWISE, POINTWISE, EXPAND, HEAD = 0, 1, 2, 3, 6
"""Kernels of the model by index; 4 and 5 are a pooling and a reshape without a switch."""


@pytest.fixture
def files(tmp_path) -> Path:
    """A trained classifier with a free batch dimension, and images for it, in a folder of the user's own."""
    folder = sample_models() / "mobile_vision_encoder"
    shutil.copy(folder / "mobile_vision_encoder.onnx", tmp_path / "digits.onnx")
    shutil.copy(folder / "calibration.npz", tmp_path / "calibration.npz")
    with np.load(folder / "evaluation.npz") as read:
        np.savez(tmp_path / "evaluation.npz", image=read["image"][:SAMPLES], labels=read["labels"][:SAMPLES])
    return tmp_path


@pytest.fixture
def hand(qtbot, files) -> Hand:
    """A window as the program makes it, without a model."""
    window = Window(Settings(files / "settings"), confirm=False)
    qtbot.addWidget(window)
    window.resize(1440, 900)
    window.show()
    qtbot.waitExposed(window)
    dispatcher = Dispatcher()
    dispatcher.setParent(window)
    window.set_session(Session(dispatch=dispatcher.dispatch, settings=files / "settings"))
    return Hand(qtbot, window)


@pytest.fixture
def opened(hand, files) -> Hand:
    """The same with the model open, its figures there."""
    hand.drop(files / "digits.onnx")
    hand.press(hand.dialog(DimensionsDialog), "Open")
    settled(hand)
    return hand


def settled(hand: Hand) -> None:
    """Wait until every figure of the current plan is on the screen, and nothing runs."""
    session = hand.window.session
    hand.until(lambda: session.network is not None and session.data is not None, 20)
    hand.until(lambda: not session.staleness.stale and not session.jobs.active, 20)
    hand.until(lambda: hand.window.status._state.text() in ("Up to date", "已是最新"), 5)
    db = session.figures.evaluation.output.sqnr_db
    hand.until(lambda: not sqnr_card(hand).stale and abs(shown_db(hand) - min(db, 90)) < 0.06, 5)


def sqnr_card(hand: Hand):
    return hand.view("summary").cards["sqnr"].look


def shown_db(hand: Hand) -> float:
    """Output SQNR as the Summary writes it."""
    return float(sqnr_card(hand).value.lstrip("~>\u202f").replace("–", "nan"))


def families(hand: Hand) -> list[str]:
    """Precisions of the kernels with a switch, as the table shows them."""
    rows = hand.view("layers").model.rows
    return [name for name, tunable in zip(rows.families, rows.shape.tunable, strict=True) if tunable]


def test_the_whole_main_job(hand, files, monkeypatch):
    open_a_model(hand, files)
    read_the_table(hand)
    set_precisions(hand)
    in_chinese_and_dark(hand)
    give_data(hand, files)
    apply_a_cell_of_the_heat_map(hand)
    compare_values(hand)
    db = shown_db(hand)
    export(hand, files, db)
    save_and_reopen(hand, files, db, monkeypatch)


def open_a_model(hand: Hand, files: Path) -> None:
    hand.answer_file_dialog(files / "digits.onnx")
    hand.menu("file", "open_model")
    dialog = hand.dialog(DimensionsDialog)
    assert [field.value() for field in dialog.fields.values()] == [1]
    hand.press(dialog, "Open")
    settled(hand)
    assert hand.window.windowTitle() == "digits.onnx - Mixbit"
    assert hand.window.context.data.accessibleName().startswith("Data: Synthetic")
    assert sqnr_card(hand).value.startswith("~")  # no data yet: indicative only


def read_the_table(hand: Hand) -> None:
    layers = hand.view("layers")
    assert [hand.cell(i, "name") for i in (STEM, HEAD)] == ["stem.conv", "head"]
    assert hand.cell(STEM, "latency") == f"{hand.window.session.figures.simulation.kernels[STEM].latency_us:.1f}"
    assert hand.cell(EXPAND, "unit") != "–"
    header = layers.table.horizontalHeader()
    latency = hand.column("latency")
    place = QPoint(header.sectionViewportPosition(latency) + 20, header.height() // 2)
    hand.click(header.viewport(), place)
    first = [layers.model.kernel_at(row) for row in range(layers.model.rowCount())]
    hand.click(header.viewport(), place)
    second = [layers.model.kernel_at(row) for row in range(layers.model.rowCount())]
    kernels = hand.window.session.figures.simulation.kernels
    latencies = [kernels[i].latency_us for i in first]
    assert latencies in (sorted(latencies), sorted(latencies, reverse=True))
    assert [kernels[i].latency_us for i in second] == latencies[::-1]
    hand.click(header.viewport(), QPoint(header.sectionViewportPosition(0) + 15, header.height() // 2))
    hand.until(lambda: [layers.model.kernel_at(r) for r in range(7)] in ([*range(7)], [*range(6, -1, -1)]))
    hand.type(layers.filter_bar.input, "depthwise")
    hand.until(lambda: layers.model.rowCount() == 1)
    assert layers.subtitle().startswith("1 of 7 kernels")
    hand.type(layers.filter_bar.input, "")
    hand.until(lambda: layers.model.rowCount() == 7)


def set_precisions(hand: Hand) -> None:
    session = hand.window.session
    ids = [kernel.id for kernel in session.network.kernels]
    hand.row(STEM)
    hand.row(POINTWISE, SHIFT)
    hand.until(lambda: set(session.selection) == set(ids[STEM : POINTWISE + 1]))
    for key, scheme in ((Qt.Key.Key_4, INT4), (Qt.Key.Key_8, INT8), (Qt.Key.Key_6, FP16)):
        hand.key(key)
        assert [session.plan[i] for i in (ids[STEM], ids[POINTWISE])] == [scheme, scheme]
        assert session.staleness.stale == (scheme != FP16)  # all FP16 has been measured before
        assert sqnr_card(hand).value != "–"  # the old value stays, marked as such
        settled(hand)
    hand.segment(EXPAND, "INT4")
    assert session.plan[ids[EXPAND]] == INT4
    settled(hand)
    hand.until(lambda: families(hand) == ["FP16", "FP16", "FP16", "INT4", "FP16"], 5)
    before = shown_db(hand)
    hand.menu("plan", "preset_int8")
    assert set(session.plan.values()) == {INT8}
    hand.until(lambda: sqnr_card(hand).stale or not session.staleness.stale)
    settled(hand)
    after = shown_db(hand)
    assert after != before
    hand.until(lambda: all(hand.cell(i, "local") != "–" for i in (STEM, DEPTHWISE, HEAD)), 5)
    assert all(float(hand.cell(i, "local").strip(">")) > 10 for i in (STEM, DEPTHWISE, HEAD))
    hand.until(lambda: float(hand.cell(HEAD, "accumulated")) == pytest.approx(after, abs=0.11), 5)
    hand.key(Qt.Key.Key_Z, CTRL)
    hand.until(lambda: shown_db(hand) == before)
    hand.until(lambda: families(hand) == ["FP16", "FP16", "FP16", "INT4", "FP16"], 5)
    hand.key(Qt.Key.Key_Y, CTRL)
    hand.until(lambda: shown_db(hand) == after)
    hand.until(lambda: families(hand) == ["INT8"] * 5, 5)


def in_chinese_and_dark(hand: Hand) -> None:
    row = hand.window.menu_row
    plan = hand.window.session.plan
    hand.click(row.language, QPoint(row.language.width() * 3 // 4, row.language.height() // 2))
    hand.until(lambda: language() == "zh" and row.bar.actions()[0].text() == "文件")
    hand.click(row.colors)
    assert theme_manager.theme is DARK
    hand.until(lambda: hand.window.host.docks["summary"].windowTitle() == "概览" or language() == "zh")
    hand.menu("plan", "preset_ends")
    settled(hand)
    hand.until(lambda: families(hand) == ["FP16", "INT8", "INT8", "INT8", "FP16"], 5)
    hand.key(Qt.Key.Key_Z, CTRL)
    assert hand.window.session.plan == plan
    hand.click(row.language, QPoint(row.language.width() // 4, row.language.height() // 2))
    hand.until(lambda: row.bar.actions()[0].text() == "File")
    settled(hand)


def give_data(hand: Hand, files: Path) -> None:
    session = hand.window.session
    hand.menu("analyze", "data")
    dialog = hand.dialog(DataDialog)
    for place, name in enumerate(("calibration", "evaluation")):
        bar = dialog.pages.tabBar()
        hand.click(bar, bar.tabRect(place).center())
        editor = dialog.pages.currentWidget()
        kinds = editor.kind
        hand.click(kinds, kinds._rects()[2].center().toPoint())
        assert kinds.current == "arrays"
        hand.type(editor.path, str(files / f"{name}.npz"))
    hand.press(dialog, "Apply")
    hand.until(lambda: session.data is not None and not session.data.synthetic)
    settled(hand)
    assert (session.data.calibration_samples, session.data.evaluation_samples) == (128, SAMPLES)
    assert not sqnr_card(hand).value.startswith("~")
    assert session.figures.evaluation.output.accuracy > 0.9
    assert "evaluation.npz" in hand.window.context.data.accessibleName()


def apply_a_cell_of_the_heat_map(hand: Hand) -> None:
    session = hand.window.session
    hand.layout("sweep")
    view = hand.view("sensitivity")
    hand.until(lambda: view.data is not None and view.data.known == sum(len(row) for row in view.data.cells), 20)
    hand.until(lambda: view.data.exact == view.data.known, 30)  # the estimate is confirmed while one looks
    hand.until(lambda: not session.sweeping)
    row = view.data.schemes.index(INT4)
    column = view.data.ids.index(session.network.kernels[DEPTHWISE].id)
    shown = session.sensitivity[view.data.ids[column], INT4]
    assert f"{shown.sqnr_db:.1f}" in dict(view.describe((row, column)).rows)["SQNR, measured"]
    assert session.plan[view.data.ids[column]] == INT8
    place = view.panel.to_widget(column + 0.5, len(view.data.schemes) - row - 0.5).toPoint()
    hand.click(view.chart.viewport(), place)
    assert session.plan[view.data.ids[column]] == INT4
    assert session.current == view.data.ids[column]
    settled(hand)
    hand.until(lambda: families(hand)[DEPTHWISE] == "INT4", 5)


def compare_values(hand: Hand) -> None:
    session = hand.window.session
    hand.layout("compare")
    view = hand.view("compare")
    for kernel in (DEPTHWISE, POINTWISE):
        if session.current != session.network.kernels[kernel].id:
            hand.click(view.page.channels.viewport())
            hand.key(Qt.Key.Key_J)
        wanted = session.network.kernels[kernel]
        hand.until(lambda w=wanted: view.found is not None and view.captured.kernel == w.id and not view._waiting)
        sheet = view.page.statistics.sheet
        assert sheet.name == wanted.name
        assert sheet.errors[0].label == "SQNR"
        exact, noise = session.captured.reference, session.captured.result - session.captured.reference
        db = 10 * np.log10(np.sum(np.square(exact, dtype=float)) / np.sum(np.square(noise, dtype=float)))
        assert float(sheet.errors[0].value.split()[0]) == pytest.approx(db, abs=0.051)
        assert sheet.badge[0] == family(session.plan[wanted.id])
    values = reference_values(session, wanted.outputs[0])
    assert session.captured.reference == pytest.approx(values, abs=1e-4)
    hand.layout("tune")
    settled(hand)


def reference_values(session: Session, tensor: str) -> np.ndarray:
    """A tensor for the first sample, from ONNX Runtime and the file that was opened."""
    import onnx

    model = onnx.load(session.path)
    model.graph.output.append(onnx.helper.make_empty_tensor_value_info(tensor))
    run = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    with np.load(session.path.parent / "evaluation.npz") as read:
        return run.run([tensor], {"image": read["image"][:1]})[0]


def pick(hand: Hand, dialog: ExportDialog, kind: str) -> None:
    """Click on a target in the list of the export dialog."""
    hand.click(dialog.targets.viewport(), dialog.targets.place(kind).center())
    assert dialog.kind == kind


def export(hand: Hand, files: Path, db: float) -> None:
    session = hand.window.session
    for kind, name in (("qdq", "out.onnx"), ("csv", "out.csv"), ("plan", "out.json")):
        hand.key(Qt.Key.Key_E, CTRL)
        dialog = hand.dialog(ExportDialog)
        pick(hand, dialog, kind)
        hand.type(dialog.path, str(files / name))
        hand.press(dialog, "Export")
        hand.until(lambda n=name: (files / n).is_file() and not session.jobs.active)
    assert output_db(files) == pytest.approx(db, abs=0.5)
    rows = list(csv.DictReader((files / "out.csv").read_text().splitlines()))
    assert [row["name"] for row in rows] == [kernel.name for kernel in session.network.kernels]
    shown = [hand.cell(i, "latency") for i in range(len(rows))]
    assert [f"{float(row['latency_us']):.1f}" for row in rows] == shown
    assert load_plan(files / "out.json", session.network) == session.plan


def output_db(files: Path) -> float:
    """Output SQNR of the exported file against the original, both run by ONNX Runtime on the user's samples."""
    original = ort.InferenceSession(str(files / "digits.onnx"), providers=["CPUExecutionProvider"])
    signal = noise = 0.0
    with np.load(files / "evaluation.npz") as read:
        for image in np.split(read["image"], SAMPLES):
            exact = original.run(None, {"image": image})[0].astype(np.float64)
            found = run_whole(str(files / "out.onnx"), {"image": image})[0]
            signal, noise = signal + np.sum(exact**2), noise + np.sum((found - exact) ** 2)
    return 10 * np.log10(signal / noise)


def save_and_reopen(hand: Hand, files: Path, db: float, monkeypatch) -> None:
    plan = dict(hand.window.session.plan)
    hand.answer_file_dialog(files / "work.mixbit")
    hand.menu("file", "save_project_as")
    hand.until((files / "work.mixbit").is_file)
    hand.until(lambda: hand.window.windowTitle() == "work.mixbit - Mixbit", 2)
    hand.key(Qt.Key.Key_Q, CTRL)
    hand.until(lambda: not hand.window.isVisible(), 5)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(files / "config"))
    seen = program([str(files / "work.mixbit")], monkeypatch)
    assert seen["plan"] == plan
    assert seen["samples"] == SAMPLES
    assert seen["db"] == pytest.approx(db, abs=0.11)
    assert seen["title"] == "work.mixbit - Mixbit"


def program(arguments: list[str], monkeypatch) -> dict[str, object]:
    """Run the program as the command line does until its figures are there; what it showed."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    interval, seen, rounds = sys.getswitchinterval(), {}, iter(range(2000))

    def look() -> None:
        windows = [w for w in QApplication.topLevelWidgets() if isinstance(w, Window) and w.isVisible()]
        session = windows[0].session if windows else None
        done = session is not None and session.network is not None and not session.staleness.stale
        if done and not session.jobs.active and not windows[0].view("summary").cards["sqnr"].look.stale:
            value = windows[0].view("summary").cards["sqnr"].look.value
            if value != "–":
                seen.update(plan=dict(session.plan), samples=session.data.evaluation_samples, db=float(value))
                seen.update(title=windows[0].windowTitle())
        if seen or next(rounds, None) is None:
            timer.stop()
            for window in windows:
                QTest.keyClick(window, Qt.Key.Key_Q, CTRL)

    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(10)
    assert main(arguments) == 0
    sys.setswitchinterval(interval)
    return seen


# bad input ----------------------------------------------------------------------------------------------------------


def kept(hand: Hand) -> tuple[object, ...]:
    session = hand.window.session
    return (session.network, session.plan, session.figures.evaluation, session.data, session.project_path)


def refuse_model(hand: Hand, path: Path) -> str:
    before = kept(hand)
    hand.drop(path)
    said = hand.said()
    assert kept(hand) == before
    assert hand.window.windowTitle() == "digits.onnx - Mixbit"
    return said


def one_sentence(text: str, *parts: str) -> None:
    """One sentence, with these words in it."""
    assert text.rstrip().endswith(".")
    assert "\n" not in text
    assert ". " not in text.rstrip("."), text
    assert "Error" not in text
    for part in parts:
        assert part in text


def test_files_that_are_no_models_are_refused_in_one_sentence(opened, files):
    whole = (files / "digits.onnx").read_bytes()
    (files / "truncated.onnx").write_bytes(whole[: len(whole) // 2])
    (files / "text.onnx").write_text("This is not a model.\n" * 20)
    (files / "empty.onnx").write_bytes(b"")
    for name in ("missing.onnx", "text.onnx", "empty.onnx", "truncated.onnx"):
        one_sentence(refuse_model(opened, files / name), name)
    opened.drop(files / "digits.onnx")  # and a good one still opens
    opened.press(opened.dialog(DimensionsDialog), "Open")
    settled(opened)


def test_giving_up_the_free_dimensions_leaves_all_as_it_was(opened, files):
    before = kept(opened)
    opened.drop(files / "digits.onnx")
    opened.press(opened.dialog(DimensionsDialog), "Cancel")
    opened.until(lambda: not opened.window.session.jobs.active)
    assert kept(opened) == before


def test_a_plan_for_another_model_is_refused_in_one_sentence(opened, files):
    session = opened.window.session
    opened.menu("plan", "preset_int8")
    settled(opened)
    opened.key(Qt.Key.Key_E, CTRL)
    dialog = opened.dialog(ExportDialog)
    pick(opened, dialog, "plan")
    opened.type(dialog.path, str(files / "plan.json"))
    opened.press(dialog, "Export")
    opened.until(lambda: (files / "plan.json").is_file() and not session.jobs.active)
    other = open_network(sample_models() / "swiglu_decoder" / "swiglu_decoder.onnx")
    save_plan(preset(other, "int8"), other, files / "other.json")
    (files / "broken.json").write_text("{")
    before = kept(opened)
    opened.answer_file_dialog(files / "broken.json")
    opened.menu("file", "import_plan")
    one_sentence(opened.said(), "broken.json")
    opened.answer_file_dialog(files / "other.json")
    opened.menu("file", "import_plan")
    asked = opened.dialog(ForeignPlanDialog)
    one_sentence(asked.sentence.text(), "other.json")
    opened.press(asked, "Cancel")
    assert kept(opened) == before
    opened.menu("plan", "preset_int4")
    opened.answer_file_dialog(files / "plan.json")
    opened.menu("file", "import_plan")
    opened.until(lambda: session.plan == preset(session.network, "int8"))
    saved = json.loads((files / "plan.json").read_text())
    saved["model"]["sha256"] = "0" * 64  # the same layers in another file
    (files / "elsewhere.json").write_text(json.dumps(saved))
    opened.menu("plan", "preset_int4")
    opened.answer_file_dialog(files / "elsewhere.json")
    opened.menu("file", "import_plan")
    opened.press(opened.dialog(ForeignPlanDialog), "Apply by names")
    opened.until(lambda: session.plan == preset(session.network, "int8"))


def test_precisions_of_another_tool_come_in_as_one_undo_step(opened, files):
    session = opened.window.session
    first, second = session.network.tunable[:2]
    (files / "mp.json").write_text(json.dumps({first.name: {"num_bits": 8}, "elsewhere": {"num_bits": 8}}))
    before = session.plan
    opened.answer_file_dialog(files / "mp.json")
    opened.menu("file", "import_plan")
    opened.until(lambda: session.plan != before)
    assert family(session.plan[first.id]) == "INT8"
    assert session.plan[second.id] == before[second.id]
    assert any("elsewhere" in str(entry.text) for entry in session.log)
    opened.menu("edit", "undo")
    assert session.plan == before


def test_an_unwritable_export_path_is_refused_in_one_sentence(opened, files):
    before = kept(opened)
    (files / "file").write_text("")
    places = {"qdq": files / "nowhere" / "out.onnx", "csv": files / "file" / "out.csv", "plan": files}
    for kind, path in places.items():
        opened.key(Qt.Key.Key_E, CTRL)
        dialog = opened.dialog(ExportDialog)
        pick(opened, dialog, kind)
        opened.type(dialog.path, str(path))
        opened.press(dialog, "Export")
        one_sentence(opened.refusal(dialog), path.name)
        assert kept(opened) == before
    assert sorted(os.listdir(files)) == ["calibration.npz", "digits.onnx", "evaluation.npz", "file", "settings"]


def test_data_that_does_not_fit_is_refused_in_one_sentence(opened, files):
    np.savez(files / "small.npz", image=np.zeros((4, 3, 8, 8), np.float32))
    np.savez(files / "words.npz", image=np.full((4, 3, 32, 32), "no"))
    for name in ("small.npz", "words.npz", "missing.npz"):
        before = kept(opened)
        opened.menu("analyze", "data")
        dialog = opened.dialog(DataDialog)
        editor = dialog.calibration
        opened.click(editor.kind, editor.kind._rects()[2].center().toPoint())
        opened.type(editor.path, str(files / name))
        opened.press(dialog, "Apply")
        one_sentence(opened.refusal(dialog), name)
        assert kept(opened) == before


def test_pictures_are_counted_before_they_are_read_and_one_broken_one_costs_no_settings(opened, files):
    folder = files / "pictures"
    folder.mkdir()
    for name in ("a", "b", "c"):
        Image.new("RGB", (40, 30), "red").save(folder / f"{name}.png")
    (folder / "broken.png").write_bytes((folder / "a.png").read_bytes()[:60])
    (folder / "readme.txt").write_text("no picture")
    opened.menu("analyze", "data")
    dialog = opened.dialog(DataDialog)
    editor = dialog.calibration
    opened.click(editor.kind, editor.kind._rects()[1].center().toPoint())
    opened.type(editor.path, str(folder))
    opened.key(Qt.Key.Key_Tab)
    opened.until(lambda: editor._found.isVisible())
    assert editor._found.text() == "4 pictures found"
    editor.images["image"].mean.setText("0.5, 0.5, 0.5")
    before = kept(opened)
    opened.press(dialog, "Apply")
    one_sentence(opened.refusal(dialog), "broken.png")
    assert kept(opened) == before
    opened.menu("analyze", "data")
    again = opened.dialog(DataDialog).calibration
    assert (again.kind.current, again.path.text()) == ("images", str(folder))
    assert again.images["image"].mean.text() == "0.5, 0.5, 0.5"
    (folder / "broken.png").unlink()
    opened.press(opened.dialog(DataDialog), "Apply")
    settled(opened)
    assert opened.window.session.data_sources[0].path == str(folder)


def test_two_dumps_are_compared_from_the_start_page(hand, files):
    session = ort.InferenceSession(files / "digits.onnx", providers=["CPUExecutionProvider"])
    with np.load(files / "evaluation.npz") as read:
        (values,) = session.run(None, {session.get_inputs()[0].name: read["image"][:1].astype(np.float32)})
    name = session.get_outputs()[0].name
    for folder, change in (("phone", 0.0), ("board", 0.25)):
        (files / folder).mkdir()
        np.savez(files / folder / "values.npz", **{name: values + np.float32(change)})
    start = next(b for b in hand.window.start.findChildren(QPushButton) if b.text() == "Compare two dumps…")
    hand.answer_file_dialog(files / "digits.onnx")
    hand.click(start)
    hand.press(hand.dialog(DimensionsDialog), "Open")
    asked = hand.dialog(DumpsDialog)
    hand.press(asked, "Compare")
    assert asked.problem.isVisible()
    board = files / "board" / "values.npz"
    for button, path in (("First dump (A): Folder…", files / "phone"), ("Second dump (B): File…", board)):
        hand.answer_file_dialog(path)
        hand.click(next(b for b in asked.findChildren(QPushButton) if b.accessibleName() == button))
    assert [field.text() for field in asked.fields] == [str(files / "phone"), str(board)]
    hand.press(asked, "Compare")
    comparing = hand.window.session.comparing
    hand.until(lambda: len(comparing.dumps) == 2, 20)
    assert hand.window.layout_name == "compare"
    assert [Path(side.name).name for side in (comparing.a, comparing.b)] == ["phone", "values.npz"]
    last = next(k.id for k in hand.window.session.network.kernels if name in k.outputs)
    hand.window.session.select((last,), last, who="test")
    view = hand.view("compare")
    hand.until(lambda: view.found is not None and view.pictured.kernel == last, 20)
    np.testing.assert_allclose(view.found.result - view.found.reference, 0.25, atol=1e-5)
    hand.until(lambda: not hand.window.session.jobs.active, 30)


def test_dumps_are_asked_for_no_more_once_the_model_was_not_opened(hand, files):
    start = next(b for b in hand.window.start.findChildren(QPushButton) if b.text() == "Compare two dumps…")
    hand.answer_file_dialog(files / "digits.onnx")
    hand.click(start)
    hand.press(hand.dialog(DimensionsDialog), "Cancel")
    hand.drop(files / "digits.onnx")
    hand.press(hand.dialog(DimensionsDialog), "Open")
    settled(hand)  # a question that comes now would keep it from coming to rest
    assert hand.window.layout_name == "tune"
