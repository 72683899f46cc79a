"""Switching the language leaves no word behind: a view then looks like one that was made in the new language."""

import gc
import time

import pytest
from plot_hand import settle, show
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from gui.i18n import set_language
from gui.settings import Settings
from gui.theme import theme_manager
from gui.views.compare import CompareView
from gui.views.error_profile import ErrorProfileView
from gui.views.graph import GraphView
from gui.views.jobs import JobsView
from gui.views.kernel import KernelView
from gui.views.latency import LatencyView
from gui.views.layers import LayersView
from gui.views.log import LogView
from gui.views.memory import MemoryView
from gui.views.preflight import PreflightView
from gui.views.ranking import RankingView
from gui.views.roofline import RooflineView
from gui.views.sensitivity import SensitivityView
from gui.views.summary import SummaryView
from gui.views.tensors import TensorsView
from gui.views.thermal import ThermalView
from gui.views.timeline import TimelineView
from gui.window import Window

VIEWS = (
    CompareView,
    ErrorProfileView,
    JobsView,
    KernelView,
    LatencyView,
    LayersView,
    LogView,
    MemoryView,
    PreflightView,
    RankingView,
    RooflineView,
    SensitivityView,
    SummaryView,
    TensorsView,
    ThermalView,
    TimelineView,
)


def rest(qtbot, view, session):
    """Until nothing is computed any more and all is drawn."""
    if isinstance(view, CompareView):
        qtbot.waitUntil(lambda: (settle(view), view.found is not None)[1], timeout=8000)
    settle(view)
    qtbot.waitUntil(lambda: not session.jobs.active, timeout=8000)
    for _ in range(3):
        settle(view)


def picture(view):
    """What the view looks like without the focus."""
    for part in view.findChildren(QWidget):
        part.clearFocus()
    return view.grab().toImage()


def steady(qtbot, view):
    """What the view looks like once it no longer moves."""
    seen = [picture(view)]

    def still():
        settle(view)
        seen.append(picture(view))
        return seen[-1] == seen[-2]

    qtbot.waitUntil(still, timeout=4000)
    return seen[-1]


@pytest.mark.parametrize("kind", VIEWS, ids=lambda kind: kind.__name__)
def test_a_view_follows_the_language(qtbot, session, theme, kind):
    kernels = [k.id for k in session.network.kernels[17:20]]
    session.select(kernels if kind is LayersView else kernels[:1], kernels[0])
    switched = show(qtbot, kind, session, theme, 900, 700)
    rest(qtbot, switched, session)
    set_language("zh")
    rest(qtbot, switched, session)
    title, subtitle, looks = switched.title(), switched.subtitle(), steady(qtbot, switched)
    switched.close()
    fresh = show(qtbot, kind, session, theme, 900, 700)
    rest(qtbot, fresh, session)
    assert (title, subtitle) == (fresh.title(), fresh.subtitle())
    qtbot.waitUntil(lambda: picture(fresh) == looks, timeout=4000)


def test_a_language_does_not_wait_for_the_pause_between_drawings(qtbot, session, theme):
    view = show(qtbot, PreflightView, session, theme, 900, 700)
    rest(qtbot, view, session)
    begin_the_longest_pause(view)
    set_language("zh")
    QApplication.processEvents()
    qtbot.waitUntil(lambda: not view.due, timeout=500)


def test_colours_do_not_wait_for_it_either(qtbot, session):
    window = Window(Settings(None), confirm=False)
    qtbot.addWidget(window)
    window.show()
    window.set_session(session)
    view = window.reveal("error")
    qtbot.waitUntil(lambda: window.host.settled, timeout=15_000)
    view.refresh_now()
    begin_the_longest_pause(view)
    theme_manager.set_mode("dark")
    assert view.theme is theme_manager.theme
    qtbot.waitUntil(lambda: not view.due, timeout=500)


def test_what_the_graph_says_of_its_layout_follows_too(qtbot, session, theme):
    view = show(qtbot, GraphView, session, theme, 900, 700)
    qtbot.waitUntil(lambda: "laid out" in view.subtitle(), timeout=8000)
    set_language("zh")
    QApplication.processEvents()
    assert "laid out" not in view.subtitle()
    assert view.subtitle()


def test_no_menus_of_the_language_before_stay_behind(qtbot, session):
    window = Window(Settings(None), confirm=False)
    qtbot.addWidget(window)
    window.show()
    window.set_session(session)

    def menus():
        QApplication.processEvents()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        gc.collect()
        return sum(isinstance(found, QMenu) for found in gc.get_objects())

    qtbot.waitUntil(lambda: window.host.settled, timeout=15_000)
    before = menus()
    for code in ("zh", "en", "zh"):
        set_language(code)
        assert menus() == before
    samples = window.findChild(QMenu, "menu_samples")
    assert samples.title() == "打开示例"
    samples.aboutToShow.emit()
    assert samples.actions()
    assert samples.menuAction() in window.findChild(QMenu, "menu_file").actions()


def begin_the_longest_pause(view):
    """As if drawing had taken a minute, a moment ago."""
    view._took_ms, view._drawn_at = 60_000.0, time.monotonic() + 60
