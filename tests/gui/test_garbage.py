"""What a model brings is set aside, so that the collector needn't go through all of it again and again."""

import gc

import pytest

from engine.session.changes import Change, What
from gui.garbage import LARGE, THRESHOLDS, Garbage


class Opened:
    """As much of a session as is listened to."""

    def __init__(self):
        self.network = None
        self.figures = type("Figures", (), {"evaluation": None})()
        self.tell = None

    def subscribe(self, listener):
        self.tell = listener


@pytest.fixture
def session():
    before = gc.get_threshold()
    yield Opened()
    gc.set_threshold(*before)
    gc.unfreeze()


def looked_at():
    """How many objects the collector goes through when it looks at all."""
    return len(gc.get_objects())


def objects(size):
    return [[] for _ in range(size)]


class Model:
    """A model of so many kernels."""

    def __init__(self, size):
        self.kernels = objects(size)


def test_a_model_on_show_is_not_gone_through_again(session):
    Garbage(session)
    assert gc.get_threshold() == THRESHOLDS
    session.network = Model(20_000)
    session.tell(Change(What.MODEL))
    assert looked_at() < 5_000


def test_neither_are_its_first_figures_and_later_ones_are(session):
    Garbage(session)
    session.network = Model(LARGE)
    session.tell(Change(What.MODEL))
    session.tell(Change(What.EVALUATION))
    session.figures.evaluation = first = objects(20_000)
    session.tell(Change(What.EVALUATION))
    assert looked_at() < 5_000
    session.figures.evaluation = objects(20_000)
    session.tell(Change(What.EVALUATION))
    assert looked_at() > len(first)


def test_cycles_of_a_model_that_goes_are_found(session):
    class Tensor(Model):
        alive = 0

        def __init__(self):
            super().__init__(LARGE)
            self.itself = self
            Tensor.alive += 1

        def __del__(self):
            Tensor.alive -= 1

    Garbage(session)
    session.network = Tensor()
    session.tell(Change(What.MODEL))
    session.network = None
    gc.collect()
    assert Tensor.alive == 1
    session.tell(Change(What.MODEL))
    assert Tensor.alive == 0


def test_a_small_model_is_not_set_aside_so_that_it_can_go_without_a_pause(session, monkeypatch):
    Garbage(session)
    session.network = Model(LARGE - 1)
    session.tell(Change(What.MODEL))
    assert gc.get_freeze_count() == 0
    monkeypatch.setattr(gc, "collect", lambda: pytest.fail("all is gone through"))
    session.network = Model(10)
    session.tell(Change(What.MODEL))
