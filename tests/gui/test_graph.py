"""The Graph view: cards, places, and the view under mouse and keys."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from fakes import FakeSession
from plot_hand import show
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtTest import QTest

from engine.fusion import fuse
from engine.fusion.blocks import find_series
from engine.graph import load
from engine.paths import sample_models
from gui.bridge import hub
from gui.fonts import text_width
from gui.views.blocks import BlocksView
from gui.views.blocks_matrix import ROW, UPRIGHT
from gui.views.graph import GraphView
from gui.views.graph_arrange import arrange
from gui.views.graph_cards import ALL_OPEN, block_of, first_open, picture_of
from gui.views.graph_overlay import OVERLAYS, overlay_of
from gui.views.graph_walk import step_from
from gui.views.layers_rows import rows_of, shape_of

LEFT, NONE, CTRL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier


@pytest.fixture(scope="module")
def decoder():
    path = sample_models() / "swiglu_decoder" / "swiglu_decoder.onnx"
    return fuse(load(path, shapes={"input_ids": (1, 17)}))


@pytest.fixture
def view(qtbot, session, theme):
    hub.set_overlay("precision")
    made = show(qtbot, GraphView, session, theme, 760, 900)
    qtbot.waitUntil(lambda: made.canvas.scene is not None and not session.jobs.active, timeout=15000)
    yield made
    hub.set_overlay("precision")


def at(view, card):
    return view.canvas.rect_of_card(card).center().toPoint()


def card_of(view, name):
    network, picture = view.session.network, view.canvas.scene.picture
    return picture.place[next(k.index for k in network.kernels if k.name == name)]


# ---- cards


def test_each_kernel_is_on_exactly_one_card(decoder):
    series = find_series(decoder)
    for opened in (ALL_OPEN, frozenset(), first_open(series), frozenset({(0, 1)})):
        picture = picture_of(decoder, series, opened)
        assert [k for card in picture.cards for k in card.kernels] == list(range(len(decoder.kernels)))
        assert all(k in picture.cards[picture.place[k]].kernels for k in range(len(decoder.kernels)))


def test_edges_are_the_tensors_between_cards(decoder):
    picture = picture_of(decoder, (), ALL_OPEN)
    made = {name: k.index for k in decoder.kernels for name in k.outputs}
    wanted = {(made[name], k.index) for k in decoder.kernels for name in k.inputs if name in made}
    assert set(picture.edges) == wanted
    assert len(picture.edges) == len(wanted) == len(picture.tensors)
    for (a, b), tensor in zip(picture.edges, picture.tensors, strict=True):
        assert tensor in decoder.kernels[a].outputs
        assert tensor in decoder.kernels[b].inputs


def test_folding_leaves_one_card_for_neighbouring_blocks(decoder):
    series = find_series(decoder)
    picture = picture_of(decoder, series, frozenset({(0, 1)}))
    folded = [card.blocks for card in picture.cards if card.folded]
    assert folded == [(0, 0), (2, 2)]
    (frame,) = picture.frames
    assert (frame.block, len(frame.cards)) == (1, 19)
    assert block_of(series, series[0].blocks[2].first) == (0, 2)
    assert block_of(series, 0) is None


# ---- places


@pytest.mark.parametrize("opened", [ALL_OPEN, frozenset(), frozenset({(0, 0)}), frozenset({(0, 0), (0, 2)})])
def test_cards_do_not_overlap_and_edges_lead_downwards(decoder, opened):
    picture = picture_of(decoder, find_series(decoder), opened)
    found = arrange(picture)
    boxes = found.cards
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            assert a.right <= b.x or b.right <= a.x or a.bottom <= b.y or b.bottom <= a.y
    for (a, b), line in zip(picture.edges, found.edges, strict=True):
        assert boxes[a].bottom < boxes[b].y
        assert all(upper[1] <= lower[1] for upper, lower in pairwise(line))
    assert all(b.x >= 0 and b.right <= found.width for b in boxes)
    assert all(b.y >= 0 and b.bottom <= found.height for b in boxes)
    for frame, box in zip(picture.frames, found.frames, strict=True):
        inside = [boxes[c] for c in frame.cards]
        assert all(box.x < b.x and b.right < box.right and box.y < b.y and b.bottom < box.bottom for b in inside)


def test_residual_edges_cross_no_card(decoder):
    picture = picture_of(decoder, find_series(decoder), frozenset({(0, 0)}))
    found = arrange(picture)
    assert any(found.residual), "a decoder has residual edges"
    for (a, b), line, aside in zip(picture.edges, found.edges, found.residual, strict=True):
        if not aside:
            continue
        lane = line[1][0]
        assert all(box.x > lane for box in found.cards)
        for end, y in ((a, line[0][1]), (b, line[-1][1])):
            crossed = [i for i, box in enumerate(found.cards) if box.y < y < box.bottom and box.x < found.cards[end].x]
            assert not crossed


def test_keys_follow_the_edges(decoder):
    picture = picture_of(decoder, find_series(decoder), frozenset({(0, 0)}))
    found = arrange(picture)
    norm = next(
        i for i, c in enumerate(picture.cards) if decoder.kernels[c.kernels[0]].name.endswith("input_layernorm")
    )
    below = step_from(picture, found, norm, Qt.Key.Key_Down)
    assert (norm, below) in picture.edges
    assert step_from(picture, found, below, Qt.Key.Key_Up) == norm
    row = [i for i, b in enumerate(found.cards) if b.y == found.cards[below].y]
    assert len(row) == 3, "q, k and v stand side by side"
    left = min(row, key=lambda i: found.cards[i].x)
    assert step_from(picture, found, left, Qt.Key.Key_Left) is None
    assert step_from(picture, found, left, Qt.Key.Key_Right) in row
    assert step_from(picture, found, -1, Qt.Key.Key_Down) == 0


# ---- overlays


@pytest.mark.parametrize("key", OVERLAYS)
def test_heights_follow_the_values(session, key):
    rows = rows_of(session, shape_of(session.network))
    overlay = overlay_of(key, rows)
    assert overlay.scaled == bool(overlay.ticks)
    if not overlay.scaled:
        assert overlay.known == 0
        return
    known = np.isfinite(overlay.values)
    assert known.any()
    heights = overlay.heights[known]
    assert ((heights >= 0) & (heights <= 1)).all()
    order = np.argsort(overlay.values[known], kind="stable")
    steps = np.diff(heights[order])
    assert (steps <= 0).all() if key in ("local", "accumulated") else (steps >= 0).all()
    for place, _ in overlay.ticks:
        assert -1e-9 <= place <= 1 + 1e-9
    assert overlay.above(0.0).sum() == overlay.known
    middle = overlay.value_at(0.5)
    falling = key in ("local", "accumulated")
    wanted = (overlay.values <= middle) if falling else (overlay.values >= middle)
    assert (overlay.above(0.5) == (wanted & known)).all()


# ---- the view


def test_a_click_selects_and_ctrl_adds(session, view):
    first, second = card_of(view, "features.0"), card_of(view, "features.1.dw")
    view.canvas.reveal([first])
    QTest.mouseClick(view.canvas, LEFT, NONE, at(view, first))
    assert session.current == "k0"
    QTest.mouseClick(view.canvas, LEFT, CTRL, at(view, second))
    assert set(session.selection) == {"k0", "k1"}
    assert view.canvas.marks.selected == {first, second}


def test_a_drag_pans_and_selects_nothing(session, view):
    view.canvas.show_at(QPointF(100, 900), 1.0)
    before, offset = session.current, QPointF(view.canvas.offset)
    start = QPoint(60, view.canvas.height() // 2)
    QTest.mousePress(view.canvas, LEFT, NONE, start)
    for step in range(1, 5):
        QTest.mouseMove(view.canvas, start - QPoint(0, 30 * step))
    QTest.mouseRelease(view.canvas, LEFT, NONE, start - QPoint(0, 120))
    assert session.current == before
    assert view.canvas.offset.y() == pytest.approx(offset.y() + 120)


def test_selecting_elsewhere_unfolds_and_reveals(qtbot, session, view):
    series = view.series
    assert series, "the network has alike blocks"
    hidden = series[0].blocks[-1].first
    card = view.canvas.scene.picture.cards[view.canvas.scene.picture.place[hidden]]
    assert card.folded
    session.select((f"k{hidden}",), f"k{hidden}", who="LayersView")
    qtbot.waitUntil(lambda: not view.canvas.scene.picture.cards[view.canvas.scene.picture.place[hidden]].folded)
    qtbot.waitUntil(lambda: view.canvas.marks.current == view.canvas.scene.picture.place[hidden])
    box = view.canvas.scene.arrangement.cards[view.canvas.marks.current]
    assert view.canvas.visible().contains(box.x, box.y)


def test_enter_folds_and_unfolds(qtbot, session, view):
    block = view.series[0].blocks[0]
    session.select((f"k{block.first}",), f"k{block.first}", who="test")
    qtbot.waitUntil(lambda: view.canvas.marks.current == view.canvas.scene.picture.place[block.first])
    count = len(view.canvas.scene.picture.cards)
    QTest.keyClick(view.canvas, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(view.canvas.scene.picture.cards) < count)
    view.collapse.setChecked(False)
    qtbot.waitUntil(lambda: len(view.canvas.scene.picture.cards) == len(session.network.kernels))


def test_the_search_dims_and_walks(qtbot, session, view):
    view.search.setText("dw")
    found = view.canvas.marks.found
    assert found
    assert len(found) < len(view.canvas.scene.picture.cards)
    session.select((), None, who="test")
    QTest.keyClick(view.search, Qt.Key.Key_Return)
    first = session.current
    assert "dw" in session.network.by_id(first).name
    QTest.keyClick(view.search, Qt.Key.Key_Return)
    assert session.current != first
    QTest.keyClick(view.search, Qt.Key.Key_Escape)
    assert view.canvas.marks.found is None


def test_the_threshold_counts_and_marks(qtbot, view):
    hub.set_overlay("local")
    qtbot.waitUntil(lambda: view.overlay.key == "local")
    view.legend.set_threshold(0.0)
    view.legend.threshold_changed.emit(0.0)
    assert view.legend.count_text().startswith(f"{view.overlay.known} of {view.overlay.known} below 60")
    assert sum(face.over for face in view.canvas.scene.faces) > 3
    QTest.mouseClick(view.legend, LEFT, NONE, view.legend._bar().center().toPoint())
    assert view.legend.threshold == pytest.approx(0.5, abs=0.02)


def test_the_threshold_begins_at_the_budget_until_it_is_moved(qtbot, view):
    def on(key):
        hub.set_overlay(key)
        qtbot.waitUntil(lambda: view.legend.overlay is not None and view.legend.overlay.key == key)
        return view.overlay.value_at(view.legend.threshold)

    def require(db):
        view.session.budgets = replace(view.session.budgets, min_sqnr_db=db)
        view.draw()

    require(20.0)
    assert on("local") == pytest.approx(20)
    assert on("accumulated") == pytest.approx(20)
    view.session.sweeps.metric = "sqnr"
    require(30.0)
    assert on("accumulated") == pytest.approx(30)
    assert " below 30" in view.legend.count_text()
    assert on("sensitivity") == pytest.approx(100 * 10 ** (-30 / 20)), "an error of 3.16 % is 30 dB"
    require(80.0)
    assert on("accumulated") == pytest.approx(60), "the end of the scale"
    require(None)
    assert on("accumulated") == pytest.approx(25)
    QTest.mouseClick(view.legend, LEFT, NONE, view.legend._bar().center().toPoint())
    require(30.0)
    assert on("accumulated") == pytest.approx(35, abs=1), "it stays where it was put"
    assert on("local") == pytest.approx(30), "what was moved is the marker of the other overlay"
    on("accumulated")
    state = view.save_state()
    QTest.keyClick(view.legend, Qt.Key.Key_Delete)
    assert on("accumulated") == pytest.approx(30)
    view.restore_state(state)
    assert on("accumulated") == pytest.approx(35, abs=1)
    QTest.mouseDClick(view.legend, LEFT, NONE, view.legend._bar().center().toPoint())
    assert on("accumulated") == pytest.approx(30)
    view.restore_state({"thresholds": {"local": 7.0, "unit": 0.5, "latency": "x"}})
    assert view.legend.moved == {}


def test_zoom_keeps_the_place_under_the_pointer(view):
    canvas = view.canvas
    canvas.show_at(QPointF(100, 900), 1.0)
    place = QPointF(200, 300)
    before = canvas._on_graph(place)[1]  # across, a graph narrower than the room stays in the middle
    canvas.zoom(1.5, place)
    assert canvas._on_graph(place)[1] == pytest.approx(before)
    canvas.fit()
    seen = canvas.visible()
    assert seen.height() >= canvas.scene.arrangement.height or seen.width() >= canvas.scene.arrangement.width


def test_the_table_has_every_kernel(session, view):
    table = view.table()
    assert len(table.rows) == len(session.network.kernels)
    assert table.header[:4] == ("index", "kernel", "op", "scheme")
    assert table.rows[0][-1] == session.network.kernels[1].name


def test_the_whole_graph_can_be_saved(view, tmp_path):
    view.exporter.save("png", tmp_path / "graph.png")
    view.exporter.save("svg", tmp_path / "graph.svg")
    assert (tmp_path / "graph.png").stat().st_size > 5000
    assert "features.0" in (tmp_path / "graph.svg").read_text(encoding="utf-8")


def test_two_thousand_cards_are_drawn_by_need(qtbot, view, monkeypatch):
    """Only what is on show is drawn: the count of cards drawn does not grow with the network."""
    drawn = []
    monkeypatch.setattr("gui.views.graph_canvas.paint.paint_card", lambda painter, box, *rest: drawn.append(box))
    view.collapse.setChecked(False)
    qtbot.waitUntil(lambda: len(view.canvas.scene.picture.cards) == len(view.session.network.kernels))
    view.canvas.show_at(QPointF(0, 0), 1.0)
    drawn.clear()
    view.canvas.grab()
    assert 0 < len(drawn) < 30


# ---- large graphs


def test_only_cards_on_show_get_words(view):
    canvas = view.canvas
    view.minimap._draw_map = lambda: None  # the map is not of interest here
    hub.set_overlay("latency")
    canvas.show_at(QPointF(100, 100), 2.0)
    faces = canvas.scene.faces
    assert faces._made == [None] * len(faces)
    canvas.grab()
    made = {i for i in range(len(faces)) if faces._made[i] is not None}
    shown = {i for i in range(len(faces)) if canvas.rect().intersects(canvas.rect_of_card(i).toRect())}
    assert 0 < len(shown) <= len(made) < len(faces) / 2
    assert shown <= made
    assert [face.title for face in faces] == [faces[i].title for i in range(len(faces))]
    assert faces[-1] is faces[len(faces) - 1]
    assert list(faces[:2]) == [faces[0], faces[1]]


def test_another_overlay_is_on_show_at_once_and_reads_nothing_again(qtbot, view, monkeypatch):
    qtbot.waitUntil(lambda: not view.due)
    monkeypatch.setattr("gui.views.graph.rows_of", lambda *_: pytest.fail("the figures are there already"))
    for key in OVERLAYS:
        hub.set_overlay(key)
        assert view.overlay.key == key
        assert view.overlays.current == key
        assert view.canvas.scene.token == view.overlay.token


def test_a_place_is_found_as_its_card(view):
    canvas = view.canvas
    for card in range(len(canvas.scene.picture.cards)):
        assert canvas.card_at(canvas.rect_of_card(card).center()) == card
    assert canvas.card_at(QPointF(-50, -50)) == -1


def test_of_cards_that_fall_on_one_pixel_the_map_shows_the_worst(view):
    scene = view.canvas.scene
    heights = np.linspace(0.0, 1.0, len(scene.faces))
    heights[-1] = np.nan
    assert view.minimap._chosen(replace(scene, heights=heights), 1e-6) == [len(scene.faces) - 2]
    assert view.minimap._chosen(scene, 1.0) == list(range(len(scene.faces)))


def test_blocks_out_of_sight_are_not_drawn(qtbot, decoder, theme, monkeypatch):
    made = show(qtbot, BlocksView, FakeSession(decoder), theme, 500, 600)
    matrix, drawn = made.matrix, []
    monkeypatch.setattr(matrix, "_draw_row", lambda painter, r, cell, lit: drawn.append(r))
    rows = len(matrix.data.names)
    matrix.grab()
    assert drawn == list(range(rows))
    drawn.clear()
    matrix.grab(QRect(0, matrix.head + ROW + 2, 200, ROW - 4))
    assert drawn == [1]


@pytest.mark.parametrize(("width", "upright"), [(236, True), (600, False)])
def test_names_of_columns_are_whole(qtbot, decoder, theme, width, upright):
    view = show(qtbot, BlocksView, FakeSession(decoder), theme, width, 600)
    matrix = view.matrix
    longest = max(text_width(role, 11, 600) for role in matrix.data.roles)
    assert matrix._upright is upright
    assert longest <= (matrix.head - 8 if upright else matrix._cell() - 2)
    r, c = 2, 1
    kernel = matrix.data.kernels[r][c]
    row = matrix.row_of_kernel(kernel)
    assert row.top() == matrix.head + ROW * r
    assert matrix._kernel_at(40 + (c + 0.5) * matrix._cell(), row.center().y()) == kernel
    assert matrix.minimumHeight() > matrix.row_of_kernel(matrix.data.kernels[-1][0]).bottom()


def test_operators_fit_in_names_that_stand_upright(qapp):
    assert text_width("DWConv 5×5 s2 + HardSwish", 11, 600) <= UPRIGHT
