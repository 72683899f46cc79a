"""The Search panel and the Pareto plot."""

from dataclasses import replace

import pytest
from plot_hand import PlotHand, settle, show
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from engine.precision.plan import Plan
from engine.precision.scheme import BF16, FP16, INT4, INT8, W8A16
from engine.session.changes import What
from engine.session.state import Budgets
from engine.text import say
from gui.views.pareto import ParetoView
from gui.views.pareto_data import pareto_data
from gui.views.search import SearchView
from gui.views.search_form import SearchForm

W2 = replace(INT4, weights=replace(INT4.weights, bits=2))
LEFT = Qt.MouseButton.LeftButton
Key = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def panel(qtbot, session, theme):
    session.searches.fill()
    return show(qtbot, SearchView, session, theme, 318, 760)


@pytest.fixture
def plot(qtbot, session, theme):
    session.searches.fill()
    return show(qtbot, ParetoView, session, theme, 560, 420)


@pytest.fixture
def hand(plot):
    return PlotHand(plot)


# -- search ------------------------------------------------------------------------------------------------------------


def test_the_form_makes_what_is_wished_for(session, panel):
    form = panel.form
    for key, (on, field) in form.rows.items():
        on.setChecked(key in ("size_bytes", "min_sqnr_db", "accuracy_drop"))
        if on.isChecked():
            field.setValue({"size_bytes": 2.5, "min_sqnr_db": 21.0, "accuracy_drop": 1.5}[key])
    form.chips[W8A16].setChecked(True)
    form.chips[INT4].setChecked(False)
    form.agree.setChecked(False)
    QTest.mouseClick(panel.start, LEFT)
    (wishes,) = session.searches.asked
    assert wishes.size_bytes == 2.5 * 1024**2
    assert (wishes.min_sqnr_db, wishes.latency_us, wishes.goal) == (21.0, None, "damage")
    assert wishes.accuracy_drop == pytest.approx(0.015)
    drop = form.rows["accuracy_drop"][1]
    drop.setValue(250.0)
    assert drop.value() == 100.0  # nothing loses more than all
    assert set(wishes.schemes) == {FP16, W8A16, INT8}
    assert not wishes.agree
    settle(panel)
    assert panel.start.text() == "Stop"
    QTest.mouseClick(panel.start, LEFT)
    assert not session.searches.running


def test_bit_operations_are_a_limit_and_a_goal(session, panel):
    """AMCT's cost: the field starts at what the plan has, and a proposal says its own."""
    form = panel.form
    on, field = form.rows["operations"]
    now = sum(
        kernel.macs * session.plan.scheme(kernel.id).weights.bits * session.plan.scheme(kernel.id).activations.bits
        for kernel in session.network.tunable
    )
    assert field.value() == pytest.approx(now / 1e9, abs=1e-3)
    on.setChecked(True)
    field.setValue(1.5)
    form.goal.setCurrentIndex(form.goal.findData("operations"))
    wishes = form.wishes()
    assert (wishes.goal, wishes.operations, wishes.budgets.operations) == ("operations", 1.5e9, 1.5e9)
    good, bad = session.searches.proposals
    session.searches.proposals = (good, replace(bad, wishes=wishes, costs=replace(bad.costs, operations=2.25e9)))
    session.emit(What.SEARCH)
    settle(panel)
    assert "Bit operations: 2.250 G." in panel.sentences.text()


def test_a_limit_on_size_has_the_unit_of_the_model(qtbot, session, theme):
    """A model of some KiB is limited in KiB; the unit stays while somebody types, and what is kept is found again."""
    session.budgets = Budgets(None, None, None, 12_800, None, None)
    panel = show(qtbot, SearchView, session, theme, 318, 760)
    on, field = panel.form.rows["size_bytes"]
    assert on.isChecked()
    assert (field.text(), field.unit.text()) == ("12.5", "KiB")
    assert field.accessibleName().endswith("KiB")
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "2048.5")
    qtbot.keyClick(field, Key.Key_Tab)
    assert (field.text(), field.unit.text()) == ("2048.5", "KiB")
    assert panel.form.wishes().size_bytes == 2048.5 * 1024
    assert field.fontMetrics().horizontalAdvance(field.text()) <= field.lineEdit().contentsRect().width()
    other = show(qtbot, SearchView, session, theme, 318, 760)
    other.restore_state(panel.save_state())
    kept = other.form.rows["size_bytes"][1]
    assert (kept.text(), kept.unit.text()) == ("2.00", "MiB")
    other.restore_state({"limits": {"size_bytes": 0.5}})  # as kept before there were KiB
    assert (kept.text(), kept.unit.text()) == ("512.0", "KiB")


def test_nothing_moves_in_the_form_when_proposals_come(qtbot, session, theme):
    panel = show(qtbot, SearchView, session, theme, 318, 600)
    settle(panel)
    QApplication.processEvents()
    places = [field.y() for _, field in panel.form.rows.values()], panel.start.y()
    assert not any(rule.isVisible() for rule in panel._rules)  # nothing to part from anything
    session.searches.fill()
    session.emit(What.SEARCH)
    settle(panel)
    QApplication.processEvents()
    assert panel.rows
    assert panel._rules[0].isVisible()
    assert ([field.y() for _, field in panel.form.rows.values()], panel.start.y()) == places


def test_budgets_of_the_session_are_its_limits(qtbot, session, theme):
    session.budgets = Budgets(22.0, 3000.0, None, 3_145_728, None, None)
    panel = show(qtbot, SearchView, session, theme, 318, 760)
    wishes = panel.form.wishes()
    assert (wishes.latency_us, wishes.size_bytes, wishes.energy_uj) == (3000.0, 3_145_728, None)


def test_what_was_set_is_found_again(qtbot, session, panel, theme):
    panel.form.goal.setCurrentIndex(2)
    panel.form.rows["energy_uj"][0].setChecked(True)
    panel.form.rows["energy_uj"][1].setValue(1.25)
    panel.form.native.setChecked(False)
    wishes = panel.form.wishes()
    other = show(qtbot, SearchView, session, theme, 318, 760)
    other.restore_state(panel.save_state())
    assert other.form.wishes() == wishes
    other.restore_state({"goal": 7, "limits": "x", "schemes": None})
    assert other.form.wishes().goal == wishes.goal


def test_a_proposal_says_what_it_keeps_and_what_binds(session, panel):
    QTest.mouseClick(panel.rows[1], LEFT)
    words = panel.sentences.text()
    assert "All limits are kept." in words
    assert "predicted 22.5" in words
    assert "measured 22.1" in words
    assert "What holds it back: model size." in words
    assert panel.rows[1].isChecked()


def test_the_nearest_plan_says_what_it_misses(session, panel):
    words = panel.sentences.text()
    assert "this is the nearest" in words
    assert "latency by 25" in words
    assert "accuracy 70" in words
    session.searches.additive = False
    session.searches.changed()
    settle(panel)
    assert "don't add up" in panel.sentences.text()


def test_the_nearest_plan_says_which_kernels_keep_it_large(session, panel):
    held = (say("1 kernel(s) stay at FP16: {name}", name="model.0.auto_model.embeddings.word_embeddings_of_all"),)
    *others, last = session.searches.proposals
    session.searches.proposals = (*others, replace(last, overdrawn={"size_bytes": 2.0}, held=held))
    session.searches.changed()
    settle(panel)
    words = panel.sentences.text()
    assert "1 kernel(s) stay at FP16" in words
    assert "Only what the device runs natively" in words
    assert panel.rows[0].width() < panel.width(), "a long name makes nothing else wider"


def test_a_plan_below_a_uniform_one_says_why(session, panel):
    words = say("INT8 everywhere would reach 25.7")
    good, *others = session.searches.proposals
    session.searches.proposals = (*others, replace(good, beyond=words))
    session.searches.changed()
    settle(panel)
    assert "INT8 everywhere" in panel.sentences.text()


def test_a_plan_is_said_in_plain_words(session, panel):
    network = session.network
    names = {k.id: k.name for k in network.tunable}
    plan = Plan({i: FP16 if name.endswith(".dw") else INT8 for i, name in names.items()})
    words = [str(rule.text) for rule in session.searches.rules(plan)]
    assert words == ["All dw to FP16", "All else to INT8"]
    first = network.tunable[0]
    words = [str(rule.text) for rule in session.searches.rules(plan.with_schemes({first.id: INT4}))]
    assert f"{first.name} to INT4" in words
    covered = [kernel for rule in session.searches.rules(plan) for kernel in rule.kernels]
    assert sorted(covered) == sorted(names)
    assert [str(rule.text) for rule in session.searches.rules(Plan(dict.fromkeys(names, INT4)))] == ["All to INT4"]


def test_applying_is_one_step(session, panel):
    before = session.plan
    QTest.mouseClick(panel.apply, LEFT)
    assert session.plan == session.searches.proposals[1].plan
    assert "Proposal 2" in str(session.undo_step.title)
    settle(panel)
    assert not panel.apply.isEnabled()
    session.undo()
    assert session.plan == before


def test_steps_are_ordered_and_applied(session, panel):
    assert panel.steps[0].text().startswith(session.network.tunable[3].name)
    panel.order.set_current("time")
    panel.order.chosen.emit("time")
    assert "and 1 more" in panel.steps[1].text(), "a step that costs no time comes first"
    row = next(row for row in panel.steps if "and 1 more" in row.text())
    QTest.mouseClick(row, LEFT)
    both = [session.network.tunable[at].id for at in (4, 5)]
    assert {session.plan.scheme(kernel) for kernel in both} == {FP16}
    assert "hardly any gain" in panel.steps[0].accessibleName()


def test_a_measured_step_is_no_guess_and_may_be_a_loss(session, panel):
    first, *others = session.searches.steps
    assert "≈" in panel.steps[0].accessibleName()
    session.searches.steps = (replace(first, gain_db=-2.5, measured=True), *others)
    session.searches.changed()
    settle(panel)
    row = next(row for row in panel.steps if row.text().startswith(session.network.tunable[3].name))
    assert "≈" not in row.accessibleName()
    assert "−2.5" in row.accessibleName()
    assert panel.steps[0] is not row


def test_a_search_that_can_not_be_made_says_why(session, panel):
    session.searches.problem_text = say("The budget latency needs a device; choose one.")
    session.searches.changed()
    settle(panel)
    assert "choose one" in panel.state.text()


def test_without_a_model_nothing_can_be_started(qtbot, empty_session, theme):
    panel = show(qtbot, SearchView, empty_session, theme, 318, 600)
    assert not panel.start.isEnabled()
    assert "Open a model" in panel.state.text()


# -- pareto ------------------------------------------------------------------------------------------------------------


def place_of(plot, kind, at=0):
    places = [i for i, p in enumerate(plot.data.points) if p.kind == kind]
    return places[at]


def test_the_front_has_no_plan_that_another_beats(session):
    session.searches.fill()
    for x, y in (("latency_us", "sqnr_db"), ("size_bytes", "latency_us"), ("sqnr_db", "energy_uj")):
        data = pareto_data(session, x, y)
        sign = [-1 if axis == "sqnr_db" else 1 for axis in (x, y)]
        places = [tuple(s * v for s, v in zip(sign, data.place(p), strict=True)) for p in data.points]
        front = {tuple(s * v for s, v in zip(sign, place, strict=True)) for place in data.front()}
        beaten = {p for p in places if any(q != p and q[0] <= p[0] and q[1] <= p[1] for q in places)}
        assert front == set(places) - beaten


def test_a_click_applies_and_the_mark_compares(session, plot, hand):
    before = session.plan
    place = place_of(plot, "front", 2)
    point = plot.data.points[place]
    hand.click(*plot.data.place(point))
    assert session.plan == point.found.plan
    session.undo()
    assert session.plan == before
    settle(plot)
    base = plot.data.points[place_of(plot, "front", 0)]
    hand.click(*plot.data.place(base), keys=CONTROL)
    assert session.plan == before, "marking applies nothing"
    settle(plot)
    content = plot.describe(place_of(plot, "front", 3))
    assert content.note.startswith("compared with the marked plan")
    assert plot.data.points[plot.plans.marked].found is base.found


def test_the_keyboard_goes_along_the_points(session, plot, hand):
    hand.key(Key.Key_Home)
    assert plot.plans.keyed == 0
    hand.key(Key.Key_Right)
    hand.key(Key.Key_Right)
    assert plot.plans.keyed == 2
    point = plot.data.points[2]
    hand.key(Key.Key_Space)
    settle(plot)
    assert plot._marked is point.found
    wanted = next(i for i, p in enumerate(plot.data.points) if p.kind != "now" and p.found.plan != session.plan)
    plot.plans.keyed = wanted
    plan = plot.data.points[wanted].found.plan
    hand.key(Key.Key_Return)
    assert session.plan == plan


def test_axes_change_and_are_remembered(qtbot, session, plot, theme):
    plot.set_axis("across", "size_bytes")
    settle(plot)
    assert (plot.data.x, plot.data.y) == ("size_bytes", "sqnr_db")
    plot.set_axis("up", "size_bytes")
    assert (plot.across, plot.up) == ("sqnr_db", "size_bytes"), "never the same on both"
    other = show(qtbot, ParetoView, session, theme, 560, 420)
    other.restore_state(plot.save_state())
    assert (other.across, other.up) == ("sqnr_db", "size_bytes")
    other.restore_state({"x": "size_bytes", "y": "size_bytes"})
    assert (other.across, other.up) == ("sqnr_db", "size_bytes")


def test_the_table_twin_has_every_plan(session, plot):
    table = plot.table()
    assert len(table.rows) == len(plot.data.points) == len(session.searches.front) + 2 + 1
    assert {row[0] for row in table.rows} == {"front", "proposal", "now"}


def test_predicted_points_say_so(session, plot):
    place = next(i for i, p in enumerate(plot.data.points) if not p.measured)
    assert dict(plot.describe(place).rows)["Output SQNR"].startswith("≈")
    assert "measured" in plot.subtitle()


def test_an_empty_plot_offers_to_find_plans(qtbot, session, theme):
    session.make_stale(0)
    plot = show(qtbot, ParetoView, session, theme, 400, 300)
    assert plot.empty.isVisible()
    qtbot.mouseClick(plot.empty._button, LEFT)
    assert session.searches.explored
    session.emit(What.SEARCH)


def test_any_scheme_may_be_used(qtbot, session, panel, theme):
    """Schemes of the sweep stand among the chips; the last chip lists more."""
    form = panel.form
    session.sweeps.set_schemes([*session.sweeps.schemes, W2])
    settle(panel)
    assert W2 in form.chips
    assert not form.chips[W2].isChecked()
    menu = form.choose_more()
    next(a for a in menu.actions() if a.text() == "BF16").trigger()
    menu.hide()
    assert set(form.wishes().schemes) == {FP16, BF16, INT8, INT4}
    assert form.chips[BF16].accessibleName() == "BF16"
    other = show(qtbot, SearchView, session, theme, 318, 760)
    other.restore_state(panel.save_state())
    assert set(other.form.wishes().schemes) == {FP16, BF16, INT8, INT4}
    other.restore_state({"schemes": ["INT8", "nonsense", 3]})
    assert other.form.wishes().schemes == (INT8,)


def test_typing_into_a_limit_ticks_it_and_the_wheel_only_scrolls_the_form(qtbot, session):
    form = SearchForm(session)
    qtbot.addWidget(form)
    form.show()
    on, field = form.rows["latency_us"]
    assert field.isEnabled()
    assert not on.isChecked()
    field.show_amount(1000.0)
    assert not on.isChecked(), "what the form writes itself ticks nothing"
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "2.5")
    assert on.isChecked()
    assert field.amount() == pytest.approx(2500.0)
    assert field.property("idle") is False
