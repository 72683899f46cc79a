"""The plots on a real session: a sample model is opened, edited, swept and compared by events."""

import numpy as np
import pytest
from plot_hand import PlotHand, settle, show

from engine.precision.scheme import INT4, INT8
from engine.session import Session
from gui.bridge import Dispatcher
from gui.views.compare import CompareView
from gui.views.error_profile import ErrorProfileView
from gui.views.latency import LatencyView
from gui.views.memory import MemoryView
from gui.views.roofline import RooflineView
from gui.views.sensitivity import SensitivityView
from gui.views.tensors import TensorsView
from gui.views.thermal import ThermalView
from gui.views.timeline import TimelineView


@pytest.fixture
def real(qtbot):
    dispatcher = Dispatcher()
    session = Session(dispatch=dispatcher.dispatch)
    session.open_sample("mobile_vision_encoder")
    qtbot.waitUntil(lambda: session.network is not None, timeout=20_000)
    quiet(qtbot, session)
    yield session
    session.close()


def quiet(qtbot, session):
    """Until nothing is being computed."""
    qtbot.waitUntil(lambda: not session.jobs.active and not session.staleness.stale, timeout=30_000)


def test_a_sweep_fills_the_map_and_a_click_applies_a_cell(qtbot, real, theme):
    view = show(qtbot, SensitivityView, real, theme, 900, 300)
    errors = show(qtbot, ErrorProfileView, real, theme)
    qtbot.waitUntil(lambda: view.data is not None and view.data.known > 0, timeout=30_000)
    quiet(qtbot, real)
    settle(view)
    assert view.data.exact == view.data.known == len(view.data.schemes) * len(view.data.ids)
    before = errors.profile.accumulated.copy()
    row = view.data.schemes.index(INT4)
    PlotHand(view).click(0.5, len(view.data.schemes) - row - 0.5)
    assert real.plan.scheme(view.data.ids[0]) == INT4
    quiet(qtbot, real)
    settle(errors)
    assert errors.profile.stale_from is None
    assert np.nanmin(errors.profile.accumulated) < np.nanmin(before) - 10, "four bits cost accuracy"
    np.testing.assert_allclose(errors.profile.previous, before)


def test_every_plot_draws_a_real_run(qtbot, real, theme, tmp_path):
    real.apply_preset("int8")
    quiet(qtbot, real)
    first = real.network.kernels[0].id
    real.select((first,), first)
    for kind in (ErrorProfileView, LatencyView, TimelineView, MemoryView, ThermalView, RooflineView, TensorsView):
        view = show(qtbot, kind, real, theme, 640, 300)
        assert not view.empty.isVisible(), kind
        assert view.table().rows, kind
        if hasattr(view, "chart"):
            view.exporter.save("svg", tmp_path / "plot.svg")
            assert (tmp_path / "plot.svg").stat().st_size > 1000
        view.close()


def test_compare_shows_what_the_engine_computed(qtbot, real, theme):
    kernel = real.network.tunable[1].id
    real.set_scheme([kernel], INT8)
    quiet(qtbot, real)
    real.select((kernel,), kernel)
    view = show(qtbot, CompareView, real, theme, 1000, 700)

    def there():
        settle(view)
        return view.found is not None

    qtbot.waitUntil(there, timeout=20_000)
    captured = real.captured
    assert captured.kernel == kernel
    a, b = view.found.pictures(view.channel)
    np.testing.assert_array_equal(a, captured.reference[0][view.channel].reshape(a.shape))
    np.testing.assert_array_equal(b, captured.result[0][view.channel].reshape(b.shape))
    quiet(qtbot, real)
