import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from gui.i18n import set_language
from gui.palette import Palette
from gui.settings import Settings
from gui.window import Window


@pytest.fixture
def window(qtbot, session):
    made = Window(Settings(None), confirm=False)
    qtbot.addWidget(made)
    made.show()
    made.set_session(session)
    QApplication.processEvents()
    return made


@pytest.fixture
def palette(window, qtbot):
    made = Palette(window.menus, window.actions_, window)
    made.show()
    yield made
    if isValid(made):  # it deletes itself once it is used
        made.close()


def titles(palette):
    return [palette.list.item(row).text() for row in range(palette.list.count())]


def test_kernels_are_found_by_part_of_the_name_and_enter_selects(palette, session, qtbot):
    qtbot.keyClicks(palette.field, "17.dw")
    assert titles(palette) == ["features.17.dw"]
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert session.current == session.network.kernels[49].id
    assert not palette.isVisible()


def test_commands_are_found_and_run(palette, session, qtbot):
    qtbot.keyClicks(palette.field, "all int4")
    assert titles(palette)[0] == "All INT4"
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert session.plan.name == "int4"


def test_arrow_keys_move_within_the_list(palette, qtbot):
    qtbot.keyClick(palette.field, Qt.Key.Key_Up)
    assert palette.list.currentRow() == 0
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    assert palette.list.currentRow() == 1


def test_nothing_found_and_enter_does_nothing(palette, qtbot):
    qtbot.keyClicks(palette.field, "zzzz")
    assert titles(palette) == []
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()


def test_commands_that_can_not_be_done_now_are_left_out(palette):
    assert "Redo" not in titles(palette)
    assert "Undo" in titles(palette)


def test_english_words_find_commands_in_chinese_too(window, qtbot):
    set_language("zh")
    QApplication.processEvents()
    palette = Palette(window.menus, window.actions_, window)
    palette.show()
    qtbot.keyClicks(palette.field, "budgets")
    assert titles(palette) == ["预算…"]
    palette.close()


def test_the_shortcut_opens_it(window, qtbot):
    qtbot.keyClick(window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    found = window.findChild(Palette)
    assert found is not None
    assert found.isVisible()
    found.close()
