import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from gui.paint import (
    FAMILIES,
    Gauge,
    SwitchLook,
    badge_width,
    error_bar,
    gauge,
    latency_bar,
    nibble_mark,
    noise_fraction,
    share_bar,
    switch_hit,
    switch_segments,
)
from gui.theme import DARK, LIGHT, theme_manager
from gui.widgets.chip import Chip
from gui.widgets.context_button import ContextButton
from gui.widgets.layout_tabs import LayoutTabs
from gui.widgets.popup import one_use_menu
from gui.widgets.precision_switch import PrecisionSwitch
from gui.widgets.segmented import SegmentedControl
from gui.widgets.summary_card import CardLook, SummaryCard
from gui.widgets.tip_card import TipCard, TipContent
from gui.widgets.verdict import Verdict


def painted(draw, width=120, height=24, ground=LIGHT.panel):
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(ground)
    painter = QPainter(image)
    draw(painter)
    painter.end()
    return image


def columns(image, color, row):
    return [x for x in range(image.width()) if image.pixelColor(x, row) == QColor(color)]


@pytest.mark.parametrize(("family", "cells"), [("INT4", 1), ("INT8", 2), ("FP16", 4), ("CPU", 0)])
def test_nibble_mark_fills_one_cell_per_four_bits(qapp, family, cells):
    image = painted(lambda p: nibble_mark(p, QPointF(2, 2), family, QColor("#FF0000")))
    full = sum(image.pixelColor(x, y) == QColor("#FF0000") for x in range(20) for y in range(20))
    assert full == cells * 9


def test_switch_has_three_equal_segments_in_reading_order():
    rect = QRectF(10, 4, 144, 17)
    assert [s.width() for s in switch_segments(rect)] == [48.0] * 3
    hits = [switch_hit(rect, s.center()) for s in switch_segments(rect)]
    assert hits == list(FAMILIES)
    assert switch_hit(rect, QPointF(5, 10)) is None


@pytest.mark.parametrize(("db", "length"), [(60, 0.0), (80, 0.0), (35, 0.5), (10, 1.0), (-4, 1.0), (None, 0.0)])
def test_error_is_drawn_as_noise_from_sixty_to_ten_db(db, length):
    assert noise_fraction(db) == pytest.approx(length)


def test_error_bar_turns_to_warn_below_the_required_value(qapp):
    def draw(db):
        return painted(lambda p: error_bar(p, QRectF(10, 0, 100, 24), db, 22.0, LIGHT))

    assert columns(draw(20.0), LIGHT.warn, 12)
    assert not columns(draw(30.0), LIGHT.warn, 12)
    assert len(columns(draw(30.0), LIGHT.bar, 12)) == pytest.approx(60, abs=4)


def test_stale_error_bar_does_not_keep_its_normal_look(qapp):
    image = painted(lambda p: error_bar(p, QRectF(10, 0, 100, 24), 20.0, 22.0, LIGHT, stale=True))
    assert not columns(image, LIGHT.warn, 12)


def test_latency_bar_shows_launch_part_and_the_plan_before(qapp):
    image = painted(lambda p: latency_bar(p, QRectF(10, 0, 100, 24), 0.8, 0.3, 0.9, LIGHT))
    assert len(columns(image, LIGHT.bar2, 12)) == pytest.approx(30, abs=3)
    assert columns(image, LIGHT.good, 8)
    slower = painted(lambda p: latency_bar(p, QRectF(10, 0, 100, 24), 0.8, 0.3, 0.6, LIGHT))
    assert columns(slower, LIGHT.warn, 8)


def test_gauge_ends_at_a_quarter_over_the_budget(qapp):
    look = Gauge(value=50.0, budget=80.0, state="met")
    image = painted(lambda p: gauge(p, QRectF(0, 4, 100, 16), look, LIGHT), 100)
    assert len(columns(image, LIGHT.bar, 12)) == pytest.approx(50, abs=3)
    assert 79 in columns(image, LIGHT.ink, 6)


def test_share_bar_fills_its_width_in_proportion(qapp):
    parts = [(1.0, LIGHT.int4.main), (3.0, LIGHT.int8.main), (0.0, LIGHT.fp16.main)]
    image = painted(lambda p: share_bar(p, QRectF(0, 4, 120, 10), parts, LIGHT))
    assert len(columns(image, LIGHT.int4.main, 8)) == 29
    assert len(columns(image, LIGHT.int8.main, 8)) == 89
    assert not columns(image, LIGHT.fp16.main, 8)


def test_badge_grows_with_its_label(qapp):
    assert badge_width("W4A16") > badge_width("INT4") > 20


def show(qtbot, widget):
    qtbot.addWidget(widget)
    widget.show()
    QApplication.processEvents()
    return widget


def test_switch_widget_takes_clicks_and_arrow_keys(qtbot):
    switch = show(qtbot, PrecisionSwitch())
    switch.resize(switch.sizeHint())
    switch.set_look(SwitchLook("INT8"))
    with qtbot.waitSignal(switch.chosen, timeout=500) as caught:
        qtbot.mouseClick(switch, Qt.MouseButton.LeftButton, pos=QPoint(20, switch.height() // 2))
    assert caught.args == ["INT4"]
    with qtbot.waitSignal(switch.chosen, timeout=500) as caught:
        qtbot.keyClick(switch, Qt.Key.Key_Right)
    assert caught.args == ["FP16"]
    switch.set_look(SwitchLook("INT8", locked=True))
    with qtbot.assertNotEmitted(switch.chosen):
        qtbot.keyClick(switch, Qt.Key.Key_Right)


def test_segmented_control_is_exclusive_and_skips_disabled_choices(qtbot):
    control = show(qtbot, SegmentedControl((("a", "one"), ("b", "two"), ("c", "three"))))
    control.set_disabled(frozenset({"b"}))
    with qtbot.waitSignal(control.chosen, timeout=500) as caught:
        qtbot.keyClick(control, Qt.Key.Key_Right)
    assert caught.args == ["c"]
    assert control.current == "c"


def test_layout_tabs_refuse_what_is_disabled(qtbot):
    tabs = show(qtbot, LayoutTabs())
    tabs.set_tabs([("a", "Tune"), ("b", "Graph")], {"b": "not yet"})
    tabs.set_current("a")
    tabs.resize(tabs.sizeHint())
    with qtbot.assertNotEmitted(tabs.chosen):
        qtbot.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=QPoint(tabs.width() - 10, 15))


def test_context_button_folds_its_detail_and_then_tells_it_in_the_tooltip(qtbot):
    part = show(qtbot, ContextButton("model", lambda menu: None))
    part.set_texts("Model", "net.onnx", "56 kernels")
    wide = part.sizeHint().width()
    part.set_folded(True)
    assert part.sizeHint().width() < wide == part.full_width()
    assert "56 kernels" in part.accessibleName()


def test_context_button_opens_its_menu(qtbot):
    filled = []
    part = show(qtbot, ContextButton("model", lambda menu: filled.append(menu.addAction("x"))))
    qtbot.mouseClick(part, Qt.MouseButton.LeftButton)
    assert len(filled) == 1
    QApplication.activePopupWidget().close()


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda t: t.name)
def test_widgets_follow_the_theme(qtbot, look):
    theme_manager.set_mode(look.name)
    for widget in (
        Chip("INT4", "11", "INT4"),
        SummaryCard(CardLook("Latency", "2.46", "ms", "±0.34", "≤ 3.00 ms", "−0.27 ms", False, True, "17 %", "near")),
    ):
        shown = show(qtbot, widget)
        shown.resize(shown.sizeHint())
        image = shown.grab().toImage()
        wanted = look.precision("INT4").main if isinstance(widget, Chip) else look.warn
        found = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
        assert wanted.name() in found


def test_stale_card_marks_its_value(qtbot):
    card = show(qtbot, SummaryCard(CardLook("Latency", "2.46", "ms", state="missed", stale=True)))
    card.resize(card.sizeHint())
    image = card.grab().toImage()
    colors = {image.pixelColor(x, y).name() for x in range(14, 120) for y in range(24, 46)}
    assert LIGHT.bad.name() not in colors


def test_verdict_says_what_is_wrong_also_to_a_screen_reader(qtbot):
    verdict = show(qtbot, Verdict())
    verdict.show_state("missed", "5 of 6 budgets met", "Output SQNR is 0.8 dB short", progress=0.5)
    assert verdict.accessibleName() == "5 of 6 budgets met. Output SQNR is 0.8 dB short"
    assert verdict.grab().toImage().pixelColor(1, 5) == LIGHT.bad


def test_tooltip_card_stays_on_the_screen(qtbot):
    card = TipCard()
    qtbot.addWidget(card)
    room = card.screen().availableGeometry()
    card.show_at(TipContent("features.2.dw", [("starts", "0.362 ms")], ("FP16", "FP16"), "click"), room.bottomRight())
    assert room.contains(card.geometry())
    card.close()


def test_a_menu_outlives_the_key_that_closes_it(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    menu = one_use_menu(parent)
    menu.addAction("one")
    menu.popup(parent.mapToGlobal(parent.rect().center()))
    qtbot.keyClick(menu, Qt.Key.Key_Down)
    qtbot.keyPress(menu, Qt.Key.Key_Return)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert isValid(menu)
    qtbot.keyRelease(menu, Qt.Key.Key_Return)
    one_use_menu(parent)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not isValid(menu)
