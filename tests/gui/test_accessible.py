"""Whoever can't see the window, or has no mouse: all views and dialogs are walked through.

Everything that takes the keys has a name and a kind to be read out, nothing keeps the keys, every plot has a table of
the same figures, no text is cut in either language at either size, and colours have the contrast that they need.
"""

from itertools import product

import pytest
from all_dialogs import DIALOGS
from cut_texts import cut_texts
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QTableWidget,
    QVBoxLayout,
    QWidget,
)
from spoken import silent, trapped

from gui.docks import DOCKS
from gui.i18n import set_language
from gui.layouts import LAYOUTS, default
from gui.paint import contrast
from gui.plots.chart import Chart
from gui.settings import Settings
from gui.style import style_sheet
from gui.theme import DARK, LIGHT, palette
from gui.widgets.dock_tab import DockTab
from gui.window import Window

SIZES = [(1280, 800), (1920, 1080)]
TWINLESS = {"compare": "its parts have one each"}


@pytest.fixture
def window(qtbot, session):
    window = Window(Settings(None), confirm=False)
    qtbot.addWidget(window)
    window.resize(*SIZES[0])
    window.show()
    window.set_session(session)
    session.select(("k20",), "k20")
    qtbot.waitUntil(lambda: window.host.settled, timeout=60_000)
    window.activateWindow()
    return window


def docks_in(window, qtbot, layout):
    """Every dock that first has its place in this layout, in front and filled."""
    before = {d.id for each in LAYOUTS[: LAYOUTS.index(layout)] for d in DOCKS if d.id in placed(each)}
    for name in [spec.id for spec in DOCKS if window.host.placed(spec.id) and spec.id not in before]:
        view = window.reveal(name)
        qtbot.waitUntil(lambda: window.host.settled, timeout=60_000)
        view.refresh_now()
        for _ in range(3):  # a line that breaks asks for room, and what holds it asks in turn
            QApplication.processEvents()
        yield name, window.host.docks[name], view


def placed(layout):
    """Ids of the docks of a layout."""
    nodes, found = [default(layout, *SIZES[0])], set()
    while nodes:
        node = nodes.pop()
        found |= set(getattr(node, "docks", ()))
        nodes += getattr(node, "parts", ())
    return found


def test_all_views_have_names_a_way_out_tables_and_no_cut_text(window, qtbot):
    wrong, plots, seen = {}, set(), set()
    for layout in LAYOUTS:
        window.show_layout(layout)
        for size, language in product(SIZES, ("en", "zh")):
            set_language(language)
            window.resize(*size)
            for name, dock, view in docks_in(window, qtbot, layout):
                wrong[name, language, size] = cut_texts(dock) + (silent(dock) if size == SIZES[0] else [])
                if name not in seen:
                    wrong[name, "keys"] = trapped(dock)
                seen.add(name)
                if any(chart.isVisible() for chart in view.findChildren(Chart)):
                    plots.add(name)
                    assert view.HAS_TWIN or name in TWINLESS, name
            for part in (window.menu_row, window.context, window.status, window.first_steps):
                wrong[type(part).__name__, language, size] = silent(part) + cut_texts(part)
    assert {name: found for name, found in wrong.items() if found} == {}
    assert seen == {spec.id for spec in DOCKS}
    assert len(plots) >= 8


def test_all_dialogs_have_names_no_trap_and_no_cut_text_and_escape_closes_them(window, session):
    wrong = {}
    for language, (what, make) in product(("en", "zh"), DIALOGS.items()):
        set_language(language)
        name = (what, language)
        dialog = make(window, session)
        dialog.show()
        dialog.activateWindow()
        QApplication.processEvents()
        wrong[name] = silent(dialog) + cut_texts(dialog) + (trapped(dialog) if language == "en" else [])
        QTest.keyClick(QApplication.focusWidget() or dialog, Qt.Key.Key_Escape)
        if dialog.isVisible():
            wrong[name].append("stays open")
        dialog.close()
    assert {name: found for name, found in wrong.items() if found} == {}


def test_the_start_page_has_names_no_trap_and_no_cut_text(window, session):
    session.close_model()
    for size, language in product(SIZES, ("en", "zh")):
        set_language(language)
        window.resize(*size)
        for _ in range(3):
            QApplication.processEvents()
        assert silent(window.start) + cut_texts(window.start) + trapped(window.start) == [], (size, language)


def test_a_dialog_gives_the_keys_back_to_where_they_were(window, qtbot):
    table = window.view("layers").table
    for name in ("budgets", "data", "device", "scenario", "fusion", "shortcuts", "about", "export", "own_metric"):
        window.activateWindow()
        table.setFocus()
        getattr(window.actions_, name)()
        qtbot.waitUntil(lambda: QApplication.activeWindow() not in (None, window), timeout=30_000)
        dialog = QApplication.activeWindow()
        QTest.keyClick(QApplication.focusWidget() or dialog, Qt.Key.Key_Escape)
        qtbot.waitUntil(lambda shown=dialog: not shown.isVisible())
        window.activateWindow()
        qtbot.waitUntil(table.hasFocus, timeout=30_000)


def test_what_is_said_of_a_plot_follows_the_selection(window, session):
    chart = window.reveal("error").chart
    session.select(("k3",), "k3")
    window.view("error").refresh_now()
    said = [QAccessible.queryAccessibleInterface(chart).text(QAccessible.Text.Value)]
    QTest.keyClick(chart, Qt.Key.Key_Right)
    window.view("error").refresh_now()
    said.append(QAccessible.queryAccessibleInterface(chart).text(QAccessible.Text.Value))
    kernels = session.network.kernels
    assert all(kernel.name.split(".")[-1] in words for kernel, words in zip(kernels[3:5], said, strict=True))
    assert "dB" in said[0]


def test_what_is_said_of_choices_follows_them(window):
    tabs = QAccessible.queryAccessibleInterface(window.menu_row.tabs)
    language = QAccessible.queryAccessibleInterface(window.menu_row.language)
    assert tabs.text(QAccessible.Text.Value) == "Tune"
    assert language.text(QAccessible.Text.Value) == "EN"
    window.show_layout("profile")
    assert tabs.text(QAccessible.Text.Value) == "Profile"
    window.reveal("jitter")
    QApplication.processEvents()
    fronts = [tab for tab in window.host.docks["jitter"].title.findChildren(DockTab) if tab.text() == "Jitter"]
    states = [QAccessible.queryAccessibleInterface(t).state() for t in fronts]
    assert [bool(state.selected) for state in states] == [True]


TEXTS, GROUNDS = ("text", "text2", "muted"), ("panel", "raised", "sunken")
STATES = ("good", "warn", "bad")
SOFT = ("warn", "bad")


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda t: t.name)
def test_tokens_have_the_contrast_that_text_and_controls_need(look):
    pairs = [(ink, ground, 4.5) for ink in TEXTS for ground in GROUNDS]
    pairs += [(ink, ground, 4.5) for ink in ("text", "text2") for ground in ("selection", "hover", "accent_soft")]
    pairs += [(ink, ground, 4.5) for ink in STATES for ground in GROUNDS]
    pairs += [(ink, "selection", 4.5) for ink in ("good", "bad")]  # differences to plan B in a selected row
    pairs += [(ink, f"{state}_soft", 4.5) for state in SOFT for ink in ("text", "text2", state)]  # counts, verdicts
    pairs += [("accent", ground, 4.5) for ground in GROUNDS] + [("on_accent", "accent", 4.5)]  # links, buttons
    rings = ("panel", "raised", "sunken", "window", "selection", "hover", "accent_soft", *(f"{s}_soft" for s in SOFT))
    pairs += [("accent", ground, 3.0) for ground in rings]
    pairs += [("ghost", ground, 3.0) for ground in GROUNDS]  # edges of fields and of boxes to tick
    found = [(a, b, contrast(getattr(look, a), getattr(look, b)), least) for a, b, least in pairs]
    assert [f"{a} on {b}: {there:.2f} < {least}" for a, b, there, least in found if there < least] == []


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda t: t.name)
@pytest.mark.parametrize("kind", [QLineEdit, QComboBox, QSpinBox, QPlainTextEdit])
def test_every_field_has_an_edge_that_can_be_seen(qtbot, look, kind):
    root = QWidget()
    root.setStyleSheet(style_sheet(look))
    root.setPalette(palette(look))
    root.setAutoFillBackground(True)
    field = kind()
    QVBoxLayout(root).addWidget(field)
    qtbot.addWidget(root)
    root.resize(200, 100)
    root.show()
    root.setFocus()
    QApplication.processEvents()
    seen = root.grab().toImage()
    edge, ground = seen.pixelColor(field.geometry().center().x(), field.y()), seen.pixelColor(2, 2)
    assert ground == look.panel
    assert contrast(edge, ground) >= 3.0


def test_what_is_wrong_is_found(qtbot):
    root = QWidget()
    row = QHBoxLayout(root)
    field, box, table, note = QLineEdit(), QComboBox(), QTableWidget(2, 2), QPlainTextEdit()
    for part in (field, box, table, note, QPushButton("ok")):
        row.addWidget(part)
    box.addItem("one")
    qtbot.addWidget(root)
    root.show()
    root.activateWindow()
    QApplication.processEvents()
    found = silent(root)
    assert [part for part in ("QLineEdit", "QComboBox", "QTableWidget", "QPlainTextEdit")
            if not any(part in line for line in found)] == []  # fmt: skip
    assert [line for line in found if "says nothing" in line]
    kept = trapped(root)
    assert any("QTableWidget" in line and "keeps Tab" in line for line in kept) or any("never" in line for line in kept)
    assert any("QPlainTextEdit" in line for line in kept)
    table.setTabKeyNavigation(False)
    note.setTabChangesFocus(True)
    for part, name in ((field, "f"), (box, "b"), (table, "t"), (note, "n")):
        part.setAccessibleName(name)
    assert trapped(root) == []
    assert [line for line in silent(root) if "says nothing" not in line] == []
