"""Compare with the ten figures of Ascend's comparison tool instead of Mixbit's own."""

from __future__ import annotations

import pytest

from engine.numerics.npu_metrics import npu_errors
from gui.theme import LIGHT
from gui.views.compare import CompareView


@pytest.fixture
def view(qtbot, session):
    made = CompareView(session, LIGHT)
    qtbot.addWidget(made)
    made.resize(1200, 900)
    made.show()
    qtbot.waitUntil(lambda: made.found is not None, timeout=20_000)
    return made


def test_the_ten_figures_stand_beside_customary_limits(qtbot, session, view):
    own = [figure.label for figure in view.page.statistics.sheet.errors]
    assert own[0] == "SQNR"
    view.page.metrics._take("ascend")
    qtbot.waitUntil(lambda: view.npu is not None, timeout=20_000)
    captured = session.captured
    wanted = npu_errors(captured.result, captured.reference)
    rows = {figure.label: figure for figure in view.page.statistics.sheet.errors}
    assert len(rows) == 10
    assert rows["Cosine"].value == f"{wanted.cosine:.6f}"
    assert rows["Cosine"].state == ("met" if wanted.cosine > 0.99 else "missed")
    assert rows["KL divergence"].second == "0.005"
    assert rows["RMSE"].value == f"{wanted.root_mean_square:.6f}"
    view.page.metrics._take("own")
    assert [figure.label for figure in view.page.statistics.sheet.errors] == own
