"""What is not up to date says so at once; the pointer is told after a moment; notes are whole."""

from plot_hand import show
from PySide6.QtGui import QFontMetricsF

from engine.session.changes import Change, What
from gui.bridge import HOVER_MS, Hub
from gui.fonts import font
from gui.views.error_profile import ErrorProfileView
from gui.views.preflight import ROW, Finding, PreflightView
from gui.views.session_view import LEAD_MS, LONGEST_PAUSE_MS
from gui.widgets.summary_card import CardLook, SummaryCard, note_lines


def test_a_view_that_lets_others_go_first_is_marked_until_it_is_redrawn(qtbot, session, theme):
    for kind in (ErrorProfileView, PreflightView):
        view = show(qtbot, kind, session, theme)
        view.refresh_now()
        assert not view.marked_behind
        view._on_change(Change(What.SELECTION, "test"))
        assert not view.marked_behind
        view._on_change(Change(What.PLAN, "test"))
        assert view.marked_behind
        view.refresh_now()
        assert not view.marked_behind


def test_a_passing_pointer_is_not_announced(qtbot):
    hub, seen = Hub(), []
    hub.hover_changed.connect(lambda kernel, who: seen.append(kernel))
    hub.hover("a", "x")
    hub.hover("b", "x")
    assert hub.hovered == "b"
    assert seen == []
    qtbot.waitUntil(lambda: seen == ["b"], timeout=20 * HOVER_MS)
    hub.hover(None, "x")
    assert seen == ["b", ""]  # leaving is told at once
    hub.hover("c", "x")
    hub.hover(None, "x")
    assert seen == ["b", ""]


def test_a_note_takes_a_second_line_instead_of_being_cut(qtbot):
    note = "INT4 of 12 kernels runs as FP16 here \u00b7 20 % invocation \u00b7 35 % launch \u00b7 all FP16: 1.47 ms"
    width = QFontMetricsF(font(11)).horizontalAdvance
    lines = note_lines(note, 294, width)
    assert len(lines) == 2
    assert " \u00b7 ".join(lines) == note
    assert all(width(line) <= 294 for line in lines)
    card = SummaryCard()
    qtbot.addWidget(card)
    card.resize(322, 81)
    card.show()
    low = card.sizeHint().height()
    card.set_look(CardLook("Latency", note=note))
    assert card.sizeHint().height() > low


def test_a_long_finding_is_wrapped(qtbot, session, theme):
    view = show(qtbot, PreflightView, session, theme, 450, 210)
    short = Finding("info", "Short", "A line.", (0,))
    long = Finding("warn", "Long", "conv2d_3: this phone has no INT4 depthwise convolution, " * 4, (0,))
    view.model.show([short, long])
    heights = [view.list.sizeHintForIndex(view.model.index(row)).height() for row in (0, 1)]
    assert heights[0] == ROW
    assert heights[1] >= ROW + 30


def test_an_edit_goes_before_what_was_due_since_before_it_but_not_for_ever(session, qtbot, theme):
    view = show(qtbot, ErrorProfileView, session, theme)
    view.refresh_now()
    view.mark_dirty(What.EVALUATION)
    view._timer.start(1)
    session.emit(What.PLAN)
    assert view._timer.interval() >= LEAD_MS - 1
    view._timer.start(1)
    view._due_since -= LONGEST_PAUSE_MS / 1000
    session.emit(What.PLAN)
    assert view._timer.interval() == 1
    view._timer.stop()
    view.refresh_now()
    view.mark_dirty(What.SELECTION)
    view._timer.start(1)
    session.emit(What.PLAN)
    assert view._timer.interval() == 1, "what the pointer has just asked for"
