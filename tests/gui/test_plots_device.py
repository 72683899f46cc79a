"""Utilization, Kernel cost, Cold start: they show what the engine says, and answer to their switches."""

import pytest
from plot_hand import settle, show
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from engine.npu.breakdown import breakdown
from engine.npu.coldstart import Measures, cold_start
from engine.npu.flow import InputPath, flow
from engine.npu.results import Scenario
from engine.npu.usage import advice, top_kernels, usage
from engine.session.changes import What
from gui.i18n import set_language
from gui.views.coldstart import ColdStartView
from gui.views.cost import CostView
from gui.views.cost_parts import LiftRows
from gui.views.usage import UsageView

LEFT = Qt.MouseButton.LeftButton


def click(chip):
    QTest.mouseClick(chip, LEFT)


# -- Utilization ----


@pytest.fixture
def busy(qtbot, session, theme):
    return show(qtbot, UsageView, session, theme, 430, 460)


def test_the_list_is_the_ranking_of_the_engine(busy, session):
    simulation = session.figures.simulation
    wanted = [cost.kernel for cost in top_kernels(simulation) if cost.latency_us > 0]
    assert [row.kernel for row in busy.model.rows] == wanted
    assert busy.model.rows[-1].so_far == pytest.approx(
        sum(cost.latency_us for cost in simulation.kernels) / simulation.latency_us
    )
    assert busy.table().rows[0][4] == busy.model.rows[0].latency_us


def test_the_head_shows_utilization_and_its_advice(busy, session):
    found = usage(session.figures.simulation)
    assert busy.head.bars.found == found
    assert busy.head.advice.text() == str(advice(found))
    assert "Cube" in busy.head.bars.accessibleDescription()


def test_a_click_selects_the_kernel_everywhere(busy, session):
    index = busy.model.index(2, 1)
    QTest.mouseClick(busy.list.viewport(), LEFT, pos=busy.list.visualRect(index).center())
    assert session.current == busy.model.rows[2].kernel


def test_utilization_without_a_model_offers_to_open_one(qtbot, empty_session, theme):
    view = show(qtbot, UsageView, empty_session, theme)
    assert view.empty.isVisible()


# -- Kernel cost ----


@pytest.fixture
def cost(qtbot, session, theme):
    view = show(qtbot, CostView, session, theme, 316, 860)
    qtbot.waitUntil(lambda: view.found is not None, timeout=8000)
    return view


def wanted(session):
    kernel = session.network.by_id(session.current)
    return breakdown(session.network, session.plan, session.device, kernel)


def test_it_shows_the_breakdown_of_the_current_kernel(cost, session):
    found = wanted(session)
    rows = cost.table().rows
    assert [row[1] for row in rows if row[0] != "What would lift it"] == [
        str(line.name) for section in found.sections for line in section.lines
    ]
    assert [words for words, _ in cost.lifts.lifts] == [str(lift.change) for lift in found.lifts]
    assert f"#{session.network.by_id(session.current).index}," in cost.bound.text()


def test_it_follows_selection_and_plan(cost, session, qtbot):
    before = cost.found.cost.kernel
    other = session.network.tunable[3].id
    session.select((other,), other)
    cost.refresh_now()
    qtbot.waitUntil(lambda: cost.found.cost.kernel == other, timeout=8000)
    assert before != other
    session.apply_preset("fp16")
    cost.refresh_now()
    qtbot.waitUntil(lambda: "FP16" in str(cost.table().rows[0]), timeout=8000)


def test_without_a_selection_the_longest_kernel_is_shown(session, qtbot, theme):
    session.selection, session.current = (), None
    view = show(qtbot, CostView, session, theme, 316, 860)
    qtbot.waitUntil(lambda: view.found is not None, timeout=8000)
    longest = max(session.figures.simulation.kernels, key=lambda c: c.latency_us).kernel
    assert view.found.cost.kernel == longest


def test_a_click_away_while_it_is_computed_leaves_the_newer_kernel(cost, session, qtbot):
    first, second = session.network.tunable[1].id, session.network.tunable[6].id
    for kernel in (first, second):
        session.select((kernel,), kernel)
        cost.refresh_now()
    qtbot.waitUntil(lambda: cost.found.cost.kernel == second, timeout=8000)


def test_cost_without_a_model_says_so(qtbot, empty_session, theme):
    view = show(qtbot, CostView, empty_session, theme)
    assert view.empty.isVisible()
    assert view.table().rows == ()


# -- Cold start ----


@pytest.fixture
def cold(qtbot, session, theme):
    return show(qtbot, ColdStartView, session, theme, 372, 560)


def started(session, **measures):
    return cold_start(session.network, session.plan, session.figures.simulation, session.device, Measures(**measures))


def test_the_switches_are_the_counter_measures(cold, session):
    assert cold.data.chosen.parts == started(session).parts
    for chip, measures in (
        (cold.preload, {"preload": True}),
        (cold.warm_up, {"preload": True, "warm_up": True}),
        (cold.compiled, {"preload": True, "warm_up": True, "compiled": False}),
    ):
        click(chip)
        settle(cold)
        assert cold.data.chosen.parts == started(session, **measures).parts
    assert cold.data.chosen.ahead_us > 0
    assert "before the request" in cold.behind.text()


def test_the_ways_to_start_are_computed_between_other_events(cold, session, monkeypatch, qtbot):
    monkeypatch.setattr("gui.views.slices.SLICE_S", 0.0)
    before, was = cold.data, cold.wait.text()
    click(cold.preload)
    cold._timer.stop()
    cold.redraw()
    assert cold.data is before, "one way of five"
    qtbot.waitUntil(lambda: cold.data is not before, timeout=5_000)
    assert cold.data.chosen.parts == started(session, preload=True).parts
    assert cold.wait.text() != was


def test_the_frames_are_those_of_the_engine(cold, session):
    cold.mode.set_current("double-buffered")
    cold.preparing.setValue(700)
    click(cold.zero_copy)
    settle(cold)
    path = InputPath("double-buffered", True, True, 700.0)
    assert cold.path() == path
    found = flow(session.network, session.figures.simulation, session.device, path)
    assert cold.data.flow.period_us == found.period_us
    assert f"{found.frames_per_second:.1f}" in cold.figures.text()


def test_frames_come_at_the_rate_of_the_scenario(cold, session):
    session.scenario = Scenario(runs_per_second=20.0)
    session.emit(What.DEVICE)
    settle(cold)
    assert cold.data.flow.frames_per_second == pytest.approx(20.0)
    assert "next one to arrive" in cold.sentence.text()


def test_its_state_is_found_again(cold, session, qtbot, theme):
    for chip in (cold.preload, cold.compiled, cold.zero_copy):
        click(chip)
    cold.mode.set_current("asynchronous")
    cold.preparing.setValue(50)
    other = show(qtbot, ColdStartView, session, theme, 372, 560)
    other.restore_state(cold.save_state())
    assert (other.measures(), other.path()) == (cold.measures(), cold.path())
    other.restore_state({"preload": "yes", "mode": "backwards", "preparing": None})
    assert (other.measures(), other.path()) == (cold.measures(), cold.path())


def test_its_numbers_can_be_copied(cold):
    rows = cold.table().rows
    assert {row[0] for row in rows} == {"cold start", "frame"}
    assert sum(row[2] for row in rows if row[0] == "cold start") == pytest.approx(cold.data.chosen.total_us)


@pytest.mark.parametrize("kind", [UsageView, CostView, ColdStartView])
def test_it_speaks_chinese(qtbot, session, theme, kind):
    view = show(qtbot, kind, session, theme)
    before = view.title()
    set_language("zh")
    view.retranslate()
    assert view.title() != before


def test_what_would_lift_a_kernel_has_a_line_of_its_own_where_it_is_long(qtbot):
    rows = LiftRows()
    qtbot.addWidget(rows)
    rows.show_lifts([("Twice the Cube", 10.0), ("Twice the ports of L2 and out of the core", 12.0)], 20.0)
    rows.resize(600, 100)
    wide = rows.sizeHint().height()
    rows.resize(234, 100)
    assert rows.sizeHint().height() == wide + 15
    rows.resize(600, 100)
    assert rows.sizeHint().height() == wide
