from xml.etree import ElementTree

import numpy as np
import pytest
from plot_hand import PlotHand, settle, show
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtWidgets import QFileDialog, QMessageBox, QStyleOptionGraphicsItem

from engine.session.changes import What
from gui.bridge import hub
from gui.i18n import set_language
from gui.kernel_names import short_name, short_names
from gui.plots.caption import HEIGHT, Caption
from gui.plots.frame import Frame
from gui.plots.navigation import Span
from gui.plots.shapes import runs, simplified, steps, thin
from gui.plots.table import Table
from gui.plots.ticks import decimals, round_up, step_for, ticks
from gui.theme import DARK, LIGHT, theme_manager
from gui.views.error_profile import ErrorProfileView
from gui.views.latency import LatencyView


def test_ticks_are_round_and_cover_the_range():
    assert step_for(70, 7) == 10
    assert step_for(0.9, 5) == pytest.approx(0.2)
    assert ticks(-3, 21, 10) == [0, 10, 20]
    assert round_up(344.4, 4) == 400
    assert (decimals(0.25), decimals(20), decimals(0.002)) == (2, 0, 3)
    for span in np.geomspace(1e-6, 1e9, 60):
        step = step_for(span, 6)
        assert span / step <= 6 + 1e-6
        assert span / step >= 1.5


def test_a_span_stays_within_its_limits():
    span = Span(0, 100, 5)
    seen = []
    span.changed.connect(lambda: seen.append((span.low, span.high)))
    span.zoom(0.1, 30)
    assert (span.low, span.high) == pytest.approx((27, 37))
    span.pan(-10)
    assert span.low == 0
    span.zoom(1e-6)
    assert span.width == 5
    span.reveal(50, 51)
    assert span.low <= 50
    assert span.high >= 51
    before = (span.low, span.high)
    span.reveal(50.2, 50.8)
    assert (span.low, span.high) == before, "what is in sight doesn't move"
    span.set_limits(0, 20, 5)
    assert span.high <= 20
    span.fit()
    assert span.is_fit
    span.set_limits(0, 300, 5)
    assert span.is_fit, "a view of everything stays one"
    assert len(seen) >= 6


def test_the_axis_of_something_else_is_shown_from_end_to_end():
    span = Span(0, 100, 5)
    span.set_limits(0, 80, 5, "one")
    span.show(20, 30)
    span.set_limits(0, 90, 5, "one")
    assert (span.low, span.high) == (20, 30), "the same with other figures"
    span.set_limits(0, 90, 5, "two")
    assert span.is_fit
    span.ask(40, 50)
    assert span.is_fit, "it waits for its limits"
    span.set_limits(0, 60, 5, "three")
    assert (span.low, span.high) == (40, 50)
    span.set_limits(0, 60, 5, "four")
    assert span.is_fit, "it was asked for once"


def test_a_frame_maps_there_and_back():
    from PySide6.QtCore import QRectF

    frame = Frame(QRectF(10, 20, 200, 100), 5, 25, -1, 1)
    assert (frame.x(5), frame.x(25), frame.y(-1), frame.y(1)) == (10, 210, 120, 20)
    assert frame.data_x(frame.x(13.5)) == pytest.approx(13.5)
    assert frame.data_y(frame.y(0.3)) == pytest.approx(0.3)
    np.testing.assert_allclose(frame.xs(np.array([5.0, 15.0])), [10, 110])


def test_thinning_keeps_first_lowest_highest_and_last_of_every_pixel():
    rng = np.random.default_rng(3)
    xs, ys = np.linspace(0, 400, 50_000), rng.normal(size=50_000)
    few_x, few_y = thin(xs, ys)
    assert len(few_x) <= 4 * 401
    column = np.floor(xs)
    for pixel in (0, 17, 399):
        mine = few_y[np.floor(few_x) == pixel]
        assert mine.min() == ys[column == pixel].min()
        assert mine.max() == ys[column == pixel].max()


def test_simplifying_moves_no_point_by_more_than_a_quarter_pixel():
    xs = np.linspace(0, 300, 1200)
    ys = 80 - 60 * (1 - np.exp(-xs / 60)) + np.where(xs > 150, 4.0, 0.0)
    few_x, few_y = simplified(xs, ys)
    assert len(few_x) < 120
    assert np.abs(np.interp(xs, few_x, few_y) - ys).max() <= 0.51
    assert (few_x[0], few_x[-1]) == (xs[0], xs[-1])


def test_runs_and_steps():
    assert runs(np.array([True, True, False, True])) == [(0, 2), (3, 4)]
    xs, ys = steps(np.array([0.0, 1.0, 2.0]), np.array([5.0, 7.0]))
    assert (list(xs), list(ys)) == ([0, 1, 1, 2], [5, 5, 7, 7])


def test_short_names_say_what_people_look_for():
    names = ("features.3.dw", "features.3.conv.0", "classifier.1", "model.layers.4.mlp.up_proj", "head", "/a/b/Conv")
    assert [short_name(name) for name in names] == [
        "3.dw", "3.conv.0", "classifier.1", "up_proj", "head", "b/Conv",
    ]  # fmt: skip


def test_a_word_that_many_layers_end_with_keeps_the_one_before_it():
    assert short_name("encoder.stem.conv") == "stem.conv"
    assert short_name("/conv/Conv") == "Conv"
    assert short_name("conv") == "conv"
    assert short_name("") == ""
    names = ["stem.conv", "a.act", "b.act", "layers.0.mlp.up", "layers.1.mlp.up", "head"]
    assert list(short_names(tuple(names)).short) == ["stem.conv", "a.act", "b.act", "up", "up", "head"]


def test_a_table_becomes_csv_and_clipboard_text():
    table = Table(("kernel", "sqnr_db"), [("a,b", 21.123456789), ("c\td", None), ("e", float("inf"))])
    assert table.to_csv() == 'kernel,sqnr_db\n"a,b",21.1234568\nc\td,\ne,inf\n'
    assert table.to_tsv().splitlines()[2] == "c d\t"


def test_a_plot_is_exported_as_csv_png_and_svg(qtbot, session, theme, tmp_path):
    view = show(qtbot, ErrorProfileView, session, theme)
    view.chart._ring = True  # the keys are here: that is no part of the picture
    for kind in ("csv", "png", "svg"):
        view.exporter.save(kind, tmp_path / f"plot.{kind}")
    assert view.chart._ring
    lines = (tmp_path / "plot.csv").read_text("utf-8-sig").splitlines()
    assert len(lines) == 1 + len(session.network.kernels)
    image = QImage(str(tmp_path / "plot.png"))
    assert image.size() == view.chart.size() * 2
    assert image.pixelColor(2, 2) == theme.panel
    root = ElementTree.parse(tmp_path / "plot.svg").getroot()
    texts = "".join("".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text"))
    assert "required" in texts
    assert root.find(".//{http://www.w3.org/2000/svg}path") is not None


def test_an_unwritable_export_is_said_in_one_sentence(qtbot, session, theme, tmp_path):
    view = show(qtbot, LatencyView, session, theme)
    for kind in ("csv", "png", "svg"):
        view.exporter.save(kind, tmp_path / "missing" / f"plot.{kind}")
        boxes = [b for b in view.findChildren(QMessageBox) if b.isVisible()]
        assert len(boxes) == 1
        assert "missing" in boxes[0].text()
        boxes[0].close()
        QGuiApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert list(tmp_path.iterdir()) == []


def test_the_menu_copies_and_asks_for_a_file(qtbot, session, theme, tmp_path):
    view = show(qtbot, LatencyView, session, theme)
    hand = PlotHand(view)
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QMenu

    QTest.mouseClick(hand.target, Qt.MouseButton.RightButton, Qt.KeyboardModifier.NoModifier, hand.at(5))
    menu = next(m for m in view.findChildren(QMenu) if m.isVisible())
    entries = [action.text() for action in menu.actions() if action.text()]
    exports = ["Export CSV…", "Export PNG…", "Export SVG…"]
    assert entries == ["Show the whole network", "Show as a table\tT", "Copy data", "Copy picture", *exports]
    copy = next(action for action in menu.actions() if action.text() == "Copy data")
    QTest.mouseClick(
        menu, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, menu.actionGeometry(copy).center()
    )
    assert QGuiApplication.clipboard().text().startswith("index\tkernel\tscheme\tlatency_us")
    view.exporter.copy_picture()
    assert QGuiApplication.clipboard().image().size() == 2 * view.chart.size()
    view.exporter.ask("csv")
    dialog = next(d for d in view.findChildren(QFileDialog) if d.isVisible())
    with qtbot.waitSignal(hub.file_written) as told:
        dialog.fileSelected.emit(str(tmp_path / "a.csv"))
    assert told.args == [tmp_path / "a.csv"]
    assert (tmp_path / "a.csv").is_file()
    dialog.reject()


def test_theme_and_language_are_followed(qtbot, session):
    view = show(qtbot, ErrorProfileView, session, LIGHT)
    view.header_widgets()
    assert view.chart.grab().toImage().pixelColor(3, 3) == LIGHT.panel
    theme_manager.set_mode("dark")
    view.apply_theme(DARK)
    settle(view)
    assert view.chart.grab().toImage().pixelColor(3, 3) == DARK.panel
    before = view.subtitle_changed
    assert before is not None
    set_language("zh")
    settle(view)
    assert view.chart.accessibleName() == view.title()


def test_a_hidden_view_does_no_work_until_it_is_seen(qtbot, session, theme):
    view = show(qtbot, LatencyView, session, theme)
    drawn = []
    view.hide()
    original = view.draw
    view.draw = lambda: (drawn.append(1), original())
    for _ in range(5):
        session.emit(What.SIMULATION)
    QGuiApplication.processEvents()
    assert drawn == []
    view.show()
    settle(view)
    assert len(drawn) == 1, "five changes are one redraw"


def test_a_disposed_view_listens_to_nobody(qtbot, session, theme):
    count = session.listeners
    view = show(qtbot, LatencyView, session, theme)
    assert session.listeners == count + 1
    view.close()
    assert session.listeners == count
    hub.hover("k3", "somebody")
    hub.settle()
    session.emit(What.PLAN)
    hub.hover(None, "somebody")


def test_without_a_model_a_sentence_and_the_way_to_one(qtbot, empty_session, theme):
    view = show(qtbot, ErrorProfileView, empty_session, theme)
    assert view.empty.isVisible()
    with qtbot.waitSignal(view.command_wanted) as wanted:
        qtbot.mouseClick(view.empty._button, Qt.MouseButton.LeftButton)
    assert wanted.args == ["open_model"]


@pytest.mark.parametrize("title", ["Temperature, °C", "温度（表面），°C"])
def test_the_words_of_a_caption_keep_off_the_topmost_label_of_the_axis_below(qtbot, title):
    caption, image = Caption(), QImage(200, round(HEIGHT), QImage.Format.Format_RGB32)
    caption.resize(200, HEIGHT)
    caption.set(title)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    caption.paint(painter, QStyleOptionGraphicsItem())
    painter.end()
    inked = [y for y in range(image.height()) if any(image.pixelColor(x, y).lightness() < 200 for x in range(200))]
    assert inked
    assert max(inked) < HEIGHT - 6
