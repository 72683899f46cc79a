import numpy as np
import pytest
from plot_hand import PlotHand, settle, show
from PySide6.QtCore import Qt

from engine.npu.results import Scenario
from gui.theme import LIGHT
from gui.views.thermal import ThermalView


@pytest.fixture
def view(qtbot, session, theme):
    return show(qtbot, ThermalView, session, theme, 358, 413)


def test_four_plots_share_minutes(session, view):
    ranges = {tuple(plot.panel.box.viewRange()[0]) for plot in view._plots}
    assert ranges == {(0.0, 30.0)}
    view.span.zoom(0.5, 10)
    settle(view)
    ranges = {tuple(plot.panel.box.viewRange()[0]) for plot in view._plots}
    assert len(ranges) == 1
    assert ranges != {(0.0, 30.0)}


@pytest.mark.parametrize("height", [413, 700])
def test_temperature_has_the_most_room_however_little_there_is(qtbot, session, theme, height):
    view = show(qtbot, ThermalView, session, theme, 326, height)
    temperature, *others = (plot.panel.box.frame().area.height() for plot in view._plots)
    assert temperature > 1.7 * max(others)
    assert max(others) < 1.5 * min(others)
    assert min(others) > 12


def test_captions_say_how_it_begins_and_ends(view):
    assert view.power.caption._value == "4.75 → 3.89\u202fW"
    assert view.clock.caption._value == "100 → 82\u202f%"
    assert view.latency.caption._value.endswith("ms")
    assert view.foot._value == "minutes, back-to-back runs at 25\u202f°C ambient"


def test_the_first_throttling_is_marked(view):
    assert view.temperature.mark.at == pytest.approx(9.5)
    assert view.power.mark.label == "first throttle 9:30"


def test_trips_lie_in_the_plot(session, view):
    low, high = view.temperature.panel.box.viewRange()[1]
    assert low < min(session.figures.sustained.trips_c)
    assert high > max(session.figures.sustained.trips_c)
    assert view.trips.label == "skin trips 39.5 … 44.0"


def test_the_card_has_all_figures_at_a_time(qtbot, session, view):
    run = session.figures.sustained
    content = PlotHand(view, panel=view.power.panel).rest(qtbot, 20)
    rows = dict(content.rows)
    i = int(np.abs(run.time_s / 60 - 20).argmin())
    assert rows["skin"] == f"{run.skin_c[i]:.1f}\u202f°C"
    assert rows["clock"] == "82\u202f%"


def test_a_scenario_with_pauses_says_so(session, view):
    session.scenario = Scenario(10.0, 60.0, 35.0)
    session.figures = type(session.figures)(
        session.plan,
        simulation=session.figures.simulation,
        sustained=type(session.figures.sustained)(
            session.scenario, *(getattr(session.figures.sustained, n) for n in (
                "time_s", "power_w", "die_c", "package_c", "skin_c", "clock", "latency_us")), None, (),
        ),
    )  # fmt: skip
    session.set_scenario(session.scenario)
    settle(view)
    assert view.foot._value == "minutes, 60 runs/s at 35\u202f°C ambient"
    assert view.temperature.mark.at is None


def test_the_gear_asks_for_the_scenario_dialog(qtbot, view):
    button = view.header_widgets()[0]
    qtbot.addWidget(button)
    button.show()
    with qtbot.waitSignal(view.command_wanted) as wanted:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert wanted.args == ["scenario"]


def test_curves_have_their_colours(session, view):
    hand = PlotHand(view, panel=view.temperature.panel)
    run = session.figures.sustained
    i = int(np.abs(run.time_s / 60 - 25).argmin())
    near = [hand.color(25, float(run.die_c[i]), dy=d) for d in (-1, 0, 1)]
    assert min(abs(c.red() - LIGHT.die.red()) + abs(c.blue() - LIGHT.die.blue()) for c in near) < 60


def test_the_table_has_a_row_per_sample(session, view):
    table = view.table()
    assert len(table.rows) == len(session.figures.sustained.time_s)
    assert table.header[0] == "time_s"


def test_where_there_is_little_room_two_plots_are_drawn_and_two_are_words(qtbot, session, theme):
    view = show(qtbot, ThermalView, session, theme, 326, 300)
    heights = [plot.panel.box.frame().area.height() for plot in view._plots if plot.panel.isVisible()]
    assert not view.power.panel.isVisible()
    assert not view.clock.panel.isVisible()
    assert view.power.caption._value == "4.75 → 3.89\u202fW"
    assert heights[0] > 70
    assert heights[1] > 25
    assert (view.temperature.mark.label, view.power.mark.label) == ("first throttle 9:30", "")
    view.resize(326, 500)
    settle(view)
    assert view.power.panel.box.frame().area.height() > 20
    assert (view.temperature.mark.label, view.power.mark.label) == ("", "first throttle 9:30")


def test_words_of_the_trips_lie_on_no_curve_where_there_is_a_free_place(session, view):
    run, plot = session.figures.sustained, view.temperature
    box = view.trips.label_box(plot.panel.box.frame())
    left, right = (plot.panel.box.frame().data_x(x) for x in (box.left(), box.right()))
    inside = (run.time_s / 60 >= left) & (run.time_s / 60 <= right)
    for curve in (run.die_c, run.package_c, run.skin_c):
        ys = plot.panel.box.frame().ys(curve[inside])
        assert not ((ys > box.top()) & (ys < box.bottom())).any()
