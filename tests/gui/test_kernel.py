from dataclasses import replace

import pytest
from cut_texts import cut_texts
from fakes import FakeSession
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication

from engine.precision.scheme import BF16, FP16, INT4, INT8, W4A8, ActivationFormat, Scheme, WeightFormat
from engine.session.state import SensitivityCell
from gui.docks import DOCKS
from gui.i18n import set_language
from gui.theme import LIGHT
from gui.views import kernel_data as data
from gui.views.kernel import KernelView
from gui.views.layers import LayersView
from gui.views.scheme_dialog import SchemeDialog
from gui.views.scheme_editor import SchemeEditor

LEFT, NO = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def view(session: FakeSession, qtbot):
    session.select(("k20",), "k20")
    made = KernelView(session, LIGHT)
    qtbot.addWidget(made)
    made.resize(316, 860)
    made.show()
    qtbot.waitExposed(made)
    made.refresh_now()
    yield made
    made.dispose()


def test_it_follows_the_current_kernel_unless_pinned(view, session, qtbot):
    assert view.number.text() == "#20"
    session.select(("k21", "k30"), "k30")
    view.refresh_now()
    assert view.number.text() == "#30"
    qtbot.mouseClick(view.pin, LEFT)
    session.select(("k5",), "k5")
    view.refresh_now()
    assert view.number.text() == "#30"
    qtbot.mouseClick(view.pin, LEFT)
    view.refresh_now()
    assert view.number.text() == "#5"


def test_what_if_tells_the_output_error_of_models_with_logits_and_marks_estimates(view, session, qtbot):
    """The same figure as "Output, alone" above, for every scheme that has one."""
    kernel = session.network.by_id("k20")
    cells = {
        FP16: SensitivityCell("k20", FP16, None, 1e-7, logits_db=69.6),
        INT8: SensitivityCell("k20", INT8, None, None, "estimated", logits_db=31.0),
        INT4: SensitivityCell("k20", INT4, 18.5, None, "estimated", logits_db=20.0),
    }
    session.sensitivity = {("k20", scheme): cell for scheme, cell in cells.items()}
    figures = {row.scheme: row.output_figure for row in data.what_if(session, kernel, view._pricer)}
    assert (figures[FP16], figures[INT8], figures[INT4]) == ("69.6", "≈31.0", "≈18.5")
    session.sensitivity = {}
    assert {row.output_figure for row in data.what_if(session, kernel, view._pricer)} == {"–"}


def test_the_note_has_a_title_that_stays_when_something_is_written(view, qtbot):
    assert view.note_title.isVisible()
    assert (view.note_title.text(), view.note_title.buddy()) == ("Note", view.note)
    assert view.note_title.geometry().bottom() < view.note.geometry().top()
    qtbot.keyClicks(view.note, "keep")
    assert view.note_title.isVisible()


def test_the_switch_sets_the_kernel_on_show_only(view, session, qtbot):
    session.select(("k20", "k21"), "k20")
    other = session.plan.scheme("k21")
    view.refresh_now()
    switch = view.switch
    qtbot.mouseClick(switch, LEFT, NO, QPoint(switch.width() - 20, switch.height() // 2))
    assert session.plan.scheme("k20") == FP16
    assert session.plan.scheme("k21") == other


def test_what_if_is_simulated_for_every_scheme_and_a_click_applies_it(view, session, qtbot):
    qtbot.waitUntil(lambda: view.table.rows and view.table.rows[-1].latency_us is not None, timeout=5000)
    schemes = [row.scheme for row in view.table.rows]
    assert schemes == [INT4, INT8, FP16]
    assert [row.now for row in view.table.rows].count(True) == 1
    index = next(i for i, row in enumerate(view.table.rows) if not row.now)
    at = view.table.row_rect(index + 1).center().toPoint()
    qtbot.mouseClick(view.table, LEFT, NO, at)
    assert session.plan.scheme("k20") == schemes[index]


def test_what_if_by_keys(view, session, qtbot):
    session.set_scheme(("k20",), INT4)
    view.refresh_now()
    qtbot.keyClick(view.table, Qt.Key.Key_Down)
    qtbot.keyClick(view.table, Qt.Key.Key_Return)
    assert session.plan.scheme("k20") == INT8


def test_a_scheme_that_the_device_lacks_shows_the_reason(view, session):
    kernel = next(k for k in session.network.kernels if k.kind == "depthwise")
    session.select((kernel.id,), kernel.id)
    view.refresh_now()
    row = next(row for row in view.table.rows if row.scheme == INT4)
    assert "INT4 depthwise" in row.refused
    assert view.refusals.isVisible()
    assert view.refusals.text() == f"INT4: {row.refused}"
    assert view.switch.look.unsupported == {"INT4"}


def test_the_advanced_editor_changes_the_scheme_at_once(view, session, qtbot):
    session.set_scheme(("k20",), INT4)
    view.refresh_now()
    qtbot.mouseClick(view.advanced, LEFT)
    assert view.editor.isVisible()
    view.editor.activations.setCurrentIndex(view.editor.activations.findData("int8"))
    assert session.plan.scheme("k20") == W4A8
    view.refresh_now()
    assert view.switch.look.label == "W4A8"
    assert view.switch.look.chosen == "INT4"
    assert [row.scheme for row in view.table.rows] == [W4A8, INT4, INT8, FP16]


def test_times_are_shares_of_the_latency_and_the_largest_unit_stands_out(session):
    cost = session.figures.simulation.kernels[20]
    rows = data.shares(cost)
    assert [row.us for row in rows] == [
        cost.launch_us, cost.mte2_us, cost.mte1_us, cost.cube_us, cost.vector_us, cost.mte3_us,
    ]  # fmt: skip
    largest = max(rows[1:], key=lambda row: row.us)
    assert [row.name for row in rows if row.role == "largest"] == [largest.name]
    assert largest.of_latency == pytest.approx(largest.us / cost.latency_us)


def test_formats_are_written_out(session):
    scheme = Scheme(WeightFormat(3, symmetric=True, granularity="tensor"), ActivationFormat(16, static=False))
    assert data.weights_words(scheme) == "INT3 symmetric, per tensor"
    assert data.activations_words(scheme) == "INT16 asymmetric, dynamic"
    assert data.weights_words(INT4) == "INT4 asymmetric, groups of 32"


def test_a_kernel_without_weights_has_a_reason_instead_of_a_switch(view, session):
    session.select(("k52",), "k52")
    view.refresh_now()
    assert not view.switch.isVisible()
    assert not view.table.isVisible()
    assert view.why_not.isVisible()
    assert view.why_not.text()


def test_locked_kernels_cannot_be_set(view, session, qtbot):
    session.set_locked(("k20",), True)
    view.refresh_now()
    assert not view.switch.isEnabled()
    assert view.why_not.isVisible()


def test_errors_behind_an_edit_are_marked_stale(view, session):
    session.make_stale(10)
    facts = {fact.name: fact for fact in data.error_facts(session, session.network.kernels[20])}
    assert facts["Accumulated"].value.startswith("≈")
    assert not facts["Local"].value.startswith("≈")
    session.data = replace(session.data, synthetic=True)
    facts = {fact.name: fact for fact in data.error_facts(session, session.network.kernels[20])}
    assert facts["Local"].value.startswith("~")


def test_an_estimate_without_sqnr_shows_what_it_has(view, session):
    session.data = replace(session.data, synthetic=True)
    kernel = session.network.kernels[20]
    scheme = session.plan.scheme(kernel.id)
    for kl, value in ((0.0079, "~KL 7.9×10⁻³"), (None, "–")):
        session.sensitivity[kernel.id, scheme] = SensitivityCell(kernel.id, scheme, None, kl, "estimated")
        fact = next(fact for fact in data.error_facts(session, kernel) if fact.name == "Output, alone")
        assert (fact.value, fact.remark) == (value, "estimate")


def test_without_a_selection_there_is_a_sentence(view, session):
    session.selection, session.current = (), None
    session.select(())
    session.current = None
    view.refresh_now()
    assert view.empty.isVisible()


def test_the_row_that_gets_the_keys_first_is_on_show(view, session, qtbot):
    session.select(())
    view.refresh_now()
    assert view.empty.isVisible()
    layers = LayersView(session, LIGHT)
    qtbot.addWidget(layers)
    layers.resize(900, 400)
    layers.show()
    qtbot.waitExposed(layers)
    layers.refresh_now()
    layers.take_keys()
    qtbot.waitUntil(lambda: session.current == session.network.kernels[0].id)
    view.refresh_now()
    assert (layers.table.current_kernel(), session.selection) == (0, ())
    assert view.number.text() == "#0"
    layers.dispose()


@pytest.mark.parametrize(
    "scheme",
    [
        INT4, INT8, FP16, W4A8, BF16, Scheme(INT4.weights, BF16.activations),
        Scheme(WeightFormat(2, symmetric=False, granularity="group", group=128), ActivationFormat(16, symmetric=True)),
        Scheme(WeightFormat(8, granularity="tensor"), ActivationFormat(8, static=False)),
        Scheme(WeightFormat(4, symmetric=False, granularity="group", group=48), ActivationFormat(8)),
    ],
)  # fmt: skip
def test_the_editor_gives_back_the_scheme_that_it_shows(qtbot, scheme):
    editor = SchemeEditor()
    qtbot.addWidget(editor)
    edits = []
    editor.edited.connect(edits.append)
    editor.show_scheme(scheme)
    assert editor.scheme() == scheme
    assert edits == []


def test_bf16_is_chosen_in_the_editor_by_mouse(view, session, qtbot):
    session.set_scheme(("k20",), INT8)
    view.refresh_now()
    qtbot.mouseClick(view.advanced, LEFT)
    _choose(view.editor.bits, "BF16", qtbot)
    assert session.plan.scheme("k20") == BF16
    view.refresh_now()
    assert (view.switch.look.label, view.switch.look.chosen) == ("BF16", "FP16")
    assert view.editor.bits.currentText() == view.editor.activations.currentText() == "BF16"
    assert not view.editor.activations.isEnabled()
    assert data.weights_words(BF16) == data.activations_words(BF16) == "BF16"
    _choose(view.editor.bits, "INT4", qtbot)
    assert session.plan.scheme("k20").activations == BF16.activations


def _choose(box, words, qtbot):
    """Open a list and click one of its entries; Qt takes no click of what could be a double click on the box."""
    before = QApplication.doubleClickInterval()
    QApplication.setDoubleClickInterval(0)
    try:
        qtbot.mouseClick(box, LEFT)
        items = box.view()
        qtbot.waitUntil(items.isVisible)
        place = items.visualRect(box.model().index(box.findText(words), 0)).center()
        qtbot.mouseMove(items.viewport(), place)
        qtbot.waitUntil(lambda: items.currentIndex().data() == words)
        qtbot.mouseClick(items.viewport(), LEFT, pos=place)
        qtbot.waitUntil(lambda: box.currentText() == words)
    finally:
        QApplication.setDoubleClickInterval(before)


def test_the_dialog_carries_the_chosen_scheme(qtbot):
    dialog = SchemeDialog(INT8, 3)
    qtbot.addWidget(dialog)
    dialog.editor.bits.setCurrentIndex(dialog.editor.bits.findData(4))
    assert dialog.scheme().weights.bits == 4
    dialog.accept()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_advanced_form_fits_the_narrowest_dock(session: FakeSession, qtbot, language):
    set_language(language)
    session.select(("k20",), "k20")
    view = KernelView(session, LIGHT)
    qtbot.addWidget(view)
    view.resize(next(spec.least for spec in DOCKS if spec.id == "kernel"), 860)
    view.show()
    qtbot.waitExposed(view)
    view.refresh_now()
    qtbot.mouseClick(view.advanced, LEFT)
    view.refresh_now()
    QApplication.processEvents()
    assert view.editor.isVisible()
    assert cut_texts(view) == []
    view.dispose()
