"""Whoever can't see the window: everything that takes the keyboard has a name to be read out."""

import numpy as np
import pytest
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

from engine.graph.types import ModelInput
from engine.precision.scheme import INT8
from gui.dialogs.about import AboutDialog
from gui.dialogs.budgets import BudgetsDialog
from gui.dialogs.data import DataDialog
from gui.dialogs.device import DeviceDialog
from gui.dialogs.dimensions import DimensionsDialog
from gui.dialogs.error import ErrorDialog
from gui.dialogs.export import ExportDialog
from gui.dialogs.fusion import FusionDialog
from gui.dialogs.manual import ManualWindow
from gui.dialogs.methods import MethodsDialog
from gui.dialogs.scenario import ScenarioDialog
from gui.dialogs.shortcuts import ShortcutsDialog
from gui.dialogs.unsaved import UnsavedDialog
from gui.docks import DOCKS
from gui.settings import Settings
from gui.views.scheme_dialog import SchemeDialog
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


DIALOGS = {
    "about": lambda w, s: AboutDialog(w),
    "budgets": lambda w, s: BudgetsDialog(s, w),
    "data": lambda w, s: DataDialog(s, w.actions_, w),
    "device": lambda w, s: DeviceDialog(s, w.actions_, w),
    "dimensions": lambda w, s: DimensionsDialog((ModelInput("x", np.dtype(np.float32), ("n", 3), (1, 3)),), w),
    "error": lambda w, s: ErrorDialog(w),
    "export": lambda w, s: ExportDialog(s, w.actions_, w),
    "fusion": lambda w, s: FusionDialog(s, w),
    "manual": lambda w, s: ManualWindow(w),
    "methods": lambda w, s: MethodsDialog(s, s.network.tunable[0], w),
    "scenario": lambda w, s: ScenarioDialog(s, w),
    "scheme": lambda w, s: SchemeDialog(INT8, 2, w),
    "shortcuts": lambda w, s: ShortcutsDialog(w),
    "unsaved": lambda w, s: UnsavedDialog(w),
}


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
