"""What is painted piece by piece: each piece once, in the order it was asked for, a frame after the one before."""

import time
from itertools import pairwise

import pytest
from PySide6.QtCore import QEvent, QObject, QRect
from PySide6.QtWidgets import QApplication, QWidget

from gui.widgets.repaints import FRAME_MS, Repaints


class Frames(QObject):
    """Notes when which part of a widget is painted."""

    def __init__(self, widget):
        super().__init__()
        self.seen = []
        widget.installEventFilter(self)

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            self.seen.append((time.monotonic(), event.region().boundingRect()))
        return False

    @property
    def parts(self):
        return [part for _, part in self.seen]


@pytest.fixture
def widget(qtbot):
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(300, 300)
    made.show()
    qtbot.waitExposed(made)
    QApplication.processEvents()
    return made


def strip(at):
    return QRect(0, 50 * at, 300, 50)


def test_pieces_come_one_by_one_a_frame_apart(widget, qtbot):
    repaints, frames = Repaints(), Frames(widget)
    for at in (3, 0, 1):
        repaints.ask(widget, strip(at), at)
    qtbot.waitUntil(lambda: len(frames.seen) == 3, timeout=2000)
    assert frames.parts == [strip(3), strip(0), strip(1)]
    assert all(after - before >= (FRAME_MS - 3) / 1000 for (before, _), (after, _) in pairwise(frames.seen))


def test_what_is_asked_for_one_piece_in_one_turn_is_one_frame(widget, qtbot):
    repaints, frames = Repaints(), Frames(widget)
    repaints.ask(widget, QRect(0, 0, 50, 50), 0)
    repaints.ask(widget, strip(4), 4)
    repaints.ask(widget, QRect(50, 0, 50, 50), 0)
    qtbot.waitUntil(lambda: len(frames.seen) == 2, timeout=2000)
    assert frames.parts == [QRect(0, 0, 100, 50), strip(4)]


def test_small_pieces_share_a_frame(widget, qtbot):
    repaints, frames = Repaints(), Frames(widget)
    for at in range(3):
        repaints.ask(widget, strip(at), at, share=0.5)
    qtbot.waitUntil(lambda: len(frames.seen) == 2, timeout=2000)
    assert frames.parts == [QRect(0, 0, 300, 100), strip(2)]


def test_what_is_dropped_or_hidden_is_not_painted_and_no_timer_stays(widget, qtbot):
    repaints = Repaints()
    repaints.ask(widget, strip(0))
    assert repaints.drop(widget)
    assert not repaints.drop(widget)
    assert not repaints._timer.isActive()
    widget.hide()
    repaints.ask(widget, strip(0))
    assert not repaints.drop(widget)
