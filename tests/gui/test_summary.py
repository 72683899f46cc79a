from dataclasses import replace
from math import inf, log10
from types import SimpleNamespace

import pytest
from fakes import FakeSession, running_job
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from engine.precision.scheme import FP16, INT4, INT8, family
from engine.session.changes import What
from engine.session.state import Budgets, Staleness
from engine.text import say
from engine.tuning.metrics import Metric
from gui.i18n import set_language
from gui.theme import DARK, LIGHT
from gui.views.price import Price
from gui.views.session_view import EDIT_LEAD_MS, FRAME_MS
from gui.views.summary import SummaryView
from gui.views.summary_cards import cards, state_of
from gui.views.summary_fix import Fix, cheapest, proposals, relative_noise
from gui.views.summary_mix import strip_words, strips
from gui.views.summary_notes import _family_parts
from gui.views.summary_verdict import statement

N, M = "\u202f", "\u2212"


@pytest.fixture
def view(session: FakeSession, qtbot):
    made = SummaryView(session, LIGHT)
    qtbot.addWidget(made)
    made.resize(322, 780)
    made.show()
    qtbot.waitExposed(made)
    made.refresh_now()
    yield made
    made.dispose()


def card(session, key):
    return next(c for c in cards(session) if c.key == key)


def wide(session, **budgets):
    """Budgets that everything holds, except what is given."""
    session.set_budgets(Budgets(**{"min_sqnr_db": 1.0, "max_skin_c": 90.0, "max_latency_us": 1e9, **budgets}))


@pytest.mark.parametrize(
    ("key", "value", "limit", "band", "state"),
    [
        ("sqnr", 21.9, 22.0, 0.0, "missed"),
        ("sqnr", 22.0, 22.0, 0.0, "near"),
        ("sqnr", 23.2, 22.0, 0.0, "met"),
        ("latency", 3001.0, 3000.0, 0.0, "missed"),
        ("latency", 2860.0, 3000.0, 0.0, "near"),
        ("latency", 2460.0, 3000.0, 344.0, "met"),
        ("latency", 2660.0, 3000.0, 372.0, "near"),
        ("skin", 42.1, 43.0, 0.0, "near"),
        ("skin", 41.9, 43.0, 0.0, "met"),
        ("size", None, 43.0, 0.0, "none"),
        ("size", 40.0, None, 0.0, "none"),
    ],
)
def test_a_state_looks_at_budget_closeness_and_band(key, value, limit, band, state):
    assert state_of(key, value, limit, band) == state


def test_the_band_of_simulated_values_is_the_devices_and_sizes_have_none(session):
    latency = card(session, "latency")
    us = session.figures.simulation.latency_us
    assert latency.gauge.band == pytest.approx(us * session.figures.simulation.band)
    assert latency.band == f"±{us * 0.14 / 1000:.2f}"
    assert card(session, "size").band == ""
    assert card(session, "peak").band == ""


def test_deltas_carry_sign_unit_and_whether_they_help(session):
    before, now = session.previous.size.total, session.figures.size.total
    size = card(session, "size")
    assert size.delta == f"{M}{(before - now) / 1024**2:.2f}{N}MiB"
    assert size.delta_helps is True
    sqnr = card(session, "sqnr")
    assert sqnr.delta.startswith(M)
    assert sqnr.delta_helps is False


def test_every_card_names_the_all_fp16_value(session):
    for found in cards(session):
        assert "all FP16: " in found.note
        assert "all FP16" in found.tip


def test_without_a_budget_the_gauge_ends_at_the_all_fp16_value(session):
    session.budgets = Budgets(min_sqnr_db=None, max_skin_c=None)
    size = card(session, "size")
    assert size.gauge.budget is None
    assert size.gauge.top == session.baseline.size.total
    assert size.requirement == "no budget"


def test_an_exact_plan_does_not_break_anything(session):
    evaluation = session.figures.evaluation
    sums = replace(evaluation.output.sums, noise=0.0)
    output = replace(evaluation.output, sums=sums)
    session.figures = replace(session.figures, evaluation=replace(evaluation, output=output))
    sqnr = card(session, "sqnr")
    assert sqnr.figure == f">{N}90"
    assert sqnr.state == "met"


def test_nothing_is_invented_while_nothing_is_known(session):
    session.figures = type(session.figures)(session.plan)
    session.previous = session.baseline = None
    session.staleness = Staleness()
    assert {c.figure for c in cards(session)} == {"–"}
    assert {c.delta for c in cards(session)} == {""}
    assert statement(cards(session), "running").state == "busy"


def test_the_verdict_counts_and_says_what_is_short(session):
    session.budgets = Budgets(min_sqnr_db=22.0, max_latency_us=3000.0)
    said = statement(cards(session), "")
    short = 22.0 - session.figures.evaluation.output.sqnr_db
    assert said.state == "missed"
    assert said.title == "2 of 3 budgets met"
    assert said.detail == f"Output SQNR is {short:.1f}{N}dB short"


def test_the_verdict_is_plain_when_all_hold_and_near_when_one_is_close(session):
    wide(session)
    assert statement(cards(session), "").state == "met"
    skin = float(session.figures.sustained.skin_c.max())
    wide(session, max_skin_c=skin + 0.5)
    said = statement(cards(session), "")
    assert (said.state, said.detail) == ("near", "close: Skin temperature")
    session.budgets = Budgets(min_sqnr_db=None, max_skin_c=None)
    assert statement(cards(session), "").state == "none"


def test_a_stale_error_is_being_checked_and_keeps_no_delta(session):
    session.make_stale(30)
    sqnr = card(session, "sqnr")
    assert sqnr.stale
    assert sqnr.delta == ""
    said = statement(cards(session), "kernel 3 of 9")
    assert said.state == "busy"
    assert said.title == "5 budgets met, 1 being checked"
    assert said.detail == "kernel 3 of 9"


def test_an_error_from_some_of_the_samples_says_so_and_settles_no_budget(session):
    figures = session.figures
    some = replace(figures.evaluation, samples=1, remaining=7)
    session.figures = replace(figures, evaluation=some)
    session.make_stale(0)
    sqnr = card(session, "sqnr")
    assert sqnr.figure != "–"
    assert sqnr.note.startswith("1 of 8 samples so far")
    assert "1 of 8 samples so far" in sqnr.tip
    assert statement(cards(session), "").title == "5 budgets met, 1 being checked"
    session.figures = figures
    assert "so far" not in card(session, "sqnr").note


def test_costs_of_an_older_plan_or_device_are_marked_until_they_are_simulated_anew(session):
    assert not any(c.stale for c in cards(session))
    session.figures = replace(session.figures, simulated=False)
    assert {c.key for c in cards(session) if c.stale} == {c.key for c in cards(session)} - {"sqnr"}
    assert card(session, "latency").delta == ""
    assert statement(cards(session), "").state == "busy"


# The cheapest fix.


def test_a_fix_is_estimated_from_measured_noise_only(session):
    fixes = proposals(session)
    assert fixes
    now = session.figures.evaluation.output.sqnr_db
    for fix in fixes:
        assert now + fix.gain_db >= session.budgets.min_sqnr_db - 1e-9
        for kernel, scheme in fix.changes:
            assert (kernel, scheme) in session.sensitivity
    session.sensitivity = {}
    assert proposals(session) == []


def test_gain_follows_the_noise_formula(session):
    session.sweeps.metric = Metric.SQNR
    noise = relative_noise(session.figures.evaluation.output.sqnr_db)
    kernel = next(k.id for k in session.network.tunable if family(session.plan.scheme(k.id)) == "INT4")
    old = session.plan.scheme(kernel)
    cells = session.sensitivity
    session.sensitivity = {
        (kernel, old): replace(cells[kernel, old], sqnr_db=session.figures.evaluation.output.sqnr_db + 1.0),
        (kernel, FP16): replace(cells[kernel, FP16], sqnr_db=inf),
    }
    session.budgets = replace(session.budgets, min_sqnr_db=session.figures.evaluation.output.sqnr_db + 2.0)
    (fix,) = proposals(session)
    left = noise * (1 - 10**-0.1)
    assert fix.gain_db == pytest.approx(10 * log10(noise / left))
    assert fix.changes == ((kernel, FP16),)


def test_gain_is_scaled_where_the_single_noises_cancel(session):
    session.sweeps.metric = Metric.SQNR
    now = session.figures.evaluation.output.sqnr_db
    first, second = [k for k in session.network.tunable if session.plan.scheme(k.id) == INT4][:2]
    cells = session.sensitivity
    session.sensitivity = {
        (first.id, INT4): replace(cells[first.id, INT4], sqnr_db=now),
        (first.id, FP16): replace(cells[first.id, FP16], sqnr_db=inf),
        (second.id, INT4): replace(cells[second.id, INT4], sqnr_db=now),
    }
    session.budgets = replace(session.budgets, min_sqnr_db=now + 3.0)
    (fix,) = proposals(session)
    # Both put in as much as there is: half of it is each one's share, so raising one halves the noise.
    assert fix.gain_db == pytest.approx(10 * log10(2))


def test_locked_kernels_and_stale_errors_give_no_fix(session):
    session.locked = frozenset(k.id for k in session.network.tunable)
    assert proposals(session) == []
    session.locked = frozenset()
    session.make_stale(0)
    assert proposals(session) == []


def test_the_cheapest_fix_is_the_one_with_the_least_latency(session):
    plans = [session.plan.with_schemes({f"k{i}": FP16}) for i in (30, 31)]
    fixes = [Fix(((f"k{i}", FP16),), 1.0, plan) for i, plan in zip((30, 31), plans, strict=True)]
    simulation = session.figures.simulation
    prices = {
        plans[0]: Price(plans[0], session.figures.size, replace(simulation, latency_us=200.0)),
        plans[1]: Price(plans[1], session.figures.size, replace(simulation, latency_us=100.0)),
    }
    assert cheapest(fixes, prices) is fixes[1]
    assert cheapest(fixes, {}) is None


def test_the_fix_is_priced_shown_and_applied_by_its_button_only(view, session, qtbot):
    qtbot.waitUntil(view.fix_box.isVisible, timeout=5000)
    before = session.plan
    qtbot.mouseClick(view.fix_box.apply, Qt.MouseButton.LeftButton)
    changed = session.plan.difference(before)
    assert changed
    assert set(session.selection) == set(changed)
    session.undo()
    assert session.plan == before


# The mix and the widgets.


def test_the_mix_adds_up(session):
    by_key = {s.key: s for s in strips(session)}
    assert sum(by_key["kernels"].amounts) == len(session.network.tunable)
    assert sum(by_key["bytes"].amounts) == pytest.approx(session.figures.size.total)
    kernels = sum(c.latency_us for c in session.figures.simulation.kernels)
    assert sum(by_key["latency"].amounts) == pytest.approx(kernels)
    int4 = sum(family(s) == "INT4" for s in session.plan.values())
    assert strip_words(by_key["kernels"]).startswith(f"{int4} · ")


def test_cards_follow_an_edit(view, session):
    before = view.cards["size"].look.value
    session.apply_preset("fp16")
    view.refresh_now()
    assert view.cards["size"].look.value != before
    assert view.cards["size"].look.value == f"{session.figures.size.total / 1024**2:.2f}"


def test_the_error_of_the_plan_before_is_marked_at_the_moment_of_the_edit(view, session):
    value = view.cards["sqnr"].look.value
    session.staleness = Staleness(True, 3)
    session.emit(What.PLAN)
    look = view.cards["sqnr"].look
    assert (look.value, look.stale, look.gauge.stale, look.delta) == (value, True, True, "")
    assert not view.cards["latency"].look.stale


def test_one_redraw_shows_all_figures_of_an_edit_and_comes_as_soon_as_they_are_there(view, session):
    view.refresh_now()  # nothing of the set-up is due any more
    view._drawn_at = 0.0
    session.staleness = Staleness(True, 3)
    session.emit(What.PLAN)
    session.emit(What.EVALUATION)
    session.emit(What.JOBS)
    assert view._timer.interval() == EDIT_LEAD_MS
    session.staleness = Staleness(True, 3, output=False)
    session.emit(What.EVALUATION)
    assert view._timer.isActive()
    assert view._timer.interval() == 0
    view._timer.stop()
    view.redraw()
    session.emit(What.JOBS)
    assert view._timer.interval() <= FRAME_MS


def test_an_output_error_that_a_redraw_lacked_is_drawn_without_a_pause(view, session):
    session.staleness = Staleness(True, 3)
    session.emit(What.PLAN)
    view.refresh_now()
    session.emit(What.JOBS)
    assert view._timer.interval() > 0
    view._timer.stop()
    session.staleness = Staleness(True, 3, output=False)
    session.emit(What.EVALUATION)
    assert view._timer.isActive()
    assert view._timer.interval() == 0


def test_while_a_job_runs_the_spinner_turns_and_the_bar_shows_its_progress(view, session, qtbot):
    job = running_job(session, say("Evaluating"), 0.4)
    session.make_stale(30)
    view.refresh_now()
    assert view.cards["sqnr"].look.state == "busy"
    assert view.cards["sqnr"].look.stale
    assert view._spin.isActive()
    job.state = "done"
    session.staleness = Staleness()
    session.emit(What.JOBS)
    session.emit(What.EVALUATION)
    view.refresh_now()
    assert not view._spin.isActive()
    assert view.cards["sqnr"].look.state == "missed"


def test_a_failed_evaluation_is_said_with_its_reason(view, session):
    job = running_job(session, say("Evaluating"), 0.4)
    session.make_stale(30)
    job.state, job.error = "failed", say("Kernel {name} ran out of memory.", name="head")
    session.emit(What.JOBS)
    view.refresh_now()
    assert view.verdict._title.text() == "The output error could not be computed"
    assert view.verdict._detail.text() == "Kernel head ran out of memory."
    assert view.cards["sqnr"].look.stale


def test_what_was_stopped_says_so_and_is_measured_again_by_its_button(view, session, qtbot):
    session.make_stale(30)
    session.emit(What.JOBS)
    view.refresh_now()
    assert not view._again.isVisible()
    session.stopped = True
    session.emit(What.JOBS)
    view.refresh_now()
    assert view.verdict._title.text() == "Measuring was stopped"
    with qtbot.waitSignal(view.command_wanted) as asked:
        qtbot.mouseClick(view._again, Qt.MouseButton.LeftButton)
    assert asked.args == ["measure_again"]


def test_synthetic_input_is_said_and_marked(view, session):
    assert not view.synthetic.isVisible()
    session.data = replace(session.data, synthetic=True)
    session.emit(What.DATA)
    view.refresh_now()
    assert view.synthetic.isVisible()
    assert view.cards["sqnr"].look.value.startswith("~")
    assert not view.cards["latency"].look.value.startswith("~")


def test_narrow_docks_leave_the_notes_out(view):
    tall = view.cards["latency"].sizeHint().height()
    view.resize(296, 780)
    assert view.cards["latency"].sizeHint().height() < tall


def test_buttons_ask_for_commands(view, session, qtbot):
    with qtbot.waitSignal(view.command_wanted) as asked:
        qtbot.mouseClick(view.header_widgets()[0], Qt.MouseButton.LeftButton)
    assert asked.args == ["budgets"]


def test_without_a_model_there_is_a_sentence(view, session):
    session.close_model()
    view.refresh_now()
    assert view.empty.isVisible()
    assert view.subtitle() == ""


def test_an_int8_plan_of_the_same_name_says_what_it_is_compared_with(view, session):
    session.set_scheme(("k20",), INT8)
    view.refresh_now()
    view.apply_theme(DARK)
    assert "against" in view.subtitle()


def test_a_fix_promises_what_was_measured_and_one_that_is_not_enough_is_dropped(session):
    first, *others = proposals(session)
    now, required = session.figures.evaluation.output.sqnr_db, session.budgets.min_sqnr_db
    assert not first.measured

    def measured(db):
        return SimpleNamespace(output=SimpleNamespace(sqnr_db=db))

    session.measured[first.plan] = measured(required + 0.5)
    held = proposals(session)[0]
    assert held.measured
    assert held.gain_db == pytest.approx(required + 0.5 - now)
    session.measured[first.plan] = measured(required - 0.5)
    assert first.plan not in {fix.plan for fix in proposals(session)}
    for fix in others:
        session.measured[fix.plan] = measured(required - 0.5)
    assert all(len(fix.changes) > 1 for fix in proposals(session))  # no single kernel is enough


def test_the_box_asks_for_the_measurement_and_says_which_figure_it_shows(view, session, qtbot):
    qtbot.waitUntil(view.fix_box.isVisible, timeout=5000)
    shown = view.fix_box._fix
    assert ("try_plan", shown.plan) in session.calls
    assert "being measured" in view.fix_box._price.text()
    output = SimpleNamespace(sqnr_db=session.budgets.min_sqnr_db + 1.0)
    session.measured[shown.plan] = SimpleNamespace(output=output)
    session.emit(What.EVALUATION)
    view.refresh_now()
    assert "≈" not in view.fix_box._price.text()
    assert view.fix_box._fix.measured


def test_a_long_proposal_wraps_and_never_widens_the_panel(view, session, qtbot):
    qtbot.waitUntil(view.fix_box.isVisible, timeout=5000)
    fix = view.fix_box._fix
    now = view._pricer.known(session.plan)
    much = replace(now, simulation=replace(now.simulation, latency_us=now.simulation.latency_us + 171_100.0))
    size = SimpleNamespace(total=now.size.total + 1_019_000)
    view.fix_box.show_fix(session, fix, now, replace(much, size=size))
    QApplication.processEvents()
    assert view.fix_box.minimumSizeHint().width() <= 262  # 322 px of the dock less the margins of the verdict
    apply = view.fix_box.apply
    assert apply.mapTo(view, apply.rect().topRight()).x() < view.width()
    price = view.fix_box._price
    assert price.height() >= price.heightForWidth(price.width())


def test_a_proposal_that_was_measured_and_is_not_enough_says_so(view, session, qtbot):
    qtbot.waitUntil(view.fix_box.isVisible, timeout=5000)
    assert not view.dropped.isVisible()
    for _ in range(60):  # every proposal turns out half a dB short
        fixes = proposals(session)
        if not fixes:
            break
        for fix in fixes:
            output = SimpleNamespace(sqnr_db=session.budgets.min_sqnr_db - 0.5)
            session.measured[fix.plan] = SimpleNamespace(output=output)
    session.emit(What.EVALUATION)
    view.refresh_now()
    assert not view.fix_box.isVisible()
    assert view.dropped.isVisible()
    gain = session.budgets.min_sqnr_db - 0.5 - session.figures.evaluation.output.sqnr_db
    assert f"{gain:.1f}" in view.dropped.text()
    assert "not enough" in view.dropped.text()
    other = INT4 if session.plan.scheme("k20") != INT4 else FP16
    session.set_scheme(("k20",), other)  # nothing was tried for this plan
    view.refresh_now()
    assert not view.dropped.isVisible()


def test_kernels_that_were_not_enough_together_are_joined_by_more(session):
    session.sweeps.metric = Metric.SQNR
    now, cells = session.figures.evaluation.output.sqnr_db, session.sensitivity
    worst = [k for k in session.network.tunable if session.plan.scheme(k.id) == INT4][:4]
    assert len(worst) == 4
    noise = relative_noise(now)
    alone = -10 * log10(noise / 4)  # four that put in a quarter each
    session.sensitivity = {
        (k.id, scheme): replace(cells[k.id, scheme], sqnr_db=alone if scheme == INT4 else inf)
        for k in worst for scheme in (INT4, FP16)
    }  # fmt: skip
    session.budgets = replace(session.budgets, min_sqnr_db=now + 2.9)  # half of the noise may stay
    (two,) = proposals(session)
    assert len(two.changes) == 2
    missed = -10 * log10(0.6 * noise)  # a tenth more than was expected
    session.measured[two.plan] = SimpleNamespace(output=SimpleNamespace(sqnr_db=missed))
    (three,) = proposals(session)
    assert len(three.changes) == 3
    assert three.gain_db == pytest.approx(10 * log10(1 / 0.35))
    session.measured[three.plan] = SimpleNamespace(output=SimpleNamespace(sqnr_db=now + 4))
    (held,) = proposals(session)
    assert held.measured
    assert held.gain_db == pytest.approx(4)


def test_parts_of_the_size_never_add_up_to_more_than_all(qapp):
    size = SimpleNamespace(total=10_000, by_family={"INT8": 9_990, "other": 10})
    parts = [part.replace(N, " ") for part in _family_parts(SimpleNamespace(size=size))]
    assert parts == ["INT8 99.9 %", "other 0.1 %"]
    whole = SimpleNamespace(total=10_000, by_family={"INT8": 10_000, "FP16": 0})
    assert _family_parts(SimpleNamespace(size=whole)) == [f"INT8 100{N}%"]


def test_words_of_the_size_follow_the_language(qapp):
    size = SimpleNamespace(total=100, by_family={"other": 100})
    set_language("zh")
    try:
        assert _family_parts(SimpleNamespace(size=size)) == [f"其他 100{N}%"]
    finally:
        set_language("en")
