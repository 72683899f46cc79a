import numpy as np
import pytest
from plot_hand import PlotHand, settle, show
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QSplitter

from engine.precision.scheme import INT4
from engine.text import say
from gui.paint import map_color
from gui.theme import DARK, LIGHT, theme_manager
from gui.views.compare import CompareView

Key = Qt.Key
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def choose(session, index):
    kernel = session.network.kernels[index].id
    session.select((kernel,), kernel, who="LayersView")


def wait(qtbot, view, session):
    """Until the values of the current kernel are on show."""

    def there():
        settle(view)
        return view.found is not None and view.captured is not None and view.captured.kernel == session.current

    qtbot.waitUntil(there, timeout=8000)
    qtbot.waitUntil(lambda: not session.jobs.active, timeout=8000)
    settle(view)


@pytest.fixture
def view(qtbot, session, theme):
    choose(session, 17)
    made = show(qtbot, CompareView, session, theme, 1100, 740)
    wait(qtbot, made, session)
    return made


def test_the_current_kernel_is_captured_and_its_worst_channel_shown(session, view):
    captured = session.captured
    difference = (captured.result - captured.reference)[0].astype(np.float64)
    errors = np.linalg.norm(difference.reshape(32, -1), axis=1)
    errors /= np.linalg.norm(captured.reference[0].reshape(32, -1).astype(np.float64), axis=1)
    assert view.channel == int(errors.argmax())
    assert view.page.sections["maps"].note.text() == f"channel {view.channel} (of 0–31)"
    assert view.page.statistics.sheet.channels[0].channel == view.channel


def test_both_maps_share_a_scale_and_the_difference_is_symmetric(view):
    a, b, d = (picture.scale.ends for picture in view.page.maps._pictures)
    assert a == b
    assert d[0].replace("−", "+") == d[1]


def test_a_pixel_has_the_colour_of_its_value(session, view):
    picture = view.page.maps._pictures[0]
    hand = PlotHand(view, picture.chart, picture.panel)
    a, b = view.found.pictures(view.channel)
    low, high = min(a.min(), b.min()), max(a.max(), b.max())
    for row, column in ((3, 5), (20, 11)):
        got = hand.color(column + 0.5, a.shape[0] - row - 0.5)
        expected = map_color(LIGHT.cool, (a[row, column] - low) / (high - low))
        assert max(abs(x - y) for x, y in zip(got.getRgb(), expected.getRgb(), strict=True)) <= 4


def test_the_pointer_reads_the_same_pixel_in_all_three(view):
    picture = view.page.maps._pictures[1]
    PlotHand(view, picture.chart, picture.panel).move(8.5, 9.5)
    a, _ = view.found.pictures(view.channel)
    row = a.shape[0] - 1 - 9
    assert view.page.maps.readout.text().startswith(f"pixel 8, {row}")
    assert f"A {a[row, 8]:.4f}"[:6] in view.page.maps.readout.text()
    assert {p.pointer.pixel for p in view.page.maps._pictures} == {(9, 8)}


def test_channels_are_chosen_by_click_key_and_button(view):
    chart = view.page.channels
    PlotHand(view, chart, chart.panel).click(4.5)
    assert view.channel == 4
    chart.setFocus()
    QTest.keyClick(chart, Key.Key_Right)
    assert view.channel == 5
    QTest.mouseClick(view.page.before, LEFT)
    assert view.channel == 4
    QTest.keyClick(chart, Key.Key_Left)
    assert view.channel == 3
    assert "channel 3" in view.page.sections["histogram"].note.text()


def test_a_worst_channel_is_chosen_in_the_sheet(view):
    sheet = view.page.statistics
    third = sheet.sheet.channels[2].channel
    QTest.mouseClick(sheet, LEFT, NONE, QPoint(60, round(sheet.channel_y(2))))
    assert view.channel == third
    sheet.setFocus()
    QTest.keyClick(sheet, Key.Key_Up)
    assert view.channel == sheet.sheet.channels[1].channel


def test_the_figures_are_those_of_the_capture(session, view):
    rows = {figure.label: figure for figure in view.page.statistics.sheet.errors}
    assert rows["SQNR"].value == f"{session.captured.sums.sqnr_db:.1f}\u202fdB"
    assert (rows["SQNR"].second, rows["SQNR"].state) == ("22.0", "met")
    values = {figure.label: figure for figure in view.page.statistics.sheet.values}
    assert values["NaN or Inf"].value == "0"
    assert not values["NaN or Inf"].alarm
    assert float(values["max"].value) == pytest.approx(float(session.captured.reference.max()), rel=1e-3)


def test_j_and_k_step_through_the_kernels(qtbot, session, view):
    view.page.channels.setFocus()
    QTest.keyClick(view.page.channels, Key.Key_J)
    assert session.current == session.network.kernels[18].id
    wait(qtbot, view, session)
    assert view.captured.kernel == session.network.kernels[18].id
    QTest.keyClick(view.page.channels, Key.Key_K)
    assert session.current == session.network.kernels[17].id
    wait(qtbot, view, session)


def test_samples_are_stepped_through(qtbot, session, view):
    assert view.page.bar.sample_label.text() == "Sample 1 of 256"
    assert not view.page.bar.previous_sample.isEnabled()
    QTest.mouseClick(view.page.bar.next_sample, LEFT)
    wait(qtbot, view, session)
    assert session.captured.sample == 1
    assert view.page.bar.sample_label.text() == "Sample 2 of 256"


def test_an_edit_reads_the_values_again(qtbot, session, view):
    before = session.captured
    session.set_scheme([session.current], INT4)
    wait(qtbot, view, session)
    assert session.captured is not before
    assert view.page.statistics.sheet.badge == ("INT4", "INT4")


def test_vectors_are_shown_as_a_matrix(qtbot, session, view):
    choose(session, 52)
    wait(qtbot, view, session)
    assert view.found.layout == "matrix"
    assert view.found.channels == 1280
    picture = view.page.maps._pictures[2]
    PlotHand(view, picture.chart, picture.panel).click(picture.panel.box.viewRange()[0][1] * 0.5)
    assert view.channel == pytest.approx(640, abs=8)
    assert "all channels" in view.page.sections["histogram"].note.text()


def test_a_kernel_without_values_says_why(qtbot, session, view):
    session.capture = lambda kernel, sample=0: None
    choose(session, 20)
    settle(view)
    session.last_error = say("{kernel} has no float output.", kernel="x")
    from engine.session.changes import What

    session.emit(What.LOG)
    settle(view)
    assert view.empty.isVisible()
    assert view.empty._sentence.text() == "x has no float output."


def test_nothing_selected_offers_the_worst_kernel(qtbot, session, theme):
    session.selection, session.current = (), None
    made = show(qtbot, CompareView, session, theme, 900, 600)
    qtbot.mouseClick(made.empty._button, LEFT)
    known = session.figures.evaluation.accumulated
    assert session.current == min(known, key=lambda i: known[i].sqnr_db)
    wait(qtbot, made, session)


def test_every_part_is_exported(view, tmp_path):
    for key, section in view.page.sections.items():
        section.exporter.save("csv", tmp_path / f"{key}.csv")
        assert len((tmp_path / f"{key}.csv").read_text("utf-8-sig").splitlines()) > 5, key
    for key in ("maps", "channels", "histogram", "scatter"):
        view.page.sections[key].exporter.save("svg", tmp_path / f"{key}.svg")
        view.page.sections[key].exporter.save("png", tmp_path / f"{key}.png")
        assert (tmp_path / f"{key}.png").stat().st_size > 500
    head = (tmp_path / "channels.csv").read_text("utf-8-sig").splitlines()
    assert head[0] == "channel,relative_l2,reference_range"
    assert len(head) == 33


def test_dark_is_followed(view):
    view.apply_theme(DARK)
    settle(view)
    picture = view.page.maps._pictures[0]
    assert picture.chart.grab().toImage().pixelColor(2, 2) == DARK.panel
    assert view.page.histogram.grab().toImage().pixelColor(2, 2) == DARK.panel


def test_gaps_follow_the_theme(qtbot, view):
    for theme in (DARK, LIGHT):
        theme_manager.set_mode(theme.name)
        view.apply_theme(theme)
        settle(view)
        shot = view.grab().toImage()
        for splitter in view.findChildren(QSplitter):
            handle = splitter.handle(1)
            assert shot.pixelColor(handle.mapTo(view, handle.rect().center())) == theme.window
        assert shot.pixelColor(600, view.page.bar.geometry().bottom() + 3) == theme.window


def test_the_label_of_a_channel_stays_inside_the_chart(view):
    chart = view.page.channels
    values = np.full(32, 0.1, np.float32)
    values[:2] = 0.001, 1.0
    chart.show_channels(values, "")
    for channel in range(32):
        chart.choose(channel, "channel 3   10 %")
        frame = chart.panel.box.frame()
        plate = chart.bars._plate(frame)
        assert frame.area.adjusted(-1, -1, 1, 1).contains(plate), channel
