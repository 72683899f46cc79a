from dataclasses import fields, replace
from functools import reduce

import numpy as np
import pytest
from fakes import FakeSession
from plot_hand import settle, show
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QApplication

from engine.precision.scheme import INT4
from engine.quant.oddities import Oddities
from engine.session.changes import What
from engine.text import say
from gui.views.graph_overlay import overlay_of
from gui.views.layers import LayersView
from gui.views.layers_changes import changed_cells, runs
from gui.views.layers_columns import BY_KEY, COLUMNS, explanation
from gui.views.layers_model import AT_ONCE, LayersModel
from gui.views.layers_order import Filter, family_counts, matching, ordered
from gui.views.layers_rows import natural, relative_l2_percent, rows_of, shape_of, with_threshold
from gui.views.layers_table import LayersTable


@pytest.fixture
def rows(session: FakeSession):
    return rows_of(session, shape_of(session.network))


def names(rows, keep):
    return [rows.shape.names[i] for i in np.flatnonzero(keep)]


def test_equal_keys_stay_in_execution_order_both_ways_and_unknown_ones_come_last():
    keep, key = np.ones(6, bool), np.array([2.0, 1.0, np.nan, 2.0, 1.0, np.nan])
    assert ordered(keep, key, descending=False).tolist() == [1, 4, 0, 3, 2, 5]
    assert ordered(keep, key, descending=True).tolist() == [0, 3, 1, 4, 2, 5]


def test_many_equal_keys_stay_in_execution_order():
    key = np.tile([3.0, 1.0, 2.0], 300)
    order = ordered(np.ones(900, bool), key, descending=False)
    assert order[:300].tolist() == list(range(1, 900, 3))


def test_numbers_inside_names_sort_as_numbers():
    words = ["layers.10.q", "layers.9.q", "layers.9.k", "Layers.1", "9"]
    assert sorted(words, key=natural) == ["9", "Layers.1", "layers.9.k", "layers.9.q", "layers.10.q"]


def test_every_word_of_the_text_has_to_be_found_in_name_operator_or_precision(rows):
    found = names(rows, matching(rows, Filter("dw INT8")))
    assert found
    assert all(name.endswith(".dw") for name in found)
    assert names(rows, matching(rows, Filter("features.17 dw"))) == ["features.17.dw"]


def test_a_rule_compares_a_column_with_a_number(rows):
    keep = matching(rows, Filter("latency>20 conv"))
    expected = (rows.latency_us > 20) & np.array(["conv" in op.casefold() for op in rows.shape.ops])
    assert keep.any()
    assert (keep == expected).all()


def test_what_looks_like_a_rule_but_names_no_column_is_plain_text(rows):
    assert not matching(rows, Filter("colour>3")).any()


def test_rules_on_marks(rows, session):
    assert matching(rows, Filter("is:cpu")).sum() == 1
    changed = {session.network.by_id(i).index for i in session.plan.difference(session.previous_plan)}
    assert set(np.flatnonzero(matching(rows, Filter("is:changed"))).tolist()) == changed


def test_families_add_up_and_threshold_narrows(rows):
    counts = family_counts(rows)
    assert sum(counts.values()) == rows.shape.tunable.sum()
    both = matching(rows, Filter(families=frozenset({"INT4", "FP16"})))
    assert both.sum() == counts["INT4"] + counts["FP16"]
    below = matching(rows, Filter(families=frozenset({"INT4"}), below_required=True))
    assert 0 < below.sum() < counts["INT4"]
    assert (rows.accumulated_db[below] < session_required(rows)).all()


def session_required(rows):
    return rows.required_db


def test_only_kernels_behind_the_edit_are_stale(session):
    session.make_stale(34)
    rows = rows_of(session, shape_of(session.network))
    assert np.flatnonzero(rows.accumulated_stale).tolist() == list(range(34, len(rows)))


def test_a_simulation_of_other_kernels_is_not_shown(session):
    simulation = session.figures.simulation
    session.figures = replace(session.figures, simulation=replace(simulation, kernels=simulation.kernels[:-1]))
    assert np.isnan(rows_of(session, shape_of(session.network)).latency_us).all()


def test_bars_end_at_the_95th_percentile():
    values = np.append(np.arange(101.0), np.nan)
    assert with_threshold(values) == pytest.approx(95.0)
    assert np.isnan(with_threshold(np.array([np.nan])))
    for count in (1, 2, 7, 40):
        random = np.random.default_rng(count).random(count)
        assert with_threshold(random) == pytest.approx(float(np.quantile(random, 0.95)), rel=1e-12)


def test_relative_error_follows_from_the_sqnr():
    assert relative_l2_percent(20.0) == pytest.approx(10.0)
    assert relative_l2_percent(float("inf")) == 0.0


def test_only_cells_that_look_different_are_announced(session, qtbot):
    model = LayersModel()
    shape = shape_of(session.network)
    rows = rows_of(session, shape)
    model.set_rows(rows)
    told = set()
    model.dataChanged.connect(
        lambda first, last: told.add((COLUMNS[first.column()].key, COLUMNS[last.column()].key, first.row(), last.row()))
    )
    model.set_rows(rows_of(session, shape))
    assert told == set()
    session.locked = frozenset({"k7", "k8", "k20"})
    model.set_rows(rows_of(session, shape))
    assert told == {(key, key, *place) for key in ("precision", "flags") for place in ((7, 8), (20, 20))}
    told.clear()
    session.budgets = type(session.budgets)(min_sqnr_db=3.0)
    model.set_rows(rows_of(session, shape))
    everything = {column.key: (column.key, column.key, 0, len(rows) - 1) for column in COLUMNS}
    assert told == {everything[key] for key in AT_ONCE}
    session.locked = frozenset()
    model.set_rows(rows_of(session, shape))  # what is still to be told of the step before is not forgotten
    qtbot.waitUntil(lambda: told >= set(everything.values()), timeout=5_000)
    assert not model._step.isActive()


def test_another_model_while_columns_still_wait_leaves_nothing_to_tell(session, qtbot):
    model = LayersModel()
    model.set_rows(rows_of(session, shape_of(session.network)))
    session.budgets = type(session.budgets)(min_sqnr_db=3.0)
    model.set_rows(rows_of(session, model.rows.shape))
    assert model._step.isActive()
    model.set_rows(rows_of(session, shape_of(session.network)))  # another shape: as another model comes
    assert not model._step.isActive()
    model._next()  # what was due already has nothing to say


def test_a_cell_whose_picture_changes_is_announced_for_every_figure(session, qtbot, theme):
    table = LayersTable(LayersModel(), theme)
    qtbot.addWidget(table)
    table.resize(1500, 400)
    for column in COLUMNS:
        table.set_column_shown(column.key, True)
    shape = shape_of(session.network)
    rows = rows_of(session, shape)
    table.layers.set_rows(rows)
    before = table.viewport().grab().toImage()
    seen = set()
    for field in fields(rows):
        other = _other(field.name, getattr(rows, field.name))
        if other is None:
            continue
        fresh = replace(rows, **{field.name: other})
        told = {key for key, mask in changed_cells(rows, fresh).items() if mask[3]}
        table.layers.set_rows(fresh)
        after = table.viewport().grab().toImage()
        table.layers.set_rows(rows)
        for row in range(12):
            for column in table.visible_columns():
                cell = table.visualRect(table.layers.index(row, COLUMNS.index(column)))
                if before.copy(cell) != after.copy(cell):
                    assert column.key in told, (field.name, column.key)
                    seen.add(field.name)
    assert {"families", "differs", "locked", "local_db", "accumulated_stale", "latency_us", "units"} <= seen


def test_news_of_a_hidden_column_paint_nothing(session, qtbot, theme, monkeypatch):
    table = LayersTable(LayersModel(), theme)
    qtbot.addWidget(table)
    table.resize(1500, 400)
    table.layers.set_rows(rows_of(session, shape_of(session.network)))
    table.show()
    qtbot.waitExposed(table)
    QApplication.processEvents()
    painted = []
    monkeypatch.setattr(table._delegate, "paint_rows", lambda painter, region: painted.append(region.boundingRect()))

    def tell(key):
        column = COLUMNS.index(BY_KEY[key])
        table.layers.dataChanged.emit(table.layers.index(0, column), table.layers.index(9, column))
        QApplication.processEvents()

    assert table.isColumnHidden(COLUMNS.index(BY_KEY["shape"]))
    tell("shape")
    assert not painted
    tell("accumulated")
    qtbot.waitUntil(lambda: bool(painted), timeout=5_000)


def _other(name, value):
    """The same column of figures with another value for kernel 3."""
    if isinstance(value, np.ndarray):
        other = value.copy()
        other[3] = ~other[3] if other.dtype == bool else other[3] * 0.5 + 1.0
        return other
    if not isinstance(value, tuple):
        return None
    words = {"schemes": INT4, "families": "INT4", "labels": "INT4", "units": "CPU", "bounds": "Launch"}
    words |= {"odd": Oddities(nan=2, channels=8)}
    changed = words.get(name, say("not here") if name == "unsupported" else frozenset({"INT4"}))
    assert changed != value[3]
    return (*value[:3], changed, *value[4:])


def test_stretches():
    assert runs(np.array([2, 3, 4, 7, 9, 10])) == [(2, 4), (7, 7), (9, 10)]
    assert runs(np.array([], int)) == []


def test_another_model_is_listed_in_order_of_execution(qtbot, session, theme):
    view = show(qtbot, LayersView, session, theme, 900, 300)
    view.model.sort_by("latency", descending=True)
    session.emit(What.MODEL)  # the same model, fused anew
    settle(view)
    assert (view.model.sort_key, view.model.descending) == ("latency", True)
    network = session.network
    session.network = replace(network, graph=replace(network.graph, sha256="0" * 64))
    session.emit(What.MODEL)
    settle(view)
    assert (view.model.sort_key, view.model.descending) == ("index", False)
    assert list(view.model.order[:3]) == [0, 1, 2]


def test_the_header_says_where_the_sensitivity_is_measured(session):
    rows = rows_of(session, shape_of(session.network))
    assert "at the model's output" in explanation("sensitivity", replace(rows, sensitivity_at_logits=False))
    at_logits = replace(rows, sensitivity_at_logits=True, sensitivity_is_kl=False)
    assert "before the last softmax" in explanation("sensitivity", at_logits)
    assert "before the last softmax" in overlay_of("sensitivity", at_logits).caption


def test_news_of_a_column_paint_no_other_where_rows_are_out_of_sight(session, qtbot, theme, monkeypatch):
    """Qt by itself would paint the whole table."""
    table = LayersTable(LayersModel(), theme)
    qtbot.addWidget(table)
    table.resize(1500, 300)
    table.layers.set_rows(rows_of(session, shape_of(session.network)))
    table.show()
    qtbot.waitExposed(table)
    table.verticalScrollBar().setValue(5)
    QApplication.processEvents()
    painted = []
    monkeypatch.setattr(table._delegate, "paint_rows", lambda painter, region: painted.append(region.boundingRect()))
    column, last = COLUMNS.index(BY_KEY["accumulated"]), table.layers.rowCount() - 1
    assert not table.viewport().rect().contains(table.visualRect(table.layers.index(last, column)))
    table.layers.dataChanged.emit(table.layers.index(0, column), table.layers.index(last, column))
    left, width = table.columnViewportPosition(column), table.columnWidth(column)
    whole = QRect(left, 0, width, table.viewport().height())
    qtbot.waitUntil(lambda: bool(painted) and reduce(QRect.united, painted) == whole, timeout=5_000)
