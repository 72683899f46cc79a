from itertools import pairwise

from PySide6.QtCore import QElapsedTimer

from gui.views import turns as module
from gui.views.turns import CALM_PAUSE_MS, PAUSE_MS, Turns


class Viewer:
    """Notes when it is redrawn."""

    def __init__(self, name, rank, seen, clock):
        self.name, self.RANK, self._seen, self._clock = name, rank, seen, clock

    def redraw(self):
        self._seen.append((self.name, self._clock.nsecsElapsed() / 1e6))


def viewers(*ranks):
    clock, seen = QElapsedTimer(), []
    clock.start()
    return [Viewer(f"{number}", rank, seen, clock) for number, rank in enumerate(ranks)], seen


def test_the_first_is_drawn_at_once_and_the_others_one_by_one_by_rank(qtbot):
    turns, ((a, b, c, d), seen) = Turns(), viewers(2, 2, 1, 0)
    for view in (a, b, c, d, b):
        turns.take(view)
    assert [name for name, _ in seen] == ["0"]
    qtbot.waitUntil(lambda: len(seen) == 4, timeout=1000)
    assert [name for name, _ in seen] == ["0", "3", "2", "1"]
    times = [time for _, time in seen]
    assert all(after - before >= PAUSE_MS - 1.5 for before, after in pairwise(times))


def test_one_that_leaves_is_not_drawn_and_no_timer_stays(qtbot):
    turns, ((a, b), seen) = Turns(), viewers(1, 1)
    turns.take(a)
    turns.take(b)
    turns.leave(b)
    assert not turns._timer.isActive()
    turns.leave(b)
    turns.take(a)
    qtbot.waitUntil(lambda: len(seen) == 2, timeout=1000)
    assert [name for name, _ in seen] == ["0", "0"]


def test_views_that_answer_no_edit_leave_a_tick_between(qtbot):
    turns, ((a, b, c), seen) = Turns(), viewers(0, 2, 2)
    for view in (a, b, c):
        turns.take(view)
    qtbot.waitUntil(lambda: len(seen) == 3, timeout=1000)
    times = [time for _, time in seen]
    assert all(after - before >= CALM_PAUSE_MS - 1.5 for before, after in pairwise(times))


def test_one_that_answers_an_edit_waits_for_none_that_has_time(qtbot, monkeypatch):
    monkeypatch.setattr(module, "CALM_PAUSE_MS", 600_000)
    turns, ((a, b, c), seen) = Turns(), viewers(0, 2, 1)
    for view in (a, b, c):
        turns.take(view)
    qtbot.waitUntil(lambda: len(seen) == 2, timeout=1000)
    assert [name for name, _ in seen] == ["0", "2"]
    turns.leave(b)
