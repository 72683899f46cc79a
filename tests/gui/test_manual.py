"""The manual and the tour."""

import re

import pytest
from fakes import with_model
from hand import Hand
from PySide6.QtCore import QPoint, QRect, Qt, QUrl
from PySide6.QtTest import QTest

from engine.paths import manual
from gui.commands import shown
from gui.dialogs.manual import ManualWindow
from gui.dialogs.manual_style import Column, shares
from gui.docks import DOCKS, dock_around
from gui.i18n import set_language
from gui.manual import PAGES, pages, search
from gui.settings import Settings
from gui.tour import Tour, stops
from gui.views import layers_columns, summary_cards
from gui.window import Window


@pytest.fixture
def window(qtbot):
    session = with_model()
    made = Window(Settings(None), confirm=False)
    qtbot.addWidget(made)
    made.resize(1440, 900)
    made.show()
    made.set_session(session)
    qtbot.waitUntil(lambda: made.host is not None and made.host.settled)
    yield made
    made.close()
    session.close()


@pytest.mark.parametrize("code", ["en", "zh"])
def test_links_lead_to_pages(code):
    for page in pages(code):
        for target in re.findall(r"\]\(([^)]+)\)", page.text):
            assert target.removesuffix(".md") in PAGES, f"{page.id}: {target}"


@pytest.mark.parametrize("code", ["en", "zh"])
def test_every_panel_has_a_page_in_both_languages(code):
    there = {path.stem for path in (manual() / code).glob("*.md")}
    assert there == set(PAGES)
    assert {spec.id for spec in DOCKS} <= there


def test_the_languages_have_the_same_sections():
    for english, chinese in zip(pages("en"), pages("zh"), strict=True):
        assert english.text != chinese.text
        count = [len(re.findall(r"^#+ ", page.text, re.MULTILINE)) for page in (english, chinese)]
        assert count[0] == count[1], english.id


@pytest.mark.parametrize("code", ["en", "zh"])
def test_pages_are_called_as_their_panels(qapp, code):
    set_language(code)
    titles = {page.id: page.title for page in pages(code)}
    assert {spec.id: shown(spec.title) for spec in DOCKS} == {spec.id: titles[spec.id] for spec in DOCKS}


@pytest.mark.parametrize("code", ["en", "zh"])
def test_every_card_and_column_is_defined_among_the_figures(qapp, code):
    set_language(code)
    defined = _first_cells(code)
    cards = {summary_cards.title(figure.key) for figure in summary_cards.FIGURES}
    columns = {layers_columns.title(column.key) for column in layers_columns.COLUMNS}
    assert cards | columns <= defined, (cards | columns) - defined


@pytest.mark.parametrize("code", ["en", "zh"])
def test_every_name_with_a_unit_in_json_is_among_the_figures(code):
    described = (
        (manual().parent / "command-line.md").read_text(encoding="utf-8").split("## JSON")[1].split("## Data")[0]
    )
    names = set(re.findall(r'"(\w+_(?:us|uj|db|bytes|c))"', described))
    assert len(names) > 20
    assert names <= set(re.findall(r"`(\w+)`", _page("figures", code)))


def _first_cells(code):
    return {line.split("|")[1].strip() for line in _page("figures", code).splitlines() if line.startswith("|")}


def _page(name, code):
    return next(page.text for page in pages(code) if page.id == name)


def test_tables_fit_the_page_and_never_break_a_word():
    columns = (Column(60, 80, 300), Column(30, 40, 90), Column(90, 700, 4000), Column(120, 300, 200))
    wide, narrow = shares(columns, 2000), shares(columns, 500)
    assert wide == [80, 40, 700, 300]
    assert sum(narrow) == pytest.approx(500)
    assert narrow[:2] == [80, 40]
    assert all(width >= column.word for width, column in zip(narrow, columns, strict=True))
    assert narrow[2] > narrow[3]


@pytest.mark.parametrize("code", ["en", "zh"])
def test_no_page_is_wider_than_its_window(qtbot, code):
    set_language(code)
    made = ManualWindow()
    qtbot.addWidget(made)
    made.show()
    for page in pages(code):
        made.show_page(page.id)
        assert made.page.document().size().width() <= made.page.viewport().width() + 4, page.id


def test_search_finds_all_words_and_titles_first():
    found = search("en", "graph")
    assert found[0].id == "graph"
    assert all("graph" in page.text.casefold() for page in found)
    assert search("en", "graph nosuchword") == ()


def test_f1_brings_the_page_of_the_panel_in_use(qtbot, window):
    layers = window.reveal("layers")
    layers.table.setFocus()
    qtbot.waitUntil(lambda: window.focused_dock() == "layers")
    window.menus.by_id["manual"].trigger()
    assert window._manual.shown == "layers"
    window.host.manual_wanted.emit("graph")
    assert window._manual.shown == "graph"
    window._manual._on_link(QUrl("blocks.md"))
    assert window._manual.shown == "blocks"
    window._manual.go_back()
    assert window._manual.shown == "graph"
    window._manual._on_link(QUrl("blocks.md"))
    set_language("zh")
    title = next(p for p in pages("zh") if p.id == "blocks").title
    qtbot.waitUntil(lambda: window._manual.page.toPlainText().splitlines()[0] == title)
    QTest.keyClick(window._manual, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window._manual is None)


def test_the_tour_stops_at_parts_that_are_there(qtbot, window):
    window.menus.by_id["tour"].trigger()
    tour = window.findChild(Tour)
    for place in range(len(stops())):
        assert tour.count.text().startswith(str(place + 1))
        qtbot.waitUntil(lambda: window.host.settled)
        tour._settle()
        assert not tour._hole.isNull(), f"stop {place + 1} points at nothing"
        assert tour.rect().contains(tour.card.geometry())
        dock = dock_around(stops()[place].target(window))
        if dock is not None:  # a panel is lit with its title
            assert tour._hole.contains(QRect(dock.mapTo(window, QPoint(0, 0)), dock.size()))
        QTest.keyClick(tour, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: window.findChild(Tour) is None)


@pytest.mark.parametrize("how", ["keys", "mouse", "escape"])
def test_the_panel_in_use_before_the_tour_has_the_keys_after_it(qtbot, window, how):
    hand = Hand(qtbot, window)
    table = window.view("layers").table
    hand.click(table.viewport(), table.visualRect(table.currentIndex()).center())
    had = window.focusWidget()
    assert had is table
    window.menus.by_id["tour"].trigger()
    tour = window.findChild(Tour)
    if how == "escape":
        QTest.keyClick(tour, Qt.Key.Key_Escape)
    for _ in () if how == "escape" else stops():
        if how == "mouse":
            qtbot.mouseClick(tour.next, Qt.MouseButton.LeftButton)
        else:
            QTest.keyClick(tour, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.findChild(Tour) is None)
    assert window.focusWidget() is had
    assert window.panel_in_use().spec.id == "layers"


def test_escape_ends_the_tour(qtbot, window):
    window.menus.by_id["tour"].trigger()
    QTest.keyClick(window.findChild(Tour), Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.findChild(Tour) is None)
