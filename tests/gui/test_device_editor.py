"""The device editor: every value with unit, origin and range; refusals name the field; the old profile stays active."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QWidget

from engine.npu import load_device
from engine.npu.fields import FIELDS
from gui.dialogs.device import DeviceDialog
from gui.dialogs.device_editor import DeviceEditor
from gui.dialogs.device_fields import KEY, MEANING, ORIGIN, RANGE, UNIT, VALUE
from gui.i18n import set_language
from gui.settings import Settings
from gui.window import Window


@pytest.fixture
def used():
    return []


@pytest.fixture
def host(qtbot):
    """Dialogs end themselves: their parent is what a test hands to qtbot."""
    made = QWidget()
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture
def editor(host, tmp_path, used):
    made = DeviceEditor(load_device("kirin9030"), tmp_path / "devices", lambda path: used.append(path) or True, host)
    made.open()
    return made


def row(editor, key):
    model = editor.table.model()
    return next(i for i in range(model.rowCount()) if model.index(i, KEY).data() == key)


def put(editor, key, value, column=VALUE):
    """Type into a cell as a user does."""
    index = editor.table.model().index(row(editor, key), column)
    editor.table.setCurrentIndex(index)
    editor.table.edit(index)
    boxes = [box for box in editor.table.findChildren(QComboBox) if box.isVisible()]
    if boxes:
        (box,) = boxes
        box.setCurrentIndex(box.findData(value))
        box.activated.emit(box.currentIndex())
    else:
        line = editor.table.findChildren(QLineEdit)[-1]
        line.selectAll()
        QTest.keyClicks(line, value)
        QTest.keyClick(line, Qt.Key.Key_Return)
    QApplication.processEvents()


def cell(editor, key, column):
    return editor.table.model().index(row(editor, key), column).data()


def test_every_field_stands_there_with_unit_origin_and_range(editor):
    assert editor.table.model().rowCount() == len(FIELDS)
    assert [cell(editor, "core.clock", c) for c in (VALUE, UNIT, ORIGIN, RANGE)] == [
        "960",
        "MHz",
        "assumed",
        "1 … 10000",
    ]
    assert cell(editor, "core.clock", MEANING).startswith("Nominal clock")
    assert cell(editor, "dvfs.governor", RANGE).startswith("step-wise, ")


def test_what_is_typed_is_saved_as_a_profile_of_ones_own_and_used(editor, used, tmp_path):
    put(editor, "core.clock", "1200")
    put(editor, "core.clock", "measured", ORIGIN)
    put(editor, "dvfs.governor", "fixed")
    editor.name.setText("my phone")
    editor.save.click()
    (path,) = used
    assert path == tmp_path / "devices" / "my phone.json"
    mine = load_device(path)
    assert mine.values["core.clock"].value == 1200.0
    assert mine.values["core.clock"].origin == "measured"
    assert mine.text("dvfs.governor") == "fixed"
    assert mine.values["port.ddr"] == load_device("kirin9030").values["port.ddr"]


def test_an_impossible_value_names_its_field_and_cannot_be_saved(editor, used, tmp_path):
    put(editor, "core.clock", "0")
    assert "core.clock is 0.0 MHz, but must be between 1 and 10000" in editor.problem.text()
    assert editor.problem.isVisible()
    assert not editor.save.isEnabled()
    put(editor, "core.clock", "fast")
    assert "core.clock must be a number, not fast" in editor.problem.text()
    put(editor, "core.clock", "500")
    assert not editor.problem.isVisible()
    assert editor.save.isEnabled()
    assert not used
    assert not (tmp_path / "devices").exists()


def test_values_that_contradict_each_other_are_said_and_may_be_put_right_one_by_one(editor):
    put(editor, "dvfs.clocks", "480 960")
    assert "dvfs.voltages has 6 entries, but dvfs.clocks has 2" in editor.problem.text()
    put(editor, "dvfs.voltages", "0.6 0.8")
    assert "dvfs.levels" in editor.problem.text()
    put(editor, "dvfs.levels", "0 0 0 0 0")
    assert not editor.problem.isVisible()


@pytest.mark.parametrize("name", ["", "a/b", "kirin9030"])
def test_names_that_cannot_be_are_refused_while_they_are_typed(editor, name):
    editor.name.setText(name)
    assert editor.problem.isVisible()
    assert not editor.save.isEnabled()


def test_typing_the_old_value_or_reset_takes_an_edit_back(editor):
    put(editor, "core.clock", "1200")
    put(editor, "port.ddr", "50")
    assert set(editor.model.edits) == {"core.clock", "port.ddr"}
    put(editor, "core.clock", "960")
    assert set(editor.model.edits) == {"port.ddr"}
    editor.model.reset()
    assert not editor.model.edits


def test_fields_are_found_by_words_and_by_edits(editor):
    editor.search.setText("ddr")
    assert {editor.table.model().index(i, KEY).data() for i in range(editor.table.model().rowCount())} >= {"port.ddr"}
    assert editor.table.model().rowCount() < 20
    editor.search.clear()
    put(editor, "core.clock", "1200")
    editor.only_edited.setChecked(True)
    assert editor.table.model().rowCount() == 1


def test_a_profile_that_is_not_accepted_leaves_the_editor_open(host, tmp_path):
    made = DeviceEditor(load_device("kirin9030"), tmp_path, lambda path: False, host)
    made.open()
    made.save.click()
    assert made.isVisible()


def test_a_folder_that_cannot_be_written_is_said(host, tmp_path, used):
    (tmp_path / "file").write_text("x")
    made = DeviceEditor(load_device("kirin9030"), tmp_path / "file", lambda path: used.append(path) or True, host)
    made.open()
    made.save.click()
    assert made.isVisible()
    assert made.problem.isVisible()
    assert not used


def test_own_profiles_are_listed_in_dialog_and_menu(qtbot, session, tmp_path, monkeypatch):
    window = Window(Settings(tmp_path), confirm=False)
    qtbot.addWidget(window)
    window.show()
    window.set_session(session)
    chosen = []
    monkeypatch.setattr(session, "set_device", chosen.append, raising=False)
    dialog = DeviceDialog(session, window.actions_, window)
    dialog.open()
    dialog._on_edit()
    editor = dialog.findChild(DeviceEditor)
    editor.name.setText("mine")
    editor.profile_title.setText("Mine")
    editor.save.click()
    assert [str(path) for path in chosen] == [str(tmp_path / "devices" / "mine.json")]
    again = DeviceDialog(session, window.actions_, window)
    titles = [again.list.item(i).text() for i in range(again.list.count())]
    assert titles[-1] == "Mine"
    again.list.setCurrentRow(len(titles) - 1)
    again._on_use()
    assert str(chosen[-1]) == str(tmp_path / "devices" / "mine.json")
    again.list.setCurrentRow(0)
    again._on_use()
    assert chosen[-1] == "ascend310"


def test_it_speaks_chinese(host, tmp_path):
    set_language("zh")
    made = DeviceEditor(load_device("kirin9030"), tmp_path, lambda path: True, host)
    made.open()
    assert made.save.text() != "Save and use"
    assert cell(made, "core.clock", MEANING) != "Nominal clock of Cube, Vector and transfer engines"


def test_units_that_are_words_are_translated(host, tmp_path):
    set_language("zh")
    made = DeviceEditor(load_device("kirin9030"), tmp_path, lambda path: True, host)
    model = made.table.model()
    units = {model.index(i, UNIT).data() for i in range(model.rowCount())}
    assert {"核", "周期", "B/周期", "比例", "MHz", "GB/s"} <= units
    assert not [unit for unit in units if any(len(part) > 3 and part.isascii() and part.islower()
                                              for part in unit.split("/"))]  # fmt: skip
    made.reject()
