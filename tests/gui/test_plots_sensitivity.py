from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from cut_texts import cut_texts
from fake_sweeps import estimates_without, output_figures
from plot_hand import SHIFT, PlotHand, settle, show
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from engine.precision.scheme import BF16, FP16, INT4, INT8, W4A8, W8A16
from engine.session.changes import What
from engine.session.sweeps import OneOut
from engine.text import say
from engine.tuning.metrics import Metric
from gui.bridge import hub
from gui.i18n import set_language
from gui.paint import map_color
from gui.theme import LIGHT
from gui.views import sensitivity_layers as layers
from gui.views.ranking import RankingView
from gui.views.ranking_model import KERNEL, VALUE, RankingModel, ranking
from gui.views.scheme_dialog import SchemeDialog
from gui.views.sensitivity import SensitivityView
from gui.views.sensitivity_data import Reasons, blocks, height, scheme_order, sensitivity_map
from gui.views.sensitivity_layers import cell_rect

Key = Qt.Key
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def view(qtbot, session, theme):
    return show(qtbot, SensitivityView, session, theme, 1118, 297)


@pytest.fixture
def hand(view):
    return PlotHand(view)


def spot(view, scheme, column):
    """Data coordinates of the middle of a cell."""
    row = view.data.schemes.index(scheme)
    return column + 0.5, len(view.data.schemes) - row - 0.5


def test_rows_go_from_fine_to_coarse():
    assert scheme_order([INT4, W4A8, FP16, INT8, W8A16]) == (FP16, W8A16, INT8, INT4, W4A8)


def test_the_colour_scale_is_fixed_and_logarithmic(session):
    cell = next(iter(session.sensitivity.values()))
    assert height(replace(cell, kl=1e-5), "kl") == 0
    assert height(replace(cell, kl=1e-3), "kl") == pytest.approx(0.5)
    assert height(replace(cell, kl=5.0), "kl") == 1
    assert height(replace(cell, kl=None), "kl") is None
    assert height(replace(cell, kl=0.0), "kl") == 0
    assert height(replace(cell, logits_db=10.0), "logits") == 1
    assert height(replace(cell, top1=1.0), "top1") == 1
    assert height(replace(cell, sqnr_db=35.0), "sqnr") == pytest.approx(0.5)
    assert height(replace(cell, sqnr_db=float("inf")), "sqnr") == 0


def test_blocks_are_named_by_their_number():
    names = ["features.0", "features.1.dw", "features.1.project", "classifier.1", "head"]
    assert blocks(names) == [("0", 0, 0), ("1", 1, 2), ("classifier", 3, 3), ("head", 4, 4)]
    assert blocks(["model.layers.0.q", "model.layers.0.k", "model.layers.1.q", "lm_head"]) == [
        ("0", 0, 1), ("1", 2, 2), ("lm_head", 3, 3),
    ]  # fmt: skip


@pytest.mark.parametrize("width", [640, 820, 1118])
def test_labels_below_the_map_are_whole_and_apart(session, view, monkeypatch, width):
    drawn = []
    monkeypatch.setattr(layers, "plain_text", lambda _, rect, text, *more: drawn.append((rect, text)))
    view.blocks.set([(str(c), c, c) for c in range(len(view.data.ids))], ["x" * 40] * len(view.data.ids))
    view.resize(width, 297)
    settle(view)
    drawn.clear()
    view.chart.grab()
    mine = [(rect, text) for rect, text in drawn if text.isdigit()]
    area = view.panel.box.frame().area
    assert len(mine) >= 5
    assert all(area.left() <= r.left() and r.right() <= area.right() + 2 for r, _ in mine)
    assert all(b.left() - a.right() >= 3 for (a, _), (b, _) in pairwise(mine))


def test_a_cell_has_the_colour_of_its_error(session, view, hand):
    kernel = view.data.ids[20]
    for scheme in (INT8, FP16):
        expected = map_color(LIGHT.heat, round(height(session.sensitivity[kernel, scheme], "kl") * 255) / 255)
        got = hand.color(*spot(view, scheme, 20), dy=18)
        assert max(abs(a - b) for a, b in zip(got.getRgb(), expected.getRgb(), strict=True)) <= 2


def test_a_click_applies_the_cell_as_one_step(session, view, hand):
    kernel = view.data.ids[30]
    assert session.plan.scheme(kernel) != INT4
    hand.click(*spot(view, INT4, 30))
    assert session.plan.scheme(kernel) == INT4
    assert session.current == kernel
    assert view.data.plan_rows[30] == view.data.schemes.index(INT4)
    session.undo()
    settle(view)
    assert view.data.plan_rows[30] == view.data.schemes.index(INT8)


def test_shift_click_only_selects(session, view, hand):
    plan = session.plan
    hand.click(*spot(view, INT4, 12), keys=SHIFT)
    assert session.plan == plan
    assert session.current == view.data.ids[12]


def test_a_locked_kernel_keeps_its_scheme(qtbot, session, view, hand):
    kernel = view.data.ids[12]
    session.set_locked([kernel], True)
    settle(view)
    plan = session.plan
    assert "locked" in view.describe((view.data.schemes.index(INT4), 12)).note
    hand.click(*spot(view, INT4, 12))
    assert session.plan == plan


def test_the_keyboard_moves_a_cursor_and_applies(session, view, hand):
    hand.click(*spot(view, INT8, 10), keys=SHIFT)
    hand.key(Key.Key_Right)
    hand.key(Key.Key_Down)
    assert view.cursors.keyed == (view.data.schemes.index(INT4), 11)
    hand.key(Key.Key_Space)
    assert session.current == view.data.ids[11]
    assert session.plan.scheme(view.data.ids[11]) != INT4
    hand.key(Key.Key_Return)
    assert session.plan.scheme(view.data.ids[11]) == INT4


def test_the_card_says_what_is_known_and_what_a_click_does(qtbot, session, view, hand):
    column = next(c for c in range(30) if view.data.reasons[view.data.schemes.index(INT4)][c] is not None)
    content = hand.rest(qtbot, *spot(view, INT4, column))
    rows = dict(content.rows)
    assert content.title.endswith(f"  {view.data.names[column]}")
    assert rows["device"] == "This phone has no INT4 depthwise convolution."
    assert "KL, measured" in rows
    assert "KL, estimate" not in rows
    assert content.note.startswith("click to apply")


def test_the_price_of_a_cell_comes_from_a_simulation(qtbot, session, view, hand):
    hand.rest(qtbot, *spot(view, INT4, 30))
    qtbot.waitUntil(lambda: not session.jobs.active, timeout=5000)
    plan = session.plan.with_schemes({view.data.ids[30]: INT4})
    assert view.pricer.known(plan) is not None or session.jobs.history[-1].state == "failed"


def test_cells_outside_the_device_and_unknown_cells_look_their_part(session, view, hand):
    row = view.data.schemes.index(INT4)
    del session.sensitivity[view.data.ids[5], INT8]
    refused = next(c for c in range(50) if view.data.reasons[row][c] is not None)
    del session.sensitivity[view.data.ids[refused], INT4]
    session.emit(What.SENSITIVITY)
    settle(view)
    assert np.isnan(view.data.heights()[view.data.schemes.index(INT8), 5])
    assert hand.color(*spot(view, INT8, 5), dy=18) == LIGHT.panel
    assert hand.color(*spot(view, INT4, refused), dy=18) == LIGHT.sunken


def test_the_plan_is_outlined(session, view, hand):
    column = 20
    row = view.data.plan_rows[column]
    box = cell_rect(view.panel.box.frame(), len(view.data.schemes), row, column)
    at = view.panel.scene_area().topLeft() + box.topLeft()
    picture = view.chart.grab().toImage()
    edge = [picture.pixelColor(round(at.x() + d), round(at.y() + box.height() / 2)) for d in range(3)]
    assert min(c.lightness() for c in edge) < 60


def test_a_sweep_is_started_and_stopped(qtbot, session, theme):
    cells = dict(session.sensitivity)
    session.sensitivity.clear()
    view = show(qtbot, SensitivityView, session, theme, 700, 297)
    assert view.empty.isVisible()
    assert "53 kernels" in view.empty._sentence.text()
    qtbot.mouseClick(view.empty._button, LEFT)
    settle(view)
    assert session.sweeping
    assert view.chart.isVisible()
    session.sensitivity.update(list(cells.items())[:40])
    session.sweeps.done, session.sweeps.total, session.sweeps.seconds_left = 40, 159, 7.2
    session.emit(What.SENSITIVITY)
    settle(view)
    assert "measured 40 of 159 · 0:07 left" in view.subtitle()
    run, stop = view.controls.run, view.controls.stop
    for button in view.header_widgets():
        qtbot.addWidget(button)
        button.show()
    assert run.accessibleName() == "Pause the sweep"
    QTest.mouseClick(run, LEFT)
    settle(view)
    assert session.sweeps.paused
    assert "paused" in view.subtitle()
    assert run.accessibleName() == "Go on with the sweep"
    QTest.mouseClick(run, LEFT)
    assert session.sweeping
    assert not session.sweeps.paused
    QTest.mouseClick(stop, LEFT)
    assert not session.sweeping
    settle(view)
    assert run.accessibleName() == "Measure exactly, the worst by estimate first"


def test_the_map_says_why_there_is_no_estimate(qtbot, session, theme):
    session.sensitivity.clear()
    session.sweeps.why_no_estimate = say("The model's outputs are integers.")
    view = show(qtbot, SensitivityView, session, theme, 700, 297)
    assert "integers" in view.empty._sentence.text()
    session.sweeps.why_no_estimate = None
    view.controls.question.set_current("one-out")
    view.controls.changed.emit()
    settle(view)
    assert "around this plan" in view.empty._sentence.text()
    qtbot.mouseClick(view.empty._button, LEFT)
    assert session.sweeps.mode == "one-out"


def test_kernels_without_an_estimate_say_so(session, view):
    kernel = view.data.ids[7]
    for scheme in (FP16, INT8, INT4):
        del session.sensitivity[kernel, scheme]
    session.sweeps.estimates = estimates_without(session, kernel)
    session.emit(What.SENSITIVITY)
    settle(view)
    assert kernel in view.data.blocked
    assert "no estimate" in [key.text for key in view.caption._keys]
    rows = dict(view.describe((0, 7)).rows)
    assert rows["no estimate"] == "There is no rule for GridSample."


def test_the_header_says_how_many_probes_an_estimate_comes_from(session, view):
    session.sweeps.running = False
    session.sensitivity = {key: replace(cell, kind="estimated") for key, cell in session.sensitivity.items()}
    table = estimates_without(session, view.data.ids[7])
    for session.sweeps.estimates, words in ((table, "1 probe a sample"), (replace(table, probes=3), "3 probes a samp")):
        session.emit(What.SENSITIVITY)
        settle(view)
        assert words in view.subtitle()
    session.sweeps.estimates = replace(table, unit_vectors=True)
    session.emit(What.SENSITIVITY)
    settle(view)
    assert "probe" not in view.subtitle()


def test_one_out_shows_what_restoring_wins(session, view):
    ids = view.data.ids
    out = {ids[3]: output_figures(23.0, 0.004), ids[4]: output_figures(20.0, 0.008)}
    session.sweeps.one_out = OneOut(session.plan, output_figures(20.0, 0.008), out)
    view.controls.question.set_current("one-out")
    view.controls.changed.emit()
    settle(view)
    assert view.data.gains[3] == pytest.approx(10 * np.log10(2))
    assert view.data.gains[4] == pytest.approx(0)
    assert view.data.known == 2
    assert dict(view.describe((view.data.plan_rows[3], 3)).rows)["restored, the output wins"].startswith("+3.0")
    assert not view.caption._title.startswith("≈")
    session.set_scheme([ids[9]], FP16)
    settle(view)
    assert view.caption._title.startswith("≈"), "of an older plan"
    rows = ranking(session, "now", "one-out")
    assert [row.kernel for row in rows[:2]] == [ids[3], ids[4]]
    assert rows[2].gain_db is None


def test_columns_are_sorted_and_filtered(qtbot, session, view):
    everything = view.data.ids
    view.sort(INT4)
    settle(view)
    places = view.data.heights()[view.data.schemes.index(INT4)]
    assert list(places) == sorted(places, reverse=True)
    assert view.data.ids != everything
    view.sort(INT4)
    settle(view)
    assert view.data.ids == everything
    view.filter.setText("project")
    qtbot.waitUntil(lambda: not view.filter._timer.isActive())
    settle(view)
    assert 0 < len(view.data.ids) < len(everything)
    assert all("project" in name for name in view.data.names)
    view.filter.setText("nothing like that")
    qtbot.waitUntil(lambda: not view.filter._timer.isActive())
    settle(view)
    assert view.empty.isVisible()


def test_a_drag_selects_and_a_click_then_sets_them_all(session, view, hand):
    hand.drag(spot(view, INT4, 30)[0], spot(view, INT4, 33)[0])
    chosen = view.data.ids[30:34]
    assert session.selection == chosen
    assert view.cursors.selected == (30, 31, 32, 33)
    assert "4 selected" in view.describe((view.data.schemes.index(FP16), 31)).note
    hand.click(*spot(view, FP16, 31))
    assert {session.plan.scheme(kernel) for kernel in chosen} == {FP16}
    assert session.selection == chosen
    session.undo()
    assert {session.plan.scheme(kernel) for kernel in chosen} != {FP16}


def test_without_kl_the_map_shows_sqnr(session, view):
    session.sweeps.set_metric(Metric.SQNR)
    settle(view)
    assert view.data.metric == "sqnr"
    assert "SQNR" in view.caption._title


def test_estimates_are_marked(session, view):
    kernel = view.data.ids[3]
    session.sensitivity[kernel, W8A16] = replace(session.sensitivity[kernel, INT8], scheme=W8A16, kind="estimated")
    session.sweeps.set_schemes([*session.sweeps.schemes, W8A16])
    settle(view)
    assert W8A16 in view.data.schemes
    assert "estimate only" in [key.text for key in view.caption._keys]
    assert dict(view.describe((view.data.schemes.index(W8A16), 3)).rows)["KL, estimate"].startswith("≈")


def test_a_scheme_of_the_plan_has_a_row_even_before_it_is_measured(session):
    session.plan = session.plan.with_schemes({session.network.tunable[0].id: W4A8})
    assert W4A8 in sensitivity_map(session, Reasons()).schemes


def test_hover_is_shared(session, view):
    kernel = view.data.ids[9]
    hub.hover(kernel, "LayersView")
    hub.settle()
    assert view.cursors.hovered == (view.data.plan_rows[9], 9)
    hub.hover(None, "LayersView")


def test_the_table_has_every_measured_cell(session, view):
    table = view.table()
    assert len(table.rows) == len(session.sensitivity)
    in_plan = [row for row in table.rows if row[-1] == "yes"]
    assert len(in_plan) == len(session.network.tunable)


# -- ranking -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def ranked(qtbot, session, theme):
    return show(qtbot, RankingView, session, theme, 538, 400)


def test_worst_comes_first(session, ranked):
    values = [row.cell.kl for row in ranked.model.rows]
    assert values == sorted(values, reverse=True)
    session.sweeps.metric = Metric.SQNR
    by_sqnr = ranking(session, "INT8")
    assert [r.cell.sqnr_db for r in by_sqnr] == sorted(r.cell.sqnr_db for r in by_sqnr)
    assert max(r.bar for r in by_sqnr) == 1


def test_unmeasured_kernels_come_last(session):
    missing = session.network.tunable[7].id
    del session.sensitivity[missing, INT8]
    rows = ranking(session, "INT8")
    assert rows[-1].kernel == missing
    assert rows[-1].cell is None


def test_measured_and_estimated_figures_never_share_a_ranking(session, ranked):
    ids = [k.id for k in session.network.tunable]
    for kernel, kl in ((ids[3], 5.0), (ids[4], 9.0)):
        session.sensitivity[kernel, INT8] = replace(session.sensitivity[kernel, INT8], kl=kl, kind="estimated")
    rows = ranking(session, "INT8", "one-in")
    assert [row.kernel for row in rows[-2:]] == [ids[4], ids[3]], "behind all that was measured, worst estimate first"
    assert all(row.cell is None and row.guess.kind == "estimated" for row in rows[-2:])
    ranked.choose("INT8")
    settle(ranked)
    assert ranked.question == "estimated", "not all of INT8 has been measured"
    ranked.ask("one-in")
    settle(ranked)
    assert ranked.model.rank(len(rows) - 1) == "–"
    assert ranked.model.value(ranked.model.rows[-1]).startswith("≈")
    assert ranked.model.value(ranked.model.rows[0])[0] != "≈"
    guesses = ranking(session, "INT8", "estimated")
    assert [row.kernel for row in guesses[:2]] == [ids[4], ids[3]]
    assert all(row.cell is None for row in guesses[2:])


def test_the_worst_are_raised_with_their_price_first(qtbot, session, ranked):
    bar = ranked.raise_bar
    bar.slider.setValue(4)
    plan = session.plan
    wanted = [row.kernel for row in ranked.model.rows if session.plan.scheme(row.kernel) != FP16][:4]
    assert session.plan == plan, "nothing happens before the click"
    assert "output SQNR" in bar.preview.text()
    qtbot.waitUntil(lambda: not session.jobs.active, timeout=5000)
    qtbot.addWidget(bar)
    bar.show()
    QTest.mouseClick(bar.apply, LEFT)
    assert set(session.plan.difference(plan)) == set(wanted)
    assert {session.plan.scheme(kernel) for kernel in wanted} == {FP16}
    assert bar.slider.value() == 0
    QTest.mouseClick(bar.apply, LEFT)
    assert set(session.plan.difference(plan)) == set(wanted), "a second click raises no others"
    session.undo()
    assert session.plan == plan


def test_rows_and_session_share_the_selection(session, ranked):
    place = ranked.list.visualRect(ranked.model.index(2, 1)).center()
    ranked.list.scrollToTop()
    place = ranked.list.visualRect(ranked.model.index(2, 1)).center()
    QTest.mouseClick(ranked.list.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, place)
    assert session.selection == (ranked.model.rows[2].kernel,)
    wanted = ranked.model.rows[9].kernel
    session.select((wanted,), wanted, who="LayersView")
    settle(ranked)
    assert [i.row() for i in ranked.list.selectionModel().selectedRows()] == [9]


def test_what_is_ranked_can_be_chosen(session, ranked):
    menu = ranked.choice.open_menu()
    next(action for action in menu.actions() if action.text() == "INT4").trigger()
    menu.close()
    settle(ranked)
    kernel = ranked.model.rows[0].kernel
    assert ranked.model.rows[0].cell == session.sensitivity[kernel, INT4]


@pytest.mark.parametrize("words", ["en", "zh"])
def test_titles_have_room_whatever_is_ranked_by(session, qtbot, theme, words):
    set_language(words)
    view = show(qtbot, RankingView, session, theme, 488, 300)
    before = view.list.columnWidth(VALUE)
    for metric in ("logits", "kl", "cosine", "top1"):
        view.model.show(view.model.rows, metric, "one-in")
        assert cut_texts(view.list) == [], metric
    view.model.show(view.model.rows, "sqnr", "estimated")
    assert view.list.columnWidth(VALUE) <= before + 1
    assert view.list.columnWidth(KERNEL) > 120


def test_the_ranking_model_keeps_qts_rules(session, qtmodeltester):
    model = RankingModel()
    model.show(ranking(session, "now"), "kl")
    qtmodeltester.check(model)


def test_the_ranking_needs_a_sweep(qtbot, session, theme):
    session.sensitivity.clear()
    view = show(qtbot, RankingView, session, theme, 400, 300)
    qtbot.mouseClick(view.empty._button, LEFT)
    assert session.sweeping


def test_the_ranking_is_exported(session, ranked, tmp_path):
    ranked.exporter.save("csv", tmp_path / "r.csv")
    lines = (tmp_path / "r.csv").read_text("utf-8-sig").splitlines()
    assert len(lines) == 54
    assert lines[1].startswith("1,")


def test_the_header_says_that_all_is_measured_and_not_how_long_the_estimate_took(session, view):
    session.sweeps.running = False
    cells = session.sensitivity
    session.sensitivity = {key: replace(cell, kind="exact") for key, cell in cells.items()}
    session.emit(What.SENSITIVITY)
    settle(view)
    assert "all cells measured" in view.subtitle()
    assert "estimated in" not in view.subtitle()
    key = next(iter(cells))
    session.sensitivity = session.sensitivity | {key: replace(cells[key], kind="estimated")}
    session.emit(What.SENSITIVITY)
    settle(view)
    assert "all cells measured" not in view.subtitle()


def test_any_scheme_gets_a_row_from_the_menu_and_loses_it_there(session, view):
    """BF16 stands ready; what doesn't is put together."""

    menus = []

    def listed():
        menus.append(QMenu())
        view.fill_menu(menus[-1])
        return next(m for m in menus[-1].findChildren(QMenu) if m.title() == "Schemes to sweep")

    schemes = listed()
    next(a for a in schemes.actions() if a.text() == "BF16").trigger()
    settle(view)
    assert BF16 in view.data.schemes
    schemes = listed()
    assert next(a for a in schemes.actions() if a.text() == "BF16").isChecked()
    schemes.actions()[-1].trigger()
    dialog = next(w for w in view.window().findChildren(SchemeDialog) if w.isVisible())
    assert dialog.editor.method.isHidden()
    dialog.editor.show_scheme(replace(INT4, weights=replace(INT4.weights, bits=2, group=16), method="gptq"))
    dialog.accept()
    settle(view)
    added = replace(INT4, weights=replace(INT4.weights, bits=2, group=16))
    assert session.sweeps.schemes[-2:] == (BF16, added)
    kept = view.save_state()
    schemes = listed()
    next(a for a in schemes.actions() if a.text() == "BF16").trigger()
    settle(view)
    assert BF16 not in view.data.schemes
    view.restore_state({**kept, "schemes": [*kept["schemes"], "int5", 7]})
    assert session.sweeps.schemes[-2:] == (BF16, added)


def test_the_ranking_takes_any_scheme_that_is_swept(session, ranked):
    session.sweeps.set_schemes([*session.sweeps.schemes, BF16])
    menu = QMenu()
    ranked._fill_choices(menu)
    next(a for a in menu.actions() if a.text() == "BF16").trigger()
    settle(ranked)
    assert ranked.save_state()["choice"] == "BF16"
    ranked.restore_state({"choice": "INT8"})
    assert ranked.chosen == "INT8"
    ranked.restore_state({"choice": "nonsense"})
    assert ranked.chosen == "INT8"
