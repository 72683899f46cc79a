"""Measured and Jitter: what a device took beside the simulation, the fit, and what a list of latencies says."""

import numpy as np
import pytest
from cut_texts import cut_texts
from plot_hand import settle, show
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from gui.views.jitter import BINS, JitterView, percentile_labels
from gui.views.measured import MeasuredView
from gui.views.measured_fit import FitDialog
from gui.views.measured_model import rest_words, summary_words
from gui.views.names_dialog import NamesDialog
from gui.views.usage import UsageView

N = "\u202f"


@pytest.fixture
def profiled(session, tmp_path, qtbot):
    """A phone took twice as long as simulated, and ran one operator that nobody knows."""
    rows = [f"{k.outputs[0]},{2 * c.latency_us}" for k, c in
            zip(session.network.kernels, session.figures.simulation.kernels, strict=True) if c.latency_us]  # fmt: skip
    (tmp_path / "p.csv").write_text("name,time(us)\n" + "\n".join([*rows, "zebra,3"]))
    session.measurements.open_profile(tmp_path / "p.csv")
    qtbot.waitUntil(lambda: bool(session.measurements.profiles))
    return session


def test_without_a_profile_the_next_step_is_offered(qtbot, session, theme):
    view = show(qtbot, MeasuredView, session, theme, 400, 300)
    assert view.empty.isVisible()
    session.close_model()
    settle(view)
    assert view.empty.isVisible()


def test_kernels_stand_worst_first_with_their_ratio(qtbot, profiled, theme):
    view = show(qtbot, MeasuredView, profiled, theme, 400, 400)
    assert view.list.isVisible()
    rows = view.model.rows
    gaps = [abs(r.measured_us - r.simulated_us) for r in rows]
    assert gaps == sorted(gaps, reverse=True)
    assert {view.model.data(view.model.index(i, 3)) for i in range(len(rows))} == {"2.00×"}
    found = profiled.measurements.measured()
    assert "median ratio 2.00×" in summary_words(found)
    assert "1 operator(s) of no kernel, 3.0" in rest_words(found) or "1 operator of no kernel, 3.0" in rest_words(found)
    assert view.rest.text() == rest_words(found)
    assert len(view.table().rows) == len(rows)


def test_a_click_selects_the_kernel(qtbot, profiled, theme):
    view = show(qtbot, MeasuredView, profiled, theme, 400, 400)
    at = view.list.visualRect(view.model.index(1, 0)).center()
    qtbot.mouseClick(view.list.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert profiled.selection == (view.model.rows[1].kernel,)


def test_names_of_operators_are_corrected(qtbot, profiled, theme):
    view = show(qtbot, MeasuredView, profiled, theme, 400, 400)
    dialog = view.show_names()
    assert isinstance(dialog, NamesDialog)
    assert dialog.model.rows[0].name == "zebra"
    dialog.choice.setCurrentIndex(1)
    dialog.set_button.click()
    assert profiled.measurements.measured().unmatched_us == 0
    dialog.close()


def test_a_fit_is_shown_and_used_only_on_request(qtbot, profiled, theme, tmp_path):
    view = show(qtbot, MeasuredView, profiled, theme, 400, 400)
    device = profiled.device
    view.fit_button.click()
    qtbot.waitUntil(lambda: profiled.measurements.fit is not None, timeout=60_000)
    qtbot.waitUntil(lambda: any(isinstance(w, FitDialog) for w in QApplication.topLevelWidgets()))
    dialog = next(w for w in QApplication.topLevelWidgets() if isinstance(w, FitDialog))
    assert profiled.device is device
    assert "±" in dialog.sentence.text()
    dialog.save(str(tmp_path / "missing" / "d.json"))
    assert dialog.problem.isVisible()
    dialog.save(str(tmp_path / "d.json"))
    assert profiled.device.name.endswith("fitted")


def test_jitter_tells_what_disturbs(qtbot, session, theme, tmp_path):
    view = show(qtbot, JitterView, session, theme, 700, 400)
    assert view.empty.isVisible()
    values = 1000 + np.random.default_rng(0).normal(0, 5, 300)
    values[77] = 3000
    (tmp_path / "l.txt").write_text("\n".join(map(str, values)))
    session.measurements.open_latencies(tmp_path / "l.txt")
    qtbot.waitUntil(lambda: session.measurements.jitter is not None, timeout=30_000)
    settle(view)
    assert "run 78" in view.advice.text()
    assert f"worst 3.00{N}ms" in view.figures.text()
    np.testing.assert_allclose(view.line.ys, values / 1000)
    assert view.bars.counts.sum() == 300
    assert view.table().rows[77][2] == "outlier"
    session.close_model()
    settle(view)
    assert not view.empty.isVisible()


def test_both_plots_of_jitter_have_their_own_table(qtbot, session, theme, tmp_path):
    view = show(qtbot, JitterView, session, theme, 700, 400)
    view.activateWindow()
    values = 1000 + np.random.default_rng(0).normal(0, 5, 300)
    values[77] = 3000
    (tmp_path / "l.txt").write_text("\n".join(map(str, values)))
    session.measurements.open_latencies(tmp_path / "l.txt")
    qtbot.waitUntil(lambda: session.measurements.jitter is not None, timeout=30_000)
    settle(view)
    for chart, header, rows in (
        (view.bins, ("from_us", "to_us", "runs"), BINS),
        (view.runs, ("run", "latency_us"), 300),
    ):
        chart.setFocus(Qt.FocusReason.TabFocusReason)
        view.toggle_table()
        assert view.twin.hasFocus()
        assert view.twin.rows.table.header[: len(header)] == header
        assert view.twin.rows.rowCount() == rows
        view.toggle_table()
        assert chart.hasFocus()
    found = view.bins_table().rows
    np.testing.assert_array_equal([row[2] for row in found], view.bars.counts)
    np.testing.assert_allclose([row[0] / 1000 for row in found], view.bars.edges[:-1])
    assert sum(row[2] for row in found) == 300
    assert found[-1][1] == 3000  # what the last bar holds beyond the end of the axis
    view.exporters[view.bins].save("csv", tmp_path / "b.csv")
    assert len((tmp_path / "b.csv").read_text("utf-8-sig").splitlines()) == 1 + BINS


def test_charts_of_jitter_have_the_unit_of_its_figures(qtbot, session, theme, tmp_path):
    view = show(qtbot, JitterView, session, theme, 700, 400)
    assert "in µs" in view.empty._sentence.text()  # what a number without a unit is taken for
    values = np.linspace(5.0, 6.0, 100)
    (tmp_path / "l.txt").write_text("\n".join(map(str, values)))
    session.measurements.open_latencies(tmp_path / "l.txt")
    qtbot.waitUntil(lambda: session.measurements.jitter is not None, timeout=30_000)
    settle(view)
    assert f"median 5.5{N}µs" in view.figures.text()
    assert view.runs_caption._title == "Latency by run, µs"
    assert view.bins_caption._title == "Runs by latency, µs"
    np.testing.assert_allclose(view.line.ys, values)


@pytest.mark.parametrize("kind", [MeasuredView, UsageView])
def test_names_stay_whole_before_bars_do(qtbot, profiled, theme, kind):
    view = show(qtbot, kind, profiled, theme, 326, 330)
    header = view.list.horizontalHeader()
    (bar,) = view._spare
    narrow, name = header.sectionSize(bar), 0 if kind is MeasuredView else 1
    view.resize(600, 330)
    settle(view)
    assert header.sectionSize(bar) > narrow
    assert header.sectionSize(name) > 150
    view.resize(326, 330)
    settle(view)
    assert header.sectionSize(bar) == narrow
    assert header.sectionSize(name) >= 85


def test_jitter_is_whole_in_a_narrow_panel(qtbot, session, theme, tmp_path):
    values = 1000 + np.random.default_rng(0).normal(0, 5, 300)
    values[77] = 3000
    (tmp_path / "l.txt").write_text("\n".join(map(str, values)))
    session.measurements.open_latencies(tmp_path / "l.txt")
    qtbot.waitUntil(lambda: session.measurements.jitter is not None, timeout=30_000)
    view = show(qtbot, JitterView, session, theme, 326, 320)
    assert cut_texts(view) == []
    assert view.charts.orientation() is Qt.Orientation.Vertical
    assert min(view.runs.height(), view.bins.height()) >= 128
    assert (view.bars.counts[:-1] > 0).sum() > 20  # one run that takes three times as long squeezes nothing
    view.resize(500, 600)
    settle(view)
    assert view.charts.mapTo(view, view.charts.rect().bottomRight()).y() < 600  # all is in sight
    view.resize(700, 500)
    settle(view)
    assert view.charts.orientation() is Qt.Orientation.Horizontal
    assert cut_texts(view) == []


def test_percentiles_that_are_close_share_a_label():
    assert percentile_labels([(90.5, 50), (84.5, 95), (60.5, 99)]) == [(84.5, "p50, p95"), (60.5, "p99")]
