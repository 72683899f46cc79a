"""Units in the titles of the Layers table, and the digits below them."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QFontMetricsF

from gui.fonts import font
from gui.i18n import set_language
from gui.theme import LIGHT
from gui.views.layers import LayersView
from gui.views.layers_columns import BY_KEY, COLUMNS, unit


@pytest.fixture
def view(session, qtbot):
    made = LayersView(session, LIGHT)
    qtbot.addWidget(made)
    made.show()
    made.refresh_now()
    yield made
    made.dispose()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_units_of_synthetic_figures_fit_into_the_least_width_of_their_column(view, language):
    set_language(language)
    rows = replace(view.model.rows, synthetic=True)
    metrics = QFontMetricsF(font(10))
    for column in COLUMNS:
        words = unit(column.key, rows)
        room = (
            view.table.horizontalHeader()
            ._text_area(QRect(0, 0, column.least, 30), COLUMNS.index(BY_KEY[column.key]))
            .width()
        )
        if column.key in ("local", "accumulated", "sensitivity"):
            assert words.startswith("~")
            assert metrics.horizontalAdvance(words) <= room


@pytest.mark.parametrize(
    ("percent", "shown"),
    [(0.0, "0"), (0.00931, "9.3×10⁻³"), (0.0378, "0.038"), (0.104, "0.10"), (1.04, "1.0"), (17.3, "17"),
     (123.0, "123")],
)  # fmt: skip
def test_sensitivities_have_two_digits_over_all_sizes(view, percent, shown):
    rows = view.model.rows
    rows = replace(rows, sensitivity_is_kl=False, sensitivity=np.full(len(rows), percent))
    assert BY_KEY["sensitivity"].text(rows, 0) == shown
