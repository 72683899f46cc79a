"""Whoever can't see the window: everything that takes the keyboard has a name to be read out."""

import pytest
from all_dialogs import DIALOGS
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QScrollArea,
    QTabWidget,
    QWidget,
)

from gui.docks import DOCKS
from gui.settings import Settings
from gui.window import Window


@pytest.fixture
def window(qtbot, session):
    window = Window(Settings(None), confirm=False)
    qtbot.addWidget(window)
    window.resize(1440, 900)
    window.show()
    window.set_session(session)
    qtbot.waitUntil(lambda: window.host.settled, timeout=5000)
    return window


def part_of_another(widget: QWidget) -> bool:
    """Whether Qt made it as a part of a list, plot or choice, which has the name."""
    up = widget.parentWidget()
    if isinstance(up, QAbstractScrollArea) and widget is up.viewport():
        return True
    while up is not None and not isinstance(up, QComboBox):
        up = up.parentWidget()
    return up is not None


def nameless(root: QWidget) -> list[str]:
    """Widgets that take the focus and say nothing about themselves."""
    labelled = {label.buddy() for label in root.findChildren(QLabel) if label.buddy() is not None}
    found = []
    for widget in [root, *root.findChildren(QWidget)]:
        takes = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        button = isinstance(widget, QAbstractButton)  # gets its words together with the part of the window it is in
        unseen = widget.isHidden() or (button and not widget.isVisibleTo(root))
        inside = part_of_another(widget) or widget.objectName().startswith("qt_")
        if not takes or inside or unseen or isinstance(widget, (QScrollArea, QTabWidget)):
            continue
        text = widget.text() if isinstance(widget, QAbstractButton) else ""
        hint = widget.placeholderText() if isinstance(widget, QLineEdit) else ""
        if not (widget.accessibleName() or text.strip() or hint or widget in labelled):
            parents = []
            up = widget
            while up is not None and up is not root:
                up = up.parentWidget()
                parents.append(type(up).__name__)
            found.append(f"{type(widget).__name__} {widget.objectName()} in {' < '.join(parents[:3])}")
    return found


def test_everything_in_a_dialog_that_takes_the_keyboard_has_a_name(window, session):
    for name, make in DIALOGS.items():
        dialog = make(window, session)
        dialog.show()
        QApplication.processEvents()
        assert nameless(dialog) == [], name
        dialog.close()


def test_everything_in_a_dock_that_takes_the_keyboard_has_a_name(window):
    for spec in DOCKS:
        assert window.reveal(spec.id) is not None
        QApplication.processEvents()
        assert nameless(window.host.docks[spec.id]) == [], spec.id


def test_everything_around_the_docks_that_takes_the_keyboard_has_a_name(window):
    for part in (window.menu_row, window.context, window.status, window.start):
        assert nameless(part) == []


def test_a_field_without_a_name_is_found(qtbot):
    field = QLineEdit()
    qtbot.addWidget(field)
    field.show()
    assert nameless(field)
    field.setAccessibleName("latency")
    assert not nameless(field)
