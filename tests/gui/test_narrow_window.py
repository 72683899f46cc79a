"""Windows below 1180 px: no column on the right, tabs and choices in menus where they don't fit."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu

from gui.layouts import LAYOUTS, NARROW, default, stored_name
from gui.settings import Settings
from gui.widgets.dock_title import fitting
from gui.widgets.segmented import SegmentedControl
from gui.window import Window


@pytest.fixture
def make_window(qtbot, session):
    def make(size, settings=None):
        window = Window(settings or Settings(None), confirm=False)
        qtbot.addWidget(window)
        window.resize(*size)
        window.show()
        window.set_session(session)
        qtbot.waitUntil(lambda: window.host.settled, timeout=5000)
        return window

    return make


def leaves(node):
    return [node.docks] if hasattr(node, "docks") else [leaf for part in node.parts for leaf in leaves(part)]


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_narrow_layout_lacks_no_dock_of_the_wide_one(name):
    wide, narrow = (sorted(d for leaf in leaves(default(name, w, 700)) for d in leaf) for w in (NARROW, NARROW - 1))
    assert narrow == wide


@pytest.mark.parametrize("name", LAYOUTS)
def test_docks_of_a_narrow_window_are_no_narrower_than_their_text(make_window, qtbot, name):
    window, size = make_window((900, 560)), (900, 560)
    window.show_layout(name)
    qtbot.waitUntil(lambda: window.host.settled, timeout=5000)
    assert (window.width(), window.height()) == size
    for dock in window.host.docks.values():
        if not dock.visibleRegion().isEmpty():
            assert dock.width() >= dock.spec.least
            assert dock.geometry().right() < size[0]


def test_a_window_that_becomes_narrow_and_wide_again_has_two_arrangements(make_window, qtbot):
    window = make_window((1440, 900))
    summary, layers = window.host.docks["summary"], window.host.docks["layers"]
    window.host.docks["error"].close()
    assert summary.y() == layers.y()
    window.resize(1000, 700)
    assert summary.y() > layers.y()
    assert not window.host.docks["error"].isHidden()
    window.resize(1440, 900)
    assert summary.y() == layers.y()
    assert window.host.docks["error"].isHidden()
    assert stored_name("tune", 1000) != stored_name("tune", 1440)


@pytest.mark.parametrize(
    ("room", "front", "shown"),
    [(300, 0, {0, 1, 2}), (299, 0, {0, 1}), (299, 2, {0, 2}), (130, 1, {1}), (50, 2, {2})],
)
def test_tabs_that_do_not_fit_give_way_but_never_the_one_in_front(room, front, shown):
    assert fitting([100, 100, 100], front, room, 20) == shown


def test_a_tab_without_room_is_reached_by_the_menu(make_window, qtbot):
    window = make_window((900, 560))
    title = window.host.docks["summary"].title
    assert "Summary" in [tab.text() for tab in title._tabs if not tab.isHidden()]
    hidden = next(tab for tab in title._tabs if tab.isHidden())
    assert all(tab.width() >= tab.sizeHint().width() for tab in title._tabs if not tab.isHidden())
    qtbot.mouseClick(title._others, Qt.MouseButton.LeftButton)
    menu = next(m for m in title.findChildren(QMenu) if m.isVisible())
    next(a for a in menu.actions() if a.text() == hidden.text()).trigger()
    menu.close()
    qtbot.waitUntil(lambda: not hidden.dock.visibleRegion().isEmpty(), timeout=2000)


def test_choices_without_room_stand_in_a_menu(qtbot):
    control = SegmentedControl([("a", "one thing"), ("b", "another thing"), ("c", "a third")])
    qtbot.addWidget(control)
    control.resize(control.sizeHint())
    control.show()
    assert not control.folded
    control.resize(control.minimumSizeHint())
    assert control.folded
    control.set_disabled(frozenset({"c"}))
    qtbot.mouseClick(control, Qt.MouseButton.LeftButton)
    menu = next(m for m in control.findChildren(QMenu) if m.isVisible())
    assert [(a.text(), a.isChecked(), a.isEnabled()) for a in menu.actions()] == [
        ("one thing", True, True),
        ("another thing", False, True),
        ("a third", False, False),
    ]
    with qtbot.waitSignal(control.chosen) as chosen:
        menu.actions()[1].trigger()
    menu.close()
    assert not menu.isVisible()
    assert control.findChildren(QMenu) == [menu]  # until the next one is made
    assert chosen.args == ["b"]
    qtbot.keyClick(control, Qt.Key.Key_Left)
    assert control.current == "a"
