"""No text is cut: labels, buttons and column titles of every dock in every layout, and of every dialog."""

import pytest
from all_dialogs import DIALOGS
from cut_texts import cut_texts
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QTableWidget, QWidget

from gui.i18n import set_language
from gui.layouts import LAYOUTS
from gui.settings import Settings
from gui.window import Window

SIZES = [(1280, 800), (1920, 1080)]
LOOKS = [(SIZES[0], "en"), (SIZES[0], "zh"), (SIZES[1], "zh")]


@pytest.fixture
def make_window(qtbot, session):
    def make(size):
        window = Window(Settings(None), confirm=False)
        qtbot.addWidget(window)
        window.resize(*size)
        window.show()
        window.set_session(session)
        qtbot.waitUntil(lambda: window.host.settled, timeout=15_000)
        return window

    return make


@pytest.fixture
def measured(session, tmp_path, qtbot):
    """A profile and a list of latencies, so that the views of measurements have something to say."""
    rows = [f"{k.outputs[0]},{1.2 * c.latency_us}" for k, c in
            zip(session.network.kernels, session.figures.simulation.kernels, strict=True) if c.latency_us]  # fmt: skip
    (tmp_path / "p.csv").write_text("name,time(us)\n" + "\n".join([*rows, "zebra,3"]))
    values = [1000 + 160 * (i > 300) + i % 17 + 1900 * (i == 60) for i in range(500)]
    (tmp_path / "l.txt").write_text("\n".join(map(str, values)))
    session.measurements.open_profile(tmp_path / "p.csv")
    session.measurements.open_latencies(tmp_path / "l.txt")
    qtbot.waitUntil(lambda: bool(session.measurements.profiles) and session.measurements.jitter is not None)


@pytest.mark.parametrize(("size", "language"), LOOKS)
def test_no_text_of_a_dock_is_cut(make_window, measured, qtbot, size, language):
    set_language(language)
    window = make_window(size)
    cut, seen = {}, {}
    for layout in LAYOUTS:
        window.show_layout(layout)
        for name, dock in window.host.docks.items():
            if not window.host.placed(name) or dock.width() >= seen.get(name, 9999):
                continue
            seen[name] = dock.width()
            view = window.reveal(name)
            qtbot.waitUntil(lambda: window.host.settled, timeout=15_000)
            view.refresh_now()
            QApplication.processEvents()
            found = cut_texts(dock)
            if found:
                cut[layout, name] = found
    assert cut == {}
    assert {"layers", "summary", "kernel", "ranking", "search", "compare", "graph", "plans", "coldstart"} <= set(seen)
    for part in (window.menu_row, window.context, window.status):
        assert cut_texts(part) == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_text_of_a_dialog_or_of_the_start_page_is_cut(make_window, session, language):
    set_language(language)
    window, cut = make_window(SIZES[0]), {}
    for name, make in DIALOGS.items():
        dialog = make(window, session)
        dialog.show()
        QApplication.processEvents()
        if found := cut_texts(dialog):
            cut[name] = found
        dialog.close()
    session.close_model()
    QApplication.processEvents()
    if found := cut_texts(window.start):
        cut["start"] = found
    assert cut == {}


def test_a_text_without_room_is_found(qtbot):
    root = QWidget()
    qtbot.addWidget(root)
    words, push, table = QLabel("a long sentence", root), QPushButton("a long button", root), QTableWidget(1, 1, root)
    table.setHorizontalHeaderLabels(["a long title of a column"])
    words.setGeometry(0, 0, 200, 20)
    push.setGeometry(0, 30, 200, 24)
    table.setGeometry(0, 60, 300, 90)
    table.setColumnWidth(0, 250)
    root.resize(300, 200)
    root.show()
    QApplication.processEvents()
    assert cut_texts(root) == []
    words.setFixedWidth(30)
    push.setFixedWidth(40)
    table.setColumnWidth(0, 40)
    QApplication.processEvents()
    assert len(cut_texts(root)) == 3
    words.setFixedWidth(200)
    words.setGeometry(200, 0, 200, 20)
    assert any("out of its place" in line for line in cut_texts(root))
