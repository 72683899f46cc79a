"""Sources, shared zoom, relative difference, lines, levels, worst elements, and the table of names."""

from dataclasses import replace

import numpy as np
import pytest
from plot_hand import settle, show
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from test_plots_compare import choose, wait

from engine.interop.dump_open import open_dump
from engine.numerics.comparison import Levels, compare
from engine.precision.scheme import FP16, INT4, INT8
from engine.session.comparing import CURRENT, EMULATED, REFERENCE, Source
from engine.text import say
from gui.views.compare import CompareView
from gui.views.compare_sources import emulated_words, match_words, source_words
from gui.views.names_dialog import NamesDialog


@pytest.fixture
def view(qtbot, session, theme):
    choose(session, 17)
    made = show(qtbot, CompareView, session, theme, 1100, 740)
    wait(qtbot, made, session)
    return made


def wheel(view, chart, at, turns):
    place = chart.mapTo(view.page.maps, at)
    delta = QPoint(0, round(120 * turns))
    event = QWheelEvent(
        QPointF(place), QPointF(view.page.maps.mapToGlobal(place)), QPoint(), delta, Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view.page.maps, event)


def ranges(view):
    """What the pictures show; the same of all three, up to the pixel that the room does not divide by."""
    found = np.array([np.ravel(p.panel.box.viewRange()) for p in view.page.maps._pictures])
    assert np.ptp(found, axis=0).max() < 0.2
    return found[0]


def test_zoom_is_shared_and_keeps_the_point_under_the_pointer(view):
    before = ranges(view)
    chart = view.page.maps.charts[1]
    at = chart.rect().center() + QPoint(30, 20)
    under = chart.hit(QPointF(at))
    wheel(view, chart, at, 4)
    settle(view)
    after = ranges(view)
    assert view.page.maps.zoomed == pytest.approx(1.25**4)
    assert after[1] - after[0] == pytest.approx((before[1] - before[0]) / 1.25**4)
    now = chart.hit(QPointF(at))
    assert (now.x, now.y) == pytest.approx((under.x, under.y), abs=0.2)
    wheel(view, chart, at, -40)
    np.testing.assert_allclose(ranges(view), before)
    assert view.page.maps.zoomed == 1


def test_a_drag_moves_all_three_and_a_double_click_shows_everything(view):
    whole = ranges(view)
    chart = view.page.maps.charts[0]
    middle = chart.rect().center()
    wheel(view, chart, middle, 5)
    zoomed = ranges(view)
    port = chart.viewport()
    QTest.mousePress(port, Qt.MouseButton.LeftButton, pos=middle)
    for step in (10, 20, 30):
        QTest.mouseMove(port, middle + QPoint(step, 0))
        QApplication.processEvents()
    QTest.mouseRelease(port, Qt.MouseButton.LeftButton, pos=middle + QPoint(30, 0))
    moved = ranges(view)
    assert moved[0] < zoomed[0]
    QTest.mouseDClick(port, Qt.MouseButton.LeftButton, pos=middle)
    np.testing.assert_allclose(ranges(view), whole)


def test_relative_difference_and_lines(view):
    plain = view.page.maps._pictures[2].scale.ends
    view.page.kind._take("relative")
    assert view.page.maps._pictures[2].scale.ends != plain
    assert "%" in view.page.maps._pictures[2].scale.ends[1]
    view.page.kind._take("lines")
    assert view.page.pictures.currentWidget() is view.page.lines
    a, b = view.found.sampled(view.channel)
    np.testing.assert_array_equal(view.page.lines.a.ys, a)
    np.testing.assert_array_equal(view.page.lines.d.ys, b - a)


def test_counts_are_logarithmic_or_linear(view):
    low, high = view.page.histogram.panel.box.viewRange()[1]
    view.page.scale._take("linear")
    counts = view.found.histogram(view.channel)
    assert view.page.histogram.panel.box.viewRange()[1][1] >= max(counts.reference.max(), counts.result.max()) > high
    assert view.page.histogram.caption._title == "Count by value"
    view.page.scale._take("log")
    assert tuple(view.page.histogram.panel.box.viewRange()[1]) == pytest.approx((low, high))


def test_levels_and_saturation_are_marked(session, view):
    captured = session.captured
    levels = Levels(0.02, 0.0, 1.0, 51)
    found = compare(captured.reference, captured.result, levels=levels)
    view._on_compared(captured, found)
    assert view.page.histogram.bars.levels == levels
    a, _ = found.sampled(view.channel)
    share = float((a > 1.01).mean())
    assert view.page.scatter.saturated.ends == pytest.approx((-0.01, 1.01))
    assert view.page.scatter.saturated.words == f"{share:.0%} saturate".replace("%", "\u202f%")
    row = next(f for f in view.page.statistics.sheet.errors if f.label == "Saturated")
    assert row.value.startswith(f"{float((captured.reference > 1.01).mean()) * 100:.0f}")


def test_a_dump_that_clips_shows_it_by_its_flat_end_and_dead_channels_by_a_foot(session, view):
    captured = session.captured
    a = captured.reference
    scale = float(a.max()) / 90
    b = (np.round(a / scale) * scale).clip(None, 60 * scale).astype(np.float32)
    b[:, 3] = 0.25
    view._on_compared(captured, compare(a, b))
    assert view.found.dead_channels == (3,)
    assert view.page.channels.bars.dead == (3,)
    assert view.page.sections["channels"].note.text() == "32 · 1 dead in B"
    row = next(f for f in view.page.statistics.sheet.values if f.label == "dead channels")
    assert (row.value, row.second, row.alarm) == ("0", "1", True)
    saturated = next(f for f in view.page.statistics.sheet.errors if f.label == "Saturated")
    share = float((a > 60.5 * scale).mean())
    assert float(saturated.value.split("\u202f")[0]) == pytest.approx(100 * share, rel=0.2)
    channel = int(np.argmax((a > 60.5 * scale).sum(axis=(0, 2, 3)) * (np.arange(a.shape[1]) != 3)))
    view.choose(channel)
    low, high = view.page.scatter.saturated.ends
    assert low == -np.inf
    assert high == pytest.approx(60.5 * scale, rel=0.02)
    assert "saturate" in view.page.scatter.saturated.words


def test_worst_elements_stand_with_their_index(session, view):
    captured = session.captured
    difference = np.abs(captured.result - captured.reference)
    index = tuple(int(i) for i in np.unravel_index(int(difference.argmax()), difference.shape))
    first = view.page.statistics.sheet.elements[0]
    assert difference[view.found.worst_elements[0].place] == difference.max()
    assert first.index.count(",") == len(index) - 1


def test_sides_are_named_and_swapped(session, view):
    assert source_words(session, REFERENCE, session.plan, session.current)[0] == "Reference"
    assert "int32" in source_words(session, EMULATED, session.plan, session.current)[1]
    menu = view.menus.menu(CURRENT, lambda source: None)
    checked = [a.text() for a in menu.actions() if a.isChecked()]
    assert checked == ["Plan INT4 tail"]
    menu.deleteLater()
    view.page.bar.swap.click()
    assert (session.comparing.a, session.comparing.b) == (CURRENT, REFERENCE)
    settle(view)
    assert view.page.bar.a.accessibleName().startswith("A: Plan INT4 tail")


def test_weights_are_asked_for(session, view):
    view.page.bar.what._take("weights")
    assert session.comparing.weights


def test_e_goes_to_where_the_error_starts(session, view):
    limit = session.budgets.min_sqnr_db
    bad = next(k for k in session.network.kernels
               if k.id in session.figures.evaluation.accumulated
               and session.figures.evaluation.accumulated[k.id].sqnr_db < limit)  # fmt: skip
    QTest.keyClick(view, Qt.Key.Key_E)
    assert session.current == bad.id


def test_a_note_about_the_dump_is_shown_in_full(qtbot, session, view):
    noted = replace(
        session.captured, notes=(say("{dump} was fed other inputs: the difference means little.", dump="d"),)
    )
    session.captured = noted
    view.draw()
    qtbot.waitUntil(lambda: view.pictured is noted)
    assert view.page.notice.isVisible()
    assert view.page.notice.text() == "d was fed other inputs: the difference means little."


def test_names_are_listed_and_corrected(qtbot, session, view, tmp_path):
    network = session.network
    last = network.kernels[-1]
    shape = network.tensors[last.outputs[0]].shape
    np.savez(tmp_path / "d.npz", **{"qqq": np.zeros(shape, np.float32), last.outputs[0]: np.ones(shape, np.float32)})
    path = str(tmp_path / "d.npz")
    session.comparing.open_dump(tmp_path / "d.npz")
    qtbot.waitUntil(lambda: path in session.comparing.dumps)
    assert session.comparing.a == Source("dump", path)
    assert match_words(session)[0] == "1 matched · 1 unmatched"
    settle(view)
    assert view.page.bar.matches.text() == "1 matched · 1 unmatched"
    view.menus.names_of_shown()
    dialog = next(w for w in QApplication.topLevelWidgets() if isinstance(w, NamesDialog))
    assert [row.name for row in dialog.model.rows] == ["qqq", last.outputs[0]]
    assert dialog.model.data(dialog.model.index(0, 2)) == "–"
    dialog.choice.setEditText("nothing of that name")
    dialog.set_button.click()
    assert dialog.problem.isVisible()
    dialog.choice.setCurrentIndex(dialog._keys.index((last.id, 0)))
    dialog.set_button.click()
    corrected = {m.tensor.name: m.how for m in session.comparing.dumps[path].matches if m.kernel}
    assert corrected["qqq"] == "user"
    dialog.close()
    assert open_dump(tmp_path / "d.npz").tensors[0].name == "qqq"


def test_emulated_kernels_are_said_to_compute_as_they_do():
    assert "int32" in emulated_words(INT8, "conv")
    assert "float sums" in emulated_words(INT4, "matmul"), "its activations stay floats"
    assert "rounded weights" in emulated_words(FP16, "conv")
    assert "looked up" in emulated_words(INT8, "embedding")
    wide = replace(INT8, weights=replace(INT8.weights, bits=16), activations=replace(INT8.activations, bits=16))
    assert "int64" in emulated_words(wide, "gemm")
